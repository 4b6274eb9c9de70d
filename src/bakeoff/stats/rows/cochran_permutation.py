"""The permutation distribution of Cochran's Q: exact where it is small, else simulated.

Under the null every model is as likely as another to be one of the r that are right on a row, so
the row is a random subset of r of the M models, independent of the other rows. Q depends on the
column totals through M ΣG² − (ΣG)² alone, whose distribution is found here in whole numbers.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

WholeNumbers = NDArray[np.integer[Any]]

# Values handled by the exact recursion before it gives up: about a second's work.
_MAX_WORK = 30_000_000


@dataclasses.dataclass(frozen=True)
class PermutationPvalue:
    """A permutation p-value and how it was found.

    Attributes
    ----------
    pvalue : float
        P(Q ≥ observed).
    method : {"exact", "monte_carlo"}
        Whether the whole distribution was enumerated.
    error : float
        Standard error of a simulated p-value; 0 for an exact one.
    """

    pvalue: float
    method: str
    error: float


def exact_pvalue(row_totals: WholeNumbers, models: int, observed: int) -> PermutationPvalue | None:
    """Return P(M ΣG² − (ΣG)² ≥ observed), or None where that would take too long.

    Parameters
    ----------
    row_totals : ndarray, shape (M + 1,)
        How many rows have 0, 1, ..., M models right; rows of 0 or M play no part.
    models : int
        M.
    observed : int
        The observed value.

    Notes
    -----
    Rows are added one by one to the distribution of the column totals. The models are
    exchangeable and only differences between the totals matter, so totals are kept sorted and
    relative to the smallest: that leaves few states.
    """
    rows = int(row_totals[1:models].sum())
    if float(rows + 1) ** (models - 1) >= 2.0**62:  # the keys of the states would overflow
        return None
    base = (rows + 1) ** np.arange(models - 1, dtype=np.int64)
    totals: WholeNumbers = np.zeros((1, models), dtype=np.int64)
    chance = np.ones(1)
    work = 0
    for right in range(1, models):
        repeats = int(row_totals[right])
        if not repeats:
            continue
        choices = math.comb(models, right)
        for _ in range(repeats):
            work += len(totals) * choices * models
            if work > _MAX_WORK:
                return None
            subsets = _subsets(models, right)
            totals, chance = _add_row(totals, chance, subsets, base)
    spread = models * np.square(totals).sum(axis=1) - np.square(totals.sum(axis=1))
    return PermutationPvalue(min(1.0, float(chance[spread >= observed].sum())), "exact", 0.0)


def monte_carlo_pvalue(
    row_totals: WholeNumbers, models: int, observed: int, n_resamples: int, seed: int
) -> PermutationPvalue:
    """Estimate the same probability from random tables, at a cost free of the number of rows.

    One model after the other: of the rows that still have r models right among the m left, a
    binomial share r/m has this one right. The observed table counts as one of the draws, so
    that the estimate is itself a valid p-value.
    """
    rng = np.random.default_rng(seed)
    left = np.zeros((models + 1, n_resamples), dtype=np.int64)
    left[1:models] = row_totals[1:models, None]
    total = np.zeros(n_resamples, dtype=np.int64)
    squares = np.zeros(n_resamples, dtype=np.int64)
    for remaining in range(models, 0, -1):
        share = np.minimum(np.arange(1, models + 1) / remaining, 1.0)
        right = rng.binomial(left[1:], share[:, None])
        left[1:] -= right
        left[:-1] += right
        column = right.sum(axis=0)
        total += column
        squares += column**2
    reached = int((models * squares - total**2 >= observed).sum())
    pvalue = (reached + 1) / (n_resamples + 1)
    error = math.sqrt(pvalue * (1 - pvalue) / n_resamples)
    return PermutationPvalue(pvalue, "monte_carlo", error)


def _subsets(models: int, right: int) -> WholeNumbers:
    """Return every choice of `right` of the models as a 0/1 row."""
    chosen = np.array(list(itertools.combinations(range(models), right)))
    subsets = np.zeros((len(chosen), models), dtype=np.int64)
    np.put_along_axis(subsets, chosen, 1, axis=1)
    return subsets


def _add_row(
    totals: WholeNumbers, chance: NDArray[np.float64], subsets: WholeNumbers, base: WholeNumbers
) -> tuple[WholeNumbers, NDArray[np.float64]]:
    """Return the distribution of the column totals with one more random row."""
    grown = (totals[:, None, :] + subsets).reshape(-1, totals.shape[1])
    grown.sort(axis=1)
    grown -= grown[:, :1]
    weight = np.repeat(chance / len(subsets), len(subsets))
    _, first, state = np.unique(grown[:, 1:] @ base, return_index=True, return_inverse=True)
    merged: NDArray[np.float64] = np.bincount(state, weights=weight).astype(np.float64)
    return grown[first], merged

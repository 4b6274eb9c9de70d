"""Rank sums over data sets, and their exact permutation distribution."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.arguments import Decimals
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.ranks import rank_rows

_MAX_ARRANGEMENTS = 5040


@dataclasses.dataclass(frozen=True)
class RankTable:
    """The ranks of k models (1 = best) on N data sets and the sums that tests are made of.

    The sums are of doubled ranks and so exact integers: "no variance left" is decided without a
    tolerance.
    """

    ranks: FloatArray  # (N, k)

    @classmethod
    def of(cls, scores: FloatArray, decimals: Decimals | None) -> RankTable:
        """Rank oriented scores (greater is better)."""
        return cls(rank_rows(scores, decimals))

    @property
    def n(self) -> int:
        """Number of data sets."""
        return len(self.ranks)

    @property
    def k(self) -> int:
        """Number of models."""
        return len(self.ranks[0])

    @functools.cached_property
    def doubled(self) -> NDArray[np.int64]:
        """Doubled ranks, integers."""
        return np.rint(2 * self.ranks).astype(np.int64)

    @functools.cached_property
    def doubled_sums(self) -> NDArray[np.int64]:
        """Return the doubled rank sum of each model."""
        sums: NDArray[np.int64] = self.doubled.sum(axis=0)
        return sums

    @property
    def average(self) -> FloatArray:
        """Average rank of each model."""
        average: FloatArray = self.ranks.mean(axis=0)
        return average

    @property
    def between(self) -> int:
        """4 (ΣR_j² − N²k(k+1)²/4), R_j the rank sums: 0 when all models rank alike."""
        sums = [int(s) for s in self.doubled_sums]
        return sum(s * s for s in sums) - self.n**2 * self.k * (self.k + 1) ** 2

    @property
    def total(self) -> int:
        """4 (Σr² − Nk(k+1)²/4): 0 when every data set ties all models."""
        return int((self.doubled**2).sum()) - self.n * self.k * (self.k + 1) ** 2

    @property
    def residual(self) -> int:
        """N·total − between: 0 when every data set ranks the models in the same way."""
        return self.n * self.total - self.between

    @property
    def chi2(self) -> float:
        """Friedman's statistic, corrected for ties (0 when everything is tied)."""
        return (self.k - 1) * self.between / self.total if self.total else 0.0

    @property
    def kendall_w(self) -> float:
        """Kendall's coefficient of concordance, corrected for ties."""
        return self.between / (self.n * self.total) if self.total else 0.0

    def agreement_probability(self) -> float:
        """P(every data set ranks in the same way) when every order is equally likely."""
        counts = [arrangement_count(row) for row in self.doubled]
        return math.exp(-math.fsum(math.log(m) for m in counts[1:]))


def arrangement_count(row: NDArray[np.int64]) -> int:
    """Count the distinct permutations of a row."""
    _, counts = np.unique(row, return_counts=True)
    return math.factorial(len(row)) // math.prod(math.factorial(int(c)) for c in counts)


def exact_friedman_pvalue(table: RankTable, budget: int) -> float | None:
    """P(statistic ≥ the observed) over all permutations of the ranks within data sets.

    The distribution of the vector of rank sums is built up data set by data set. Models are
    exchangeable under the null, so vectors that differ in their order alone are one state.

    Parameters
    ----------
    table : RankTable
        The ranks; ties are kept.
    budget : int
        The most states times arrangements to go through.

    Returns
    -------
    float or None
        None when the budget does not suffice.
    """
    rows = table.doubled
    if max(arrangement_count(row) for row in rows) > _MAX_ARRANGEMENTS:
        return None
    # sums of squares depend on deviations from the mean rank sum: keep the numbers small
    rows = rows - (table.k + 1)
    states = np.sort(rows[:1], axis=1)
    probability = np.ones(1)
    for row in rows[1:]:
        orders = arrangements(row)
        budget -= len(states) * len(orders)
        if budget < 0:
            return None
        sums = (states[:, None, :] + orders[None, :, :]).reshape(-1, table.k)
        sums.sort(axis=1)
        weight = np.repeat(probability / len(orders), len(orders))
        states, probability = _merge(sums, weight)
    reached = (states**2).sum(axis=1) >= table.between
    return min(1.0, float(probability[reached].sum()))


def _merge(states: NDArray[np.int64], weight: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """Add up the weights of equal rows."""
    order = np.lexsort(states.T)
    ordered = states[order]
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.flatnonzero(first)
    return ordered[starts], np.add.reduceat(weight[order], starts)


def arrangements(row: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct permutations of a row, one a row, without listing equal ones."""
    values, counts = np.unique(row, return_counts=True)
    found: list[list[int]] = []

    def place(prefix: list[int], left: list[int]) -> None:
        if len(prefix) == len(row):
            found.append(prefix)
            return
        for i, count in enumerate(left):
            if count:
                place([*prefix, int(values[i])], [c - (j == i) for j, c in enumerate(left)])

    place([], counts.tolist())
    return np.array(found, dtype=np.int64)

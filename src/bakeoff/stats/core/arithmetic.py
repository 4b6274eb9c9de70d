"""Ranks, roots and draws that depend neither on last digits nor on an arbitrary basis.

Binary floats break decimal ties (.85 - .84 is not .88 - .87), so every score is rounded before
it is ranked: by default to 12 digits relative to the largest score, far above float noise and far
below any difference that a finite test set can show.

LAPACK chooses a basis by the last bit for equal eigenvalues, and a draw may hang on it. Here sums
are added in one order, so that equal columns of rows have equal entries.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.arguments import Decimals
from bakeoff.stats.core.checks import BoolArray, FloatArray, as_scores, check_models

_DIGITS = 12
_OUTLIER = 1e6  # times the lower quartile
_CLEAR = 1e-9  # smaller scores may be rounding errors, unless all of them are as small
_BLOCK = 2048  # numbers of a column that stay in the cache
_DEPENDENT = 1e-13  # the share of a variance that rounding leaves where nothing is left


def as_dataset_table(
    scores: ArrayLike, *, greater_is_better: bool, allow_missing: bool = False
) -> FloatArray:
    """Check a table of scores (data sets, models) with at least two models."""
    table = as_scores(
        scores,
        "scores",
        ndim=2,
        unit="data sets",
        greater_is_better=greater_is_better,
        allow_missing=allow_missing,
    )
    check_models(table, "scores")
    return table


def quantise(values: FloatArray, scale: float, decimals: Decimals | None) -> FloatArray:
    """Round to `decimals`, if given, and to 12 digits counted from the size of the scores."""
    if decimals is not None:
        values = np.round(values, decimals)
    if scale == 0:
        return np.zeros_like(values)
    unit = 10.0 ** min(math.ceil(math.log10(scale)), 308)
    return np.round(values / unit, _DIGITS) * unit + 0.0  # + 0.0: no negative zeros


def scale_of(*arrays: FloatArray) -> float:
    """Return the size of scores, ignoring missing cells: the largest that is no outlier."""
    # Of a model that diverged the scores can be so much larger than all others that these would be
    # rounded to ties: those beyond a million times the lower quartile do not count.
    sizes = np.abs(np.concatenate([np.ravel(a) for a in arrays]))
    top = float(np.fmax.reduce(sizes, initial=0.0))
    if 4 * np.count_nonzero(sizes * _OUTLIER < top) <= len(sizes):
        return top  # the lower quartile is near, which need not be found for every pair of models
    sizes = sizes[sizes > 0]
    clear = sizes[sizes >= _CLEAR]
    if clear.size == 0:
        clear = sizes
    low = np.quantile(clear, 0.25, method="lower")
    return float(sizes[sizes <= _OUTLIER * low].max())


def differences(a: FloatArray, b: FloatArray, decimals: Decimals | None) -> FloatArray:
    """Return a - b, with float noise removed so that zeros and ties are those of the decimals."""
    scale = scale_of(a, b)
    if decimals is not None:
        a = np.round(a, decimals)
        b = np.round(b, decimals)
    return quantise(a - b, scale, decimals)


def rank(values: FloatArray) -> tuple[FloatArray, NDArray[np.int64]]:
    """Return ascending mid-ranks of a vector, and the sizes of its groups of equal values."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    return middle[inverse], counts.astype(np.int64)


def rows_below(positive: BoolArray, scores: FloatArray) -> FloatArray:
    """Count for each row those of the other class with a lower score, and half of equal ones."""
    order = np.argsort(scores)
    ordered = scores[order]
    is_positive = positive[order]
    positives = np.cumsum(is_positive, dtype=np.intp)  # up to each row
    negatives = np.arange(1, len(is_positive) + 1) - positives
    differ = ordered[1:] != ordered[:-1]
    if differ.all():
        counted = np.where(is_positive, negatives, positives)
    else:
        last = np.flatnonzero(np.append(differ, True))
        group = np.concatenate(([0], np.cumsum(differ)))
        # up to the end of each group of equal scores, half of the group's own counted
        ends = np.stack([negatives[last], positives[last]])
        middle = ends - np.diff(ends, prepend=0) / 2
        counted = np.where(is_positive, middle[0, group], middle[1, group])
    below = np.empty(len(order))
    below[order] = counted
    return below


def rank_rows(table: FloatArray, decimals: Decimals | None) -> FloatArray:
    """Rank the models on every data set, 1 = best, ties sharing their mean; NaN where none is."""
    ranks = np.full(table.shape, np.nan)
    for row, row_ranks in zip(table, ranks, strict=True):
        present = ~np.isnan(row)
        values = row[present]
        ascending, _ = rank(-quantise(values, scale_of(values), decimals))
        row_ranks[present] = ascending
    return ranks


def tie_sum(counts: NDArray[np.int64]) -> float:
    """Return the sum of t³ - t over the groups of t equal values."""
    t = counts.astype(np.float64)
    return float((t * t * t - t).sum())


def arrangement_count(row: NDArray[np.int64]) -> int:
    """Count the distinct permutations of a row."""
    _, counts = np.unique(row, return_counts=True)
    return math.factorial(len(row)) // math.prod(math.factorial(int(c)) for c in counts)


@lru_cache(maxsize=64)
def _arrangements(row: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the distinct permutations of an ascending row, one a row."""
    n = len(row)
    often = row.count(row[0])
    if often == n:
        return np.full((1, n), row[0], dtype=np.int64)
    others = _arrangements(row[often:])
    # every choice of columns for the numbers other than the smallest, in every order of these
    columns = np.array(list(combinations(range(n), n - often)))[:, None, :]
    arranged = np.full((len(columns), len(others), n), row[0], dtype=np.int64)
    np.put_along_axis(arranged, np.repeat(columns, len(others), axis=1), others[None], axis=2)
    return arranged.reshape(-1, n)


def permutation_pvalue(rows: NDArray[np.int64], observed: int, budget: int) -> float | None:
    """P(Σ of squared column sums ≥ observed) over all orders of rows, None beyond so many sums."""
    # `states` are the sums of the columns that orders of the rows so far can give, in ascending
    # order, since a permutation of the columns changes nothing
    states = np.sort(rows[:1], axis=1)
    probability = np.ones(1)
    for row in rows[1:]:
        budget -= len(states) * arrangement_count(row)
        if budget < 0:
            return None
        orders = _arrangements(tuple(np.sort(row).tolist()))
        sums = np.sort((states[:, None, :] + orders).reshape(-1, rows.shape[1]), axis=1)
        weight = np.repeat(probability / len(orders), len(orders))
        # add up the weights of equal rows
        order = np.lexsort(sums.T)
        sums = sums[order]
        first = np.append(True, (sums[1:] != sums[:-1]).any(axis=1))
        states = sums[first]
        probability = np.add.reduceat(weight[order], np.flatnonzero(first))
    return min(1.0, float(probability[(states**2).sum(axis=1) >= observed].sum()))


def gram(rows: FloatArray) -> FloatArray:
    """Return XᵀX of rows X, shape (n, K), as an array of shape (K, K)."""
    n, k = rows.shape
    total = np.zeros((k, k))
    for start in range(0, n, _BLOCK):
        columns = np.ascontiguousarray(rows[start : start + _BLOCK].T)
        for i in range(k):
            total[i, i:] += (columns[i] * columns[i:]).sum(axis=1)
    return np.asarray(np.triu(total) + np.triu(total, 1).T)


def helmert(rows: FloatArray) -> FloatArray:
    """Return orthonormal contrasts of the columns: rows of shape (n, M) give (n, M − 1)."""
    i = np.arange(1, rows.shape[1])
    before = np.cumsum(rows, axis=1)[:, :-1]
    return np.asarray((before - i * rows[:, 1:]) / np.sqrt(i * (i + 1)))


def root(covariance: FloatArray, smallest: float = 0.0) -> FloatArray:
    """Return a lower triangular L with LLᵀ = V, also of a singular V, shape (K, K)."""
    # Cholesky's, where a column without a variance that is left gets none
    left = np.array(covariance, dtype=np.float64)
    lower = np.zeros_like(left)
    for k in range(len(left)):
        pivot = left[k, k]
        if pivot <= max(_DEPENDENT * covariance[k, k], smallest):
            continue
        lower[k:, k] = left[k:, k] / math.sqrt(pivot)
        left[k:, k:] -= np.multiply.outer(lower[k:, k], lower[k:, k])
    return lower


def times_root(normal: NDArray[np.float32], lower: FloatArray) -> NDArray[np.float32]:
    """Turn independent draws, shape (K, B), into L times them, in their place."""
    factors = lower.astype(np.float32)
    # a row needs itself and those before it
    for i in range(len(factors) - 1, -1, -1):
        normal[i] *= factors[i, i]
        for k in np.flatnonzero(factors[i, :i]):
            normal[i] += factors[i, k] * normal[k]
    return normal

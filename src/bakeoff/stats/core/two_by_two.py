"""The counts of right and wrong rows of two models: McNemar's p-values and limits of differences.

a rows are right for both models, b only for A, c only for B, d for neither; n_d = b + c. Given n_d,
b is Bin(n_d, 1/2) under the null. Every p-value is 1 where there are no discordant pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.checks import (
    ArgumentError,
    BoolArray,
    FloatArray,
    as_correctness,
    as_counts,
    check_models,
)
from bakeoff.stats.core.distributions import bisect, lower_tail, upper_tail, wilson
from bakeoff.stats.core.result import Alternative

_CELLS = 1 << 20  # values of one block of rows


def as_matrix(
    correct: ArrayLike, row_counts: ArrayLike | None
) -> tuple[BoolArray, FloatArray | None]:
    """Check a rows × models matrix, and how often each row occurs (None: once)."""
    matrix = as_correctness(correct, "correct", ndim=2)
    check_models(matrix, "correct")
    if row_counts is None:
        return matrix, None
    counts = as_counts(row_counts, "row_counts")
    if counts.shape != (len(matrix),):
        raise ArgumentError(
            "row_counts",
            f"found shape {counts.shape}, needs one count for each of the "
            f"{len(matrix)} rows of correct",
        )
    if not counts.any():
        raise ArgumentError("row_counts", "are all 0, there are no rows")
    return matrix, counts


def column_totals(matrix: BoolArray, counts: FloatArray | None) -> FloatArray:
    """Return how many rows each model has right."""
    if counts is None:
        return np.asarray(matrix.sum(axis=0, dtype=np.int64), dtype=np.float64)
    return np.asarray(sum(counts[rows] @ matrix[rows] for rows in _blocks(matrix)))


def both_correct(matrix: BoolArray, counts: FloatArray | None) -> FloatArray:
    """Return the (models, models) numbers of rows that both of a pair have right, exactly."""
    models = matrix.shape[1]
    total = np.zeros((models, models))
    for rows in _blocks(matrix):
        if counts is not None:
            right = matrix[rows].astype(np.float64)
            total += (right * counts[rows, None]).T @ right
            continue
        # one bit a row: ten times as fast as a product of matrices
        packed = np.packbits(matrix[rows], axis=0).T
        words = np.zeros((models, -(-packed.shape[1] // 8)), dtype=np.uint64)
        words.view(np.uint8)[:, : packed.shape[1]] = packed
        for i in range(models):
            total[i] += np.bitwise_count(words[i] & words).sum(axis=1, dtype=np.int64)
    return total


def _blocks(matrix: BoolArray) -> Iterator[slice]:
    rows = max(1, _CELLS // matrix.shape[1])
    for start in range(0, len(matrix), rows):
        yield slice(start, start + rows)


Variant = Literal["midp", "exact", "asymptotic", "corrected"]
VARIANTS: tuple[str, ...] = get_args(Variant)
SOURCES = {
    "midp": "fagerland2013",
    "exact": "fagerland2013",
    "asymptotic": "mcnemar1947",
    "corrected": "edwards1948",
}


def pvalue(variant: str, b: ArrayLike, c: ArrayLike, alternative: Alternative) -> FloatArray:
    """P-values of the named variant (one of `VARIANTS`); 1 where two-sided counts are equal."""
    b, c = np.asarray(b, dtype=np.float64), np.asarray(c, dtype=np.float64)
    n, two_sided = b + c, alternative == "two-sided"

    def beyond(more: int) -> FloatArray:
        """Exact probability of counts as extreme as the observed ones, or by so many more."""
        if two_sided:
            return np.minimum(1.0, 2 * lower_tail(np.minimum(b, c) - more, n, 0.5))
        if alternative == "greater":
            return upper_tail(b + more, n, 0.5)
        return lower_tail(b - more, n, 0.5)

    if variant == "exact":
        p = beyond(0)
    elif variant == "midp":  # the exact one less half the probability of what was observed
        # the text of Fagerland et al. (2013) has 1 − P(X = m)/2 for a tie; here a tie has 1
        p = (beyond(0) + beyond(1)) / 2
    else:
        z = signed_root(b, c, corrected=variant == "corrected")
        p = 2 * special.ndtr(-np.abs(z)) if two_sided else special.ndtr(z)
        p = special.ndtr(-z) if alternative == "greater" else p
    return np.where((n == 0) | (two_sided & (b == c)), 1.0, p)


def statistic(variant: str, b: ArrayLike, c: ArrayLike, alternative: Alternative) -> FloatArray:
    """Count b (exact variants), χ² (asymptotic, two-sided) or its signed root (one-sided)."""
    if variant in ("midp", "exact"):
        return np.asarray(b, dtype=np.float64)
    root = signed_root(b, c, corrected=variant == "corrected")
    return np.square(root) if alternative == "two-sided" else root


def signed_root(b: ArrayLike, c: ArrayLike, *, corrected: bool = False) -> FloatArray:
    """(b − c)/√n_d, with |b − c| lowered by 1 (to 0 at least) if corrected; 0 if n_d = 0."""
    b, c = np.asarray(b, dtype=np.float64), np.asarray(c, dtype=np.float64)
    distance = np.maximum(np.abs(b - c) - corrected, 0.0)
    return np.asarray(np.sign(b - c) * distance / np.sqrt(np.maximum(b + c, 1.0)))


def tango_statistic(
    only_a_correct: ArrayLike, only_b_correct: ArrayLike, n: ArrayLike, difference: ArrayLike
) -> FloatArray:
    """Score statistic of H0: acc_A − acc_B = `difference` (Tango 1998, eq. 6 and 7)."""
    b, c, n, delta = (
        np.asarray(v, dtype=np.float64) for v in (only_a_correct, only_b_correct, n, difference)
    )
    linear = (2 * n - b + c) * delta - b - c
    constant = -c * delta * (1 - delta)
    root = np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # the second form avoids cancellation when linear > 0
        only_b = np.where(linear > 0, -2 * constant / (linear + root), (root - linear) / (4 * n))
        variance = n * (2 * only_b + delta * (1 - delta))
        surplus = b - c - n * delta
        return np.where(surplus == 0, 0.0, surplus / np.sqrt(np.maximum(variance, 0.0)))


def _newcombe(a: float, b: float, c: float, d: float, tail: float) -> float:
    n = a + b + c + d
    low, high = wilson([a + b, a + c], n, tail)
    # the correlation of the two columns, shrunk when positive (Newcombe 1998)
    cross = a * d - b * c
    cross = max(cross - n / 2, 0.0) if cross > 0 else cross
    spread = math.sqrt((a + b) * (c + d)) * math.sqrt((a + c) * (b + d))
    phi = cross / spread if spread else 0.0
    below, above = (a + b) / n - float(low[0]), float(high[1]) - (a + c) / n
    return (b - c) / n - math.sqrt(max(below**2 - 2 * phi * below * above + above**2, 0.0))


def _tango(a: float, b: float, c: float, d: float, tail: float) -> float:
    n, z = a + b + c + d, -special.ndtri(tail)
    if c == n:
        return -1.0
    ends = np.array(-1.0), np.array((b - c) / n)
    return float(bisect(lambda x: z - tango_statistic(b, c, n, x), *ends))


def _melded(a: float, b: float, c: float, d: float, tail: float) -> float:
    """Value that the melded variable T (2B − 1) stays below with probability `tail`."""
    # B ~ Beta(b, c + 1) is the lower confidence distribution of the split, T the lower one of
    # the discordance, Beta(m, n − m + 1), for positive values and the upper one,
    # Beta(m + 1, n − m), for negative values (Fay & Lumbard 2021, section 3).
    n, m = a + b + c + d, b + c
    if c == n:
        return -1.0
    if b == 0:  # B is 0: minus the upper limit of the discordance
        return -float(special.betainccinv(m + 1, n - m, tail))
    positive = special.betainc(b, c + 1, 0.5) <= tail  # the exact one-sided test rejects
    alpha, beta = (m, n - m + 1) if positive else (m + 1, n - m)

    def excess(delta: FloatArray) -> FloatArray:
        return np.asarray(_melded_cdf(float(delta), b, c, alpha, beta) - tail)

    low, high = (0.0, 1.0) if positive else (-1.0, 0.0)
    return float(bisect(excess, np.asarray(low), np.asarray(high)))


def _melded_cdf(delta: float, b: float, c: float, alpha: float, beta: float) -> float:
    """P(T (2B − 1) ≤ delta), T ~ Beta(alpha, beta), by Gauss-Legendre quadrature over T."""
    size = abs(delta)
    if beta == 0:  # every row is discordant: T is 1
        return float(special.betainc(b, c + 1, (1 + delta) / 2))
    below = float(special.betainc(alpha, beta, size)) if delta > 0 else 0.0
    start = max(float(special.betaincinv(alpha, beta, 1e-17)), size)
    stop = float(special.betainccinv(alpha, beta, 1e-17))
    if start >= stop:
        return below
    t = start + (stop - start) * (_NODES + 1) / 2
    log_density = special.xlogy(alpha - 1, t) + special.xlog1py(beta - 1, -t)
    density = np.exp(np.asarray(log_density - special.betaln(alpha, beta)))
    split = special.betainc(b, c + 1, (1 + delta / t) / 2)
    return below + float((_WEIGHTS * density * split).sum()) * (stop - start) / 2


_NODES, _WEIGHTS = special.roots_legendre(160)

DifferenceMethod = Literal["newcombe", "tango", "exact_melded"]
DIFFERENCE_METHODS: dict[str, Callable[..., float]] = {
    "newcombe": _newcombe,
    "tango": _tango,
    "exact_melded": _melded,
}
"""Functions of the four counts that give the lower limit of acc_A − acc_B."""


def difference_limits(
    method: str, counts: Iterable[float], tail: float, side: Alternative = "two-sided"
) -> tuple[float, float]:
    """Return limits of acc_A − acc_B in [−1, 1], of which `side` keeps one or both."""
    a, b, c, d = counts
    lower = DIFFERENCE_METHODS[method]
    low = -1.0 if side == "less" else min(max(lower(a, b, c, d, tail), -1.0), 1.0)
    return low, 1.0 if side == "greater" else min(max(-lower(a, c, b, d, tail), -1.0), 1.0)


def discordant_sizes(b: float, c: float) -> dict[str, float]:
    """Return Cohen's g, signed so that it favours A when positive, and the odds ratio b/c."""
    if not b + c:
        return {"cohens_g": math.nan, "odds_ratio": math.nan}
    return {"cohens_g": b / (b + c) - 0.5, "odds_ratio": b / c if c else math.inf}

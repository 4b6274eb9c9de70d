"""The counts of right and wrong rows of two models: McNemar's p-values and limits of differences.

a rows are right for both models, b only for A, c only for B, d for neither; n = a + b + c + d and
n_d = b + c. Given n_d, b is Bin(n_d, 1/2) under the null. Every p-value is 1 where there are no
discordant pairs.
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

Variant = Literal["midp", "exact", "asymptotic", "corrected"]
VARIANTS: tuple[str, ...] = get_args(Variant)
SOURCES = {
    "midp": "fagerland2013",
    "exact": "fagerland2013",
    "asymptotic": "mcnemar1947",
    "corrected": "edwards1948",
}
DifferenceMethod = Literal["newcombe", "tango", "exact_melded"]

_BLOCK_SIZE = 1 << 20  # values of one block of rows
_NODES, _WEIGHTS = special.roots_legendre(160)  # Gauss-Legendre quadrature on [−1, 1]
_OUTSIDE = 1e-17  # probability left out on each side of the interval of quadrature


# McNemar's test


def pvalue(variant: str, b: ArrayLike, c: ArrayLike, alternative: Alternative) -> FloatArray:
    """P-values of the named variant (one of `VARIANTS`); 1 where two-sided counts are equal."""
    b = np.asarray(b, dtype=np.float64)
    c = np.asarray(c, dtype=np.float64)
    # P(X ≥ b) (Fagerland et al. 2013, supplement, eq. 1)
    if variant == "exact":
        p = _binomial_tail(b, c, alternative)
    elif variant == "midp":
        # P(X ≥ b) − P(X = b)/2 = (P(X ≥ b) + P(X ≥ b + 1))/2 (eq. 2 there)
        as_extreme = _binomial_tail(b, c, alternative)
        more_extreme = _binomial_tail(b, c, alternative, further=1)
        p = (as_extreme + more_extreme) / 2
    else:
        p = _chi2_pvalue(b, c, alternative, corrected=variant == "corrected")
    undecided = b + c == 0
    if alternative == "two-sided":
        # Fagerland et al. (2013) give a tie a mid-p of 1 − P(X = b)/2; here a tie has 1
        undecided = b == c
    return np.where(undecided, 1.0, p)


def _binomial_tail(
    b: FloatArray, c: FloatArray, alternative: Alternative, further: int = 0
) -> FloatArray:
    """P(X as extreme as b, or further out by so many rows), X ~ Bin(n_d, 1/2)."""
    n_discordant = b + c
    if alternative == "greater":
        return upper_tail(b + further, n_discordant, 0.5)
    if alternative == "less":
        return lower_tail(b - further, n_discordant, 0.5)
    # the distribution is symmetric: twice the tail of the smaller count
    smaller = np.minimum(b, c)
    return np.minimum(1.0, 2 * lower_tail(smaller - further, n_discordant, 0.5))


def _chi2_pvalue(
    b: FloatArray, c: FloatArray, alternative: Alternative, *, corrected: bool
) -> FloatArray:
    """P-value of χ² with one degree of freedom, which is z², or of z on one side."""
    # McNemar (1947); corrected: Edwards (1948)
    z = signed_root(b, c, corrected=corrected)
    if alternative == "greater":
        return special.ndtr(-z)
    if alternative == "less":
        return special.ndtr(z)
    return 2 * special.ndtr(-np.abs(z))


def signed_root(b: ArrayLike, c: ArrayLike, *, corrected: bool = False) -> FloatArray:
    """(b − c)/√n_d, with |b − c| lowered by 1 (to 0 at least) if corrected; 0 if n_d = 0."""
    b = np.asarray(b, dtype=np.float64)
    c = np.asarray(c, dtype=np.float64)
    distance = np.abs(b - c)
    # a correction for continuity (Edwards 1948)
    if corrected:
        distance = np.maximum(distance - 1, 0.0)
    n_discordant = np.maximum(b + c, 1.0)  # without discordant pairs the distance is 0
    return np.asarray(np.sign(b - c) * distance / np.sqrt(n_discordant))


def discordant_sizes(b: float, c: float) -> dict[str, float]:
    """Return Cohen's g, signed so that it favours A when positive, and the odds ratio b/c."""
    if b + c == 0:
        return {"cohens_g": math.nan, "odds_ratio": math.nan}
    odds_ratio = math.inf
    if c > 0:
        odds_ratio = b / c
    return {"cohens_g": b / (b + c) - 0.5, "odds_ratio": odds_ratio}


# The score test of any difference


def tango_statistic(
    only_a_correct: ArrayLike, only_b_correct: ArrayLike, n: ArrayLike, difference: ArrayLike
) -> FloatArray:
    """Score statistic of H0: acc_A − acc_B = `difference` (Tango 1998, eq. 6 and 7)."""
    b = np.asarray(only_a_correct, dtype=np.float64)
    c = np.asarray(only_b_correct, dtype=np.float64)
    n = np.asarray(n, dtype=np.float64)
    delta = np.asarray(difference, dtype=np.float64)
    # q, the probability that only B is right, has its largest likelihood under H0 at the larger
    # root of 2n q² + linear q + constant = 0
    linear = (2 * n - b + c) * delta - b - c
    constant = -c * delta * (1 - delta)
    root = np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        usual = (root - linear) / (4 * n)
        conjugate = -2 * constant / (linear + root)  # the same, without cancellation
        q = np.where(linear > 0, conjugate, usual)
        # z = (b − c − n δ)/√(n (2q + δ(1 − δ)))
        variance = n * (2 * q + delta * (1 - delta))
        surplus = b - c - n * delta
        z = surplus / np.sqrt(np.maximum(variance, 0.0))
    return np.where(surplus == 0, 0.0, z)


# Limits of acc_A − acc_B


def difference_limits(
    method: str, counts: Iterable[float], tail: float, side: Alternative = "two-sided"
) -> tuple[float, float]:
    """Return limits of acc_A − acc_B in [−1, 1], of which `side` keeps one or both."""
    a, b, c, d = counts
    lower_limit = DIFFERENCE_METHODS[method]
    low = -1.0
    high = 1.0
    if side != "less":
        low = lower_limit(a, b, c, d, tail)
    # exchanging the models exchanges b with c, and the signs
    if side != "greater":
        high = -lower_limit(a, c, b, d, tail)
    return min(max(low, -1.0), 1.0), min(max(high, -1.0), 1.0)


def _newcombe(a: float, b: float, c: float, d: float, tail: float) -> float:
    """Square-and-add of the Wilson limits of both accuracies (Newcombe 1998, method 10)."""
    n = a + b + c + d
    accuracy_a = (a + b) / n
    accuracy_b = (a + c) / n
    low, high = wilson([a + b, a + c], n, tail)
    below_a = accuracy_a - float(low[0])
    above_b = float(high[1]) - accuracy_b
    phi = _shrunk_phi(a, b, c, d)
    squared = below_a**2 - 2 * phi * below_a * above_b + above_b**2
    return (b - c) / n - math.sqrt(max(squared, 0.0))


def _shrunk_phi(a: float, b: float, c: float, d: float) -> float:
    """Correlation of the two columns of right and wrong, shrunk when positive (Newcombe 1998)."""
    n = a + b + c + d
    cross = a * d - b * c
    if cross > 0:
        cross = max(cross - n / 2, 0.0)
    spread = math.sqrt((a + b) * (c + d)) * math.sqrt((a + c) * (b + d))
    if spread == 0:
        return 0.0
    return cross / spread


def _tango(a: float, b: float, c: float, d: float, tail: float) -> float:
    """Smallest difference that the score test does not reject (Tango 1998)."""
    n = a + b + c + d
    z = -special.ndtri(tail)
    if c == n:
        return -1.0

    def excess(delta: FloatArray) -> FloatArray:
        return np.asarray(z - tango_statistic(b, c, n, delta))

    lowest = np.array(-1.0)
    estimate = np.array((b - c) / n)
    return float(bisect(excess, lowest, estimate))


def _melded(a: float, b: float, c: float, d: float, tail: float) -> float:
    """Value that the melded variable T (2B − 1) stays below with probability `tail`."""
    # B ~ Beta(b, c + 1) is the lower confidence distribution of the split, T the lower one of
    # the discordance, Beta(n_d, n − n_d + 1), for positive values and the upper one,
    # Beta(n_d + 1, n − n_d), for negative values (Fay & Lumbard 2021, section 3).
    n = a + b + c + d
    n_discordant = b + c
    n_concordant = n - n_discordant
    if c == n:
        return -1.0
    # B is 0: minus the upper limit of the discordance
    if b == 0:
        return -float(special.betainccinv(n_discordant + 1, n_concordant, tail))
    one_sided_exact_pvalue = special.betainc(b, c + 1, 0.5)
    # the test rejects: the limit is positive
    if one_sided_exact_pvalue <= tail:
        low = 0.0
        alpha = n_discordant
        beta = n_concordant + 1
    else:
        low = -1.0
        alpha = n_discordant + 1
        beta = n_concordant

    def excess(delta: FloatArray) -> FloatArray:
        return np.asarray(_melded_cdf(float(delta), b, c, alpha, beta) - tail)

    return float(bisect(excess, np.asarray(low), np.asarray(low + 1)))


def _melded_cdf(delta: float, b: float, c: float, alpha: float, beta: float) -> float:
    """P(T (2B − 1) ≤ delta), T ~ Beta(alpha, beta), by Gauss-Legendre quadrature over T."""
    # = P(T ≤ delta) + ∫ f(t) P(B ≤ (1 + delta/t)/2) dt over t ≥ |delta|
    if beta == 0:  # every row is discordant: T is 1
        return float(special.betainc(b, c + 1, (1 + delta) / 2))
    below = 0.0
    if delta > 0:
        below = float(special.betainc(alpha, beta, delta))
    start = max(float(special.betaincinv(alpha, beta, _OUTSIDE)), abs(delta))
    stop = float(special.betainccinv(alpha, beta, _OUTSIDE))
    if start >= stop:
        return below
    t = start + (stop - start) * (_NODES + 1) / 2
    log_kernel = special.xlogy(alpha - 1, t) + special.xlog1py(beta - 1, -t)
    density = np.exp(np.asarray(log_kernel - special.betaln(alpha, beta)))
    split = special.betainc(b, c + 1, (1 + delta / t) / 2)
    return below + float((_WEIGHTS * density * split).sum()) * (stop - start) / 2


DIFFERENCE_METHODS: dict[str, Callable[..., float]] = {
    "newcombe": _newcombe,
    "tango": _tango,
    "exact_melded": _melded,
}
"""Functions of the four counts that give the lower limit of acc_A − acc_B."""


# The counts of many models


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
    total = np.zeros(matrix.shape[1])
    for rows in _blocks(matrix):
        total += counts[rows] @ matrix[rows]
    return total


def both_correct(matrix: BoolArray, counts: FloatArray | None) -> FloatArray:
    """Return the (models, models) numbers of rows that both of a pair have right, exactly."""
    models = matrix.shape[1]
    total = np.zeros((models, models))
    for rows in _blocks(matrix):
        if counts is None:
            total += _both_bits(matrix[rows])
        else:
            right = matrix[rows].astype(np.float64)
            total += (right * counts[rows, None]).T @ right
    return total


def _both_bits(block: BoolArray) -> FloatArray:
    """Count rows that both have right on one bit a row: ten times as fast as a matrix product."""
    models = block.shape[1]
    packed = np.packbits(block, axis=0).T
    n_bytes = packed.shape[1]
    words = np.zeros((models, math.ceil(n_bytes / 8)), dtype=np.uint64)
    words.view(np.uint8)[:, :n_bytes] = packed
    total = np.zeros((models, models))
    for i in range(models):
        total[i] = np.bitwise_count(words[i] & words).sum(axis=1, dtype=np.int64)
    return total


def _blocks(matrix: BoolArray) -> Iterator[slice]:
    rows = max(1, _BLOCK_SIZE // matrix.shape[1])
    for start in range(0, len(matrix), rows):
        yield slice(start, start + rows)

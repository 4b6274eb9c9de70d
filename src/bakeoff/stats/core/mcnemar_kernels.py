"""McNemar's test on arrays of discordant counts: statistics and p-values, one per pair.

b counts the rows where only A is right, c those where only B is; n_d = b + c. Given n_d, b is
Bin(n_d, 1/2) under the null. Every p-value is 1 where there are no discordant pairs.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arithmetic import exp, log
from bakeoff.stats.core.binomial import lower_tail, upper_tail
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import Alternative

Variant = Literal["midp", "exact", "asymptotic", "corrected"]
VARIANTS: tuple[str, ...] = get_args(Variant)
SOURCES = {
    "midp": "fagerland2013",
    "exact": "fagerland2013",
    "asymptotic": "mcnemar1947",
    "corrected": "edwards1948",
}


def pvalue(variant: str, b: ArrayLike, c: ArrayLike, alternative: Alternative) -> FloatArray:
    """P-values of the named variant (one of `VARIANTS`)."""
    if variant == "midp":
        return midp_pvalue(b, c, alternative)
    if variant == "exact":
        return exact_pvalue(b, c, alternative)
    return chi_square_pvalue(b, c, alternative, corrected=variant == "corrected")


def statistic(variant: str, b: ArrayLike, c: ArrayLike, alternative: Alternative) -> FloatArray:
    """Count b (exact variants), χ² (asymptotic, two-sided) or its signed root (one-sided)."""
    if variant in ("midp", "exact"):
        return np.asarray(b, dtype=np.float64)
    root = signed_root(b, c, corrected=variant == "corrected")
    return np.square(root) if alternative == "two-sided" else root


def exact_pvalue(b: ArrayLike, c: ArrayLike, alternative: Alternative) -> FloatArray:
    """Exact conditional p-values: P(X ≥ b), P(X ≤ b), or min(1, 2 P(X ≤ min(b, c)))."""
    b, c = _counts(b, c)
    n = b + c
    if alternative == "greater":
        return upper_tail(b, n, 0.5)
    if alternative == "less":
        return lower_tail(b, n, 0.5)
    return np.minimum(1.0, 2 * lower_tail(np.minimum(b, c), n, 0.5))


def midp_pvalue(b: ArrayLike, c: ArrayLike, alternative: Alternative) -> FloatArray:
    """Mid-p values: the exact ones less half the probability of what was observed."""
    # Two-sided: 2 P(X ≤ m) − P(X = m) with m = min(b, c), and 1 when b = c (Fagerland et al. 2013,
    # whose text has 1 − P(X = m) / 2 there; 1 keeps the p of a tie at its natural value).
    b, c = _counts(b, c)
    n = b + c
    observed = half_pmf(b, n)
    if alternative == "greater":
        p = upper_tail(b, n, 0.5) - observed / 2
    elif alternative == "less":
        p = lower_tail(b, n, 0.5) - observed / 2
    else:
        p = 2 * lower_tail(np.minimum(b, c), n, 0.5) - observed
        p = np.where(b == c, 1.0, p)
    return np.where(n == 0, 1.0, np.clip(p, 0.0, 1.0))


def signed_root(b: ArrayLike, c: ArrayLike, *, corrected: bool = False) -> FloatArray:
    """(b − c)/√n_d, with |b − c| lowered by 1 (to 0 at least) if corrected; 0 if n_d = 0."""
    b, c = _counts(b, c)
    distance = np.maximum(np.abs(b - c) - corrected, 0.0)
    root: FloatArray = np.sign(b - c) * distance / np.sqrt(np.maximum(b + c, 1.0))
    return root


def chi_square_pvalue(
    b: ArrayLike, c: ArrayLike, alternative: Alternative, *, corrected: bool = False
) -> FloatArray:
    """Asymptotic p-values: the normal tail(s) beyond the signed root; χ²(1) if two-sided."""
    b, c = _counts(b, c)
    z = signed_root(b, c, corrected=corrected)
    if alternative == "two-sided":
        p = 2 * special.ndtr(-np.abs(z))
    else:
        p = special.ndtr(-z if alternative == "greater" else z)
    return np.where(b + c == 0, 1.0, p)


def half_pmf(k: ArrayLike, n: ArrayLike) -> FloatArray:
    """P(X = k) for X ~ Bin(n, ½), to full precision for any n."""
    # Loader's saddle-point form (Loader 2000, Fast and accurate computation of binomial
    # probabilities): √(n / (2π k (n−k))) exp(δ(n) − δ(k) − δ(n−k) − D), where δ is the error of
    # Stirling's formula and D, for p = ½, is n/2 (log1p(−u²) + 2u artanh u) with u = (2k − n)/n.
    k, n = (np.asarray(v, dtype=np.float64) for v in (k, n))
    k = np.minimum(k, n - k)  # swapping A and B changes no bit
    inner = (k > 0) & (k < n)
    size, x = np.where(inner, n, 2.0), np.where(inner, k, 1.0)
    y = size - x
    u = (x - y) / size
    deviance = size / 2 * (special.log1p(-u * u) + u * special.log1p(2 * u / (1 - u)))
    stirling = _stirling_error(size) - _stirling_error(x) - _stirling_error(y)
    pmf = np.sqrt(size / (2 * np.pi * x * y)) * exp(stirling - deviance)
    value: FloatArray = np.where(inner, pmf, special.exp2(-n))
    return value


_STIRLING_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)


def _stirling_error(n: FloatArray) -> FloatArray:
    """Log n! − log(√(2πn) (n/e)^n), for whole n ≥ 1."""
    series = np.polynomial.polynomial.polyval(1 / np.square(n), _STIRLING_SERIES) / n
    small = np.minimum(n, 16.0)
    direct = special.gammaln(small + 1) - (small + 0.5) * log(small) + small
    error: FloatArray = np.where(n > 15, series, direct - math.log(2 * math.pi) / 2)
    return error


def _counts(b: ArrayLike, c: ArrayLike) -> tuple[FloatArray, FloatArray]:
    return np.asarray(b, dtype=np.float64), np.asarray(c, dtype=np.float64)

"""P-values, tails and limits: normal, Student, binomial and studentized range."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import Alternative

_STEP = 0.05  # of the trapezoidal rule for the studentized range
_REACH = 9.0  # beyond so many standard deviations the normal density is nothing
_HALVINGS = 70  # of an interval, down to the last bits of a double


def t_pvalue(t: float, df: float, alternative: Alternative) -> float:
    """Return the p-value of a Student t statistic, or with infinite df of a normal one."""
    if alternative == "two-sided":
        return min(2 * float(special.stdtr(df, -abs(t))), 1.0)  # NaN stays NaN
    if alternative == "greater":
        t = -t
    return float(special.stdtr(df, t))


def welch_f(estimates: FloatArray, ses: FloatArray, dfs: FloatArray) -> dict[str, float]:
    """Test estimates with unequal precision by Welch's F."""
    # w = 1/se², d̃ = Σwd/Σw, Λ = Σ(1 − w/Σw)²/ν;
    # F = Σw(d − d̃)²/(S − 1)/(1 + 2(S − 2)Λ/(S² − 1)) on S − 1 and (S² − 1)/(3Λ) degrees of
    # freedom (Welch 1951)
    s = len(estimates)
    w = 1 / ses**2
    centre = float(w @ estimates) / float(w.sum())
    uncertainty = float(((1 - w / w.sum()) ** 2 / dfs).sum())
    between = float(w @ ((estimates - centre) ** 2)) / (s - 1)
    f = between / (1 + 2 * (s - 2) * uncertainty / (s**2 - 1))
    df1 = s - 1.0
    df2 = (s**2 - 1) / (3 * uncertainty)
    return {"statistic": f, "df1": df1, "df2": df2, "pvalue": float(special.fdtrc(df1, df2, f))}


def upper_tail(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> FloatArray:
    """P(X ≥ k) for X ~ Bin(n, p); 1 for k ≤ 0, 0 for k > n."""
    k = np.asarray(k, dtype=np.float64)
    n = np.asarray(n, dtype=np.float64)
    p = np.asarray(p, dtype=np.float64)
    # P(X ≥ k) = I_p(k, n − k + 1), the regularised incomplete beta function
    inside = (k > 0) & (k <= n)
    a = np.where(inside, k, 1.0)
    b = np.where(inside, n - k + 1, 1.0)
    return np.where(inside, special.betainc(a, b, p), np.where(k <= 0, 1.0, 0.0))


def lower_tail(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> FloatArray:
    """P(X ≤ k) for X ~ Bin(n, p); 0 for k < 0, 1 for k ≥ n."""
    k = np.asarray(k, dtype=np.float64)
    n = np.asarray(n, dtype=np.float64)
    p = np.asarray(p, dtype=np.float64)
    # P(X ≤ k) = 1 − I_p(k + 1, n − k)
    inside = (k >= 0) & (k < n)
    a = np.where(inside, k + 1, 1.0)
    b = np.where(inside, n - k, 1.0)
    return np.where(inside, special.betaincc(a, b, p), np.where(k < 0, 0.0, 1.0))


def log_pmf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> FloatArray:
    """Log P(X = k) for X ~ Bin(n, p) and 0 ≤ k ≤ n."""
    k = np.asarray(k, dtype=np.float64)
    n = np.asarray(n, dtype=np.float64)
    p = np.asarray(p, dtype=np.float64)
    log_choose = -special.betaln(k + 1, n - k + 1) - special.log1p(n)
    return np.asarray(log_choose + special.xlogy(k, p) + special.xlog1py(n - k, -p))


def binomial_pvalue(x: int, n: int, p0: float, side: Alternative) -> float:
    """Exact p-value; two-sided it sums every outcome that is at most as likely as x."""
    if side == "greater":
        return float(upper_tail(x, n, p0))
    if side == "less":
        return float(lower_tail(x, n, p0))
    if x > n * p0:
        x = n - x
        p0 = 1 - p0
    # beyond the mean the probabilities fall: bisect for the first outcome as rare as x
    limit = float(log_pmf(x, n, p0)) + 1e-7

    def is_rare(y: int) -> bool:
        return float(log_pmf(y, n, p0)) <= limit

    rare = bisect_left(range(n + 1), True, math.ceil(n * p0), key=is_rare)
    return min(1.0, float(lower_tail(x, n, p0) + upper_tail(max(rare, x + 1), n, p0)))


def tail_probability(confidence_level: float, alternative: Alternative) -> float:
    """Return what an interval leaves out beyond each limit it has."""
    if alternative == "two-sided":
        return (1 - confidence_level) / 2
    return 1 - confidence_level


def clopper_pearson(x: ArrayLike, n: ArrayLike, tail: float) -> tuple[FloatArray, FloatArray]:
    """Exact limits for a proportion (Clopper & Pearson 1934); (0, 1) for n = 0."""
    x = np.asarray(x, dtype=np.float64)
    n = np.asarray(n, dtype=np.float64)
    misses = n - x
    low = np.where(x > 0, special.betaincinv(np.maximum(x, 1), misses + 1, tail), 0.0)
    high = np.where(misses > 0, special.betainccinv(x + 1, np.maximum(misses, 1), tail), 1.0)
    return low, high


def wilson(x: ArrayLike, n: ArrayLike, tail: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """Score limits for a proportion (Wilson 1927); (0, 1) for n = 0."""
    x = np.asarray(x, dtype=np.float64)
    n = np.asarray(n, dtype=np.float64)
    # (x + z²/2 ± z √(x(n − x)/n + z²/4))/(n + z²)
    z = -special.ndtri(tail)
    size = np.maximum(n, 1)
    centre = (x + z**2 / 2) / (size + z**2)
    half = z * np.sqrt(x * (n - x) / size + z**2 / 4) / (size + z**2)
    low = np.where(x > 0, np.maximum(centre - half, 0.0), 0.0)
    high = np.where(x < n, np.minimum(centre + half, 1.0), 1.0)
    return low, high


def midp_lower(x: ArrayLike, n: ArrayLike, tail: float) -> FloatArray:
    """Lower mid-p limit: the p at which P(X > x) + ½ P(X = x) is `tail`; 0 for x = 0."""
    x = np.asarray(x, dtype=np.float64)
    n = np.asarray(n, dtype=np.float64)
    low, _ = clopper_pearson(x, n, tail)  # P(X ≥ x) is `tail` there, so the mid-p is less

    def excess(p: FloatArray) -> FloatArray:
        return (upper_tail(x, n, p) + upper_tail(x + 1, n, p)) / 2 - tail

    return np.where(x > 0, bisect(excess, low, np.ones_like(low)), 0.0)


def bisect(
    function: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Root of an increasing function in every [low, high], to the last bits of a double."""
    low = np.array(low, dtype=np.float64)
    high = np.array(high, dtype=np.float64)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = function(middle) < 0
        low = np.where(below, middle, low)
        high = np.where(below, high, middle)
    return (low + high) / 2


def range_sf(q: ArrayLike, k: int) -> FloatArray:
    """P(range of k independent standard normals > q), accurate in the far tail."""
    # With z the largest of the k, P = k ∫ φ(z) {Φ(z)^(k−1) − [Φ(z) − Φ(z−q)]^(k−1)} dz. The
    # trapezoidal rule converges exponentially for such integrands.
    q = np.atleast_1d(np.asarray(q, dtype=np.float64))[:, None]
    top = _REACH + max(0.0, float(q.max()) / 2)
    z = _STEP * np.arange(round(-_REACH / _STEP), round(top / _STEP) + 1)
    inside = special.ndtr(z)
    power = k - 1
    with np.errstate(divide="ignore", under="ignore"):
        missed = special.log1p(-np.minimum(special.ndtr(z - q) / inside, 1.0))
        density = np.exp(power * special.log_ndtr(z) - z**2 / 2)
        integrand = density * -special.expm1(power * missed)
    return np.asarray(np.minimum(k * integrand.sum(axis=1) * _STEP / np.sqrt(2 * np.pi), 1.0))


def range_isf(p: float, k: int) -> float:
    """Return the q whose `range_sf` is p, by bisection."""
    high = np.ones(1)
    while range_sf(high, k)[0] > p:
        high = 2 * high
    low = high / 2 * (high > 1)

    def excess(q: FloatArray) -> FloatArray:
        return np.asarray(p - range_sf(q, k))

    return float(bisect(excess, low, high)[0])


def signed_sums(steps: NDArray[np.integer[Any]]) -> FloatArray:
    """P(sum = s) for s = 0, 1, ... when each step counts with probability ½."""
    probability = np.zeros(int(steps.sum()) + 1)
    reach = 0
    probability[0] = 1.0
    for step in steps.tolist():
        half = 0.5 * probability[: reach + 1]
        probability[: reach + 1] = half
        reach += step
        probability[step : reach + 1] += half
    return probability

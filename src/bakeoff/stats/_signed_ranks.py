"""The null distribution of signed rank sums, and the Walsh averages that belong to it."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats._binomial import tail_probability
from bakeoff.stats._checks import FloatArray
from bakeoff.stats._result import Alternative

_MAX_LISTED = 2000
"""Up to this many differences all Walsh averages are listed; beyond, their order statistics
are found by bisection."""


def exact_pvalue(ranks: FloatArray, w_plus: float, alternative: Alternative) -> float:
    """P-value of the sum of the positive ranks when every sign is a fair coin.

    Holds for ties as well: the distribution is that of these very ranks. Time and memory grow
    with the sum of the ranks, not with 2^n.

    Parameters
    ----------
    ranks : ndarray, shape (n,)
        Ranks of the non-zero differences, multiples of ½.
    w_plus : float
        The observed sum of those of the positive differences.
    alternative : str
        ``"greater"``: large sums.
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    unit = int(np.gcd.reduce(doubled))
    steps = doubled // unit
    observed = round(2 * w_plus) // unit
    # the distribution is symmetric: both tails are sums over the low end
    below = _signed_sum_distribution(steps, max(observed, int(steps.sum()) - observed))
    less = float(below[: observed + 1].sum())
    greater = float(below[: int(steps.sum()) - observed + 1].sum())
    if alternative == "two-sided":
        return min(1.0, 2 * min(less, greater))
    return min(1.0, greater if alternative == "greater" else less)


def _signed_sum_distribution(steps: NDArray[np.int64], highest: int) -> FloatArray:
    """P(sum of a random half of the steps = s) for s = 0..highest."""
    probability = np.zeros(highest + 1)
    probability[0] = 1.0
    reach = 0
    for step in np.sort(steps):
        reach = min(reach + int(step), highest)
        part = probability[: reach + 1]
        shifted = part[: max(reach + 1 - int(step), 0)].copy()
        part *= 0.5
        part[len(part) - len(shifted) :] += 0.5 * shifted
    return probability


def walsh_estimate(d: FloatArray) -> float:
    """Median of the Walsh averages (d_i + d_j)/2, i ≤ j: the Hodges-Lehmann estimate."""
    n = len(d) * (len(d) + 1) // 2
    low, high = (n + 1) // 2, n // 2 + 1
    values = _walsh_order_statistics(d, [low] if low == high else [low, high])
    return float(np.mean(values))


def walsh_interval(
    d: FloatArray, confidence: float, alternative: Alternative
) -> tuple[float, float]:
    """Interval for the pseudo-median that inverts the signed-rank test (Tukey).

    Infinite limits when even the widest interval of Walsh averages misses the level.
    """
    count = _lower_quantile(len(d), tail_probability(confidence, alternative))
    total = len(d) * (len(d) + 1) // 2
    low, high = -math.inf, math.inf
    if count > 0 and alternative in ("two-sided", "greater"):
        low = _walsh_order_statistics(d, [count])[0]
    if count > 0 and alternative in ("two-sided", "less"):
        high = _walsh_order_statistics(d, [total + 1 - count])[0]
    return low, high


@functools.lru_cache(maxsize=256)
def _lower_quantile(n: int, tail: float) -> int:
    """Return the largest c with P(T < c) ≤ tail for the signed-rank sum T of n, 0 if none."""
    mean, sd = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    if n > _MAX_LISTED // 4:
        return max(0, math.floor(mean + float(special.ndtri(tail)) * sd + 0.5))
    below = np.cumsum(_signed_sum_distribution(np.arange(1, n + 1), n * (n + 1) // 2))
    # a p-value that equals the level in decimal must not miss it by one bit
    return int(np.searchsorted(below, tail * (1 + 1e-12), side="right"))


def _walsh_order_statistics(d: FloatArray, positions: list[int]) -> list[float]:
    """Return the 1-based order statistics of the Walsh averages."""
    if len(d) <= _MAX_LISTED:
        i, j = np.triu_indices(len(d))
        averages = (d[i] + d[j]) / 2
        averages.partition([p - 1 for p in positions])
        return [float(averages[p - 1]) for p in positions]
    ordered = np.sort(d)
    return [_bisect_walsh(ordered, position) for position in positions]


def _bisect_walsh(ordered: FloatArray, position: int) -> float:
    low, high = float(ordered[0]), float(ordered[-1])
    for _ in range(100):
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        partners = np.searchsorted(ordered, 2 * middle - ordered, side="right")
        own = int((ordered <= middle).sum())
        if (int(partners.sum()) + own) // 2 >= position:
            high = middle
        else:
            low = middle
    return high

"""Signed ranks, the null distribution of their sums, and the Walsh averages that belong to it."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np
from scipy import special

from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.ranks import rank, tie_sum
from bakeoff.stats.core.result import Alternative

_MAX_LISTED = 2000
"""Up to this many differences all Walsh averages are listed; beyond, their order statistics
are found by bisection."""


@dataclasses.dataclass(frozen=True)
class SignedRanks:
    """The ranks of the absolute differences under one policy for zeros."""

    ranks: FloatArray  # of the non-zero differences
    positive: FloatArray  # 1 where A wins, else 0; same length
    from_zeros: float  # rank sum that the zeros give to each side
    mean: float
    variance: float

    @property
    def w_plus(self) -> float:
        """Rank sum in favour of A."""
        return inner(self.ranks, self.positive) + self.from_zeros

    @property
    def w_minus(self) -> float:
        """Rank sum in favour of B."""
        return inner(self.ranks, 1 - self.positive) + self.from_zeros

    @property
    def z(self) -> float:
        """Standardised W+, without continuity correction."""
        return (self.w_plus - self.mean) / math.sqrt(self.variance)

    def corrected_z(self, alternative: Alternative) -> float:
        """Return z with a continuity correction of ½ towards the null."""
        excess = self.w_plus - self.mean
        shift = {"two-sided": 0.5 * float(np.sign(excess)), "greater": 0.5, "less": -0.5}
        return (excess - shift[alternative]) / math.sqrt(self.variance)


def signed_ranks(d: FloatArray, zeros: str) -> SignedRanks:
    """Rank the absolute differences, with zeros as in `wilcoxon_signed_rank`."""
    if zeros == "wilcox":
        d = d[d != 0]
    ranks, counts = rank(np.abs(d))
    signed = d != 0
    zero_ranks = float(ranks[~signed].sum())
    n, n_zero = len(d), int((~signed).sum())
    variance = (n * (n + 1) * (2 * n + 1) - tie_sum(counts) / 2) / 24
    mean, from_zeros = n * (n + 1) / 4, zero_ranks / 2
    if zeros == "pratt":
        # a zero has no sign: its rank leaves the mean and the variance
        mean, from_zeros = mean - zero_ranks / 2, 0.0
        variance -= n_zero * (n_zero + 1) ** 2 / 16
    return SignedRanks(
        ranks=ranks[signed],
        positive=(d[signed] > 0).astype(np.float64),
        from_zeros=from_zeros,
        mean=mean,
        variance=variance,
    )


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
    below = _signed_sum_distribution(np.sort(steps).tobytes())
    less = float(below[: observed + 1].sum())
    greater = float(below[: int(steps.sum()) - observed + 1].sum())
    if alternative == "two-sided":
        return min(1.0, 2 * min(less, greater))
    return min(1.0, greater if alternative == "greater" else less)


@functools.lru_cache(maxsize=8)
def _signed_sum_distribution(sorted_steps: bytes) -> FloatArray:
    """P(sum = s) for s = 0, 1, ... when each step counts with probability ½.

    Kept for the next call: without ties all samples of one size have the same steps.
    """
    steps = np.frombuffer(sorted_steps, dtype=np.int64)
    probability = np.zeros(int(steps.sum()) + 1)
    probability[0] = 1.0
    reach = 0
    for step in steps.tolist():
        half = 0.5 * probability[: reach + 1]
        probability[: reach + 1] = half
        reach += step
        probability[step : reach + 1] += half
    probability.flags.writeable = False
    return probability


def hodges_lehmann(
    d: FloatArray, confidence: float, alternative: Alternative
) -> tuple[float, float, float]:
    """Return the Hodges-Lehmann estimate and the interval that inverts the signed-rank test.

    The estimate is the median of the Walsh averages (d_i + d_j)/2, i ≤ j; the limits are two of
    them (Tukey), infinite when even the widest such interval misses the level.
    """
    total = len(d) * (len(d) + 1) // 2
    count = _lower_quantile(len(d), tail_probability(confidence, alternative))
    outer = [max(count, 1), min(total + 1 - count, total)]
    low, left, right, high = _walsh_order_statistics(
        d, [outer[0], (total + 1) // 2, total // 2 + 1, outer[1]]
    )
    if count == 0 or alternative == "less":
        low = -math.inf
    if count == 0 or alternative == "greater":
        high = math.inf
    return (left + right) / 2, low, high


@functools.lru_cache(maxsize=256)
def _lower_quantile(n: int, tail: float) -> int:
    """Return the largest c with P(T < c) ≤ tail for the signed-rank sum T of n, 0 if none."""
    mean, sd = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    if n > _MAX_LISTED // 4:
        return max(0, math.floor(mean + float(special.ndtri(tail)) * sd + 0.5))
    below = np.cumsum(_signed_sum_distribution(np.arange(1, n + 1, dtype=np.int64).tobytes()))
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
    # the halves end beside an average, and a median of 0 must not be −3e-18
    places = np.searchsorted(ordered, 2 * high - ordered) + np.array([[-1], [0]])
    averages = (ordered + ordered[places.clip(0, len(ordered) - 1)]) / 2
    return float(averages.flat[np.abs(averages - high).argmin()])

"""Limits of a difference on rows in groups from the means of random subsets of the groups.

Whatever a group's share of the rows, the true difference falls between two neighbouring means of
the 2^K − 1 non-empty subsets of K groups with one probability, 2^−K, where group differences
are symmetric about it (Hartigan 1969, 10.1080/01621459.1969.10501057). So quantiles of these means
are limits that invert the sign-flip test, without a search.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.arithmetic import signed_sums
from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import Alternative, ConfidenceInterval
from bakeoff.stats.design.joint_flip import GroupSums, each_in_order

_ENUMERATED = 12
_MOST, _LEAST, _WORK = 4_999, 499, 1 << 25  # drawn subsets, each with its complement
_CELLS = 1 << 22  # numbers at work at a time
_SEED = 0
_OPEN = 1e-9
"""Where an interval ends that 0 is cut off from, as a share of the estimate."""
UNBOUNDED = (-math.inf, math.inf)
HULL = "subset_hull"
"""The method of an interval that was widened."""


def subset_limits(sums: FloatArray, weights: FloatArray, tail: float) -> tuple[FloatArray, ...]:
    """Return the lower and upper limits that leave `tail` on either side.

    Parameters
    ----------
    sums : ndarray, shape (K,) or (K, P)
        Sum over the rows of each group of what is averaged, for one or for P differences.
    weights : ndarray, shape (K,)
        Rows of each group, or whatever the sums are divided by.
    tail : float
        Probability beyond each limit. Where no subset reaches it, the limits are the smallest and
        the largest mean.
    """
    means = _means(*each_in_order(sums.reshape(len(sums), -1), weights))
    count = means.shape[1]
    at = max(0, math.floor(tail * (count + 1) - 0.5))
    ends = [at, count - 1 - at]
    low, high = np.partition(means, ends, axis=1)[:, ends].T
    return low.reshape(sums.shape[1:]), high.reshape(sums.shape[1:])


def _means(sums: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the means of subsets, shape (P, m), each with that of its complement."""
    both = np.column_stack([weights, sums])
    total = both.sum(axis=0)
    parts = []
    for chosen in _subsets(len(weights)):
        inside = signed_sums(chosen, both)
        inside = inside[(inside[:, 0] > 0) & (inside[:, 0] < total[0])]
        outside = total - inside
        parts += [(part[:, 1:] / part[:, :1]).T for part in (inside, outside)]
    parts.append((total[1:] / total[0])[:, None])
    return np.concatenate(parts, axis=1)


@lru_cache(
    maxsize=1
)  # all pairs of models share them; bytes, of which there are 33 million at most
def _subsets(groups: int) -> list[NDArray[np.uint8]]:
    """Return rows of 0 and 1 that choose groups: all without the last one, or a seeded draw."""
    if groups <= _ENUMERATED:
        numbers = np.arange(1, 1 << (groups - 1))[:, None]
        return [((numbers >> np.arange(groups)) & 1).astype(np.uint8)]
    draws = min(_MOST, max(_LEAST, _WORK // groups))
    rng, block = np.random.default_rng(_SEED), max(1, _CELLS // groups)
    found = []
    for start in range(0, draws, block):
        size = min(block, draws - start), -(-groups // 8)
        drawn = rng.integers(0, 256, size, dtype=np.uint8)
        found.append(np.unpackbits(drawn, axis=1, count=groups))
    return found


def hull(
    ci: ConfidenceInterval,
    limits: Iterable[FloatArray | float],
    side: Alternative,
    bounds: tuple[float, float] = UNBOUNDED,
) -> ConfidenceInterval:
    """Return the hull of an interval and of the limits from means of subsets, within `bounds`."""
    low, high = map(float, limits)
    return ConfidenceInterval(
        float(ci.low if side == "less" else max(min(ci.low, low), bounds[0])),
        float(ci.high if side == "greater" else min(max(ci.high, high), bounds[1])),
        ci.confidence,
        HULL,
    )


def agreeing(
    ci: ConfidenceInterval, pvalue: float, alpha: float, estimate: float, side: Alternative
) -> ConfidenceInterval:
    """Let an interval exclude 0 where p < α, and hold it where p ≥ α; as it is without a p."""
    low, high = ci
    if pvalue >= alpha:
        low, high = min(low, 0.0), max(high, 0.0)
    elif pvalue < alpha:
        upward = estimate > 0 if side == "two-sided" else side == "greater"
        if upward and low <= 0:
            low = _OPEN * abs(estimate)
        elif not upward and high >= 0:
            high = -_OPEN * abs(estimate)
    return ConfidenceInterval(low, high, ci.confidence, ci.method)


def widened(
    groups: GroupSums,
    ci: ConfidenceInterval,
    side: Alternative = "two-sided",
    bounds: tuple[float, float] = UNBOUNDED,
) -> ConfidenceInterval:
    """Return the hull of a t interval and of the limits from means of subsets of groups.

    The t interval of groups of which one dominates is too narrow, for its few degrees of freedom
    are those of normal group effects. It is left as it is where groups are many and alike.
    """
    if groups.many_alike:
        return ci
    limits = subset_limits(groups.sums, groups.shares, tail_probability(ci.confidence, side))
    return hull(ci, limits, side, bounds)


def with_flips(
    groups: GroupSums,
    pvalue: float,
    ci: ConfidenceInterval,
    estimate: float,
    side: Alternative,
    bounds: tuple[float, float] = UNBOUNDED,
) -> tuple[float, ConfidenceInterval]:
    """Return the larger of a t test's p-value and that by sign flips, and an interval to match.

    The t of groups of which one dominates rejects too often, as in `widened`; sign flips of groups
    with very few that differ do.
    """
    if groups.many_alike:
        return pvalue, ci
    larger = max(pvalue, groups.pvalue(side))
    wider = widened(groups, ci, side, bounds)
    return larger, agreeing(wider, larger, 1 - ci.confidence, estimate, side)

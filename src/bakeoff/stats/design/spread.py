"""Standard error and degrees of freedom of a mean of influence values, with or without clusters."""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.distributions import tail_probability
from bakeoff.stats.core.result import Alternative, ConfidenceInterval
from bakeoff.stats.design.clusters import degrees_of_freedom

Codes = NDArray[np.intp]


@dataclasses.dataclass(frozen=True)
class Leverage:
    """What sums over groups are divided by, row by row."""

    root: FloatArray  # √(1 − p), p the share of the row's group in the rows, or in its class
    df: float  # Bell & McCaffrey's degrees of freedom; 0 where all rows of a class are in one group
    shares: FloatArray  # of each group: in the rows, or the mean of its shares in the classes

    @classmethod
    def of(cls, clusters: Codes, classes: Codes | None = None) -> Leverage:
        """Find the leverage of rows by the codes of their groups, and of their classes."""
        kinds = np.zeros(len(clusters), dtype=np.intp) if classes is None else classes
        counts = np.zeros((int(kinds.max()) + 1, int(clusters.max()) + 1))
        np.add.at(counts, (kinds, clusters), 1.0)
        there = counts[counts.sum(axis=1) > 0]
        of_classes = there / there.sum(axis=1, keepdims=True)
        own = counts[kinds, clusters] / counts.sum(axis=1)[kinds]
        alone = bool((of_classes == 1).any())
        shares = of_classes.mean(axis=0)
        df = 0.0 if alone else degrees_of_freedom(shares)
        return cls(np.sqrt(np.maximum(1 - own, 0.0)), df, shares)


def leverage_of(clusters: Codes | None) -> Leverage | None:
    """Return the leverage of groups among the rows; None where rows stand alone."""
    return None if clusters is None else Leverage.of(clusters)


FEWEST_CLUSTERS = 5
"""With fewer clusters there is no answer."""


@dataclasses.dataclass(frozen=True)
class Spread:
    """How precisely a metric is known."""

    se: float
    df: float  # those of the units, or fewer where a few of them carry the variance
    units: float  # independent ones: rows, with their pseudo-rows, or clusters

    def interval(
        self, centre: float, level: float, side: Alternative, limits: tuple[float, float]
    ) -> ConfidenceInterval:
        """Return the t interval around an estimate, within the metric's range."""
        half = self.quantile(level, side) * self.se
        low = -math.inf if side == "less" else centre - half
        high = math.inf if side == "greater" else centre + half
        return ConfidenceInterval(max(low, limits[0]), min(high, limits[1]), level, "t")

    def quantile(self, level: float, side: Alternative) -> float:
        """Return the half-width of an interval in standard errors."""
        return -float(special.stdtrit(self.df, tail_probability(level, side)))


def spread(
    psi: FloatArray,
    *,
    weights: FloatArray | None = None,
    clusters: NDArray[np.intp] | None = None,
    pseudo: tuple[FloatArray, FloatArray] | None = None,
    leverage: Leverage | None = None,
) -> Spread:
    """Return standard error and degrees of freedom of a metric from its influence values."""
    # se² = G/(G − 1)·ΣS²/n², S the influence values or their sums by cluster, G their number, and
    # ν = min(G − 1, 2s₂²/(s₄ − s₂²/G)) with s_k = ΣS^k. With leverage se² = ΣS²/n², each S divided
    # by the root of one less its cluster's share, and ν at most Bell & McCaffrey's: the same for
    # clusters of one size.
    extra, extra_weights = pseudo if pseudo is not None else (np.empty(0), np.empty(0))
    weights = _ones(len(psi)) if weights is None else weights
    if leverage is not None:
        if not leverage.df > 0:
            assert clusters is not None
            return Spread(math.nan, 0.0, float(clusters.max() + 1))
        psi = psi / leverage.root
    n = float(weights.sum() + extra_weights.sum())
    if clusters is None:
        units, sums, counts = n, psi, weights
    else:
        sums = np.bincount(clusters, weights=psi * weights).astype(np.float64)
        units, counts = float(len(sums)), np.ones(len(sums))
    # fourth powers of large numbers would overflow
    ends = (end for v in (sums, extra) for end in (v.max(initial=0), -v.min(initial=0)))
    scale = float(max(ends)) or 1.0
    second = fourth = 0.0
    for values, times in ((sums, counts), (extra, extra_weights)):
        powers = values / scale
        powers *= powers
        second += inner(times, powers)
        powers *= powers
        fourth += inner(times, powers)
    if units <= 1:
        return Spread(math.nan, math.nan, units)
    factor = units / (units - 1) if leverage is None else 1.0
    se = scale * math.sqrt(factor * second) / n
    most = units - 1 if leverage is None else leverage.df
    return Spread(se, degrees_of_sums(second, fourth, units, most), units)


@lru_cache(maxsize=1)
def _ones(n: int) -> FloatArray:
    """Return the weights of rows that count once, kept for the next of many models."""
    ones = np.ones(n)
    ones.flags.writeable = False
    return ones


def degrees_of_sums(second: float, fourth: float, units: float, most: float) -> float:
    """Return ν = 2s₂²/(s₄ − s₂²/G) of G sums of powers, at most `most`."""
    # Satterthwaite's (1946) idea applied to influence values.
    excess = fourth - second**2 / units
    return min(most, 2 * second**2 / excess) if excess > 0 else most

"""Two columns of right/wrong values summed inside clusters, with intervals."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import numpy as np
from scipy import special

from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.difference_limits import DIFFERENCE_METHODS
from bakeoff.stats.core.result import Alternative, ConfidenceInterval
from bakeoff.stats.design.clusters import (
    Clusters,
    Moments,
    degrees_of_freedom,
    design_effect,
    equivalent_tail,
    intraclass_correlation,
    moments,
    raw_design_effect,
)


@dataclasses.dataclass(frozen=True)
class ClusterPair:
    """Counts per cluster of two models.

    Attributes
    ----------
    clusters : Clusters
        The cluster of every row.
    cells : ndarray, shape (K, 4)
        Rows that both, only A, only B and neither model has right.
    """

    clusters: Clusters
    cells: FloatArray

    @functools.cached_property
    def counts(self) -> tuple[float, float, float, float]:
        """The four counts of all rows."""
        both, b, c, neither = self.cells.sum(axis=0).tolist()
        return both, b, c, neither

    @property
    def sums(self) -> FloatArray:
        """D_k, wins of A less wins of B in each cluster."""
        return np.asarray(self.cells[:, 1] - self.cells[:, 2])

    @property
    def discordant(self) -> FloatArray:
        """Rows of each cluster that exactly one model has right."""
        return np.asarray(self.cells[:, 1] + self.cells[:, 2])

    @property
    def nonzero(self) -> int:
        """Clusters in which one model wins: K′."""
        return int(np.count_nonzero(self.sums))

    @functools.cached_property
    def moments(self) -> Moments:
        """Robust and ordinary variances of the difference."""
        return moments(self.sums, self.discordant.sum(), self.clusters)

    @property
    def estimate(self) -> float:
        """The difference of the accuracies over rows."""
        return float(self.sums.sum()) / self.clusters.n

    @property
    def variance(self) -> float:
        """CR2 variance of the difference."""
        return float(self.moments.variance)

    @functools.cached_property
    def df(self) -> float:
        """Degrees of freedom of the variance."""
        return degrees_of_freedom(self.clusters.shares)

    @functools.cached_property
    def design_effect(self) -> float:
        """What the counts are divided by."""
        holding = np.count_nonzero(self.discordant)
        return float(design_effect(self.moments, holding, self.clusters))

    @property
    def design_effect_raw(self) -> float:
        """The same before its bounds."""
        return float(raw_design_effect(self.moments))

    @property
    def icc(self) -> float:
        """Intraclass correlation of the difference."""
        return float(intraclass_correlation(self.moments, self.clusters))

    def newcombe(self, side: Alternative, level: float) -> ConfidenceInterval:
        """Newcombe's (1998) interval on the effective counts, with a t quantile."""
        both, b, c, neither = (np.asarray(value / self.design_effect) for value in self.counts)
        tail = float(equivalent_tail(self.df, tail_probability(level, side)))
        low, high = map(float, DIFFERENCE_METHODS["newcombe"](both, b, c, neither, tail))
        return ConfidenceInterval(
            -1.0 if side == "less" else max(low, -1.0),
            1.0 if side == "greater" else min(high, 1.0),
            level,
            "newcombe_effective",
        )

    def odds_ratio(self, side: Alternative, level: float) -> dict[str, Any]:
        """Log standard error of B/C by linearisation, and the interval of the ratio."""
        b, c, k = self.counts[1], self.counts[2], self.clusters.count
        if not b or not c or k < 2:
            return {"odds_ratio_se_log": math.nan, "odds_ratio_ci": (0.0, math.inf)}
        parts = self.cells[:, 1] / b - self.cells[:, 2] / c
        se = math.sqrt(k / (k - 1) * float(np.square(parts).sum()))
        reach = -float(special.stdtrit(k - 1, tail_probability(level, side))) * se
        low = 0.0 if side == "less" else b / c * math.exp(-reach)
        high = math.inf if side == "greater" else _grown(b / c, reach)
        return {"odds_ratio_se_log": se, "odds_ratio_ci": (low, high)}


def _grown(ratio: float, reach: float) -> float:
    return ratio * math.exp(reach) if reach < 700 else math.inf


def cluster_pair(a: BoolArray, b: BoolArray, clusters: Clusters) -> ClusterPair:
    """Count inside clusters where each of two models is right."""
    place = clusters.codes * 4 + 2 * ~a + ~b
    cells = np.bincount(place, minlength=4 * clusters.count).reshape(-1, 4)
    return ClusterPair(clusters, cells.astype(np.float64))

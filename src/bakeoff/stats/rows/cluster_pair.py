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
from bakeoff.stats.design.clusters import Clusters, Moments, equivalent_tail, moments
from bakeoff.stats.design.dependence import Dependence, dependence_of
from bakeoff.stats.rows.paired_intervals import COUNTS


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

    @functools.cached_property
    def moments(self) -> Moments:
        """Robust and ordinary variances of the difference."""
        return moments(self.sums, self.discordant.sum(), self.clusters)

    @functools.cached_property
    def found(self) -> Dependence:
        """How the difference depends on the groups."""
        return dependence_of(self.moments, int(np.count_nonzero(self.discordant)), self.clusters)

    @property
    def named_counts(self) -> dict[str, int]:
        """The four counts by their names in results."""
        return dict(zip(COUNTS, map(int, self.counts), strict=True))

    def newcombe(self, side: Alternative, level: float) -> ConfidenceInterval:
        """Newcombe's (1998) interval on the effective counts, with a t quantile."""
        both, b, c, neither = (
            np.asarray(value / self.found.design_effect) for value in self.counts
        )
        tail = float(equivalent_tail(self.found.df, tail_probability(level, side)))
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
        high = math.inf if side == "greater" or reach >= 700 else b / c * math.exp(reach)
        return {"odds_ratio_se_log": se, "odds_ratio_ci": (low, high)}


def cluster_pair(a: BoolArray, b: BoolArray, clusters: Clusters) -> ClusterPair:
    """Count inside clusters where each of two models is right."""
    place = clusters.codes * 4 + 2 * ~a + ~b
    cells = np.bincount(place, minlength=4 * clusters.count).reshape(-1, 4)
    return ClusterPair(clusters, cells.astype(np.float64))

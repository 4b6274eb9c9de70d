"""A mean difference on rows in groups against sign flips of whole groups, or Student's t.

Whatever is averaged (right and wrong, numbers, costs), the test needs its sums D_k over the groups
and, for t, its standard error with degrees of freedom.
"""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property

from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import Alternative, ConfidenceInterval, Status
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design.cluster_result import too_few_clusters, too_few_for_t
from bakeoff.stats.design.clusters import Clusters
from bakeoff.stats.design.sign_flip import FLIPS, Tails, flip_tails
from bakeoff.stats.design.subset_limits import UNBOUNDED, agreeing, hull, subset_limits

SOURCES = {
    "sign_flip": "canay2017",
    "sign_flip_exact": "canay2017",
    "influence_t": "satterthwaite1946",
    "robust_t": "bell2002",
}
"""The reference distributions, each with its source."""


@dataclasses.dataclass(frozen=True)
class GroupTest:
    """How a mean difference on rows in groups is tested.

    Attributes
    ----------
    clusters : Clusters
        The groups.
    sums : ndarray, shape (K,)
        D_k, the sum of the differences in each group.
    se, df : float
        Standard error of the mean difference, and its degrees of freedom.
    variant : str
        One of `SOURCES`.
    side : {"two-sided", "greater", "less"}
        The alternative.
    level : float
        Level of the interval; 1 − it is the level that the number of groups must allow.
    n_resamples, seed : int
        Draws of the signs where the sums are no whole numbers.
    """

    clusters: Clusters
    sums: FloatArray
    se: float
    df: float
    variant: str
    side: Alternative
    level: float
    n_resamples: int = 0
    seed: int = 0

    @property
    def estimate(self) -> float:
        """The mean difference over rows."""
        return float(self.sums.sum()) / self.clusters.n

    @cached_property
    def tails(self) -> Tails:
        """The distribution of the sum under sign flips."""
        return flip_tails(self.sums, n_resamples=self.n_resamples, seed=self.seed)

    @property
    def status(self) -> Status:
        """Whether the groups allow an answer."""
        if not self.sums.any():
            return Status.IDENTICAL_SCORES
        count = self.clusters.count
        if self.variant in FLIPS:
            few = too_few_clusters(count, 1 - self.level)
        else:
            few = too_few_for_t(self.variant, count, self.df)
        if few:
            return Status.TOO_FEW
        known = self.variant in FLIPS or self.se > 0
        return Status.OK if known else Status.ZERO_VARIANCE

    def formula(self) -> tuple[float, float]:
        """Return the statistic and its p-value, whatever the status."""
        if self.variant in FLIPS:
            exact = self.variant == "sign_flip_exact"
            p = self.tails.pvalue(self.side, exact=exact)
            return float(self.sums.sum()), float(p[0])
        t = self.estimate / self.se if self.se > 0 else math.nan
        return t, t_pvalue(t, self.df, self.side) if self.df else math.nan

    def widened(
        self, ci: ConfidenceInterval, pvalue: float, bounds: tuple[float, float] = UNBOUNDED
    ) -> ConfidenceInterval:
        """Return the hull with the limits from means of subsets of groups, agreeing with a p."""
        tail = tail_probability(self.level, self.side)
        limits = subset_limits(self.sums, self.clusters.sizes, tail)
        wider = hull(ci, limits, self.side, bounds)
        return agreeing(wider, pvalue, 1 - self.level, self.estimate, self.side)

"""A mean difference on rows in groups against sign flips of whole groups, or Student's t.

Whatever is averaged (right and wrong, numbers, costs), the test needs its sums D_k over the groups
and, for t, its standard error with degrees of freedom.
"""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property
from typing import Any

import numpy as np

from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.paired_differences import t_interval
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Status, answered
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design.cluster_result import (
    ClusteredResult,
    cluster_assumptions,
    too_few_clusters,
    too_few_for_t,
)
from bakeoff.stats.design.clusters import Clusters
from bakeoff.stats.design.dependence import Dependence, describe
from bakeoff.stats.design.leverage import leverage_of
from bakeoff.stats.design.sign_flip import FLIPS, Tails, flip_tails, smallest_pvalue
from bakeoff.stats.design.spread import spread
from bakeoff.stats.design.subset_limits import UNBOUNDED, agreeing, hull, subset_limits

SOURCES = {
    "sign_flip": "canay2017",
    "sign_flip_exact": "canay2017",
    "influence_t": "satterthwaite1946",
    "robust_t": "bell2002",
}
"""The reference distributions, each with its source."""


_MIDP_CLUSTERS = 8  # with fewer the mid-p of numeric differences rejects 6 to 7 % at 5 %


@dataclasses.dataclass(frozen=True)
class GroupTest:
    """How a mean difference on rows in groups is tested.

    Attributes
    ----------
    clusters : Clusters
        The groups.
    sums : ndarray, shape (K,)
        D_k, the sum of the differences in each group.
    found : Dependence
        How the difference depends on the groups: its standard error and degrees of freedom.
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
    found: Dependence
    variant: str
    side: Alternative
    level: float
    n_resamples: int = 0
    seed: int = 0

    @classmethod
    def of_rows(
        cls,
        d: FloatArray,
        noise: float,
        clusters: Clusters,
        variant: str,
        side: Alternative,
        level: float,
        n_resamples: int,
        seed: int,
    ) -> GroupTest:
        """Test differences per row, of which `noise` is none."""
        # what cancels inside a group leaves float noise, not a difference
        sums = clusters.sums(d)
        sums = np.where(np.abs(sums) <= noise + 1e-12 * clusters.sums(np.abs(d)), 0.0, sums)
        found = describe(d, clusters)
        if variant != "robust_t":
            groups = clusters.codes
            df = spread(d - d.mean(), clusters=groups, leverage=leverage_of(groups)).df
            found = dataclasses.replace(found, df=df)
        if not found.se > noise / math.sqrt(clusters.n):
            found = dataclasses.replace(found, se=0.0)
        return cls(clusters, sums, found, variant, side, level, n_resamples, seed)

    @property
    def flips(self) -> bool:
        """Whether signs are flipped."""
        return self.variant in FLIPS

    @property
    def estimate(self) -> float:
        """The mean difference over rows."""
        return float(self.sums.sum()) / self.clusters.n

    @property
    def nonzero(self) -> int:
        """Groups that differ: K′."""
        return int(np.count_nonzero(self.sums))

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
        if self.flips:
            few = too_few_clusters(count, 1 - self.level)
        else:
            few = too_few_for_t(self.variant, count, self.found.df)
        if few:
            return Status.TOO_FEW
        return Status.OK if self.flips or self.found.se > 0 else Status.ZERO_VARIANCE

    def formula(self) -> tuple[float, float]:
        """Return the statistic and its p-value, whatever the status."""
        if self.flips:
            exact = self.variant == "sign_flip_exact"
            return float(self.sums.sum()), float(self.tails.pvalue(self.side, exact=exact)[0])
        se, df = self.found.se, self.found.df
        t = self.estimate / se if se > 0 else math.nan
        return t, t_pvalue(t, df, self.side) if df else math.nan

    def t_interval(self, method: str) -> ConfidenceInterval | None:
        """Return Student's t interval; None where the standard error is unknown."""
        se, df = self.found.se, self.found.df
        if not (se > 0 and df > 0):
            return None
        return t_interval(self.estimate, se, df, self.level, self.side, method)

    def widened(
        self, ci: ConfidenceInterval, pvalue: float, bounds: tuple[float, float] = UNBOUNDED
    ) -> ConfidenceInterval:
        """Return the hull with the limits from means of subsets of groups, agreeing with a p."""
        tail = tail_probability(self.level, self.side)
        limits = subset_limits(self.sums, self.clusters.sizes, tail)
        wider = hull(ci, limits, self.side, bounds)
        return agreeing(wider, pvalue, 1 - self.level, self.estimate, self.side)

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What is assumed of the groups."""
        return cluster_assumptions(self.clusters, self.sums, self.nonzero, 1 - self.level)

    def result(self, details: dict[str, Any], **facts: Any) -> ClusteredResult:
        """Return the result of differences per row; `facts` are what else it says."""
        formula = self.formula()
        statistic, pvalue = answered(self.status, *formula, self.estimate)
        ci = self.t_interval("robust_t" if self.variant == "robust_t" else "influence_t")
        return ClusteredResult(
            variant=self.variant,
            statistic=statistic,
            df=None if self.flips else self.found.df,
            pvalue=pvalue,
            alternative=self.side,
            estimate=self.estimate,
            ci=self.widened(ci, pvalue) if ci is not None and self.flips else ci,
            status=self.status,
            assumptions=(*self.assumptions, *self._midp()),
            method=SOURCES[self.variant],
            details=self._details(formula[1]) | details,
            **self.found.worth,
            **facts,
        )

    def _details(self, formula: float) -> dict[str, Any]:
        found = self.found
        known = found.design_effect_raw > 0
        return {
            "n_clusters_nonzero": self.nonzero,
            "largest_share": found.largest_share,
            "formula_pvalue": formula,
            **(self._of_flips() if self.flips else {}),
            "smallest_pvalue": float(smallest_pvalue(self.nonzero)),
            "se": found.se,
            "se_cr1": found.se * math.sqrt(found.design_effect_cr1 / found.design_effect_raw)
            if known
            else math.nan,
            "df": found.df,
            "design_effect_raw": found.design_effect_raw,
        }

    def _of_flips(self) -> dict[str, Any]:
        mid, exact = (float(self.tails.pvalue(self.side, exact=e)[0]) for e in (False, True))
        draws = self.tails.draws
        error = math.sqrt(mid * (1 - mid) / draws) if draws else 0.0
        return {"pvalue_exact": exact, "method": self.tails.method, "monte_carlo_error": error}

    def _midp(self) -> tuple[Assumption, ...]:
        if self.variant != "sign_flip":
            return ()
        return (
            Assumption(
                "enough groups for the mid-p",
                self.clusters.count >= _MIDP_CLUSTERS,
                f"{self.clusters.count} groups; below {_MIDP_CLUSTERS} take variant "
                "sign_flip_exact, the mid-p of numbers rejects a little too often there",
            ),
        )

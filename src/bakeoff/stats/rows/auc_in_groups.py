"""The form of DeLong's test for rows that come in groups."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from scipy import special

from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Status
from bakeoff.stats.core.tails import normal_pvalue, t_pvalue
from bakeoff.stats.design.cluster_result import (
    ClusteredResult,
    independent_clusters,
    symmetric_differences,
    too_few_for_t,
)
from bakeoff.stats.design.clusters import Clusters, degrees_of_freedom
from bakeoff.stats.design.joint_flip import GroupSums
from bakeoff.stats.design.spread import degrees_of_sums
from bakeoff.stats.design.subset_limits import with_flips
from bakeoff.stats.rows.placements import NOISE, Placements

VARIANTS = ("t_and_flips", "influence_t", "robust_t", "obuchowski")
_SOURCE = "obuchowski1997"
_ENOUGH = 15


def compare(
    positive: BoolArray,
    place_a: Placements,
    place_b: Placements,
    clusters: Clusters,
    variant: str,
    side: Alternative,
    level: float,
) -> ClusteredResult:
    """Compare the areas of A and B on rows in groups, from the placements of their rows."""
    contrast = place_a - place_b
    classes = _Classes.of(positive, clusters)
    summed = classes.sum(contrast.positives, contrast.negatives)
    difference = contrast.auc
    robust = variant != "obuchowski"
    sums = classes.corrected(summed)
    df = _degrees(sums, classes.df) if variant in VARIANTS[:2] else classes.df
    variance = inner(sums, sums) if robust else classes.obuchowski(summed, summed)
    few = classes.in_one_cluster or too_few_for_t(variant, clusters.count, df)
    status = _status(contrast.none, few, variance)
    se = math.sqrt(variance) if variance > 0 else math.nan
    z = difference / se
    ok = status is Status.OK
    if status is Status.IDENTICAL_SCORES:
        z, pvalue, difference = 0.0, 1.0, 0.0
    elif ok:
        pvalue = t_pvalue(z, df, side) if robust else normal_pvalue(z, side)
    else:
        z = math.copysign(math.inf, difference) if status is Status.ZERO_VARIANCE else z
        pvalue = math.nan
    unclipped = _limits(difference, se, df if robust else math.inf, level, side)
    ci = ConfidenceInterval(max(unclipped[0], -1.0), min(unclipped[1], 1.0), level, variant)
    groups_of = classes.as_means(summed, difference)
    if ok and variant == "t_and_flips":
        pvalue, ci = with_flips(groups_of, pvalue, ci, difference, side, (-1.0, 1.0))
    own_a = classes.sum(place_a.positives, place_a.negatives)
    own_b = classes.sum(place_b.positives, place_b.negatives)
    plain = contrast.covariance(contrast)
    effect = max(1.0, variance / plain) if variance > 0 and plain > 0 else math.nan
    return ClusteredResult(
        test="delong",
        variant=variant,
        statistic=z,
        df=df if robust else None,
        pvalue=pvalue,
        alternative=side,
        estimate=difference,
        ci=ci if ok else None,
        effect_sizes={"auc_a": place_a.auc, "auc_b": place_b.auc},
        n=len(positive),
        status=status,
        assumptions=(
            independent_clusters(clusters),
            classes.enough(),
            symmetric_differences(groups_of.shares, groups_of.sums),
        ),
        null_hypothesis="The two fitted models have the same area under the ROC curve on the "
        "population that the groups were drawn from.",
        method=_SOURCE,
        details={
            "n_positive": int(np.count_nonzero(positive)),
            "n_negative": int(np.count_nonzero(~positive)),
            "n_clusters_positive": classes.with_positives,
            "n_clusters_negative": classes.with_negatives,
            "auc_a": place_a.auc,
            "auc_b": place_b.auc,
            "variance": variance,
            "se": se,
            "var_a": classes.obuchowski(own_a, own_a),
            "var_b": classes.obuchowski(own_b, own_b),
            "cov_ab": classes.obuchowski(own_a, own_b),
            "ci_unclipped": unclipped,
        },
        n_clusters=clusters.count,
        n_effective=len(positive) / effect,
        design_effect=effect,
        icc=math.nan,
    )


_Sums = tuple[FloatArray, FloatArray]


@dataclasses.dataclass(frozen=True)
class _Classes:
    """Positives and negatives of each cluster: m_k and n_k."""

    positive: BoolArray
    clusters: Clusters
    m: FloatArray
    n: FloatArray

    @classmethod
    def of(cls, positive: BoolArray, clusters: Clusters) -> _Classes:
        m = clusters.sums(positive)
        return cls(positive, clusters, m, clusters.sizes - m)

    @property
    def with_positives(self) -> int:
        return int(np.count_nonzero(self.m))

    @property
    def with_negatives(self) -> int:
        return int(np.count_nonzero(self.n))

    @property
    def in_one_cluster(self) -> bool:
        return min(self.with_positives, self.with_negatives) < 2

    @property
    def df(self) -> float:
        if self.in_one_cluster:
            return 0.0
        return degrees_of_freedom((self.m / self.m.sum() + self.n / self.n.sum()) / 2)

    def sum(self, positives: FloatArray, negatives: FloatArray) -> _Sums:
        """X_k/M and Y_k/N of placements less their mean."""
        codes, count = self.clusters.codes, self.clusters.count
        x = np.bincount(codes[self.positive], positives - positives.mean(), count)
        y = np.bincount(codes[~self.positive], negatives - negatives.mean(), count)
        return x / self.m.sum(), y / self.n.sum()

    def corrected(self, sums: _Sums) -> FloatArray:
        """Return ψ_k, the sums divided by what a group's share of a class takes from them."""
        if self.in_one_cluster:
            return np.full(self.clusters.count, math.nan)
        m, n = self.m / self.m.sum(), self.n / self.n.sum()
        found: FloatArray = sums[0] / np.sqrt(1 - m) + sums[1] / np.sqrt(1 - n)
        return found

    def as_means(self, sums: _Sums, difference: float) -> GroupSums:
        """Return the difference to first order as a mean over groups."""
        shares = (self.m / self.m.sum() + self.n / self.n.sum()) / 2
        return GroupSums(sums[0] + sums[1] + shares * difference, shares)

    def obuchowski(self, first: _Sums, second: _Sums) -> float:
        """Covariance of two areas (Obuchowski 1997)."""
        if self.in_one_cluster:
            return math.nan
        i1, i0, k = self.with_positives, self.with_negatives, self.clusters.count
        cross = inner(first[0], second[1]) + inner(second[0], first[1])
        return (
            i1 / (i1 - 1) * inner(first[0], second[0])
            + i0 / (i0 - 1) * inner(first[1], second[1])
            + k / (k - 1) * cross
        )

    def enough(self) -> Assumption:
        found = min(self.with_positives, self.with_negatives)
        return Assumption(
            "enough groups of each class",
            found >= _ENOUGH,
            f"positive rows in {self.with_positives} groups, negative ones in "
            f"{self.with_negatives}; about {_ENOUGH} of each are wanted",
        )


def _degrees(sums: FloatArray, most: float) -> float:
    squares = np.square(sums)
    return degrees_of_sums(float(squares.sum()), inner(squares, squares), len(sums), most)


def _status(identical: bool, few: bool, variance: float) -> Status:
    if identical:
        return Status.IDENTICAL_SCORES
    if few:
        return Status.TOO_FEW
    return Status.OK if variance > NOISE**2 else Status.ZERO_VARIANCE


def _limits(
    centre: float, se: float, df: float, level: float, side: Alternative
) -> tuple[float, float]:
    tail = tail_probability(level, side)
    quantile = float(special.stdtrit(df, tail) if math.isfinite(df) else special.ndtri(tail))
    reach = -quantile * se if df > 0 else math.nan
    low = -math.inf if side == "less" else centre - reach
    return low, math.inf if side == "greater" else centre + reach

"""Two classifiers by their ROC areas on rows that come in groups."""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import (
    BoolArray,
    FloatArray,
    as_scores,
    check_alternative,
    check_choice,
    check_level,
    check_same_labels,
    check_same_length,
)
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Status
from bakeoff.stats.core.tails import normal_pvalue, t_pvalue
from bakeoff.stats.design.cluster_result import (
    ClusteredResult,
    independent_clusters,
    symmetric_differences,
    too_few_for_t,
)
from bakeoff.stats.design.clusters import Clusters, as_clusters, degrees_of_freedom
from bakeoff.stats.design.joint_flip import GroupSums
from bakeoff.stats.design.spread import degrees_of_sums
from bakeoff.stats.design.subset_limits import with_flips
from bakeoff.stats.rows.auc import as_classes, placements

__all__ = ["clustered_delong"]

_VARIANTS = ("t_and_flips", "influence_t", "robust_t", "obuchowski")
_SOURCE = "obuchowski1997"
_NOISE = 1e-12
_ENOUGH = 15


@register(
    title="DeLong's test for groups of rows",
    evidence=Evidence.PROBABILITIES,
    arity=Arity.PAIR,
    about="models",
    answers="Does one of these two fitted models rank positives above negatives more often on "
    "new groups?",
    plans=("holdout",),
    citation="obuchowski1997",
    caution="It compares rankings, not decisions at a threshold. With few groups that hold a "
    "positive row it has little to go by.",
)
def clustered_delong(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    variant: Literal["t_and_flips", "influence_t", "robust_t", "obuchowski"] = "t_and_flips",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> ClusteredResult:
    """Test the areas under two ROC curves on rows that come in groups.

    Parameters
    ----------
    y_true : array_like of bool or 0/1, shape (N,)
        The true classes; 1 is the positive one.
    score_a, score_b : array_like, shape (N,)
        What A and B give the positive class.
    groups : array_like, shape (N,), optional
        The group of each row; without it each row is a group of its own, and the variance is
        DeLong's.
    variant : {"t_and_flips", "influence_t", "robust_t", "obuchowski"}
        ``"influence_t"``: placements summed inside groups, corrected for the share of each class
        in a group as CR2 does, against Student's t with the degrees of freedom of these sums
        (Satterthwaite 1946), at most those of ``"robust_t"``: Bell & McCaffrey's (2002), from the
        shares alone. ``"t_and_flips"`` (default): the larger p-value of it and of sign flips of
        whole groups (Canay, Romano & Shaikh 2017); the interval is the hull with the limits from
        means of random subsets of groups (Hartigan 1969). ``"obuchowski"``: Obuchowski's (1997)
        variance and the normal distribution; too lenient with few groups.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A has the larger area.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    ClusteredResult
        `estimate` is AUC_A − AUC_B. ``too_few``: a class that lies in one group; fewer than five
        groups (``robust_t``: fewer than four degrees of freedom).

    Notes
    -----
    X_k and Y_k sum over the m_k positives and n_k negatives of group k the placement differences
    less their mean; ψ_k = X_k/(M√(1 − m_k/M)) + Y_k/(N√(1 − n_k/N)) and V = Σψ².

    Examples
    --------
    >>> y = [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]
    >>> a = [9, 1, 8, 2, 7, 8, 6, 3, 9, 4, 5, 1, 9, 2, 3, 4]
    >>> b = [9, 3, 2, 2, 5, 8, 6, 7, 9, 4, 1, 1, 4, 2, 3, 5]
    >>> result = clustered_delong(y, a, b, groups=[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8])
    >>> round(result.estimate, 4), round(result.pvalue, 4)
    (0.2969, 0.0107)
    """
    check_choice(variant, _VARIANTS, "variant")
    side = check_alternative(alternative)
    level = check_level(confidence_level, side=side)
    positive = as_classes(y_true)
    a = as_scores(score_a, "score_a", unit="rows")
    b = as_scores(score_b, "score_b", unit="rows")
    check_same_length(y_true=positive, score_a=a, score_b=b)
    check_same_labels(y_true=y_true, score_a=score_a, score_b=score_b)
    clusters = as_clusters(groups, len(positive))
    place_a, place_b = placements(positive, a), placements(positive, b)
    contrast = place_a - place_b
    classes = _Classes.of(positive, clusters)
    summed = classes.sum(contrast.positives, contrast.negatives)
    difference = contrast.auc
    robust = variant != "obuchowski"
    sums = classes.corrected(summed)
    df = _degrees(sums, classes.df) if variant in _VARIANTS[:2] else classes.df
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
        test="clustered_delong",
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
    return Status.OK if variance > _NOISE**2 else Status.ZERO_VARIANCE


def _limits(
    centre: float, se: float, df: float, level: float, side: Alternative
) -> tuple[float, float]:
    tail = tail_probability(level, side)
    quantile = float(special.stdtrit(df, tail) if math.isfinite(df) else special.ndtri(tail))
    reach = -quantile * se if df > 0 else math.nan
    low = -math.inf if side == "less" else centre - reach
    return low, math.inf if side == "greater" else centre + reach

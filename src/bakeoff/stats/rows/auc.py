"""Two classifiers on one test set: their areas under the ROC curve."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.checks import (
    ArgumentError,
    BoolArray,
    FloatArray,
    as_array,
    as_scores,
    check_same_labels,
    check_same_length,
    is_missing,
)
from bakeoff.stats.core.distributions import normal_pvalue, t_pvalue, tail_probability
from bakeoff.stats.core.pairs import shared
from bakeoff.stats.core.ranks import rows_below
from bakeoff.stats.core.registry import Arity, Evidence, Variants, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
    answered,
)
from bakeoff.stats.design.clusters import Clusters, RowDesign, degrees_of_freedom
from bakeoff.stats.design.flips import GroupSums, with_flips
from bakeoff.stats.design.groups import (
    ClusteredResult,
    degrees_of_sums,
    independent_clusters,
    symmetric_differences,
    too_few_for_t,
)

# placements are multiples of 1/(2m) or 1/(2n): anything smaller is float noise
NOISE = 1e-12


@dataclasses.dataclass(frozen=True)
class Placements:
    """Share of the other class that each row is ranked right against (ties count half)."""

    positives: FloatArray
    negatives: FloatArray

    @cached_property
    def auc(self) -> float:
        """The area."""
        return float(self.positives.mean())

    @cached_property
    def deviations(self) -> tuple[FloatArray, FloatArray]:
        """The placements of positives and of negatives less their means."""
        return self.positives - self.positives.mean(), self.negatives - self.negatives.mean()

    @cached_property
    def variance(self) -> float:
        """The variance of the area."""
        return self.covariance(self)

    def covariance(self, other: Placements) -> float:
        """Covariance of the two areas (DeLong et al. 1988, eq. 5); NaN for a single row."""
        total = 0.0
        for x, y in zip(self.deviations, other.deviations, strict=True):
            if len(x) < 2:
                return math.nan
            total += inner(x, y) / (len(x) - 1) / len(x)
        return total

    def __sub__(self, other: Placements) -> Placements:
        return Placements(self.positives - other.positives, self.negatives - other.negatives)

    @property
    def none(self) -> bool:
        """Whether every placement is 0."""
        values = self.positives, self.negatives
        return all(v.min() >= -NOISE and v.max() <= NOISE for v in values)


def as_classes(y_true: ArrayLike) -> BoolArray:
    """Check the true classes, 0 and 1, of which both must occur."""
    array = as_array(y_true, "y_true")
    if array.ndim != 1 or array.size == 0:
        raise ArgumentError("y_true", f"expected shape (n,), n >= 1, found shape {array.shape}")
    gaps = is_missing(array)
    if gaps.any():
        raise ArgumentError(
            "y_true",
            f"{int(gaps.sum())} missing class(es), first in row "
            f"{int(np.flatnonzero(gaps)[0])}; drop these rows for both models",
        )
    if array.dtype.kind == "O":
        array = np.asarray(array.tolist())
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        found = ", ".join(repr(v) for v in list(dict.fromkeys(array.tolist()))[:4])
        raise ArgumentError(
            "y_true",
            f"expected 0/1 (1 is the positive class), found {found} "
            f"(dtype {array.dtype}); pass `y == positive_class`, one class against the rest",
        )
    if array.min() == array.max():
        missing = "negative" if array[0] else "positive"
        raise ArgumentError(
            "y_true",
            f"found no {missing} row, the area under the ROC curve is undefined; "
            "compare accuracies instead (mcnemar)",
        )
    return array.astype(np.bool_)


def placements(positive: BoolArray, scores: FloatArray) -> Placements:
    """Place each row among those of the other class, from one sort of all."""
    below = rows_below(positive, scores)
    n_positive = int(np.count_nonzero(positive))
    return Placements(
        below[positive] / (len(scores) - n_positive), 1 - below[~positive] / n_positive
    )


_ENOUGH = 15
_Sums = tuple[FloatArray, FloatArray]


@dataclasses.dataclass(frozen=True)
class ClassGroups:
    """Positives and negatives of each cluster: their shares m_k/M and n_k/N of the class."""

    positive: BoolArray
    clusters: Clusters
    m: FloatArray
    n: FloatArray
    with_positives: int  # groups that hold a positive row
    with_negatives: int

    @classmethod
    def of(cls, positive: BoolArray, clusters: Clusters) -> ClassGroups:
        """Count the classes in each group."""
        m = clusters.sums(positive)
        n = clusters.sizes - m
        holding = int(np.count_nonzero(m)), int(np.count_nonzero(n))
        return cls(positive, clusters, m / m.sum(), n / n.sum(), *holding)

    @property
    def in_one_cluster(self) -> bool:
        """Whether all rows of a class are in one group."""
        return min(self.with_positives, self.with_negatives) < 2

    @property
    def shares(self) -> FloatArray:
        """The mean share of each group in the classes."""
        return (self.m + self.n) / 2

    def sum(self, placed: Placements) -> _Sums:
        """X_k/M and Y_k/N of placements less their mean."""
        codes, count = self.clusters.codes, self.clusters.count
        x = np.bincount(codes[self.positive], placed.deviations[0], count)
        y = np.bincount(codes[~self.positive], placed.deviations[1], count)
        rows = int(np.count_nonzero(self.positive))
        return x / rows, y / (len(self.positive) - rows)

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


_LARGE_SAMPLE = 30
_VARIANTS = Variants(("delong",), ("t_and_flips", "influence_t", "robust_t", "obuchowski"))


def delong_pairs(
    y_true: ArrayLike,
    scores: ArrayLike,
    pairs: Iterable[tuple[int, int]],
    *,
    groups: ArrayLike | None = None,
    variant: str | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> list[Result]:
    """Return what `delong` says of each pair of columns; each model is ranked once."""
    positive, table = as_classes(y_true), as_array(scores, "scores")
    check_same_length(y_true=positive, scores=table)
    check_same_labels(y_true=y_true, scores=scores)
    design = RowDesign.of(len(positive), groups)
    form = _VARIANTS.choose(variant, design.relation)
    places: dict[int, Placements] = {}
    found = []
    for pair in pairs:
        for m in pair:
            if m not in places:
                column = as_scores(table[:, m], "scores", unit="rows")
                places[m] = placements(positive, column)
        a, b = (places[m] for m in pair)
        found.append(_compare(positive, a, b, design, form, alternative, confidence_level))
    return found


@register(
    evidence=Evidence.PROBABILITIES,
    arity=Arity.PAIR,
    citation="delong1988",
    variants=_VARIANTS,
    all_pairs=shared(delong_pairs),
)
def delong(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    variant: Literal["delong", "t_and_flips", "influence_t", "robust_t", "obuchowski"]
    | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """DeLong's test.

    Does one of these two fitted models have the larger area under the ROC curve?

    z = (AUC_A − AUC_B)/√(var_A + var_B − 2 cov) with the variances of the placements of every
    row (DeLong, DeLong & Clarke-Pearson 1988), found from mid-ranks in O(n log n) (Sun & Xu
    2014).

    Parameters
    ----------
    y_true : array_like of bool or 0/1, shape (n,)
        The true classes; 1 is the positive one.
    score_a, score_b : array_like, shape (n,)
        What A and B give the positive class: probabilities or any scores, only their order
        counts.
    variant : str, optional
        Independent rows have ``"delong"``. In groups ``"influence_t"``: placements summed inside
        groups, corrected for the share of each class in a group as CR2 does, against Student's t
        with the degrees of freedom of these sums (Satterthwaite 1946), at most those of
        ``"robust_t"``: Bell & McCaffrey's (2002), from the shares alone. ``"t_and_flips"``
        (default): the larger p-value of it and of sign flips of whole groups (Canay, Romano &
        Shaikh 2017); the interval is the hull with the limits from means of random subsets of
        groups (Hartigan 1969). ``"obuchowski"``: Obuchowski's (1997) variance and the normal
        distribution; too lenient with few groups.

    Returns
    -------
    Result or ClusteredResult
        `estimate` is AUC_A − AUC_B; ``details`` holds each area with its variance and
        interval, and the covariance. Fewer than two rows of a class give ``too_few``, as do
        in groups a class that lies in one of them and fewer than five groups (``robust_t``:
        fewer than four degrees of freedom); equal rankings give p 1.

    Warnings
    --------
    It compares rankings, not decisions at a threshold. It is conservative when one model only adds
    features to the other. With few groups that contain a positive row, its variance is estimated
    from little data.

    Notes
    -----
    In groups X_k and Y_k sum over the m_k positives and n_k negatives of group k the placement
    differences less their mean; ψ_k = X_k/(M√(1 − m_k/M)) + Y_k/(N√(1 − n_k/N)) and V = Σψ².

    Examples
    --------
    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> result = delong(y, [.9, .8, .7, .4, .5, .3, .2, .1], [.9, .3, .6, .4, .5, .7, .2, .1])
    >>> round(result.estimate, 4), round(result.statistic, 4), round(result.pvalue, 4)
    (0.25, 1.2247, 0.2207)
    """
    positive = as_classes(y_true)
    scores = {"score_a": score_a, "score_b": score_b}
    read = {name: as_scores(values, name, unit="rows") for name, values in scores.items()}
    check_same_length(y_true=positive, **read)
    check_same_labels(y_true=y_true, **scores)
    design = RowDesign.of(len(positive), groups)
    form = _VARIANTS.choose(variant, design.relation)
    a, b = (placements(positive, values) for values in read.values())
    return _compare(positive, a, b, design, form, alternative, confidence_level)


def _compare(
    positive: BoolArray,
    a: Placements,
    b: Placements,
    design: RowDesign,
    form: str,
    side: Alternative,
    level: float,
) -> Result:
    # from the differences: var_A + var_B - 2 cov would lose its digits when the models agree
    contrast = a - b
    counts = {"n_positive": len(a.positives), "n_negative": len(a.negatives)}
    areas = {"auc_a": a.auc, "auc_b": b.auc}
    if design.groups is not None:
        return _in_groups(positive, contrast, (a, b), counts, design.groups, form, side, level)
    se = math.sqrt(contrast.variance)
    status = Status.TOO_FEW if math.isnan(se) else _status(contrast, se)
    z, pvalue = _answered(status, contrast.auc, se, math.inf, side)
    unclipped = _limits(contrast.auc, se, math.inf, level, side)
    return Result(
        variant=form,
        statistic=z,
        pvalue=pvalue,
        alternative=side,
        estimate=0.0 if status is Status.IDENTICAL_SCORES else contrast.auc,
        ci=_clipped(unclipped, -1.0, level, "wald") if status is Status.OK else None,
        effect_sizes=areas,
        n=len(positive),
        status=status,
        assumptions=(
            INDEPENDENT_ROWS,
            Assumption(
                "large sample",
                min(counts.values()) >= _LARGE_SAMPLE,
                f"{counts['n_positive']} positive and {counts['n_negative']} negative row(s); the "
                f"normal approximation wants about {_LARGE_SAMPLE} of each",
            ),
        ),
        null_hypothesis=_NULL.format("test rows"),
        details={
            **counts,
            "var_a": a.variance,
            "var_b": b.variance,
            "cov_ab": a.covariance(b),
            "se": se,
            "ci_unclipped": unclipped,
            **_area("a", a, level),
            **_area("b", b, level),
        },
    )


_NULL = (
    "The two fitted models have the same area under the ROC curve on the population that the {} "
    "were drawn from."
)


def _in_groups(
    positive: BoolArray,
    contrast: Placements,
    models: tuple[Placements, Placements],
    counts: dict[str, int],
    clusters: Clusters,
    form: str,
    side: Alternative,
    level: float,
) -> ClusteredResult:
    classes = ClassGroups.of(positive, clusters)
    summed, alone, robust = classes.sum(contrast), classes.in_one_cluster, form != "obuchowski"
    # ψ_k: the sums divided by what a group's share of a class takes from them
    sums = np.full(clusters.count, math.nan)
    if not alone:
        sums = summed[0] / np.sqrt(1 - classes.m) + summed[1] / np.sqrt(1 - classes.n)
    df = 0.0 if alone else degrees_of_freedom(classes.shares)
    if form in ("t_and_flips", "influence_t"):
        squares = np.square(sums)
        df = degrees_of_sums(float(squares.sum()), inner(squares, squares), len(sums), df)
    variance = inner(sums, sums) if robust else classes.obuchowski(summed, summed)
    se = math.sqrt(variance) if variance > 0 else 0.0
    status = _status(contrast, se)
    few = alone or too_few_for_t(form, clusters.count, df)
    if few and status is not Status.IDENTICAL_SCORES:
        status = Status.TOO_FEW
    difference = 0.0 if status is Status.IDENTICAL_SCORES else contrast.auc
    used = df if robust else math.inf
    z, pvalue = _answered(status, difference, se or math.nan, used, side)
    unclipped = _limits(difference, se or math.nan, used, level, side)
    ci = _clipped(unclipped, -1.0, level, form) if status is Status.OK else None
    # the difference to first order as a mean over groups
    of_groups = GroupSums(summed[0] + summed[1] + classes.shares * difference, classes.shares)
    if ci is not None and form == "t_and_flips":
        pvalue, ci = with_flips(of_groups, pvalue, ci, difference, side, (-1.0, 1.0))
    own = [classes.sum(model) for model in models]
    plain, holding = contrast.variance, (classes.with_positives, classes.with_negatives)
    effect = max(1.0, variance / plain) if variance > 0 and plain > 0 else math.nan
    areas = {"auc_a": models[0].auc, "auc_b": models[1].auc}
    return ClusteredResult(
        variant=form,
        statistic=z,
        df=df if robust else None,
        pvalue=pvalue,
        alternative=side,
        estimate=difference,
        ci=ci,
        effect_sizes=areas,
        n=len(positive),
        status=status,
        assumptions=(
            independent_clusters(clusters),
            Assumption(
                "enough groups of each class",
                min(holding) >= _ENOUGH,
                f"positive rows in {holding[0]} groups, negative ones in {holding[1]}; about "
                f"{_ENOUGH} of each are wanted",
            ),
            symmetric_differences(of_groups.shares, of_groups.sums),
        ),
        null_hypothesis=_NULL.format("groups"),
        method="obuchowski1997",
        details={
            **counts,
            "n_clusters_positive": holding[0],
            "n_clusters_negative": holding[1],
            **areas,
            "variance": variance,
            "se": se or math.nan,
            "var_a": classes.obuchowski(own[0], own[0]),
            "var_b": classes.obuchowski(own[1], own[1]),
            "cov_ab": classes.obuchowski(own[0], own[1]),
            "ci_unclipped": unclipped,
        },
        n_clusters=clusters.count,
        n_effective=len(positive) / effect,
        design_effect=effect,
        icc=math.nan,
    )


def _status(contrast: Placements, se: float) -> Status:
    if contrast.none:
        return Status.IDENTICAL_SCORES
    return Status.OK if se > NOISE else Status.ZERO_VARIANCE


def _answered(
    status: Status, difference: float, se: float, df: float, side: Alternative
) -> tuple[float, float]:
    z = difference / se if se else math.nan
    formula = normal_pvalue(z, side) if math.isinf(df) else t_pvalue(z, df, side)
    return answered(status, z, formula, difference)


def _limits(
    centre: float, se: float, df: float, level: float, side: Alternative
) -> tuple[float, float]:
    tail = tail_probability(level, side)
    quantile = float(special.ndtri(tail) if math.isinf(df) else special.stdtrit(df, tail))
    half = -quantile * se if df > 0 else math.nan
    low = -math.inf if side == "less" else centre - half
    return low, math.inf if side == "greater" else centre + half


def _clipped(
    limits: tuple[float, float], lowest: float, level: float, method: str
) -> ConfidenceInterval:
    return ConfidenceInterval(max(limits[0], lowest), min(limits[1], 1.0), level, method)


def _area(model: str, area: Placements, level: float) -> dict[str, Any]:
    se = math.sqrt(area.variance)
    limits = _limits(area.auc, se, math.inf, level, "two-sided")
    known = se > 0  # not NaN and not a perfect or constant ranking
    return {
        f"auc_{model}": area.auc,
        f"auc_{model}_ci": _clipped(limits, 0.0, level, "wald") if known else None,
        f"auc_{model}_ci_unclipped": limits,
    }

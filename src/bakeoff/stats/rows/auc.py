"""Two classifiers on one test set: their areas under the ROC curve.

The influence of a row on an area is that of the metric ``roc_auc``: its placement, the share of
the other class that it is ranked right against, less the mean placement of its class.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Level, Variants
from bakeoff.stats.core.checks import (
    ArgumentError,
    FloatArray,
    as_array,
    as_correctness,
    as_scores,
    check_models,
    check_same_labels,
    check_same_length,
)
from bakeoff.stats.core.paired_differences import Estimate
from bakeoff.stats.core.pairs import PairwiseResult, by_pairs
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    Result,
    Status,
)
from bakeoff.stats.design.clusters import as_clusters
from bakeoff.stats.design.groups import (
    ClusteredResult,
    GroupSums,
    Leverage,
    independent_clusters,
    spread,
    symmetric_differences,
    too_few_for_t,
)
from bakeoff.stats.metrics.library import auc
from bakeoff.stats.metrics.metric import Functional

_NOISE = 1e-12  # placements are multiples of 1/(2m) or 1/(2n): anything smaller is float noise
_LARGE_SAMPLE = 30  # rows of each class from which the normal approximation is usually trusted
_ENOUGH_GROUPS = 15  # of each class
_VARIANTS = Variants(("delong",), ("t_and_flips", "influence_t", "robust_t", "obuchowski"))
_DIFFERENCES = (-1.0, 1.0)
_AREAS = (0.0, 1.0)
_UNDEFINED = "the area under the ROC curve is undefined; compare accuracies instead (mcnemar)"
_NULL = (
    "The two fitted models have the same area under the ROC curve on the population that the {} "
    "were drawn from."
)


def delong_pairs(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    variant: str | None = None,
    **family: Any,
) -> PairwiseResult:
    """Run `delong` on all pairs of columns; each model is ranked once."""
    table = as_array(scores, "scores")
    check_models(table, "scores")
    rows = _read(y_true, {"scores": scores}, groups, variant)
    areas = [rows.area(column, "scores") for column in table.T]
    return by_pairs(rows.compare, (), areas, **family)


@register(
    evidence=Evidence.ROWS,
    citation="delong1988",
    variants=_VARIANTS,
    better_test="metric_difference",
    all_pairs=delong_pairs,
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
    variant : str, optional
        Independent rows have ``"delong"``. In groups ``"t_and_flips"`` (default), ``"influence_t"``
        and ``"robust_t"``, as in `mean_difference`, of the placements summed inside groups,
        corrected for the share of each class in a group as CR2 does. ``"obuchowski"``:
        Obuchowski's (1997) variance and the normal distribution; too lenient with few groups.

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

    Examples
    --------
    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> result = delong(y, [.9, .8, .7, .4, .5, .3, .2, .1], [.9, .3, .6, .4, .5, .7, .2, .1])
    >>> round(result.estimate, 4), round(result.statistic, 4), round(result.pvalue, 4)
    (0.25, 1.2247, 0.2207)
    """
    scores = {"score_a": score_a, "score_b": score_b}
    rows = _read(y_true, scores, groups, variant)
    a = rows.area(score_a, "score_a")
    b = rows.area(score_b, "score_b")
    return rows.compare(a, b, alternative=alternative, confidence_level=confidence_level)


def _read(
    y_true: ArrayLike, scores: dict[str, ArrayLike], groups: ArrayLike | None, variant: str | None
) -> _Rows:
    """Check what a test is given, and the form of the test."""
    if groups is not None:
        return _RowsInGroups(y_true, scores, groups, variant)
    rows = _Rows(y_true, scores)
    _VARIANTS.choose(variant, "independent")
    return rows


class _Rows:
    """Independent rows of two classes."""

    def __init__(self, y_true: ArrayLike, scores: dict[str, ArrayLike]) -> None:
        instead = "`y == positive_class`, one class against others"
        self.positive = as_correctness(y_true, "y_true", kind="classes", instead=instead)
        if self.positive.all():
            raise ArgumentError("y_true", f"found no negative row, {_UNDEFINED}")
        if not self.positive.any():
            raise ArgumentError("y_true", f"found no positive row, {_UNDEFINED}")
        arrays = {name: as_array(values, name) for name, values in scores.items()}
        check_same_length(y_true=self.positive, **arrays)
        check_same_labels(y_true=y_true, **scores)
        self.n = len(self.positive)
        self.classes = (self.positive, ~self.positive)
        self.n_positive = int(np.count_nonzero(self.positive))
        self.n_negative = self.n - self.n_positive

    def area(self, scores: ArrayLike, name: str) -> Functional:
        """Return the area of one model with the influence of each row."""
        return auc(self.positive, as_scores(scores, name, unit="rows"), unbiased=False)

    def covariance(self, a: Functional, b: Functional) -> float:
        """Covariance of two areas (DeLong et al. 1988, eq. 5); NaN for a single row of a class."""
        # of each class Σ ψ_a ψ_b/N² · m/(m − 1), ψ the influence of its m rows
        if min(self.n_positive, self.n_negative) < 2:
            return math.nan
        total = 0.0
        for rows in self.classes:
            m = int(np.count_nonzero(rows))
            total += float(a.psi[rows] @ b.psi[rows]) * m / (m - 1)
        return total / self.n**2

    def compare(
        self, a: Functional, b: Functional, *, alternative: Alternative, confidence_level: float
    ) -> Result:
        """Test AUC_A − AUC_B by z."""
        # z = (AUC_A − AUC_B)/√var(AUC_A − AUC_B)
        contrast = a - b
        # not var_A + var_B − 2 cov, which would lose its digits when the models agree
        se = math.sqrt(max(self.covariance(contrast, contrast), 0.0))
        value = contrast.value
        if math.isnan(se):
            status = Status.TOO_FEW
        elif _identical(contrast):
            status = Status.IDENTICAL_SCORES
            value = 0.0
        elif se > _NOISE:
            status = Status.OK
        else:
            status = Status.ZERO_VARIANCE
        estimate = Estimate(value=value, se=se, status=status)
        statistic, pvalue = estimate.test(alternative)
        ci = None
        if status is Status.OK:
            ci = estimate.interval(confidence_level, alternative, "wald", _DIFFERENCES)
        details = self._details(a, b, estimate, alternative, confidence_level)
        for model, area in (("a", a), ("b", b)):
            variance = self.covariance(area, area)
            alone = Estimate(value=area.value, se=math.sqrt(variance))
            details[f"var_{model}"] = variance
            details[f"auc_{model}_ci"] = alone.interval(
                confidence_level, "two-sided", "wald", _AREAS
            )
            details[f"auc_{model}_ci_unclipped"] = alone.limits(confidence_level, "two-sided")
        return Result(
            variant="delong",
            statistic=statistic,
            pvalue=pvalue,
            alternative=alternative,
            estimate=value,
            ci=ci,
            effect_sizes={"auc_a": a.value, "auc_b": b.value},
            n=self.n,
            status=status,
            assumptions=(INDEPENDENT_ROWS, self._large_sample()),
            null_hypothesis=_NULL.format("test rows"),
            details=details,
        )

    def _details(
        self,
        a: Functional,
        b: Functional,
        difference: Estimate,
        alternative: Alternative,
        confidence_level: float,
    ) -> dict[str, Any]:
        return {
            "n_positive": self.n_positive,
            "n_negative": self.n_negative,
            "cov_ab": self.covariance(a, b),
            "se": difference.se,
            "ci_unclipped": difference.limits(confidence_level, alternative),
            "auc_a": a.value,
            "auc_b": b.value,
        }

    def _large_sample(self) -> Assumption:
        detail = (
            f"{self.n_positive} positive and {self.n_negative} negative row(s); the normal "
            f"approximation wants about {_LARGE_SAMPLE} of each"
        )
        enough = min(self.n_positive, self.n_negative) >= _LARGE_SAMPLE
        return Assumption("large sample", enough, detail)


class _RowsInGroups(_Rows):
    """Rows of two classes in groups."""

    def __init__(
        self,
        y_true: ArrayLike,
        scores: dict[str, ArrayLike],
        groups: ArrayLike,
        variant: str | None,
    ) -> None:
        super().__init__(y_true, scores)
        self.groups = as_clusters(groups, self.n)
        codes = self.groups.codes
        self.leverage = Leverage.from_codes(codes, np.where(self.positive, 0, 1))
        # how many groups hold a positive row, and how many a negative one
        self.holding = [len(np.unique(codes[rows])) for rows in self.classes]
        self.variant: str = _VARIANTS.choose(variant, "groups")

    def covariance(self, a: Functional, b: Functional) -> float:
        """Covariance of two areas in groups (Obuchowski 1997); NaN if one holds a whole class."""
        # with X_k and Y_k the sums of the influence over the positive and the negative rows of
        # group k, I10, I01 and I of the groups holding positive, negative, any rows:
        # I10/(I10 − 1) ΣX_a X_b + I01/(I01 − 1) ΣY_a Y_b + I/(I − 1) Σ(X_a Y_b + X_b Y_a)
        if min(self.holding) < 2:
            return math.nan
        x_a, y_a = self.sums(a)
        x_b, y_b = self.sums(b)
        with_x, with_y = self.holding
        k = len(x_a)
        return (
            with_x / (with_x - 1) * float(x_a @ x_b)
            + with_y / (with_y - 1) * float(y_a @ y_b)
            + k / (k - 1) * (float(x_a @ y_b) + float(x_b @ y_a))
        )

    def sums(self, area: Functional) -> list[FloatArray]:
        """Sum the influence over the rows of each class in each group."""
        codes = self.leverage.codes
        count = len(self.leverage.shares)
        return [np.bincount(codes[x], area.psi[x], count) / self.n for x in self.classes]

    def compare(
        self, a: Functional, b: Functional, *, alternative: Alternative, confidence_level: float
    ) -> ClusteredResult:
        """Test AUC_A − AUC_B by sums over groups."""
        contrast = a - b
        variance, df = self._variance(contrast)
        se = math.sqrt(max(variance, 0.0)) or math.nan
        value = contrast.value
        if _identical(contrast):
            status = Status.IDENTICAL_SCORES
            value = 0.0
        elif min(self.holding) < 2 or too_few_for_t(self.variant, self.groups.count, df):
            status = Status.TOO_FEW
        elif se > _NOISE:
            status = Status.OK
        else:
            status = Status.ZERO_VARIANCE
        estimate = Estimate(value=value, se=se, df=df, status=status)
        statistic, pvalue = estimate.test(alternative)
        # the difference to first order as a mean over groups: Σ (sums + share·difference)
        sums = sum(self.sums(contrast)) + self.leverage.shares * value
        ci = None
        if status is Status.OK:
            ci = estimate.interval(confidence_level, alternative, self.variant, _DIFFERENCES)
        if ci is not None and self.variant == "t_and_flips":
            by_groups = GroupSums(sums, self.leverage.shares)
            pvalue, ci = by_groups.with_flips(pvalue, ci, value, alternative, _DIFFERENCES)

        design_effect = math.nan
        independent = super().covariance(contrast, contrast)
        if variance > 0 and independent > 0:
            design_effect = max(1.0, variance / independent)
        with_positive, with_negative = self.holding
        details = self._details(a, b, estimate, alternative, confidence_level)
        details["var_a"] = self.covariance(a, a)
        details["var_b"] = self.covariance(b, b)
        details["n_clusters_positive"] = with_positive
        details["n_clusters_negative"] = with_negative
        details["variance"] = variance
        reported_df = None
        if self.variant != "obuchowski":
            reported_df = df
        return ClusteredResult(
            variant=self.variant,
            statistic=statistic,
            df=reported_df,
            pvalue=pvalue,
            alternative=alternative,
            estimate=value,
            ci=ci,
            effect_sizes={"auc_a": a.value, "auc_b": b.value},
            n=self.n,
            status=status,
            assumptions=(
                independent_clusters(self.groups),
                self._enough_groups(),
                symmetric_differences(self.leverage.shares, sums),
            ),
            null_hypothesis=_NULL.format("groups"),
            method="obuchowski1997",
            details=details,
            n_clusters=self.groups.count,
            n_effective=self.n / design_effect,
            design_effect=design_effect,
            icc=math.nan,
        )

    def _variance(self, contrast: Functional) -> tuple[float, float]:
        """Return the variance of a difference, and its degrees of freedom."""
        if self.variant == "obuchowski":
            return self.covariance(contrast, contrast), math.inf
        precision = spread(contrast.psi, groups=self.leverage)
        df = precision.df
        if self.variant == "robust_t":
            df = self.leverage.df
        return precision.se**2, df

    def _enough_groups(self) -> Assumption:
        with_positive, with_negative = self.holding
        detail = (
            f"positive rows in {with_positive} groups, negative ones in {with_negative}; "
            f"about {_ENOUGH_GROUPS} of each are wanted"
        )
        enough = min(self.holding) >= _ENOUGH_GROUPS
        return Assumption("enough groups of each class", enough, detail)


def _identical(contrast: Functional) -> bool:
    """Whether two models rank every row alike."""
    return bool(abs(contrast.value) <= _NOISE and np.abs(contrast.psi).max() <= _NOISE)

"""Two classifiers on one test set: their areas under the ROC curve.

The influence of a row on an area is that of the metric ``roc_auc``: its placement, the share of
the other class that it is ranked right against, less the mean placement of its class.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Level
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
from bakeoff.stats.core.registry import Evidence, Variants, register
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

# placements are multiples of 1/(2m) or 1/(2n): anything smaller is float noise
_NOISE = 1e-12
_ENOUGH = 15
_LARGE_SAMPLE = 30
_OF_AREAS = Variants(("delong",), ("t_and_flips", "influence_t", "robust_t", "obuchowski"))


class _Rows:
    """The rows of two classes and what relates them."""

    def __init__(
        self,
        y_true: ArrayLike,
        scores: dict[str, ArrayLike],
        groups: ArrayLike | None,
        variant: str | None,
    ):
        instead = "`y == positive_class`, one class against others"
        self.positive = as_correctness(y_true, "y_true", kind="classes", instead=instead)
        if self.positive.all() or not self.positive.any():
            missing = "negative" if self.positive[0] else "positive"
            raise ArgumentError(
                "y_true",
                f"found no {missing} row, the area under the ROC curve is undefined; "
                "compare accuracies instead (mcnemar)",
            )
        check_same_length(y_true=self.positive, **{k: as_array(v, k) for k, v in scores.items()})
        check_same_labels(y_true=y_true, **scores)
        self.n, self.classes = len(self.positive), (self.positive, ~self.positive)
        self.counts = [int(np.count_nonzero(rows)) for rows in self.classes]
        self.groups = None if groups is None else as_clusters(groups, self.n)
        self.dependent = self.covariance
        if self.groups is not None:
            self.dependent, codes = self.obuchowski, self.groups.codes
            self.leverage = Leverage.from_codes(codes, np.where(self.positive, 0, 1))
            # how many groups hold a positive row, and how many a negative one
            self.holding = [len(np.unique(codes[rows])) for rows in self.classes]
        self.form = _OF_AREAS.choose(variant, "independent" if groups is None else "groups")

    def area(self, scores: ArrayLike, name: str) -> Functional:
        """Return the area of one model with the influence of each row."""
        return auc(self.positive, as_scores(scores, name, unit="rows"), unbiased=False)

    def covariance(self, a: Functional, b: Functional) -> float:
        """Covariance of two areas (DeLong et al. 1988, eq. 5); NaN for a single row of a class."""
        if min(self.counts) < 2:
            return math.nan
        parts = zip(self.classes, self.counts, strict=True)
        return sum(float(a.psi[x] @ b.psi[x]) * m / (m - 1) for x, m in parts) / self.n**2

    def sums(self, area: Functional) -> list[FloatArray]:
        """Sum the influence over the rows of each class in each group."""
        codes, count = self.leverage.codes, len(self.leverage.shares)
        return [np.bincount(codes[x], area.psi[x], count) / self.n for x in self.classes]

    def obuchowski(self, a: Functional, b: Functional) -> float:
        """Covariance of two areas in groups (Obuchowski 1997); NaN if one holds a whole class."""
        if min(self.holding) < 2:
            return math.nan
        (x_a, y_a), (x_b, y_b) = self.sums(a), self.sums(b)
        with_x, with_y, k = *self.holding, len(x_a)
        return (
            with_x / (with_x - 1) * float(x_a @ x_b)
            + with_y / (with_y - 1) * float(y_a @ y_b)
            + k / (k - 1) * (float(x_a @ y_b) + float(x_b @ y_a))
        )

    def compare(
        self, a: Functional, b: Functional, *, alternative: Alternative, confidence_level: float
    ) -> Result:
        """Compare two areas."""
        side, level = alternative, confidence_level
        contrast, groups, form, df = a - b, self.groups, self.form, math.inf
        robust = form not in ("delong", "obuchowski")
        if robust:
            precision = spread(contrast.psi, groups=self.leverage)
            variance = precision.se**2
            df = self.leverage.df if form == "robust_t" else precision.df
        else:  # not var_A + var_B - 2 cov, which would lose its digits when the models agree
            variance = self.dependent(contrast, contrast)
        se = math.sqrt(max(variance, 0.0))
        same = abs(contrast.value) <= _NOISE and np.abs(contrast.psi).max() <= _NOISE
        status = Status.OK if se > _NOISE else Status.ZERO_VARIANCE
        if groups is None:
            few = math.isnan(se)
            same = same and not few
        else:
            few = min(self.holding) < 2 or too_few_for_t(form, groups.count, df)
            se = se or math.nan
        if few or same:
            status = Status.IDENTICAL_SCORES if same else Status.TOO_FEW
        estimate = Estimate(value=0.0 if same else contrast.value, se=se, df=df, status=status)
        statistic, pvalue = estimate.test(side)
        method, drawn = ("wald", "test rows") if groups is None else (form, "groups")
        ci = estimate.interval(level, side, method, (-1.0, 1.0)) if status is Status.OK else None
        areas = {"auc_a": a.value, "auc_b": b.value}
        facts: dict[str, Any] = {
            "variant": form,
            "statistic": statistic,
            "alternative": side,
            "estimate": estimate.value,
            "effect_sizes": areas,
            "n": self.n,
            "status": status,
            "null_hypothesis": "The two fitted models have the same area under the ROC curve on "
            f"the population that the {drawn} were drawn from.",
        }
        details: dict[str, Any] = {
            **dict(zip(("n_positive", "n_negative"), self.counts, strict=True)),
            "cov_ab": self.dependent(a, b),
            "se": se,
            "ci_unclipped": estimate.limits(level, side),
            **areas,
        }
        for model, area in (("a", a), ("b", b)):
            of_one = details[f"var_{model}"] = self.dependent(area, area)
            if groups is None:
                alone = Estimate(value=area.value, se=math.sqrt(of_one))
                details[f"auc_{model}_ci"] = alone.interval(level, "two-sided", "wald", (0.0, 1.0))
                details[f"auc_{model}_ci_unclipped"] = alone.limits(level, "two-sided")
        if groups is None:
            positive, negative = self.counts
            detail = (
                f"{positive} positive and {negative} negative row(s); the normal approximation "
                f"wants about {_LARGE_SAMPLE} of each"
            )
            large = Assumption("large sample", min(self.counts) >= _LARGE_SAMPLE, detail)
            facts |= {"pvalue": pvalue, "ci": ci, "assumptions": (INDEPENDENT_ROWS, large)}
            return Result(details=details, **facts)
        # the difference to first order as a mean over groups
        sums = sum(self.sums(contrast)) + self.leverage.shares * estimate.value
        if ci is not None and form == "t_and_flips":
            flipped = GroupSums(sums, self.leverage.shares)
            pvalue, ci = flipped.with_flips(pvalue, ci, estimate.value, side, (-1.0, 1.0))
        independent = self.covariance(contrast, contrast)
        effect = max(1.0, variance / independent) if variance > 0 and independent > 0 else math.nan
        positive, negative = self.holding
        detail = (
            f"positive rows in {positive} groups, negative ones in {negative}; about {_ENOUGH} of "
            "each are wanted"
        )
        details |= {"n_clusters_positive": positive, "n_clusters_negative": negative}
        enough = Assumption("enough groups of each class", min(self.holding) >= _ENOUGH, detail)
        symmetric = symmetric_differences(self.leverage.shares, sums)
        return ClusteredResult(
            pvalue=pvalue,
            ci=ci,
            df=df if robust else None,
            assumptions=(independent_clusters(groups), enough, symmetric),
            method="obuchowski1997",
            details=details | {"variance": variance},
            n_clusters=groups.count,
            n_effective=self.n / effect,
            design_effect=effect,
            icc=math.nan,
            **facts,
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
    rows = _Rows(y_true, {"scores": scores}, groups, variant)
    return by_pairs(rows.compare, (), [rows.area(one, "scores") for one in table.T], **family)


@register(
    evidence=Evidence.ROWS,
    citation="delong1988",
    variants=_OF_AREAS,
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
    rows = _Rows(y_true, scores, groups, variant)
    a, b = (rows.area(values, name) for name, values in scores.items())
    return rows.compare(a, b, alternative=alternative, confidence_level=confidence_level)

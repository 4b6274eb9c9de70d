"""Two classifiers on one test set: their areas under the ROC curve.

The influence of a row on an area is that of the metric ``roc_auc``: its placement, the share of
the other class that it is ranked right against, less the mean placement of its class.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.checks import (
    ArgumentError,
    BoolArray,
    FloatArray,
    IntArray,
    as_array,
    as_scores,
    check_same_labels,
    check_same_length,
    is_missing,
)
from bakeoff.stats.core.paired_differences import Estimate
from bakeoff.stats.core.pairs import shared
from bakeoff.stats.core.registry import Evidence, Variants, register
from bakeoff.stats.core.result import INDEPENDENT_ROWS, Alternative, Assumption, Result, Status
from bakeoff.stats.design.clusters import Clusters, RowDesign
from bakeoff.stats.design.flips import GroupSums
from bakeoff.stats.design.groups import (
    ClusteredResult,
    Leverage,
    independent_clusters,
    spread,
    symmetric_differences,
    too_few_for_t,
)
from bakeoff.stats.metrics.library import auc
from bakeoff.stats.metrics.view import Functional

# placements are multiples of 1/(2m) or 1/(2n): anything smaller is float noise
NOISE = 1e-12
_ENOUGH = 15
_LARGE_SAMPLE = 30
_VARIANTS = Variants(("delong",), ("t_and_flips", "influence_t", "robust_t", "obuchowski"))


@dataclasses.dataclass(frozen=True)
class _Area(Functional):
    """The area of one model with the influence of each row."""

    variance: float  # DeLong's, in groups Obuchowski's


@dataclasses.dataclass(frozen=True)
class _Rows:
    """The rows of two classes, what relates them, and how areas are compared on them."""

    positive: BoolArray
    groups: Clusters | None
    form: str
    side: Alternative
    level: float

    @classmethod
    def from_labels(
        cls,
        y_true: ArrayLike,
        scores: dict[str, ArrayLike],
        groups: ArrayLike | None,
        variant: str | None,
        side: Alternative,
        level: float,
    ) -> _Rows:
        """Check the classes of the rows and what relates them."""
        positive = _as_classes(y_true)
        check_same_length(y_true=positive, **{k: as_array(v, k) for k, v in scores.items()})
        check_same_labels(y_true=y_true, **scores)
        design = RowDesign.from_labels(len(positive), groups)
        form = _VARIANTS.choose(variant, design.relation)
        return cls(positive, design.groups, form, side, level)

    @cached_property
    def order(self) -> IntArray:
        """The positive rows, then the negative ones: the order of all influence values."""
        return np.argsort(~self.positive, kind="stable")

    @property
    def classes(self) -> tuple[slice, slice]:
        """Where the rows of each class are in that order."""
        return slice(0, self.counts[0]), slice(self.counts[0], None)

    @cached_property
    def counts(self) -> tuple[int, int]:
        """How many rows are positive and how many negative."""
        positive = int(np.count_nonzero(self.positive))
        return positive, len(self.positive) - positive

    def area(self, scores: ArrayLike, name: str) -> _Area:
        """Rank the rows by the scores of one model."""
        roc = auc(self.positive, as_scores(scores, name, unit="rows"), unbiased=False)
        area = Functional(roc.value, roc.psi[self.order])
        covariance = self.covariance if self.groups is None else self.obuchowski
        return _Area(area.value, area.psi, covariance(area, area))

    def covariance(self, a: Functional, b: Functional) -> float:
        """Covariance of two areas (DeLong et al. 1988, eq. 5); NaN for a single row of a class."""
        if min(self.counts) < 2:
            return math.nan
        parts = zip(self.classes, self.counts, strict=True)
        total = sum(float(a.psi[rows] @ b.psi[rows]) * m / (m - 1) for rows, m in parts)
        return total / len(self.positive) ** 2

    @cached_property
    def codes(self) -> IntArray:
        """The group of each row, in their order."""
        assert self.groups is not None
        return self.groups.codes[self.order]

    def sums(self, area: Functional) -> list[FloatArray]:
        """Sum the influence over the rows of each class in each group."""
        assert self.groups is not None
        count, n = self.groups.count, len(self.positive)
        return [np.bincount(self.codes[rows], area.psi[rows], count) / n for rows in self.classes]

    @cached_property
    def leverage(self) -> Leverage:
        """What sums over groups are divided by."""
        return Leverage.from_codes(self.codes, (np.arange(len(self.codes)) >= self.counts[0]) * 1)

    @cached_property
    def holding(self) -> tuple[int, int]:
        """How many groups hold a positive row, and how many a negative one."""
        with_positive, with_negative = (len(np.unique(self.codes[rows])) for rows in self.classes)
        return with_positive, with_negative

    def obuchowski(self, a: Functional, b: Functional) -> float:
        """Covariance of two areas in groups (Obuchowski 1997); NaN if one holds a whole class."""
        if min(self.holding) < 2:
            return math.nan
        assert self.groups is not None
        (x_a, y_a), (x_b, y_b) = self.sums(a), self.sums(b)
        with_x, with_y, k = *self.holding, self.groups.count
        return (
            with_x / (with_x - 1) * float(x_a @ x_b)
            + with_y / (with_y - 1) * float(y_a @ y_b)
            + k / (k - 1) * (float(x_a @ y_b) + float(x_b @ y_a))
        )

    def status(self, difference: Functional, se: float) -> Status:
        """Name the case of a difference with this standard error."""
        if abs(difference.value) <= NOISE and np.abs(difference.psi).max() <= NOISE:
            return Status.IDENTICAL_SCORES
        return Status.OK if se > NOISE else Status.ZERO_VARIANCE

    def facts(self, a: _Area, b: _Area, estimate: Estimate) -> dict[str, Any]:
        """Return what a result says with and without groups."""
        statistic, pvalue = estimate.test(self.side)
        ci = None
        if estimate.status is Status.OK:
            method = "wald" if self.groups is None else self.form
            ci = estimate.interval(self.level, self.side, method, (-1.0, 1.0))
        covariance = self.covariance if self.groups is None else self.obuchowski
        same = estimate.status is Status.IDENTICAL_SCORES
        return {
            "variant": self.form,
            "statistic": statistic,
            "pvalue": pvalue,
            "alternative": self.side,
            "estimate": 0.0 if same else estimate.value,
            "ci": ci,
            "effect_sizes": {"auc_a": a.value, "auc_b": b.value},
            "n": len(self.positive),
            "status": estimate.status,
            "null_hypothesis": "The two fitted models have the same area under the ROC curve on "
            f"the population that the {'test rows' if self.groups is None else 'groups'} were "
            "drawn from.",
            "details": {
                **dict(zip(("n_positive", "n_negative"), self.counts, strict=True)),
                "var_a": a.variance,
                "var_b": b.variance,
                "cov_ab": covariance(a, b),
                "se": estimate.se,
                "ci_unclipped": estimate.limits(self.level, self.side),
                "auc_a": a.value,
                "auc_b": b.value,
            },
        }

    def compare(self, a: _Area, b: _Area) -> Result:
        """Compare two areas."""
        if self.groups is not None:
            return self.compare_in_groups(a, b)
        difference = a - b
        # from the differences: var_A + var_B - 2 cov would lose its digits when the models agree
        se = math.sqrt(self.covariance(difference, difference))
        status = Status.TOO_FEW if math.isnan(se) else self.status(difference, se)
        facts = self.facts(a, b, Estimate(value=difference.value, se=se, status=status))
        for model, area in (("a", a), ("b", b)):
            alone = Estimate(value=area.value, se=math.sqrt(area.variance))
            ci = alone.interval(self.level, method="wald", bounds=(0.0, 1.0))
            facts["details"][f"auc_{model}_ci"] = ci
            facts["details"][f"auc_{model}_ci_unclipped"] = alone.limits(self.level, "two-sided")
        positive, negative = self.counts
        large = Assumption(
            "large sample",
            min(self.counts) >= _LARGE_SAMPLE,
            f"{positive} positive and {negative} negative row(s); the normal approximation wants "
            f"about {_LARGE_SAMPLE} of each",
        )
        return Result(assumptions=(INDEPENDENT_ROWS, large), **facts)

    def compare_in_groups(self, a: _Area, b: _Area) -> ClusteredResult:
        """Compare two areas by the sums of their influence over groups."""
        groups, form, n = self.groups, self.form, len(self.positive)
        assert groups is not None
        contrast, robust = a - b, form != "obuchowski"
        of_groups = spread(contrast.psi, clusters=self.codes, leverage=self.leverage)
        df = of_groups.df if form in ("t_and_flips", "influence_t") else self.leverage.df
        variance = of_groups.se**2 if robust else self.obuchowski(contrast, contrast)
        se = math.sqrt(variance) if variance > 0 else 0.0
        status = self.status(contrast, se)
        few = min(self.holding) < 2 or too_few_for_t(form, groups.count, df)
        if few and status is not Status.IDENTICAL_SCORES:
            status = Status.TOO_FEW
        value = 0.0 if status is Status.IDENTICAL_SCORES else contrast.value
        facts = self.facts(
            a,
            b,
            Estimate(value=value, se=se or math.nan, df=df if robust else math.inf, status=status),
        )
        # the difference to first order as a mean over groups
        shares = self.leverage.shares
        sums = sum(self.sums(contrast)) + shares * value
        if facts["ci"] is not None and form == "t_and_flips":
            p, ci = facts["pvalue"], facts["ci"]
            flipped = GroupSums(sums, shares).with_flips(p, ci, value, self.side, (-1.0, 1.0))
            facts["pvalue"], facts["ci"] = flipped
        independent = self.covariance(contrast, contrast)
        effect = max(1.0, variance / independent) if variance > 0 and independent > 0 else math.nan
        with_positive, with_negative = self.holding
        facts["details"] |= {
            "n_clusters_positive": with_positive,
            "n_clusters_negative": with_negative,
            "variance": variance,
        }
        return ClusteredResult(
            df=df if robust else None,
            assumptions=(
                independent_clusters(groups),
                Assumption(
                    "enough groups of each class",
                    min(self.holding) >= _ENOUGH,
                    f"positive rows in {with_positive} groups, negative ones in {with_negative}; "
                    f"about {_ENOUGH} of each are wanted",
                ),
                symmetric_differences(shares, sums),
            ),
            method="obuchowski1997",
            n_clusters=groups.count,
            n_effective=n / effect,
            design_effect=effect,
            icc=math.nan,
            **facts,
        )


def _as_classes(y_true: ArrayLike) -> BoolArray:
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
        values = ", ".join(repr(v) for v in list(dict.fromkeys(array.tolist()))[:4])
        raise ArgumentError(
            "y_true",
            f"expected 0/1 (1 is the positive class), found {values} "
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
    table, members = as_array(scores, "scores"), list(pairs)
    how = groups, variant, alternative, confidence_level
    rows = _Rows.from_labels(y_true, {"scores": scores}, *how)
    models = dict.fromkeys(model for pair in members for model in pair)
    areas = {model: rows.area(table[:, model], "scores") for model in models}
    return [rows.compare(areas[a], areas[b]) for a, b in members]


@register(
    evidence=Evidence.ROWS,
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
    scores = {"score_a": score_a, "score_b": score_b}
    how = groups, variant, alternative, confidence_level
    rows = _Rows.from_labels(y_true, scores, *how)
    a, b = (rows.area(values, name) for name, values in scores.items())
    return rows.compare(a, b)

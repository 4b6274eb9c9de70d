"""Two classifiers on one test set: their areas under the ROC curve."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal

from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import (
    BoolArray,
    as_array,
    as_scores,
    check_same_labels,
    check_same_length,
)
from bakeoff.stats.core.pairwise import shared
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.core.tails import normal_pvalue
from bakeoff.stats.core.variants import Variants
from bakeoff.stats.design.clusters import Clusters
from bakeoff.stats.design.row_design import RowDesign
from bakeoff.stats.rows import auc_in_groups
from bakeoff.stats.rows.placements import NOISE, Placements, as_classes, placements

_LARGE_SAMPLE = 30
_VARIANTS = Variants(("delong",), auc_in_groups.VARIANTS)


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
    """Return what `delong` says of each pair of columns; each model is ranked once.

    `scores`, shape (n, M), are what each model gives the positive class, `pairs` the columns A
    and B of each comparison.
    """
    positive, table = as_classes(y_true), as_array(scores, "scores")
    check_same_length(y_true=positive, scores=table)
    check_same_labels(y_true=y_true, scores=scores)
    design = RowDesign.of(len(positive), groups)
    form = _VARIANTS.choose(variant, design.relation)
    clusters = None if groups is None else design.units
    places: dict[int, Placements] = {}
    found = []
    for pair in pairs:
        for m in pair:
            if m not in places:
                column = as_scores(table[:, m], "scores", unit="rows")
                places[m] = placements(positive, column)
        a, b = (places[m] for m in pair)
        found.append(_in_form(positive, a, b, clusters, form, alternative, confidence_level))
    return found


@register(
    title="DeLong's test",
    evidence=Evidence.PROBABILITIES,
    arity=Arity.PAIR,
    about="models",
    answers="Does one of these two fitted models have the larger area under the ROC curve?",
    plans=("holdout",),
    citation="delong1988",
    caution="It compares rankings, not decisions at a threshold. It is conservative when one "
    "model only adds features to the other. With few groups that contain a positive row, its "
    "variance is estimated from little data.",
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
    """DeLong's paired test of the areas under two ROC curves.

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
    a, b = (
        as_scores(score_a, "score_a", unit="rows"),
        as_scores(score_b, "score_b", unit="rows"),
    )
    check_same_length(y_true=positive, score_a=a, score_b=b)
    check_same_labels(y_true=y_true, score_a=score_a, score_b=score_b)
    design = RowDesign.of(len(positive), groups)
    form = _VARIANTS.choose(variant, design.relation)
    clusters = None if groups is None else design.units
    places = placements(positive, a), placements(positive, b)
    return _in_form(positive, *places, clusters, form, alternative, confidence_level)


def _in_form(
    positive: BoolArray,
    a: Placements,
    b: Placements,
    clusters: Clusters | None,
    form: str,
    side: Alternative,
    level: float,
) -> Result:
    if clusters is None:
        return _compare(a, b, side, level)
    return auc_in_groups.compare(positive, a, b, clusters, form, side, level)


def _compare(a: Placements, b: Placements, side: Alternative, level: float) -> Result:
    contrast = a - b
    # from the differences: var_A + var_B - 2 cov would lose its digits when the models agree
    se = math.sqrt(contrast.variance)
    difference = contrast.auc
    status, z, pvalue = _decide(contrast, se, side)
    n_positive, n_negative = len(a.positives), len(a.negatives)
    return Result(
        test="delong",
        variant="delong",
        statistic=z,
        pvalue=pvalue,
        alternative=side,
        estimate=0.0 if status is Status.IDENTICAL_SCORES else difference,
        ci=_interval(difference, se, level, side, -1.0) if status is Status.OK else None,
        effect_sizes={"auc_a": a.auc, "auc_b": b.auc},
        n=n_positive + n_negative,
        status=status,
        assumptions=_assumptions(n_positive, n_negative),
        null_hypothesis="The two fitted models have the same area under the ROC curve on the "
        "population that the test rows were drawn from.",
        method="delong1988",
        details={
            "n_positive": n_positive,
            "n_negative": n_negative,
            "var_a": a.variance,
            "var_b": b.variance,
            "cov_ab": a.covariance(b),
            "se": se,
            "ci_unclipped": _unclipped(difference, se, level, side),
            **_area("a", a.auc, a.variance, level),
            **_area("b", b.auc, b.variance, level),
        },
    )


def _decide(contrast: Placements, se: float, side: Alternative) -> tuple[Status, float, float]:
    if math.isnan(se):
        return Status.TOO_FEW, math.nan, math.nan
    if contrast.none:
        return Status.IDENTICAL_SCORES, 0.0, 1.0
    difference = contrast.auc
    if se <= NOISE:
        return Status.ZERO_VARIANCE, math.copysign(math.inf, difference), math.nan
    return Status.OK, difference / se, normal_pvalue(difference / se, side)


def _unclipped(centre: float, se: float, level: float, side: Alternative) -> tuple[float, float]:
    half = -float(special.ndtri(tail_probability(level, side))) * se
    low = -math.inf if side == "less" else centre - half
    high = math.inf if side == "greater" else centre + half
    return low, high


def _interval(
    centre: float, se: float, level: float, side: Alternative, lowest: float
) -> ConfidenceInterval:
    low, high = _unclipped(centre, se, level, side)
    return ConfidenceInterval(max(low, lowest), min(high, 1.0), level, "wald")


def _area(model: str, auc: float, variance: float, level: float) -> dict[str, Any]:
    se = math.sqrt(variance)
    known = se > 0  # not NaN and not a perfect or constant ranking
    return {
        f"auc_{model}": auc,
        f"auc_{model}_ci": _interval(auc, se, level, "two-sided", 0.0) if known else None,
        f"auc_{model}_ci_unclipped": _unclipped(auc, se, level, "two-sided"),
    }


def _assumptions(n_positive: int, n_negative: int) -> tuple[Assumption, ...]:
    return (
        INDEPENDENT_ROWS,
        Assumption(
            "large sample",
            min(n_positive, n_negative) >= _LARGE_SAMPLE,
            f"{n_positive} positive and {n_negative} negative row(s); the normal approximation "
            f"wants about {_LARGE_SAMPLE} of each",
        ),
    )

"""Two classifiers on one test set: their areas under the ROC curve."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import (
    BoolArray,
    FloatArray,
    as_array,
    as_scores,
    check_alternative,
    check_level,
    check_same_labels,
    check_same_length,
    is_missing,
)
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.pairwise import shared
from bakeoff.stats.core.ranks import rows_below
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

# placements are multiples of 1/(2m) or 1/(2n): anything smaller is float noise
_NOISE = 1e-12
_LARGE_SAMPLE = 30


@dataclasses.dataclass(frozen=True)
class _Placements:
    """Share of the other class that each row is ranked right against (ties count half)."""

    positives: FloatArray
    negatives: FloatArray

    @cached_property
    def auc(self) -> float:
        return float(self.positives.mean())

    @cached_property
    def deviations(self) -> tuple[FloatArray, FloatArray]:
        """The placements of positives and of negatives less their means."""
        return self.positives - self.positives.mean(), self.negatives - self.negatives.mean()

    @cached_property
    def variance(self) -> float:
        """The variance of the area."""
        return self.covariance(self)

    def covariance(self, other: _Placements) -> float:
        """Covariance of the two areas (DeLong et al. 1988, eq. 5); NaN for a single row."""
        total = 0.0
        for x, y in zip(self.deviations, other.deviations, strict=True):
            if len(x) < 2:
                return math.nan
            total += inner(x, y) / (len(x) - 1) / len(x)
        return total

    def __sub__(self, other: _Placements) -> _Placements:
        return _Placements(self.positives - other.positives, self.negatives - other.negatives)

    @property
    def none(self) -> bool:
        """Whether every placement is 0."""
        values = self.positives, self.negatives
        return all(v.min() >= -_NOISE and v.max() <= _NOISE for v in values)


def delong_pairs(
    y_true: ArrayLike,
    scores: ArrayLike,
    pairs: Iterable[tuple[int, int]],
    *,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> list[Result]:
    """Return what `delong` says of each pair of columns; each model is ranked once.

    Parameters
    ----------
    y_true, alternative, confidence_level
        As in `delong`.
    scores : array_like, shape (n, M)
        What each model gives the positive class.
    pairs : iterable of (int, int)
        The columns A and B of each comparison.
    """
    side = check_alternative(alternative)
    level = check_level(confidence_level, side=side)
    positive, table = as_classes(y_true), as_array(scores, "scores")
    check_same_length(y_true=positive, scores=table)
    check_same_labels(y_true=y_true, scores=scores)
    places: dict[int, _Placements] = {}
    found = []
    for pair in pairs:
        for m in pair:
            if m not in places:
                column = as_scores(table[:, m], "scores", unit="rows")
                places[m] = placements(positive, column)
        found.append(_compare(places[pair[0]], places[pair[1]], side, level))
    return found


@register(
    title="DeLong's test",
    evidence=Evidence.PROBABILITIES,
    arity=Arity.PAIR,
    about="models",
    answers="Does one of these two fitted models rank positives above negatives more often?",
    plans=("holdout",),
    citation="delong1988",
    caution="It compares rankings, not decisions at a threshold. When one model only adds "
    "features to the other it is conservative.",
    in_groups="clustered_delong",
    in_time="clustered_delong",
    all_pairs=shared(delong_pairs),
)
def delong(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
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
    alternative, confidence_level : shared

    Returns
    -------
    Result
        `estimate` is AUC_A − AUC_B; ``details`` holds each area with its variance and
        interval, and the covariance. Fewer than two rows of a class give ``too_few``; equal
        rankings give p 1.

    Examples
    --------
    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> result = delong(y, [.9, .8, .7, .4, .5, .3, .2, .1], [.9, .3, .6, .4, .5, .7, .2, .1])
    >>> round(result.estimate, 4), round(result.statistic, 4), round(result.pvalue, 4)
    (0.25, 1.2247, 0.2207)
    """
    side = check_alternative(alternative)
    level = check_level(confidence_level, side=side)
    positive = as_classes(y_true)
    a, b = (
        as_scores(score_a, "score_a", unit="rows"),
        as_scores(score_b, "score_b", unit="rows"),
    )
    check_same_length(y_true=positive, score_a=a, score_b=b)
    check_same_labels(y_true=y_true, score_a=score_a, score_b=score_b)
    return _compare(placements(positive, a), placements(positive, b), side, level)


def _compare(a: _Placements, b: _Placements, side: Alternative, level: float) -> Result:
    contrast = a - b
    # from the differences: var_A + var_B - 2 cov would lose its digits when the models agree
    se = math.sqrt(contrast.variance)
    difference = contrast.auc
    status, z, pvalue = _decide(contrast, se, side)
    n_positive, n_negative = len(a.positives), len(a.negatives)
    return Result(
        test="delong",
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


def placements(positive: BoolArray, scores: FloatArray) -> _Placements:
    """Place each row among those of the other class, from one sort of all."""
    below = rows_below(positive, scores)
    n_positive = int(np.count_nonzero(positive))
    return _Placements(
        below[positive] / (len(scores) - n_positive), 1 - below[~positive] / n_positive
    )


def _decide(contrast: _Placements, se: float, side: Alternative) -> tuple[Status, float, float]:
    if math.isnan(se):
        return Status.TOO_FEW, math.nan, math.nan
    if contrast.none:
        return Status.IDENTICAL_SCORES, 0.0, 1.0
    difference = contrast.auc
    if se <= _NOISE:
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

"""Two classifiers by several criteria at once: Hotelling's T².

A vector of metrics is compared in one test, which sees differences that no single metric shows
and needs no correction for the number of metrics. Folds are taken for independent.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.arithmetic import solved
from bakeoff.stats.core.checks import FloatArray, check_same_labels
from bakeoff.stats.core.paired_differences import noise_level
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Assumption, Result, Status
from bakeoff.stats.folds.anova import independence
from bakeoff.stats.folds.multivariate import (
    as_criteria,
    check_independent,
    criteria_names,
    distinct_rows,
    enough_folds,
    judge,
    triangular_factor,
)

_FACTS: dict[str, Any] = {
    "evidence": Evidence.FOLD_CRITERIA,
    "arity": Arity.PAIR,
    "about": "algorithms",
    "plans": ("kfold",),
    "citation": "hotelling1931",
    "null_hypothesis": "The two learning algorithms have the same expected value of every "
    "criterion.",
}


@register(
    **_FACTS,
    title="Paired Hotelling T²",
    caution="It assumes independent folds although their training sets overlap.",
    answers="Do the two algorithms differ in any of several criteria, taken together?",
    better_test="half_sample_t",
)
def hotelling_t2(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    criteria: Sequence[str] | None = None,
    confidence_level: Level = 0.95,
    greater_is_better: bool | Sequence[bool] = True,
) -> Result:
    """Hotelling's T² on the vectors of paired differences.

    T² = J d̄ᵀ S⁻¹ d̄ and F = (J − m)/(m (J − 1)) T² with m and J − m degrees of freedom
    (Hotelling 1931).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (J, m)
        Scores of A and B: rows are the same folds, columns criteria.

    Returns
    -------
    Result
        `statistic` is F; ``details`` holds T² (``"t2"``), the mean differences (positive favours
        A) and their simultaneous intervals.

    Examples
    --------
    >>> d = [[0.044, 0.004], [0.072, 0.050], [-0.004, 0.013], [0.056, 0.040], [0.021, 0.029]]
    >>> result = hotelling_t2(d, [[0, 0]] * 5)
    >>> print(f"F({result.df1}, {result.df2}) = {result.statistic:.2f}, p = {result.pvalue:.3f}")
    F(2, 3) = 4.28, p = 0.132
    """
    a = as_criteria(scores_a, "scores_a", 2, greater_is_better)
    b = as_criteria(scores_b, "scores_b", 2, greater_is_better)
    if a.shape != b.shape:
        raise ValueError(
            f"scores_a has shape {a.shape}, scores_b {b.shape}: both models must be scored on the "
            "same folds and criteria; for unpaired folds use hotelling_t2_unpaired"
        )
    check_same_labels(scores_a=scores_a, scores_b=scores_b)
    size = np.maximum(np.abs(a), np.abs(b))
    relative = noise_level(scores_a, scores_b)
    d = np.where(np.abs(a - b) <= relative * size, 0.0, a - b)
    folds, m = d.shape
    noise = relative * size.max(axis=0)
    sample = _Sample(
        mean=d.mean(axis=0),
        residuals=d - d.mean(axis=0),
        noise=noise,
        freedom=folds - 1,
        weight=folds,
        names=criteria_names(criteria, m),
        spanned=distinct_rows(d, noise) - 1,
    )
    return _t2_result(sample, folds, confidence_level, independence(folds))


@register(
    **_FACTS,
    title="Two-sample Hotelling T²",
    caution="It ignores that the models share their folds: the variation between folds counts as "
    "noise, which costs power.",
    answers="Do two algorithms that were scored on different folds differ in any criterion?",
    better_test="half_sample_t",
)
def hotelling_t2_unpaired(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    criteria: Sequence[str] | None = None,
    confidence_level: Level = 0.95,
    greater_is_better: bool | Sequence[bool] = True,
) -> Result:
    """Hotelling's two-sample T², for algorithms that do not share their folds.

    T² = J_A J_B/(J_A + J_B) (x̄ − ȳ)ᵀ S⁻¹ (x̄ − ȳ) with the pooled covariance S, and
    F = (N − m − 1)/(m (N − 2)) T², N = J_A + J_B, with m and N − m − 1 degrees of freedom
    (Hotelling 1931). On shared folds it wastes power: use `hotelling_t2`.

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (J_A, m) and (J_B, m)
        Scores of A and of B: rows are folds, columns criteria.

    Returns
    -------
    Result
        As that of `hotelling_t2`.

    Examples
    --------
    >>> a = [[0.80, 0.71], [0.82, 0.70], [0.81, 0.74], [0.79, 0.72]]
    >>> b = [[0.78, 0.70], [0.79, 0.73], [0.76, 0.71], [0.80, 0.69]]
    >>> result = hotelling_t2_unpaired(a, b)
    >>> print(f"F({result.df1}, {result.df2}) = {result.statistic:.2f}, p = {result.pvalue:.3f}")
    F(2, 5) = 2.54, p = 0.173
    """
    a = as_criteria(scores_a, "scores_a", 2, greater_is_better)
    b = as_criteria(scores_b, "scores_b", 2, greater_is_better)
    if a.shape[1] != b.shape[1]:
        raise ValueError(
            f"scores_a has {a.shape[1]} criteria, scores_b {b.shape[1]}: they must be the same"
        )
    residuals = np.vstack((a - a.mean(axis=0), b - b.mean(axis=0)))
    size = np.maximum(np.abs(a).max(axis=0), np.abs(b).max(axis=0))
    noise = noise_level(scores_a, scores_b) * size
    sample = _Sample(
        mean=a.mean(axis=0) - b.mean(axis=0),
        residuals=residuals,
        noise=noise,
        freedom=len(a) + len(b) - 2,
        weight=len(a) * len(b) / (len(a) + len(b)),
        names=criteria_names(criteria, a.shape[1]),
        spanned=distinct_rows(a, noise) + distinct_rows(b, noise) - 2,
    )
    n = len(a) + len(b)
    return _t2_result(sample, n, confidence_level, independence(min(len(a), len(b))))


@dataclasses.dataclass(frozen=True)
class _Sample:
    """What both forms of T² need: a mean difference and rows around their expectation."""

    mean: FloatArray
    residuals: FloatArray
    noise: FloatArray
    freedom: int
    weight: float
    names: tuple[str, ...]
    spanned: int


def _t2_result(sample: _Sample, n: int, level: float, independent: Assumption) -> Result:
    m, freedom = sample.mean.size, sample.freedom
    df2 = freedom - m + 1
    status, varies = judge(
        sample.residuals,
        sample.noise,
        np.abs(sample.mean) > sample.noise,
        sample.names,
        freedom=freedom,
        spanned=sample.spanned,
    )
    t2 = f = pvalue = distance = math.nan
    reach = np.full(m, math.nan)
    if status is Status.OK:
        check_independent(sample.residuals, sample.noise, sample.names)
        # Mahalanobis distance by the triangular factor of the rows: no covariance is inverted
        factor = triangular_factor(sample.residuals) / math.sqrt(freedom)
        distance = float((solved(factor.T, sample.mean)[0] ** 2).sum())
        t2 = sample.weight * distance
        f = df2 / (m * freedom) * t2
        pvalue = float(special.fdtrc(m, df2, f))
        variance = (sample.residuals**2).sum(axis=0) / freedom
        critical = m * freedom / df2 * float(special.fdtri(m, df2, level))
        reach = np.sqrt(critical * variance / sample.weight)
    elif status is Status.IDENTICAL_SCORES:
        t2, f, pvalue, distance = 0.0, 0.0, 1.0, 0.0
    elif status is Status.ZERO_VARIANCE:
        t2 = f = distance = math.inf
    return Result(
        statistic=f,
        df1=m,
        df2=df2,
        pvalue=pvalue,
        effect_sizes={"mahalanobis": math.sqrt(distance)},
        n=n,
        status=status,
        assumptions=(independent, varies, enough_folds(freedom, m)),
        details={
            "t2": t2,
            "criteria": sample.names,
            "mean_difference": sample.mean,
            "ci_low": sample.mean - reach,
            "ci_high": sample.mean + reach,
            "confidence": level,
        },
    )

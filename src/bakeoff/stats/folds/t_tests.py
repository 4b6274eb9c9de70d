"""Two classifiers, resampled: tests on the per-fold differences of any metric.

The statistic of every test here is made from d = score of A − score of B, one per fold. They
differ in what they do about the overlap of the folds' training sets.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.checks import FloatArray, as_array
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.paired_differences import (
    Differences,
    degenerate_t,
    effect_sizes,
    normality,
    paired_differences,
    paired_t_result,
    ratio_status,
    t_result,
)
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Result, Status
from bakeoff.stats.planning import FiveByTwoPower

_PAIR: dict[str, Any] = {
    "evidence": Evidence.FOLD_SCORES,
    "arity": Arity.PAIR,
    "about": "algorithms",
}
_HALF_NULL = (
    "The two learning algorithms have the same expected score when trained on half of this data."
)


@register(
    **_PAIR,
    title="5×2cv paired t test",
    answers="Does one algorithm score higher than the other when trained on half of the data?",
    plans=("cv_5x2",),
    citation="dietterich1998",
    caution="Its numerator is only the first of the ten differences, so its result depends on "
    "the order of the folds; cv5x2_f uses all ten.",
    replications=True,
    better_test="half_sample_t",
    null_hypothesis=_HALF_NULL,
)
def cv5x2_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> Result:
    """Dietterich's 5×2cv paired t test.

    t = d₁₁ / √(Σs²ᵢ/5) with s²ᵢ = (d_i1 − d̄ᵢ)² + (d_i2 − d̄ᵢ)² and 5 degrees of freedom
    (Dietterich 1998, section 3.5).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (5, 2)
        Scores of A and B: five replications (rows) of 2-fold cross-validation.

    Returns
    -------
    Result
        `estimate` is d₁₁, the difference the statistic is made of, and `ci` belongs to it;
        ``details["mean_difference"]`` is the mean of all ten. ``details["all_ten_t"]`` shows
        what t would be had another fold come first.

    Examples
    --------
    >>> a = [[0.90, 0.91], [0.89, 0.92], [0.91, 0.90], [0.90, 0.89], [0.92, 0.91]]
    >>> b = [[0.86, 0.89], [0.86, 0.88], [0.88, 0.89], [0.88, 0.85], [0.89, 0.88]]
    >>> result = cv5x2_t(a, b)
    >>> print(f"t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    t = 3.508, p = 0.0171
    """
    d = _five_by_two(scores_a, scores_b, greater_is_better)
    variances = _replication_variances(d.values)
    se = math.sqrt(float(variances.mean()))
    first = float(d.values[0, 0])
    status = ratio_status(first, se, d.noise, d.identical)
    undefined = 0.0 if d.identical else math.nan
    ten = d.values / se if status is Status.OK else np.full((5, 2), undefined)
    return t_result(
        first,
        se,
        5,
        status,
        alternative,
        confidence_level,
        effect_sizes=effect_sizes(d),
        n=10,
        assumptions=(_ten_agree(ten, confidence_level), normality(d)),
        details={
            "mean_difference": float(d.values.mean()),
            "se": se,
            "differences": d.values,
            "variances": variances,
            "all_ten_t": ten,
        },
    )


@register(
    **_PAIR,
    title="Combined 5×2cv F test",
    answers="Do the two algorithms score differently when trained on half of the data?",
    plans=("cv_5x2",),
    citation="alpaydin1999",
    caution="It assumes that the two folds of a replication are independent, although each is "
    "the other's training set.",
    replications=True,
    planning=partial(FiveByTwoPower, n_simulations=5000),
    better_test="half_sample_t",
    null_hypothesis=_HALF_NULL,
)
def cv5x2_f(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> Result:
    """Alpaydin's combined 5×2cv F test: all ten differences, not the first alone.

    F = Σd²_ij / (2 Σs²ᵢ), referred to F(10, 5) (Alpaydin 1999). It is two-sided.

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (5, 2)
        Scores of A and B: five replications (rows) of 2-fold cross-validation.

    Returns
    -------
    Result
        `estimate` is the mean of the ten differences; `ci` holds the constant differences that
        the test does not reject; ``details`` holds the numerator Σd², the denominator 2Σs² and
        the five variances s².

    Notes
    -----
    The s²ᵢ do not change when a constant δ is taken from every difference, so Σ(d_ij − δ)² ≤
    2 F* Σs²ᵢ, with the critical value F*, is a quadratic in δ: d̄ ± √(d̄² − (Σd² − 2 F* Σs²)/10).
    The interval excludes 0 exactly when the test rejects. It is absent where the test rejects
    every constant, that is, where the replications differ more than their halves.

    Examples
    --------
    >>> a = [[0.90, 0.91], [0.89, 0.92], [0.91, 0.90], [0.90, 0.89], [0.92, 0.91]]
    >>> b = [[0.86, 0.89], [0.86, 0.88], [0.88, 0.89], [0.88, 0.85], [0.89, 0.88]]
    >>> result = cv5x2_f(a, b)
    >>> print(f"F = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    F = 7.154, p = 0.0212
    """
    d = _five_by_two(scores_a, scores_b, greater_is_better)
    variances = _replication_variances(d.values)
    numerator, denominator = float((d.values**2).sum()), 2 * float(variances.sum())
    status = ratio_status(numerator, math.sqrt(variances.mean()), d.noise, d.identical)
    statistic, pvalue = degenerate_t(numerator, status)
    if status is Status.OK:
        statistic = numerator / denominator
        pvalue = float(special.fdtrc(10, 5, statistic))
    return Result(
        statistic=statistic,
        df1=10,
        df2=5,
        pvalue=pvalue,
        estimate=float(d.values.mean()),
        ci=_f_interval(d.values, denominator, confidence_level) if status is Status.OK else None,
        effect_sizes=effect_sizes(d),
        n=10,
        status=status,
        assumptions=(normality(d),),
        details={
            "numerator": numerator,
            "denominator": denominator,
            "differences": d.values,
            "variances": variances,
        },
    )


@register(
    **_PAIR,
    title="k-fold cross-validated paired t test",
    answers="Does one algorithm score higher than the other over the folds?",
    plans=("kfold",),
    citation="dietterich1998",
    caution="It assumes independent folds although their training sets overlap, which inflates "
    "its type I error. Prefer corrected_kfold_t.",
    better_test="half_sample_t",
)
def kfold_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> Result:
    """Paired t test over the k folds of one cross-validation (liberal).

    t = d̄ / (s/√k) with k − 1 degrees of freedom (Dietterich 1998, section 3.4).

    Returns
    -------
    Result
        `estimate` is the mean difference d̄.

    Examples
    --------
    >>> result = kfold_t([0.80, 0.84, 0.82, 0.85, 0.81], [0.78, 0.83, 0.81, 0.81, 0.80])
    >>> print(f"t({result.df:.0f}) = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    t(4) = 3.087, p = 0.0367
    """
    d = paired_differences(scores_a, scores_b, greater_is_better=greater_is_better)
    k = d.values.size
    overlap = Assumption(
        "independent folds",
        None if k < 2 else k == 2,
        f"any two of the {k} training sets share {max(k - 2, 0) / max(k - 1, 1):.0%} of their rows",
    )
    return paired_t_result(d, 0.0, alternative, confidence_level, overlap)


@register(
    **_PAIR,
    title="Resampled paired t test",
    answers="Does one algorithm score higher than the other over random splits?",
    plans=("resampled",),
    citation="dietterich1998",
    caution="It assumes independent splits although random splits overlap: with enough splits it "
    "rejects almost any null hypothesis. Use corrected_resampled_t.",
    better_test="half_sample_t",
)
def resampled_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> Result:
    """Paired t test over J random train/test splits (very liberal; for comparison only).

    t = d̄ / (s/√J) with J − 1 degrees of freedom (Dietterich 1998, section 3.3).

    Returns
    -------
    Result
        `estimate` is the mean difference d̄.

    Examples
    --------
    >>> result = resampled_t([0.80, 0.84, 0.82, 0.85, 0.81], [0.78, 0.83, 0.81, 0.81, 0.80])
    >>> print(f"t({result.df:.0f}) = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    t(4) = 3.087, p = 0.0367
    """
    d = paired_differences(scores_a, scores_b, greater_is_better=greater_is_better)
    overlap = Assumption(
        "independent folds",
        False,
        f"the {d.values.size} random splits share rows in their training and in their test sets",
    )
    return paired_t_result(d, 0.0, alternative, confidence_level, overlap)


def _f_interval(d: FloatArray, denominator: float, level: float) -> ConfidenceInterval | None:
    """Return the constants that leave F below its critical value when taken from each d."""
    critical = float(special.fdtri(10, 5, level))
    mean = float(d.mean())
    # d̄² − Σd²/10 as minus the variance: the difference of two near-equal numbers loses digits
    square = critical * denominator / 10 - float(((d - mean) ** 2).mean())
    if square < 0:
        return None
    reach = math.sqrt(square)
    return ConfidenceInterval(mean - reach, mean + reach, level, "f-inversion")


def _five_by_two(a: ArrayLike, b: ArrayLike, greater_is_better: bool) -> Differences:
    for name, scores in (("scores_a", a), ("scores_b", b)):
        shape = as_array(scores, name).shape
        if shape != (5, 2):
            raise ArgumentError(
                name,
                f"expected shape (5, 2), five replications of 2-fold cross-validation, "
                f"found {shape}; for other plans use corrected_kfold_t, "
                "corrected_repeated_kfold_t or corrected_resampled_t",
            )
    return paired_differences(a, b, ndim=2, greater_is_better=greater_is_better)


def _replication_variances(d: FloatArray) -> FloatArray:
    centred: FloatArray = d - d.mean(axis=1, keepdims=True)
    variances: FloatArray = (centred**2).sum(axis=1)
    return variances


def _ten_agree(ten: FloatArray, level: float) -> Assumption:
    name = "the order of the folds does not matter"
    if not np.isfinite(ten).all():
        return Assumption(name, None, "the ten possible t values are undefined")
    critical = float(special.stdtrit(5, 0.5 + level / 2))
    beyond = int((np.abs(ten) > critical).sum())
    return Assumption(
        name,
        beyond in (0, 10) and bool((ten >= 0).all() or (ten <= 0).all()),
        f"{beyond} of the ten possible t values lie beyond ±{critical:.3f}; "
        f"they range from {ten.min():.3f} to {ten.max():.3f}",
    )

"""One algorithm: its scores over folds against a value."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Finite, Level
from bakeoff.stats.core.checks import as_array, as_scores
from bakeoff.stats.core.paired_differences import Differences, noise_level, paired_t_result
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, Result
from bakeoff.stats.folds.corrected import fold_ratio
from bakeoff.stats.folds.half_samples import half_sample_result

__all__ = ["corrected_one_sample_t", "half_sample_one_t", "one_sample_t"]


@register(
    title="One-sample t test",
    evidence=Evidence.FOLD_SCORES,
    arity=Arity.ONE,
    about="algorithms",
    answers="Is this algorithm's mean score over the folds different from a given value?",
    plans=("kfold", "resampled"),
    citation="alpaydin2010",
    caution="It assumes independent folds although their training sets overlap, which inflates "
    "its type I error. Prefer corrected_one_sample_t.",
    better_test="half_sample_one_t",
)
def one_sample_t(
    scores: ArrayLike,
    *,
    mu0: Finite,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """Student's t test of the mean score over k folds.

    t = (x̄ − mu0)/(s/√k) with k − 1 degrees of freedom (Alpaydin 2010, section 19.9.3).

    Parameters
    ----------
    scores : array_like, shape (k,)
        One score per fold.

    Returns
    -------
    Result
        `estimate` is the mean score and `ci` its interval, in the unit of the scores;
        ``effect_sizes["difference"]`` is how far above `mu0` it is.

    Examples
    --------
    >>> result = one_sample_t([0.91, 0.90, 0.93], mu0=0.85)
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (7.1813, 0.0188)
    """
    array = as_scores(scores, "scores")
    overlap = Assumption(
        "independent folds",
        False if len(array) > 2 else None,
        f"{len(array)} folds of one data set share training rows; the corrected test allows "
        "for that",
    )
    differences = _from_target(array, scores, mu0)
    result = paired_t_result(differences, 0.0, alternative, confidence_level, overlap)
    return _about_mean(result, mu0)


@register(
    title="Corrected one-sample t test",
    evidence=Evidence.FOLD_SCORES,
    arity=Arity.ONE,
    about="algorithms",
    answers="Is this algorithm's expected score different from a given value?",
    plans=("kfold", "resampled", "cv_5x2"),
    citation="nadeau2003",
    caution="It assumes a correlation between folds instead of estimating it.",
    replications=True,
    better_test="half_sample_one_t",
)
def corrected_one_sample_t(
    scores: ArrayLike,
    *,
    mu0: Finite,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """One-sample t test with Nadeau and Bengio's variance for overlapping training sets.

    t = (x̄ − mu0)/√(s²(1/J + n_test/n_train)) with J − 1 degrees of freedom (Nadeau & Bengio
    2003).

    Parameters
    ----------
    scores : array_like, shape (J,) or (r, k)
        One score per split; rows are repetitions and columns folds in the second form.
    n_train, n_test : float or array_like of the shape of `scores`, optional
        Rows in the training and test sets. By default their ratio is 1/(k − 1), where a single
        axis is taken for the k folds of one cross-validation: give the sizes for random splits.

    Returns
    -------
    Result
        As from `one_sample_t`.

    Examples
    --------
    >>> result = corrected_one_sample_t([0.91, 0.90, 0.93], mu0=0.85)
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (4.5419, 0.0452)
    """
    array = as_scores(scores, "scores", ndim=2 if as_array(scores, "scores").ndim == 2 else 1)
    ratio, sizes = fold_ratio(n_train, n_test, array.shape)
    differences = _from_target(array, scores, mu0)
    result = paired_t_result(
        differences, ratio, alternative, confidence_level, sizes, details={"ratio": ratio}
    )
    return _about_mean(result, mu0)


@register(
    title="Half-sample one-sample t test",
    evidence=Evidence.FOLD_SCORES,
    arity=Arity.ONE,
    about="algorithms",
    answers="Is this algorithm's expected score different from a given value?",
    plans=("halves",),
    citation="mccarthy1969",
    replications=True,
)
def half_sample_one_t(
    scores: ArrayLike,
    *,
    mu0: Finite,
    full_repeats: int,
    variant: Literal["halves", "full"] = "halves",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """One-sample form of `half_sample_t` (after McCarthy 1969): the mean score against a value.

    Parameters
    ----------
    scores : array_like, shape (2M + R, K)
        One score per fold, arranged as in `half_sample_t`.
    variant : {"full", "halves"}
        As in `half_sample_t`.

    Returns
    -------
    Result
        As from `one_sample_t`.

    Examples
    --------
    >>> scores = [[0.80, 0.78], [0.84, 0.85], [0.82, 0.80], [0.83, 0.84], [0.84, 0.86]]
    >>> result = half_sample_one_t(scores, mu0=0.8, full_repeats=1)
    >>> round(result.statistic, 3), round(result.pvalue, 4)
    (0.936, 0.4479)
    """
    array = as_scores(scores, "scores", ndim=2)
    d = _from_target(array, scores, mu0)
    result = half_sample_result(d, full_repeats, variant, alternative, confidence_level)
    return _about_mean(result, mu0)


def _from_target(array: np.ndarray, scores: ArrayLike, mu0: float) -> Differences:
    """Differences from mu0, free of float noise."""
    level = noise_level(scores)
    size = np.maximum(np.abs(array), abs(mu0))
    d = array - mu0
    return Differences(np.where(np.abs(d) <= level * size, 0.0, d), level * float(size.max()))


def _about_mean(result: Result, mu0: float) -> Result:
    """Restate a result on the difference from mu0 as one on the mean score."""
    ci = result.ci
    if ci is not None:
        ci = dataclasses.replace(ci, low=mu0 + ci.low, high=mu0 + ci.high)
    sizes = {k: v for k, v in result.effect_sizes.items() if k != "share_a_better"}
    return dataclasses.replace(
        result,
        estimate=mu0 + result.estimate,
        ci=ci,
        effect_sizes={"difference": result.estimate} | sizes,
        null_hypothesis="The learning algorithm's expected score, trained on samples of this size "
        f"from the population of this data set, is {mu0:g}.",
        details={k: v for k, v in result.details.items() if k != "mean_difference"} | {"mu0": mu0},
    )

"""One classifier: its accuracy on one test set, or its scores over folds, against a value."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats import _binomial
from bakeoff.stats._checks import (
    as_array,
    as_correctness,
    as_scores,
    check_alternative,
    check_choice,
    check_level,
    check_number,
)
from bakeoff.stats._paired import Differences, noise_level, paired_t_result
from bakeoff.stats._registry import Arity, Evidence, TypeOneError, register
from bakeoff.stats._result import INDEPENDENT_ROWS, Assumption, Result
from bakeoff.stats._tails import normal_pvalue
from bakeoff.stats.corrected import fold_ratio
from bakeoff.stats.proportion_intervals import METHODS, check_counts, proportion_ci

__all__ = [
    "binomial_test",
    "binomial_test_from_counts",
    "corrected_one_sample_t",
    "one_sample_t",
]


@register(
    title="Binomial test",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.ONE,
    about="models",
    answers="Is this model's accuracy (or error rate) different from a given value?",
    type1=TypeOneError.CONTROLLED,
    plans=("holdout",),
    citation="clopper1934",
    caution="It is about this fitted model, and says nothing of another one.",
)
def binomial_test(
    correct: ArrayLike,
    *,
    rate: str = "accuracy",
    p0: float = 0.5,
    variant: str = "exact",
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    ci_method: str = "wilson",
) -> Result:
    """Test a model's accuracy, or error rate, against a value.

    The exact binomial test (Clopper & Pearson 1934 invert it) or its normal approximation
    (Alpaydin 2010, section 19.9).

    Parameters
    ----------
    correct : array_like of bool or 0/1, shape (n,)
        Whether the model is right on each row.
    rate : {"accuracy", "error"}
        The rate that `p0`, `alternative`, `estimate` and `ci` are about.
    p0 : float
        The rate under the null hypothesis, strictly between 0 and 1.
    variant : {"exact", "normal"}
        ``"exact"``: binomial; the two-sided p sums every outcome that is at most as likely as
        the observed one (as R and SciPy do). ``"normal"``: z = (p̂ − p0)/√(p0(1 − p0)/n), which
        wants n p0 ≥ 5 and n(1 − p0) ≥ 5.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: the rate is above `p0`. For the accuracy that favours the model, for the
        error rate it does not.
    confidence_level : float
        Level of the interval.
    ci_method : str
        Method of `proportion_ci`; ``"clopper_pearson"`` is the one that goes with the exact
        one-sided tests.

    Returns
    -------
    Result
        `estimate` is the rate; `statistic` is the count of right (or wrong) rows, or z.

    Raises
    ------
    ValueError
        On class labels instead of right/wrong, missing values, `p0` outside (0, 1), or an
        unknown option.

    Examples
    --------
    >>> import numpy as np
    >>> result = binomial_test(np.arange(100) < 87, p0=0.8, alternative="greater")
    >>> result.estimate, round(result.pvalue, 4)
    (0.87, 0.0469)
    """
    array = as_correctness(correct, "correct")
    return binomial_test_from_counts(
        n_correct=int(np.count_nonzero(array)),
        n=len(array),
        rate=rate,
        p0=p0,
        variant=variant,
        alternative=alternative,
        confidence_level=confidence_level,
        ci_method=ci_method,
    )


def binomial_test_from_counts(
    *,
    n_correct: int,
    n: int,
    rate: str = "accuracy",
    p0: float = 0.5,
    variant: str = "exact",
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    ci_method: str = "wilson",
) -> Result:
    """Test an accuracy, or an error rate, from counts; see `binomial_test` for the options.

    Parameters
    ----------
    n_correct, n : int
        Right rows and all rows.
    rate, p0, variant, alternative, confidence_level, ci_method
        As in `binomial_test`.

    Returns
    -------
    Result
        The same result as from the rows.

    Raises
    ------
    ValueError
        If a count is not a whole number, n is 0 or less than `n_correct`, or an option is
        wrong.

    Examples
    --------
    >>> result = binomial_test_from_counts(n_correct=350, n=431, rate="error", p0=0.2)
    >>> round(result.estimate, 4), round(result.pvalue, 4)
    (0.1879, 0.5878)
    """
    check_choice(rate, ("accuracy", "error"), "rate")
    check_choice(variant, ("exact", "normal"), "variant")
    check_choice(ci_method, tuple(METHODS), "ci_method")
    side, p0 = check_alternative(alternative), check_level(p0, "p0")
    level = check_level(confidence_level, side=side)
    right, n = check_counts(n_correct, n, "n_correct")
    x = right if rate == "accuracy" else n - right
    estimate = x / n
    z = (estimate - p0) / math.sqrt(p0 * (1 - p0) / n)
    exact = variant == "exact"
    return Result(
        test="binomial_test",
        variant=variant,
        statistic=float(x) if exact else z,
        pvalue=_binomial.pvalue(x, n, p0, side) if exact else normal_pvalue(z, side),
        alternative=side,
        estimate=estimate,
        ci=proportion_ci(x, n, method=ci_method, confidence_level=level, alternative=side),
        effect_sizes={
            "difference": estimate - p0,
            "cohens_h": 2 * (math.asin(math.sqrt(estimate)) - math.asin(math.sqrt(p0))),
        },
        n=n,
        assumptions=_binomial_assumptions(n, p0, exact),
        null_hypothesis=f"The fitted model's {_RATES[rate]} on the population that the test rows "
        f"were drawn from is {p0:g}.",
        method="clopper1934",
        details={"rate": rate, "p0": p0, "n_correct": right, "n_wrong": n - right},
    )


@register(
    title="One-sample t test",
    evidence=Evidence.FOLD_SCORES,
    arity=Arity.ONE,
    about="algorithms",
    answers="Is this algorithm's mean score over the folds different from a given value?",
    type1=TypeOneError.LIBERAL,
    plans=("kfold", "resampled"),
    citation="alpaydin2010",
    caution="Folds share training rows, so their scores are correlated and the test rejects too "
    "often; prefer the corrected one.",
)
def one_sample_t(
    scores: ArrayLike,
    *,
    mu0: float,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
) -> Result:
    """Student's t test of the mean score over k folds.

    t = (x̄ − mu0)/(s/√k) with k − 1 degrees of freedom (Alpaydin 2010, section 19.9.3).

    Parameters
    ----------
    scores : array_like, shape (k,)
        One score per fold.
    mu0 : float
        The expected score under the null hypothesis, in the unit of the scores.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: the expected score is above `mu0`. For a loss or an error rate that speaks
        against the algorithm, as it does in `binomial_test`.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    Result
        `estimate` is the mean score and `ci` its interval, in the unit of the scores;
        ``effect_sizes["difference"]`` is how far above `mu0` it is.

    Raises
    ------
    ValueError
        On NaN scores or an unknown option.

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
    differences, target = _from_target(array, scores, mu0)
    result = paired_t_result(
        "one_sample_t",
        differences,
        0.0,
        alternative,
        confidence_level,
        "alpaydin2010",
        overlap,
    )
    return _about_mean(result, target)


@register(
    title="Corrected one-sample t test",
    evidence=Evidence.FOLD_SCORES,
    arity=Arity.ONE,
    about="algorithms",
    answers="Is this algorithm's expected score different from a given value?",
    type1=TypeOneError.CONTROLLED,
    plans=("kfold", "resampled", "cv_5x2"),
    citation="nadeau2003",
    caution="The correlation of the folds is assumed, not estimated.",
    replications=True,
)
def corrected_one_sample_t(
    scores: ArrayLike,
    *,
    mu0: float,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
) -> Result:
    """One-sample t test with Nadeau and Bengio's variance for overlapping training sets.

    t = (x̄ − mu0)/√(s²(1/J + n_test/n_train)) with J − 1 degrees of freedom (Nadeau & Bengio
    2003).

    Parameters
    ----------
    scores : array_like, shape (J,) or (r, k)
        One score per split; rows are repetitions and columns folds in the second form.
    mu0 : float
        The expected score under the null hypothesis, in the unit of the scores.
    n_train, n_test : float or array_like of the shape of `scores`, optional
        Rows in the training and test sets. By default their ratio is 1/(k − 1), where a single
        axis is taken for the k folds of one cross-validation: give the sizes for random splits.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: the expected score is above `mu0`. For a loss or an error rate that speaks
        against the algorithm, as it does in `binomial_test`.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    Result
        As from `one_sample_t`.

    Raises
    ------
    ValueError
        On NaN scores, only one of the sizes, or an unknown option.

    Examples
    --------
    >>> result = corrected_one_sample_t([0.91, 0.90, 0.93], mu0=0.85)
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (4.5419, 0.0452)
    """
    array = as_scores(scores, "scores", ndim=2 if as_array(scores, "scores").ndim == 2 else 1)
    ratio, sizes = fold_ratio(n_train, n_test, array.shape)
    differences, target = _from_target(array, scores, mu0)
    result = paired_t_result(
        "corrected_one_sample_t",
        differences,
        ratio,
        alternative,
        confidence_level,
        "nadeau2003",
        sizes,
        details={"ratio": ratio},
    )
    return _about_mean(result, target)


_RATES = {"accuracy": "accuracy", "error": "error rate"}


def _binomial_assumptions(n: int, p0: float, exact: bool) -> tuple[Assumption, ...]:
    if exact:
        return (INDEPENDENT_ROWS,)
    right, wrong = n * p0, n * (1 - p0)
    return (
        INDEPENDENT_ROWS,
        Assumption("n p0 >= 5", right >= 5, f"n p0 = {right:.4g}; below 5 use the exact test"),
        Assumption(
            "n (1 - p0) >= 5", wrong >= 5, f"n (1 - p0) = {wrong:.4g}; below 5 use the exact test"
        ),
    )


def _from_target(array: np.ndarray, scores: ArrayLike, mu0: float) -> tuple[Differences, float]:
    """Differences from mu0, free of float noise; and mu0 itself."""
    target = check_number(mu0, "mu0")
    if not math.isfinite(target):
        raise ValueError(f"mu0: found {mu0!r}, must be finite")
    level = noise_level(scores)
    size = np.maximum(np.abs(array), abs(target))
    d = array - target
    values = np.where(np.abs(d) <= level * size, 0.0, d)
    return Differences(values, level * float(size.max())), target


def _about_mean(result: Result, target: float) -> Result:
    """Restate a result on the difference from mu0 as one on the mean score."""
    ci = result.ci
    if ci is not None:
        ci = dataclasses.replace(ci, low=target + ci.low, high=target + ci.high)
    sizes = {k: v for k, v in result.effect_sizes.items() if k != "share_a_better"}
    return dataclasses.replace(
        result,
        estimate=target + result.estimate,
        ci=ci,
        effect_sizes={"difference": result.estimate} | sizes,
        null_hypothesis="The learning algorithm's expected score, trained on samples of this size "
        f"from the population of this data set, is {target:g}.",
        details={k: v for k, v in result.details.items() if k != "mean_difference"}
        | {"mu0": target},
    )

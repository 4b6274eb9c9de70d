"""Are two classifiers equally good, within a margin? Two one-sided tests (TOST).

A difference that is not significant is no evidence of equality. Here the null hypotheses are
that the difference is at or beyond the margin, on either side; both must fall.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats._checks import (
    as_array,
    as_correctness,
    check_choice,
    check_count,
    check_level,
    check_number,
    check_same_labels,
    check_same_length,
)
from bakeoff.stats._paired import (
    Differences,
    effect_sizes,
    normality,
    paired_differences,
    t_interval,
)
from bakeoff.stats._registry import Arity, Evidence, TypeOneError, register
from bakeoff.stats._result import INDEPENDENT_ROWS, Assumption, EquivalenceResult, Status
from bakeoff.stats._tails import t_pvalue
from bakeoff.stats.corrected import fold_ratio
from bakeoff.stats.paired_intervals import paired_difference_ci, tango_statistic

__all__ = ["tost_folds", "tost_paired", "tost_paired_from_counts"]


@register(
    title="Equivalence of paired accuracies (TOST)",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.PAIR,
    about="models",
    answers="Are these two fitted models equally accurate, within the margin?",
    type1=TypeOneError.CONTROLLED,
    plans=("holdout",),
    citation="liu2002",
    caution="Choose the margin before seeing the data. A small p speaks for equivalence, not "
    "for a difference.",
)
def tost_paired(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    margin: float,
    alpha: float = 0.05,
    variant: str = "score",
) -> EquivalenceResult:
    """Two one-sided tests of the accuracy difference of two models on the same rows.

    Parameters
    ----------
    correct_a, correct_b : array_like of bool or 0/1, shape (n,)
        Whether A and B are right on each row, in the same row order.
    margin : float
        The largest accuracy difference that does not matter, between 0 and 1.
    alpha : float
        Level of the test, below 0.5; the interval has level 1 − 2 alpha.
    variant : {"score", "wald"}
        ``"score"`` (default): Tango's statistic at −margin and at +margin, with the discordance
        estimated under each (Tango 1998; Liu et al. 2002); it works without discordant pairs.
        ``"wald"``: z = (d ± margin)/SE with the observed variance of d; too lenient when few
        rows are discordant.

    Returns
    -------
    EquivalenceResult
        `estimate` is acc_A − acc_B.

    Raises
    ------
    ValueError
        On class labels instead of right/wrong, missing values, unequal lengths, or a margin or
        level out of range.

    Notes
    -----
    Without discordant pairs the difference test has p 1, while here equality can be shown: n
    rows on which the models agree bound the rate at which they differ.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.repeat([True, True, False, False], [900, 21, 19, 60])
    >>> b = np.repeat([True, False, True, False], [900, 21, 19, 60])
    >>> result = tost_paired(a, b, margin=0.02)
    >>> round(result.pvalue, 4), result.verdict
    (0.0043, 'equivalent')
    """
    a = as_correctness(correct_a, "correct_a")
    b = as_correctness(correct_b, "correct_b")
    check_same_length(correct_a=a, correct_b=b)
    check_same_labels(correct_a=correct_a, correct_b=correct_b)
    both = int(np.count_nonzero(a & b))
    only_a, only_b = int(np.count_nonzero(a)) - both, int(np.count_nonzero(b)) - both
    return tost_paired_from_counts(
        both_correct=both,
        only_a_correct=only_a,
        only_b_correct=only_b,
        both_wrong=len(a) - both - only_a - only_b,
        margin=margin,
        alpha=alpha,
        variant=variant,
    )


def tost_paired_from_counts(
    *,
    both_correct: int,
    only_a_correct: int,
    only_b_correct: int,
    both_wrong: int,
    margin: float,
    alpha: float = 0.05,
    variant: str = "score",
) -> EquivalenceResult:
    """Two one-sided tests from the four counts of rows; see `tost_paired` for the options.

    Parameters
    ----------
    both_correct, only_a_correct, only_b_correct, both_wrong : int
        Counts of rows.
    margin, alpha, variant
        As in `tost_paired`.

    Returns
    -------
    EquivalenceResult
        The same result as from the rows.

    Raises
    ------
    ValueError
        If a count is not a whole number ≥ 0, all are 0, or an option is out of range.

    Examples
    --------
    >>> result = tost_paired_from_counts(
    ...     both_correct=329, only_a_correct=22, only_b_correct=17, both_wrong=63, margin=0.02)
    >>> round(result.pvalue_lower, 4), round(result.pvalue_upper, 4), result.verdict
    (0.0171, 0.2824, 'not shown')
    """
    check_choice(variant, ("score", "wald"), "variant")
    alpha, margin = _check_alpha(alpha), check_level(margin, "margin")
    counts: dict[str, Any] = {
        "both_correct": check_count(both_correct, "both_correct"),
        "only_a_correct": check_count(only_a_correct, "only_a_correct"),
        "only_b_correct": check_count(only_b_correct, "only_b_correct"),
        "both_wrong": check_count(both_wrong, "both_wrong"),
    }
    method = "tango" if variant == "score" else "wald"
    ci = paired_difference_ci(**counts, method=method, confidence_level=1 - 2 * alpha)
    n, b, c = sum(counts.values()), counts["only_a_correct"], counts["only_b_correct"]
    estimate = (b - c) / n
    se = math.sqrt(max(b + c - (b - c) ** 2 / n, 0.0)) / n
    status = Status.OK
    if variant == "score":
        z_lower, z_upper = tango_statistic(b, c, n, np.array([-margin, margin])).tolist()
    elif se > 0:
        z_lower, z_upper = (estimate + margin) / se, (estimate - margin) / se
    else:
        status = Status.ZERO_VARIANCE
        z_lower, z_upper = _infinite(estimate + margin), _infinite(estimate - margin)
    decided = status is Status.OK
    return _conclude(
        "tost_paired",
        variant=variant,
        statistics=(z_lower, z_upper),
        pvalues=(
            (float(special.ndtr(-z_lower)), float(special.ndtr(z_upper)))
            if decided
            else (math.nan, math.nan)
        ),
        status=status,
        margin=margin,
        alpha=alpha,
        estimate=estimate,
        ci=ci if decided else None,
        n=n,
        assumptions=(
            INDEPENDENT_ROWS,
            Assumption(
                "enough discordant pairs",
                variant == "score" or b + c >= 25,
                f"{b + c} discordant pair(s) of {n} rows; the Wald variance wants 25, the score "
                "variance does not need any",
            ),
        ),
        what="accuracies of the two fitted models",
        method="liu2002",
        details={**counts, "se": se},
    )


@register(
    title="Equivalence over folds (TOST)",
    evidence=Evidence.FOLD_SCORES,
    arity=Arity.PAIR,
    about="algorithms",
    answers="Are these two algorithms equally good, within the margin?",
    type1=TypeOneError.CONTROLLED,
    plans=("kfold", "resampled", "cv_5x2"),
    citation="schuirmann1987",
    caution="Choose the margin before seeing the data. A small p speaks for equivalence, not "
    "for a difference.",
    replications=True,
)
def tost_folds(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    margin: float,
    alpha: float = 0.05,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    greater_is_better: bool = True,
) -> EquivalenceResult:
    """Two one-sided t tests of the mean score difference, with the corrected variance.

    t = (d̄ ± margin)/√(s²(1/J + n_test/n_train)) with J − 1 degrees of freedom (Schuirmann
    1987; the variance by Nadeau & Bengio 2003).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (J,) or (r, k)
        Scores of A and B on the same splits; rows are repetitions and columns folds in the
        second form.
    margin : float
        The largest difference that does not matter, in the unit of the scores, above 0.
    alpha : float
        Level of the test, below 0.5; the interval has level 1 − 2 alpha.
    n_train, n_test : float or array_like of the shape of the scores, optional
        Rows in the training and test sets. By default their ratio is 1/(k − 1), where a single
        axis is taken for the k folds of one cross-validation: give the sizes for random splits.
    greater_is_better : bool
        False for losses and error rates.

    Returns
    -------
    EquivalenceResult
        `estimate` is the mean difference. Constant differences leave the variance unknown:
        the verdict is never "equivalent" then.

    Raises
    ------
    ValueError
        On unequal shapes, NaN scores, only one of the sizes, or a margin or level out of range.

    Examples
    --------
    >>> a, b = [0.80, 0.84, 0.82, 0.85, 0.81], [0.80, 0.83, 0.82, 0.84, 0.82]
    >>> result = tost_folds(a, b, margin=0.02)
    >>> round(result.pvalue, 4), result.verdict
    (0.0163, 'equivalent')
    """
    alpha = _check_alpha(alpha)
    margin = check_number(margin, "margin")
    if not (margin > 0 and math.isfinite(margin)):
        raise ValueError(f"margin: found {margin!r}, must be a positive number")
    ndim = 2 if as_array(scores_a, "scores_a").ndim == 2 else 1
    d = paired_differences(scores_a, scores_b, ndim=ndim, greater_is_better=greater_is_better)
    ratio, sizes = fold_ratio(n_train, n_test, d.values.shape)
    x = d.values.ravel()
    n, mean = x.size, float(x.mean())
    sd = float(x.std(ddof=1)) if n > 1 else math.nan
    se = sd * math.sqrt(1 / n + ratio)
    status = _fold_status(d, sd)
    statistics = pvalues = (math.nan, math.nan)
    if status is Status.OK:
        statistics = (mean + margin) / se, (mean - margin) / se
        pvalues = (
            t_pvalue(statistics[0], n - 1, "greater"),
            t_pvalue(statistics[1], n - 1, "less"),
        )
    elif status is Status.IDENTICAL_SCORES:
        statistics, pvalues = (0.0, 0.0), (1.0, 1.0)
    elif status is Status.ZERO_VARIANCE:
        statistics = _infinite(mean + margin), _infinite(mean - margin)
    return _conclude(
        "tost_folds",
        statistics=statistics,
        pvalues=pvalues,
        status=status,
        margin=margin,
        alpha=alpha,
        estimate=mean,
        ci=t_interval(mean, se, n - 1, 1 - 2 * alpha) if status is Status.OK else None,
        n=n,
        df=float(n - 1),
        effect_sizes=effect_sizes(d),
        assumptions=(
            sizes,
            normality(d),
            Assumption(
                "varying differences",
                status is Status.OK,
                f"standard deviation {sd:.3g}; where it is 0 or unknown nothing can be shown",
            ),
        ),
        what="expected scores of the two learning algorithms",
        method="schuirmann1987",
        details={"se": se, "ratio": ratio},
    )


def _check_alpha(alpha: float) -> float:
    level = check_number(alpha, "alpha")
    if not 0 < level < 0.5:
        raise ValueError(f"alpha: found {alpha!r}, must lie strictly between 0 and 0.5")
    return level


def _infinite(numerator: float) -> float:
    """Statistic with this numerator and standard error 0."""
    return math.copysign(math.inf, numerator) if numerator else math.nan


def _fold_status(d: Differences, sd: float) -> Status:
    if math.isnan(sd):
        return Status.TOO_FEW
    if d.identical:
        return Status.IDENTICAL_SCORES
    return Status.ZERO_VARIANCE if sd <= d.noise else Status.OK


def _conclude(
    test: str,
    *,
    statistics: tuple[float, float],
    pvalues: tuple[float, float],
    margin: float,
    alpha: float,
    what: str,
    details: dict[str, Any],
    **facts: Any,
) -> EquivalenceResult:
    """Join the two one-sided tests; NaN in either leaves the verdict undecided."""
    last = int(np.argmax(pvalues))
    pvalue = math.nan if any(math.isnan(p) for p in pvalues) else pvalues[last]
    verdict = "undecided"
    if not math.isnan(pvalue):
        verdict = "equivalent" if pvalue < alpha else "not shown"
    return EquivalenceResult(
        test=test,
        statistic=statistics[last],
        pvalue=pvalue,
        pvalue_lower=pvalues[0],
        pvalue_upper=pvalues[1],
        margin=margin,
        alpha=alpha,
        verdict=verdict,
        null_hypothesis=f"The {what} differ by {margin:g} or more.",
        details=details | {"statistic_lower": statistics[0], "statistic_upper": statistics[1]},
        **facts,
    )

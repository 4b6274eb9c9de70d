"""Two classifiers on one test set, as if on two: the z test of two proportions."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Count, Level, PositiveInt
from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import as_correctness, check_same_labels, check_same_length
from bakeoff.stats.core.registry import Arity, Evidence, form_of, register
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Result, Status
from bakeoff.stats.core.tails import normal_pvalue

__all__ = ["proportion_difference", "proportion_difference_from_counts"]

Variant = Literal["pooled", "unpooled", "yates"]


@register(
    title="Difference of two proportions (z)",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.PAIR,
    about="models",
    answers="Would the accuracies differ if each model had a test set of its own?",
    plans=("holdout",),
    paired=False,
    citation="dietterich1998",
    caution="It ignores that both models were tested on the same rows: it is liberal when they "
    "err on different rows, conservative when they err on the same rows, and liberal for "
    "statements about algorithms. Use mcnemar.",
    better_test="mcnemar",
    null_hypothesis="The two fitted models are equally accurate on the population that two "
    "independent test sets were drawn from.",
)
def proportion_difference(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    variant: Variant = "pooled",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """Z test of the difference of two accuracies that ignores the pairing of the rows.

    Parameters
    ----------
    variant : str
        ``"pooled"`` (default): variance under equal accuracies, p̄(1 − p̄)(1/n_A + 1/n_B).
        ``"unpooled"``: p_A(1 − p_A)/n_A + p_B(1 − p_B)/n_B. ``"yates"``: pooled, with |p_A −
        p_B| brought towards 0 by the continuity correction (1/n_A + 1/n_B)/2.

    Returns
    -------
    Result
        `statistic` is z; its square, χ² with one degree of freedom, is in ``details``. `ci` is
        the Wald interval with the unpooled variance (widened by the correction for Yates).

    Notes
    -----
    Dietterich (1998, section 3.1): the test assumes two independent test sets. `mcnemar` asks
    the same question of the rows on which the models differ.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.arange(431) < 350, np.arange(431) < 327
    >>> result = proportion_difference(a, b)
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (1.9081, 0.0564)
    """
    a = as_correctness(correct_a, "correct_a")
    b = as_correctness(correct_b, "correct_b")
    check_same_length(correct_a=a, correct_b=b)
    check_same_labels(correct_a=correct_a, correct_b=correct_b)
    both, right_a, right_b = (int(np.count_nonzero(v)) for v in (a & b, a, b))
    n = len(a)
    covariance = both / n - right_a * right_b / n**2
    return _test(
        right_a,
        n,
        right_b,
        n,
        variant,
        alternative,
        confidence_level,
        Assumption(
            "independent test sets",
            False,
            f"both models saw the same {n} rows (covariance of their correctness "
            f"{covariance:.3g}); McNemar's test uses that",
        ),
    )


@form_of(proportion_difference)
def proportion_difference_from_counts(
    *,
    correct_a: Count,
    n_a: PositiveInt,
    correct_b: Count,
    n_b: PositiveInt,
    variant: Variant = "pooled",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """Z test of two accuracies from counts, also of different test sets.

    Parameters
    ----------
    correct_a, correct_b : int
        Rows that A and B get right.
    n_a, n_b : int
        Rows that A and B were tested on.
    variant : {"pooled", "unpooled", "yates"}
        As in `proportion_difference`.

    Returns
    -------
    Result
        As from `proportion_difference`.

    Examples
    --------
    >>> result = proportion_difference_from_counts(
    ...     correct_a=45, n_a=60, correct_b=88, n_b=130, variant="yates")
    >>> round(result.details["chi2"], 4), round(result.pvalue, 4)
    (0.725, 0.3945)
    """
    for model, right, size in (("a", correct_a, n_a), ("b", correct_b, n_b)):
        if right > size:
            raise ValueError(f"correct_{model}: found {right}, more than n_{model} = {size}")
    note = Assumption(
        "independent test sets", None, "counts do not tell; for the same rows use McNemar's test"
    )
    return _test(correct_a, n_a, correct_b, n_b, variant, alternative, confidence_level, note)


def _test(
    right_a: int,
    n_a: int,
    right_b: int,
    n_b: int,
    variant: str,
    alternative: Alternative,
    confidence_level: Level,
    independence: Assumption,
) -> Result:
    # whole numbers, so that equal accuracies differ by exactly 0
    difference = (right_a * n_b - right_b * n_a) / (n_a * n_b)
    acc_a, acc_b = right_a / n_a, right_b / n_b
    pooled = (right_a + right_b) / (n_a + n_b)
    unpooled_se = math.sqrt(acc_a * (1 - acc_a) / n_a + acc_b * (1 - acc_b) / n_b)
    pooled_se = math.sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b))
    shift = min((1 / n_a + 1 / n_b) / 2, abs(difference)) if variant == "yates" else 0.0
    se = unpooled_se if variant == "unpooled" else pooled_se
    status, z, pvalue = _decide(difference, shift, se, alternative)
    expected = min(n_a, n_b) * min(pooled, 1 - pooled)
    return Result(
        variant=variant,
        statistic=z,
        pvalue=pvalue,
        alternative=alternative,
        estimate=difference,
        ci=_interval(difference, shift, unpooled_se, confidence_level, alternative),
        effect_sizes={"cohens_h": 2 * (math.asin(math.sqrt(acc_a)) - math.asin(math.sqrt(acc_b)))},
        n=min(n_a, n_b),
        status=status,
        assumptions=(
            independence,
            Assumption(
                "large sample",
                expected >= 5,
                f"smallest expected count of right or wrong rows {expected:.3g}; the normal "
                "approximation wants 5",
            ),
        ),
        details={
            "chi2": z**2,
            "chi2_df": 1,
            "se": se,
            "accuracy_a": acc_a,
            "accuracy_b": acc_b,
            "pooled": pooled,
        },
    )


def _decide(
    difference: float, shift: float, se: float, side: Alternative
) -> tuple[Status, float, float]:
    if se == 0:
        if difference == 0:
            return Status.IDENTICAL_SCORES, 0.0, 1.0
        return Status.ZERO_VARIANCE, math.copysign(math.inf, difference), math.nan
    z = math.copysign(abs(difference) - shift, difference) / se
    return Status.OK, z, normal_pvalue(z, side)


def _interval(
    difference: float, shift: float, se: float, level: float, side: Alternative
) -> ConfidenceInterval:
    half = shift - float(special.ndtri(tail_probability(level, side))) * se
    low = -1.0 if side == "less" else max(difference - half, -1.0)
    high = 1.0 if side == "greater" else min(difference + half, 1.0)
    return ConfidenceInterval(low, high, level, "wald")

"""Accuracies as proportions: intervals, one model against a value, two on separate test sets."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core import distributions
from bakeoff.stats.core.arguments import Count, Level, PositiveInt, Variants, checked
from bakeoff.stats.core.checks import (
    ArgumentError,
    BoolArray,
    as_correctness,
    paired_correctness,
)
from bakeoff.stats.core.distributions import t_pvalue, tail_probability
from bakeoff.stats.core.registry import Evidence, form_of, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
    answered,
)
from bakeoff.stats.design.clusters import (
    Clusters,
    Dependence,
    describe,
    equivalent_tail,
    row_units,
)
from bakeoff.stats.design.groups import (
    ClusteredResult,
    enough_degrees,
    independent_clusters,
    symmetric_differences,
    too_few_degrees,
)

ProportionMethod = Literal[
    "wilson", "wilson_cc", "clopper_pearson", "agresti_coull", "jeffreys", "wald"
]
Variant = Literal["pooled", "unpooled", "yates"]

_LARGE_SAMPLE = 5  # expected rows from which the normal approximation is usually trusted


@checked
def proportion_ci(
    count: Count,
    n: PositiveInt,
    *,
    method: ProportionMethod = "wilson",
    confidence_level: Level = 0.95,
    alternative: Alternative = "two-sided",
    clip: bool = True,
) -> ConfidenceInterval:
    """Confidence interval for a proportion: an accuracy or an error rate.

    Parameters
    ----------
    count, n : int
        Right (or wrong) rows, and all rows.
    method : str
        ``"wilson"`` (default): inverts the score test. ``"wilson_cc"``: with continuity
        correction (Newcombe 1998, method 4). ``"clopper_pearson"``: exact, never below its
        level, wide. ``"agresti_coull"``: Wald around (x + z²/2)/(n + z²). ``"jeffreys"``: equal
        tails of Beta(x + ½, n − x + ½), moved to 0 or 1 at x = 0 or n (Brown et al. 2001).
        ``"wald"``: p̂ ± z √(p̂(1 − p̂)/n), far too short near 0 and 1.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` gives [low, 1], ``"less"`` gives [0, high].
    clip : bool
        False keeps the limits of Wald and Agresti-Coull that lie outside [0, 1].

    Examples
    --------
    >>> low, high = proportion_ci(13, 100)
    >>> round(low, 4), round(high, 4)
    (0.0776, 0.2098)
    """
    check_counts(count, n, "count")
    tail = tail_probability(confidence_level, alternative)
    low, high = map(float, METHODS[method](count, n, tail))
    if clip:
        low = max(low, 0.0)
        high = min(high, 1.0)
    if alternative == "less":
        low = 0.0
    if alternative == "greater":
        high = 1.0
    return ConfidenceInterval(low, high, confidence_level, method)


def check_counts(count: int, n: int, name: str) -> None:
    """Check that `count` of `n` rows is possible."""
    if count > n:
        raise ArgumentError(name, f"found {count}, more than n = {n}")


def _wilson_cc(x: int, n: int, tail: float) -> tuple[float, float]:
    """Limits of the score test with continuity correction (Newcombe 1998, method 4)."""
    # the root p of (x − ½ − np)² = z² n p(1 − p)
    z = -float(special.ndtri(tail))

    def lower(x: int) -> float:
        if x == 0:
            return 0.0
        half = z * math.sqrt(z**2 / 4 + (x - 0.5) * (1 - (x - 0.5) / n))
        return max((x - 0.5 + z**2 / 2 - half) / (n + z**2), 0.0)

    return lower(x), 1 - lower(n - x)


def _jeffreys(x: int, n: int, tail: float) -> tuple[float, float]:
    """Quantiles of Beta(x + ½, n − x + ½), 0 and 1 where x is (Brown et al. 2001)."""
    # the limits leave the probability `tail` on each side of the posterior for the prior Beta(½, ½)
    low = 0.0
    high = 1.0
    if x > 0:
        low = float(special.betaincinv(x + 0.5, n - x + 0.5, tail))
    if x < n:
        high = float(special.betainccinv(x + 0.5, n - x + 0.5, tail))
    return low, high


def _wald(x: float, n: float, tail: float, pseudo_rows: float = 0.0) -> tuple[float, float]:
    """Return p̂ ± z √(p̂(1 − p̂)/n), with so many times z² more rows, half of them right."""
    # Agresti & Coull's has z² more rows: it is centred where Wilson's is, and a little wider
    z = -float(special.ndtri(tail))
    size = n + pseudo_rows * z**2
    centre = (x + pseudo_rows * z**2 / 2) / size
    half = z * math.sqrt(centre * (1 - centre) / size)
    return centre - half, centre + half


METHODS: dict[str, Callable[[int, int, float], tuple[Any, Any]]] = {
    "wilson": distributions.wilson,
    "wilson_cc": _wilson_cc,
    "clopper_pearson": distributions.clopper_pearson,
    "agresti_coull": partial(_wald, pseudo_rows=1.0),
    "jeffreys": _jeffreys,
    "wald": _wald,
}


_VARIANTS = Variants(("exact", "normal"), ("rao_scott",))
_INTERVALS = Variants(tuple(METHODS), ("wilson",))


@register(
    evidence=Evidence.ROWS,
    citation="clopper1934",
    variants=_VARIANTS,
    intervals=_INTERVALS,
)
def binomial_test(
    correct: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    rate: Literal["accuracy", "error"] = "accuracy",
    p0: Level = 0.5,
    variant: Literal["exact", "normal", "rao_scott"] | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    ci_method: ProportionMethod = "wilson",
) -> Result:
    """Binomial test.

    Is this model's accuracy (or error rate) different from a given value?

    The exact binomial test (Clopper & Pearson 1934 invert it) or its normal approximation
    (Alpaydin 2010, section 19.9); on rows in groups a t test with the design effect.

    Parameters
    ----------
    correct : array_like of bool or 0/1, shape (n,)
        Whether the model is right on each row.
    rate : {"accuracy", "error"}
        The rate that `p0`, `alternative`, `estimate` and `ci` are about.
    p0 : float
        The rate under the null hypothesis, strictly between 0 and 1.
    variant : {"exact", "normal", "rao_scott"}, optional
        ``"exact"`` (default): binomial; the two-sided p sums every outcome that is at most as
        likely as the observed one (as R and SciPy do). ``"normal"``:
        z = (p̂ − p0)/√(p0(1 − p0)/n), which wants n p0 ≥ 5 and n(1 − p0) ≥ 5.
        ``"rao_scott"``, for rows in groups:
        t = (p̂ − p0)/√(DE·p0(1 − p0)/n) with the design effect DE (Rao & Scott 1992) and Bell &
        McCaffrey's (2002) degrees of freedom.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: the rate is above `p0`. For the accuracy that favours the model, for the
        error rate it does not.
    ci_method : str
        Method of `proportion_ci`; ``"clopper_pearson"`` is the one that goes with the exact
        one-sided tests. In groups ``"wilson"``, on the effective number of rows with a t
        quantile.

    Returns
    -------
    Result or ClusteredResult
        `estimate` is the rate; `statistic` is the count of right (or wrong) rows, z or t.

    Warnings
    --------
    Its result is about this fitted model, not about the algorithm trained on other rows.

    Examples
    --------
    >>> import numpy as np
    >>> result = binomial_test(np.arange(100) < 87, p0=0.8, alternative="greater")
    >>> result.estimate, round(result.pvalue, 4)
    (0.87, 0.0469)
    """
    array = as_correctness(correct, "correct")
    relation, clusters = row_units(len(array), groups, correct=correct)
    form = _VARIANTS.choose(variant, relation)
    _INTERVALS.choose(ci_method, relation, "ci_method")
    if relation == "independent":
        return binomial_test_from_counts(
            n_correct=int(np.count_nonzero(array)),
            n=len(array),
            rate=rate,
            p0=p0,
            variant=form,
            alternative=alternative,
            confidence_level=confidence_level,
            ci_method=ci_method,
        )
    return _binomial_in_groups(array, clusters, rate, p0, alternative, confidence_level)


def _binomial_in_groups(
    correct: BoolArray,
    clusters: Clusters,
    rate: str,
    p0: float,
    alternative: Alternative,
    confidence_level: float,
) -> ClusteredResult:
    """Test a rate by t with the design effect (Rao & Scott 1992)."""
    counted = correct == (rate == "accuracy")
    dependence = describe(counted.astype(np.float64), clusters)
    mean = dependence.mean
    df = dependence.df
    # t = (p̂ − p0)/√(p0(1 − p0)/n_eff), n_eff = n/design effect
    se = math.sqrt(p0 * (1 - p0) / dependence.n_effective)
    t = (mean - p0) / se
    status = Status.OK
    pvalue = t_pvalue(t, df, alternative)
    if too_few_degrees(df):
        status = Status.TOO_FEW
        pvalue = math.nan
    ci = None
    if clusters.count > 1:
        ci = _wilson_effective(dependence, alternative, confidence_level)
    return ClusteredResult(
        variant="rao_scott",
        statistic=t,
        df=df,
        pvalue=pvalue,
        alternative=alternative,
        estimate=mean,
        ci=ci,
        effect_sizes={"cohens_h": 2 * math.asin(math.sqrt(mean)) - 2 * math.asin(p0**0.5)},
        status=status,
        assumptions=(
            independent_clusters(clusters),
            enough_degrees(clusters, df),
            symmetric_differences(clusters.sizes),
        ),
        null_hypothesis=f"The model's {rate} on the population of the groups is {p0:g}.",
        method="rao1992",
        details={
            "p0": p0,
            "n_correct": int(np.count_nonzero(correct)),
            "se": se,
            "se_robust": dependence.se,
            "largest_share": dependence.largest_share,
            "design_effect_raw": dependence.design_effect_raw,
        },
        **dependence.worth,
    )


def _wilson_effective(
    dependence: Dependence, alternative: Alternative, confidence_level: float
) -> ConfidenceInterval:
    """Wilson's (1927) interval on the effective number of rows, with a t quantile."""
    # p̂ and n/design effect take the places of the share and the number of independent rows, and
    # the normal tail with the same quantile as Student's t that of `tail`
    mean = dependence.mean
    size = dependence.n_effective
    tail = tail_probability(confidence_level, alternative)
    normal_tail = float(equivalent_tail(dependence.df, tail))
    lower, upper = distributions.wilson(mean * size, size, normal_tail)
    low = 0.0
    high = 1.0
    if alternative != "less":
        low = min(float(lower), mean)
    if alternative != "greater":
        high = max(float(upper), mean)
    return ConfidenceInterval(low, high, confidence_level, "wilson_effective")


@form_of(binomial_test)
def binomial_test_from_counts(
    *,
    n_correct: Count,
    n: PositiveInt,
    rate: Literal["accuracy", "error"] = "accuracy",
    p0: Level = 0.5,
    variant: Literal["exact", "normal"] = "exact",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    ci_method: ProportionMethod = "wilson",
) -> Result:
    """Test an accuracy, or an error rate, from counts; see `binomial_test` for the options.

    Parameters
    ----------
    n_correct, n : int
        Right rows and all rows.
    rate, p0, variant, ci_method
        As in `binomial_test`.
    """
    check_counts(n_correct, n, "n_correct")
    x = n_correct
    rate_name = "accuracy"
    if rate == "error":
        x = n - n_correct
        rate_name = "error rate"
    estimate = x / n
    assumptions = [INDEPENDENT_ROWS]
    if variant == "exact":
        # x ~ Bin(n, p0); on two sides the sum of P(X = k) over all k with P(X = k) ≤ P(X = x)
        statistic = float(x)
        pvalue = distributions.binomial_pvalue(x, n, p0, alternative)
    else:
        # z = (p̂ − p0)/√(p0(1 − p0)/n)
        statistic = (estimate - p0) / math.sqrt(p0 * (1 - p0) / n)
        pvalue = t_pvalue(statistic, math.inf, alternative)
        assumptions.append(_large_enough("n p0", n * p0))
        assumptions.append(_large_enough("n (1 - p0)", n * (1 - p0)))
    ci = proportion_ci(
        x, n, method=ci_method, confidence_level=confidence_level, alternative=alternative
    )
    return Result(
        variant=variant,
        statistic=statistic,
        pvalue=pvalue,
        alternative=alternative,
        estimate=estimate,
        ci=ci,
        # Cohen's h = 2 arcsin √p̂ − 2 arcsin √p0
        effect_sizes={
            "difference": estimate - p0,
            "cohens_h": 2 * (math.asin(math.sqrt(estimate)) - math.asin(math.sqrt(p0))),
        },
        n=n,
        assumptions=tuple(assumptions),
        null_hypothesis=f"The fitted model's {rate_name} on the population that the test rows were "
        f"drawn from is {p0:g}.",
        details={"rate": rate, "p0": p0, "n_correct": n_correct, "n_wrong": n - n_correct},
    )


def _large_enough(name: str, size: float) -> Assumption:
    """Whether the normal approximation may be used."""
    detail = f"{name} = {size:.4g}; below {_LARGE_SAMPLE} use the exact test"
    return Assumption(f"{name} >= {_LARGE_SAMPLE}", size >= _LARGE_SAMPLE, detail)


@register(
    evidence=Evidence.ROWS,
    paired=False,
    citation="dietterich1998",
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
    """Difference of two proportions (z).

    Would the accuracies differ if each model had a test set of its own?

    Z test of the difference of two accuracies that ignores the pairing of the rows (Dietterich
    1998).

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

    Warnings
    --------
    It ignores that both models were tested on the same rows: it is liberal when they err on
    different rows, conservative when they err on the same rows, and liberal for statements about
    algorithms. Use mcnemar.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.arange(431) < 350, np.arange(431) < 327
    >>> result = proportion_difference(a, b)
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (1.9081, 0.0564)
    """
    a, b = paired_correctness(correct_a, correct_b)
    # what the pairing would tell: Cov = P(both right) − P(A right) P(B right)
    both = int(np.count_nonzero(a & b))
    right_a = int(np.count_nonzero(a))
    right_b = int(np.count_nonzero(b))
    n = len(a)
    covariance = both / n - right_a * right_b / n**2
    detail = f"both models saw the same {n} rows (covariance of their correctness {covariance:.3g})"
    note = Assumption("independent test sets", False, f"{detail}; McNemar's test uses that")
    result = proportion_difference_from_counts(
        correct_a=right_a,
        n_a=n,
        correct_b=right_b,
        n_b=n,
        variant=variant,
        alternative=alternative,
        confidence_level=confidence_level,
    )
    return dataclasses.replace(result, assumptions=(note, *result.assumptions[1:]))


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
    variant
        As in `proportion_difference`.

    Examples
    --------
    >>> result = proportion_difference_from_counts(
    ...     correct_a=45, n_a=60, correct_b=88, n_b=130, variant="yates")
    >>> round(result.details["chi2"], 4), round(result.pvalue, 4)
    (0.725, 0.3945)
    """
    check_counts(correct_a, n_a, "correct_a")
    check_counts(correct_b, n_b, "correct_b")
    # whole numbers, so that equal accuracies differ by exactly 0
    difference = (correct_a * n_b - correct_b * n_a) / (n_a * n_b)
    # pooled: p̄(1 − p̄)(1/n_A + 1/n_B); unpooled: p_A(1 − p_A)/n_A + p_B(1 − p_B)/n_B
    acc_a = correct_a / n_a
    acc_b = correct_b / n_b
    pooled = (correct_a + correct_b) / (n_a + n_b)
    unpooled_se = math.sqrt(acc_a * (1 - acc_a) / n_a + acc_b * (1 - acc_b) / n_b)
    pooled_se = math.sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b))
    se = pooled_se
    correction = 0.0
    if variant == "unpooled":
        se = unpooled_se
    elif variant == "yates":
        correction = min((1 / n_a + 1 / n_b) / 2, abs(difference))

    # z = (|p_A − p_B| − correction)/SE, with the sign of p_A − p_B
    z = math.nan
    if se > 0:
        status = Status.OK
        z = math.copysign(abs(difference) - correction, difference) / se
    elif difference != 0:
        status = Status.ZERO_VARIANCE
    else:
        status = Status.IDENTICAL_SCORES
    z, pvalue = answered(status, z, t_pvalue(z, math.inf, alternative), difference)

    # Wald's interval, with the unpooled standard error
    tail = tail_probability(confidence_level, alternative)
    half = correction - float(special.ndtri(tail)) * unpooled_se
    low = -1.0
    high = 1.0
    if alternative != "less":
        low = max(difference - half, -1.0)
    if alternative != "greater":
        high = min(difference + half, 1.0)
    return Result(
        variant=variant,
        statistic=z,
        pvalue=pvalue,
        alternative=alternative,
        estimate=difference,
        ci=ConfidenceInterval(low, high, confidence_level, "wald"),
        effect_sizes={"cohens_h": 2 * (math.asin(math.sqrt(acc_a)) - math.asin(math.sqrt(acc_b)))},
        n=min(n_a, n_b),
        status=status,
        assumptions=_assumptions_of_two(min(n_a, n_b) * min(pooled, 1 - pooled)),
        details={
            "chi2": z**2,
            "chi2_df": 1,
            "se": se,
            "accuracy_a": acc_a,
            "accuracy_b": acc_b,
            "pooled": pooled,
        },
    )


def _assumptions_of_two(expected: float) -> tuple[Assumption, Assumption]:
    return (
        Assumption(
            "independent test sets",
            None,
            "counts do not tell; for the same rows use McNemar's test",
        ),
        Assumption(
            "large sample",
            expected >= _LARGE_SAMPLE,
            f"smallest expected count of right or wrong rows {expected:.3g}; the normal "
            f"approximation wants {_LARGE_SAMPLE}",
        ),
    )

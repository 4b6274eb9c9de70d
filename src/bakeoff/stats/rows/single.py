"""One classifier: its accuracy on one test set against a value."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core import binomial
from bakeoff.stats.core.arguments import Count, Level, PositiveInt
from bakeoff.stats.core.checks import BoolArray, as_correctness
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.registry import Arity, Evidence, form_of, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.core.tails import normal_pvalue, t_pvalue
from bakeoff.stats.core.variants import Variants
from bakeoff.stats.design.cluster_result import (
    ClusteredResult,
    enough_degrees,
    independent_clusters,
    symmetric_differences,
    too_few_degrees,
)
from bakeoff.stats.design.clusters import Clusters, equivalent_tail
from bakeoff.stats.design.dependence import Dependence, describe
from bakeoff.stats.design.row_design import RowDesign
from bakeoff.stats.rows.proportion_intervals import ProportionMethod, check_counts, proportion_ci

__all__ = ["binomial_test", "binomial_test_from_counts"]

_VARIANTS = Variants(("exact", "normal"), ("rao_scott",))


@register(
    title="Binomial test",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.ONE,
    about="models",
    answers="Is this model's accuracy (or error rate) different from a given value?",
    plans=("holdout",),
    citation="clopper1934",
    caution="Its result is about this fitted model, not about the algorithm trained on other rows.",
    variants=_VARIANTS,
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
    """Test a model's accuracy, or error rate, against a value.

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

    Examples
    --------
    >>> import numpy as np
    >>> result = binomial_test(np.arange(100) < 87, p0=0.8, alternative="greater")
    >>> result.estimate, round(result.pvalue, 4)
    (0.87, 0.0469)
    """
    array = as_correctness(correct, "correct")
    design = RowDesign.of(len(array), groups, correct=correct)
    form = _VARIANTS.choose(variant, design.relation)
    if design.relation == "groups":
        if ci_method != "wilson":
            raise ArgumentError("ci_method", f"found {ci_method!r}, rows in groups have 'wilson'")
        return _in_groups(array, design.units, rate, p0, alternative, confidence_level)
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


def _in_groups(
    array: BoolArray, clusters: Clusters, rate: str, p0: float, side: Alternative, level: float
) -> ClusteredResult:
    found = describe((array == RIGHT[rate]).astype(np.float64), clusters)
    se = math.sqrt(p0 * (1 - p0) / found.n_effective)
    t = (found.mean - p0) / se
    few = too_few_degrees(found.df)
    return ClusteredResult(
        variant="rao_scott",
        statistic=t,
        df=found.df,
        pvalue=math.nan if few else t_pvalue(t, found.df, side),
        alternative=side,
        estimate=found.mean,
        ci=effective_wilson(found, side, level) if clusters.count > 1 else None,
        effect_sizes={"cohens_h": 2 * math.asin(math.sqrt(found.mean)) - 2 * math.asin(p0**0.5)},
        status=Status.TOO_FEW if few else Status.OK,
        assumptions=(
            independent_clusters(clusters),
            enough_degrees(clusters, found.df),
            symmetric_differences(clusters.sizes),
        ),
        null_hypothesis=f"The model's {rate} on the population of the groups is {p0:g}.",
        method="rao1992",
        details={
            "p0": p0,
            "n_correct": int(np.count_nonzero(array)),
            "se": se,
            "se_robust": found.se,
            "largest_share": found.largest_share,
            "design_effect_raw": found.design_effect_raw,
        },
        **found.worth,
    )


def effective_wilson(found: Dependence, side: Alternative, level: float) -> ConfidenceInterval:
    """Return Wilson's (1927) interval on the effective number of rows, with a t quantile."""
    tail = float(equivalent_tail(found.df, binomial.tail_probability(level, side)))
    size = found.n_effective
    low, high = (float(limit) for limit in binomial.wilson(found.mean * size, size, tail))
    return ConfidenceInterval(
        0.0 if side == "less" else min(low, found.mean),
        1.0 if side == "greater" else max(high, found.mean),
        level,
        "wilson_effective",
    )


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

    Returns
    -------
    Result
        The same result as from the rows.

    Examples
    --------
    >>> result = binomial_test_from_counts(n_correct=350, n=431, rate="error", p0=0.2)
    >>> round(result.estimate, 4), round(result.pvalue, 4)
    (0.1879, 0.5878)
    """
    check_counts(n_correct, n, "n_correct")
    x = n_correct if RIGHT[rate] else n - n_correct
    estimate = x / n
    z = (estimate - p0) / math.sqrt(p0 * (1 - p0) / n)
    exact = variant == "exact"
    return Result(
        variant=variant,
        statistic=float(x) if exact else z,
        pvalue=binomial.pvalue(x, n, p0, alternative) if exact else normal_pvalue(z, alternative),
        alternative=alternative,
        estimate=estimate,
        ci=proportion_ci(
            x, n, method=ci_method, confidence_level=confidence_level, alternative=alternative
        ),
        effect_sizes={
            "difference": estimate - p0,
            "cohens_h": 2 * (math.asin(math.sqrt(estimate)) - math.asin(math.sqrt(p0))),
        },
        n=n,
        assumptions=_binomial_assumptions(n, p0, exact),
        null_hypothesis=f"The fitted model's {_RATES[rate]} on the population that the test rows "
        f"were drawn from is {p0:g}.",
        details={"rate": rate, "p0": p0, "n_correct": n_correct, "n_wrong": n - n_correct},
    )


RIGHT = {"accuracy": True, "error": False}
"""Whether a rate counts the rows that the model has right, or those that it has wrong."""
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

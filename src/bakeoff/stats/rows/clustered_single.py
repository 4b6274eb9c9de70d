"""The accuracy of one classifier on rows that come in groups."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.binomial import tail_probability, wilson
from bakeoff.stats.core.checks import (
    as_correctness,
    check_alternative,
    check_choice,
    check_level,
    check_number,
    check_same_labels,
)
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Status
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design.cluster_result import (
    ClusteredResult,
    independent_clusters,
    symmetric_differences,
    too_few_degrees,
)
from bakeoff.stats.design.clusters import as_clusters, equivalent_tail
from bakeoff.stats.design.dependence import Dependence, describe

__all__ = ["clustered_accuracy"]


@register(
    title="Accuracy on groups of rows",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.ONE,
    about="models",
    answers="Is this model's accuracy (or error rate) on new groups different from a given value?",
    plans=("holdout",),
    citation="rao1992",
    caution="It is about this fitted model, and says nothing of another one.",
)
def clustered_accuracy(
    correct: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    rate: Literal["accuracy", "error"] = "accuracy",
    p0: float = 0.5,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> ClusteredResult:
    """Test a model's accuracy, or error rate, against a value on rows that come in groups.

    t = (p̂ − p0)/√(DE·p0(1 − p0)/N) with the design effect DE (Rao & Scott 1992) and Bell &
    McCaffrey's (2002) degrees of freedom.

    Parameters
    ----------
    correct : array_like of bool or 0/1, shape (N,)
        Whether the model is right on each row.
    groups : array_like, shape (N,), optional
        The group of each row; without it each row is a group of its own.
    rate : {"accuracy", "error"}
        The rate that `p0`, `alternative`, `estimate` and `ci` are about.
    p0 : float
        The rate under the null hypothesis, strictly between 0 and 1.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: the rate is above `p0`.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    ClusteredResult
        `estimate` is the rate over rows, `ci` Wilson's (1927) interval on the effective number of
        rows with a t quantile.

    Examples
    --------
    >>> import numpy as np
    >>> right = np.repeat([1, 1, 1, 0, 1, 0, 1, 1, 1, 0], 10)
    >>> result = clustered_accuracy(right, groups=np.arange(100) // 10)
    >>> result.estimate, result.n_effective, round(result.pvalue, 3)
    (0.7, 9.090909090909092, 0.259)
    """
    array = as_correctness(correct, "correct")
    check_choice(rate, ("accuracy", "error"), "rate")
    if not 0 < check_number(p0, "p0") < 1:
        raise ArgumentError("p0", f"found {p0!r}, must lie strictly between 0 and 1")
    side = check_alternative(alternative)
    level = check_level(confidence_level, side=side)
    clusters = as_clusters(groups, len(array))
    if groups is not None:
        check_same_labels(correct=correct, groups=groups)
    counted = array if rate == "accuracy" else ~array
    found = describe(counted.astype(np.float64), clusters)
    se = math.sqrt(p0 * (1 - p0) / found.n_effective)
    t = (found.mean - p0) / se
    few = too_few_degrees(found.df)
    return ClusteredResult(
        test="clustered_accuracy",
        statistic=t,
        df=found.df,
        pvalue=math.nan if few else t_pvalue(t, found.df, side),
        alternative=side,
        estimate=found.mean,
        ci=effective_wilson(found, side, level) if clusters.count > 1 else None,
        effect_sizes={"cohens_h": 2 * math.asin(math.sqrt(found.mean)) - 2 * math.asin(p0**0.5)},
        n=clusters.n,
        status=Status.TOO_FEW if few else Status.OK,
        assumptions=(
            independent_clusters(clusters),
            Assumption(
                "enough groups",
                not few,
                f"{clusters.count} groups of these sizes give {found.df:.1f} degrees of freedom; "
                "it wants 4",
            ),
            symmetric_differences(clusters.sizes),
        ),
        null_hypothesis=f"The model's {rate} on the population of the groups is {p0:g}.",
        method="rao1992",
        details={
            "n_correct": int(np.count_nonzero(array)),
            "se": se,
            "se_robust": found.se,
            "largest_share": found.largest_share,
            "design_effect_raw": found.design_effect_raw,
        },
        n_clusters=clusters.count,
        n_effective=found.n_effective,
        design_effect=found.design_effect,
        icc=found.icc,
    )


def effective_wilson(found: Dependence, side: Alternative, level: float) -> ConfidenceInterval:
    """Wilson's (1927) interval on the effective number of rows, with a t quantile."""
    tail = float(equivalent_tail(found.df, tail_probability(level, side)))
    size = found.n_effective
    low, high = (float(limit) for limit in wilson(found.mean * size, size, tail))
    return ConfidenceInterval(
        0.0 if side == "less" else min(low, found.mean),
        1.0 if side == "greater" else max(high, found.mean),
        level,
        "wilson_effective",
    )

"""Numbers that a system gave each row: losses, partial credit, scores of items."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core import mcnemar_kernels
from bakeoff.stats.core.arguments import Level, PositiveInt, Seed, checked
from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import (
    FloatArray,
    as_scores,
    check_same_labels,
    check_same_length,
)
from bakeoff.stats.core.difference_limits import DIFFERENCE_METHODS, one_sided
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.paired_differences import paired_differences
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
    answered,
)
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.core.variants import Variants
from bakeoff.stats.design.clusters import RowDesign
from bakeoff.stats.design.flips import UNBOUNDED, GroupSums, widened, with_flips
from bakeoff.stats.design.groups import SOURCES, GroupTest, recommended_groups
from bakeoff.stats.design.spread import FEWEST_CLUSTERS, Spread, leverage_of, spread
from bakeoff.stats.metrics.all_pairs import compare_values
from bakeoff.stats.metrics.answer import enough_rows
from bakeoff.stats.metrics.test_rows import read_groups

_VARIANTS = Variants(("paired",), (*SOURCES, "t_and_flips"))


@checked
def mean_ci(
    values: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    confidence_level: Level = 0.95,
) -> Result:
    """Return the mean of a number that one system has on each row, with its interval.

    Student's t interval with degrees of freedom from the values, or from their sums over groups
    (Satterthwaite 1946); in groups its hull with the limits from means of random subsets of groups
    (Hartigan 1969), which one dominant group does not mislead.

    Parameters
    ----------
    values : array_like, shape (n,)
        The number of each row.
    groups : array_like, shape (n,), optional
        Which rows belong together.

    Returns
    -------
    Result
        `estimate` is the mean, `pvalue` NaN. ``zero_variance``: the same number on every row;
        ``too_few``: fewer than two rows, or than five groups.

    Examples
    --------
    >>> result = mean_ci([0.5, 0.7, 0.9, 0.4])
    >>> round(result.estimate, 3), round(result.ci.low, 3), round(result.ci.high, 3)
    (0.625, 0.272, 0.978)
    """
    x = as_scores(values, "values", unit="rows")
    clusters = read_groups(groups, len(x))
    estimate = float(x.mean())
    leverage = leverage_of(clusters)
    found = spread(x - estimate, clusters=clusters, leverage=leverage)
    status = _known(found, clusters is not None, float(np.abs(x).max()))
    ci = None
    if status is Status.OK:
        ci = found.interval(estimate, confidence_level, "two-sided", UNBOUNDED)
        if clusters is not None and leverage is not None:
            ci = widened(GroupSums(np.bincount(clusters, x) / len(x), leverage.shares), ci)
    return Result(
        test="mean_ci",
        statistic=math.nan,
        df=found.df,
        pvalue=math.nan,
        estimate=estimate,
        ci=ci,
        n=len(x),
        status=status,
        assumptions=(_assumption(found, clusters is not None),),
        null_hypothesis="",
        method="satterthwaite1946",
        details={"se": found.se, "units": found.units},
    )


@register(
    title="Difference of means of a value per row",
    evidence=Evidence.VALUES,
    arity=Arity.PAIR,
    about="models",
    answers="Does one of these two systems have the better mean of a value per row?",
    plans=("holdout",),
    citation="satterthwaite1946",
    variants=_VARIANTS,
    all_pairs=compare_values,
    all_pairs_from=100,
    in_time="diebold_mariano_means",
    caution="Where few rows dominate the difference (heavy-tailed losses), its type I error "
    "slightly exceeds the level. With few groups its p-value assumes that group effects are "
    "distributed symmetrically about zero, which cannot be tested.",
    null_hypothesis="The two systems have the same mean value on the population that the "
    "rows were drawn from.",
)
def mean_difference(
    values_a: ArrayLike,
    values_b: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    variant: Literal[
        "paired", "sign_flip", "sign_flip_exact", "t_and_flips", "influence_t", "robust_t"
    ]
    | None = None,
    df: Literal["influence", "rows"] = "influence",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    n_resamples: PositiveInt = 9_999,
    seed: Seed = 0,
) -> Result:
    """Test the mean difference of a number that each of two systems has on the same rows.

    For independent rows t = d̄/se on the differences: Student's paired t test, with fewer degrees
    of freedom where a few rows carry the variance (Satterthwaite 1946).

    Parameters
    ----------
    values_a, values_b : array_like, shape (n,)
        A's and B's value on each row, in the same rows.
    groups : array_like, shape (n,), optional
        Which rows belong together. Where each item was run several times, rows are runs and
        `groups` the items.
    variant : str, optional
        Independent rows have ``"paired"``. In groups ``"sign_flip"`` (default): mid-p over the
        signs of the group sums (Canay, Romano & Shaikh 2017). ``"sign_flip_exact"`` counts the
        observed sum in full: the one to take with fewer than eight groups. ``"robust_t"``: CR2
        variance with Bell & McCaffrey's (2002) degrees of freedom; with groups of one size the
        paired t test of the group means. ``"influence_t"``: the same with the degrees of freedom
        of the group sums (Satterthwaite 1946) where these are fewer. ``"t_and_flips"``: the
        larger p-value of a t test of the group sums and of exact sign flips, as
        `metric_difference` has it.
    df : {"influence", "rows"}
        Of ``"paired"`` and ``"t_and_flips"``: degrees of freedom from the differences, or one
        less than rows (groups), as in the textbook's paired t test, which then stands alone in
        groups, too.
    confidence_level : float
        Level of the interval: that of t for the t tests; for sign flips the hull of
        ``influence_t`` and of the limits from means of random subsets of groups (Hartigan 1969),
        which holds 0 where p ≥ 1 − `confidence_level`, and only there.
    n_resamples : int
        Draws of the signs where the sums are no whole numbers and more than 20 groups differ.

    Returns
    -------
    Result or ClusteredResult
        `estimate` is A's mean advantage. Independent values that are all 0 or 1 have the p-value
        and the interval of `mcnemar`. ``identical_scores`` (p 1): the same value on every
        row; ``zero_variance`` (p NaN): the same difference on every row; ``too_few``: fewer than
        two rows, or than five groups.

    Examples
    --------
    >>> result = mean_difference([.9, .4, .8, .7, .9], [.6, .4, .5, .8, .5])
    >>> round(result.estimate, 2), round(result.pvalue, 3)
    (0.18, 0.137)
    >>> a = [0.2, 0.1, 0.3, 0.5, 0.2, 0.1, 0.4, 0.3, 0.1, 0.2, 0.3, 0.2]
    >>> b = [0.3, 0.3, 0.4, 0.4, 0.5, 0.2, 0.6, 0.3, 0.4, 0.3, 0.2, 0.6]
    >>> result = mean_difference(
    ...     a, b, groups=[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], greater_is_better=False)
    >>> result.variant, round(result.estimate, 4), round(result.pvalue, 4)
    ('sign_flip', 0.1333, 0.0312)
    """
    form = _VARIANTS.choose(variant, "independent" if groups is None else "groups")
    if groups is not None and form != "t_and_flips":
        if df == "rows":
            raise ArgumentError("df", f"'rows' is of paired and t_and_flips, the variant is {form}")
        d = paired_differences(
            values_a, values_b, greater_is_better=greater_is_better, of_rows=True
        )
        units = RowDesign.of(len(d.values), groups, values_a=values_a).units
        how = form, alternative, confidence_level, n_resamples, seed
        return GroupTest.of_rows(d.values, d.noise, units, *how).result(
            {},
            null_hypothesis="Exchanging the two systems in a whole group changes nothing: their "
            "mean is the same on the population that the groups were drawn from.",
        )
    a, b = (
        as_scores(v, name, greater_is_better=greater_is_better, unit="rows")
        for v, name in ((values_a, "values_a"), (values_b, "values_b"))
    )
    check_same_length(values_a=a, values_b=b)
    check_same_labels(values_a=values_a, values_b=values_b)
    clusters = read_groups(groups, len(a))
    right = [x if greater_is_better else 1 + x for x in (a, b)]
    marks = clusters is None and df == "influence" and bool(np.isin(right, (0, 1)).all())
    differences = a - b
    estimate = float(differences.mean())
    leverage = leverage_of(clusters)
    found = spread(differences - estimate, clusters=clusters, leverage=leverage)
    carried = () if clusters is not None or marks else (enough_rows(found, (a, b)),)
    if df == "rows":
        found = Spread(found.se, found.units - 1, found.units)
    status = Status.IDENTICAL_SCORES
    if differences.any() and marks:
        status = Status.OK
    elif differences.any():
        status = _known(found, clusters is not None, float(np.abs(differences).max()))
    t, pvalue, ci = math.nan, math.nan, None
    if marks:
        t, pvalue, ci = _of_marks(right[0], right[1], alternative, confidence_level)
    elif status is Status.OK:
        t = estimate / found.se
        pvalue = t_pvalue(t, found.df, alternative)
        ci = found.interval(estimate, confidence_level, alternative, UNBOUNDED)
        if clusters is not None and leverage is not None and df == "influence":
            groups_of = GroupSums(np.bincount(clusters, differences) / len(a), leverage.shares)
            pvalue, ci = with_flips(groups_of, pvalue, ci, estimate, alternative)
    t, pvalue = answered(status, t, pvalue, estimate)
    return Result(
        variant=form,
        statistic=t,
        df=found.df,
        pvalue=pvalue,
        alternative=alternative,
        estimate=estimate,
        ci=ci,
        n=len(a),
        status=status,
        assumptions=(_assumption(found, clusters is not None), *carried),
        method=mcnemar_kernels.SOURCES["midp"] if marks else "",
        details={"se": found.se, "units": found.units},
    )


def _of_marks(
    a: FloatArray, b: FloatArray, side: Alternative, level: float
) -> tuple[float, float, ConfidenceInterval]:
    """Compare values that are all 0 or 1 as `mcnemar` does: mid-p, Newcombe's interval."""
    both, only_a, only_b, neither = (
        np.array([float(np.sum((a == x) & (b == y)))]) for x, y in ((1, 1), (1, 0), (0, 1), (0, 0))
    )
    tail = tail_probability(level, side)
    limits = DIFFERENCE_METHODS["newcombe"](both, only_a, only_b, neither, tail)
    low, high = (float(end[0]) for end in one_sided(*limits, side))
    pvalue = float(mcnemar_kernels.midp_pvalue(only_a, only_b, side)[0])
    return float(only_a[0]), pvalue, ConfidenceInterval(low, high, level, "newcombe")


def _known(found: Spread, clustered: bool, size: float) -> Status:
    """Tell whether the spread of values up to a size can be known."""
    if found.units < (FEWEST_CLUSTERS if clustered else 2):
        return Status.TOO_FEW
    return Status.ZERO_VARIANCE if found.se <= 1e-12 * size else Status.OK


def _assumption(found: Spread, clustered: bool) -> Assumption:
    return recommended_groups(found.units) if clustered else INDEPENDENT_ROWS

"""A metric that is given as a function of rows: intervals and tests without its formula.

Influence values come from leaving rows out (the jackknife), or, where the metric is not smooth
in the rows (a median, a best threshold), an interval alone comes from the bootstrap.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.checks import check_alternative, check_flag, check_level
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import Result, Status
from bakeoff.stats.design.leverage import leverage_of
from bakeoff.stats.metrics.answer import Answer, better_is_positive
from bakeoff.stats.metrics.bootstrap import OwnMetric, bca_interval, bootstrap
from bakeoff.stats.metrics.functional import NoValue
from bakeoff.stats.metrics.influence import Atoms, Influence
from bakeoff.stats.metrics.left_out import left_out
from bakeoff.stats.metrics.metric import numbers
from bakeoff.stats.metrics.setting import Setting
from bakeoff.stats.metrics.test_rows import Codes, Truth, read_groups


def own_metric_ci(
    metric: OwnMetric,
    n: int,
    *,
    greater_is_better: bool = True,
    smooth: bool = True,
    groups: ArrayLike | None = None,
    n_resamples: int = 9_999,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> Result:
    """Return the interval of one model's own metric on n test rows.

    Parameters
    ----------
    metric : Callable
        From row numbers (array of int) to the metric of these rows; ValueError or NaN where it
        has no value.
    n : int
        How many test rows there are.
    greater_is_better : bool
        Which way is better.
    smooth : bool
        True: a row's influence is found by leaving it out (beyond 5,000 rows: by leaving out
        each of 200 blocks). False: the BCa bootstrap (Efron 1987).
    groups : array_like, shape (n,), optional
        Which rows belong together; they are left out, or drawn, whole.
    n_resamples, seed : int
        Of the bootstrap.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    Result
        As of `metric_ci`.

    Raises
    ------
    ValueError
        Groups that do not fit, options out of range.

    Examples
    --------
    >>> profit = np.array([3.0, -1, 2, 5, 0, 1, -2, 4, 2, 1])
    >>> result = own_metric_ci(lambda rows: profit[rows].mean(), len(profit))
    >>> round(result.estimate, 2), round(result.ci.low, 2), round(result.ci.high, 2)
    (1.5, -0.05, 3.05)
    """
    level = check_level(confidence_level)
    base = _answer("metric_ci", n, greater_is_better, groups, level, "two-sided")
    try:
        found = left_out_influence(metric, n, base.setting.clusters)
    except NoValue as reason:
        return base.undefined(str(reason))
    if check_flag(smooth, "smooth"):
        return base.of_one(found)
    return bootstrapped(base, found, metric, n_resamples, seed)


def own_metric_difference(
    metric_a: OwnMetric,
    metric_b: OwnMetric,
    n: int,
    *,
    greater_is_better: bool = True,
    smooth: bool = True,
    groups: ArrayLike | None = None,
    n_resamples: int = 9_999,
    seed: int = 0,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
) -> Result:
    """Test the difference of an own metric between two models on the same n test rows.

    Parameters
    ----------
    metric_a, metric_b : Callable
        From row numbers to the metric of A and of B on these rows, as in `own_metric_ci`.
    n, greater_is_better, smooth, groups, n_resamples, seed, confidence_level
        As in `own_metric_ci`.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is better.

    Returns
    -------
    Result
        As of `metric_difference`. Where the metric is not smooth there is an interval but no
        p-value: no test of it holds its level.

    Raises
    ------
    ValueError
        As `own_metric_ci`; a one-sided question about a metric that is not smooth.

    Examples
    --------
    >>> a = np.array([3.0, -1, 2, 5, 0, 1, -2, 4, 2, 1])
    >>> b = np.array([2.0, -1, 1, 2, 0, 1, -2, 2, 1, 1])
    >>> result = own_metric_difference(lambda r: a[r].mean(), lambda r: b[r].mean(), 10)
    >>> round(result.estimate, 2), round(result.pvalue, 3)
    (0.8, 0.037)
    """
    side = check_alternative(alternative)
    level = check_level(confidence_level, side=side)
    base = _answer("metric_difference", n, greater_is_better, groups, level, side)
    clusters = base.setting.clusters
    try:
        a, b = left_out_influence(metric_a, n, clusters), left_out_influence(metric_b, n, clusters)
        found = left_out_influence(lambda rows: metric_a(rows) - metric_b(rows), n, clusters)
    except NoValue as reason:
        return base.undefined(str(reason))
    if check_flag(smooth, "smooth"):
        return base.of_pair(better_is_positive(base.setting, found), a, b)
    if side != "two-sided":
        raise ArgumentError("alternative", "a metric that is not smooth has no one-sided interval")
    sign = 1 if greater_is_better else -1
    return bootstrapped(
        base, found if sign == 1 else -found,
        lambda rows: sign * (metric_a(rows) - metric_b(rows)), n_resamples, seed,
    )  # fmt: skip


def _answer(
    test: str, n: int, greater_is_better: bool, groups: ArrayLike | None, level: float, side: str
) -> Answer:
    better = check_flag(greater_is_better, "greater_is_better")
    truth = Truth(np.zeros(n, dtype=np.intp), (0, 1), 1)
    metric = numbers("own metric", greater_is_better=better)
    setting = Setting(metric, truth, read_groups(groups, n))
    return Answer(test, setting, check_alternative(side), level)


def left_out_influence(metric: OwnMetric, n: int, clusters: Codes | None) -> Influence:
    """Return a metric with the influence that leaving rows out shows."""
    found = left_out(metric, n, clusters)
    atoms = Atoms(found.psi, found.together, leverage=leverage_of(found.together))
    return Influence("own metric", found.value, atoms)


def bootstrapped(
    base: Answer,
    found: Influence,
    metric: OwnMetric,
    n_resamples: int = 9_999,
    seed: int = 0,
) -> Result:
    """Return the BCa interval of a metric that jumps when rows are left out."""
    n, clusters = base.setting.truth.n, base.setting.clusters
    drawn = bootstrap(metric, n, clusters=clusters, n_resamples=n_resamples, seed=seed)
    ci = bca_interval(drawn, found.psi, base.level)
    return base.with_interval(found, Status.OK if ci else Status.ZERO_VARIANCE, ci)

"""Any metric on one test set: the interval of one model and the difference of two.

Everything comes from influence values, one per row: their spread, or that of their sums over
clusters, gives standard errors; Student's t with degrees of freedom from the same values gives
intervals and tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Level, checked
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Result, Status
from bakeoff.stats.metrics.all_pairs import compare_models
from bakeoff.stats.metrics.answer import Answer, better_is_positive
from bakeoff.stats.metrics.bootstrap import OwnMetric, bca_interval, bootstrap
from bakeoff.stats.metrics.functional import NoValue
from bakeoff.stats.metrics.influence import Influence, by_rows, one, pair
from bakeoff.stats.metrics.metric import Form, Metric
from bakeoff.stats.metrics.named import METRICS
from bakeoff.stats.metrics.setting import MetricArguments, Setting, setting_of


def test_set_metrics() -> tuple[str, ...]:
    """Return the names of the metrics that `metric_ci` and `metric_difference` know."""
    return tuple(METRICS)


def looks_at(metric: str | Metric) -> str:
    """Return what a metric is computed from.

    Returns
    -------
    {"classes", "ranking", "probabilities"}
        Predicted classes; scores of the positive class, of which only the order counts; or
        probabilities of all classes. ``"classes"`` for a name that is no metric.
    """
    known = METRICS.get(metric) if isinstance(metric, str) else metric
    if known is None or not known.by_order:
        return "classes"
    return known.needs.value


test_set_metrics.__test__ = False  # type: ignore[attr-defined]


@checked
def metric_ci(
    y_true: ArrayLike,
    predicted: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    **asked: Unpack[MetricArguments],
) -> Result:
    """Return a metric of one model on test rows with its standard error and interval.

    Metrics of decisions take the t interval of the table with four pseudo-rows spread over its
    cells (for accuracy: Agresti & Coull 1998); areas and average precision the t interval on the
    logit scale; means of a loss the t interval. Degrees of freedom come from the influence values.
    In groups the interval is the hull of that and of the limits from means of random subsets of
    groups (Hartigan 1969), which one dominant group does not mislead.

    Parameters
    ----------
    predicted : array_like, shape (n,) or (n, K)
        As in `influence`.

    Returns
    -------
    Result
        `estimate` is the metric, `pvalue` NaN; ``details`` holds ``se``, ``df``, ``padded`` (the
        centre of the interval). ``undefined``: the metric has no value here; ``too_few``: fewer
        than five rows of a class it is conditional on, or fewer than five groups;
        ``zero_variance``: no row differs from another, so that nothing is known of its spread.

    Examples
    --------
    >>> y, said = [1] * 10 + [0] * 10, [1] * 8 + [0] * 11 + [1]
    >>> result = metric_ci(y, said, metric="f1")
    >>> round(result.estimate, 3), round(result.ci.low, 3), round(result.ci.high, 3)
    (0.842, 0.582, 0.983)
    """
    models = [("predicted", predicted)]
    setting, (rows,) = setting_of(y_true, models, **asked)
    base = Answer("metric_ci", setting, "two-sided", confidence_level)
    try:
        if not setting.metric.interval:
            return base.undefined(_NO_INTERVAL, setting.metric.value(setting.view(rows)))
        found = one(setting, rows)
    except NoValue as reason:
        return base.undefined(str(reason))
    if not setting.metric.smooth:
        return bootstrapped(base, found, by_rows(setting, rows))
    return base.of_one(found)


@register(
    title="Difference of a metric",
    evidence=Evidence.PREDICTIONS,
    arity=Arity.PAIR,
    about="models",
    answers="Is one of these two fitted models better by the chosen metric?",
    plans=("holdout",),
    citation="satterthwaite1946",
    all_pairs=compare_models,
    caution="It refuses fewer than 5 rows of a class that the metric uses; with fewer than 20, "
    "or with a log loss dominated by few rows, its intervals are inaccurate. Where "
    "large errors are so rare that few or none are among the rows, its type I error exceeds the "
    "level. For all pairs of many models it is conservative where classes are rare.",
)
def metric_difference(
    y_true: ArrayLike,
    predicted_a: ArrayLike,
    predicted_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    **asked: Unpack[MetricArguments],
) -> Result:
    """Test the difference of a metric between two models on the same test rows.

    t = d/se with the standard error of the differences of influence values and Student's t with
    degrees of freedom from the same differences (after Satterthwaite 1946). For metrics of
    decisions, d and se are those of the table with two pseudo-rows spread over its cells (for
    accuracy: Agresti & Min 2005). The interval of a difference of areas is the hull of the t
    interval and of that made of the two logit intervals (Zou 2007).

    Returns
    -------
    Result
        `estimate` is A's advantage (for losses B − A), without pseudo-rows; ``details`` holds
        ``value_a``, ``value_b``, ``se``, ``df`` and the ``padded`` difference. Statuses as in
        `metric_ci`; ``identical_scores``: no row is treated differently, p 1.

    Examples
    --------
    >>> y, a = [1] * 20 + [0] * 20, [1] * 18 + [0] * 22
    >>> b = [1] * 11 + [0] * 26 + [1] * 3
    >>> result = metric_difference(y, a, b, metric="f1")
    >>> round(result.estimate, 3), round(result.pvalue, 4)
    (0.3, 0.003)

    For many models `all_pairs` adjusts by the largest statistic (Hothorn, Bretz & Westfall 2008),
    with ``correction="max-t"``:

    >>> from bakeoff.stats import all_pairs
    >>> table = [list(row) for row in zip(a, b, [1] * 9 + [0] * 31)]
    >>> [f"{pair.pvalue_adjusted:.2f}" for pair in all_pairs(
    ...     "metric_difference", y, table, metric="f1").pairs]
    ['0.01', '0.01', '0.74']
    """
    models = [("predicted_a", predicted_a), ("predicted_b", predicted_b)]
    setting, (a, b) = setting_of(y_true, models, **asked)
    return difference(setting, [a, b], alternative, confidence_level)[1]


def difference(
    setting: Setting, rows: Sequence[Any], side: Alternative, level: float
) -> tuple[Influence | None, Result]:
    """Return the influence of every row on a difference, better is greater, and its test."""
    base, (a, b) = Answer("metric_difference", setting, side, level), rows
    try:
        if not setting.metric.interval:
            gain = _advantage(setting, a, b)(np.arange(setting.truth.n))
            return None, base.undefined(_NO_INTERVAL, gain)
        joint = pair(setting, a, b) if setting.metric.form is Form.DECISIONS else None
        cells = None if joint is None else joint.atoms.cells
        first, second = (
            one(setting, model, None if cells is None else cells.counts_of(place))
            for place, model in enumerate(rows)
        )
        found = better_is_positive(setting, first - second if joint is None else joint)
    except NoValue as reason:
        return None, base.undefined(str(reason))
    if not setting.metric.smooth:
        return None, bootstrapped(base, found, _advantage(setting, a, b))
    return found, base.of_pair(found, first, second)


_NO_INTERVAL = "it has no known standard error"


def bootstrapped(base: Answer, found: Influence, metric: OwnMetric) -> Result:
    """Return the BCa interval of a metric that jumps when rows are left out."""
    drawn = bootstrap(metric, base.setting.truth.n, clusters=base.setting.clusters)
    ci = bca_interval(drawn, found.psi, base.level)
    return base.with_interval(found, Status.OK if ci else Status.ZERO_VARIANCE, ci)


def _advantage(setting: Setting, a: Any, b: Any) -> OwnMetric:
    """Return by how much A is better as a function of row numbers."""
    sign = 1 if setting.metric.greater_is_better else -1
    of_a, of_b = by_rows(setting, a), by_rows(setting, b)
    return lambda rows: sign * (of_a(rows) - of_b(rows))

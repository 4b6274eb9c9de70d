"""Any metric on one test set: the interval of one model and the difference of two.

Everything comes from influence values, one per row: their spread, or that of their sums over
clusters, gives standard errors; Student's t with degrees of freedom from the same values gives
intervals and tests.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats._area_intervals import hull, logit_interval
from bakeoff.stats._checks import check_alternative, check_level
from bakeoff.stats._decision_metrics import UndefinedMetric
from bakeoff.stats._metric_table import METRICS, metric_called
from bakeoff.stats._result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats._spread import FEWEST_CLUSTERS, Spread
from bakeoff.stats._tails import t_pvalue
from bakeoff.stats._test_rows import read_groups
from bakeoff.stats.influence import Influence, Setting, one, pair, read

_NOISE = 1e-12
_ENOUGH_OF_A_CLASS = 20
_ENOUGH_CLUSTERS = 15
_CITED = {"roc_auc": "delong1988", "roc_auc_ovo": "hand2001"}


def test_set_metrics() -> tuple[str, ...]:
    """Return the names of the metrics that `metric_ci` and `metric_difference` know."""
    return tuple(METRICS)


test_set_metrics.__test__ = False  # type: ignore[attr-defined]


def metric_ci(
    y_true: ArrayLike,
    predicted: ArrayLike,
    *,
    metric: str = "accuracy",
    positive: Any = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    beta: float = 1.0,
    k: int = 2,
    cost: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Result:
    """Return a metric of one model on test rows with its standard error and interval.

    Metrics of decisions take the t interval of the table with four pseudo-rows spread over its
    cells (for accuracy: Agresti & Coull 1998); areas and average precision the t interval on the
    logit scale; means of a loss the t interval. Degrees of freedom come from the influence values.

    Parameters
    ----------
    y_true, predicted, metric, positive, labels, beta, k, cost
        As in `influence`.
    groups : array_like, shape (n,), optional
        Which rows belong together; their influence values are summed.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    Result
        `estimate` is the metric, `pvalue` NaN; ``details`` holds ``se``, ``df``, ``padded`` (the
        centre of the interval). ``undefined``: the metric has no value here; ``too_few``: fewer
        than five rows of a class it is conditional on, or fewer than five groups;
        ``zero_variance``: no row differs from another, so that nothing is known of its spread.

    Raises
    ------
    ValueError
        As `influence`, but for a metric without value.

    Examples
    --------
    >>> y, said = [1] * 10 + [0] * 10, [1] * 8 + [0] * 11 + [1]
    >>> result = metric_ci(y, said, metric="f1")
    >>> round(result.estimate, 3), round(result.ci.low, 3), round(result.ci.high, 3)
    (0.842, 0.615, 1.0)
    """
    level = check_level(confidence_level)
    setting, (rows,) = _setting(
        metric, y_true, (predicted,), positive, labels, groups, beta, k, cost
    )
    base = _Answer("metric_ci", setting, "two-sided", level)
    try:
        found = one(setting, rows)
    except UndefinedMetric as reason:
        return base.undefined(str(reason))
    status = _status_of_one(setting, found)
    ci = None if status is Status.TOO_FEW else interval_of_one(setting, found, level, "two-sided")
    return base.result(found, status, math.nan, math.nan, ci)


def metric_difference(
    y_true: ArrayLike,
    predicted_a: ArrayLike,
    predicted_b: ArrayLike,
    *,
    metric: str = "accuracy",
    positive: Any = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    beta: float = 1.0,
    k: int = 2,
    cost: ArrayLike | None = None,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
) -> Result:
    """Test the difference of a metric between two models on the same test rows.

    t = d/se with the standard error of the differences of influence values and Student's t with
    degrees of freedom from the same differences. For metrics of decisions, d and se are those of
    the table with two pseudo-rows spread over its cells (for accuracy: Agresti & Min 2005). The
    interval of a difference of areas is the hull of the t interval and of that made of the two
    logit intervals (Zou 2007).

    Parameters
    ----------
    y_true, metric, positive, labels, groups, beta, k, cost
        As in `metric_ci`.
    predicted_a, predicted_b : array_like, shape (n,) or (n, K)
        What A and B predict, in the same rows.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is better.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    Result
        `estimate` is A's advantage (for losses B − A), without pseudo-rows; ``details`` holds
        ``value_a``, ``value_b``, ``se``, ``df`` and the ``padded`` difference. Statuses as in
        `metric_ci`; ``identical_scores``: no row is treated differently, p 1.

    Raises
    ------
    ValueError
        As `influence`, but for a metric without value; an unknown alternative.

    Examples
    --------
    >>> y, a = [1] * 20 + [0] * 20, [1] * 18 + [0] * 22
    >>> b = [1] * 11 + [0] * 26 + [1] * 3
    >>> result = metric_difference(y, a, b, metric="f1")
    >>> round(result.estimate, 3), round(result.pvalue, 4)
    (0.3, 0.0044)
    """
    side = check_alternative(alternative)
    level = check_level(confidence_level, side=side)
    setting, (a, b) = _setting(
        metric, y_true, (predicted_a, predicted_b), positive, labels, groups, beta, k, cost
    )
    base = _Answer("metric_difference", setting, side, level)
    try:
        found = better_is_positive(setting, pair(setting, a, b))
    except UndefinedMetric as reason:
        return base.undefined(str(reason))
    values = {"value_a": one(setting, a).value, "value_b": one(setting, b).value}
    status, t, pvalue = decide(setting, found, side)
    ci = None
    if status in (Status.OK, Status.IDENTICAL_SCORES) and found.tested.se > 0:
        ci = found.tested.interval(found.estimate, level, side, _limits(setting))
        if setting.metric.form == "ranking" and status is Status.OK:
            ci = hull(setting, one(setting, a), one(setting, b), found, ci, side)
    return base.result(found, status, t, pvalue, ci, values)


def _setting(
    metric: str,
    y_true: ArrayLike,
    models: tuple[ArrayLike, ...],
    positive: Any,
    labels: Any,
    groups: ArrayLike | None,
    beta: float,
    k: int,
    cost: ArrayLike | None,
) -> tuple[Setting, list[Any]]:
    how = metric_called(metric)
    truth, rows = read(how, y_true, models, positive, labels)
    return Setting(how, truth, read_groups(groups, truth.n), beta, k, cost), rows


def better_is_positive(setting: Setting, found: Influence) -> Influence:
    """Turn a difference of losses so that it is positive where A is better."""
    if setting.metric.greater_is_better:
        return found
    padded = None if found.padded is None else -found.padded
    pseudo = None if found.pseudo is None else (-found.pseudo[0], found.pseudo[1])
    return dataclasses.replace(
        found, value=-found.value, psi=-found.psi, padded=padded, pseudo=pseudo
    )


def decide(setting: Setting, found: Influence, side: Alternative) -> tuple[Status, float, float]:
    """Return status, t and p of a difference."""
    if found.tested.units < FEWEST_CLUSTERS or setting.too_few():
        return Status.TOO_FEW, math.nan, math.nan
    if abs(found.value) <= _NOISE and (np.abs(found.psi) <= _NOISE).all():
        return Status.IDENTICAL_SCORES, 0.0, 1.0
    tested = found.tested
    if tested.se <= _NOISE:
        return Status.ZERO_VARIANCE, math.copysign(math.inf, found.value), math.nan
    t = found.estimate / tested.se
    return Status.OK, t, t_pvalue(t, tested.df, side)


def _status_of_one(setting: Setting, found: Influence) -> Status:
    if found.tested.units < FEWEST_CLUSTERS or setting.too_few():
        return Status.TOO_FEW
    return Status.OK if found.tested.se > _NOISE else Status.ZERO_VARIANCE


def interval_of_one(
    setting: Setting, found: Influence, level: float, side: Alternative
) -> ConfidenceInterval | None:
    """Return the interval of one model's metric; None where nothing is known of its spread."""
    if setting.metric.form == "ranking":
        return logit_interval(setting, found, level, side)
    if found.tested.se <= _NOISE:
        return None
    return found.tested.interval(found.estimate, level, side, setting.metric.range)


def _limits(setting: Setting) -> tuple[float, float]:
    low, high = setting.metric.range
    return low - high, high - low


@dataclasses.dataclass(frozen=True)
class _Answer:
    """What every result about one metric says."""

    test: str
    setting: Setting
    side: Alternative
    level: float

    @property
    def null(self) -> str:
        if self.test == "metric_ci":
            return ""
        return (
            f"The two fitted models have the same {self.setting.metric.name} on the population "
            "that the test rows were drawn from."
        )

    @property
    def method(self) -> str:
        name = self.setting.metric.name
        if self.setting.metric.form == "decisions":
            return "agresti2005" if self.test == "metric_difference" else "agresti1998"
        return _CITED.get(name, "satterthwaite1946")

    def undefined(self, reason: str) -> Result:
        return Result(
            test=self.test,
            variant=self.setting.metric.name,
            statistic=math.nan,
            pvalue=math.nan,
            alternative=self.side,
            n=self.setting.truth.n,
            status=Status.UNDEFINED,
            assumptions=(Assumption("a defined metric", False, reason),),
            null_hypothesis=self.null,
            method=self.method,
        )

    def result(
        self,
        found: Influence,
        status: Status,
        t: float,
        pvalue: float,
        ci: ConfidenceInterval | None,
        values: dict[str, float] | None = None,
    ) -> Result:
        tested = found.tested
        return Result(
            test=self.test,
            variant=self.setting.metric.name,
            statistic=t,
            df=tested.df,
            pvalue=pvalue,
            alternative=self.side,
            estimate=found.value,
            ci=ci,
            n=self.setting.truth.n,
            status=status,
            assumptions=(*assumptions(self.setting, tested), *_disagreement(pvalue, ci, self)),
            null_hypothesis=self.null,
            method=self.method,
            details={
                "se": tested.se,
                "padded": found.estimate,
                "se_plain": found.spread.se,
                "df_plain": found.spread.df,
                "units": tested.units,
                **(values or {}),
            },
        )


def assumptions(setting: Setting, tested: Spread) -> tuple[Assumption, ...]:
    """Say what the rows tell of the assumptions of t intervals from influence values."""
    found = [INDEPENDENT_ROWS]
    if setting.clusters is not None:
        found = [
            Assumption(
                "enough groups",
                tested.units >= _ENOUGH_CLUSTERS,
                f"{tested.units:.0f} groups; {_ENOUGH_CLUSTERS} or more are wanted, "
                f"{FEWEST_CLUSTERS} needed",
            )
        ]
    fewest = setting.fewest()
    if fewest >= 0:
        found.append(
            Assumption(
                "enough rows of each class",
                fewest >= _ENOUGH_OF_A_CLASS,
                f"{fewest} rows of the rarest class that {setting.metric.name} is conditional on; "
                f"below {_ENOUGH_OF_A_CLASS} intervals are rough",
            )
        )
    if setting.metric.name == "log_loss":
        detail = f"{tested.df:.0f} effective degrees of freedom of {tested.units:.0f} units"
        holds = tested.df >= 0.2 * tested.units
        found.append(Assumption("no few rows that carry the loss", holds, detail))
    return tuple(found)


def _disagreement(
    pvalue: float, ci: ConfidenceInterval | None, answer: _Answer
) -> tuple[Assumption, ...]:
    """Say where the test rejects and the wider interval still holds 0."""
    if ci is None or ci.method != "hull" or not pvalue < 1 - answer.level:
        return ()
    if not ci.low <= 0 <= ci.high:
        return ()
    text = "the interval also allows for areas near 1 and holds 0; the p-value does not"
    return (Assumption("test and interval agree", False, text),)

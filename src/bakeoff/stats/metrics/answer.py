"""From influence values to results: status, interval, p-value and what is assumed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design.flips import widened, with_flips
from bakeoff.stats.design.groups import recommended_groups, symmetric_differences
from bakeoff.stats.design.spread import FEWEST_CLUSTERS, Spread
from bakeoff.stats.metrics.area_intervals import hull, logit_interval
from bakeoff.stats.metrics.influence import NOISE, Influence
from bakeoff.stats.metrics.metric import Form, Need
from bakeoff.stats.metrics.scales import PLAIN
from bakeoff.stats.metrics.setting import Setting

_ENOUGH_OF_A_CLASS, _ENOUGH_CALLED, _OF_CALLED = 20, 10, "enough rows called positive"
OF_ONE_MODEL = ("enough rows of each class", _OF_CALLED, "the loss not dominated by few rows")
"""Assumptions of intervals of one model or of a pair, not of the best of many."""


def better_is_positive(setting: Setting, found: Influence) -> Influence:
    """Turn a metric of losses so that greater is better."""
    return found if setting.metric.greater_is_better else -found


def decide(setting: Setting, found: Influence, side: Alternative) -> tuple[Status, float, float]:
    """Return status, t and p of a difference."""
    if found.tested.units < FEWEST_CLUSTERS or found.tested.df < 1 or setting.too_few():
        return Status.TOO_FEW, math.nan, math.nan
    if abs(found.value) <= found.noise and found.spread.se <= found.noise:
        return Status.IDENTICAL_SCORES, 0.0, 1.0
    tested = found.tested
    if tested.se <= found.noise:
        return Status.ZERO_VARIANCE, math.copysign(math.inf, found.value), math.nan
    t = found.estimate / tested.se
    return Status.OK, t, t_pvalue(t, tested.df, side)


@dataclasses.dataclass(frozen=True)
class Answer:
    """What every result about one metric says."""

    test: str
    setting: Setting
    side: Alternative
    level: float

    @property
    def null(self) -> str:
        """The null hypothesis; an interval has none."""
        if self.test == "metric_ci":
            return ""
        return (
            f"The two fitted models have the same {self.setting.metric.name} on the population "
            "that the test rows were drawn from."
        )

    @property
    def method(self) -> str:
        """The citation of the form that is computed."""
        if self.setting.metric.form is Form.DECISIONS:
            return "agresti2005" if self.test == "metric_difference" else "agresti1998"
        return self.setting.metric.method

    def of_one(self, found: Influence) -> Result:
        """Return the result of one model."""
        setting = self.setting
        if found.tested.units < FEWEST_CLUSTERS or found.tested.df < 1 or setting.too_few():
            return self._result(found, Status.TOO_FEW, math.nan, math.nan, None)
        if setting.metric.form is Form.RANKING:
            ci = logit_interval(setting, found, self.level)
        elif found.tested.se <= found.noise:
            ci = None
        else:
            ci = self._on_scale(found)
        if ci is not None and found.of_groups is not None:
            ci = widened(found.of_groups, ci, bounds=setting.metric.range)
        status = Status.OK if found.tested.se > found.noise else Status.ZERO_VARIANCE
        return self._result(found, status, math.nan, math.nan, ci)

    def _on_scale(self, found: Influence) -> ConfidenceInterval | None:
        """Return the t interval of one model on the scale of its metric."""
        scale, tested = self.setting.metric.scale, found.tested
        if scale is PLAIN:
            limits = self.setting.metric.range
            return tested.interval(found.estimate, self.level, "two-sided", limits)
        half = tested.quantile(self.level, "two-sided") * tested.se
        ends = scale.limits(found.value, half)
        return None if ends is None else ConfidenceInterval(*ends, self.level, scale.name)

    def of_pair(self, found: Influence, a: Influence, b: Influence) -> Result:
        """Return the result of a difference, given each model alone too."""
        status, t, pvalue = decide(self.setting, found, self.side)
        ci = None
        if status in (Status.OK, Status.IDENTICAL_SCORES) and found.tested.se > 0:
            low, high = self.setting.metric.range
            limits = low - high, high - low
            ci = found.tested.interval(found.estimate, self.level, self.side, limits)
            if self.setting.metric.form is Form.RANKING and status is Status.OK:
                ci = hull(self.setting, a, b, found, ci, self.side)
        details = {"value_a": a.value, "value_b": b.value}
        if status is Status.OK and ci is not None and found.of_groups is not None:
            details["pvalue_t"] = pvalue
            pvalue, ci = with_flips(found.of_groups, pvalue, ci, found.estimate, self.side, limits)
        return self._result(found, status, t, pvalue, ci, details, (a, b))

    def with_interval(
        self, found: Influence, status: Status, ci: ConfidenceInterval | None
    ) -> Result:
        """Return a result that has an interval from elsewhere and no test."""
        return self._result(found, status, math.nan, math.nan, ci)

    def undefined(self, reason: str, estimate: float = math.nan) -> Result:
        """Return the result where the metric has no value, or no interval is known for it."""
        return Result(
            test=self.test,
            variant=self.setting.metric.name,
            statistic=math.nan,
            pvalue=math.nan,
            alternative=self.side,
            estimate=estimate,
            n=self.setting.truth.n,
            status=Status.UNDEFINED,
            assumptions=(Assumption("a defined metric", False, reason),),
            null_hypothesis=self.null,
            method=self.method,
        )

    def _result(
        self,
        found: Influence,
        status: Status,
        t: float,
        pvalue: float,
        ci: ConfidenceInterval | None,
        values: dict[str, float] | None = None,
        models: Sequence[Influence] = (),
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
            assumptions=(
                *assumptions(self.setting, tested, models or (found,)),
                *_symmetry(found, self.test),
            ),
            null_hypothesis=self.null,
            method=self.method,
            details={
                "se": tested.se,
                "padded": found.estimate,
                "se_plain": found.spread.se,
                "df_plain": found.spread.df,
                "units": tested.units,
                **worth_of_groups(self.setting, found),
                **(values or {}),
            },
        )


def worth_of_groups(setting: Setting, found: Influence) -> dict[str, float]:
    """Return how many groups the rows are in and what they are worth; empty without groups."""
    if setting.clusters is None:
        return {}
    # leaving groups out says nothing of single rows
    effect = math.nan if setting.metric.form is Form.LEFT_OUT else found.design_effect
    return {
        "n_clusters": int(found.spread.units),
        "design_effect": effect,
        "n_effective": setting.truth.n / effect,
    }


CARRIED, _ENOUGH_OF_ROWS = "the difference carried by enough rows", 10.0
"""Below that many effective degrees of freedom true nulls are rejected too often; see
benchmarks/regression.csv."""
_ENOUGH_ALONE, _FEWEST_UNLIKE = 5.0, 3
"""With fewer degrees of freedom of one model's R² or correlation single rows carry it; with fewer
rows that differ from all others rare values need not have occurred (benchmarks/passes.csv)."""


def enough_rows(found: Spread, values: Sequence[FloatArray] = ()) -> Assumption:
    """Say whether enough rows carry a difference, by the values of each model if they are losses.

    A model's values that are nearly all the same do not show its rare ones.
    """
    enough = found.df >= min(_ENOUGH_OF_ROWS, found.units / 3)
    detail = (
        f"{found.df:.0f} effective degrees of freedom of the rows; below {_ENOUGH_OF_ROWS:.0f}, as "
        "with few errors or few large ones, intervals miss too often"
    )
    if not values:
        return Assumption(CARRIED, enough, detail)
    other = min(
        int(np.count_nonzero(x != np.partition(x, len(x) // 2)[len(x) // 2])) for x in values
    )
    rare = max(1, round(found.units / 10))
    detail += f", and errors on fewer than 1 of {rare:,} rows may be missing from these"
    if other < _FEWEST_UNLIKE:
        enough, detail = False, f"a model has the same value on all rows but {other}; {detail}"
    return Assumption(CARRIED, None if enough else False, detail)


def assumptions(
    setting: Setting, tested: Spread, models: Sequence[Influence]
) -> tuple[Assumption, ...]:
    """Say what the rows tell of the assumptions of t intervals for one model or for several."""
    found = [INDEPENDENT_ROWS]
    if setting.clusters is not None:
        found = [recommended_groups(tested.units)]
    metric, fewest = setting.metric, setting.fewest()
    name, of, enough = "enough rows of each class", "of the rarest class", _ENOUGH_OF_A_CLASS
    if metric.classes == "called" and models:
        name, of, enough = _OF_CALLED, "called positive", _ENOUGH_CALLED
        # the net benefit of a row that is not called positive is 0
        worth = (np.abs(one.psi + one.value) > NOISE for one in models)
        fewest = min(int(np.count_nonzero(values)) for values in worth)
    if fewest >= 0:
        detail = f"{fewest} rows {of} that {metric.name} uses; below {enough} "
        found.append(Assumption(name, fewest >= enough, f"{detail}intervals are inaccurate"))
    if len(models) > 1 and metric.needs is Need.NUMBERS and metric.form is Form.ROWS:
        if setting.clusters is None:
            enough_of_rows = enough_rows(tested, [one.psi for one in models])
            # a row that all models miss by far cancels in the difference of shares of variance
            of_means = metric.mean_of_rows or metric.root or not metric.computed
            alone = math.inf if of_means else min(one.spread.df for one in models)
            if alone < _ENOUGH_ALONE:
                detail = f"{alone:.0f} of one model, {_ENOUGH_ALONE:.0f} are needed"
                enough_of_rows = Assumption(CARRIED, False, f"{enough_of_rows.detail}; {detail}")
            found.append(enough_of_rows)
    elif metric.carried is not None:
        carried = metric.carried
        detail = (
            f"{tested.df:.0f} effective degrees of freedom of {tested.units:.0f} units; "
            f"{carried.consequence}"
        )
        holds: bool | None = tested.df >= carried.share * tested.units
        if holds and tested.units < carried.shows_from:
            holds, detail = None, f"{detail}; fewer than {carried.shows_from} do not show it"
        found.append(Assumption(carried.assumption, holds, detail))
    return tuple(found)


def _symmetry(found: Influence, test: str) -> tuple[Assumption, ...]:
    """Say whether groups differ alike to both sides, for the difference of two models."""
    groups = found.of_groups
    if groups is None or test == "metric_ci":
        return ()
    return (symmetric_differences(groups.shares, groups.sums),)

"""What one metric says of the rows of a test set: intervals, subgroups and checks ask it here.

`HeldOut` reads the rows once, and computes once what several ask. `FoldPredictions.rows` is the
same for the rows of folds.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons.evidence import (
    AnyEvidence,
    CrossedRuns,
    Floats,
    PairedPredictions,
    difference_options,
)
from bakeoff.comparisons.settings import FIXED_METRICS, has_test, with_keys
from bakeoff.scores import counted_rows
from bakeoff.scores.metrics import score_view
from bakeoff.spec import Costs
from bakeoff.stats import (
    Assumption,
    ConfidenceInterval,
    Entry,
    Result,
    Status,
    binomial_test_from_counts,
    catalogue,
    influence,
    mean_ci,
    mean_interaction,
    metric_ci,
    metric_interaction,
    recipe_ci,
    recipe_mean_ci,
    suite_ci,
    suite_mean_ci,
)
from bakeoff.stats.core.result import AGREE
from bakeoff.stats.design.clusters import TIME_BLOCKS, as_clusters
from bakeoff.stats.metrics.influence import setting_of
from bakeoff.stats.metrics.metric import Form, NoValue, metric_called
from bakeoff.stats.rows.ordered import independent_blocks
from bakeoff.threads import on_one_thread

Range = tuple[float, float]


def clipped(ci: ConfidenceInterval | None, limits: Range) -> ConfidenceInterval | None:
    """Clip an interval to the range of its parameter."""
    if ci is None:
        return None
    lowest, highest = limits
    low = float(np.clip(ci.low, lowest, highest))
    high = float(np.clip(ci.high, lowest, highest))
    return dataclasses.replace(ci, low=low, high=high)


@dataclasses.dataclass(frozen=True, eq=False)
class HeldOut:
    """The held-out rows of one test set by one metric."""

    rows: PairedPredictions
    costs: Costs | None = None
    known: dict[Any, Any] = dataclasses.field(default_factory=dict, init=False)
    """What was computed before, by what and of which model."""

    @property
    def entry(self) -> Entry:
        """The test of the difference of two models, whose arguments intervals take too."""
        return catalogue()[self.rows.difference]

    @property
    def options(self) -> dict[str, Any]:
        """What functions of the metric are told beside the answers."""
        if "options" not in self.known:
            self.known["options"] = difference_options(self.rows, self.costs)
        return dict(self.known["options"])

    def arguments(self, *models: int) -> list[Any]:
        """Return the truth, where there is one, and what some models say of the rows."""
        return self.rows.arguments(self.entry, models)

    # --- one model

    @on_one_thread
    def interval(self, model: int, level: float) -> Result:
        """Return the metric of one model, or its mean number, with an interval."""
        key = "interval", model, level
        if key not in self.known:
            self.known[key] = self._interval(model, level)
        result: Result = self.known[key]
        return result

    def _interval(self, model: int, level: float) -> Result:
        rows = self.rows
        interval = self._interval_function
        result: Result = interval(*self.arguments(model), confidence_level=level, **self.options)
        if rows.tasks is not None:
            return result
        if rows.by_values:
            result = dataclasses.replace(result, ci=clipped(result.ci, rows.range))
        checks = result.assumptions
        counted = self._counted(model)
        if counted is not None:
            rate = self._rate(counted, level)
            result = dataclasses.replace(result, ci=rate.ci, status=rate.status)
            # those of the interval, not of the test that comes with it
            checks = tuple(check for check in rate.assumptions if check.name != AGREE)
        blocks = block_checks(rows, self.entry, self.costs, [model])
        return dataclasses.replace(result, assumptions=checks + blocks)

    @property
    def _interval_function(self) -> Any:
        """The function of the interval of one model, by what its rows are."""
        if self.rows.tasks is not None and self.rows.by_values:
            return suite_mean_ci
        if self.rows.tasks is not None:
            return suite_ci
        if self.rows.by_values:
            return mean_ci
        return metric_ci

    def _counted(self, model: int) -> NDArray[Any] | None:
        """Return which rows count, of metrics that are shares of the rows."""
        rows = self.rows
        values = rows.predicted[:, model]
        if rows.by_values:
            if rows.range == (0, 1) and not rows.related and np.isin(values, (0, 1)).all():
                return values
            return None
        counts = counted_rows(rows.metric)
        if not counts:
            return None
        right: NDArray[Any] = values == rows.truth
        if counts == "right":
            return right
        return ~right

    def _rate(self, counted: NDArray[Any], level: float) -> Result:
        """Return the share of the rows that count, with its interval."""
        rows = self.rows
        if not rows.related:
            return _share(int(np.count_nonzero(counted)), rows.n, level)
        test = catalogue()["binomial_test"]
        related = with_keys(rows.managed(test), test.options)
        result: Result = test.function(counted, confidence_level=level, **related)
        return result

    def score(self, model: int) -> float:
        """Return the metric of one model, or its mean number; without an interval that takes time.

        A metric may be costly, so that its influence values are not asked for.
        """
        if self.rows.by_values:
            return float(self.rows.predicted[:, model].mean())
        truth, answers = self.arguments(model)
        name = self.rows.models[model]
        setting, (read,) = setting_of(truth, [(name, answers)], **self.options)
        return score_view(setting.metric, setting.view(read))[0]

    def added(self, model: int) -> Floats:
        """Return what each row adds to the metric of a model; raises `NoValue` without a score."""
        key = "added", model
        if key not in self.known:
            self.known[key] = self._added(model)
        values: Floats = self.known[key]
        return values

    def _added(self, model: int) -> Floats:
        rows = self.rows
        if rows.by_values:
            return rows.row_values(model)
        # the influence of a row: how the metric changes where the row weighs a little more
        if metric_called(rows.engine_metric).form is not Form.LEFT_OUT:
            truth, answers = self.arguments(model)
            options = self.options | {"groups": None}
            return influence(truth, answers, **options).drawn_from
        # it has no formula: how good the model is on each row stands for it
        if rows.classes:
            return rows.correct[:, model].astype(np.float64)
        return np.asarray(np.square(rows.predicted[:, model] - rows.truth))

    # --- two models in subgroups of the rows

    def interaction(self, models: Sequence[int], subgroups: NDArray[Any], level: float) -> Result:
        """Return the difference of two models in each subgroup, and whether these differ."""
        options = self.options | {"confidence_level": level}
        test: Any = metric_interaction
        if self.rows.by_values:
            test = mean_interaction
            options["greater_is_better"] = self.rows.greater_is_better
        result: Result = test(*self.arguments(*models), subgroups, **options)
        return result


def held_out_by(rows: PairedPredictions, costs: Costs | None) -> HeldOut:
    """Return what one metric says of rows: each time the same object."""
    held_out = rows.asked.get("held_out")
    if held_out is None or held_out.costs is not costs:
        held_out = HeldOut(rows, costs)
        rows.asked["held_out"] = held_out
    return held_out


@lru_cache(maxsize=1024)
def _share(count: int, n: int, level: float) -> Result:
    """Return a share of independent rows; many models of a large study have the same."""
    return binomial_test_from_counts(n_correct=count, n=n, confidence_level=level)


@on_one_thread
def recipe_interval(runs: CrossedRuns, model: int, costs: Costs | None, level: float) -> Result:
    """Return the mean over training runs, with an interval for other seeds and rows."""
    rows = runs.rows
    smooth = rows.by_values or has_test(rows.metric)
    if rows.times is None and smooth:
        arguments = runs.arguments(catalogue()[runs.difference], [model])
        options = difference_options(rows, costs, runs.difference) | {"confidence_level": level}
        if not rows.by_values:
            return recipe_ci(*arguments, **options)
        mean = recipe_mean_ci(*arguments, **options)
        return dataclasses.replace(mean, ci=clipped(mean.ci, rows.range))
    held_out = held_out_by(rows, costs)
    scores = [held_out.score(place) for place in runs.runs[model]]
    why = "the metric is not smooth"
    if smooth:
        why = "rows are in the order of time"
    detail = f"{why}: no interval is known"
    return Result(
        statistic=math.nan,
        pvalue=math.nan,
        estimate=math.fsum(scores) / len(scores),
        n=runs.n,
        status=Status.UNDEFINED,
        assumptions=(Assumption("an interval for other seeds", False, detail),),
    )


def block_checks(
    rows: AnyEvidence, entry: Entry, costs: Costs | None = None, models: Sequence[int] = ()
) -> tuple[Assumption, ...]:
    """Return what a test that takes blocks of time for groups assumes of some models' rows."""
    if not isinstance(rows, PairedPredictions) or not rows.in_blocks(entry):
        return ()
    assert rows.times is not None
    compared = []
    for model in models or range(len(rows.models)):
        if not rows.missing([model]):
            compared.append(model)
    if len(compared) < len(models) or not compared:
        return ()
    held_out = held_out_by(rows.by(FIXED_METRICS.get(entry.reads, rows.metric)), costs)

    with suppress(NoValue):  # the test itself says why it has no answer
        values = np.column_stack([held_out.added(model) for model in compared])
        times = as_clusters(rows.times, rows.n)
        return (independent_blocks(values, times, TIME_BLOCKS),)
    return ()

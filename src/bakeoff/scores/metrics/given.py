"""Metrics that an experiment describes: their values are given and never computed here."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

from bakeoff.scores.metrics.entry import METRICS, Metrics, of_class
from bakeoff.spec import Experiment
from bakeoff.spec.metrics import GivenMetric
from bakeoff.stats.metrics.metric import TARGET, TARGET_SQUARED, Metric, numbers


def metrics_of(experiment: Experiment, positive: str = "") -> Mapping[str, Metric]:
    """Return the metrics that an experiment can name, in the unit of the numbers it predicts.

    Those that are about one class of two say which, where `positive` names it.
    """
    own = {name: _metric(given) for name, given in experiment.given_metrics.items()}
    units = {data.unit for data in experiment.datasets.values()}
    unit = units.pop() if len(units) == 1 else None
    ours = {n: of_class(in_unit(metric, unit), positive) for n, metric in METRICS.items()}
    found = Metrics(ours | own)
    found.positive = positive
    return found


def mixed_units(experiment: Experiment, name: str) -> bool:
    """Tell whether a metric has other units on other data sets: such values have no mean."""
    if (given := experiment.given_metrics.get(name)) is not None:
        return given.mixed_units and len(experiment.datasets) > 1
    known = METRICS.get(name)
    units = {data.unit for data in experiment.datasets.values()}
    declared = len(units) == 1 and None not in units
    in_target = known is not None and known.unit in (TARGET, TARGET_SQUARED)
    return len(experiment.datasets) > 1 and in_target and not declared


def in_unit(metric: Metric, unit: str | None) -> Metric:
    """Name the unit of a metric that is measured in that of the target."""
    if unit is None or metric.unit not in (TARGET, TARGET_SQUARED):
        return metric
    squared = f"{unit}²" if unit.isalpha() else f"({unit})²"
    return dataclasses.replace(metric, unit=unit if metric.unit == TARGET else squared)


def _metric(given: GivenMetric) -> Metric:
    low, high = given.range
    return dataclasses.replace(
        numbers(
            given.name,
            greater_is_better=given.greater_is_better,
            undefined="its values are given with `scores:` or `values:`, not computed",
        ),
        title=given.label or given.name,
        unit=given.unit or "",
        range=(-math.inf if low is None else low, math.inf if high is None else high),
    )

"""Metrics that an experiment describes: their values are given and never computed here."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

from bakeoff.scores.metrics.entry import METRICS, Metrics
from bakeoff.spec import Experiment
from bakeoff.spec.metrics import GivenMetric
from bakeoff.stats.metrics.metric import Metric, numbers


def metrics_of(experiment: Experiment) -> Mapping[str, Metric]:
    """Return the metrics that an experiment can name: those of the package and its own."""
    own = {name: _metric(given) for name, given in experiment.given_metrics.items()}
    return Metrics(METRICS | own)


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

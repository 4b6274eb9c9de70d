"""Metrics that an experiment describes: their values are given and never computed here."""

from __future__ import annotations

import math
from collections.abc import Mapping

from bakeoff.scores.metrics.entry import METRICS, Metric, Metrics, UndefinedMetric, View
from bakeoff.spec import Experiment
from bakeoff.spec.metrics import GivenMetric


def metrics_of(experiment: Experiment) -> Mapping[str, Metric]:
    """Return the metrics that an experiment can name: those of the package and its own."""
    own = {name: _metric(given) for name, given in experiment.given_metrics.items()}
    return Metrics(METRICS | own)


def _metric(given: GivenMetric) -> Metric:
    low, high = given.range
    return Metric(
        name=given.name,
        title=given.label or given.name,
        function=_not_computed,
        unit=given.unit or "",
        greater_is_better=given.greater_is_better,
        range=(-math.inf if low is None else low, math.inf if high is None else high),
        computed=False,
    )


def _not_computed(view: View) -> float:
    raise UndefinedMetric("its values are given with `scores:` or `values:`, not computed")

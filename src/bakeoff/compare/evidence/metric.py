"""Which metrics have intervals and tests on rows, and how these take them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from numpy.typing import NDArray

from bakeoff.scores import METRICS
from bakeoff.scores.metrics.entry import NO_COLUMNS
from bakeoff.scores.metrics.own import value
from bakeoff.spec.own_metrics import OwnMetric
from bakeoff.stats import MetricFunction, test_set_metrics


def has_interval(metric: str) -> bool:
    """Tell whether a metric has intervals on rows: those of the engine, and the user's own."""
    return metric in test_set_metrics() or _own(metric) is not None


def has_test(metric: str) -> bool:
    """Tell whether a metric has tests on rows: not those that jump when a row is left out."""
    own = _own(metric)
    return metric in test_set_metrics() or (own is not None and own.smooth)


def engine_metric(
    metric: str, columns: Mapping[str, NDArray[Any]] = NO_COLUMNS
) -> str | MetricFunction:
    """Return a metric as tests take it: by its name, or a function with the columns it takes."""
    own = _own(metric)
    if own is None:
        return metric
    return MetricFunction(
        metric,
        partial(_called, own),
        greater_is_better=own.greater_is_better,
        predictions="classes" if own.needs == "labels" else "probabilities",
        columns={name: columns[name] for name in own.columns if name in columns},
        smooth=own.smooth,
    )


def _own(metric: str) -> OwnMetric | None:
    return METRICS[metric].own if metric in METRICS else None


def _called(own: OwnMetric, y_true: Any, predicted: Any, **columns: Any) -> float:
    return value(own, y_true, predicted, columns)

"""Which metrics have intervals and tests on rows, and how these take them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.fit.predictions import Predictions
from bakeoff.scores import METRICS, Need
from bakeoff.scores.metrics.entry import NO_COLUMNS, Metric
from bakeoff.scores.metrics.own import value
from bakeoff.spec.own_metrics import OwnMetric
from bakeoff.stats import MetricFunction, test_set_metrics


def has_interval(metric: str) -> bool:
    """Tell whether a metric has intervals on rows.

    Those of the engine do, and every function of the rows' classes or probabilities.
    """
    return metric in test_set_metrics() or _function(metric) is not None


def has_test(metric: str) -> bool:
    """Tell whether a metric has tests on rows: not those that jump when a row is left out."""
    if metric in test_set_metrics():
        return True
    found = _function(metric)
    return found is not None and found.smooth


def engine_metric(
    metric: str, columns: Mapping[str, NDArray[Any]] = NO_COLUMNS, classes: Sequence[str] = ()
) -> str | MetricFunction:
    """Return a metric as tests take it.

    Parameters
    ----------
    metric : str
        Its name.
    columns : Mapping of str to ndarray
        What own metrics take of each row.
    classes : sequence of str
        Of the data set, in its order.

    Returns
    -------
    str or MetricFunction
        The name, where tests know the influence of each row on it; else the function.
    """
    if metric in test_set_metrics():
        return metric
    return _function(metric, columns, classes) or metric


def _function(
    metric: str, columns: Mapping[str, NDArray[Any]] = NO_COLUMNS, classes: Sequence[str] = ()
) -> MetricFunction | None:
    """Return a metric as a function of rows; None where it is none of rows alone."""
    known = METRICS.get(metric)
    if known is None or not known.computed or known.needs in (Need.COSTS, Need.PRIORS):
        return None
    own = known.own
    return MetricFunction(
        metric,
        partial(_entered, known, tuple(classes)) if own is None else partial(_called, own),
        greater_is_better=known.greater_is_better,
        predictions="classes" if known.needs is Need.LABELS else "probabilities",
        columns={c: columns[c] for c in own.columns if c in columns} if own is not None else {},
        smooth=known.smooth if own is None else own.smooth,
        coded=own is None,
    )


def _called(own: OwnMetric, y_true: Any, predicted: Any, **columns: Any) -> float:
    return value(own, y_true, predicted, columns)


def _entered(metric: Metric, classes: tuple[str, ...], y_true: Any, predicted: Any) -> float:
    """Call a metric of the catalogue that says nothing of its influence values."""
    given = predicted.ndim == 2
    made = Predictions(
        np.arange(len(y_true)),
        y_true,
        predicted.argmax(axis=1) if given else predicted,
        classes,
        predicted if given else None,
        None,
        {},
    )
    found, reason = metric(made)
    if math.isnan(found):
        raise ValueError(reason)
    return found

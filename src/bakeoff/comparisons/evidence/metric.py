"""Which metrics have intervals and tests on rows, and the form in which tests take them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from bakeoff.scores import METRICS, Metric
from bakeoff.stats.metrics.metric import Form
from bakeoff.stats.metrics.named import METRICS as BUILT_IN
from bakeoff.stats.metrics.view import NO_COLUMNS


def has_interval(metric: str) -> bool:
    """Tell whether a metric has intervals on rows: those that are computed from these do."""
    known = _known(metric)
    return known is not None and known.computed and known.interval


def has_test(metric: str) -> bool:
    """Tell whether a metric has tests on rows: not those that jump when a row is left out."""
    known = _known(metric)
    return known is not None and known.computed and known.smooth


def has_row_values(metric: str, *, means: bool) -> bool:
    """Tell whether each row of predicted numbers adds a number of its own to a metric."""
    known = _known(metric)
    if known is None or known.form is not Form.ROWS:
        return False
    return known.computed and (known.mean_of_rows or not means)


def _known(metric: str) -> Metric | None:
    return METRICS.get(metric, BUILT_IN.get(metric))


def engine_metric(metric: str, columns: Mapping[str, NDArray[Any]] = NO_COLUMNS) -> str | Metric:
    """Return a metric as tests take it: by its name, or an own one with the columns it takes."""
    known = METRICS.get(metric)
    if known is None or metric in BUILT_IN:
        return metric
    taken = {name: columns[name] for name in known.takes if name in columns}
    return dataclasses.replace(known, columns=taken)

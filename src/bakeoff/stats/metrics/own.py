"""Metrics of the user's own: a function as a metric, its influence found by leaving rows out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from numpy.typing import NDArray

from bakeoff.stats.core.arguments import checked
from bakeoff.stats.metrics.functional import NoValue
from bakeoff.stats.metrics.metric import Carried, Metric, Need
from bakeoff.stats.metrics.view import NO_COLUMNS, NumberView, View

_CARRIED = Carried(
    "the metric not dominated by few rows",
    0.2,
    "below a fifth of them few rows dominate the metric and its intervals are inaccurate",
)


@checked
def own_metric(
    name: str,
    function: Callable[..., float],
    *,
    greater_is_better: bool = True,
    predictions: Literal["classes", "probabilities", "numbers"] = "classes",
    columns: Mapping[str, NDArray[Any]] = NO_COLUMNS,
    smooth: bool = True,
) -> Metric:
    """Return a function of your own as a metric, for the argument `metric`.

    Parameters
    ----------
    name : str
        What it is called.
    function : Callable
        From what is true, what a model predicts and the columns by name to a number; a ValueError
        or NaN says that it has no value on these rows.
    predictions : {"classes", "probabilities", "numbers"}
        Its second argument: predicted classes; probabilities of shape (n, K), of two classes
        those of the positive one, shape (n,); or predicted numbers.
    columns : Mapping of str to array_like, shape (n,)
        What else it takes of the rows.
    smooth : bool
        False: it jumps when rows are left out, like a median; its intervals come from the
        bootstrap, and there is no test.

    Returns
    -------
    Metric
    """
    return Metric(
        name=name,
        title=name.replace("_", " "),
        value=partial(_called, function, predictions == "probabilities"),
        unit="units",
        needs=Need.LABELS if predictions == "classes" else Need(predictions),
        greater_is_better=greater_is_better,
        range=(-math.inf, math.inf),
        carried=_CARRIED,
        smooth=smooth,
        takes=tuple(columns),
        columns=columns,
        own=True,
    )


def _called(function: Callable[..., float], by_order: bool, view: View | NumberView) -> float:
    """Call a function of the user's on truth, predictions and columns."""
    try:
        return function(*view.of_own(by_order), **view.columns)
    except ValueError as reason:
        raise NoValue(str(reason)) from None

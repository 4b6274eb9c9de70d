"""The metrics by name, and the decorators that enter them.

The modules `decisions`, `rankings`, `probabilities` and `quantities` enter the metrics,
each by the decorator of its kind: the formula that is decorated gives the value and the influence
of each row. Some names tell the value of an option: ``net_benefit@0.1``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.arguments import check_choice, checked
from bakeoff.stats.core.checks import ArgumentError
from bakeoff.stats.metrics.metric import Carried, Form, Metric, Need
from bakeoff.stats.metrics.view import (
    EXAMPLES,
    NO_COLUMNS,
    NO_OPTIONS,
    Functional,
    NoValue,
    NumberView,
    View,
    mean,
)

RETIRED_METRICS = {
    "partial_auc": "too few rows lie below a small false positive rate for its tests; write "
    "`roc_auc`",
}
"""Names that metrics had before, each with what to write instead."""


class Metrics(dict[str, Metric]):
    """Metrics by name; ``name@value`` is one whose option has that value."""

    def __missing__(self, name: str) -> Metric:
        return self.with_option(name)

    def __contains__(self, name: object) -> bool:
        told = isinstance(name, str) and "@" in name
        return super().__contains__(name) or (told and not self.lacking(str(name)))

    def get(self, name: str, default: Metric | None = None) -> Metric | None:  # type: ignore[override]
        """Return a metric, or a default where none has that name."""
        there = name in self
        return self[name] if there else default

    def with_option(self, name: str) -> Metric:
        """Return the metric that ``name@value`` stands for."""
        base, at, text = name.partition("@")
        if not at or base not in self or not self[base].option:
            raise KeyError(name)
        metric = self[base]
        try:
            told: dict[str, Any] = {metric.option: float(text)}
            dataclasses.replace(NO_OPTIONS, **told)
        except ValueError as error:
            number = f"found {text!r}, must be a number"
            why = error.message if isinstance(error, ArgumentError) else number
            raise ArgumentError("metric", f"{metric.option} in {name!r}: {why}") from None
        bound = partial(_told, told)
        return dataclasses.replace(
            metric,
            name=name,
            title=f"{metric.title} ({metric.option} {told[metric.option]:g})",
            value=partial(bound, metric.value),
            formula=None if metric.formula is None else partial(bound, metric.formula),
            option="",
        )

    def lacking(self, name: str) -> str:
        """Say why a name with an option is none of a metric; empty where it is one."""
        base, at, _ = name.partition("@")
        if base in RETIRED_METRICS:
            return f"{base}: {RETIRED_METRICS[base]}"
        known = self.get(base)
        if known is None:
            return f"no metric is called {base!r}"
        if not known.option:
            return f"{base} takes no option: found {name!r}"
        if not at:
            example = f"{base}@{EXAMPLES[known.option]:g}"
            return f"{base} takes its {known.option} in its name, like {example}"
        try:
            self.with_option(name)
        except ArgumentError as error:
            return error.message
        return ""

    def called(self, name: str) -> Metric:
        """Return the metric of a name, or say which there are."""
        if isinstance(name, str) and name.partition("@")[0] in (*self, *RETIRED_METRICS):
            found = self.get(name)
            if found and (not found.option or getattr(NO_OPTIONS, found.option) is not None):
                return found
            raise ArgumentError("metric", self.lacking(name))
        return self[check_choice(name, (*self,), "metric")]


def _told(told: dict[str, Any], function: Callable[[Any], Any], rows: Any) -> Any:
    """Call the value or formula of a metric on rows with the value of its option."""
    options = dataclasses.replace(rows.options, **told)
    return function(dataclasses.replace(rows, options=options))


METRICS = Metrics()
"""The metrics that are built in, by name."""
F = TypeVar("F", bound=Callable[..., Any])


def metric_called(name: str | Metric) -> Metric:
    """Return the metric of a name, or say which there are."""
    return name if isinstance(name, Metric) else METRICS.called(name)


def enter(metric: Metric) -> None:
    """Enter one among the metrics."""
    if metric.name in METRICS:
        raise ValueError(f"two metrics are called {metric.name!r}")
    METRICS[metric.name] = metric


def decision(title: str, unit: str, **facts: Any) -> Callable[[F], F]:
    """Enter a formula over the table of true and predicted classes; see `Counts` and `Cells`."""

    def decorate(formula: F) -> F:
        def value(view: View) -> float:
            return float(formula(view.counts))

        known = {"form": Form.DECISIONS, "formula": formula, **facts}
        enter(Metric(name=formula.__name__, title=title, unit=unit, value=value, **known))
        return formula

    return decorate


def row_mean(
    title: str,
    unit: str,
    *,
    root: bool = False,
    value: Callable[[Any], float] | None = None,
    **facts: Any,
) -> Callable[[F], F]:
    """Enter the mean of what a function of a view gives for each row, or the root of that mean."""

    def decorate(values: F) -> F:
        def plain(view: View | NumberView) -> float:
            found = float(np.mean(values(view)))
            return math.sqrt(found) if root else found

        def functional(view: View | NumberView) -> Functional:
            found = mean(values(view), np.ones(view.truth.n))
            return found**0.5 if root else found

        known = {"form": Form.ROWS, "formula": functional, **facts}
        known |= {"root": root, "mean_of_rows": not root}
        how = value or plain
        enter(Metric(name=values.__name__, title=title, unit=unit, value=how, **known))
        return values

    return decorate


def of_means(title: str, unit: str, **facts: Any) -> Callable[[F], F]:
    """Enter a function from a view to a `Functional` of means over rows."""

    def decorate(formula: F) -> F:
        def value(view: View | NumberView) -> float:
            return float(formula(view).value)

        known = {"form": Form.ROWS, "formula": formula, **facts}
        enter(Metric(name=formula.__name__, title=title, unit=unit, value=value, **known))
        return formula

    return decorate


def by_value(title: str, unit: str, **facts: Any) -> Callable[[F], F]:
    """Enter a function from a view to a number; rows are left out for their influence."""

    def decorate(value: F) -> F:
        enter(Metric(name=value.__name__, title=title, unit=unit, value=value, **facts))
        return value

    return decorate


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

"""The metric object, the metrics by name, and the decorators that enter them.

Each decorator is for one kind of metric: the formula that is decorated gives the value and the
influence of each row. Some names hold the value of an option: ``net_benefit@0.1``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.arguments import check_choice, checked
from bakeoff.stats.core.checks import ArgumentError
from bakeoff.stats.core.registry import Reads
from bakeoff.stats.metrics.view import (
    EXAMPLES,
    NO_COLUMNS,
    NO_OPTIONS,
    Columns,
    Functional,
    NoValue,
    View,
    mean,
)

POINTS = "percentage points"
"""The unit of what is a share of something."""
TARGET = "target"
"""The unit of what is measured in that of the numbers that are predicted."""
TARGET_SQUARED = "target squared"
"""The unit of a mean of squared errors of numbers."""


class Scale(NamedTuple):
    """A monotone transformation g of a metric θ."""

    name: str
    forward: Callable[[float], float]
    inverse: Callable[[float], float]
    slope: Callable[[float], float]

    def mirrored(self) -> Scale:
        """Return the scale of a gain −θ, whose greater values are better."""
        return Scale(
            self.name,
            lambda gain: -self.forward(-gain),
            lambda value: -self.inverse(-value),
            lambda gain: self.slope(-gain),
        )

    def limits(self, value: float, half: float) -> tuple[float, float] | None:
        """Return g⁻¹(g(θ) ± h·g'(θ)) for a half-width h; None at an end of the range."""
        slope = self.slope(value)
        if not slope > 0:
            return None
        centre = self.forward(value)
        low, high = (self.inverse(centre + end * half / slope) for end in (-1, 1))
        return low, high


def _exp(x: float) -> float:
    return float(special.inv_boxcox(x, 0.0))  # infinite where math.exp fails


PLAIN = Scale("t", lambda value: value, lambda value: value, lambda value: 1.0)
LOGIT = Scale(
    "logit-t",
    lambda share: float(special.logit(share)),
    lambda value: float(special.expit(value)),
    lambda share: share * (1 - share),
)
LOG = Scale("log-t", math.log, _exp, lambda loss: loss)
LOG_COMPLEMENT = Scale(
    "log-complement-t",
    lambda value: -math.log(1 - value),
    lambda value: 1 - _exp(-value),
    lambda value: 1 - value,
)
FISHER = Scale("fisher-z-t", math.atanh, math.tanh, lambda r: 1 - r**2)


class Need(StrEnum):
    """What a metric looks at besides the true labels."""

    LABELS = "labels"
    RANKING = "ranking"
    """Probabilities or decision values."""
    PROBABILITIES = "probabilities"
    COSTS = "costs"
    """Labels, and what errors cost."""
    PRIORS = "priors"
    """Labels, what errors cost, and how frequent the classes will be."""
    NUMBERS = "numbers"
    """Predicted numbers, where those that are true are numbers too."""


class Form(StrEnum):
    """How the influence of rows on a metric is found."""

    DECISIONS = "decisions"
    """A function of the table of true and predicted classes, with pseudo-rows."""
    RANKING = "ranking"
    """A function of how rows are ranked: an area, whose intervals are on the logit scale."""
    ROWS = "rows"
    """A function of means over rows, by the chain rule."""
    LEFT_OUT = "left out"
    """None is known: rows are left out."""


class Carried(NamedTuple):
    """How it is seen that few rows dominate a metric."""

    assumption: str
    share: float  # of the units: with fewer degrees of freedom than that it fails
    consequence: str  # what then holds
    shows_from: int = 0  # the units from which on it shows


@dataclasses.dataclass(frozen=True, kw_only=True)
class Metric:
    """One metric, built in or of the user's own.

    Attributes
    ----------
    name, title : str
        Its key and the name people read.
    value : Callable
        From a `View` to a float; raises `NoValue`.
    form : Form
        How the influence of each row is found.
    formula : Callable or None
        From `Cells` (of a metric of decisions) or a view to a `Functional`.
    unit : str
        What a difference of two values is measured in: `POINTS`, or a word for it.
    needs : Need
        What it looks at.
    range : tuple of float
        The least and the greatest value that it can have.
    classes : {"", "positive", "negative", "every", "rarest", "called"}
        The class whose rows it is conditional on, of which fewer than five are too few; or
        ``"rarest"``: it is defined without, but the rarest class carries it; ``"called"``: so do
        the rows that are called positive.
    instead : str
        Of a metric for two classes: what to use for more.
    root : bool
        Whether it is the root of a mean of a value per row; two are compared by their squares.
    mean_of_rows : bool
        Whether it is the mean of a value of each row.
    counts : {"", "right", "wrong"}
        Which rows it is the share of, if it is one.
    reads : str
        What tests read that are about this metric and no other, as `bakeoff.stats.Entry` has it.
    null : str
        What equal models have in common, where other metrics on the same rows say the same.
    constant : {"median", "mean"}
        Of predicted numbers: what the same answer for every row is, where it is to score well.
    studied_by : str
        The metric whose simulated error rates hold for this one.
    by_predicted : bool
        Whether it divides by the rows predicted as a class, which differ between models.
    by_pairs : bool
        Whether it is a share of the pairs of rows of two classes: groups then have their leverage
        in each class, and an area of 1 has an exact limit.
    scale : Scale
        On which the interval of one model is symmetric.
    carried : Carried or None
        For a metric that few rows may dominate: how that is seen, and how it affects intervals.
    smooth, interval : bool
        Not smooth: it jumps when a row is left out, like a median, and has intervals by the
        bootstrap but no test. `interval`: whether one is known for it.
    option : str
        The option that it has to be told, as in ``net_benefit@0.1``.
    takes, columns : tuple of str, Mapping of str to ndarray
        The columns that it takes of the rows, and their values, where it is bound to rows.
    own, computed : bool
        Whether it is a function of the user's, and whether it is computed or its values are given.
    method : str
        The citation of its interval.
    calibration : bool
        Whether a report draws calibration curves beside it.
    """

    name: str
    value: Callable[[Any], float]
    form: Form = Form.LEFT_OUT
    formula: Callable[[Any], Functional] | None = None
    title: str = ""
    unit: str = ""
    needs: Need = Need.LABELS
    greater_is_better: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    classes: Literal["", "positive", "negative", "every", "rarest", "called"] = ""
    instead: str = ""
    root: bool = False
    mean_of_rows: bool = False
    counts: Literal["", "right", "wrong"] = ""
    reads: Reads | None = None
    null: str = ""
    constant: Literal["median", "mean"] = "median"
    studied_by: str = "accuracy"
    by_predicted: bool = False
    by_pairs: bool = False
    scale: Scale = PLAIN
    carried: Carried | None = None
    smooth: bool = True
    interval: bool = True
    option: str = ""
    takes: tuple[str, ...] = ()
    columns: Columns = dataclasses.field(default_factory=dict)
    own: bool = False
    computed: bool = True
    method: str = "satterthwaite1946"
    calibration: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def binary(self) -> bool:
        """Whether it is for two classes only."""
        return bool(self.instead)

    @property
    def about_one_class(self) -> bool:
        """Whether it changes with the class of two that is the positive one."""
        return self.classes in ("positive", "negative")

    @property
    def by_order(self) -> bool:
        """Whether it looks at how rows are ordered or at probabilities, not at labels alone."""
        return self.needs in (Need.RANKING, Need.PROBABILITIES)

    @property
    def priced(self) -> bool:
        """Whether it looks at what errors cost."""
        return self.needs in (Need.COSTS, Need.PRIORS)


def numbers(
    name: str, *, greater_is_better: bool, undefined: str = "its values are given, not computed"
) -> Metric:
    """Return a mean of numbers that are given, one per row."""

    def value(view: View) -> float:
        raise NoValue(undefined)

    def formula(view: View) -> Functional:
        centre = float(view.numbers.mean())
        return Functional(centre, view.numbers - centre)

    return Metric(
        name=name,
        value=value,
        form=Form.ROWS,
        formula=formula,
        needs=Need.NUMBERS,
        greater_is_better=greater_is_better,
        range=(-math.inf, math.inf),
        computed=False,
    )


class Metrics(dict[str, Metric]):
    """Metrics by name; ``name@value`` is one whose option has that value."""

    def __missing__(self, name: str) -> Metric:
        if "@" not in name:
            raise KeyError(name)
        return self.with_option(name)

    def __contains__(self, name: object) -> bool:
        has_option = isinstance(name, str) and "@" in name
        return super().__contains__(name) or (has_option and not self.lacking(str(name)))

    def get(self, name: str, default: Metric | None = None) -> Metric | None:  # type: ignore[override]
        """Return a metric, or a default where none has that name."""
        named = name in self
        return self[name] if named else default

    def with_option(self, name: str) -> Metric:
        """Return the metric that ``name@value`` stands for."""
        base, at, text = name.partition("@")
        metric = super().get(base)
        if metric is None:
            raise ArgumentError("metric", f"no metric is called {base!r}")
        if not metric.option:
            raise ArgumentError("metric", f"{base} takes no option: found {name!r}")
        if not at:
            example = f"{base}@{EXAMPLES[metric.option]:g}"
            message = f"{base} takes its {metric.option} in its name, like {example}"
            raise ArgumentError("metric", message)
        try:
            option: dict[str, Any] = {metric.option: float(text)}
            dataclasses.replace(NO_OPTIONS, **option)
        except ValueError as error:
            number = f"found {text!r}, must be a number"
            why = error.message if isinstance(error, ArgumentError) else number
            raise ArgumentError("metric", f"{metric.option} in {name!r}: {why}") from None
        bound = partial(_with_option, option)
        return dataclasses.replace(
            metric,
            name=name,
            title=f"{metric.title} ({metric.option} {option[metric.option]:g})",
            value=partial(bound, metric.value),
            formula=None if metric.formula is None else partial(bound, metric.formula),
            option="",
        )

    def lacking(self, name: str) -> str:
        """Say why a name with an option is none of a metric; empty where it is one."""
        try:
            self.with_option(name)
        except ArgumentError as error:
            return error.message
        return ""


def _with_option(option: dict[str, Any], function: Callable[[Any], Any], rows: Any) -> Any:
    """Call the value or formula of a metric on rows with the value of its option."""
    options = dataclasses.replace(rows.options, **option)
    return function(dataclasses.replace(rows, options=options))


METRICS = Metrics()
"""The metrics that are built in, by name."""
F = TypeVar("F", bound=Callable[..., Any])


def metric_called(name: str | Metric) -> Metric:
    """Return the metric of a name, or say which there are."""
    if isinstance(name, Metric):
        return name
    if isinstance(name, str) and name.partition("@")[0] in (*METRICS,):
        metric = METRICS[name]
        return METRICS.with_option(name) if metric.option else metric
    return METRICS[check_choice(name, (*METRICS,), "metric")]


def check_smooth(metric: Metric) -> None:
    """Refuse a metric that has intervals and no test."""
    if not metric.smooth:
        raise ArgumentError(
            "metric",
            f"{metric} is not smooth, so that no test of it holds its level: take "
            "metric_difference, which gives intervals",
        )


def enter(metric: Metric) -> None:
    """Enter one among the metrics."""
    if metric.name in METRICS:
        raise ValueError(f"two metrics are called {metric.name!r}")
    METRICS[metric.name] = metric


def of_means(
    title: str, unit: str, *, name: str = "", form: Form = Form.ROWS, **facts: Any
) -> Callable[[F], F]:
    """Enter a function from a view to a `Functional` of means over rows."""

    def decorate(formula: F) -> F:
        def value(view: View) -> float:
            return float(formula(view.cells if form is Form.DECISIONS else view).value)

        usual = {"name": name or formula.__name__, "formula": formula, **facts}
        enter(Metric(title=title, unit=unit, value=value, form=form, **usual))
        return formula

    return decorate


decision = partial(of_means, form=Form.DECISIONS)
"""Enter a formula over the table of true and predicted classes; see `Cells`."""


def row_mean(
    title: str, unit: str, *, name: str = "", root: bool = False, **facts: Any
) -> Callable[[F], F]:
    """Enter the mean of what a function of a view gives for each row, or the root of that mean."""

    def decorate(values: F) -> F:
        def plain(view: View) -> float:
            centre = float(np.mean(values(view)))
            return math.sqrt(centre) if root else centre

        def functional(view: View) -> Functional:
            centre = mean(values(view), np.ones(view.truth.n))
            return centre**0.5 if root else centre

        usual = {"form": Form.ROWS, "formula": functional, **facts}
        usual |= {"root": root, "mean_of_rows": not root, "value": plain}
        enter(Metric(name=name or values.__name__, title=title, unit=unit, **usual))
        return values

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


def _called(function: Callable[..., float], by_order: bool, view: View) -> float:
    """Call a function of the user's on truth, predictions and columns."""
    try:
        if not view.truth.classes:
            return function(view.observed, view.numbers, **view.columns)
        names = np.array(view.truth.classes, dtype=object)
        if not by_order:
            predicted = names[view.predicted]
        else:
            predicted = view.scores if len(names) == 2 else view.probabilities
        return function(names[view.truth.values], predicted, **view.columns)
    except ValueError as reason:
        raise NoValue(str(reason)) from None

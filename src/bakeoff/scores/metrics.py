"""The metrics that an experiment can name, and what one gives on the predictions of one fit.

None is scikit-learn's, for speed alone: a study scores 100,000 fits, and scikit-learn's checks cost
a millisecond a call. The tests hold them to scikit-learn's values.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.data.observations import Observations
from bakeoff.errors import Problem, shown
from bakeoff.fit.predictions import Predictions
from bakeoff.spec import Costs
from bakeoff.spec.experiment import Task
from bakeoff.spec.metrics import METRICS_OF, GivenMetric, standard_name
from bakeoff.stats.metrics.metric import (
    EXAMPLES,
    NO_COLUMNS,
    NO_OPTIONS,
    POINTS,
    TARGET,
    TARGET_SQUARED,
    Columns,
    Metric,
    Need,
    NoValue,
    Options,
    Truth,
    View,
    numbers,
)
from bakeoff.stats.metrics.metric import METRICS as BUILT_IN
from bakeoff.stats.metrics.metric import Metrics as Named

__all__ = ["METRICS", "POINTS", "Metric", "Need"]
_NOISE = 1e-10


class Metrics(Named):
    """The metrics by name; names joined by ``+`` are several criteria taken together."""

    positive = ""
    """The positive one of two classes, for the titles of metrics that are about it."""

    def __missing__(self, name: str) -> Metric:
        if "+" not in name:
            return super().__missing__(name)
        titles = [self[part].title for part in name.split("+")]
        title = f"{', '.join(titles[:-1])} and {titles[-1]}"
        nothing = "several criteria have no single value"
        metric = numbers(name, greater_is_better=True, undefined=nothing)
        return dataclasses.replace(metric, title=title, range=(0.0, 1.0))

    def with_option(self, name: str) -> Metric:
        """Return the metric that ``name@value`` stands for: without a value it is none."""
        return of_class(BUILT_IN.with_option(name), self.positive)


METRICS = Metrics({m.name: m for m in BUILT_IN.values() if not m.option})


_NEAR = 0.6
"""How alike names are that a message proposes, as `difflib` measures it."""
_MOST_NEAR = 4
_USUAL = {
    Task.CLASSIFICATION: (
        "accuracy",
        "balanced_accuracy",
        "f1_macro",
        "mcc",
        "roc_auc",
        "log_loss",
    ),
    Task.REGRESSION: ("rmse", "mae", "r2", "mape", "spearman"),
}
"""Metrics that a message names for an example."""


def of_class(metric: Metric, positive: str) -> Metric:
    """Name the positive one of two classes in the title of a metric that is about it."""
    if not positive or metric.classes not in ("positive", "negative", "called"):
        return metric
    of_it = metric.classes == "positive"
    said = f" for class {positive}" if of_it else f" (positive class {positive})"
    return dataclasses.replace(metric, title=metric.title + said)


def no_metric(name: str) -> str:
    """Say that a name is none of a metric, and which there are."""
    base = name.partition("@")[0]
    if (known_as := BUILT_IN.get(base)) and known_as.option:
        return METRICS.lacking(name)
    names = sorted((*METRICS, *(m.name for m in told_examples())))
    called = [*names, *METRICS_OF]
    close = difflib.get_close_matches(name.casefold(), called, n=_MOST_NEAR, cutoff=_NEAR)
    near = list(dict.fromkeys(map(standard_name, close)))
    words = {word for word in name.casefold().split("_") if len(word) > 2}
    near += [one for one in names if one not in near and words & set(one.split("_"))]
    hint = f"; did you mean {near[0]!r}?" if near else ""
    others = f"near it: {', '.join(near[:_MOST_NEAR])}; " if len(near) > 1 else ""
    return f"unknown metric {shown(name)}{hint} ({others}docs/metrics.md lists all)"


def told_examples() -> list[Metric]:
    """Return the metrics that take an option in their names, each with one value of it."""
    untold = [m for m in BUILT_IN.values() if m.option]
    return [METRICS[f"{m.name}@{EXAMPLES[m.option]:g}"] for m in untold]


def of_other_task(name: str, task: Task) -> str:
    """Say that a metric looks at classes where numbers are predicted, or the other way round."""
    if (METRICS[name].needs is Need.NUMBERS) == task.numbers:
        return ""
    looks = "classes" if task.numbers else "numbers"
    hint = f", or `own_metrics: {{{name}: {{needs: numbers, …}}}}`" if METRICS[name].own else ""
    return (
        f"{name} compares {looks}, and this is a {task}; choose a metric of it, such as "
        f"{', '.join(_USUAL[task])}{hint}"
    )


def check_metrics(names: Iterable[str], given: Observations, costs: Costs | None) -> None:
    """Refuse metrics that predictions of a test set, or what errors cost, say nothing of."""
    for name in names:
        if name not in METRICS:
            raise Problem(("metrics",), no_metric(name))
        if other := of_other_task(name, given.task):
            raise Problem(("metrics",), other)
        metric, classes = METRICS[name], len(given.classes)
        if metric.binary and classes != 2:
            raise Problem(
                ("metrics",),
                f"{name} is for two classes, {given.name} has {classes}; use {metric.instead}",
            )
        if metric.priced and costs is None:
            raise Problem(("costs",), f"the metric {name} needs `classes` and a `matrix` of costs")
        if metric.needs is Need.PRIORS and (costs is None or costs.priors is None):
            raise Problem(
                ("costs",),
                f"the metric {name} needs `priors` too: how frequent each class is, in the order "
                "of `classes`",
            )
        for model, runs in given.models.items() if metric.by_order else ():
            if any(run.probabilities is None for run in runs):
                raise Problem(
                    ("metrics",),
                    f"{name} needs class probabilities, {model} brings labels alone: pass them, "
                    "shape (n, K), or in a file as columns p_<class> (in one table of all models "
                    "model:class)",
                )


def counted_rows(name: str | None) -> str:
    """Return which rows a metric is the share of: ``"right"``, ``"wrong"`` or empty."""
    metric = METRICS.get(name or "")
    return "" if metric is None else metric.counts


def score(
    metric: Metric,
    predictions: Predictions,
    costs: Costs | None = None,
    columns: Mapping[str, NDArray[Any]] = NO_COLUMNS,
) -> tuple[float, str]:
    """Return the value of a metric on the predictions of one fit, or NaN and the reason."""
    return score_view(metric, view_of(predictions, costs, columns))


def score_view(metric: Metric, view: View) -> tuple[float, str]:
    """Return what `score` does of a view that several metrics share."""
    if metric.priced and view.options.cost is None:
        return math.nan, "the experiment has no `costs:`"
    if metric.needs is Need.PRIORS and view.options.priors is None:
        return math.nan, "the experiment has no `costs:` with `priors`"
    try:
        return float(metric.value(view)), ""
    except NoValue as reason:
        return math.nan, str(reason)


def view_of(
    predictions: Predictions, costs: Costs | None = None, columns: Columns = NO_COLUMNS
) -> View:
    """Return what metrics look at of the predictions of one fit."""
    classes, decision = predictions.classes, predictions.decision
    if not classes:
        return View(Truth(predictions.y_true), predictions.y_pred, columns=columns)
    options = NO_OPTIONS
    if costs is not None:
        order = [costs.names.index(name) for name in classes]
        priors = None if costs.priors is None else np.array(costs.priors)[order]
        options = Options(cost=costs.for_classes(classes), priors=priors)
    return View(
        Truth(predictions.y_true, classes, len(classes) - 1),
        predictions.y_pred,
        predictions.probabilities,
        None if decision is None else decision[:, -1],
        options,
        columns,
        lacking=predictions.facts.get("no_probabilities", ""),
    )


class _HasUnit(Protocol):
    @property
    def unit(self) -> str | None: ...


class NamesMetrics(Protocol):
    """What says which metrics can be named: an experiment, or an analysis."""

    @property
    def given_metrics(self) -> Mapping[str, GivenMetric]:
        """The metrics that are described and not computed."""

    @property
    def datasets(self) -> Mapping[str, _HasUnit]:
        """The data sets, with the units of their targets."""


def metrics_of(experiment: NamesMetrics, positive: str = "") -> Mapping[str, Metric]:
    """Return the metrics that an experiment can name, in the unit of the numbers it predicts.

    Those that are about one class of two say which, where `positive` names it.
    """
    of_user = {
        name: dataclasses.replace(
            numbers(
                given.name,
                greater_is_better=given.greater_is_better,
                undefined="its values are given with `scores:` or `values:`, not computed",
            ),
            title=given.label or given.name,
            unit=given.unit or "",
            range=given.limits,
        )
        for name, given in experiment.given_metrics.items()
    }
    units = {data.unit for data in experiment.datasets.values()}
    unit = units.pop() if len(units) == 1 else None
    ours = {n: of_class(in_unit(metric, unit), positive) for n, metric in METRICS.items()}
    metrics = Metrics(ours | of_user)
    metrics.positive = positive
    return metrics


def mixed_units(experiment: NamesMetrics, name: str) -> bool:
    """Tell whether a metric has other units on other data sets: such values have no mean."""
    if (given := experiment.given_metrics.get(name)) is not None:
        return given.mixed_units and len(experiment.datasets) > 1
    metric = METRICS.get(name)
    units = {data.unit for data in experiment.datasets.values()}
    declared = len(units) == 1 and None not in units
    in_target = metric is not None and metric.unit in (TARGET, TARGET_SQUARED)
    return len(experiment.datasets) > 1 and in_target and not declared


def in_unit(metric: Metric, unit: str | None) -> Metric:
    """Name the unit of a metric that is measured in that of the target."""
    if unit is None or metric.unit not in (TARGET, TARGET_SQUARED):
        return metric
    squared = f"{unit}²" if unit.isalpha() else f"({unit})²"
    return dataclasses.replace(metric, unit=unit if metric.unit == TARGET else squared)


class Constant(NamedTuple):
    """The same answer for every row."""

    answer: int
    score: float


def constant_number(metric: Metric, answer: float, truth: NDArray[np.float64]) -> float:
    """Score a number that is predicted for every row, as ``DummyRegressor`` does."""
    if not metric.computed or metric.takes:
        return math.nan
    n = len(truth)
    made = Predictions(np.arange(n), truth, np.full(n, answer), (), None, None, {})
    return score(metric, made)[0]


def constant_answer(
    metric: Metric,
    classes: Sequence[str],
    train: ArrayLike,
    test: ArrayLike,
    costs: Costs | None = None,
) -> Constant | None:
    """Score the constant answer that is the best by a metric on the training rows."""
    # It is one class with the shares of all classes as probabilities, as scikit-learn's
    # ``DummyClassifier(strategy="prior")`` answers: of two classes the one that the metric prefers,
    # of more the most frequent one, and by a metric of costs the one that would be the cheapest.
    if not metric.computed or metric.takes:
        return None
    seen, tested = np.asarray(train, dtype=np.int64), np.asarray(test, dtype=np.int64)
    shares = seen / seen.sum()

    def scored(answer: int, counts: NDArray[np.int64]) -> float:
        n = int(counts.sum())
        made = Predictions(
            np.arange(n),
            np.repeat(np.arange(len(seen)), counts),
            np.full(n, answer),
            tuple(classes),
            np.broadcast_to(shares, (n, len(shares))),
            None,
            {},
        )
        return score(metric, made, costs)[0]

    answer = int(np.argmax(shares))
    if metric.priced and costs is not None:
        wanted = shares if costs.priors is None else costs.shares(tuple(classes))
        answer = int(np.argmin((wanted[:, None] * costs.for_classes(tuple(classes))).sum(axis=0)))
    elif metric.needs is Need.LABELS and len(seen) == 2:
        sign = 1 if metric.greater_is_better else -1
        values = (sign * scored(one, seen) for one in (answer, 1 - answer))
        frequent, rare = (-math.inf if math.isnan(value) else value for value in values)
        answer = 1 - answer if rare > frequent + _NOISE else answer
    return Constant(answer, scored(answer, tested))

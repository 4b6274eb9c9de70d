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
"""Differences of scores up to which two constant answers are equally good."""
_NEAR = 0.6
"""How alike names are that a message proposes, as `difflib` measures it."""
_MOST_NEAR = 4
_FEWEST_LETTERS = 3
"""Letters of a word that two names may share."""
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


# --- the metrics by name


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


METRICS = Metrics({metric.name: metric for metric in BUILT_IN.values() if not metric.option})


def of_class(metric: Metric, positive: str) -> Metric:
    """Name the positive one of two classes in the title of a metric that is about it."""
    if not positive or metric.classes not in ("positive", "negative", "called"):
        return metric
    title = f"{metric.title} (positive class {positive})"
    if metric.classes == "positive":
        title = f"{metric.title} for class {positive}"
    return dataclasses.replace(metric, title=title)


def in_unit(metric: Metric, unit: str | None) -> Metric:
    """Name the unit of a metric that is measured in that of the target."""
    if unit is None or metric.unit not in (TARGET, TARGET_SQUARED):
        return metric
    if metric.unit == TARGET:
        return dataclasses.replace(metric, unit=unit)
    squared = f"({unit})²"
    if unit.isalpha():
        squared = f"{unit}²"
    return dataclasses.replace(metric, unit=squared)


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
    units = {data.unit for data in experiment.datasets.values()}
    unit = None
    if len(units) == 1:
        unit = units.pop()
    metrics = Metrics()
    metrics.positive = positive
    for name, metric in METRICS.items():
        metrics[name] = of_class(in_unit(metric, unit), positive)
    for name, given in experiment.given_metrics.items():
        metrics[name] = _given_metric(given)
    return metrics


def _given_metric(given: GivenMetric) -> Metric:
    """Return the metric of values that somebody else computed."""
    metric = numbers(
        given.name,
        greater_is_better=given.greater_is_better,
        undefined="its values are given with `scores:` or `values:`, not computed",
    )
    return dataclasses.replace(
        metric,
        title=given.label or given.name,
        unit=given.unit or "",
        range=given.limits,
    )


def mixed_units(experiment: NamesMetrics, name: str) -> bool:
    """Tell whether a metric has other units on other data sets: such values have no mean."""
    if len(experiment.datasets) < 2:
        return False
    given = experiment.given_metrics.get(name)
    if given is not None:
        return given.mixed_units
    metric = METRICS.get(name)
    if metric is None or metric.unit not in (TARGET, TARGET_SQUARED):
        return False
    units = {data.unit for data in experiment.datasets.values()}
    return len(units) > 1 or None in units


def counted_rows(name: str | None) -> str:
    """Return which rows a metric is the share of: ``"right"``, ``"wrong"`` or empty."""
    metric = METRICS.get(name or "")
    if metric is None:
        return ""
    return metric.counts


# --- metrics that are refused


def told_examples() -> list[Metric]:
    """Return the metrics that take an option in their names, each with one value of it."""
    examples = []
    for metric in BUILT_IN.values():
        if metric.option:
            examples.append(METRICS[f"{metric.name}@{EXAMPLES[metric.option]:g}"])
    return examples


def no_metric(name: str) -> str:
    """Say that a name is none of a metric, and which there are."""
    with_option = BUILT_IN.get(name.partition("@")[0])
    if with_option is not None and with_option.option:
        return METRICS.lacking(name)
    near = _near_names(name)
    hint = ""
    others = ""
    if near:
        hint = f"; did you mean {near[0]!r}?"
    if len(near) > 1:
        others = f"near it: {', '.join(near[:_MOST_NEAR])}; "
    return f"unknown metric {shown(name)}{hint} ({others}docs/metrics.md lists all)"


def _near_names(name: str) -> list[str]:
    """List the metrics that are spelled alike, the nearest first, and those with a word of it."""
    names = list(METRICS)
    for metric in told_examples():
        names.append(metric.name)
    names.sort()
    known = names + list(METRICS_OF)
    close = difflib.get_close_matches(name.casefold(), known, n=_MOST_NEAR, cutoff=_NEAR)
    near = list(dict.fromkeys(map(standard_name, close)))
    words = {word for word in name.casefold().split("_") if len(word) >= _FEWEST_LETTERS}
    for other in names:
        if other not in near and words & set(other.split("_")):
            near.append(other)
    return near


def of_other_task(name: str, task: Task) -> str:
    """Say that a metric looks at classes where numbers are predicted, or the other way round."""
    metric = METRICS[name]
    if (metric.needs is Need.NUMBERS) == task.numbers:
        return ""
    compared = "numbers"
    if task.numbers:
        compared = "classes"
    hint = ""
    if metric.own:
        hint = f", or `own_metrics: {{{name}: {{needs: numbers, …}}}}`"
    return (
        f"{name} compares {compared}, and this is a {task}; choose a metric of it, such as "
        f"{', '.join(_USUAL[task])}{hint}"
    )


def check_metrics(names: Iterable[str], observations: Observations, costs: Costs | None) -> None:
    """Refuse metrics that predictions of a test set, or what errors cost, say nothing of."""
    for name in names:
        if name not in METRICS:
            raise Problem(("metrics",), no_metric(name))
        of_other = of_other_task(name, observations.task)
        if of_other:
            raise Problem(("metrics",), of_other)
        metric = METRICS[name]
        n_classes = len(observations.classes)
        if metric.binary and n_classes != 2:
            raise Problem(
                ("metrics",),
                f"{name} is for two classes, {observations.name} has {n_classes}; "
                f"use {metric.instead}",
            )
        if metric.priced and costs is None:
            raise Problem(("costs",), f"the metric {name} needs `classes` and a `matrix` of costs")
        if metric.needs is Need.PRIORS and (costs is None or costs.priors is None):
            raise Problem(
                ("costs",),
                f"the metric {name} needs `priors` too: how frequent each class is, in the order "
                "of `classes`",
            )
        if metric.by_order:
            _check_probabilities(name, observations)


def _check_probabilities(name: str, observations: Observations) -> None:
    """Refuse models that bring labels alone, where a metric ranks rows."""
    for model, runs in observations.models.items():
        if any(run.probabilities is None for run in runs):
            raise Problem(
                ("metrics",),
                f"{name} needs class probabilities, {model} brings labels alone: pass them, "
                "shape (n, K), or in a file as columns p_<class> (in one table of all models "
                "model:class)",
            )


# --- the value of a metric


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
    classes = predictions.classes
    if not classes:
        return View(Truth(predictions.y_true), predictions.y_pred, columns=columns)
    options = NO_OPTIONS
    if costs is not None:
        options = _options_of(costs, classes)
    decision = None
    if predictions.decision is not None:
        decision = predictions.decision[:, -1]
    return View(
        Truth(predictions.y_true, classes, len(classes) - 1),
        predictions.y_pred,
        predictions.probabilities,
        decision,
        options,
        columns,
        lacking=predictions.facts.get("no_probabilities", ""),
    )


def _options_of(costs: Costs, classes: tuple[str, ...]) -> Options:
    """Return what errors cost, and how frequent classes are, in the order of the classes."""
    priors = None
    if costs.priors is not None:
        order = [costs.names.index(name) for name in classes]
        priors = np.array(costs.priors)[order]
    return Options(cost=costs.for_classes(classes), priors=priors)


# --- constant answers


class Constant(NamedTuple):
    """The same answer for every row."""

    answer: int
    score: float


def constant_number(metric: Metric, answer: float, truth: NDArray[np.float64]) -> float:
    """Score a number that is predicted for every row, as ``DummyRegressor`` does."""
    if not metric.computed or metric.takes:
        return math.nan
    n = len(truth)
    predictions = Predictions(
        row_id=np.arange(n),
        y_true=truth,
        y_pred=np.full(n, answer),
        classes=(),
        probabilities=None,
        decision=None,
        facts={},
    )
    value, _ = score(metric, predictions)
    return value


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
    n_trained = np.asarray(train, dtype=np.int64)
    n_tested = np.asarray(test, dtype=np.int64)
    shares = n_trained / n_trained.sum()

    def scored(answer: int, counts: NDArray[np.int64]) -> float:
        n = int(counts.sum())
        predictions = Predictions(
            row_id=np.arange(n),
            y_true=np.repeat(np.arange(len(counts)), counts),
            y_pred=np.full(n, answer),
            classes=tuple(classes),
            probabilities=np.broadcast_to(shares, (n, len(shares))),
            decision=None,
            facts={},
        )
        value, _ = score(metric, predictions, costs)
        return value

    def goodness(answer: int) -> float:
        value = scored(answer, n_trained)
        if math.isnan(value):
            return -math.inf
        if metric.greater_is_better:
            return value
        return -value

    # By metrics of labels the rarer class can be better, by its recall for instance; rounding must
    # not decide between answers that are equally good.
    answer = int(np.argmax(shares))
    if metric.priced and costs is not None:
        answer = _cheapest(shares, costs, tuple(classes))
    elif metric.needs is Need.LABELS and len(shares) == 2:
        other = 1 - answer
        if goodness(other) > goodness(answer) + _NOISE:
            answer = other
    return Constant(answer, scored(answer, n_tested))


def _cheapest(shares: NDArray[np.float64], costs: Costs, classes: tuple[str, ...]) -> int:
    """Return the class whose answer to every row costs least."""
    if costs.priors is not None:
        shares = costs.shares(classes)
    # Σ_true share(true) · cost(true, answer)
    mean_costs = (shares[:, None] * costs.for_classes(classes)).sum(axis=0)
    return int(np.argmin(mean_costs))

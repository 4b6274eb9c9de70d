"""A metric of one test set with its options, and the truth it is computed on."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, TypedDict

from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Default, PositiveFloat, PositiveInt
from bakeoff.stats.core.checks import check_same_labels
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.design.spread import Leverage
from bakeoff.stats.metrics.metric import Metric, Need
from bakeoff.stats.metrics.named import metric_called
from bakeoff.stats.metrics.options import NO_OPTIONS, Options
from bakeoff.stats.metrics.test_rows import (
    Codes,
    TrueClasses,
    TrueNumbers,
    Truth,
    check_rows,
    coded,
    read_classes,
    read_groups,
    read_numbers,
    read_probabilities,
    read_truth,
)
from bakeoff.stats.metrics.view import NumberView, View


@dataclasses.dataclass(frozen=True)
class Setting:
    """A metric with its options on one test set."""

    metric: Metric
    truth: Truth
    clusters: Codes | None = None
    options: Options = NO_OPTIONS

    def __post_init__(self) -> None:
        if self.metric.binary and len(self.classes.classes) != 2:
            found = len(self.classes.classes)
            raise ArgumentError(
                "metric",
                f"{self.metric} is for two classes, found {found}; use {self.metric.instead}",
            )

    @property
    def classes(self) -> TrueClasses:
        """The truth, of a metric of classes."""
        assert isinstance(self.truth, TrueClasses)
        return self.truth

    @cached_property
    def leverage(self) -> Leverage | None:
        """The leverage of the clusters: among rows, and for areas among those of each class."""
        if self.clusters is None:
            return None
        return Leverage.of(self.clusters, self.classes.codes if self.metric.by_pairs else None)

    def view(self, rows: Any) -> View | NumberView:
        """Return what the metric looks at of what one model predicts."""
        if isinstance(self.truth, TrueNumbers):
            return NumberView(self.truth, rows, self.metric.columns)
        labels = not self.metric.by_order
        return View(
            self.truth,
            predicted=rows if labels else None,
            given=None if labels else rows,
            options=self.options,
            columns=self.metric.columns,
            grouped=self.clusters is not None,
        )

    def too_few(self) -> str:
        """Say which class has too few rows for the metric; empty if none has."""
        if not self.metric.classes:
            return ""
        counts, at = self.classes.counts, self.classes.positive
        needed = {
            "positive": [at],
            "negative": [k for k in range(len(counts)) if k != at],
            "every": list(range(len(counts))),
        }.get(self.metric.classes, [])
        few = [k for k in needed if 0 < counts[k] < FEWEST_OF_A_CLASS]
        return f"{counts[few[0]]} row(s) of class {self.classes.classes[few[0]]!r}" if few else ""

    def fewest(self) -> int:
        """Return the rows of the rarest class that the metric uses; -1 if it uses none."""
        if not self.metric.classes:
            return -1
        counts, at = self.classes.counts, self.classes.positive
        of = {
            "positive": counts[at],
            "negative": counts.sum() - counts[at],
            "every": counts.min(),
        }
        return int(of.get(self.metric.classes, counts[counts > 0].min()))


class MetricArguments(TypedDict, total=False):
    """What every function of a metric on test rows takes, with the options of single metrics."""

    metric: Annotated[str | Metric, Default("accuracy")]
    positive: object | None
    labels: ArrayLike | None
    groups: ArrayLike | None
    beta: Annotated[PositiveFloat, Default(1.0)]
    k: Annotated[PositiveInt, Default(2)]
    cost: ArrayLike | None
    priors: ArrayLike | None


def setting_of(
    y_true: ArrayLike,
    models: Sequence[tuple[str, ArrayLike]],
    metric: str | Metric = "accuracy",
    positive: Any = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    **options: Any,
) -> tuple[Setting, list[Any]]:
    """Check a metric, its truth and the predictions it is computed from; see `read`."""
    how = metric_called(metric)
    truth, rows = read(how, y_true, models, positive, labels)
    return Setting(how, truth, read_groups(groups, truth.n), Options(**options)), rows


FEWEST_OF_A_CLASS = 5
"""With fewer rows of a class that a metric is conditional on there is no answer."""


def read(
    metric: Metric,
    y_true: ArrayLike,
    models: Sequence[tuple[str, ArrayLike]],
    positive: Any,
    labels: ArrayLike | None,
) -> tuple[Truth, list[Any]]:
    """Check truth and predictions: class codes, probabilities of shape (n, K), or numbers."""
    named = {f"{name} {i}": values for i, (name, values) in enumerate(models)}
    check_same_labels(y_true=y_true, **named)
    if not metric.by_order and metric.needs is not Need.NUMBERS:
        true = coded(y_true, "y_true")
        said = [(name, coded(values, name)) for name, values in models]
        classes = read_truth(true, labels, positive, said)
        return classes, [read_classes(classes, values, name) for name, values in said]
    truth = read_true(metric, y_true, models, positive, labels)
    return truth, [read_rows(metric, truth, values, name) for name, values in models]


def read_true(
    metric: Metric,
    y_true: ArrayLike,
    models: Sequence[tuple[str, ArrayLike]],
    positive: Any,
    labels: ArrayLike | None,
) -> Truth:
    """Check the truth; classes that are only predicted count as classes too. See `read`."""
    if metric.needs is not Need.NUMBERS:
        return read_truth(y_true, labels, positive, () if metric.by_order else models)
    for name, value in (("positive", positive), ("labels", labels)):
        if value is not None:
            raise ArgumentError(name, f"{metric} compares numbers, which have no classes")
    return TrueNumbers(read_numbers(y_true, "y_true"))


def read_rows(metric: Metric, truth: Truth, predicted: ArrayLike, name: str) -> Any:
    """Check what one model predicts; see `read`."""
    if isinstance(truth, TrueNumbers):
        numbers = read_numbers(predicted, name)
        check_rows(truth, numbers, name)
        return numbers
    return (read_probabilities if metric.by_order else read_classes)(truth, predicted, name)

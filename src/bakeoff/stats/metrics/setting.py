"""A metric of one test set with its options, and the truth it is computed on."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from bakeoff.stats.core.checks import check_same_labels
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.design.leverage import Leverage
from bakeoff.stats.metrics.metric import Metric
from bakeoff.stats.metrics.options import NO_OPTIONS, Options
from bakeoff.stats.metrics.test_rows import (
    Codes,
    Truth,
    read_classes,
    read_probabilities,
    read_truth,
)
from bakeoff.stats.metrics.view import View


@dataclasses.dataclass(frozen=True)
class Setting:
    """A metric with its options on one test set."""

    metric: Metric
    truth: Truth
    clusters: Codes | None = None
    options: Options = NO_OPTIONS

    def __post_init__(self) -> None:
        k = len(self.truth.classes)
        if self.metric.binary and k != 2:
            raise ArgumentError(
                "metric",
                f"{self.metric} is for two classes, found {k}; use {self.metric.instead}",
            )

    @cached_property
    def leverage(self) -> Leverage | None:
        """The leverage of the clusters: among rows, and for areas among those of each class."""
        if self.clusters is None:
            return None
        return Leverage.of(self.clusters, self.truth.codes if self.metric.by_pairs else None)

    def view(self, rows: Any) -> View:
        """Return what the metric looks at of one model's predicted classes or probabilities."""
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
        counts, at = self.truth.counts, self.truth.positive
        needed = {
            "positive": [at],
            "negative": [k for k in range(len(counts)) if k != at],
            "every": list(range(len(counts))),
        }.get(self.metric.classes, [])
        few = [k for k in needed if 0 < counts[k] < FEWEST_OF_A_CLASS]
        return f"{counts[few[0]]} row(s) of class {self.truth.classes[few[0]]!r}" if few else ""

    def fewest(self) -> int:
        """Return the rows of the rarest class that the metric uses; -1 if it uses none."""
        counts, at = self.truth.counts, self.truth.positive
        of = {
            "positive": counts[at],
            "negative": counts.sum() - counts[at],
            "every": counts.min(),
            "rarest": counts[counts > 0].min(),
        }
        return int(of.get(self.metric.classes, -1))


FEWEST_OF_A_CLASS = 5
"""With fewer rows of a class that a metric is conditional on there is no answer."""


def read(
    metric: Metric,
    y_true: ArrayLike,
    models: Sequence[tuple[str, ArrayLike]],
    positive: Any,
    labels: ArrayLike | None,
) -> tuple[Truth, list[Any]]:
    """Check truth and predictions: class codes, or probabilities of shape (n, K).

    Parameters
    ----------
    metric : Metric
        What the predictions are for.
    y_true, positive, labels
        As in `influence`.
    models : sequence of (str, array_like)
        What messages call each model's predictions, and they themselves.
    """
    named = {f"{name} {i}": values for i, (name, values) in enumerate(models)}
    check_same_labels(y_true=y_true, **named)
    if not metric.by_order:
        truth = read_truth(y_true, labels, positive, models)
        return truth, [read_classes(truth, values, name) for name, values in models]
    truth = read_truth(y_true, labels, positive)
    return truth, [read_probabilities(truth, values, name) for name, values in models]

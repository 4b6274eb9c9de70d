"""A metric of one test set with its options, and the truth it is computed on."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.checks import (
    FloatArray,
    as_floats,
    check_count,
    check_number,
    check_same_labels,
)
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.design.leverage import Leverage
from bakeoff.stats.metrics.decisions import Cells
from bakeoff.stats.metrics.functional import Functional
from bakeoff.stats.metrics.table import MetricFormula
from bakeoff.stats.metrics.test_rows import (
    Codes,
    Truth,
    read_classes,
    read_probabilities,
    read_truth,
)


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of single metrics, checked whichever is asked for.

    Attributes
    ----------
    beta : float
        Of ``fbeta``.
    k : int
        Of ``top_k_accuracy``.
    cost : array_like, shape (K, K), optional
        Of ``cost`` and ``expected_cost``.
    priors : array_like, shape (K,), optional
        Of ``expected_cost``.
    """

    beta: float = 1.0
    k: int = 2
    cost: ArrayLike | None = None
    priors: ArrayLike | None = None

    def __post_init__(self) -> None:
        if not (check_number(self.beta, "beta") > 0 and math.isfinite(self.beta)):
            raise ArgumentError("beta", f"found {self.beta!r}, must be greater than 0")
        check_count(self.k, "k", least=1)
        if self.cost is not None and not np.isfinite(as_floats(self.cost, "cost")).all():
            raise ArgumentError("cost", "found NaN or infinite costs")
        if self.priors is not None:
            shares = as_floats(self.priors, "priors")
            if not (np.isfinite(shares).all() and (shares >= 0).all() and shares.any()):
                raise ArgumentError("priors", "expected shares of at least 0, not all of them 0")

    def costs(self, k: int) -> FloatArray:
        """Return what predicting a class (columns) for a true one (rows) costs, shape (k, k)."""
        found = as_floats([] if self.cost is None else self.cost, "cost")
        if found.shape != (k, k):
            raise ArgumentError(
                "cost", f"expected a {k} by {k} matrix of numbers, found {found.shape}"
            )
        return found

    def shares(self, k: int) -> FloatArray:
        """Return how frequent each class is where the models will be used; they sum to 1."""
        found = as_floats([] if self.priors is None else self.priors, "priors")
        if found.shape != (k,):
            raise ArgumentError("priors", f"expected {k} numbers, found shape {found.shape}")
        return np.asarray(found / found.sum())


@dataclasses.dataclass(frozen=True)
class Setting:
    """A metric with its options on one test set."""

    metric: MetricFormula
    truth: Truth
    clusters: Codes | None = None
    options: Options = Options()

    @cached_property
    def leverage(self) -> Leverage | None:
        """The leverage of the clusters: among rows, and for areas among those of each class."""
        if self.clusters is None:
            return None
        by_class = self.metric.name == "roc_auc"
        return Leverage.of(self.clusters, self.truth.codes if by_class else None)

    def functional(self, cells: Cells) -> Functional:
        """Return a metric of decisions on a table."""
        assert self.metric.function is not None
        if self.metric.binary and len(cells.classes) != 2:
            raise ArgumentError(
                "metric",
                f"{self.metric.name} is for two classes, found {len(cells.classes)}; use "
                "an average over classes such as f1_macro",
            )
        k, options = len(cells.classes), self.options
        more: tuple[Any, ...] = ()
        match self.metric.name:
            case "fbeta":
                more = (options.beta,)
            case "expected_cost":
                more = options.costs(k), options.shares(k)
        found: Functional = self.metric.function(cells, *more)
        return found

    @property
    def smooth(self) -> bool:
        """Whether leaving rows out shows their influence, so that there is a test."""
        return self.metric.own is None or self.metric.own.smooth

    def too_few(self) -> str:
        """Say which class has too few rows for the metric; empty if none has."""
        counts, at = self.truth.counts, self.truth.positive
        needed = {
            "": [],
            "positive": [at],
            "negative": [k for k in range(len(counts)) if k != at],
            "every": list(range(len(counts))),
        }[self.metric.classes]
        few = [k for k in needed if 0 < counts[k] < FEWEST_OF_A_CLASS]
        return f"{counts[few[0]]} row(s) of class {self.truth.classes[few[0]]!r}" if few else ""

    def fewest(self) -> int:
        """Return the rows of the rarest class that the metric hangs on; -1 if on none.

        Those that it is conditional on; the log loss is carried by the class that is rare.
        """
        counts, at = self.truth.counts, self.truth.positive
        if self.metric.name == "log_loss":
            return int(counts[counts > 0].min())
        of = {"positive": counts[at], "negative": counts.sum() - counts[at], "every": counts.min()}
        return int(of.get(self.metric.classes, -1))


FEWEST_OF_A_CLASS = 5
"""With fewer rows of a class that a metric is conditional on there is no answer."""


def read(
    metric: MetricFormula,
    y_true: ArrayLike,
    models: Sequence[tuple[str, ArrayLike]],
    positive: Any,
    labels: ArrayLike | None,
) -> tuple[Truth, list[Any]]:
    """Check truth and predictions: class codes, or probabilities of shape (n, K).

    Parameters
    ----------
    metric : MetricFormula
        What the predictions are for.
    y_true, positive, labels
        As in `influence`.
    models : sequence of (str, array_like)
        What messages call each model's predictions, and they themselves.
    """
    named = {f"{name} {i}": values for i, (name, values) in enumerate(models)}
    check_same_labels(y_true=y_true, **named)
    if metric.predictions == "classes":
        truth = read_truth(y_true, labels, positive, models)
        return truth, [read_classes(truth, values, name) for name, values in models]
    truth = read_truth(y_true, labels, positive)
    return truth, [read_probabilities(truth, values, name) for name, values in models]

"""What a metric is, what it looks at, and how it is entered among the metrics."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.fit.predictions import Predictions
from bakeoff.spec import Costs
from bakeoff.spec.own_metrics import OwnMetric


class UndefinedMetric(Exception):
    """A metric has no value on these predictions; the text says why."""


NO_COLUMNS: Mapping[str, NDArray[Any]] = MappingProxyType({})
POINTS = "percentage points"
"""The unit of what is a share of something."""


class Need(StrEnum):
    """What a metric looks at besides the true labels."""

    LABELS = "labels"
    RANKING = "ranking"
    """Probabilities or decision values."""
    PROBABILITIES = "probabilities"
    COSTS = "costs"
    """Labels, and the experiment's `costs:`."""
    PRIORS = "priors"
    """Labels, and `costs:` with `priors`."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Metric:
    """One metric.

    Attributes
    ----------
    name, title : str
        The key in an experiment and the name people read.
    function : Callable
        From a `View` to a float; raises `UndefinedMetric`.
    unit : str
        What a difference of two values is measured in: `POINTS`, or a word for it.
    needs : Need
        What it looks at.
    greater_is_better : bool
        Which way is better.
    binary : bool
        Whether it is for two classes only.
    range : tuple of float
        The least and the greatest value that it can have.
    instead : str
        Of those for two classes: what to use for more.
    mean_of_rows : bool
        Whether it is the mean of a value of each row, and so means something on a single one.
    smooth : bool
        False: it jumps when a row is left out, like a median; it then has intervals on held-out
        rows by the bootstrap, and no test there.
    own : OwnMetric or None
        What the experiment says of a metric of the user's own.
    computed : bool
        Whether it is computed here; else its values are given.
    """

    name: str
    title: str
    function: Callable[[View], float]
    unit: str
    needs: Need = Need.LABELS
    greater_is_better: bool = True
    binary: bool = False
    range: tuple[float, float] = (0.0, 1.0)
    instead: str = ""
    mean_of_rows: bool = False
    smooth: bool = True
    own: OwnMetric | None = None
    computed: bool = True

    @property
    def by_order(self) -> bool:
        """Whether it looks at how rows are ordered or at probabilities, not at labels alone."""
        return self.needs in (Need.RANKING, Need.PROBABILITIES)

    def __call__(
        self,
        predictions: Predictions,
        costs: Costs | None = None,
        columns: Mapping[str, NDArray[Any]] = NO_COLUMNS,
    ) -> tuple[float, str]:
        """Return the value, or NaN and the reason."""
        try:
            return float(self.function(View(predictions, costs, columns))), ""
        except UndefinedMetric as reason:
            return float("nan"), str(reason)


class View:
    """What metrics look at, each piece computed once."""

    def __init__(
        self,
        predictions: Predictions,
        costs: Costs | None = None,
        columns: Mapping[str, NDArray[Any]] = NO_COLUMNS,
    ) -> None:
        self.predictions = predictions
        self.columns = columns
        self._costs = costs

    @cached_property
    def confusion(self) -> NDArray[np.int64]:
        """Counts, rows true, columns predicted; shape (K, K)."""
        p = self.predictions
        k = len(p.classes)
        cells = p.y_true.astype(np.intp) * k + p.y_pred
        return np.bincount(cells, minlength=k * k).reshape(k, k).astype(np.int64)

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Class probabilities, shape (n, K)."""
        if self.predictions.probabilities is None:
            raise UndefinedMetric(self._why("no class probabilities"))
        return self.predictions.probabilities

    def _why(self, lacking: str) -> str:
        """Say why there are no probabilities: those that there were may have been none."""
        return self.predictions.facts.get("no_probabilities") or f"the model gives {lacking}"

    @cached_property
    def positive_score(self) -> NDArray[np.float64]:
        """What ranks rows by how positive they are, shape (n,)."""
        ranking = self.predictions.ranking
        if ranking is None:
            raise UndefinedMetric(self._why("neither probabilities nor decision values"))
        return ranking[:, -1]

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        """Whether a row is of the positive (last) class, shape (n,)."""
        return np.equal(self.predictions.y_true, len(self.predictions.classes) - 1)

    @property
    def costs(self) -> NDArray[np.float64]:
        """What predicting a class (columns) for a true one (rows) costs, shape (K, K)."""
        if self._costs is None:
            raise UndefinedMetric("the experiment has no `costs:`")
        return self._costs.of(self.predictions.classes)

    @property
    def priors(self) -> NDArray[np.float64]:
        """How frequent each class is where the models will be used, shape (K,); they sum to 1."""
        if self._costs is None or self._costs.priors is None:
            raise UndefinedMetric("the experiment has no `costs:` with `priors`")
        return self._costs.shares(self.predictions.classes)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which classes occur among the true labels, shape (K,)."""
        return np.asarray(self.confusion.sum(axis=1) > 0)


class Metrics(dict[str, Metric]):
    """The metrics by name; names joined by ``+`` are several criteria taken together."""

    def __missing__(self, name: str) -> Metric:
        if "+" not in name:
            raise KeyError(name)
        titles = [self[part].title for part in name.split("+")]
        title = f"{', '.join(titles[:-1])} and {titles[-1]}"
        return Metric(name=name, title=title, function=_no_single_value, unit="")


def _no_single_value(view: View) -> float:
    raise UndefinedMetric("several criteria have no single value")


METRICS: dict[str, Metric] = Metrics()
Value = Callable[[View], float]


def metric(title: str, unit: str, **facts: Any) -> Callable[[Value], Value]:
    """Enter the decorated function among the metrics under its `Metric` facts."""

    def enter(function: Value) -> Value:
        name = function.__name__
        if name in METRICS:
            raise ValueError(f"two metrics are called {name!r}")
        METRICS[name] = Metric(name=name, title=title, function=function, unit=unit, **facts)
        return function

    return enter

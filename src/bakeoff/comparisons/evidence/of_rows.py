"""Predictions, or a number of each model, paired by row."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bakeoff.comparisons.evidence.metric import engine_metric
from bakeoff.comparisons.evidence.paired import Paired, RelatedRows
from bakeoff.stats import Entry, Evidence, Metric, influence, looks_at

Floats = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]


@dataclasses.dataclass(frozen=True)
class PairedPredictions(RelatedRows):
    """Predictions of all models on the same rows, paired by row."""

    models: tuple[str, ...]
    classes: tuple[str, ...]
    truth: NDArray[Any]
    predicted: NDArray[Any]
    scores: Floats | None = None
    left_out: tuple[str, ...] = ()
    probabilities: Floats | None = None
    metric: str = ""
    groups: NDArray[Any] | None = None
    times: NDArray[Any] | None = None
    subgroups: Mapping[str, pd.Categorical] = dataclasses.field(default_factory=dict)
    columns: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    in_order: bool = True
    ids: NDArray[Any] | None = None

    difference = "metric_difference"
    """The test that compares two models on these rows by any metric."""

    @classmethod
    def from_labels(
        cls, models: Sequence[str], truth: ArrayLike, predicted: Sequence[ArrayLike]
    ) -> PairedPredictions:
        """Make them from labels, one array per model; the classes are sorted."""
        columns = [pd.Series(labels, dtype=str) for labels in (truth, *predicted)]
        classes = pd.Index(sorted({label for labels in columns for label in labels.unique()}))
        first, *codes = (classes.get_indexer(pd.Index(labels)) for labels in columns)
        return cls(tuple(models), tuple(classes), first, np.column_stack(codes))

    def confusion(self, model: str) -> NDArray[np.int64]:
        """Count true (rows) against predicted classes (columns), shape (K, K)."""
        k = len(self.classes)
        cells = self.truth.astype(np.int64) * k + self.predicted[:, self.models.index(model)]
        return np.bincount(cells, minlength=k * k).reshape(k, k)

    @cached_property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each model is right on each row, shape (n, M)."""
        right: NDArray[np.bool_] = self.predicted == self.truth[:, None]
        return right

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Cut right/wrong, labels or scores for some models."""
        if entry.evidence is Evidence.CORRECTNESS:
            return [self.predicted[:, m] == self.truth for m in models]
        if entry.evidence is Evidence.COSTED_LABELS:
            names = np.array(self.classes)
            return [names[codes] for codes in (self.truth, *(self.predicted[:, m] for m in models))]
        if entry.evidence in (Evidence.PREDICTIONS, Evidence.RUNS):
            return [self._true_answers, *(self._of(m) for m in models)]
        if entry.evidence is Evidence.VALUES:
            return [self.row_values(m) for m in models]
        assert self.scores is not None
        return [self._positive, *(self.scores[:, m] for m in models)]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return rows × models: right or wrong, or the truth and what is predicted."""
        if entry.evidence is Evidence.PROBABILITIES:
            return [self._positive, self.scores]
        if entry.evidence is Evidence.VALUES:
            return [np.column_stack([self.row_values(m) for m in range(len(self.models))])]
        if entry.evidence is not Evidence.PREDICTIONS:
            return [self.correct]
        if self._wanted is None:
            columns = [self._of(m) for m in range(len(self.models))]
            return [self._true_answers, columns if self.classes else self.predicted]
        return [self._true_answers, self._wanted]

    def quality(self, model: int) -> Floats:
        """Return how good a model is on each row by any metric: right, or its squared error."""
        if self.classes:
            return self.correct[:, model].astype(np.float64)
        return np.asarray(np.square(self.predicted[:, model] - self.truth))

    def row_values(self, model: int) -> Floats:
        """Return what each row adds to a metric of predicted numbers, whose mean is the metric."""
        found = influence(self.truth, self.predicted[:, model], metric=self.engine_metric)
        return np.asarray(found.value + found.psi)

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return groups and times of the rows, and for predictions their metric and classes."""
        found = super().managed(entry)
        if entry.evidence in (Evidence.PREDICTIONS, Evidence.RUNS):
            found["metric"] = self.engine_metric
            if self.classes:
                found |= {"labels": self.classes, "positive": self.classes[-1]}
        return found

    def missing(self, models: Sequence[int]) -> str:
        """Say which models do not rank the rows or give probabilities, where that is wanted."""
        wanted = self._wanted if self.metric else self.scores
        if wanted is None:
            by_labels = not self.metric or looks_at(self.engine_metric) == "classes"
            return "" if by_labels else "no model gives probabilities or scores"
        silent = [self.models[m] for m in models if np.isnan(wanted[:, m]).any()]
        kind = "probabilities" if wanted is self.probabilities else "probabilities or scores"
        return f"{' and '.join(silent)} give(s) no {kind}" if silent else ""

    def only(self, models: Sequence[int]) -> PairedPredictions:
        """Return the predictions of some models."""
        at = list(models)
        if at == list(range(len(self.models))):
            return self
        return dataclasses.replace(
            self,
            models=tuple(self.models[m] for m in at),
            predicted=self.predicted[:, at],
            scores=None if self.scores is None else self.scores[:, at],
            probabilities=None if self.probabilities is None else self.probabilities[:, at],
        )

    def take(self, rows: NDArray[np.intp]) -> PairedPredictions:
        """Return the predictions of some rows."""
        names = ("truth", "predicted", "scores", "probabilities", "groups", "times", "ids")
        taken: dict[str, Any] = {
            name: values[rows] for name in names if (values := getattr(self, name)) is not None
        }
        for name in ("subgroups", "columns"):
            taken[name] = {key: values[rows] for key, values in getattr(self, name).items()}
        return dataclasses.replace(self, **taken)

    @cached_property
    def _positive(self) -> NDArray[np.bool_]:
        positive: NDArray[np.bool_] = self.truth == len(self.classes) - 1
        return positive

    @cached_property
    def _true_answers(self) -> Any:
        return self._answers(self.truth)

    def _answers(self, codes: NDArray[Any]) -> Any:
        """Return classes by name, or numbers."""
        if not self.classes:
            return codes
        return pd.Categorical.from_codes(codes, dtype=self._labels, validate=False)

    @cached_property
    def _labels(self) -> pd.CategoricalDtype:
        return pd.CategoricalDtype(pd.Index(self.classes, dtype=object))

    def _of(self, model: int) -> Any:
        """Return what the metric scores: classes, numbers, ranking scores or probabilities."""
        if self._wanted is None:
            return self._answers(self.predicted[:, model])
        return self._wanted[:, model]

    @property
    def engine_metric(self) -> str | Metric:
        """The metric as tests take it: by its name, or an own one with the columns it takes."""
        return engine_metric(self.metric, self.columns)

    @property
    def _wanted(self) -> Floats | None:
        return {"classes": None, "ranking": self.scores, "probabilities": self.probabilities}[
            looks_at(self.engine_metric)
        ]

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.truth)


@dataclasses.dataclass(frozen=True)
class PairedValues(RelatedRows, Paired):
    """A number of each model on the same rows, paired by row."""

    models: tuple[str, ...]
    values: NDArray[Any]
    left_out: tuple[str, ...] = ()
    groups: NDArray[Any] | None = None
    times: NDArray[Any] | None = None
    subgroups: Mapping[str, pd.Categorical] = dataclasses.field(default_factory=dict)
    metric: str = ""
    greater_is_better: bool = True
    range: tuple[float, float] = (-math.inf, math.inf)

    difference = "mean_difference"
    """The test that compares two models on these rows by any metric."""


@dataclasses.dataclass(frozen=True)
class FoldPredictions(Paired):
    """Whether all models are right on each row, in each replication of 5×2cv."""

    models: tuple[str, ...]
    fold: NDArray[Any]
    values: NDArray[np.bool_]
    left_out: tuple[str, ...] = ()

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Return the halves, and right or wrong for some models."""
        return [self.fold, *super().arguments(entry, models)]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return the halves, and replications × rows × models."""
        return [self.fold, self.values]

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.fold.shape[1])

"""Scores on the folds of a plan, or on data sets."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons.evidence.paired import Paired
from bakeoff.errors import UserError
from bakeoff.stats import Entry

Floats = NDArray[np.float64]


class _OfFolds(Paired):
    """Scores that may be undefined on some folds, with the reasons of each model."""

    values: Floats
    reasons: tuple[str, ...]

    def missing(self, models: Sequence[int]) -> str:
        """Say why some models cannot be compared; empty when they can."""
        reasons = (self.reasons[m] for m in models if np.isnan(self._of(m)).any())
        found = "; ".join(dict.fromkeys(reason or "a score is missing" for reason in reasons))
        return f"the metric is undefined on a fold: {found}" if found else ""

    def _of(self, model: int) -> Floats:
        own: Floats = self.values[..., model]
        return own


@dataclasses.dataclass(frozen=True)
class FoldScores(_OfFolds):
    """Scores of all models on the folds of one plan, one data set, one metric; see `Paired`."""

    models: tuple[str, ...]
    values: Floats
    n_train: NDArray[Any] | None
    n_test: NDArray[Any] | None
    reasons: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    full_repeats: int = 0

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Cut the scores of some models: flat, or repeats × folds for tests with replications."""
        return [self._shaped(entry, self._of(m)) for m in models]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return folds × models."""
        return [self.values.reshape(-1, len(self.models))]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return the sizes of the parts, in the shape of the scores, to tests that take them."""
        if "full_repeats" in entry.options:
            return {"full_repeats": self.full_repeats}
        if "n_train" not in entry.options:
            return {}
        if self.n_train is None or self.n_test is None:
            raise UserError(
                f"{entry.name} needs the sizes of the training and test parts: give the columns "
                "n_train and n_test with the scores"
            )
        sizes = {"n_train": self.n_train, "n_test": self.n_test}
        return {name: self._shaped(entry, values) for name, values in sizes.items()}

    @property
    def n(self) -> int:
        """The number of folds."""
        return math.prod(self.values.shape[:2])

    def _shaped(self, entry: Entry, values: NDArray[Any]) -> NDArray[Any]:
        return values if entry.replications and values.shape[1] > 1 else values.ravel()


@dataclasses.dataclass(frozen=True)
class FoldCriteria(_OfFolds):
    """Scores of all models on the folds of one plan by several metrics; see `Paired`."""

    models: tuple[str, ...]
    criteria: tuple[str, ...]
    greater_is_better: tuple[bool, ...]
    values: Floats
    reasons: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @classmethod
    def join(cls, parts: dict[str, FoldScores], greater_is_better: Sequence[bool]) -> FoldCriteria:
        """Put the scores by several metrics side by side."""
        first = next(iter(parts.values()))
        stacked = [part.values.reshape(-1, len(part.models)) for part in parts.values()]
        reasons = zip(*(part.reasons for part in parts.values()), strict=True)
        return cls(
            first.models,
            tuple(parts),
            tuple(greater_is_better),
            np.stack(stacked, axis=-1),
            tuple("; ".join(filter(None, each)) for each in reasons),
            first.left_out,
        )

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Cut folds × metrics for some models."""
        return [self._of(m) for m in models]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return the metrics' names and directions."""
        return {"criteria": self.criteria, "greater_is_better": self.greater_is_better}

    def _of(self, model: int) -> Floats:
        own: Floats = self.values[:, model]
        return own


@dataclasses.dataclass(frozen=True)
class DatasetScores(Paired):
    """One score per data set and model: the mean over the folds of one plan."""

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    values: Floats
    left_out: tuple[str, ...] = ()

    def missing(self, models: Sequence[int]) -> str:
        """Say how many scores some models lack; empty when they have all."""
        empty = int(np.isnan(self.values[:, list(models)]).any(axis=1).sum())
        if not len(self.values):
            return "no data set is left that every model has a score on"
        return f"scores are missing on {empty} data set(s)" if empty else ""

"""What a metric looks at: truth and predictions of one model on test rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.metrics.contingency import Counts
from bakeoff.stats.metrics.functional import NoValue
from bakeoff.stats.metrics.options import NO_OPTIONS, Options
from bakeoff.stats.metrics.test_rows import Codes, TrueClasses, TrueNumbers

Columns = Mapping[str, NDArray[Any]]
NO_COLUMNS: Columns = MappingProxyType({})


def rows_of(columns: Columns, rows: NDArray[np.intp]) -> Columns:
    """Return the columns of some rows."""
    return {name: np.asarray(values)[rows] for name, values in columns.items()}


@dataclasses.dataclass(frozen=True)
class View:
    """Truth and predictions of one model, each piece that metrics share computed once."""

    truth: TrueClasses
    predicted: Codes | None = None
    given: FloatArray | None = None
    decision: FloatArray | None = None
    options: Options = NO_OPTIONS
    columns: Columns = dataclasses.field(default_factory=dict)
    grouped: bool = False
    lacking: str = ""

    @cached_property
    def counts(self) -> Counts:
        """The table of true and predicted classes."""
        assert self.predicted is not None
        truth, k = self.truth, len(self.truth.classes)
        wide = truth.codes.astype(np.intp)  # codes of 200 classes fit into 16 bits, cells do not
        cells = np.bincount(wide * k + self.predicted, minlength=k * k).reshape(k, k)
        return Counts(cells, truth.classes, truth.positive, self.options)

    @property
    def probabilities(self) -> FloatArray:
        """Class probabilities, shape (n, K)."""
        if self.given is None:
            raise NoValue(self.lacking or "the model gives no class probabilities")
        return self.given

    @property
    def scores(self) -> FloatArray:
        """What ranks rows by how positive they are, shape (n,)."""
        if self.given is not None:
            return self.given[:, self.truth.positive]
        if self.decision is None:
            nothing = "the model gives neither probabilities nor decision values"
            raise NoValue(self.lacking or nothing)
        return self.decision

    @cached_property
    def is_positive(self) -> BoolArray:
        """Whether a row is of the positive class, shape (n,)."""
        return np.asarray(self.truth.codes == self.truth.positive)

    def named(self, codes: Codes | None) -> NDArray[Any]:
        """Return classes by their names."""
        return np.array(self.truth.classes, dtype=object)[codes]

    def of_own(self, by_order: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return truth and predictions as functions of the user's take them."""
        if not by_order:
            predicted = self.named(self.predicted)
        else:
            predicted = self.scores if len(self.truth.classes) == 2 else self.probabilities
        return self.named(self.truth.codes), predicted

    def take(self, rows: NDArray[np.intp]) -> View:
        """Return the view of some of the rows."""
        return dataclasses.replace(
            self,
            truth=self.truth.take(rows),
            predicted=None if self.predicted is None else self.predicted[rows],
            given=None if self.given is None else self.given[rows],
            decision=None if self.decision is None else self.decision[rows],
            columns=rows_of(self.columns, rows),
        )


@dataclasses.dataclass(frozen=True)
class NumberView:
    """True and predicted numbers of one model."""

    truth: TrueNumbers
    predicted: FloatArray
    columns: Columns = dataclasses.field(default_factory=dict)

    @property
    def observed(self) -> FloatArray:
        """The true numbers, shape (n,)."""
        return self.truth.values

    @cached_property
    def error(self) -> FloatArray:
        """By how much predictions are too high, shape (n,)."""
        return self.predicted - self.observed

    def of_own(self, by_order: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return truth and predictions as functions of the user's take them."""
        return self.observed, self.predicted

    def take(self, rows: NDArray[np.intp]) -> NumberView:
        """Return the view of some of the rows."""
        columns = rows_of(self.columns, rows)
        return NumberView(self.truth.take(rows), self.predicted[rows], columns)

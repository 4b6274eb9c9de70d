"""The table of true and predicted classes: as numbers, and with the influence of every cell.

The formulas of metrics of decisions are written once, over either form: `Counts` gives a value, and
`Cells` a `Functional`. Both are of degree 0 in what they are given: counts of rows in the one,
shares of rows in the other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.metrics.functional import Functional, mean
from bakeoff.stats.metrics.options import NO_OPTIONS, Options
from bakeoff.stats.metrics.test_rows import Codes

_FEW = 8
Term = Any
"""A number or a `Functional`."""


@dataclasses.dataclass(frozen=True)
class Counts:
    """How many rows are of each true and each predicted class."""

    rows: NDArray[np.int64]
    classes: tuple[object, ...]
    positive: int
    options: Options = NO_OPTIONS

    @cached_property
    def _cells(self) -> list[list[int]]:
        cells: list[list[int]] = self.rows.tolist()
        return cells

    @cached_property
    def _true(self) -> list[int]:
        return [sum(row) for row in self._cells]

    @cached_property
    def _said(self) -> list[int]:
        return [sum(column) for column in zip(*self._cells, strict=True)]

    @cached_property
    def _right(self) -> list[int]:
        return [row[k] for k, row in enumerate(self._cells)]

    @property
    def total(self) -> Term:
        """The number of rows."""
        return sum(self._true)

    @property
    def agreed(self) -> Term:
        """The rows predicted right."""
        return sum(self._right)

    def right(self, k: int) -> Term:
        """Return the rows that are of class k and predicted so."""
        return self._right[k]

    def true(self, k: int) -> Term:
        """Return the rows of class k."""
        return self._true[k]

    def said(self, k: int) -> Term:
        """Return the rows predicted as class k."""
        return self._said[k]

    def spent(self, k: int, cost: FloatArray) -> Term:
        """Return the costs of the rows of class k."""
        return float((self.rows[k] * cost[k]).sum())

    @property
    def present(self) -> list[int]:
        """The classes that occur among the truth."""
        return [k for k, rows in enumerate(self._true) if rows]

    @property
    def seen(self) -> list[int]:
        """The classes that occur among truth or predictions."""
        pairs = zip(self._true, self._said, strict=True)
        return [k for k, (true, said) in enumerate(pairs) if true or said]

    def sum(self, parts: Iterable[Term]) -> Term:
        """Return the sum of terms."""
        listed = [*parts]
        # the order in which NumPy adds so few, at a tenth of the time
        return reduce(add, listed, 0.0) if len(listed) < _FEW else float(np.sum(listed))

    def constant(self, value: float) -> Term:
        """Return a value that does not depend on any row."""
        return value


@dataclasses.dataclass(frozen=True)
class Cells:
    """Weighted cells of truth and prediction; rows are cells of weight 1."""

    truth: Codes
    predicted: Codes
    weights: FloatArray
    classes: tuple[object, ...]
    positive: int
    options: Options = NO_OPTIONS

    total = 1.0
    """The share of all rows."""

    def _share(self, marked: NDArray[np.bool_]) -> Functional:
        return mean(marked, self.weights)

    @property
    def agreed(self) -> Term:
        """The share of rows predicted right."""
        return self._share(self.truth == self.predicted)

    def right(self, k: int) -> Term:
        """Return the share of rows that are of class k and predicted so."""
        return self._share((self.truth == k) & (self.predicted == k))

    def true(self, k: int) -> Term:
        """Return the share of rows of class k."""
        return self._share(self.truth == k)

    def said(self, k: int) -> Term:
        """Return the share of rows predicted as class k."""
        return self._share(self.predicted == k)

    def spent(self, k: int, cost: FloatArray) -> Term:
        """Return the mean over all rows of the costs of those of class k."""
        return mean(np.where(self.truth == k, cost[k, self.predicted], 0.0), self.weights)

    @property
    def present(self) -> list[int]:
        """The classes that occur among the truth."""
        return [int(k) for k in np.unique(self.truth[self.weights > 0])]

    @property
    def seen(self) -> list[int]:
        """The classes that occur among truth or predictions."""
        there = self.weights > 0
        return [int(k) for k in np.union1d(self.truth[there], self.predicted[there])]

    def sum(self, parts: Iterable[Term]) -> Term:
        """Return the sum of terms."""
        return reduce(add, parts)

    def constant(self, value: float) -> Term:
        """Return a value whose influence values are unknown."""
        return Functional(value, np.full(len(self.weights), np.nan))

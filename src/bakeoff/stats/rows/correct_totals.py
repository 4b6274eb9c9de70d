"""How many rows each model has right, and how many models each row: all that Q and F need."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.correctness_matrix import as_matrix, column_totals, row_total_counts

NULL = "All these fitted models are right equally often on the population the rows come from."


@dataclasses.dataclass(frozen=True)
class CorrectTotals:
    """The sufficient counts of a rows × models table of 0/1 values, in whole numbers.

    Attributes
    ----------
    n, models : int
        Its size.
    columns : tuple of int
        G_j: how many rows model j has right.
    row_totals : ndarray, shape (models + 1,)
        How many rows have 0, 1, ..., M models right.
    """

    n: int
    models: int
    columns: tuple[int, ...]
    row_totals: NDArray[np.int64]

    @property
    def total(self) -> int:
        """Right answers of all models together."""
        return sum(self.columns)

    @property
    def discriminating(self) -> int:
        """Rows on which the models do not all agree."""
        return int(self.row_totals[1 : self.models].sum())

    @property
    def squared_rows(self) -> int:
        """ΣL_i² over the rows."""
        return sum(r * r * int(count) for r, count in enumerate(self.row_totals))

    @property
    def between(self) -> int:
        """M ΣG_j² − T², in whole numbers: how far the columns differ."""
        return self.models * sum(g * g for g in self.columns) - self.total**2

    @property
    def within(self) -> int:
        """M T − ΣL_i²: how far the rows discriminate."""
        return self.models * self.total - self.squared_rows

    @property
    def accuracies(self) -> list[float]:
        """The accuracy of each model."""
        return [g / self.n for g in self.columns]

    @property
    def q(self) -> float:
        """Cochran's Q; 0 where no row discriminates."""
        return (self.models - 1) * self.between / self.within if self.within else 0.0


def correct_totals(correct: ArrayLike, row_counts: ArrayLike | None) -> CorrectTotals:
    """Count what is right in each row and column."""
    matrix, counts = as_matrix(correct, row_counts)
    totals = row_total_counts(matrix, counts)
    columns = tuple(int(g) for g in column_totals(matrix, counts))
    return CorrectTotals(int(totals.sum()), matrix.shape[1], columns, totals)

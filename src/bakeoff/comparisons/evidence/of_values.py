"""Given numbers per row, as evidence of tests."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons.evidence.related import RelatedRows
from bakeoff.stats import Entry

Floats = NDArray[Any]


@dataclasses.dataclass(frozen=True)
class PairedValues(RelatedRows):
    """A number of each model on the same rows, paired by row.

    Attributes
    ----------
    models : tuple of str
        In the experiment's order.
    values : ndarray, shape (n, M)
        The numbers.
    metric : str
        What their mean is called.
    greater_is_better : bool
        What the metric says.
    range : tuple of float
        The least and the greatest number that the metric can have.
    left_out : tuple of str
        What is not in here that might be, and why, a sentence each.
    groups, times : ndarray, shape (n,), or None
        The group or the time of each row, where the data set declares one.
    subgroups : Mapping of str to Categorical
        By column, the subgroup of each row.
    """

    models: tuple[str, ...]
    values: Floats
    left_out: tuple[str, ...] = ()
    groups: NDArray[Any] | None = None
    times: NDArray[Any] | None = None
    subgroups: Mapping[str, pd.Categorical] = dataclasses.field(default_factory=dict)
    metric: str = ""
    greater_is_better: bool = True
    range: tuple[float, float] = (-math.inf, math.inf)

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Cut the numbers of some models."""
        return [self.values[:, m] for m in models]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return rows × models."""
        return [self.values]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return groups and times of the rows."""
        return self.relations(entry)

    def missing(self, models: Sequence[int]) -> str:
        """Return nothing: every model has a number for every row."""
        return ""

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.values)

"""Rows that repeat other rows, found by hashing.

Repeated: equal in every feature. Nearly repeated: equal in every feature but one. Coarse features
repeat by chance; how many pairs would, were the features independent, is told with them.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data import columns
from bakeoff.data.divide import Rows

MOST_CELLS = 50_000_000
"""Beyond it, nearly repeated rows are not looked for: they take one pass for each feature."""

Hashes = NDArray[np.uint64]


@dataclasses.dataclass(frozen=True)
class Repeats:
    """The rows of a table that repeat others.

    Attributes
    ----------
    n : int
        Rows of the table.
    exact : tuple of (rows, labels)
        The rows that equal another one; equal rows have one label.
    near : sequence of (rows, labels), or None
        The same for each feature, which is left out; None where it was not looked for.
    by_chance, near_by_chance : float
        How many pairs one would expect of independent features.
    """

    n: int
    exact: tuple[Rows, Hashes]
    near: list[tuple[Rows, Hashes]] | None
    by_chance: float
    near_by_chance: float

    @property
    def repeated(self) -> int:
        """Rows that equal an earlier one."""
        rows, labels = self.exact
        return len(rows) - len(np.unique(labels))

    @property
    def nearly(self) -> int | None:
        """Rows that equal no other one, but one in every feature but one."""
        if self.near is None:
            return None
        return len(np.setdiff1d(_rows_of(self.near), self.exact[0]))

    def across(self, train: Rows, test: Rows) -> tuple[Rows, Rows]:
        """Return the test rows that equal a training row, and the others that nearly do."""
        side = np.zeros(self.n, dtype=np.int8)
        side[train], side[test] = 1, 2
        seen = _across(self.exact, side)
        nearly = [_across(part, side) for part in self.near or ()]
        return seen, np.setdiff1d(np.concatenate([*nearly, seen[:0]]), seen)


def find_repeats(features: pd.DataFrame) -> Repeats:
    """Find the rows that repeat others.

    Parameters
    ----------
    features : DataFrame
        Numbers, dates and texts, one row per row of the data set.
    """
    n, width = features.shape
    if not width:
        return Repeats(n, _shared(np.arange(n, dtype=np.uint64)), [], 0.0, 0.0)
    hashed = [_hashed(values, place) for place, (_, values) in enumerate(features.items())]
    whole = np.zeros(n, dtype=np.uint64)
    for column in hashed:
        whole += column
    chances = [_log_chance(column) for column in hashed]
    pairs, together = n * (n - 1) / 2, math.fsum(chances)
    near: list[tuple[Rows, Hashes]] | None = None if n * width > MOST_CELLS else []
    if near is not None and width > 1:
        near += [found for column in hashed if len((found := _shared(whole - column))[0])]
    return Repeats(
        n,
        _shared(whole),
        near,
        pairs * math.exp(together),
        pairs * math.fsum(math.exp(together - own) for own in chances),
    )


def _hashed(values: columns.Series, place: int) -> Hashes:
    """Hash a column; the same value in another column has another hash, unrelated to it."""
    if pd.api.types.is_numeric_dtype(values.dtype):
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0  # no -0.0
        values = pd.Series(numbers)
    found: Hashes = np.asarray(pd.util.hash_pandas_object(values, index=False), np.uint64)
    # sums of hashes stand for rows, so that they must not be linear in the place (splitmix64)
    own: Hashes = np.array([(place + 1) * 0x9E3779B97F4A7C15 % 2**64], dtype=np.uint64)
    found = np.add(found, own)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        found = np.multiply(found ^ (found >> np.uint64(shift)), np.uint64(factor))
    mixed: Hashes = np.bitwise_xor(found, found >> np.uint64(31))
    return mixed


def _log_chance(column: Hashes) -> float:
    """Return the log probability that two rows drawn with replacement have the same value."""
    shares = np.unique(column, return_counts=True)[1] / len(column)
    return math.log(float(np.square(shares).sum()))


def _shared(hashes: Hashes) -> tuple[Rows, Hashes]:
    """Return the rows whose hash is not the only one, and their hashes."""
    ordered = np.sort(hashes)  # a tenth of the time that a table of hashes takes
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    rows = np.flatnonzero(np.isin(hashes, twice)) if len(twice) else np.array([], dtype=np.intp)
    return rows, hashes[rows]


def _rows_of(parts: list[tuple[Rows, Hashes]]) -> Rows:
    return np.unique(np.concatenate([rows for rows, _ in parts])) if parts else np.array([], int)


def _across(part: tuple[Rows, Hashes], side: NDArray[np.int8]) -> Rows:
    """Return the rows of side 2 that share their label with a row of side 1."""
    rows, labels = part
    held, known = side[rows] == 2, side[rows] == 1
    found: Rows = rows[held][np.isin(labels[held], labels[known])]
    return found

"""Duplicated and nearly duplicated rows, found by hashing.

Repeated: equal in every feature. Nearly repeated: equal in every feature but one. Coarse features
repeat by chance; how many pairs would, were the features independent, is told with them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data import columns
from bakeoff.data.divide import Rows

MOST_CELLS = 50_000_000
"""Beyond it, nearly repeated rows are not looked for: they take one pass for each feature."""
_TOGETHER = 1 << 16
"""Rows that are hashed at once: what it takes on the way stays in the processor's cache."""

Hashes = NDArray[np.uint64]


@dataclasses.dataclass(frozen=True)
class Repeats:
    """The rows of a table that repeat others."""

    n: int
    exact: tuple[Rows, Hashes]
    near: list[tuple[Rows, Hashes]] | None

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
        rows = [self.exact[0][:0], *(rows for rows, _ in self.near)]
        return len(np.setdiff1d(np.concatenate(rows), self.exact[0]))

    def across(self, train: Rows, test: Rows) -> tuple[Rows, Rows]:
        """Return the test rows that equal a training row, and the others that nearly do."""
        side = np.zeros(self.n, dtype=np.int8)
        side[train], side[test] = 1, 2
        seen = _across(self.exact, side)
        nearly = [_across(part, side) for part in self.near or ()]
        return seen, np.setdiff1d(np.concatenate([*nearly, seen[:0]]), seen)


def find_repeats(features: pd.DataFrame) -> Repeats:
    """Find the rows that repeat others."""
    n, width = features.shape
    whole = np.zeros(n, dtype=np.uint64) if width else np.arange(n, dtype=np.uint64)
    for column in _hashes(features):
        whole += column
    near: list[tuple[Rows, Hashes]] | None = None if n * width > MOST_CELLS else []
    if near is not None and width > 1:
        # hashed again, for to keep the hashes would take as much memory as the table
        found = (_shared(np.subtract(whole, column, out=column)) for column in _hashes(features))
        near += [part for part in found if len(part[0])]
    return Repeats(n, _shared(whole), near)


def pairs_by_chance(features: pd.DataFrame) -> tuple[float, float]:
    """Return how many pairs of repeated and of nearly repeated rows independent features make."""
    n = len(features)
    chances = [_log_chance(column) for column in _hashes(features)]
    if not chances:
        return 0.0, 0.0
    pairs, together = n * (n - 1) / 2, math.fsum(chances)
    nearly = math.fsum(math.exp(together - own) for own in chances)
    return pairs * math.exp(together), pairs * nearly


def _hashes(features: pd.DataFrame) -> Iterator[Hashes]:
    """Hash one column at a time, so that no two are in memory at once."""
    for place, (_, values) in enumerate(features.items()):
        yield _hashed(values, place)


def _hashed(values: columns.Series, place: int) -> Hashes:
    """Hash a column; the same value in another column has another hash, unrelated to it."""
    found = np.empty(len(values), dtype=np.uint64)
    for start in range(0, len(values), _TOGETHER):
        rows = slice(start, start + _TOGETHER)
        found[rows] = _hashes_of(values.iloc[rows], place)
    return found


def _hashes_of(values: columns.Series, place: int) -> Hashes:
    if pd.api.types.is_numeric_dtype(values.dtype):
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0  # no -0.0
        found = _mix(numbers.view(np.uint64))
    else:
        found = np.array(pd.util.hash_pandas_object(values, index=False), np.uint64)
    # sums of hashes stand for rows, so that they must not be linear in the place
    found += np.uint64((place + 1) * 0x9E3779B97F4A7C15 % 2**64)
    return _mix(found)


def _mix(bits: Hashes) -> Hashes:
    """Mix the bits of each number where it stands (splitmix64)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    return bits


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


def _across(part: tuple[Rows, Hashes], side: NDArray[np.int8]) -> Rows:
    """Return the rows of side 2 that share their label with a row of side 1."""
    rows, labels = part
    held, known = side[rows] == 2, side[rows] == 1
    found: Rows = rows[held][np.isin(labels[held], labels[known])]
    return found

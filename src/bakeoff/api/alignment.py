"""Arrays, Series and frames of one row each: brought together by their index, or by position."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa

from bakeoff.errors import UserError, some
from bakeoff.sources.common.identifiers import series_of, to_frame, with_own_types

Rows: TypeAlias = "pd.Series[Any] | pd.DataFrame"

_BY_POSITION = "pass `.to_numpy()` of both to pair them by position"


@dataclasses.dataclass(frozen=True)
class _Part:
    """One argument: its rows, and whether it has an index that identifies them."""

    what: str
    rows: Rows
    indexed: bool

    @property
    def counted(self) -> bool:
        """Whether its index merely counts the rows, as pandas does where none is given."""
        return isinstance(self.rows.index, pd.RangeIndex) and self.rows.index.equals(
            pd.RangeIndex(len(self.rows))
        )


def aligned(arguments: Mapping[str, Any]) -> dict[str, Rows]:
    """Bring arguments with one row each into one order."""
    parts = [_part(what, given) for what, given in arguments.items()]
    first = parts[0]
    if not len(first.rows):
        raise UserError(f"{first.what}: found no rows, expected a value for each row")
    for part in parts:
        if len(part.rows) != len(first.rows):
            raise UserError(
                f"{part.what}: found {len(part.rows):,} rows, {first.what} has {len(first.rows):,}"
            )
    indexed = [part for part in parts if part.indexed]
    order = indexed[0].rows.index if indexed else first.rows.index
    moved = [part for part in indexed if not part.rows.index.equals(order)]
    for part in moved:
        _check(part, indexed[0])
    if moved and len(indexed) < len(parts):
        bare = next(part for part in parts if not part.indexed)
        raise UserError(
            f"{bare.what}: it has no index, and {moved[0].what} is in another order than "
            f"{indexed[0].what}: give it the index of its rows, or bring all into one order"
        )
    found = {p.what: p.rows.reindex(order) if p in moved else p.rows for p in parts}
    return {what: rows.reset_index(drop=True) for what, rows in found.items()}


def by_name(what: str, given: Any, expected: str) -> Mapping[Any, Any] | pd.DataFrame:
    """Return a mapping, or a frame of any library as one of pandas."""
    found = as_pandas(given)
    if not isinstance(found, Mapping | pd.DataFrame):
        raise UserError(f"{what}: found {type(found).__name__}, expected {expected}")
    return found


def as_pandas(given: Any) -> Any:
    """Return a frame or a column of any library as one of pandas, all else as it is."""
    if isinstance(given, pa.Table):
        given = to_frame(given)
    elif hasattr(given, "to_pandas"):
        given = given.to_pandas()
    if isinstance(given, pd.Series):
        own = with_own_types(given.to_frame("")).iloc[:, 0]
        own.name = given.name
        return own
    return with_own_types(given) if isinstance(given, pd.DataFrame) else given


def one_column(what: str, rows: Rows) -> pd.Series[Any]:
    """Take the only column."""
    if isinstance(rows, pd.Series):
        return rows
    if rows.shape[1] != 1:
        raise UserError(f"{what}: found {rows.shape[1]} columns, expected one value for each row")
    return rows.iloc[:, 0]


def _part(what: str, given: Any) -> _Part:
    if isinstance(given, pd.api.extensions.ExtensionArray):
        return _Part(what, as_pandas(pd.Series(given)), indexed=False)
    if isinstance(given, pd.Series | pd.DataFrame) or hasattr(given, "to_pandas"):
        own = isinstance(given, pd.Series | pd.DataFrame)  # others have no index
        return _Part(what, as_pandas(given), indexed=own)
    values = _array(what, given)
    made = pd.DataFrame(values) if values.ndim == 2 else series_of(values, given)
    return _Part(what, made, indexed=False)


def _array(what: str, given: Any) -> np.ndarray[Any, Any]:
    if hasattr(given, "predict"):
        raise UserError(
            f"{what}: found the estimator {type(given).__name__}, expected its predictions: pass "
            "`model.predict(X_test)`; or compare learning algorithms with `bakeoff.compare_folds("
            "{name: cross_validate(model, X, y, cv=cv), …}, cv=cv)`"
        )
    try:
        values = np.asarray(given)
        if values.dtype.kind == "U" and not isinstance(given, np.ndarray):
            values = np.asarray(given, dtype=object)  # a missing value among texts is no text
    except ValueError:  # lists of different lengths
        values = np.array(None)
    if values.ndim not in (1, 2):
        raise UserError(f"{what}: found {type(given).__name__}, expected one value for each row")
    return values


def _check(part: _Part, first: _Part) -> None:
    """Refuse an index with other rows, or one from which the pairing of rows is ambiguous."""
    one, other = first.rows.index, part.rows.index
    for what, index in ((first.what, one), (part.what, other)):
        if index.has_duplicates:
            twice = index[index.duplicated()].unique()
            raise UserError(
                f"{what}: its index has rows twice ({some(twice)}) and another order than the "
                f"others: make it unique, or {_BY_POSITION}"
            )
    lacking, strange = one.difference(other, sort=False), other.difference(one, sort=False)
    if len(lacking):
        raise UserError(
            f"{part.what}: its index is another one than that of {first.what}: {len(lacking):,} "
            f"of {len(one):,} rows are not in it ({some(lacking)}), it has others "
            f"({some(strange)}); {_BY_POSITION}"
        )
    if part.counted != first.counted:
        counted, named = (part, first) if part.counted else (first, part)
        raise UserError(
            f"{counted.what}: its index counts its rows, that of {named.what} has the same numbers "
            f"in another order: which belong together? {_BY_POSITION}, or give {counted.what} the "
            "index of its rows"
        )

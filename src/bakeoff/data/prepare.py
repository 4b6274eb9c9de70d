"""Preparation of a source's rows and columns before any split."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from bakeoff.data import columns
from bakeoff.errors import Place, Problem, UserError, shown, unknown
from bakeoff.keys import name_of
from bakeoff.sources import DataSet, Filter
from bakeoff.sources.common.identifiers import identifiers, names
from bakeoff.sources.common.tables import TableKeys

# of the C library: NumPy's logarithms and exponentials differ between processors
_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "log": lambda x: special.boxcox(x, 0.0),
    "log1p": special.log1p,
    "exp": lambda x: special.inv_boxcox(x, 0.0),
    "sqrt": np.sqrt,
    "abs": np.abs,
    "square": np.square,
}
_IF_NAMES = (
    "; NA, None and the like are read as missing values: if a class has such a name, list the "
    "texts that stand for a missing value under `missing_values:`"
)
_LIMITS: Mapping[str, Callable[[Any, Any], Any]] = {
    "min": lambda values, limit: values >= limit,
    "max": lambda values, limit: values <= limit,
    "above": lambda values, limit: values > limit,
    "below": lambda values, limit: values < limit,
}


def dated(frame: pd.DataFrame, spec: DataSet, place: Place) -> pd.DataFrame:
    """Read the columns of dates that are written in another way than 2024-05-31."""
    new = frame if not spec.dates else frame.copy(deep=False)
    for name, form in spec.dates.items():
        at = (*place, "dates", name)
        values = column(frame, name, at)
        try:
            found = pd.to_datetime(values.astype("str").where(values.notna()), format=form)
        except ValueError as error:
            said = " ".join(str(error).partition(". You might")[0].split())
            raise Problem(at, f"no dates like {form!r}: {said}") from None
        new[name] = columns.plain(found)
    return new


def filtered(frame: pd.DataFrame, spec: DataSet, place: Place) -> pd.DataFrame:
    """Keep the rows that pass every filter."""
    for i, one in enumerate(spec.filter):
        at = (*place, "filter", i)
        values = column(frame, one.column, (*at, "column"))
        try:
            passing = _passing(values, one)
        except Problem as problem:
            raise problem.inside(at) from None
        if not passing.any():
            raise Problem(at, f"none of {len(frame)} rows passes this filter")
        frame = frame[passing]
    return frame


def _passing(values: columns.Series, one: Filter) -> Any:
    passing = pd.Series(True, index=values.index)
    if one.missing == "drop":
        passing &= values.notna()
    for key, limit in ((key, getattr(one, key)) for key in _LIMITS):
        if limit is not None:
            passing &= _within(values, key, limit, one.column)
    for key, wanted in (("keep", one.keep), ("drop", one.drop)):
        if wanted is None:
            continue
        texts = names(values)
        try:
            columns.check_values(wanted, texts.dropna().unique(), f"value in {one.column!r}:")
        except UserError as error:
            raise Problem((key,), str(error)) from None
        is_one = texts.isin([name_of(value) for value in wanted])
        passing &= is_one if key == "keep" else ~is_one
    return passing


def _within(values: columns.Series, key: str, limit: Any, name: str) -> Any:
    """Compare with a limit; a missing value is never within."""
    try:
        comparable = columns.ordered(values)
    except UserError as error:
        raise Problem(("column",), f"column {name!r} {error}") from None
    if pd.api.types.is_datetime64_any_dtype(comparable.dtype):
        try:
            limit = pd.to_datetime(str(limit), format="ISO8601", utc=True).tz_localize(None)
        except ValueError:
            raise Problem(
                (key,), f"found {shown(limit)}, expected a date like 2024-05-31"
            ) from None
    elif isinstance(limit, str):
        raise Problem((key,), f"found the text {limit!r}, column {name!r} holds numbers")
    return _LIMITS[key](comparable, limit)


def derived(frame: pd.DataFrame, spec: DataSet, place: Place) -> pd.DataFrame:
    """Add the derived columns; a derived column may build on an earlier one."""
    new = frame.copy(deep=False)
    for name, formula in spec.derive.items():
        at = (*place, "derive", name)
        function, source = _parse_formula(formula, at)
        values = column(new, source, at)
        if not pd.api.types.is_numeric_dtype(values):
            raise Problem(at, f"column {source!r} is not numeric (it holds {values.dtype})")
        with np.errstate(all="ignore"):
            computed = _FUNCTIONS[function](values.astype("float64"))
        undefined = ~np.isfinite(computed) & values.notna()
        if undefined.any():
            row = int(np.flatnonzero(undefined)[0])
            raise Problem(
                at,
                f"{formula} is undefined in {int(undefined.sum())} row(s), first in row "
                f"{values.index[row] + 1} where {source} = {values.iloc[row]!r}",
            )
        new[name] = computed
    return new


def _parse_formula(formula: str, at: Place) -> tuple[str, str]:
    # the name of a column may hold anything, brackets too
    call = re.fullmatch(r"\s*(\w+)\s*\(\s*(.+?)\s*\)\s*", formula)
    if call is None:
        raise Problem(at, f"found {shown(formula)}, expected function(column), e.g. log(income)")
    if call[1] not in _FUNCTIONS:
        raise Problem(at, unknown("function", call[1], _FUNCTIONS))
    return call[1], call[2]


def labelled(
    frame: pd.DataFrame, target: str, spec: DataSet, place: Place
) -> tuple[pd.DataFrame, int]:
    """Leave out the rows without a label, or refuse them; return how many there were."""
    missing = frame[target].isna()
    count = int(missing.sum())
    if count == len(frame):
        raise Problem((*place, "target"), f"every value of {target!r} is missing: nothing to learn")
    if count and spec.missing_target == "error":
        raise Problem(
            (*place, "target"),
            f"{count} of {len(frame)} rows have no value in {target!r} (first in row "
            f"{int(frame.index[missing][0]) + 1}); set `missing_target: drop` to leave them out"
            + (_IF_NAMES if isinstance(spec, TableKeys) and spec.missing_values is None else ""),
        )
    return (frame[~missing] if count else frame), count


def column(frame: pd.DataFrame, name: str, at: Place) -> columns.Series:
    """Return a column, or say which there are."""
    if name not in frame.columns:
        raise Problem(at, unknown("column", name, frame.columns))
    return frame[name]


def complete(frame: pd.DataFrame, name: str, at: Place) -> columns.Series:
    """Return a column in which no value may be missing."""
    values = column(frame, name, at)
    missing = values.isna()
    if missing.any():
        raise Problem(
            at,
            f"{int(missing.sum())} of {len(frame)} rows have no value in {name!r} (first in row "
            f"{int(frame.index[missing][0]) + 1}): leave them out with `filter: [{{column: "
            f"{name}, missing: drop}}]`",
        )
    return values


def identifying(frame: pd.DataFrame, name: str, at: Place) -> columns.Series:
    """Return a column that tells rows or groups apart, as texts."""
    try:
        return identifiers(column(frame, name, at))
    except UserError as error:
        raise Problem(at, f"column {name!r} {error}") from None


def row_ids(frame: pd.DataFrame, spec: DataSet, place: Place) -> Any:
    """Return unique ids: those of a column, or the rows' numbers in the source."""
    if spec.id is None:
        return frame.index.to_numpy(dtype=np.int64) + 1
    ids = column(frame, spec.id, (*place, "id"))
    if ids.isna().any():
        raise Problem(
            (*place, "id"), f"{int(ids.isna().sum())} of {len(ids)} rows have no id in {spec.id!r}"
        )
    whole = pd.api.types.is_integer_dtype(ids.dtype)
    ids = columns.plain(ids) if whole else identifying(frame, spec.id, (*place, "id"))
    if ids.duplicated().any():
        first = str(ids[ids.duplicated()].iloc[0])
        raise Problem((*place, "id"), f"ids must be unique: {first!r} appears twice")
    return ids.to_numpy()


def weights(frame: pd.DataFrame, name: str, place: Place) -> columns.Series:
    """Return the sample weights: numbers from 0, not all 0."""
    at = (*place, "weights")
    values = complete(frame, name, at)
    if not pd.api.types.is_numeric_dtype(values.dtype):
        raise Problem(at, f"column {name!r} is not numeric (it holds {values.dtype})")
    weights = values.astype("float64")
    if not np.isfinite(weights).all() or (weights < 0).any() or not (weights > 0).any():
        raise Problem(at, f"column {name!r} has weights that are negative, infinite or all 0")
    return weights


def time(frame: pd.DataFrame, name: str, place: Place) -> columns.Series:
    """Return the column that orders the rows."""
    at = (*place, "time")
    try:
        return columns.ordered(complete(frame, name, at))
    except Problem:
        raise
    except UserError as error:
        raise Problem(at, f"column {name!r} {error}") from None


def features(
    frame: pd.DataFrame, kept_apart: set[str], spec: DataSet, place: Place
) -> pd.DataFrame:
    """Return the columns to learn from, in plain types."""
    listed = spec.features or []
    for key, wanted in (("features", listed), ("drop", spec.drop)):
        for i, name in enumerate(wanted):
            column(frame, name, (*place, key, i))
    left_out = set(spec.drop) | (kept_apart - set(listed))
    chosen = [name for name in listed or list(frame.columns) if name not in left_out]
    if not chosen:
        raise Problem(place, "no feature is left to learn from")
    made: dict[str, columns.Series] = {}
    for name in chosen:
        if name.startswith("Unnamed: ") and not listed:
            raise Problem(
                place,
                f"a column has no name in the first line and is called {name!r}; if it counts the "
                f'rows, set `id: "{name}"` or `drop: ["{name}"]`',
            )
        try:
            made[name] = columns.plain(frame[name])
        except UserError as error:
            raise Problem(
                place, f"column {name!r} {error}: leave it out with `drop` or mend it"
            ) from None
    return pd.DataFrame(made, index=frame.index, copy=False)

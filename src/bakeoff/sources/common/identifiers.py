"""Columns that identify rows or groups: whole numbers of any size, and texts, without rounding.

A float holds whole numbers up to 2⁵³ only, and pandas makes floats of whole numbers where one of
them is missing. Each reader of tables passes through this module, so that none does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pandas.api import types

from bakeoff.errors import UserError

Series: TypeAlias = "pd.Series[Any]"
_EXACT = 2.0**53
"""From here on a float stands for several whole numbers."""
_WHOLE = re.compile(r"\s*[+-]?\d+\s*")
_ARROW = re.compile(rb'"numpy_type": "[^"]*\[pyarrow\]"')
_NULLABLE = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}


def identifiers(values: Series) -> Series:
    """Return what identifies rows or groups, as texts; missing values stay missing."""
    inexact = values[_beyond(values)]
    if len(inexact):
        raise UserError(
            f"holds floating-point numbers up to {inexact.abs().max():.17g}, which do not tell "
            "neighbouring whole numbers apart (from 2^53 on): store them as whole numbers or as "
            "texts"
        )
    return names(values)


def names(values: Series) -> Series:
    """Format values for display: ``2`` for 2.0, ``True``, texts unchanged."""
    values = without_categories(values)
    present = values.dropna()
    if types.is_float_dtype(present.dtype):
        numbers = present.to_numpy(np.float64)  # Arrow's types have no remainders
        if ((numbers % 1 == 0) & (np.abs(numbers) < _EXACT)).all():
            present = present.astype("int64")
    # equal values of these may have different names: 1 and True, 0.0 and -0.0
    if types.is_object_dtype(present.dtype) or types.is_float_dtype(present.dtype):
        texts = present.map(text_of).astype(object)
    else:
        codes, distinct = pd.factorize(present)
        named = np.array([text_of(value) for value in distinct], dtype=object)
        texts = pd.Series(named[codes], index=present.index, name=present.name)
    return texts.reindex(values.index)


def without_categories(values: Series) -> Series:
    """Return the values of categories themselves."""
    if not isinstance(values.dtype, pd.CategoricalDtype):
        return values
    codes, categories = values.cat.codes, pd.Series(np.asarray(values.cat.categories))
    if types.is_integer_dtype(categories.dtype) and (codes < 0).any():
        categories = categories.convert_dtypes()  # a missing value would make floats of them
    return categories.reindex(codes).set_axis(values.index)


def text_of(value: Any) -> str:
    """Write a value as a text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def exact(
    frame: pd.DataFrame, given: Callable[[list[Any]], Any], missing: Sequence[str] = ()
) -> pd.DataFrame:
    """Put whole numbers in place of the floats that a reader made of them, where these differ."""
    lost = [
        name
        for name, values in frame.items()
        if _beyond(values).any()
        or (missing and types.is_string_dtype(values.dtype) and values.isin(missing).any())
    ]
    if not lost or not frame.columns.is_unique:  # which are refused
        return frame
    frame = frame.copy(deep=False)
    for name, values in given(lost).items():
        whole = whole_numbers(values)
        if whole is not None:
            frame[name] = whole.set_axis(frame.index)
    return frame


def whole_numbers(values: Iterable[Any]) -> Series | None:
    """Return texts or numbers as whole numbers, None where one of them is none."""
    integers: list[int | None] = []
    for value in values:
        if value is None or value is pd.NA or value != value:
            integers.append(None)
        elif _is_whole(value):
            integers.append(int(value))
        else:
            return None
    present = [value for value in integers if value is not None]
    low, high = min(present, default=0), max(present, default=0)
    for kind in ("Int64", "UInt64"):
        limits = np.iinfo(kind.lower())
        if limits.min <= low and high <= limits.max:
            lacking = len(present) < len(integers)
            return pd.Series(integers, dtype=kind if lacking else kind.lower())
    return pd.Series(integers, dtype=object)


def frame_of(rows: Sequence[Any]) -> pd.DataFrame:
    """Make a frame of rows that map columns to Python's values."""
    return exact(pd.DataFrame(rows), lambda lost: pd.DataFrame(rows, dtype=object)[lost])


def series_of(array: Any, given: Any) -> Series:
    """Make a column of an array, or of its list, that NumPy made of what was given."""
    return exact(pd.Series(array).to_frame(0), lambda lost: {0: given})[0].rename(None)


def with_own_types(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose columns have types of pandas and NumPy: none of Arrow, none sparse."""
    columns = ((name, _own_type(one)) for name, one in frame.items())
    changed = {name: one for name, one in columns if one is not None}
    if not changed or not frame.columns.is_unique:  # where two have one name, which is refused
        return frame
    frame = frame.copy(deep=False)
    for name, values in changed.items():  # which may be a number, as of a sparse matrix
        frame[name] = values
    return frame


def _own_type(values: Series) -> Series | None:
    """Return a column in a type of pandas or NumPy, None if it has one; missing values stay."""
    dtype = values.dtype
    if isinstance(dtype, pd.SparseDtype):
        return pd.Series(np.asarray(values), values.index)
    if isinstance(dtype, pd.CategoricalDtype):  # such as the intervals of `pandas.cut`
        kinds = ("string", "integer", "floating", "boolean")
        is_kept = dtype.categories.inferred_type in kinds
        if is_kept and _own_type(dtype.categories.to_series()) is None:
            return None
        return values.cat.rename_categories([text_of(one) for one in dtype.categories])
    if not isinstance(dtype, pd.ArrowDtype):
        return None
    column = pa.table({"": pa.array(values, from_pandas=True)})
    return to_frame(column)[""].set_axis(values.index)


def to_frame(table: pa.Table, **options: Any) -> pd.DataFrame:
    """Return a table of Arrow as a frame; `options` are those of its `to_pandas`."""
    metadata = table.schema.metadata or {}
    if b"[pyarrow]" in metadata.get(b"pandas", b""):  # written from a frame of Arrow's types
        plain = _ARROW.sub(b'"numpy_type": "object"', metadata[b"pandas"])
        table = table.replace_schema_metadata({**metadata, b"pandas": plain})
    lacking = []
    for place, (field, column) in enumerate(zip(table.schema, table.columns, strict=True)):
        if field.type in _NULLABLE and column.null_count:
            ends: Any = pc.min_max(column).as_py()
            large = ends["min"] is not None and max(-ends["min"], ends["max"]) >= _EXACT
            lacking += [place] if large else []
    kept = table.select(lacking).to_pandas(types_mapper=_NULLABLE.get)
    return exact(table.to_pandas(**options), lambda lost: {c: kept[c] for c in lost if c in kept})


def arrow_column(values: Series) -> Any:
    """Return a column of Arrow: of texts, where numbers are among texts, or beyond 64 bits."""
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, OverflowError):
        return pa.array(names(values), from_pandas=True)


def stacked(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put tables of the same columns below one another."""
    columns = parts[0].columns
    both = pd.concat([part[columns] for part in parts], ignore_index=True)
    return exact(both, lambda lost: {c: (v for part in parts for v in part[c]) for c in lost})


def _beyond(values: Series) -> NDArray[np.bool_]:
    """Tell which values are floats that stand for several whole numbers."""
    if types.is_float_dtype(values.dtype):
        numbers = values.to_numpy(na_value=np.nan)
        return np.asarray(np.abs(numbers) >= 2.0 ** (np.finfo(numbers.dtype).nmant + 1))
    if types.is_object_dtype(values.dtype):
        return np.array([isinstance(v, float) and abs(v) >= _EXACT for v in values], dtype=bool)
    return np.zeros(len(values), dtype=bool)


def _is_whole(value: Any) -> bool:
    """Tell whether a text or a number is one whole number, and no float of several."""
    if isinstance(value, str):
        return _WHOLE.fullmatch(value) is not None
    if isinstance(value, float | np.floating):
        return value.is_integer() and abs(float(value)) < _EXACT
    if isinstance(value, Decimal):
        return value == value.to_integral_value()
    return isinstance(value, int | np.integer)

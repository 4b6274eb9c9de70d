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
_PLAIN_CATEGORIES = ("string", "integer", "floating", "boolean")


# --- names of values


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
        is_whole = (numbers % 1 == 0) & (np.abs(numbers) < _EXACT)
        if is_whole.all():
            present = present.astype("int64")
    # equal values of these may have different names: 1 and True, 0.0 and -0.0
    if types.is_object_dtype(present.dtype) or types.is_float_dtype(present.dtype):
        texts = present.map(text_of).astype(object)
    else:
        codes, distinct = pd.factorize(present)
        distinct_texts = np.array(list(map(text_of, distinct)), dtype=object)
        texts = pd.Series(distinct_texts[codes], index=present.index, name=present.name)
    return texts.reindex(values.index)


def without_categories(values: Series) -> Series:
    """Return the values of categories themselves."""
    if not isinstance(values.dtype, pd.CategoricalDtype):
        return values
    codes = values.cat.codes
    categories = pd.Series(np.asarray(values.cat.categories))
    if types.is_integer_dtype(categories.dtype) and (codes < 0).any():
        categories = categories.convert_dtypes()  # a missing value would make floats of them
    return categories.reindex(codes).set_axis(values.index)


def text_of(value: Any) -> str:
    """Write a value as a text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


# --- whole numbers in place of floats


def exact(
    frame: pd.DataFrame,
    as_given: Callable[[list[Any]], Any],
    missing: Sequence[str] = (),
) -> pd.DataFrame:
    """Put whole numbers in place of the floats that a reader made of them, where these differ."""
    # `as_given` returns columns as they were before the reader made floats of them
    lost = []
    for name, values in frame.items():
        # a reader may have rounded whole numbers, or made texts of them
        has_marks = bool(missing) and types.is_string_dtype(values.dtype)
        if _beyond(values).any() or (has_marks and values.isin(missing).any()):
            lost.append(name)
    if not lost or not frame.columns.is_unique:  # which are refused
        return frame
    frame = frame.copy(deep=False)
    for name, values in as_given(lost).items():
        whole = whole_numbers(values)
        if whole is not None:
            frame[name] = whole.set_axis(frame.index)
    return frame


def whole_numbers(values: Iterable[Any]) -> Series | None:
    """Return texts or numbers as whole numbers, None where one of them is none."""
    integers: list[int | None] = []
    lowest = 0
    highest = 0
    for value in values:
        if value is None or value is pd.NA or value != value:
            integers.append(None)
        elif _is_whole(value):
            integer = int(value)
            integers.append(integer)
            lowest = min(lowest, integer)
            highest = max(highest, integer)
        else:
            return None
    for kind in ("Int64", "UInt64"):
        limits = np.iinfo(kind.lower())
        if limits.min <= lowest and highest <= limits.max:
            if None not in integers:
                kind = kind.lower()  # without missing values a type of NumPy does
            return pd.Series(integers, dtype=kind)
    return pd.Series(integers, dtype=object)


def _is_whole(value: Any) -> bool:
    """Tell whether a text or a number is one whole number, and no float of several."""
    if isinstance(value, str):
        return _WHOLE.fullmatch(value) is not None
    if isinstance(value, float | np.floating):
        return value.is_integer() and abs(float(value)) < _EXACT
    if isinstance(value, Decimal):
        return value == value.to_integral_value()
    return isinstance(value, int | np.integer)


def _beyond(values: Series) -> NDArray[np.bool_]:
    """Tell which values are floats that stand for several whole numbers."""
    if types.is_float_dtype(values.dtype):
        numbers = values.to_numpy(na_value=np.nan)
        # binary digits: 53 of doubles, 24 of single precision
        n_digits = np.finfo(numbers.dtype).nmant + 1
        return np.asarray(np.abs(numbers) >= 2.0**n_digits)
    if types.is_object_dtype(values.dtype):
        inexact = np.zeros(len(values), dtype=bool)
        for place, value in enumerate(values):
            inexact[place] = isinstance(value, float) and abs(value) >= _EXACT
        return inexact
    return np.zeros(len(values), dtype=bool)


def frame_of(rows: Sequence[Any]) -> pd.DataFrame:
    """Make a frame of rows that map columns to Python's values."""
    return exact(pd.DataFrame(rows), lambda lost: pd.DataFrame(rows, dtype=object)[lost])


def series_of(array: Any, values: Any) -> Series:
    """Make a column of an array, or of its list, that NumPy made of some values."""
    column = pd.Series(array).to_frame(0)
    return exact(column, lambda lost: {0: values})[0].rename(None)


def stacked(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put tables of the same columns below one another."""
    columns = parts[0].columns
    below_another = pd.concat([part[columns] for part in parts], ignore_index=True)

    def values_of(column: Any) -> Iterable[Any]:
        for part in parts:
            yield from part[column]

    return exact(below_another, lambda lost: {column: values_of(column) for column in lost})


# --- types of pandas and of Arrow


def with_own_types(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose columns have types of pandas and NumPy: none of Arrow, none sparse."""
    changed = {}
    for name, values in frame.items():
        own = _own_type(values)
        if own is not None:
            changed[name] = own
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
        is_plain = dtype.categories.inferred_type in _PLAIN_CATEGORIES
        if is_plain and _own_type(dtype.categories.to_series()) is None:
            return None
        return values.cat.rename_categories(list(map(text_of, dtype.categories)))
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
    # pandas makes floats of whole numbers with missing ones among them
    inexact = []
    for place, column in enumerate(table.columns):
        if column.type not in _NULLABLE or not column.null_count:
            continue
        ends: Any = pc.min_max(column).as_py()
        if ends["min"] is not None and max(-ends["min"], ends["max"]) >= _EXACT:
            inexact.append(place)
    kept = table.select(inexact).to_pandas(types_mapper=_NULLABLE.get)
    frame = table.to_pandas(**options)
    return exact(frame, lambda lost: {name: kept[name] for name in lost if name in kept})


def arrow_column(values: Series) -> Any:
    """Return a column of Arrow: of texts, where numbers are among texts, or beyond 64 bits."""
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, OverflowError):
        return pa.array(names(values), from_pandas=True)

"""Columns of any type as numbers, dates without a time zone, or texts; missing values stay."""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from bakeoff.errors import Place, Problem, UserError, unknown
from bakeoff.keys import name_of
from bakeoff.sources.common.identifiers import (
    identifiers,
    names,
    text_of,
    without_categories,
)

Series: TypeAlias = "pd.Series[Any]"
LARGEST = 1e100
"""The largest number whose square and the sums of such squares do not overflow."""
_MOST_DIGITS = 18
"""Digits of which every whole number fits into 64 bits."""
_NESTED = (list, tuple, dict, set, np.ndarray)


# --- plain types


def plain(values: Series) -> Series:
    """Return a column as numbers, dates or texts."""
    if isinstance(values.dtype, pd.SparseDtype):
        values = pd.Series(np.asarray(values), index=values.index)
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return names(values)
    if types.is_bool_dtype(dtype):
        if values.isna().any():
            return values.astype("float64")
        return values.astype("int8")
    if types.is_complex_dtype(dtype):
        raise UserError("holds complex numbers")
    if types.is_numeric_dtype(dtype):
        return _plain_numbers(values)
    if types.is_timedelta64_dtype(dtype):
        return cast(Series, values.dt.total_seconds())
    if isinstance(dtype, pd.PeriodDtype):
        return cast(Series, values.dt.to_timestamp())
    if isinstance(dtype, pd.DatetimeTZDtype):
        return cast(Series, values.dt.tz_convert("UTC").dt.tz_localize(None))
    if types.is_object_dtype(dtype):
        return _of_objects(values)
    return values


def _plain_numbers(values: Series) -> Series:
    """Return numbers in a type of NumPy; missing ones make floats of them."""
    if not isinstance(values.dtype, np.dtype):
        kind = None
        if values.isna().any():
            kind = "float64"
        values = pd.Series(values.to_numpy(dtype=kind), index=values.index)
    if types.is_float_dtype(values.dtype):
        return _finite(values)
    return values


def _finite(values: Series) -> Series:
    """Refuse infinite numbers, and those that no float can hold."""
    try:
        infinite = np.isinf(values.to_numpy(np.float64, na_value=np.nan))
    except OverflowError:
        raise UserError("has a whole number beyond the largest float, 1.8e308") from None
    if infinite.any():
        raise UserError(f"is infinite in {infinite.sum()} row(s), first in {infinite.argmax() + 1}")
    return values


def _of_objects(values: Series) -> Series:
    """Find the common kind of a column of Python objects; a mixture becomes texts."""
    present = values.dropna()

    def are(*kinds: type) -> bool:
        return all(isinstance(value, kinds) for value in present)

    if are(str):
        return values
    if are(numbers.Real, decimal.Decimal):
        return _finite(values).astype("float64")
    if are(bytes):
        return values.map(text_of, na_action="ignore")
    if are(datetime.datetime) or are(datetime.date):
        return pd.to_datetime(values, utc=True).dt.tz_localize(None)
    for value in present:
        if isinstance(value, _NESTED):
            raise UserError(f"holds a {type(value).__name__} in each row, not one value")
    return names(values)


def beyond(largest: float) -> str:
    """Name numbers that are too large, and say what to do about them."""
    return (
        f"numbers up to {largest:.3g}; squares of numbers beyond {LARGEST:g} overflow: use "
        "another unit, or leave out the model that diverged"
    )


# --- ids


def canonical_ids(values: Series) -> NDArray[Any]:
    """Return ids as whole numbers where they all are, else as texts."""
    if types.is_integer_dtype(values.dtype) and values.max() <= np.iinfo(np.int64).max:
        return values.to_numpy(dtype=np.int64)
    texts = identifiers(values)
    if all(_is_whole(text) for text in texts) and len(texts):
        return texts.to_numpy().astype(np.int64)
    return texts.to_numpy(dtype=object)


def _is_whole(text: str) -> bool:
    return text.isdecimal() and len(text) <= _MOST_DIGITS and str(int(text)) == text


# --- different values and their order


def distinct(values: Series) -> int:
    """Count the distinct non-missing values."""
    if not types.is_float_dtype(values.dtype) or not isinstance(values.dtype, np.dtype):
        return int(values.nunique())
    in_order = np.sort(values.dropna().to_numpy())  # a tenth of the time of a table of hashes
    if not len(in_order):
        return 0
    return int(np.count_nonzero(in_order[1:] != in_order[:-1])) + 1


def sorted_names(values: Series) -> list[str]:
    """List the different values by name, in the values' own order (2 before 10)."""
    values = without_categories(values)
    different = values.dropna().drop_duplicates()
    try:
        rows = sorted(different.index, key=lambda row: different[row])
    except TypeError:  # numbers among texts
        return sorted(set(names(different)))
    return list(dict.fromkeys(names(different.loc[rows])))


def in_order(present: Collection[str]) -> list[str]:
    """Sort names: numbers by value (2 before 10), others as texts."""
    if all(name.removeprefix("-").isdecimal() for name in present):
        # 07 before 7, in whatever order a set holds them
        return sorted(present, key=lambda name: (int(name), name))
    return sorted(present)


def ordered(values: Series) -> Series:
    """Return a column that can be put in order: numbers, or dates read from texts."""
    column = plain(values)
    if types.is_string_dtype(column.dtype):
        numbers_of_texts = pd.to_numeric(column, errors="coerce")  # of codes like 01
        if (numbers_of_texts.isna() == column.isna()).all():
            column = numbers_of_texts
    if types.is_numeric_dtype(column.dtype) or types.is_datetime64_any_dtype(column.dtype):
        return column
    try:
        return pd.to_datetime(column, format="ISO8601", utc=True).dt.tz_localize(None)
    except (ValueError, TypeError):
        first = column.dropna().iloc[0]
        text = f"holds neither numbers nor dates like 2024-05-31 (found {first!r})"
        raise UserError(text) from None


# --- values that are named


def check_values(
    wanted: Sequence[Any],
    present: Iterable[str],
    what: str,
    at: Place,
) -> None:
    """Refuse values that no row has; numbers may be absent (a code that was never used)."""
    present_names = set(present)
    absent = []
    wrong = []
    for value in wanted:
        if name_of(value) in present_names:
            continue
        absent.append(value)
        if isinstance(value, (str, bool)):
            wrong.append(value)
    if not wrong and len(absent) < len(wanted):
        return
    value = (wrong or absent)[0]
    text = unknown(what, value, present_names)
    if isinstance(value, bool):
        text += f" ({bare_words(value)})"
    raise Problem(at, text)


def bare_words(value: bool) -> str:
    """Explain which unquoted words YAML reads as a truth value."""
    return f"YAML reads bare yes, no, on and off as {str(value).lower()}: put quotes around it"

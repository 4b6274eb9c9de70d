"""Open a table in a file: how its text is laid out is found, where nobody says it.

A text may have other separators, an encoding that a byte order mark tells, lines before the table,
decimal commas and texts of its own for missing values.
"""

from __future__ import annotations

import csv
import re
import statistics
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from pandas.api.types import is_numeric_dtype

from bakeoff.data.describe import LIKE_MISSING
from bakeoff.errors import Place, Problem, UserError
from bakeoff.files import is_file, no_file
from bakeoff.options import can_set, setting
from bakeoff.sources.common import formats
from bakeoff.sources.common.base import TableKeys
from bakeoff.sources.common.formats import MISSING, format_of, opened

PLAIN = TableKeys.model_validate({})
"""How a file is written of which nothing is said."""
_HEAD = 1 << 16
"""Bytes in which lines before a table are looked for."""
_MOST_BEFORE = 50
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""How a text in UTF-16 begins, such as Excel's "Unicode text"."""
_DEFAULT_ENCODINGS = ("utf-8", "utf8")
_OTHER_ENCODING = "cp1252"
"""What a text is taken for that is not UTF-8."""
_SEPARATORS = ",;\t|"
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_GROUPED = re.compile(r"[-+]?\d{1,3}(,\d{3})+")
"""In a file that commas separate such numbers have no decimals, but thousands."""
_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?")
_MISSING = re.compile(f"{LIKE_MISSING.pattern}|unknown|missing")
_USUAL_MISSING = ["NA", "N/A", "NaN", "nan", "null", "None"]
"""Those of the texts for missing values that people use."""


# --- a table of predictions


def read_frame(path: str, place: Place, keys: TableKeys = PLAIN) -> pd.DataFrame:
    """Read a table, whose layout is found where the keys do not say it."""
    if not is_file(path):
        raise Problem(place, no_file(path))
    return frame_of_layout(path, place, laid_out(path, keys))


def column_names(path: str, place: Place, keys: TableKeys) -> list[str]:
    """Return the names of the columns of a table; of a text the first line alone is read."""
    if not is_file(path):
        raise Problem(place, no_file(path))
    layout = laid_out(path, keys)
    if format_of(path, layout) in formats.USUAL_SEPARATORS:
        # reading the whole table says what is wrong with it
        with suppress(UserError, LookupError, UnicodeDecodeError, csv.Error):
            return formats.columns_of_text(path, layout)
    return list(map(str, frame_of_layout(path, place, layout).columns))


def frame_of_layout(path: str, place: Place, layout: TableKeys) -> pd.DataFrame:
    """Read a table whose layout is known but for decimal commas."""
    try:
        frame = formats.read_table(path, layout)
        if format_of(path, layout) not in formats.USUAL_SEPARATORS or not _has_decimal_commas(
            frame, layout
        ):
            return frame
        return formats.read_table(path, layout.model_copy(update={"decimal": ","}))
    except Problem as problem:
        if problem.path != ("encoding",):
            raise Problem(place, problem.message) from None
        advice = "save it as such"  # an experiment has no key for it here
        if can_set("encoding"):
            advice = f"say which it is, like {setting('encoding', 'latin-1')}"
        text = f"{path!r} is not {layout.encoding.upper()} text: {advice}"
        raise Problem(place, text) from None
    except (UserError, pd.errors.ParserError) as error:
        raise Problem(place, str(error)) from None


# --- the layout of a text


class _Beginning(NamedTuple):
    """How a text begins, and in which encoding it is."""

    lines: list[str]
    encoding: str


def laid_out(path: str, keys: TableKeys) -> TableKeys:
    """Find the separator and the encoding of a CSV file, and the lines before its columns."""
    kind = keys.format or Path(path.partition("?")[0]).suffix.lower().removeprefix(".")
    if kind not in formats.USUAL_SEPARATORS:
        return keys
    usual = formats.USUAL_SEPARATORS[kind]
    beginning = _beginning(path, keys.encoding)
    lines = beginning.lines
    sep = keys.sep
    skip = keys.skip
    if not skip:
        # Excel may say in the first line what separates the values
        named = None
        if lines:
            named = _SEPARATOR_LINE.fullmatch(lines[0])
        if named is not None:
            sep = sep or named[1]
            skip = 1
        assumed = sep
        if sep is None and kind == "tsv":
            assumed = usual
        skip += _lines_before(lines[skip:], assumed)
    if sep is None and kind == "csv":
        # the first line that is not empty names the columns
        names = next(filter(str.strip, lines[skip:]), "")
        sep = max(_SEPARATORS, key=names.count)
    if sep == usual:
        sep = None
    found = {
        "encoding": beginning.encoding,
        "skip": skip,
        "sep": sep,
    }
    return keys.model_copy(update=found)


def _beginning(path: str, encoding: str) -> _Beginning:
    """Read the first lines of a text; none of what cannot be opened, or in no known encoding."""
    try:
        with opened(Path(path), path) as file:
            head = file.read(_HEAD)
    except Exception:  # libraries raise anything for a damaged archive; its reader says what it is
        head = b""
    if encoding.lower() in _DEFAULT_ENCODINGS and head.startswith(_UTF_16):
        encoding = "utf-16"
    decoding = encoding
    if encoding.lower() in _DEFAULT_ENCODINGS:
        decoding = "utf-8-sig"
    try:
        lines = head.decode(decoding, "replace").splitlines()[:_MOST_BEFORE]
    except LookupError:
        lines = []
    return _Beginning(lines, encoding)


def _lines_before(lines: list[str], sep: str | None) -> int:
    """Count the lines before the names of the columns: comments, and titles of a single value."""
    if sep is None:
        sep = _separator_in(lines)
    rows = []
    for line in lines:
        rows.append(next(csv.reader([line], delimiter=sep), []))
    # most lines are rows of the table
    widths = [len(row) for row in rows if row]
    width = statistics.mode(widths or [0])
    names_at = _first_of_width(rows, width)
    if names_at == 0:
        return 0
    if any(map(_NUMBER.fullmatch, rows[names_at])):
        # these are no names; they may stand behind a `#` in the line before
        if len(rows[names_at - 1]) == width:
            return names_at - 1
        return 0
    # a title has a single value; more of them are a row that is cut off
    for row in rows[:names_at]:
        if len(row) > 1 and not row[0].startswith("#"):
            return 0
    return names_at


def _first_of_width(rows: list[list[str]], width: int) -> int:
    """Return the place of the first row of some width that is no comment; 0 without one."""
    for place, row in enumerate(rows):
        if len(row) == width > 0 and not row[0].startswith("#"):
            return place
    return 0


def _separator_in(lines: list[str]) -> str:
    """Return the separator that most lines have."""
    counts = dict.fromkeys(_SEPARATORS, 0)
    for line in lines:
        for character in _SEPARATORS:
            counts[character] += character in line
    return max(_SEPARATORS, key=lambda character: counts[character])


# --- how values are written


def _has_decimal_commas(frame: pd.DataFrame, layout: TableKeys) -> bool:
    """Tell whether a column holds nothing but numbers, some of them with decimal commas."""
    for _, values in frame.items():
        if is_numeric_dtype(values.dtype):
            continue
        written = _written(values)
        if not written.others and _have_decimal_commas(written.numbers, layout):
            return True
    return False


class _Written(NamedTuple):
    """The different texts of a column."""

    numbers: list[str]
    others: list[str]


def _written(values: pd.Series[Any]) -> _Written:
    """Tell numbers from other texts, the most frequent first."""
    written = _Written([], [])
    for text in values.dropna().astype(str).str.strip().value_counts().index:
        if _NUMBER.fullmatch(text):
            written.numbers.append(text)
        else:
            written.others.append(text)
    return written


def _have_decimal_commas(numbers: list[str], layout: TableKeys) -> bool:
    """Tell decimal commas from those between thousands."""
    # where commas separate values, numbers with commas stand in quotes: 1,234 is a thousand
    may_group = layout.sep in (None, ",")
    if may_group and any(map(_GROUPED.fullmatch, numbers)):
        return False
    return any(map(_DECIMAL_COMMA.fullmatch, numbers))


# --- everything about a file of which little is said


def guess(path: str, target: str, known: Mapping[str, Any]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read a table, and guess how its file is written where the `given` keys do not say it."""
    if not is_file(path):
        raise UserError(no_file(path))
    frame, keys = _guessed_layout(path, known)
    layout = TableKeys.model_validate(keys)
    if format_of(path, layout) not in formats.USUAL_SEPARATORS:
        return frame, keys
    found = _guessed_values(frame.drop(columns=target, errors="ignore"), layout)
    if "missing_values" in keys:
        found.pop("missing_values", None)
    elif target in frame:
        labels = _labels_like_missing(frame[target], path, layout)
        if labels:
            texts = found.get("missing_values", _USUAL_MISSING)
            found["missing_values"] = [text for text in texts if text not in labels]
    if not found:
        return frame, keys
    keys |= found
    return formats.read_table(path, TableKeys.model_validate(keys)), keys


def _guessed_layout(path: str, known: Mapping[str, Any]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read a table by its separator, its encoding and the lines before it, and return these."""
    keys = dict(known)
    try:
        layout = laid_out(path, TableKeys.model_validate(keys))
        for key in ("sep", "skip"):
            if getattr(layout, key):
                keys[key] = getattr(layout, key)
        if layout.encoding.lower() not in _DEFAULT_ENCODINGS:
            keys["encoding"] = layout.encoding
        return formats.read_table(path, layout), keys
    except Problem as problem:
        if problem.path != ("encoding",) or "encoding" in keys:
            raise
    keys["encoding"] = _OTHER_ENCODING
    return formats.read_table(path, TableKeys.model_validate(keys)), keys


def _guessed_values(frame: pd.DataFrame, layout: TableKeys) -> dict[str, Any]:
    """Find decimal commas, and the texts among numbers that stand for missing values."""
    keys: dict[str, Any] = {}
    markers: dict[str, None] = {}
    for _, values in frame.items():
        if is_numeric_dtype(values.dtype):
            continue
        written = _written(values)
        if not written.numbers or not all(map(_MISSING.fullmatch, written.others)):
            continue
        markers |= dict.fromkeys(written.others)
        if _have_decimal_commas(written.numbers, layout):
            keys["decimal"] = ","
    if markers:
        keys["missing_values"] = list(markers) + _USUAL_MISSING
    return keys


def _labels_like_missing(labels: pd.Series[Any], path: str, layout: TableKeys) -> set[str]:
    """Find texts like None that are labels: without them the target has less than two classes."""
    if not labels.isna().any() or is_numeric_dtype(labels.dtype):
        return set()
    as_written = formats.read_table(path, layout.model_copy(update={"missing_values": []}))
    texts = as_written[labels.name].dropna().astype(str)
    counts = texts[texts.isin(MISSING)].value_counts()
    if labels.nunique() > 1 and len(counts):
        text = counts.index[0]
        raise UserError(
            f"missing_values: {labels.name!r} is {text!r} in {int(counts.iloc[0]):,} of "
            f"{len(labels):,} rows: is that a class (`--missing-values ''`: empty cells alone are "
            f"missing), or is the label missing (`--missing-values {text}`)?"
        )
    return set(counts.index)

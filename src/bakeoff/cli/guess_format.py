"""Guess the format of a file: separators, encoding, decimal commas, texts for missing values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from bakeoff.data.describe_columns import LIKE_MISSING
from bakeoff.data.table_files import separator_of
from bakeoff.errors import Problem, UserError, named
from bakeoff.files import is_file, no_file
from bakeoff.sources.common.formats import MISSING, format_of, read_table
from bakeoff.sources.common.tables import TableKeys

_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_GROUPED = {
    ",": re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?"),
    ".": re.compile(r"[-+]?\d{1,3}(\.\d{3})+(,\d+)?"),
}
_NUMBERS = (re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?"), *_GROUPED.values())
_MISSING = re.compile(f"{LIKE_MISSING.pattern}|unknown|missing")
_USUAL = [text for text in ("NA", "N/A", "NaN", "nan", "null", "None") if text in MISSING]


class Written(NamedTuple):
    """A table and the guessed format of its file.

    Attributes
    ----------
    frame : DataFrame
        Its columns.
    keys : Mapping
        The keys of the data set that say how to read it, where not as usual.
    """

    frame: pd.DataFrame
    keys: Mapping[str, Any]


def read(path: str, encoding: str | None, target: str, format: str | None = None) -> Written:
    """Read a table, and guess how its file is written.

    Parameters
    ----------
    path : str
        The file.
    encoding : str, optional
        Of its text, where it is known.
    target : str
        The column to predict, whose values are taken as they are.
    format : str, optional
        Of the file, where its ending does not tell.

    Raises
    ------
    UserError
        It cannot be read.
    """
    if not is_file(path):
        raise UserError(no_file(path))
    keys: dict[str, Any] = {}
    if format is not None:
        keys["format"] = format
    separator = separator_of(path, format)
    if separator is not None:
        keys["sep"] = separator
    if encoding is not None:
        keys["encoding"] = encoding
    try:
        frame = _frame(path, keys)
    except Problem as problem:
        if problem.path != ("encoding",) or encoding is not None:
            raise named(problem, {"format": "--format"}) from None
        keys["encoding"] = "cp1252"
        frame = _frame(path, keys)
    if format_of(path, TableKeys.model_validate({"format": format})) in ("csv", "tsv"):
        labels = _labels_like_missing(frame, path, keys, target)
        more = _written(frame.drop(columns=target, errors="ignore"), separator or ",")
        if labels:
            missing = more.get("missing_values", _USUAL)
            more["missing_values"] = [text for text in missing if text not in labels]
        if more:
            keys |= more
            frame = _frame(path, keys)
    return Written(frame, keys)


def _labels_like_missing(
    frame: pd.DataFrame, path: str, keys: Mapping[str, Any], target: str
) -> set[str]:
    """Find texts like None that are labels: without them the target has less than two classes."""
    if target not in frame or not frame[target].isna().any() or frame[target].nunique() > 1:
        return set()
    as_text = _frame(path, {**keys, "missing_values": [""]})[target].dropna().astype(str)
    return {text for text in as_text.unique() if text in MISSING}


def _frame(path: str, keys: Mapping[str, Any]) -> pd.DataFrame:
    return read_table(Path(path), path, TableKeys.model_validate(keys))


def _written(frame: pd.DataFrame, separator: str) -> dict[str, Any]:
    """Find decimal commas, thousands separators and texts for missing values among numbers."""
    found: dict[str, Any] = {}
    markers: dict[str, None] = {}
    for _, values in frame.items():
        if pd.api.types.is_numeric_dtype(values.dtype):
            continue
        texts = values.dropna().astype(str).str.strip()
        distinct = texts.value_counts()
        numbers = [text for text in distinct.index if any(p.fullmatch(text) for p in _NUMBERS)]
        rest = [text for text in distinct.index if text not in set(numbers)]
        if not numbers or not all(_MISSING.fullmatch(text) for text in rest):
            continue
        markers |= dict.fromkeys(rest)
        found |= _punctuation(numbers, separator)
    if markers:
        found["missing_values"] = [*markers, *_USUAL]
    return found


def _punctuation(numbers: list[str], separator: str) -> dict[str, str]:
    """Return decimal and thousands separators if they are not the default ones."""
    if separator == "," and any(_GROUPED[","].fullmatch(text) for text in numbers):
        return {"thousands": ","}
    grouped = any("." in text and "," in text and _GROUPED["."].fullmatch(text) for text in numbers)
    if grouped or any(_DECIMAL_COMMA.fullmatch(text) for text in numbers):
        return {"decimal": ",", **({"thousands": "."} if grouped else {})}
    if any(_GROUPED[","].fullmatch(text) for text in numbers):
        return {"thousands": ","}
    return {}

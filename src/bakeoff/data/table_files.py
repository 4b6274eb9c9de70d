"""Read tables of any format, with a fast path for plain ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from pandas.api.types import infer_dtype, is_object_dtype

from bakeoff.data.readers import headers, is_log, known, read_elsewhere
from bakeoff.errors import Place, Problem, UserError, some
from bakeoff.files import is_file, no_file
from bakeoff.sources.common import formats
from bakeoff.sources.common.identifiers import arrow_column, is_large, names, whole_numbers
from bakeoff.sources.common.tables import TableKeys

MODEL = "model"
"""The column of a log of several models that says whose a row is."""
_KINDS = {"str": "text", "int": "a number", "float": "a number", "bool": "true or false"}
_KINDS |= {"dict": "an object", "list": "a list"}
_BLOCK = 1 << 22
"""Bytes read at once: wide tables take half the time of the usual 2²⁰."""


def read_table(path: str, place: Place, format: str | None = None) -> pa.Table:
    """Read a table, or what another tool writes; see `bakeoff.data.readers`.

    A CSV file may have another separator than the comma.

    Parameters
    ----------
    path, place
        The file, and where it is named.
    format : str, optional
        That of a table, where the ending of its name does not tell.

    Raises
    ------
    Problem
        It cannot be read, or holds the results of several models.
    """
    found = read_tables(path, place, format)
    if len(found) > 1:
        raise Problem(
            place,
            f"{path!r} holds {len(found)} models ({some(found)}), expected one: `model:` of "
            "an experiment names one of them",
        )
    return next(iter(found.values()))


def read_tables(path: str, place: Place, format: str | None = None) -> dict[str, pa.Table]:
    """Read what `read_table` reads, as a table of each model where a log holds several."""
    kind = format or Path(path).suffix.lower().removeprefix(".")
    if kind in ("csv", "tsv") and is_file(path):
        separator = "\t" if kind == "tsv" else separator_of(path, kind) or ","
        formats.check_width(_first_line(path, "csv").count(separator) + 1, path)
    table = _read_fast(path, kind)
    if table is not None and (format or headers().isdisjoint(table.column_names)):
        return {"": table}
    frame = None if format else read_elsewhere(path, place)
    if frame is not None and MODEL in frame and is_log(path):
        parts = {str(name): part.drop(columns=MODEL) for name, part in frame.groupby(MODEL)}
        return {name: as_table(part, path, place) for name, part in parts.items()}
    if frame is None and kind == "json":
        raise Problem(
            place,
            f"{path!r} is no JSON that is known here, by its content: {'; '.join(known())}; save "
            "it as CSV or Parquet",
        )
    if frame is None:
        frame = read_frame(path, place, format)
    return {"": as_table(frame, path, place)}


def as_table(frame: pd.DataFrame, path: str, place: Place) -> pa.Table:
    """Return a table of a frame that was read from a file.

    Raises
    ------
    Problem
        A column holds values of several types.
    """
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (OverflowError, pa.ArrowException):
        texts = frame.copy(deep=False)
    for name, values in frame.items():  # whole numbers beyond 64 bits
        if is_object_dtype(values.dtype) and infer_dtype(values, skipna=True) == "integer":
            texts[name] = names(values)
    try:
        return pa.Table.from_pandas(texts, preserve_index=False)
    except (OverflowError, pa.ArrowException):
        raise Problem(place, _mixed(frame, path)) from None


def _mixed(frame: pd.DataFrame, path: str) -> str:
    """Say which column holds values of several types, as JSON allows."""
    for name, column in frame.items():
        kinds = column.dropna().map(lambda value: type(value).__name__)
        if len(kinds) and (kinds.nunique() > 1 or kinds.iloc[0] in ("dict", "list")):
            usual = kinds.value_counts().index[0]
            odd = kinds[kinds != usual].index[:1].tolist() or kinds.index[:1].tolist()
            return (
                f"{path!r}: column {name!r} holds values of several types; in most rows it is "
                f"{_KINDS.get(usual, usual)}, in row {odd[0] + 1} it is "
                f"{_KINDS.get(kinds[odd[0]], kinds[odd[0]])}: write them all in one way"
            )
    return f"{path!r} holds values that fit no table"


def _read_fast(path: str, kind: str) -> pa.Table | None:
    """Read a plain CSV, TSV or Parquet file with all cores; None where it is not plain.

    What this reader does not take is read by the general one, which says what is wrong with it.
    """
    if kind == "parquet":
        return _read_parquet(path)
    if kind not in ("csv", "tsv"):
        return None
    delimiter = "\t" if kind == "tsv" else separator_of(path, kind) or ","

    def read(**options: Any) -> pa.Table:
        return pa.csv.read_csv(
            path,
            read_options=pa.csv.ReadOptions(block_size=_BLOCK),
            parse_options=pa.csv.ParseOptions(delimiter=delimiter),
            convert_options=pa.csv.ConvertOptions(
                null_values=sorted(formats.MISSING),
                strings_can_be_null=True,
                true_values=["True", "TRUE", "true"],
                false_values=["False", "FALSE", "false"],
                timestamp_parsers=[],
                **options,
            ),
        )

    try:
        table = read(auto_dict_encode=True, auto_dict_max_cardinality=1000)
        for name, values in _beyond_64_bits(table, read).items():
            table = table.set_column(table.column_names.index(name), name, values)
        heads = [name.strip() for name in table.column_names]
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return None
    plain = (
        all(heads)
        and not any(_is_bytes(kind) for kind in table.schema.types)
        and len(set(heads)) == len(heads)
        and len(heads) > 1
        and len(table)
    )
    return table.rename_columns(heads) if plain else None


def _beyond_64_bits(table: pa.Table, read: Callable[..., pa.Table]) -> dict[str, Any]:
    """Return the columns of whole numbers that Arrow read as floats, for they have 64 bits."""
    names = [one.name for one in table.schema if pa.types.is_floating(one.type)]
    lost = [name for name in names if is_large(table[name])]
    if not lost:
        return {}
    texts = read(include_columns=lost, column_types=dict.fromkeys(lost, pa.string()))
    found = {name: whole_numbers(texts[name].to_pylist()) for name in lost}
    return {name: arrow_column(one) for name, one in found.items() if one is not None}


def _is_bytes(kind: pa.DataType) -> bool:
    """Tell whether a column is in another encoding than UTF-8."""
    return bool(pa.types.is_binary(getattr(kind, "value_type", kind)))


def _read_parquet(path: str) -> pa.Table | None:
    try:
        texts = [one.name for one in pa.parquet.read_schema(path) if pa.types.is_string(one.type)]
        table = pa.parquet.read_table(path, read_dictionary=texts)
    except (pa.ArrowException, OSError):
        return None
    # what pandas stored as an index without a name is no column to anyone
    columns = [name for name in table.column_names if not name.startswith("__index_level_")]
    return table.select(columns) if len(set(columns)) == len(columns) and len(table) else None


def read_frame(path: str, place: Place, format: str | None = None) -> pd.DataFrame:
    """Read a table with pandas, by the ending of its name or by `format`.

    A CSV file may have another separator than the comma. The parameters and the error are those of
    `read_table`.
    """
    if not is_file(path):
        raise Problem(place, no_file(path))
    keys = {"sep": separator_of(path, format), "format": format}
    try:
        if _first_line(path, format).startswith("Key_"):
            return _of_weka(path)
        return formats.read_table(Path(path), path, TableKeys.model_validate(keys))
    except Problem as problem:
        if problem.path == ("encoding",):  # there is no key for it here
            raise Problem(place, f"{path!r} is not UTF-8 text: save it as such") from None
        of_command = len(place) == 1  # an experiment's models have no `format:`
        raise Problem(
            place, problem.message, remedy=problem.remedy if of_command else None
        ) from None
    except UserError as error:
        raise Problem(place, str(error)) from None


def _of_weka(path: str) -> pd.DataFrame:
    """Read results of WEKA's Experimenter, which quotes as its CSVResultListener does."""
    try:
        return pd.read_csv(path, quotechar="'", escapechar="\\", doublequote=False, na_values="?")
    except pd.errors.ParserError as error:
        raise UserError(f"{path!r}: {error}") from None


def _first_line(path: str, format: str | None) -> str:
    """Return the first line of a CSV file; nothing of another."""
    if (format or Path(path).suffix.lower().removeprefix(".")) != "csv":
        return ""
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        return file.readline()


def separator_of(path: str, format: str | None = None) -> str | None:
    """Return what separates the names in the first line of a CSV file; None for a comma."""
    first = _first_line(path, format)
    found = max(",;\t|", key=first.count)
    return None if found == "," else found

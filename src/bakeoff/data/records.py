"""From a file of any format to its records: opened, read, and its columns found by their roles.

Plain files have a fast way; how others are written is guessed where nobody says it.
"""

from __future__ import annotations

import csv
import dataclasses
import json
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from numpy.typing import NDArray
from pandas.api.types import infer_dtype, is_numeric_dtype, is_object_dtype

from bakeoff.data.columns import LARGEST, beyond, canonical_ids, in_order, ordered
from bakeoff.data.describe import LIKE_MISSING, named_like_groups
from bakeoff.data.readers import SCORES, headers, is_log, known, read_elsewhere
from bakeoff.data.target import Answers, Labels, Numbers
from bakeoff.errors import Place, Problem, Remedy, UserError, listed, named, some, unknown
from bakeoff.files import is_file, no_file
from bakeoff.sources.common import formats
from bakeoff.sources.common.base import TableKeys, as_columns
from bakeoff.sources.common.formats import MISSING, format_of, opened
from bakeoff.sources.common.identifiers import (
    arrow_column,
    codes_in,
    identifiers,
    is_large,
    names,
    whole_numbers,
)
from bakeoff.spec.given_models import SEED, GivenColumns

USUAL: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "row_id", "row"),
    "true": ("y_true", "true", "truth", "label", "target", "y"),
    "predicted": ("y_pred", "predicted", "prediction", "pred"),
    "value": ("value", "score", "loss"),
}
_WHAT = {"id": "id", "true": "true label", "predicted": "prediction"}
DROP = Remedy("missing_target", "drop", "; {} leaves them out")
"""What to do about rows without a true label."""
MODEL = "model"
"""The column of a log of several models that says whose a row is."""
PLAIN = TableKeys.model_validate({})
"""How a file is written of which nothing is said."""
_KINDS = {"str": "text", "int": "a number", "float": "a number", "bool": "true or false"}
_KINDS |= {"dict": "an object", "list": "a list"}
_BLOCK = 1 << 22
"""Bytes read at once: wide tables take half the time of the usual 2²⁰."""
_HEAD = 1 << 16
"""Bytes in which lines before a table are looked for."""
_SEPARATOR = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_FIRST_ROWS = 5
_SHOWN = 3
_MOST_BEFORE = 50
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_GROUPED = {
    ",": re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?"),
    ".": re.compile(r"[-+]?\d{1,3}(\.\d{3})+(,\d+)?"),
}
_NUMBERS = (re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?"), *_GROUPED.values())
_MISSING = re.compile(f"{LIKE_MISSING.pattern}|unknown|missing")
_USUAL = [text for text in ("NA", "N/A", "NaN", "nan", "null", "None") if text in MISSING]


def read_table(path: str, place: Place, keys: TableKeys = PLAIN) -> pa.Table:
    """Read a table, or what another tool writes; see `bakeoff.data.readers`."""
    found = read_tables(path, place, keys)
    if len(found) > 1:
        raise Problem(
            place,
            f"{path!r} holds {len(found)} models ({some(found)}), expected one: `model:` of "
            "an experiment names one of them",
        )
    return next(iter(found.values()))


def read_tables(
    path: str, place: Place, keys: TableKeys = PLAIN, *, partial: bool = False
) -> dict[str, pa.Table]:
    """Read what `read_table` reads, as a table of each model where a log holds several."""
    kind = keys.format or Path(path).suffix.lower().removeprefix(".")
    if is_file(path):
        keys = laid_out(path, keys)
    table = _read_fast(path, kind, keys)
    if table is not None and (keys.format or headers().isdisjoint(table.column_names)):
        return {"": table}
    frame = None if keys.format else read_elsewhere(path, place, partial=partial)
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
        frame = read_frame(path, place, keys)
    return {"": as_table(frame, path, place)}


def as_table(frame: pd.DataFrame, path: str, place: Place) -> pa.Table:
    """Return a table of a frame that was read from a file."""
    if named_scores := frame.attrs.pop(SCORES, None):
        table = as_table(frame, path, place)
        known = {**(table.schema.metadata or {}), SCORES: json.dumps(named_scores)}
        return table.replace_schema_metadata(known)
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


def _read_fast(path: str, kind: str, keys: TableKeys) -> pa.Table | None:
    """Read a plain CSV, TSV or Parquet file with all cores; None where it is not plain.

    What this reader does not take is read by the general one, which says what is wrong with it.
    """
    if kind == "parquet":
        return _read_parquet(path)
    if kind not in ("csv", "tsv"):
        return None
    delimiter = keys.sep or ("\t" if kind == "tsv" else ",")
    missing = MISSING if keys.missing_values is None else {"", *keys.missing_values}

    def read(**options: Any) -> pa.Table:
        return pa.csv.read_csv(
            path,
            read_options=pa.csv.ReadOptions(block_size=_BLOCK, skip_rows=keys.skip),
            parse_options=pa.csv.ParseOptions(delimiter=delimiter),
            convert_options=pa.csv.ConvertOptions(
                null_values=sorted(missing),
                strings_can_be_null=True,
                true_values=["True", "TRUE", "true"],
                false_values=["False", "FALSE", "false"],
                timestamp_parsers=[],
                **options,
            ),
        )

    try:
        formats.check_width(_first_line(path, keys).count(delimiter) + 1, path)
        table = read(auto_dict_encode=True, auto_dict_max_cardinality=1000)
        heads = [name.strip() for name in table.column_names]
        if len(set(heads)) < len(heads):
            return None
        for name, values in _as_written(table, read, path).items():
            table = table.set_column(table.column_names.index(name), name, values)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return None
    plain = (
        all(heads)
        # a column in another encoding than UTF-8 is one of bytes
        and not any(pa.types.is_binary(getattr(k, "value_type", k)) for k in table.schema.types)
        and len(heads) > 1
        and len(table)
        and not any(map(_has_commas, table.columns))
    )
    return table.rename_columns(heads) if plain else None


def _has_commas(column: pa.ChunkedArray) -> bool:
    """Tell whether a column holds numbers with a decimal comma, from its first values."""
    first = column.slice(0, _FIRST_ROWS).to_pylist()
    return any(isinstance(one, str) and _DECIMAL_COMMA.fullmatch(one.strip()) for one in first)


def _as_written(table: pa.Table, read: Callable[..., pa.Table], path: str) -> dict[str, Any]:
    """Return columns that Arrow read as other numbers: beyond 64 bits, or codes like 007."""
    names = [one.name for one in table.schema if pa.types.is_floating(one.type)]
    lost = [name for name in names if is_large(table[name])]
    whole = [one.name for one in table.schema if pa.types.is_integer(one.type)]
    coded = whole if whole and formats.has_codes(Path(path), path) else []
    if not lost and not coded:
        return {}
    types = dict.fromkeys([*lost, *coded], pa.string())
    texts = read(include_columns=[*lost, *coded], column_types=types)
    found = {name: whole_numbers(texts[name].to_pylist()) for name in lost}
    made = {name: arrow_column(one) for name, one in found.items() if one is not None}
    kept = codes_in(texts.select(coded).to_pandas())
    return made | {name: texts[name].dictionary_encode() for name in kept}


def _read_parquet(path: str) -> pa.Table | None:
    try:
        texts = [one.name for one in pa.parquet.read_schema(path) if pa.types.is_string(one.type)]
        table = pa.parquet.read_table(path, read_dictionary=texts)
        formats.validate(table)
    except (pa.ArrowException, OSError):
        return None
    # what pandas stored as an index without a name is no column to anyone
    columns = [name for name in table.column_names if not name.startswith("__index_level_")]
    return table.select(columns) if len(set(columns)) == len(columns) and len(table) else None


def read_frame(path: str, place: Place, keys: TableKeys = PLAIN) -> pd.DataFrame:
    """Read a table with pandas; the parameters and the error are those of `read_table`."""
    if not is_file(path):
        raise Problem(place, no_file(path))
    keys = laid_out(path, keys)
    try:
        frame = _frame(path, keys)
        commas = _written(frame, keys.sep or ",", markers=False) if _is_text(path, keys) else {}
        return _frame(path, keys.model_copy(update=commas)) if commas else frame
    except Problem as problem:
        if problem.path == ("encoding",):  # there is no key for it here
            raise Problem(place, f"{path!r} is not UTF-8 text: save it as such") from None
        of_command = len(place) == 1  # an experiment's models have no `format:`
        raise Problem(
            place, problem.message, remedy=problem.remedy if of_command else None
        ) from None
    except UserError as error:
        raise Problem(place, str(error)) from None


class Written(NamedTuple):
    """A table, and the keys of a data set that say how its file is written, where not as usual."""

    frame: pd.DataFrame
    keys: Mapping[str, Any]


def guess(path: str, target: str, said: Mapping[str, Any]) -> Written:
    """Read a table, and guess how its file is written, where `said` does not say.

    The texts that are labels, and not missing values, are the values of `target`.
    """
    if not is_file(path):
        raise UserError(no_file(path))
    keys = dict(said)
    try:
        found = laid_out(path, TableKeys.model_validate(keys))
        keys |= {key: getattr(found, key) for key in ("sep", "skip") if getattr(found, key)}
        frame = _frame(path, found)
    except Problem as problem:
        if problem.path != ("encoding",) or "encoding" in keys:
            raise named(problem, {"format": "--format"}) from None
        keys["encoding"] = "cp1252"
        frame = _frame(path, TableKeys.model_validate(keys))
    if not _is_text(path, TableKeys.model_validate(keys)):
        return Written(frame, keys)
    more = _written(frame.drop(columns=target, errors="ignore"), keys.get("sep") or ",")
    if "missing_values" in keys:
        more.pop("missing_values", None)
    elif labels := _labels_like_missing(frame, path, keys, target):
        missing = more.get("missing_values", _USUAL)
        more["missing_values"] = [text for text in missing if text not in labels]
    if more:
        keys |= more
        frame = _frame(path, TableKeys.model_validate(keys))
    return Written(frame, keys)


def _labels_like_missing(
    frame: pd.DataFrame, path: str, keys: Mapping[str, Any], target: str
) -> set[str]:
    """Find texts like None that are labels: without them the target has less than two classes."""
    if target not in frame or not frame[target].isna().any():
        return set()
    plain = TableKeys.model_validate({**keys, "missing_values": []})
    as_text = _frame(path, plain)[target].dropna().astype(str)
    found = as_text[as_text.isin(MISSING)].value_counts()
    if pd.api.types.is_numeric_dtype(frame[target]):
        return set()
    if frame[target].nunique() > 1 and len(found):
        text, rows = found.index[0], int(found.iloc[0])
        raise UserError(
            f"--missing-values: {target!r} is {text!r} in {rows:,} of {len(frame):,} rows: is that "
            f"a class (`--missing-values ''`: empty cells alone are missing), or is the label "
            f"missing (`--missing-values {text}`)?"
        )
    return set(found.index)


def _frame(path: str, keys: TableKeys) -> pd.DataFrame:
    return formats.read_table(Path(path), path, keys)


def _is_text(path: str, keys: TableKeys) -> bool:
    return format_of(path, keys) in ("csv", "tsv")


def _written(frame: pd.DataFrame, separator: str, *, markers: bool = True) -> dict[str, Any]:
    """Find decimal commas, thousands separators and, as `markers`, texts for missing values."""
    found: dict[str, Any] = {}
    marking: dict[str, None] = {}
    for _, values in frame.items():
        if pd.api.types.is_numeric_dtype(values.dtype):
            continue
        texts = values.dropna().astype(str).str.strip()
        distinct = texts.value_counts()
        numbers = [text for text in distinct.index if any(p.fullmatch(text) for p in _NUMBERS)]
        rest = [text for text in distinct.index if text not in set(numbers)]
        if not numbers or not all(markers and _MISSING.fullmatch(text) for text in rest):
            continue
        marking |= dict.fromkeys(rest)
        found |= _punctuation(numbers, separator)
    if marking:
        found["missing_values"] = [*marking, *_USUAL]
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


def laid_out(path: str, keys: TableKeys) -> TableKeys:
    """Find the separator of a CSV file, and the lines before the names of its columns."""
    kind = keys.format or Path(path.partition("?")[0]).suffix.lower().removeprefix(".")
    if kind not in ("csv", "tsv"):
        return keys
    lines = _first_lines(path, keys)
    sep, skip = keys.sep, keys.skip
    if not skip:
        if lines and (told := _SEPARATOR.fullmatch(lines[0])):
            sep, skip = sep or told[1], 1
        skip += _before(lines[skip:], sep or ("\t" if kind == "tsv" else None))
    if sep is None and kind == "csv":
        first = next((line for line in lines[skip:] if line.strip()), "")
        sep = max(",;\t|", key=first.count)
    plain = "\t" if kind == "tsv" else ","
    return keys.model_copy(update={"sep": None if sep == plain else sep, "skip": skip})


def _before(lines: list[str], sep: str | None) -> int:
    """Count the lines before the names of the columns: comments, and titles of a single value."""
    sep = sep or max(",;\t|", key=lambda one: sum(one in line for line in lines))
    values = [next(csv.reader([line], delimiter=sep), []) for line in lines]
    most = statistics.mode([len(own) for own in values if own] or [0])
    full = [len(own) == most and not own[0].startswith("#") for own in values]
    if not any(full) or full[0]:
        return 0
    first = full.index(True)
    numbers = any(map(_NUMBERS[0].fullmatch, values[first]))
    if numbers and len(values[first - 1]) == most:  # the names stand behind a `#`
        return first - 1
    alone = all(len(own) < 2 or own[0].startswith("#") for own in values[:first])
    return first if alone and not numbers else 0


def _first_lines(path: str, keys: TableKeys) -> list[str]:
    """Return the first lines of a text; none of what cannot be opened."""
    try:
        with opened(Path(path), path) as file:
            head = file.read(_HEAD).decode("utf-8-sig", "replace")
    except Exception:  # libraries raise anything for a damaged archive; its reader says what it is
        return []
    return head.splitlines()[:_MOST_BEFORE]


def _first_line(path: str, keys: TableKeys) -> str:
    """Return the line of a CSV file that names the columns; nothing of another."""
    if (keys.format or Path(path).suffix.lower().removeprefix(".")) not in ("csv", "tsv"):
        return ""
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        for _ in range(keys.skip):
            file.readline()
        return file.readline()


@dataclasses.dataclass(frozen=True)
class Records:
    """The records of a file, whose columns have no roles yet."""

    path: str
    table: pa.Table
    place: Place

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return list(self.table.column_names)

    @property
    def scores(self) -> dict[str, str]:
        """What the one metric of each task of a log is called, which stands as ``score``."""
        found: dict[str, str] = json.loads(
            (self.table.schema.metadata or {}).get(SCORES.encode(), "{}")
        )
        return found

    def find(self, role: str, columns: GivenColumns) -> str | None:
        """Find the column of a role, by its name or by the usual ones."""
        at = (*self.place[:-1], "columns", role)
        name: str | None = getattr(columns, role)
        if name is not None:
            if role == "value" and set(self.scores.values()) == {name}:
                name = "score"
            if name not in self.names:
                raise Problem(at, f"{self.path!r}: {unknown('column', name, self.names)}")
            return name
        found = [usual for usual in USUAL.get(role, ()) if usual in self.names]
        if len(found) > 1:
            raise Problem(at, f"{self.path!r} has {listed(found)}: say which of them it is")
        return found[0] if found else None

    def labels(self, column: str, role: str = "predicted", *, may_lack: bool = False) -> Labels:
        """Return the labels of a column."""
        read = Labels.of(self.table[column])
        missing = np.flatnonzero(read.codes < 0)
        if len(missing) and not may_lack:
            raise Problem(
                self.place,
                f"{self.path!r}: {len(missing):,} of {len(read):,} rows have no {_WHAT[role]} in "
                f"column {column!r}; the first is row {missing[0] + 1}; a class that is called NA, "
                "None or the like needs `missing_values: []` (`--missing-values ''`)",
                remedy=DROP if role == "true" else None,
            )
        return read

    def answers(
        self, column: str, role: str = "predicted", *, numbers: bool = False, may_lack: bool = False
    ) -> Answers:
        """Return the labels of a column, or with `numbers` its numbers; see `labels`."""
        if not numbers:
            return self.labels(column, role, may_lack=may_lack)
        remedy = DROP if role == "true" else None
        return Numbers(self.numbers(column, may_lack=may_lack, remedy=remedy))

    def numbers(
        self,
        column: str | None,
        ids: NDArray[Any] | None = None,
        *,
        may_lack: bool = False,
        remedy: Remedy | None = None,
    ) -> NDArray[np.float64]:
        """Return the numbers of a column, shape (n,)."""
        if column is None:
            raise Problem(
                (*self.place[:-1], "columns", "value"),
                f"{self.path!r} has no column of numbers (looked for {listed(USUAL['value'])}); it "
                f"has {listed(self.names)}: say which it is",
            )
        values = self.table[column].to_pandas()
        found = (
            values
            if is_numeric_dtype(values)
            else pd.to_numeric(values.astype(str), errors="coerce")
        )
        numbers = found.to_numpy(np.float64, na_value=np.nan)
        wrong = np.flatnonzero(~np.isfinite(numbers) & ~(may_lack & values.isna()))
        if len(wrong):
            row = int(wrong[0])
            first = f"row {row + 1}" if ids is None else f"id {ids[row]}"
            raise Problem(
                self.place,
                f"{self.path!r}: {len(wrong):,} of {len(numbers):,} rows have no number in column "
                f"{column!r}; the first is {first} with {values.iloc[row]}",
                remedy=remedy if values.isna().iloc[wrong].all() else None,
            )
        largest = np.abs(numbers).max(initial=0.0, where=np.isfinite(numbers))
        if largest > LARGEST:
            raise Problem(self.place, f"{self.path!r}: column {column!r} has {beyond(largest)}")
        return np.asarray(numbers)

    def related(self, role: str, columns: GivenColumns) -> NDArray[Any] | None:
        """Return the group or time of each row; None if no column is named."""
        column = None if getattr(columns, role) is None else self.find(role, columns)
        if column is None:
            return None
        values = pd.Series(self.table[column].to_pandas())
        missing = np.flatnonzero(values.isna())
        if len(missing):
            raise Problem(
                self.place,
                f"{self.path!r}: {len(missing):,} of {len(values):,} rows have no {role} in column "
                f"{column!r}; the first is row {missing[0] + 1}",
            )
        try:
            if role != "time":
                return identifiers(values).to_numpy(dtype=object)
            return ordered(values).to_numpy()
        except UserError as error:
            raise Problem(self.place, f"{self.path!r}: column {column!r} {error}") from None

    def row_ids(self, column: str) -> NDArray[Any]:
        """Return the ids of a column, shape (n,): whole numbers, or texts."""
        try:
            return canonical_ids(pd.Series(self.table[column].to_pandas()))
        except UserError as error:
            raise Problem(self.place, f"{self.path!r}: column {column!r} {error}") from None

    def ids(
        self,
        column: str,
        run: NDArray[Any] | None = None,
        folds: NDArray[np.intp] | None = None,
    ) -> NDArray[Any]:
        """Return the row ids, shape (n,): whole numbers, or texts; unique in each run and fold."""
        values = self.table[column]
        if values.null_count:
            missing = np.flatnonzero(values.is_null().to_numpy())
            raise Problem(
                self.place,
                f"{self.path!r}: {len(missing):,} of {len(values):,} rows have no id in column "
                f"{column!r}; the first is row {missing[0] + 1}",
            )
        ids = self.row_ids(column)
        if run is not None:
            ids = np.array([f"{i} run {r}" for i, r in zip(ids, run, strict=True)], dtype=object)
        again = pd.DataFrame({"id": ids})
        if folds is not None:
            again[["repeat", "fold"]] = folds
        twice = again.duplicated().to_numpy()
        if twice.any():
            repeated = pd.unique(ids[twice])
            related = run is not None or folds is not None
            named = next((name for name in ("run", "epoch") if name in self.names), "")
            raise Problem(
                self.place,
                f"{self.path!r}: ids must be unique{' in each fold' * (folds is not None)}; "
                f"repeated ({len(repeated):,}): {some(repeated)}"
                + (
                    ""
                    if related
                    else "; where rows are predicted in several folds, their columns are `repeat` "
                    "and `fold` of an experiment; where all are predicted by every training run, "
                    "theirs is `seed`"
                ),
                remedy=None
                if related
                else Remedy("run", named, "; where they are runs of items, {} names their column"),
            )
        return ids

    def unclaimed(self, columns: GivenColumns, known: Iterable[str | None]) -> list[str]:
        """Name the columns that have no role yet; `known` are those that have one."""
        claimed = {*known, columns.group, columns.time, columns.run, columns.repeat}
        claimed |= {columns.fold, columns.seed}
        claimed |= {one.column for one in as_columns(columns.subgroups)}
        return [name for name in self.names if name not in claimed]

    def like_groups(
        self, columns: GivenColumns, known: Iterable[str | None]
    ) -> list[dict[str, Any]]:
        """List the columns without a role that look like ids of groups, by name and values."""
        return named_like_groups(self.table, self.unclaimed(columns, known))


def by_run(file: Records, columns: GivenColumns) -> Iterator[Records]:
    """Cut a table at its column of training runs, every run with its rows in one order."""
    at = (*file.place[:-1], "columns", "seed")
    if SEED in file.names:
        if columns.seed is not None:
            raise Problem(at, f"{file.path!r} is a file for each run: leave it out")
        columns = columns.model_copy(update={"seed": SEED})
    if columns.seed is None:
        yield file
        return
    runs, name = file.related("seed", columns), file.find("id", columns)
    if columns.seed == SEED:
        file = dataclasses.replace(file, table=file.table.drop_columns([SEED]))
    if name is None:
        raise Problem(
            (*at[:-1], "id"),
            f"{file.path!r} has no column of row ids (looked for {listed(USUAL['id'])}), which say "
            "what each training run predicts for the same row",
        )
    ids = pd.Series([str(one) for one in file.row_ids(name)])
    frame = pd.DataFrame({"run": runs, "id": ids})
    twice = frame[frame.duplicated()]
    if len(twice):
        run, row = twice.iloc[0]
        raise Problem(
            at,
            f"{file.path!r}: {len(twice):,} row(s) are there twice in a training run; the first is "
            f"id {row} in run {run}. Answers that are drawn anew for each item are no training "
            "runs: they are runs of an item",
        )
    first: pd.Index[str] | None = None
    for run in in_order(set(frame["run"])):
        own = frame.index[frame["run"] == run]
        found = pd.Index(ids[own])
        first = found if first is None else first
        lacking, extra = first.difference(found), found.difference(first)
        if len(lacking) or len(extra):
            which = f"lacks {len(lacking):,} row(s)" if len(lacking) else "has other rows"
            raise Problem(
                at,
                f"{file.path!r}: the training run {run} {which} "
                f"({some([*lacking[:_SHOWN], *extra[:_SHOWN]])}): every run predicts the same "
                "rows; leave incomplete rows out of all runs",
            )
        rows = np.asarray(own)[found.get_indexer(first)]
        yield dataclasses.replace(file, table=file.table.take(pa.array(rows)))

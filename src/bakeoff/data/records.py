"""From a file of any format, opened and read, to records whose columns are found by their roles."""

from __future__ import annotations

import csv
import dataclasses
import json
import re
import statistics
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

from bakeoff.data.asked import ASKED, how_asked
from bakeoff.data.columns import LARGEST, beyond, canonical_ids, in_order, ordered
from bakeoff.data.describe import LIKE_MISSING
from bakeoff.data.readers import SCORES, known, read_log, reader_of, without_missing
from bakeoff.data.table import (
    COLLECTED_GROUP,
    COLLECTED_ID,
    COLLECTED_TIME,
    COLLECTED_TRUTH,
    SUBGROUP,
    TAKEN,
)
from bakeoff.data.target import Answers
from bakeoff.errors import Place, Problem, UserError, Verbatim, listed, some, unknown
from bakeoff.files import is_file, no_file
from bakeoff.options import can_set, setting
from bakeoff.sources.common import formats
from bakeoff.sources.common.base import TableKeys, as_columns, blame
from bakeoff.sources.common.formats import MISSING, format_of, opened
from bakeoff.sources.common.identifiers import arrow_column, identifiers
from bakeoff.spec.given_models import SEED, GivenColumns

USUAL: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "row_id", "row"),
    "truth": ("y_true", "true", "truth", "label", "target", "y"),
    "predicted": ("y_pred", "predicted", "prediction", "pred"),
    "value": ("value", "score", "loss"),
}
_COLLECTED = {"id": COLLECTED_ID, "truth": COLLECTED_TRUTH}
"""What the columns are called in the collected predictions of a run."""
_LIKELY: Mapping[str, tuple[str, ...]] = {
    "id": ("sample_id", "item", "item_id", "question_id", "idx", "index", "key"),
    "truth": (
        *("actual", "gold", "expected", "diagnosis", "outcome", "class", "species", "answer"),
        *("reference", "ground_truth", "groundtruth", "true_label", "y_test", "observed"),
        *("label", "target", "y", "truth", "true", "y_true"),
    ),
    "predicted": ("output", "response", "yhat", "y_hat", "guess", "classification"),
}
"""Other names that people give such columns, in any case: they are proposed, not taken."""
_WHAT = {
    "id": "row id",
    "truth": "true label",
    "predicted": "prediction",
    "value": "number",
    "groups": "group",
    "runs": "run",
    "seeds": "training run",
}
RUN = "run"
"""The column of a log, or of a folder of logs, that says which run of an item a row is."""
MODEL = "model"
"""The column of a log of several models that says whose a row is."""
OURS = ":"
"""How the columns begin that a call from Python makes: not every model has all of them."""
PLAIN = TableKeys.model_validate({})
"""How a file is written of which nothing is said."""
USUAL_COLUMNS = GivenColumns.model_validate({})
_HEAD = 1 << 16
"""Bytes in which lines before a table are looked for."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""How a text in UTF-16 begins, such as Excel's "Unicode text"."""
_DEFAULT_ENCODINGS = ("utf-8", "utf8")
_SEPARATOR = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_MOST_BEFORE = 50
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_GROUPED = re.compile(r"[-+]?\d{1,3}(,\d{3})+")
"""In a file that commas separate such numbers have no decimals, but thousands."""
_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?")
_MISSING = re.compile(f"{LIKE_MISSING.pattern}|unknown|missing")
_USUAL = [text for text in ("NA", "N/A", "NaN", "nan", "null", "None") if text in MISSING]


def read_tables(
    path: str, place: Place, keys: TableKeys = PLAIN, *, partial: bool = False
) -> tuple[Any, dict[str, pa.Table]]:
    """Read a table, or those of the models in what another tool writes, and by which reader."""
    reader = None if keys.format else reader_of(path)
    if reader is None and keys.format is None and Path(path).suffix.lower() == ".json":
        raise Problem(
            place,
            f"{path!r} is no JSON that is known here, by its content: {known()}; save "
            "it as CSV or Parquet",
        )
    if reader is None:
        return None, {"": as_table(read_frame(path, place, keys))}
    try:
        frame = read_log(reader, path, partial=partial)
    except ValueError as error:
        text = f"{path!r} was taken for a file of {reader.WHAT}: {error}{without_missing(error)}"
        raise Problem(place, text) from None
    if MODEL not in frame:
        frame.attrs[ASKED] = {"": how_asked(frame)}
        return reader, {"": as_table(frame)}
    tables = {}
    for name, part in frame.groupby(MODEL):
        asked = {"": how_asked(frame, str(name))}
        one = part.drop(columns=MODEL)
        one.attrs = {SCORES: frame.attrs.get(SCORES), ASKED: asked}
        tables[str(name)] = as_table(one)
    return reader, tables


def as_table(frame: pd.DataFrame) -> pa.Table:
    """Return a table of a frame, whose columns of values of several types become texts."""
    table = pa.table({str(name): arrow_column(values) for name, values in frame.items()})
    kept = {key: json.dumps(frame.attrs[key]) for key in (SCORES, ASKED) if frame.attrs.get(key)}
    return table.replace_schema_metadata(kept) if kept else table


def read_frame(path: str, place: Place, keys: TableKeys = PLAIN) -> pd.DataFrame:
    """Read a table with pandas; the parameters and the error are those of `read_tables`."""
    if not is_file(path):
        raise Problem(place, no_file(path))
    keys = laid_out(path, keys)
    try:
        frame = formats.read_table(path, keys)
        is_text = format_of(path, keys) in ("csv", "tsv")
        commas = _written(frame, keys, markers=False) if is_text else {}
        return formats.read_table(path, keys.model_copy(update=commas)) if commas else frame
    except Problem as problem:
        if problem.path == ("encoding",):
            advice = "save it as such"  # an experiment has no key for it here
            if can_set("encoding"):
                advice = f"say which it is, like {setting('encoding', 'latin-1')}"
            raise Problem(
                place, f"{path!r} is not {keys.encoding.upper()} text: {advice}"
            ) from None
        raise Problem(place, problem.message) from None
    except (UserError, pd.errors.ParserError) as error:
        raise Problem(place, str(error)) from None


def guess(path: str, target: str, given: Mapping[str, Any]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read a table, and guess how its file is written where the `given` keys do not say it."""
    if not is_file(path):
        raise UserError(no_file(path))
    keys = dict(given)
    try:
        layout = laid_out(path, TableKeys.model_validate(keys))
        keys |= {key: getattr(layout, key) for key in ("sep", "skip") if getattr(layout, key)}
        if layout.encoding.lower() not in _DEFAULT_ENCODINGS:
            keys["encoding"] = layout.encoding
        frame = formats.read_table(path, layout)
    except Problem as problem:
        if problem.path != ("encoding",) or "encoding" in keys:
            raise
        keys["encoding"] = "cp1252"
        frame = formats.read_table(path, TableKeys.model_validate(keys))
    layout = TableKeys.model_validate(keys)
    if format_of(path, layout) not in ("csv", "tsv"):
        return frame, keys
    more = _written(frame.drop(columns=target, errors="ignore"), layout)
    if "missing_values" in keys:
        more.pop("missing_values", None)
    elif target in frame and (labels := _labels_like_missing(frame[target], path, layout)):
        missing = more.get("missing_values", _USUAL)
        more["missing_values"] = [text for text in missing if text not in labels]
    if not more:
        return frame, keys
    keys |= more
    return formats.read_table(path, TableKeys.model_validate(keys)), keys


def _labels_like_missing(labels: pd.Series[Any], path: str, layout: TableKeys) -> set[str]:
    """Find texts like None that are labels: without them the target has less than two classes."""
    if not labels.isna().any() or is_numeric_dtype(labels.dtype):
        return set()
    plain = formats.read_table(path, layout.model_copy(update={"missing_values": []}))
    texts = plain[labels.name].dropna().astype(str)
    alike = texts[texts.isin(MISSING)].value_counts()
    if labels.nunique() > 1 and len(alike):
        text, rows = alike.index[0], int(alike.iloc[0])
        raise UserError(
            f"missing_values: {labels.name!r} is {text!r} in {rows:,} of {len(labels):,} rows: is "
            "that a class (`--missing-values ''`: empty cells alone are missing), or is the label "
            f"missing (`--missing-values {text}`)?"
        )
    return set(alike.index)


def _written(frame: pd.DataFrame, layout: TableKeys, *, markers: bool = True) -> dict[str, Any]:
    """Find decimal commas of a text and, as `markers`, texts for missing values."""
    keys: dict[str, Any] = {}
    marking: dict[str, None] = {}
    for _, values in frame.items():
        if is_numeric_dtype(values.dtype):
            continue
        texts = values.dropna().astype(str).str.strip().value_counts().index
        numbers = [text for text in texts if _NUMBER.fullmatch(text)]
        rest = [text for text in texts if not _NUMBER.fullmatch(text)]
        if not numbers or not all(markers and _MISSING.fullmatch(text) for text in rest):
            continue
        marking |= dict.fromkeys(rest)
        grouped = layout.sep in (None, ",") and any(map(_GROUPED.fullmatch, numbers))
        if not grouped and any(map(_DECIMAL_COMMA.fullmatch, numbers)):
            keys["decimal"] = ","
    if marking:
        keys["missing_values"] = [*marking, *_USUAL]
    return keys


def laid_out(path: str, keys: TableKeys) -> TableKeys:
    """Find the separator and the encoding of a CSV file, and the lines before its columns."""
    kind = keys.format or Path(path.partition("?")[0]).suffix.lower().removeprefix(".")
    if kind not in ("csv", "tsv"):
        return keys
    head = _head(path)
    if head.startswith(_UTF_16) and keys.encoding.lower() in _DEFAULT_ENCODINGS:
        keys = keys.model_copy(update={"encoding": "utf-16"})
    lines = _first_lines(head, keys.encoding)
    sep, skip = keys.sep, keys.skip
    if not skip:
        if lines and (line := _SEPARATOR.fullmatch(lines[0])):
            sep, skip = sep or line[1], 1
        skip += _before(lines[skip:], sep or ("\t" if kind == "tsv" else None))
    if sep is None and kind == "csv":
        first = next((line for line in lines[skip:] if line.strip()), "")
        sep = max(",;\t|", key=first.count)
    plain = "\t" if kind == "tsv" else ","
    return keys.model_copy(update={"sep": None if sep == plain else sep, "skip": skip})


def _before(lines: list[str], sep: str | None) -> int:
    """Count the lines before the names of the columns: comments, and titles of a single value."""
    sep = sep or max(",;\t|", key=lambda one: sum(one in line for line in lines))
    rows = [next(csv.reader([line], delimiter=sep), []) for line in lines]
    most = statistics.mode([len(row) for row in rows if row] or [0])
    full = [len(row) == most > 0 and not row[0].startswith("#") for row in rows]
    first = full.index(True) if any(full) else 0
    numbers = any(map(_NUMBER.fullmatch, rows[first])) if first else False
    if numbers and len(rows[first - 1]) == most:  # the names stand behind a `#`
        return first - 1
    alone = all(len(row) < 2 or row[0].startswith("#") for row in rows[:first])
    return first if alone and not numbers else 0


def _head(path: str) -> bytes:
    """Return how a file begins; nothing of what cannot be opened."""
    try:
        with opened(Path(path), path) as file:
            return file.read(_HEAD)
    except Exception:  # libraries raise anything for a damaged archive; its reader says what it is
        return b""


def _first_lines(head: bytes, encoding: str) -> list[str]:
    """Return the first lines of a text; none in an encoding that there is not."""
    if encoding.lower() in _DEFAULT_ENCODINGS:
        encoding = "utf-8-sig"
    try:
        return head.decode(encoding, "replace").splitlines()[:_MOST_BEFORE]
    except LookupError:
        return []


@dataclasses.dataclass(frozen=True)
class Records:
    """The records of a file, whose columns are found by their roles."""

    path: str
    table: pa.Table
    place: Place
    roles: GivenColumns = USUAL_COLUMNS
    """What the column of a role is called."""

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return list(self.table.column_names)

    def with_table(self, table: pa.Table) -> Records:
        """Return other records of the same file."""
        return dataclasses.replace(self, table=table)

    def with_roles(self, **roles: str | None) -> Records:
        """Return the records with other columns for some roles."""
        return dataclasses.replace(self, roles=self.roles.model_copy(update=roles))

    @property
    def scores(self) -> dict[str, list[str]]:
        """The metrics of each task of a log, of which the only one stands as ``score``."""
        return self._written(SCORES)

    @property
    def asked(self) -> dict[str, dict[str, Any]]:
        """How the model was asked in the log of each task; empty for any other file."""
        return self._written(ASKED)

    def _written(self, key: str) -> dict[str, Any]:
        """Return what `as_table` wrote beside a table."""
        return dict(json.loads((self.table.schema.metadata or {}).get(key.encode(), "{}")))

    def find(self, role: str) -> str | None:
        """Find the column of a role, by its name or by the usual ones."""
        at = (*self.place[:-1], "columns", role)
        name: str | None = getattr(self.roles, role)
        if name is not None:
            if role == "value" and all(names == [name] for names in self.scores.values()):
                name = "score" if self.scores else name
            if name not in self.names and name.startswith(OURS):
                return None
            if name not in self.names:
                raise Problem(at, f"{self.path!r}: {unknown('column', name, self.names)}")
            return name
        if _COLLECTED.get(role) in self.names:  # of a run: its models may be called like the others
            return _COLLECTED[role]
        present = [usual for usual in USUAL.get(role, ()) if usual in self.names]
        if len(present) > 1:
            which = f"say which of them it is, like {setting(role, present[0])}"
            raise Problem(at, f"{self.path!r} has {listed(present)}: {which}")
        return present[0] if present else None

    def require(self, role: str) -> str:
        """Find the column of a role that the table must have."""
        column = self.find(role)
        if column is None:
            why = "; rows are paired by their ids, never by their order" if role == "id" else ""
            raise Problem(
                (*self.place[:-1], "columns", role),
                f"{self.path!r} has no column of {_WHAT[role]}s (looked for "
                f"{listed(USUAL[role])}); it has {listed(self.names)}{why}: say which it is, "
                f"{setting(role, self._likely(role))}{self._no_labels(role)}",
            )
        return column

    def _likely(self, role: str) -> str | None:
        """Name the column that is probably of a role, by other names for it; or none."""
        likely = [name for name in self.names if name.casefold() in _LIKELY.get(role, ())]
        return likely[0] if len(likely) == 1 else None

    def _no_labels(self, role: str) -> str:
        """Say what to set where a table without true labels holds numbers, or marks."""
        frame = self.table.to_pandas().select_dtypes(["number", "bool"])
        if role != "truth" or not can_set("values") or self._likely(role) or not len(frame.columns):
            return ""
        marks = [name for name, values in frame.items() if values.isin([0, 1]).all()]
        if len(marks) > 1:
            right = setting("values", "right")
            return f"; columns of 1 for right and 0 for wrong rows are compared by {right}"
        either = f"{setting('values', 'higher')} or {setting('values', 'lower')}"
        text = f"; columns of numbers for each row are compared by {either}"
        if any(name.casefold() == "fold" for name in self.names):
            text += ", scores of folds by `bakeoff.compare_folds` in Python"
        return text

    def column(self, name: str) -> pd.Series[Any]:
        """Return the values of a column."""
        return pd.Series(self.table[name].to_pandas())

    def refuse(self, wrong: NDArray[np.bool_], what: str, column: str, more: str = "") -> None:
        """Refuse rows in which a column has no value, or a wrong one."""
        if wrong.any():
            row = int(wrong.argmax())
            value = self.table[column][row].as_py()
            first = f"row {row + 1}{'' if value is None else f' with {value}'}"
            where = f" in column {column.removeprefix(OURS)!r}"
            if self._is_of_call():  # an array has no column
                where = ""
            raise Problem(
                self.place,
                f"{self.path!r}: {wrong.sum():,} of {len(wrong):,} rows have {what}{where}; the "
                f"first is {first}{more}",
            )

    def answers(
        self, column: str, role: str = "predicted", *, numbers: bool = False, may_lack: bool = False
    ) -> Answers:
        """Return the labels of a column, or with `numbers` its numbers."""
        advice = without_missing()
        if role == "truth":
            advice = f"; {setting('missing_target', 'drop')} leaves them out"
        if numbers:
            return Answers((), self.numbers(column, may_lack=may_lack, advice=advice))
        labels = Answers.of_labels(self.table[column])
        if not may_lack:
            self.refuse(labels.missing, f"no {_WHAT[role]}", column, self._on_missing(advice))
        return labels

    def _is_of_call(self) -> bool:
        """Tell whether the table is made of the arguments of a call."""
        return not self.place or isinstance(self.path, Verbatim)

    def _on_missing(self, advice: str) -> str:
        """Say what to do about missing labels, in the words of the file or call they are from."""
        if self._is_of_call():
            return "; leave these rows out of all arguments"
        like_missing = "; a class that is called NA, None or the like needs"
        if self.place[0] == "models":
            return f"{like_missing} `missing_values: []` beside `{self.place[-1]}`{advice}"
        if can_set("missing_values"):
            return f"{like_missing} {setting('missing_values', '')}{advice}"
        return advice

    def numbers(
        self, column: str, *, may_lack: bool = False, advice: str = ""
    ) -> NDArray[np.float64]:
        """Return the numbers of a column, shape (n,)."""
        values = self.column(column)
        if not is_numeric_dtype(values):
            values = pd.to_numeric(values.astype(str).where(values.notna()), errors="coerce")
        numbers: NDArray[np.float64] = values.to_numpy(np.float64, na_value=np.nan)
        absent = self.table[column].is_null(nan_is_null=True).to_numpy()
        wrong = ~np.isfinite(numbers) & ~(may_lack & absent)
        if absent[wrong].all():
            advice = self._on_missing(advice) if self._is_of_call() else advice
        else:
            advice = ""
        self.refuse(wrong, "no number", column, advice)
        largest = np.abs(numbers).max(initial=0.0, where=np.isfinite(numbers))
        if largest > LARGEST:
            name = column.removeprefix(OURS)
            raise Problem(self.place, f"{self.path!r}: column {name!r} has {beyond(largest)}")
        return numbers

    def related(self, role: str) -> NDArray[Any] | None:
        """Return the group or time of each row; None if no column is named."""
        column = None if getattr(self.roles, role) is None else self.find(role)
        if column is None:
            return None
        values = self.column(column)
        self.refuse(values.isna().to_numpy(), f"no {_WHAT.get(role, role)}", column)
        with blame(*self.place, before=f"{self.path!r}: column {column!r} "):
            if role == "time":
                return ordered(values).to_numpy()
            return identifiers(values).to_numpy(dtype=object)

    def row_ids(self, column: str) -> NDArray[Any]:
        """Return the ids of a column, shape (n,): whole numbers, or texts."""
        with blame(*self.place, before=f"{self.path!r}: column {column!r} "):
            return canonical_ids(self.column(column))

    def ids(
        self, column: str, run: NDArray[Any] | None = None, folds: NDArray[np.intp] | None = None
    ) -> NDArray[Any]:
        """Return the row ids, shape (n,): whole numbers, or texts; unique in each run and fold."""
        self.refuse(self.table[column].is_null().to_numpy(), "no id", column)
        ids = self.row_ids(column)
        if run is not None:
            ids = np.array([f"{i} run {r}" for i, r in zip(ids, run, strict=True)], dtype=object)
        keys = pd.DataFrame({"id": ids})
        if folds is not None:
            keys[["repeat", "fold"]] = folds
        repeated = pd.unique(ids[keys.duplicated()])
        if not len(repeated):
            return ids
        within = " in each fold" if folds is not None else ""
        text = (
            f"{self.path!r}: ids must be unique{within}; repeated ({len(repeated):,}): "
            f"{some(repeated)}"
        )
        if run is None and folds is None:
            text += self._repeated_rows()
        raise Problem(self.place, text)

    def _repeated_rows(self) -> str:
        """Say what to set where rows are there several times."""
        if RUN in self.names:
            return f"; where they are runs of items, {setting('runs', RUN)} says so"
        return (
            "; where rows are predicted in several folds, their columns are `repeat` and `fold` of "
            "an experiment; where all are predicted by every training run, "
            f"{setting('seeds')} names their column; where they are runs of items, "
            f"{setting('runs')}"
        )

    def unclaimed(self, taken: Iterable[str | None]) -> list[str]:
        """Name the columns that have no role yet; those that are `taken` have one."""
        roles = self.roles
        named = [role for role in ("groups", "time", "runs") if getattr(roles, role) is not None]
        claimed = {*taken, *map(self.find, named), roles.repeat, roles.fold, roles.seeds}
        claimed |= {one.column for one in as_columns(roles.subgroups)}
        claimed |= {COLLECTED_GROUP, COLLECTED_TIME}
        carried = (SUBGROUP, TAKEN)
        return [n for n in self.names if n not in claimed and not n.startswith(carried)]


def by_run(file: Records) -> Iterator[Records]:
    """Cut a table at its column of training runs, every run with its rows in one order."""
    at = (*file.place[:-1], "columns", "seeds")
    if SEED in file.names:
        if file.roles.seeds is not None:
            raise Problem(at, f"{file.path!r} is a file for each run: leave it out")
        file = file.with_roles(seeds=SEED)
    if file.roles.seeds is None:
        yield file
        return
    runs, ids = file.related("seeds"), file.row_ids(file.require("id"))
    if file.roles.seeds == SEED:
        file = file.with_roles(seeds=None).with_table(file.table.drop_columns([SEED]))
    frame = pd.DataFrame({"run": runs, "id": ids.astype(str)})
    twice = frame[frame.duplicated()]
    if len(twice):
        run, row = twice.iloc[0]
        raise Problem(
            at,
            f"{file.path!r}: {len(twice):,} row(s) are there twice in a training run; the first is "
            f"id {row} in run {run}. Answers that are drawn anew for each item are no training "
            "runs: they are runs of an item",
        )
    names = in_order(set(frame["run"]))
    first = pd.Index(frame["id"][frame["run"] == names[0]])
    for run in names:
        rows = np.flatnonzero(frame["run"] == run)
        of_run = pd.Index(frame["id"].iloc[rows])
        lacking, extra = first.difference(of_run), of_run.difference(first)
        if len(lacking) or len(extra):
            which = f"lacks {len(lacking):,} row(s)" if len(lacking) else "has other rows"
            raise Problem(
                at,
                f"{file.path!r}: the training run {run} {which} ({some([*lacking, *extra])}): "
                "every run predicts the same rows; leave incomplete rows out of all runs",
            )
        yield file.with_table(file.table.take(pa.array(rows[of_run.get_indexer(first)])))

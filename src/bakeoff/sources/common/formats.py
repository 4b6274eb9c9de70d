"""Read a table from a file of any format, compressed or not, and say what is wrong with it."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pandas as pd
import pyarrow.feather
from pandas.api.types import is_numeric_dtype, is_string_dtype

from bakeoff.errors import Problem, UserError, unknown
from bakeoff.files import parse_json, read_large
from bakeoff.sources.common.base import ENDINGS, TableKeys
from bakeoff.sources.common.identifiers import (
    exact,
    frame_of,
    to_frame,
    whole_numbers,
    with_own_types,
)
from bakeoff.usercode import require

LARGEST = 4 << 30
"""Bytes of a download, and of what an archive holds: more is a mistake or an attack."""
_SMALL, _RATIO = 256 << 20, 200
"""Bytes that any archive may hold, and the times its size that a larger one may hold."""

_OPENERS: Mapping[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
_ZIP = ".zip"
COMPRESSED = (*_OPENERS, _ZIP)
"""Endings of what is unpacked while it is read."""
MISSING = frozenset(
    {
        *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NULL", "null", "None"),
        *("NaN", "nan", "-NaN", "-nan", "-1.#IND", "1.#IND", "-1.#QNAN", "1.#QNAN"),
    }
)
"""What stands for a missing value in a CSV file unless `missing_values` says otherwise."""
MOST_COLUMNS = 100_000
_OTHER_SEPARATORS = {";": "`sep: ';'`", "\t": '`sep: "\\t"` (or `format: tsv`)', "|": "`sep: '|'`"}


def read_table(name: str, spec: TableKeys, path: Path | None = None) -> pd.DataFrame:
    """Read a table from a file, which is at `path` where that is not its name."""
    kind = format_of(name, spec)
    for key in _OF_OTHERS.get(kind, ("sheet", *_OF_TEXTS, "missing_values")):
        if getattr(spec, key) != TableKeys.model_fields[key].default:
            formats = "Excel" if key == "sheet" else "CSV and TSV"
            raise Problem((key,), f"`{key}` is for {formats}, the file is {kind}")
    try:
        frame = _READERS[kind](path or Path(name), name, spec)
    except UnicodeDecodeError:
        raise Problem(
            ("encoding",),
            f"{name!r} is not {spec.encoding} text; say which it is, e.g. `encoding: latin-1`",
        ) from None
    except UserError:
        raise
    except Exception as error:  # libraries raise anything for a file that is none of its kind
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(f"{name!r} cannot be read as {kind}: {reason}") from None
    return with_plain_columns(frame, name)


def format_of(name: str, spec: TableKeys) -> str:
    """Tell the format: as the experiment says, or by the ending."""
    if spec.format is not None:
        return spec.format
    endings = [suffix.lower() for suffix in Path(name.partition("?")[0]).suffixes]
    if endings and endings[-1] in COMPRESSED:
        endings.pop()
    ending = endings[-1] if endings else ""
    if ending not in ENDINGS:
        text = f"{name!r}: {unknown('file ending', ending, ENDINGS)}; or set `format: csv`"
        raise Problem(("format",), text)
    return ENDINGS[ending]


def _csv(path: Path, name: str, spec: TableKeys) -> pd.DataFrame:
    sep = spec.sep or ("\t" if format_of(name, spec) == "tsv" else ",")
    with opened(path, name) as file, io.TextIOWrapper(file, _encoding(spec), newline="") as lines:
        for _ in range(spec.skip):
            lines.readline()
        columns = _check_text(lines, sep, name, spec)
    missing = _missing_texts(spec)

    def read(**options: Any) -> Any:
        with opened(path, name) as file:
            return pd.read_csv(
                file,
                sep=sep,
                skiprows=spec.skip,
                header=0 if spec.header else None,
                names=columns,
                encoding=_encoding(spec),
                keep_default_na=False,
                na_values=missing,
                index_col=False,
                low_memory=False,
                **options,
            )

    frame = exact(read(decimal=spec.decimal), lambda lost: read(usecols=lost, dtype="str"), missing)
    whole = [name for name, values in frame.items() if is_numeric_dtype(values.dtype)]
    if whole and has_codes(path, name):
        texts = read(usecols=whole, dtype="str")
        codes = [code for code, one in texts.items() if one.str.fullmatch(r"\s*0\d+\s*").any()]
        frame = frame.assign(**{str(code): texts[code] for code in codes})
    return frame


_CODE = re.compile(rb"(?:^|[,;|\"\s])0\d+(?=[,;|\"\s]|$)", re.MULTILINE)


def has_codes(path: Path, name: str) -> bool:
    """Tell whether a text has whole numbers with zeros before them, which are codes like 007."""
    before = b""
    with opened(path, name) as file:
        while part := file.read(1 << 24):
            if _CODE.search(before + part):
                return True
            before = part[-64:]
    return False


def _check_text(lines: IO[str], sep: str, name: str, spec: TableKeys) -> list[str]:
    """Look at every line for a wrong number of values; return the names of the columns."""
    rows = csv.reader(lines, delimiter=sep)
    csv.field_size_limit(2**31 - 1)
    try:
        first = next((row for row in rows if row), None)
        if first is None:
            raise UserError(f"{name!r} is empty")
        for other, remedy in _OTHER_SEPARATORS.items() if len(first) == 1 else ():
            if other in first[0]:
                raise UserError(f"{name!r} seems to be separated by {other!r}: set {remedy}")
        columns = [f"x{i}" for i in range(1, len(first) + 1)]
        if spec.header:
            columns = [column.strip() or f"Unnamed: {i}" for i, column in enumerate(first)]
        _check_columns(columns, name)
        count = 0 if spec.header else 1
        for row in rows:
            if row and len(row) != len(first):
                line = rows.line_num + spec.skip
                raise UserError(
                    f"{name!r}: line {line} has {len(row)} values, the first line has {len(first)}"
                )
            count += bool(row)
    except csv.Error as error:
        raise UserError(f"{name!r}: line {rows.line_num + spec.skip}: {error}") from None
    if not count:
        raise UserError(f"{name!r} has no rows, only the names of {len(first)} columns")
    return columns


def _missing_texts(spec: TableKeys) -> list[str]:
    return list(MISSING) if spec.missing_values is None else ["", *spec.missing_values]


def _encoding(spec: TableKeys) -> str:
    """Recognize the byte order mark that some programs write before UTF-8."""
    return "utf-8-sig" if spec.encoding.lower() in ("utf-8", "utf8") else spec.encoding


def _binary(read: Callable[[Any], pd.DataFrame]) -> Callable[[Path, str, TableKeys], pd.DataFrame]:
    """Make a reader of a format that says everything about the table itself."""

    def reader(path: Path, name: str, spec: TableKeys) -> pd.DataFrame:
        with opened(path, name) as file:
            frame = read(file)
        # what pandas stored as a named index is a column to everyone else
        named = [name for name in frame.index.names if name is not None]
        return frame.reset_index(named) if named else frame

    return reader


def _arrow(table: pyarrow.Table, **options: Any) -> pd.DataFrame:
    table.validate(full=True)  # texts that are not UTF-8 would fail wherever they are read first
    return to_frame(table, **options)


def _jsonl(path: Path, name: str, spec: TableKeys) -> pd.DataFrame:
    rows = []
    with opened(path, name) as file, io.TextIOWrapper(file, _encoding(spec)) as lines:
        for number, line in enumerate(lines, 1):
            try:
                rows += [parse_json(line)] if line.strip() else []
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
            if rows and not isinstance(rows[-1], dict):
                raise ValueError(f'line {number}: expected an object like {{"a": 1}}')
    return frame_of(rows)


def _excel(path: Path, name: str, spec: TableKeys) -> pd.DataFrame:
    require("openpyxl", f"{name!r}, an Excel file,")
    with opened(path, name) as file:
        with zipfile.ZipFile(file) as archive:  # which a workbook is
            check_archive(archive)
        file.seek(0)
        book = pd.ExcelFile(file, engine="openpyxl")
        shown = [one.title for one in book.book.worksheets if one.sheet_state == "visible"]
        sheet = spec.sheet or (shown or book.sheet_names)[0]
        if sheet not in book.sheet_names:
            sheets = map(str, book.sheet_names)
            raise Problem(("sheet",), f"{name!r}: {unknown('sheet', sheet, sheets)}")
        missing = _missing_texts(spec)
        frame = pd.read_excel(book, sheet_name=sheet, keep_default_na=False, na_values=missing)
        # floats that may stand for several whole numbers; of unsigned ones with a missing one
        # pandas makes texts, and an empty one of that
        large = [
            name
            for name, values in frame.items()
            if (is_numeric_dtype(values.dtype) and (values.abs() >= 2.0**53).any())
            or (is_string_dtype(values.dtype) and (values == "").any())
        ]
        cells = pd.read_excel(book, sheet_name=sheet, dtype=object)[large] if large else frame[[]]
    for column, values in cells.items():
        if not all(isinstance(value, str) for value in values.dropna()):
            # a workbook's numbers are floats, of at most 16 digits, also where they look whole
            frame[column] = values.astype("float64")
        elif (whole := whole_numbers(values)) is not None:
            frame[column] = whole
    return frame


_READERS: Mapping[str, Callable[[Path, str, TableKeys], pd.DataFrame]] = {
    "csv": _csv,
    "tsv": _csv,
    "parquet": _binary(
        lambda file: _arrow(read_large(file), split_blocks=True, self_destruct=True)
    ),
    "feather": _binary(lambda file: _arrow(pyarrow.feather.read_table(file))),
    "jsonl": _jsonl,
    "excel": _excel,
    "stata": _binary(pd.read_stata),
}


_OF_TEXTS = ("sep", "header", "skip", "decimal")
_OF_OTHERS = {"csv": ("sheet",), "tsv": ("sheet",), "excel": _OF_TEXTS}
"""Keys of other formats."""


def with_plain_columns(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Give the columns names that are texts; refuse two of one name, and no rows."""
    columns = [str(column) for column in frame.columns]
    _check_columns(columns, name)
    if frame.empty:
        raise UserError(f"{name!r} has no rows")
    return with_own_types(frame.set_axis(pd.Index(columns, dtype=object), axis=1))


def _check_columns(columns: Sequence[str], name: str) -> None:
    """Refuse two columns of one name, and more than a table has: they take minutes, gigabytes."""
    if len(columns) > MOST_COLUMNS:
        raise UserError(
            f"{name!r} has {len(columns):,} columns, at most {MOST_COLUMNS:,} are read; a table "
            "has a row for each case: turn one that has a column for each"
        )
    if twice := [column for column, count in Counter(columns).items() if count > 1]:
        raise UserError(
            f"{name!r} has {len(twice)} column name(s) more than once, first {twice[0]!r}: "
            "rename them"
        )


def most_unpacked(packed: int) -> int:
    """Return how many bytes an archive of so many may hold: it is read into memory."""
    import psutil

    free: int = psutil.virtual_memory().available
    return min(LARGEST, free // 2, max(_SMALL, _RATIO * packed))


def check_archive(archive: zipfile.ZipFile) -> None:
    """Refuse a ZIP archive that holds more than `most_unpacked`."""
    infos = archive.infolist()
    most = most_unpacked(sum(info.compress_size for info in infos))
    _check_unpacked(sum(info.file_size for info in infos), most)


def _check_unpacked(size: int, most: int) -> None:
    if size > most:
        raise ValueError(
            f"it unpacks to more than {most / 2**30:.2g} GiB: {LARGEST >> 30} GiB, {_RATIO} times "
            "the size of the archive and half of the free memory are the limits; if it is meant "
            "to, unpack it and name what is in it"
        )


@contextmanager
def opened(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Open a file, unpacked into memory where the ending of `name` says that it is compressed."""
    ending = Path(name.partition("?")[0]).suffix.lower()
    if ending == _ZIP:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
            if len(members) != 1:
                raise UserError(f"{name!r} holds {len(members)} files; it must hold one table")
            with archive.open(members[0]) as file:
                yield _unpacked(file, path)
    elif ending in _OPENERS:
        with _OPENERS[ending](path, "rb") as file:
            yield _unpacked(file, path)
    else:
        with path.open("rb") as file:
            yield file


def _unpacked(file: IO[bytes], path: Path) -> IO[bytes]:
    most = most_unpacked(path.stat().st_size)
    content = file.read(most + 1)
    _check_unpacked(len(content), most)
    return io.BytesIO(content)

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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
_SMALL = 256 << 20
"""Bytes that any archive may hold."""
_RATIO = 200
"""How many times its own size a larger archive may hold."""
MOST_COLUMNS = 100_000

_ZIP = ".zip"
_OPENERS: Mapping[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
COMPRESSED = (*_OPENERS, _ZIP)
"""Endings of what is unpacked while it is read."""
USUAL_SEPARATORS = {"csv": ",", "tsv": "\t"}
"""What separates the values of the formats that are texts, where nothing else is said."""
_KEYS_OF_TEXTS = ("sep", "header", "skip", "decimal")
_KEYS_OF_TABLES = ("sheet", *_KEYS_OF_TEXTS, "missing_values")
_KEYS_OF_OTHERS = {
    "csv": ("sheet",),
    "tsv": ("sheet",),
    "excel": _KEYS_OF_TEXTS,
}
"""Keys that a format does not have."""

MISSING = frozenset({
    "", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NULL", "null", "None",
    "NaN", "nan", "-NaN", "-nan", "-1.#IND", "1.#IND", "-1.#QNAN", "1.#QNAN",
})  # fmt: skip
"""What stands for a missing value in a CSV file unless `missing_values` says otherwise."""
_OTHER_SEPARATORS = {
    ";": "`sep: ';'`",
    "\t": '`sep: "\\t"` (or `format: tsv`)',
    "|": "`sep: '|'`",
}
_LONGEST_FIELD = 2**31 - 1
_EXACT = 2.0**53
"""From here on a float stands for several whole numbers."""
_CODE_IN_TEXT = re.compile(rb"(?:^|[,;|\"\s])0\d+(?=[,;|\"\s]|$)", re.MULTILINE)
_CODE = r"\s*0\d+\s*"
"""A whole number with zeros before it, like 007."""
_PART = 1 << 24
_LONGEST_CODE = 64


def without_endings(name: str, endings: Collection[str] = ()) -> str:
    """Return the name of a file without endings of formats; other dots, as in gpt-4.1, stay."""
    known = {*ENDINGS, *COMPRESSED, *endings}
    stem = name
    suffix = Path(stem).suffix
    while suffix.lower() in known:
        stem = stem.removesuffix(suffix)
        suffix = Path(stem).suffix
    return stem


def read_table(name: str, spec: TableKeys, path: Path | None = None) -> pd.DataFrame:
    """Read a table from a file, which is at `path` where that is not its name."""
    kind = format_of(name, spec)
    for key in _KEYS_OF_OTHERS.get(kind, _KEYS_OF_TABLES):
        if getattr(spec, key) == TableKeys.model_fields[key].default:
            continue
        formats = "CSV and TSV"
        if key == "sheet":
            formats = "Excel"
        raise Problem((key,), f"`{key}` is for {formats}, the file is {kind}")
    try:
        frame = _read(kind, path or Path(name), name, spec)
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
    file_name = name.partition("?")[0]
    file = Path(file_name.lower())
    if file.suffix in COMPRESSED:  # behind the ending of the table, as in .csv.gz
        file = file.with_suffix("")
    ending = file.suffix
    if ending not in ENDINGS:
        text = f"{name!r}: {unknown('file ending', ending, ENDINGS)}; or set `format: csv`"
        raise Problem(("format",), text)
    return ENDINGS[ending]


def _read(kind: str, path: Path, name: str, spec: TableKeys) -> pd.DataFrame:
    if kind in USUAL_SEPARATORS:
        return _read_text(kind, path, name, spec)
    if kind == "jsonl":
        return _read_json_lines(path, name, spec)
    if kind == "excel":
        return _read_excel(path, name, spec)
    with opened(path, name) as file:
        frame = _read_binary(kind, file)
    # what pandas stored as a named index is a column to everyone else
    index_names = [name for name in frame.index.names if name is not None]
    if index_names:
        frame = frame.reset_index(index_names)
    return with_own_types(frame)


# --- files that may be compressed


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


def most_unpacked(packed: int) -> int:
    """Return how many bytes an archive of so many may hold: it is read into memory."""
    import psutil

    free: int = psutil.virtual_memory().available
    return min(LARGEST, free // 2, max(_SMALL, _RATIO * packed))


def check_archive(archive: zipfile.ZipFile) -> None:
    """Refuse a ZIP archive that holds more than `most_unpacked`."""
    members = archive.infolist()
    packed = 0
    unpacked = 0
    for member in members:
        packed += member.compress_size
        unpacked += member.file_size
    _check_unpacked(unpacked, most_unpacked(packed))


def _check_unpacked(size: int, most: int) -> None:
    if size > most:
        raise ValueError(
            f"it unpacks to more than {most / 2**30:.2g} GiB: {LARGEST >> 30} GiB, {_RATIO} times "
            "the size of the archive and half of the free memory are the limits; if it is meant "
            "to, unpack it and name what is in it"
        )


# --- CSV and TSV


def _read_text(kind: str, path: Path, name: str, spec: TableKeys) -> pd.DataFrame:
    """Read CSV or TSV; whole numbers beyond 2⁵³ and codes like 007 stay what they are."""
    sep = _separator(kind, spec)
    encoding = _encoding(spec)
    columns = _checked_columns(path, name, sep, spec)
    missing = _missing_texts(spec)
    # to pandas the first line holds names, or no line does
    header = None
    if spec.header:
        header = 0

    def read(**options: Any) -> Any:
        with opened(path, name) as file:
            return pd.read_csv(
                file,
                sep=sep,
                skiprows=spec.skip,
                header=header,
                names=columns,
                encoding=encoding,
                keep_default_na=False,
                na_values=missing,
                index_col=False,
                low_memory=False,
                **options,
            )

    frame: pd.DataFrame = read(decimal=spec.decimal)
    frame = exact(frame, lambda lost: read(usecols=lost, dtype="str"), missing)
    numeric = []
    for column, values in frame.items():
        if is_numeric_dtype(values.dtype):
            numeric.append(column)
    if not numeric or not _has_codes(path, name):
        return frame
    # pandas would drop the zeros before codes
    as_written = read(usecols=numeric, dtype="str")
    for column, texts in as_written.items():
        if texts.str.fullmatch(_CODE).any():
            frame = frame.assign(**{str(column): texts})
    return frame


def _separator(kind: str, spec: TableKeys) -> str:
    """Return what separates the values of a line."""
    if spec.sep is not None:
        return spec.sep
    return USUAL_SEPARATORS[kind]


def _encoding(spec: TableKeys) -> str:
    """Recognize the byte order mark that some programs write before UTF-8."""
    if spec.encoding.lower() in ("utf-8", "utf8"):
        return "utf-8-sig"
    return spec.encoding


def _missing_texts(spec: TableKeys) -> list[str]:
    if spec.missing_values is None:
        return list(MISSING)
    return ["", *spec.missing_values]


def columns_of_text(name: str, spec: TableKeys) -> list[str]:
    """Return the names of the columns of a CSV or TSV file; its first line alone is read."""
    sep = _separator(format_of(name, spec), spec)
    with _lines(Path(name), name, sep, spec) as rows:
        return _named_columns(rows, name, spec)


@contextmanager
def _lines(path: Path, name: str, sep: str, spec: TableKeys) -> Iterator[Any]:
    """Open a text and read the values of its lines."""
    encoding = _encoding(spec)
    with opened(path, name) as file, io.TextIOWrapper(file, encoding, newline="") as lines:
        for _ in range(spec.skip):
            lines.readline()
        # texts of documents are longer than Python's limit
        csv.field_size_limit(_LONGEST_FIELD)
        yield csv.reader(lines, delimiter=sep)


def _checked_columns(
    path: Path,
    name: str,
    sep: str,
    spec: TableKeys,
) -> list[str]:
    """Look at every line for a wrong number of values; return the names of the columns."""
    with _lines(path, name, sep, spec) as rows:
        try:
            columns = _named_columns(rows, name, spec)
            n_rows = 1
            if spec.header:  # the line that was read is no row
                n_rows = 0
            for row in rows:
                if not row:
                    continue
                n_rows += 1
                if len(row) != len(columns):
                    line = rows.line_num + spec.skip
                    raise UserError(
                        f"{name!r}: line {line} has {len(row)} values, the first line has "
                        f"{len(columns)}"
                    )
        except csv.Error as error:
            raise UserError(f"{name!r}: line {rows.line_num + spec.skip}: {error}") from None
    if not n_rows:
        raise UserError(f"{name!r} has no rows, only the names of {len(columns)} columns")
    return columns


def _named_columns(rows: Iterator[list[str]], name: str, spec: TableKeys) -> list[str]:
    """Return the names of the columns in the first line, or x1, x2, … where it is a row."""
    first = next(filter(None, rows), None)
    if first is None:
        raise UserError(f"{name!r} is empty")
    if len(first) == 1:
        for other, remedy in _OTHER_SEPARATORS.items():
            if other in first[0]:
                raise UserError(f"{name!r} seems to be separated by {other!r}: set {remedy}")
    if spec.header:
        columns = [column.strip() or f"Unnamed: {i}" for i, column in enumerate(first)]
    else:
        columns = [f"x{i}" for i in range(1, len(first) + 1)]
    _check_columns(columns, name)
    return columns


def _has_codes(path: Path, name: str) -> bool:
    """Tell whether a text has whole numbers with zeros before them, which are codes like 007."""
    before = b""
    with opened(path, name) as file:
        for part in iter(lambda: file.read(_PART), b""):
            if _CODE_IN_TEXT.search(before + part):
                return True
            # a code may stand on both sides of the cut
            before = part[-_LONGEST_CODE:]
    return False


# --- other formats


def _read_json_lines(path: Path, name: str, spec: TableKeys) -> pd.DataFrame:
    rows = []
    with opened(path, name) as file, io.TextIOWrapper(file, _encoding(spec)) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = parse_json(line)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
            if not isinstance(row, dict):
                raise ValueError(f'line {number}: expected an object like {{"a": 1}}')
            rows.append(row)
    return frame_of(rows)


def _read_excel(path: Path, name: str, spec: TableKeys) -> pd.DataFrame:
    require("openpyxl", f"{name!r}, an Excel file,")
    with opened(path, name) as file:
        with zipfile.ZipFile(file) as archive:  # which a workbook is
            check_archive(archive)
        file.seek(0)
        book = pd.ExcelFile(file, engine="openpyxl")
        sheet = _sheet(book, name, spec)
        missing = _missing_texts(spec)
        frame: pd.DataFrame = pd.read_excel(
            book,
            sheet_name=sheet,
            keep_default_na=False,
            na_values=missing,
        )
        inexact = []
        for column, values in frame.items():
            if _may_be_inexact(values):
                inexact.append(column)
        if not inexact:
            return frame
        cells = pd.read_excel(book, sheet_name=sheet, dtype=object)[inexact]
    for column, values in cells.items():
        if not all(isinstance(value, str) for value in values.dropna()):
            # a workbook's numbers are floats, of at most 16 digits, also where they look whole
            frame[column] = values.astype("float64")
            continue
        whole = whole_numbers(values)
        if whole is not None:
            frame[column] = whole
    return frame


def _sheet(book: pd.ExcelFile, name: str, spec: TableKeys) -> Any:
    """Return the name of the sheet that is meant, or of the first that is not hidden."""
    visible = []
    for worksheet in book.book.worksheets:
        if worksheet.sheet_state == "visible":
            visible.append(worksheet.title)
    sheet = spec.sheet or (visible or book.sheet_names)[0]
    if sheet not in book.sheet_names:
        sheets = map(str, book.sheet_names)
        raise Problem(("sheet",), f"{name!r}: {unknown('sheet', sheet, sheets)}")
    return sheet


def _may_be_inexact(values: pd.Series[Any]) -> bool:
    """Tell whether floats of a column may stand for several whole numbers."""
    if is_numeric_dtype(values.dtype):
        return bool((values.abs() >= _EXACT).any())
    # of unsigned ones with a missing one pandas makes texts, and an empty one of that
    return is_string_dtype(values.dtype) and bool((values == "").any())


def _read_binary(kind: str, file: IO[bytes]) -> pd.DataFrame:
    """Read a format that says everything about the table itself."""
    if kind == "stata":
        return pd.read_stata(file)
    if kind == "feather":
        table = pyarrow.feather.read_table(file)
        table.validate(full=True)
        return to_frame(table)
    table = read_large(file)
    table.validate(full=True)  # texts that are not UTF-8 would fail wherever they are read first
    return to_frame(table, split_blocks=True, self_destruct=True)


# --- columns


def with_plain_columns(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Give the columns names that are texts; refuse two of one name, and no rows."""
    columns = list(map(str, frame.columns))
    _check_columns(columns, name)
    if frame.empty:
        raise UserError(f"{name!r} has no rows")
    return frame.set_axis(pd.Index(columns, dtype=object), axis=1)


def _check_columns(columns: Sequence[str], name: str) -> None:
    """Refuse two columns of one name, and more than a table has: they take minutes, gigabytes."""
    if len(columns) > MOST_COLUMNS:
        raise UserError(
            f"{name!r} has {len(columns):,} columns, at most {MOST_COLUMNS:,} are read; a table "
            "has a row for each case: turn one that has a column for each"
        )
    counts = Counter(columns)
    repeated = [column for column, count in counts.items() if count > 1]
    if repeated:
        raise UserError(
            f"{name!r} has {len(repeated)} column name(s) more than once, first {repeated[0]!r}: "
            "rename them"
        )

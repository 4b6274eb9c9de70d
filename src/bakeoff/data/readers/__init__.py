"""Readers of logs of evaluations, one module for each tool, which are told by their content.

A module of this package is a reader by being here. It has three names:

``WHAT``
    What its files are, in messages: "was read as a log of …".
``recognizes(head)``
    Whether the first 2²⁰ characters are of such a file; mostly a `common.Signature`.
``read(text)``
    The rows of a file, with columns called as in any table of predictions (``id``, ``y_true``,
    ``y_pred``, ``p_<class>``, ``score``). A `ValueError` says what is wrong with the file, a
    `LeftOut` that it has not all of its rows. `common.table_of_questions` makes such a table, with
    ids that stand for the questions.

``attrs`` of the rows may say ``model``, ``task``, a ``key`` of the evaluation, the ``settings``
that runs of one model share, by name, ``prompts`` (a digest of each prompt by the ids) and
``ended`` (how many samples each limit ended). A log of several models has a column ``model``, and
the settings of each. Columns called ``cost``, ``latency`` (in seconds), ``input_tokens``,
``output_tokens`` and ``total_tokens`` say what an answer took.

A reader may also have ``named(path)``, which tells model and task from the place of a file,
``beside(path)``, which returns settings that another file there holds, ``DATASETS``, the column of
the data sets where it reads scores of these and no rows, and for archives ``unpacks(archive)`` and
``read_archive(archive)``. Other packages enter such a module, or any object like it, by the entry
point ``bakeoff.readers``.
"""

from __future__ import annotations

import pkgutil
import zipfile
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.data.readers.common import SETTINGS, UNFINISHED, LeftOut
from bakeoff.errors import some
from bakeoff.files import parse_json
from bakeoff.sources.common.formats import check_archive

_HEAD = 1 << 20
"""Characters by which a file is recognized."""
_MOST_KEYS = 12
_NEEDED = (
    "write a CSV with a row for each item and model, and the three columns id, model and score, or "
    "one for each model with id, y_true and y_pred"
)
"""What to do with a file that no reader knows."""


def reader_of(path: str) -> Any:
    """Return the reader that recognizes a file; None for a plain table."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return _reader_of_archive(archive)
        with Path(path).open(encoding="utf-8") as file:
            head = file.read(_HEAD)
    except (OSError, UnicodeDecodeError, zipfile.BadZipFile, NotImplementedError):
        return None  # of a version that no archive has: whoever reads it as a table names it
    # a file is of one tool at most, so that the order of the readers decides nothing
    for reader in _readers():
        if reader.recognizes(head):
            return reader
    return None


def _reader_of_archive(archive: zipfile.ZipFile) -> Any:
    for reader in _readers():
        if hasattr(reader, "unpacks") and reader.unpacks(archive):
            return reader
    return None


@cache
def _readers() -> tuple[Any, ...]:
    """Return the readers of this package, in alphabetical order, and what other packages enter."""
    readers: list[Any] = []
    for info in pkgutil.iter_modules(__path__):
        module = import_module(f"{__name__}.{info.name}")
        if hasattr(module, "recognizes"):  # and not one that readers share
            readers.append(module)
    for entry in metadata.entry_points(group="bakeoff.readers"):
        readers.append(entry.load())
    return tuple(readers)


def known() -> str:
    """List what is recognized."""
    return "; ".join([reader.WHAT for reader in _readers()])


def unknown_shape(path: str) -> str:
    """Say what a file of JSON holds that no reader knows, and how to write the columns needed."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        try:
            content = parse_json(text)
        except ValueError:  # a value on each line, perhaps
            lines = filter(str.strip, text.splitlines())
            content = list(map(parse_json, lines))
    except (OSError, ValueError):
        return f"; it is no JSON: {_NEEDED}"
    first = content
    what = "an object"
    if isinstance(content, list):
        first = next(iter(content), None)
        what = f"a list of {len(content):,}"
    if not isinstance(first, dict):
        return f"; it holds {what}: {_NEEDED}"
    if isinstance(content, list):
        what += " objects"
    return f"; it holds {what} with {some(first, _MOST_KEYS) or 'no keys'}: {_NEEDED}"


def read_log(reader: Any, path: str, *, partial: bool) -> pd.DataFrame:
    """Read a file by the reader that recognizes it; where it may be `partial`, what there is."""
    try:
        rows = _rows_of(reader, path, partial=partial)
    except (LookupError, TypeError, AttributeError, ArithmeticError, AssertionError) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"it is not as {reader.WHAT} is written ({why})") from None
    if hasattr(reader, "beside"):
        rows.attrs[SETTINGS] = {**rows.attrs.get(SETTINGS, {}), **reader.beside(Path(path))}
    return rows


def _rows_of(reader: Any, path: str, *, partial: bool) -> pd.DataFrame:
    rows: pd.DataFrame
    try:
        if not zipfile.is_zipfile(path):
            rows = reader.read(Path(path).read_text(encoding="utf-8"))
            return rows
        with zipfile.ZipFile(path) as archive:
            check_archive(archive)
            rows = reader.read_archive(archive)
            return rows
    except LeftOut as error:
        if not partial or error.rows is None:
            raise
        # the rows that there are, and why they are not all
        rows = error.rows()
        rows.attrs[UNFINISHED] = {"why": str(error), "lacking": error.lacking}
        return rows

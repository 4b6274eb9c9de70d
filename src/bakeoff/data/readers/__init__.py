"""Readers of other tools' output; each module of this package is registered as one.

Readers of others are found by the entry point ``bakeoff.readers``: a module, or any object, with
`WHAT`, `recognizes` and `read`, `OF_FOLDS` where it reads scores of folds, and `unpacks` where its
files may be ZIP archives. What a file is, is told from its content, not from its name.
"""

from __future__ import annotations

import pkgutil
import zipfile
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Protocol, cast

import pandas as pd

from bakeoff.errors import Place, Problem
from bakeoff.sources.common.archives import LARGEST

__all__ = ["Reader", "known", "read_elsewhere", "reader_of"]

GROUP = "bakeoff.readers"
_HEAD = 1 << 20


class Reader(Protocol):
    """A reader of one tool's output format."""

    WHAT: str
    """What its files are, after "a" or "an": ``"OpenML run"``."""

    def recognizes(self, head: str) -> bool:
        """Tell from the first 2²⁰ characters whether a file is one."""

    def read(self, text: str) -> pd.DataFrame:
        """Return its rows, with columns called as in any table of predictions.

        Raises
        ------
        ValueError
            It cannot be used, with what was found.
        """


def reader_of(path: str) -> Reader | None:
    """Return the reader that recognizes a file; None for a plain table."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                unpacking = (one for one in _readers() if hasattr(one, "unpacks"))
                return next((one for one in unpacking if one.unpacks(archive)), None)
        with Path(path).open(encoding="utf-8") as file:
            head = file.read(_HEAD)
    except (OSError, UnicodeDecodeError, zipfile.BadZipFile):
        return None
    return next((reader for reader in _readers() if reader.recognizes(head)), None)


def read_elsewhere(path: str, place: Place, *, folds: bool = False) -> pd.DataFrame | None:
    """Read a file of another tool; None if no reader recognizes it.

    Parameters
    ----------
    path, place
        The file, and where it is named.
    folds : bool
        Whether scores of folds are wanted, or what is about rows.

    Raises
    ------
    Problem
        It is one that cannot be used, or not here.
    """
    reader = reader_of(path)
    if reader is None:
        return None
    if getattr(reader, "OF_FOLDS", False) != folds:
        raise Problem(
            place,
            f"{path!r} holds {reader.WHAT}, "
            + (
                "of rows and not of folds: name it in `predictions:` or `values:` of a model"
                if folds
                else "and not predictions of rows: name it in `scores:` of a model, and in "
                "`resampling:` how the rows were divided"
            ),
        )
    try:
        if zipfile.is_zipfile(path):
            return _of_archive(reader, path)
        return reader.read(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise Problem(place, f"{path!r} was taken for a file of {reader.WHAT}: {error}") from None


def _of_archive(reader: Any, path: str) -> pd.DataFrame:
    with zipfile.ZipFile(path) as archive:
        if sum(info.file_size for info in archive.infolist()) > LARGEST:
            raise ValueError(f"it unpacks to more than {LARGEST >> 30} GiB")
        try:
            return cast("pd.DataFrame", reader.read_archive(archive))
        except (NotImplementedError, zipfile.BadZipFile) as error:
            raise ValueError(f"it cannot be unpacked: {error}") from None


def known() -> list[str]:
    """List the recognized formats."""
    return [reader.WHAT for reader in _readers()]


@cache
def _readers() -> tuple[Reader, ...]:
    modules = (import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    others = (point.load() for point in metadata.entry_points(group=GROUP))
    return cast("tuple[Reader, ...]", (*modules, *others))

"""Terminal output of the commands: aligned tables, with colour if wanted."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import stat
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bakeoff.errors import UserError, printable
from bakeoff.files import check_writable
from bakeoff.report.numbers import paragraph

_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
"""What styles a text; it takes no columns."""
_SPACE = 2
"""Blanks before each column of a table."""
_LONGEST = 60
"""Characters of a path that a message shows."""


def say(*lines: str) -> None:
    """Print lines; a closed pipe (`| head`) is not an error and changes no exit code."""
    with unread():
        sys.stdout.write("".join([f"{printable(line)}\n" for line in lines]))


def say_paragraphs(texts: Iterable[str]) -> None:
    """Print texts, each as a paragraph."""
    for text in texts:
        say(paragraph(text))


def say_notes(texts: Iterable[str]) -> None:
    """Print texts dimmed, each as a paragraph."""
    for text in texts:
        say(dim(paragraph(text)))


def say_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    sides: str = "",
    least: Sequence[tuple[str, ...]] = (),
) -> None:
    """Print a table; see `table`."""
    for line in table(header, rows, sides, least):
        say(line)


def say_json(content: Any) -> None:
    """Print an answer as JSON."""
    say(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


@contextmanager
def unread() -> Iterator[None]:
    """Discard further output once it cannot be written, and say so unless a pipe was closed."""
    try:
        yield
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            why = str(error)
            if error.errno:
                why = os.strerror(error.errno)
            raise UserError(f"the output cannot be written: {why}") from None


class _Forgiving(io.FileIO):
    """A file that takes what it cannot write for written."""

    def write(self, data: Any) -> int:
        """Write, or on a full disk and into a closed pipe do nothing."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


def forgive_stderr() -> None:
    """Let a message that cannot be written leave the exit code as it is."""
    if isinstance(sys.stderr, io.TextIOWrapper):
        file = _Forgiving(sys.stderr.fileno(), "w", closefd=False)
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(file),
            encoding=sys.stderr.encoding,
            errors=sys.stderr.errors,
            line_buffering=True,
        )


def check_streams() -> None:
    """Refuse a closed stdout, which leaves an answer no place; a closed stderr is discarded."""
    # Python has None for a stream that is closed when it starts
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - for the rest of the process
    if sys.stdout is None:
        raise UserError("the output cannot be written: stdout is closed")


def bold(text: str) -> str:
    """Return a text in bold, where the terminal has styles."""
    return _styled(text, "1")


def dim(text: str) -> str:
    """Return a text dimmed, where the terminal has styles."""
    return _styled(text, "2")


# --- tables


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    sides: str = "",
    least: Sequence[tuple[str, ...]] = (),
) -> list[str]:
    """Align a table; if it is too wide, drop the least important columns.

    `sides` has an l or an r for each column; `least` names columns, those first that go first.
    """
    lines = [_cells(row) for row in [header, *rows]]
    widths = []
    for column in range(len(header)):
        widths.append(max(width_of(line[column]) for line in lines))
    kept = _columns_with_room(header, widths, least)
    aligned = [_aligned(line, widths, kept, sides) for line in lines]
    # without a name of any column there is no head
    if not aligned[0]:
        return aligned[1:]
    aligned[0] = dim(aligned[0])
    return aligned


def _columns_with_room(
    header: Sequence[str], widths: Sequence[int], least: Sequence[tuple[str, ...]]
) -> list[int]:
    """Return the columns that a terminal has room for, without the least important ones."""
    # into a file or a pipe everything is written
    room = shutil.get_terminal_size((sys.maxsize, 0)).columns
    kept = list(range(len(header)))
    for names in least:
        if sum(_SPACE + widths[column] for column in kept) > room:
            kept = [column for column in kept if header[column] not in names]
    return kept


def _aligned(line: Sequence[str], widths: Sequence[int], columns: Sequence[int], sides: str) -> str:
    """Write the cells of some columns, each as wide as its column."""
    text = ""
    for column in columns:
        cell = line[column]
        padding = " " * (widths[column] - width_of(cell))
        if sides[column : column + 1] == "r":
            cell = padding + cell
        else:
            cell = cell + padding
        text += " " * _SPACE + cell
    return text.rstrip()


def _cells(row: Sequence[str]) -> list[str]:
    """Write each cell in one line, without what a terminal would obey."""
    return [printable(cell).replace("\n", "\\n") for cell in row]


def width_of(text: str) -> int:
    """Count the columns that a text takes: wide characters take two, accents none."""
    width = 0
    for character in _ESCAPES.sub("", text):
        width += 1
        if unicodedata.east_asian_width(character) in "WF":
            width += 1
        if unicodedata.combining(character):
            width -= 1
    return width


def _styled(text: str, code: str) -> str:
    """Style a text, unless the output is no terminal or one without styles."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{code}m{text}\x1b[0m"


# --- places that are written to


def outputs(
    named: Sequence[str] | None, read: Sequence[str], endings: Sequence[str] = ()
) -> list[Path]:
    """Return where `--output` writes to, checked; beside `endings` a name without is a folder."""
    places = list(map(Path, named or ()))
    # links may lead to one file
    inputs = set(map(os.path.realpath, read))
    targets = set(map(os.path.realpath, places))
    if len(targets) < len(places):
        raise UserError("output: the same place is named twice")
    for place in places:
        if os.path.realpath(place) in inputs:
            raise UserError(f"output: {_shown(place)} is read from; name another file")
        _check_output(place, endings)
    return places


def _check_output(place: Path, endings: Sequence[str]) -> None:
    """Refuse a place with another ending, or that cannot be written to."""
    is_folder = bool(endings) and not place.suffix
    if endings and not is_folder and place.suffix.lower() not in endings:
        names = ", ".join(endings)
        raise UserError(f"output: found {_shown(place)}, expected a name with {names}, or a folder")
    try:
        if not is_folder and _is_stream(place):
            return
        folder = _folder_of(place, is_folder=is_folder)
    except UserError as error:
        raise UserError(f"output: {error}") from None
    except OSError as error:
        raise UserError(f"output: {_shown(place)}: {error.strerror}") from None
    if not folder.is_dir():
        raise UserError(f"output: {str(folder)!r} is a file; name a folder")
    if not os.access(folder, os.W_OK):
        raise UserError(f"output: {str(folder)!r} may not be written to")


def _is_stream(place: Path) -> bool:
    """Tell whether a place is a device or a pipe, which is written into whatever its folder."""
    status = check_writable(place)
    return status is not None and not stat.S_ISREG(status.st_mode)


def _folder_of(place: Path, *, is_folder: bool) -> Path:
    """Return the folder that a place needs, as far up as it is there already."""
    target = place
    # the file that a link leads to is replaced, not the link
    if place.is_symlink():
        target = Path(os.path.realpath(place))
    if is_folder:
        return _first_there_is(target)
    return _first_there_is(target.parent)


def _first_there_is(folder: Path) -> Path:
    """Return a folder, or of one that is still to be made the first above it that there is."""
    if folder.exists():
        return folder
    return next(above for above in folder.absolute().parents if above.exists())


def _shown(place: Path) -> str:
    """Write the beginning of a path, as long as it takes to recognize it."""
    return repr(str(place)[:_LONGEST])

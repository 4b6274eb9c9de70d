"""Terminal output of the commands: aligned tables, with colour if wanted."""

from __future__ import annotations

import io
import os
import re
import shutil
import stat
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bakeoff.errors import UserError, printable
from bakeoff.files import check_writable

_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def say(*lines: str) -> None:
    """Print lines; a closed pipe (`| head`) is not an error and changes no exit code."""
    with unread():
        sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))


@contextmanager
def unread() -> Iterator[None]:
    """Discard further output once it cannot be written, and say so unless a pipe was closed."""
    try:
        yield
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            why = os.strerror(error.errno) if error.errno else str(error)
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


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: str = "",
    least: Sequence[tuple[str, ...]] = (),
) -> list[str]:
    """Align a table; if it is too wide, drop the least important columns."""
    sides = right.ljust(len(header), "l")
    lines = ([printable(cell).replace("\n", "\\n") for cell in row] for row in (header, *rows))
    columns = [list(column) for column in zip(*lines, strict=True)]
    widths = [max(map(width_of, column)) for column in columns]
    room = shutil.get_terminal_size((sys.maxsize, 0)).columns
    kept = list(range(len(header)))
    for names in least:
        if sum(2 + widths[i] for i in kept) > room:
            kept = [i for i in kept if header[i] not in names]
    aligned = []
    for at in range(len(rows) + 1):
        line = ""
        for i in kept:
            text, space = columns[i][at], " " * (widths[i] - width_of(columns[i][at]))
            line += f"  {space}{text}" if sides[i] == "r" else f"  {text}{space}"
        aligned.append(line.rstrip())
    return [*([dim(aligned[0])] if aligned[0] else []), *aligned[1:]]


def width_of(text: str) -> int:
    """Count the columns that a text takes: wide characters take two, accents none."""
    plain = _ESCAPES.sub("", text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in plain)
    return len(plain) + wide - sum(unicodedata.combining(c) > 0 for c in plain)


def _styled(text: str, code: str) -> str:
    wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return f"\x1b[{code}m{text}\x1b[0m" if wanted and os.environ.get("TERM") != "dumb" else text


def outputs(
    given: Sequence[str] | None, read: Sequence[str], endings: Sequence[str] = ()
) -> list[Path]:
    """Return where `--output` writes to, checked; beside `endings` a name without is a folder."""
    places = [Path(one) for one in given or ()]
    inputs = {os.path.realpath(path) for path in read}
    if len({os.path.realpath(place) for place in places}) < len(places):
        raise UserError("output: the same place is named twice")
    for place in places:
        shown, target = repr(str(place)[:60]), Path(os.path.realpath(place))
        is_folder = bool(endings) and not place.suffix
        if str(target) in inputs:
            raise UserError(f"output: {shown} is read from; name another file")
        if endings and not is_folder and place.suffix.lower() not in endings:
            names = ", ".join(endings)
            raise UserError(f"output: found {shown}, expected a name with {names}, or a folder")
        try:
            status = None if is_folder else check_writable(place)
            if status is not None and not stat.S_ISREG(status.st_mode):
                continue  # a device or a pipe is written into, whatever its folder
            end = target if place.is_symlink() else place
            folder = end if is_folder else end.parent
            above = next(p for p in (folder, *folder.absolute().parents) if p.exists())
        except UserError as error:
            raise UserError(f"output: {error}") from None
        except OSError as error:
            raise UserError(f"output: {shown}: {error.strerror}") from None
        if not above.is_dir():
            raise UserError(f"output: {str(above)!r} is a file; name a folder")
        if not os.access(above, os.W_OK):
            raise UserError(f"output: {str(above)!r} may not be written to")
    return places

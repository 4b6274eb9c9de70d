"""Terminal output of the commands: aligned tables, with colour if wanted."""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bakeoff.errors import printable

_BOLD, _DIM = "1", "2"
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def say(*lines: str) -> None:
    """Print lines; a closed pipe (`| head`) is not an error and changes no exit code."""
    with unread():
        sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))


@contextmanager
def unread() -> Iterator[None]:
    """Discard further output once the reader of a pipe is gone."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def bold(text: str) -> str:
    """Return a text in bold, where the terminal has styles."""
    return _styled(text, _BOLD)


def dim(text: str) -> str:
    """Return a text dimmed, where the terminal has styles."""
    return _styled(text, _DIM)


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
    head, *aligned = [
        "".join(f"  {_padded(columns[i][at], widths[i], sides[i])}" for i in kept).rstrip()
        for at in range(len(rows) + 1)
    ]
    return [*([dim(head)] if head else []), *aligned]


def width_of(text: str) -> int:
    """Count the columns that a text takes: wide characters take two, accents none."""
    plain = _ESCAPES.sub("", text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in plain)
    return len(plain) + wide - sum(unicodedata.combining(c) > 0 for c in plain)


def _padded(text: str, width: int, side: str) -> str:
    space = " " * (width - width_of(text))
    return space + text if side == "r" else text + space


def _styled(text: str, code: str) -> str:
    wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return f"\x1b[{code}m{text}\x1b[0m" if wanted and os.environ.get("TERM") != "dumb" else text

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
    """Align a table; if it is too wide, break its header and drop the least important columns."""
    sides = right.ljust(len(header), "l")
    lines = ([printable(cell).replace("\n", "\\n") for cell in row] for row in (header, *rows))
    columns = [list(column) for column in zip(*lines, strict=True)]
    room = shutil.get_terminal_size((sys.maxsize, 0)).columns
    n_heads = 1
    if _total(columns) > room:
        heads = [_in_two(name, max(map(width_of, cells))) for name, *cells in columns]
        columns = [[*two, *cells[1:]] for two, cells in zip(heads, columns, strict=True)]
        n_heads = 2
    for names in least:
        if _total(columns) > room:
            kept = [i for i, name in enumerate(header) if name not in names]
            header, columns = [header[i] for i in kept], [columns[i] for i in kept]
            sides = "".join(sides[i] for i in kept)
    aligned = _aligned(columns, sides)
    return [*(dim(line) for line in aligned[:n_heads] if line), *aligned[n_heads:]]


def _aligned(columns: Sequence[Sequence[str]], sides: str) -> list[str]:
    widths = [max(map(width_of, column)) for column in columns]
    return [
        "".join(
            f"  {_padded(c, w, side)}" for c, w, side in zip(row, widths, sides, strict=True)
        ).rstrip()
        for row in zip(*columns, strict=True)
    ]


def _total(columns: Sequence[Sequence[str]]) -> int:
    return sum(2 + max(map(width_of, column)) for column in columns)


def _in_two(name: str, width: int) -> list[str]:
    """Break the name of a column that is wider than its cells into two lines."""
    if width_of(name) <= width or " " not in name:
        return ["", name]
    breaks = [i for i, letter in enumerate(name) if letter == " "]
    best = min(breaks, key=lambda i: max(i, len(name) - i - 1))
    return [name[:best], name[best + 1 :]]


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

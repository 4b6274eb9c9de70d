"""What the commands print: wrapped text and aligned tables, in colour where that is wanted."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Sequence

_WIDEST = 100
_BOLD, _DIM = "1", "2"
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def say(*lines: str) -> None:
    """Print lines."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def bold(text: str) -> str:
    """Emphasise."""
    return _styled(text, _BOLD)


def dim(text: str) -> str:
    """Step back."""
    return _styled(text, _DIM)


def paragraph(text: str, indent: str = "") -> str:
    """Break a text into lines that fit the terminal."""
    width = min(shutil.get_terminal_size((_WIDEST, 0)).columns, _WIDEST)
    return textwrap.fill(
        text,
        max(width, 40),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> list[str]:
    """Align a table.

    Parameters
    ----------
    header : sequence of str
        One name per column.
    rows : sequence of sequence of str
        The cells.
    right : str
        One letter per column, ``r`` for those that are flush right; the rest is flush left.
    """
    sides = right.ljust(len(header), "l")
    cells = [list(header), *(list(row) for row in rows)]
    widths = [max(map(width_of, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  "
        + "  ".join(
            _padded(c, w, side) for c, w, side in zip(row, widths, sides, strict=True)
        ).rstrip()
        for row in cells
    ]
    return [dim(lines[0]), *lines[1:]]


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

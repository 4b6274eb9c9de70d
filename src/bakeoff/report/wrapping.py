"""Texts broken into lines for a terminal."""

from __future__ import annotations

import shutil
import textwrap

_WIDEST = 100
_NARROWEST = 40


def paragraph(text: str, indent: str = "") -> str:
    """Break a text into lines that fit the terminal."""
    width = min(shutil.get_terminal_size((_WIDEST, 0)).columns, _WIDEST)
    return textwrap.fill(
        text,
        max(width, _NARROWEST),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )

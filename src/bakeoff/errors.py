"""A user's mistake: one readable message, never a traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 60

Place = tuple[str | int, ...]
"""Where in an experiment something is: ``("models", "forest", "params")``."""


class UserError(Exception):
    """What was found, where, what is allowed and what to do; shown as it is."""


class Problem(UserError):
    """A `UserError` about one place of an experiment.

    Parameters
    ----------
    path : tuple of str or int
        The place, e.g. ``("models", "forest", "params")``.
    message : str
        What is wrong there.
    """

    def __init__(self, path: Iterable[str | int], message: str) -> None:
        self.path = tuple(path)
        self.message = message
        super().__init__(f"{dotted(self.path)}: {message}")

    def __reduce__(self) -> tuple[type[Problem], tuple[tuple[str | int, ...], str]]:
        return type(self), (self.path, self.message)


def dotted(path: Iterable[str | int]) -> str:
    """Write a place as users do: ``datasets.iris.drop[2]``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "(top level)"


def unknown(what: str, found: object, allowed: Iterable[str]) -> str:
    """Say that a name is unknown, with the nearest allowed one and the list."""
    names = sorted(allowed)
    close = difflib.get_close_matches(str(found), names, n=1, cutoff=0.6)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"unknown {what} {shown(str(found))}{hint} (allowed: {', '.join(names) or 'none'})"


def shown(value: object) -> str:
    """Write what was found, as long as it takes to recognize it."""
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 2]} …"


def some(things: Iterable[object], most: int = 5) -> str:
    """List the first few things."""
    shown = [str(thing) for thing in things]
    more = ", …" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def listed(names: Iterable[object]) -> str:
    """List all names, as code."""
    shown = [f"`{name}`" for name in names]
    return ", ".join(shown[:-1]) + " and " + shown[-1] if len(shown) > 1 else "".join(shown)

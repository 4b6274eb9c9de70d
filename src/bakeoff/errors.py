"""A user's mistake: one readable message, never a traceback."""

from __future__ import annotations

import datetime
import difflib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

_LONGEST = 60
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_STYLES = re.compile(r"(\x1b\[[012]m)")
_COMMANDS = re.compile(r"(?m)^([^\S\n]*):(?=:)|#(?=#\[)")
"""What begins a command to the runner of a build in its log: ``::name`` or ``##[name]``."""

Place = tuple[str | int, ...]
"""Where in an experiment something is: ``("models", "forest", "params")``."""


class UserError(Exception):
    """What was found, where, what is allowed and what to do; shown as it is.

    Attributes
    ----------
    problems : tuple of Problem
        The problems of single keys that it is about, where they are known.
    """

    problems: tuple[Problem, ...] = ()


class Problem(UserError):
    """A `UserError` about one place of an experiment."""

    def __init__(
        self,
        path: Iterable[str | int],
        message: str,
        at: Iterable[str | int] | None = None,
    ) -> None:
        self.path = tuple(path)
        self.message = message
        self.at = self.path if at is None else tuple(at)
        self.problems = (self,)
        super().__init__(f"{dotted(self.path)}: {message}")

    def __reduce__(self) -> tuple[type[Problem], tuple[Any, ...]]:
        return type(self), (self.path, self.message, self.at)

    def inside(self, place: Place) -> Problem:
        """Return the problem of a section that is found at a place of an experiment."""
        return Problem((*place, *self.path), self.message)


class Problems(UserError):
    """Several problems as one message."""

    def __init__(self, text: str, problems: Iterable[Problem]) -> None:
        super().__init__(text)
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[Problems], tuple[Any, ...]]:
        return type(self), (str(self), self.problems)


def placed(error: UserError, places: Mapping[str, str]) -> UserError:
    """Name what stands for entries of an experiment; a `Verbatim` name without the keys in it."""
    problems = []
    for problem in error.problems:
        at = next((i for i, part in enumerate(problem.path) if part in places), None)
        if at is not None:
            name = places[str(problem.path[at])]
            rest = () if isinstance(name, Verbatim) else problem.path[at + 1 :]
            problem = Problem((Verbatim(name), *rest), problem.message)
        problems.append(problem)
    return Problems("\n".join(map(str, problems)), problems) if problems else error


def named(error: UserError, names: Collection[str]) -> UserError:
    """Shorten the places of an experiment to the names that its options or arguments have."""
    lines = []
    for problem in error.problems:
        path = problem.path
        if not (path and isinstance(path[0], Verbatim)):
            places = [i for i, part in enumerate(path) if part in names]
            # an argument may be called like a section of an experiment
            inner = len(places) > 1 and path[0] in ("datasets", "models", "tests")
            path = path[places[inner] :] if places else ()
        lines.append(f"{dotted(path)}: {problem.message}" if path else problem.message)
    return UserError("\n".join(dict.fromkeys(lines))) if lines else error


def dotted(path: Iterable[str | int]) -> str:
    """Write a place as users do: ``datasets.iris.drop[2]``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "(top level)"


MOST_NAMED = 10
"""Names that a message lists."""


def unknown(what: str, given: object, allowed: Iterable[str]) -> str:
    """Say that a name is unknown, with the nearest allowed one and the list, or a part of it."""
    names = sorted(set(allowed))
    close = _nearest(str(given), names)
    hint = f"; did you mean {close!r}?" if close else ""
    listed, more = names, ""
    if len(names) > MOST_NAMED + 2:
        nearest = difflib.get_close_matches(str(given), names, n=MOST_NAMED, cutoff=0)
        listed, more = sorted(nearest), f", and {len(names) - MOST_NAMED} more"
    return (
        f"unknown {what} {shown(str(given))}{hint} (allowed: {', '.join(listed) or 'none'}{more})"
    )


def _nearest(given: str, names: list[str]) -> str | None:
    """Return what was meant: the same name but for case, else a longer one, else a similar one."""
    folded = {name.casefold(): name for name in reversed(names)}
    wanted = given.casefold()
    if wanted in folded:
        return folded[wanted]
    longer = [name for name in folded if len(wanted) > 1 and name.startswith(wanted)]
    close = longer or difflib.get_close_matches(wanted, folded, n=1, cutoff=0.6)
    return folded[min(close, key=len)] if close else None


def shown(value: object) -> str:
    """Write what was found, as long as it takes to recognize it."""
    text = "nothing" if value is None else repr(_plain(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 2]} …"


def _plain(value: Any) -> Any:
    """Replace what Python alone writes so: dates, and numbers of NumPy."""
    if isinstance(value, dict):
        return {_plain(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value
    if isinstance(value, datetime.date | datetime.time):
        return Verbatim(value)
    return value.tolist() if type(value).__module__ == "numpy" else value


class Verbatim(str):
    """A text that messages show as it is: without quotes, and without the keys below it."""

    def __repr__(self) -> str:
        return str(self)


def escaped(text: str) -> str:
    """Escape as in JSON the characters that control a terminal or turn the direction of a text."""
    return _CONTROL.sub(lambda match: json.dumps(match[0])[1:-1], text)


def printable(text: str) -> str:
    """Escape what a terminal or the runner of a build would obey; bold and dimmed text stays."""
    parts = _STYLES.split(text)
    plain = "".join(part if i % 2 else escaped(part) for i, part in enumerate(parts))
    return _COMMANDS.sub(lambda match: f"{match[0][:-1]}\\u{ord(match[0][-1]):04x}", plain)


def some(things: Iterable[object], most: int = 5) -> str:
    """List the first few things."""
    shown = [str(thing) for thing in things]
    more = ", …" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def listed(names: Iterable[object], word: str = "and") -> str:
    """List all names, as code: "`a`, `b` and `c`"."""
    return joined([f"`{name}`" for name in names], word)


def joined(parts: Sequence[str], word: str = "and") -> str:
    """Join parts of a sentence: "a, b and c"; of none the empty text."""
    return f" {word} ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))

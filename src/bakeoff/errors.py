"""A user's mistake: one readable message, never a traceback."""

from __future__ import annotations

import datetime
import difflib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

MOST_NAMED = 10
"""Names that a message lists."""
_LONGEST = 60
"""Characters of a value that a message shows."""
_SIMILAR = 0.6
"""From which ratio of matching characters on a name may be meant."""
_SECTIONS = ("datasets", "models", "tests")
"""Sections of an experiment that arguments are called like."""
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
        self.at = self.path
        if at is not None:
            self.at = tuple(at)
        self.problems = (self,)
        super().__init__(f"{dotted(self.path)}: {message}")

    def __reduce__(self) -> tuple[type[Problem], tuple[Any, ...]]:
        return type(self), (self.path, self.message, self.at)

    def inside(self, place: Place) -> Problem:
        """Return the problem of a section that is found at a place of an experiment."""
        return Problem(place + self.path, self.message)


class Problems(UserError):
    """Several problems as one message."""

    def __init__(self, text: str, problems: Iterable[Problem]) -> None:
        super().__init__(text)
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[Problems], tuple[Any, ...]]:
        return type(self), (str(self), self.problems)


# --- where a problem is


def placed(error: UserError, places: Mapping[str, str]) -> UserError:
    """Name what stands for entries of an experiment; a `Verbatim` name without the keys in it."""
    if not error.problems:
        return error
    problems = []
    messages = []
    for problem in error.problems:
        renamed = _placed(problem, places)
        problems.append(renamed)
        messages.append(str(renamed))
    return Problems("\n".join(messages), problems)


def _placed(problem: Problem, places: Mapping[str, str]) -> Problem:
    """Put a name in place of the first part of a path that stands for an entry."""
    for i, part in enumerate(problem.path):
        if part in places:
            name = places[str(part)]
            path: list[str | int] = [Verbatim(name)]
            if not isinstance(name, Verbatim):
                path += problem.path[i + 1 :]
            return Problem(path, problem.message)
    return problem


def named(error: UserError, names: Collection[str]) -> UserError:
    """Shorten the places of an experiment to the names that its options or arguments have."""
    if not error.problems:
        return error
    messages = []
    for problem in error.problems:
        path = _shortened(problem.path, names)
        if path:
            messages.append(f"{dotted(path)}: {problem.message}")
        else:
            messages.append(problem.message)
    return UserError("\n".join(dict.fromkeys(messages)))


def _shortened(path: Place, names: Collection[str]) -> Place:
    """Return a path from the name of an option on; the empty path where it has none."""
    if path and isinstance(path[0], Verbatim):
        return path
    places = [i for i, part in enumerate(path) if part in names]
    if not places:
        return ()
    start = places[0]
    # a section may be called like an argument, which comes after it
    if len(places) > 1 and path[0] in _SECTIONS:
        start = places[1]
    return path[start:]


def dotted(path: Iterable[str | int]) -> str:
    """Write a place as users do: ``datasets.iris.drop[2]``."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif text:
            text += f".{part}"
        else:
            text = str(part)
    return text or "(top level)"


# --- what was found, and what is allowed


def unknown(what: str, name: object, allowed: Iterable[str]) -> str:
    """Say that a name is unknown, with the nearest allowed one and the list, or a part of it."""
    name = str(name)
    names = sorted(set(allowed))
    hint = ""
    nearest = _nearest(name, names)
    if nearest:
        hint = f"; did you mean {nearest!r}?"
    more = ""
    if len(names) > MOST_NAMED + 2:
        more = f", and {len(names) - MOST_NAMED} more"
        # those that are most like it, in the order of the alphabet
        names = sorted(difflib.get_close_matches(name, names, n=MOST_NAMED, cutoff=0))
    return f"unknown {what} {shown(name)}{hint} (allowed: {', '.join(names) or 'none'}{more})"


def _nearest(name: str, allowed: list[str]) -> str | None:
    """Return what was meant: the same name but for case, else a longer one, else a similar one."""
    by_folded: dict[str, str] = {}
    # of names that differ in case alone the first one is kept
    for allowed_name in reversed(allowed):
        by_folded[allowed_name.casefold()] = allowed_name
    folded = name.casefold()
    if folded in by_folded:
        return by_folded[folded]
    candidates = []
    # a single letter begins too many names
    if len(folded) > 1:
        candidates = [other for other in by_folded if other.startswith(folded)]
    if not candidates:
        candidates = difflib.get_close_matches(folded, by_folded, n=1, cutoff=_SIMILAR)
    if not candidates:
        return None
    return by_folded[min(candidates, key=len)]


def shown(value: object) -> str:
    """Write what was found, as long as it takes to recognize it."""
    if value is None:
        return "nothing"
    text = repr(_plain(value))
    if len(text) > _LONGEST:
        return f"{text[: _LONGEST - 2]} …"
    return text


def _plain(value: Any) -> Any:
    """Replace what Python alone writes so: dates, and numbers of NumPy."""
    if isinstance(value, dict):
        return {_plain(key): _plain(inner) for key, inner in value.items()}
    # subclasses of lists and tuples may be made of other arguments
    if type(value) in (list, tuple):
        return type(value)(map(_plain, value))
    if isinstance(value, datetime.date | datetime.time):
        return Verbatim(value)
    if type(value).__module__ == "numpy":
        return value.tolist()
    return value


class Verbatim(str):
    """A text that messages show as it is: without quotes, and without the keys below it."""

    def __repr__(self) -> str:
        return str(self)


# --- texts that a terminal prints


def escaped(text: str) -> str:
    """Escape as in JSON the characters that control a terminal or turn the direction of a text."""
    return _CONTROL.sub(lambda match: json.dumps(match[0])[1:-1], text)


def printable(text: str) -> str:
    """Escape what a terminal or the runner of a build would obey; bold and dimmed text stays."""
    parts = _STYLES.split(text)
    # every second part is a style, which stays
    for i in range(0, len(parts), 2):
        parts[i] = escaped(parts[i])
    return _COMMANDS.sub(_with_escaped_end, "".join(parts))


def _with_escaped_end(match: re.Match[str]) -> str:
    """Escape the last character of a match."""
    text = match[0]
    return f"{text[:-1]}\\u{ord(text[-1]):04x}"


# --- lists in sentences


def some(things: Iterable[object], most: int = 5) -> str:
    """List the first few things."""
    names = list(map(str, things))
    if len(names) > most:
        return ", ".join(names[:most]) + ", …"
    return ", ".join(names)


def listed(names: Iterable[object], word: str = "and") -> str:
    """List all names, as code: "`a`, `b` and `c`"."""
    return joined([f"`{name}`" for name in names], word)


def joined(parts: Sequence[str], word: str = "and") -> str:
    """Join parts of a sentence: "a, b and c"; of none the empty text."""
    before = ", ".join(parts[:-1])
    last = "".join(parts[-1:])
    if not before or not last:
        return before + last
    return f"{before} {word} {last}"

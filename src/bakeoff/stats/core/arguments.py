"""What arguments may be, declared once: a function checks what it is annotated with.

The types below are for annotations. `checked` (and `register`, for the tests of the catalogue)
checks every argument that is given by the annotation of its parameter before the function runs,
and describes shared parameters in its docstring. The options of an experiment and their schema
are checked and made from the same annotations (`bakeoff.comparisons.option_types`).

Arrays are checked where they are used (`bakeoff.stats.core.checks`), because that makes new arrays.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import numbers
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, Unpack, get_args, get_origin

import numpy as np
from annotated_types import Ge, Gt, Le, Lt, Predicate

from bakeoff.stats.core.docstrings import fill_docstring
from bakeoff.stats.core.errors import ArgumentError

F = TypeVar("F", bound=Callable[..., Any])
Check = Callable[[Any, str], Any]

Finite = Annotated[float, Predicate(math.isfinite)]
Level = Annotated[float, Gt(0), Lt(1)]
"""A probability that is neither 0 nor 1."""
Alpha = Annotated[float, Gt(0), Lt(0.5)]
"""The level of one-sided tests whose interval has level 1 − 2 alpha."""
Margin = Annotated[float, Gt(0)]
Rope = Annotated[float, Ge(0)]
Count = Annotated[int, Ge(0)]
PositiveInt = Annotated[int, Ge(1)]
PositiveFloat = Annotated[float, Gt(0)]
Share = Annotated[float, Gt(0), Le(1)]
Seed = Annotated[int, Ge(0)]
Resamples = Annotated[int, Ge(99)]
"""Draws of a bootstrap, enough for a level of 1%."""
Decimals = Annotated[int, Ge(-15), Le(15)]


class Default(NamedTuple):
    """The default of an argument that a record declares; without it, None."""

    value: Any


def spread_record(function: F) -> F:
    """Give a function with ``**asked: Unpack[Record]`` the record's parameters."""
    signature = inspect.signature(function)
    *before, last = signature.parameters.values()
    if str(last.annotation).startswith("Unpack["):
        record = function.__globals__[last.annotation[len("Unpack[") : -1]]
        spread = signature.replace(parameters=[*before, *_parameters(record)])
        function.__signature__ = spread  # type: ignore[attr-defined]
    return function


def annotations_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the evaluated annotations of a function, those of a record one by one."""
    found = typing.get_type_hints(function, include_extras=True)
    records = [get_args(kind)[0] for kind in found.values() if get_origin(kind) is Unpack]
    return found | {k: kind for record in records for k, kind in _declared(record).items()}


def keywords_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the keyword-only parameters of a function, with their evaluated annotations."""
    kinds = annotations_of(function)
    return {
        name: parameter.replace(annotation=kinds.get(name, parameter.empty))
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }


def _parameters(record: type) -> Iterator[inspect.Parameter]:
    for name, kind in _declared(record).items():
        default = next((note.value for note in get_args(kind) if isinstance(note, Default)), None)
        written = record.__annotations__[name].__forward_arg__
        short = written.removeprefix("Annotated[").split(", Default")[0]
        keyword = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(name, keyword, default=default, annotation=short)


@functools.cache
def _declared(record: type) -> dict[str, Any]:
    return typing.get_type_hints(record, include_extras=True)


def checked(function: F) -> F:
    """Check the arguments of a function by their annotations, and fill in its docstring."""
    return checking(fill_docstring(spread_record(function)))


def checking(function: F, finish: Callable[[Any], Any] | None = None) -> F:
    """Return the function with the check of its arguments before it, and `finish` after it."""
    keywords: dict[str, Check] = {}
    places: list[tuple[int, str, Check]] = []
    known: Collection[str] | None = None
    sided = False
    ready = False

    def read() -> None:
        nonlocal known, sided, ready
        kinds = annotations_of(function)
        parameters = inspect.signature(function).parameters
        for place, (name, parameter) in enumerate(parameters.items()):
            check = check_of(kinds.get(name))
            if check and parameter.kind is not parameter.VAR_KEYWORD:
                keywords[name] = check
                if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
                    places.append((place, name, check))
        if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            known = parameters.keys()
        sided = {"alternative", "confidence_level"} <= keywords.keys()
        ready = True

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if not ready:
            read()
        for name, value in options.items():
            if name in keywords:
                options[name] = keywords[name](value, name)
            elif known is not None and name not in known:
                raise TypeError(f"{function.__name__}() got an unexpected argument {name!r}")
        if places and len(args) > places[0][0]:
            given = list(args)
            for place, name, check in places:
                if place < len(given):
                    given[place] = check(given[place], name)
            args = tuple(given)
        if sided and options.get("confidence_level", 1) < 0.5:
            check_side(options["confidence_level"], options.get("alternative", "two-sided"))
        result = function(*args, **options)
        return result if finish is None else finish(result)

    return typing.cast(F, call)


def check_argument(value: Any, name: str, kind: Any) -> Any:
    """Check a value by one of the types above."""
    check = check_of(kind)
    return check(value, name) if check else value


def check_side(level: float, alternative: str) -> None:
    """Check that the limit of a one-sided interval stays on its side of the estimate."""
    if alternative != "two-sided" and level < 0.5:
        raise ArgumentError(
            "confidence_level",
            f"found {level!r}; a one-sided interval needs at least 0.5, below it the limit passes "
            "the estimate",
        )


def check_fields(record: Any) -> None:
    """Check the fields of a frozen dataclass by their annotations."""
    for name, check in _field_checks(record.__class__).items():
        object.__setattr__(record, name, check(getattr(record, name), name))


@functools.cache
def _field_checks(kind: Any) -> Mapping[str, Check]:
    hints = typing.get_type_hints(kind, include_extras=True)
    checks = {field.name: check_of(hints[field.name]) for field in dataclasses.fields(kind)}
    return {name: check for name, check in checks.items() if check}


@functools.cache
def check_of(annotation: Any) -> Check | None:
    """Return the check of an annotation; None where it declares nothing that is checked here."""
    base, *bounds = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    if get_origin(base) in (Union, UnionType):
        kinds = get_args(base)
        inner = check_of(kinds[0]) if len(kinds) == 2 and kinds[1] is NoneType else None
        return inner and functools.partial(_unless_none, inner)
    if get_origin(base) is Literal:
        return functools.partial(_choice, get_args(base))
    if base is bool:
        return check_flag
    if base is int:
        return functools.partial(_whole, _Bounds.of(bounds))
    if base is float:
        return functools.partial(_number, _Bounds.of(bounds)) if bounds else check_number
    return None


def choices_of(annotation: Any) -> tuple[Any, ...]:
    """Return the names that an annotation allows; none where it is no list of names."""
    parts = (annotation, *get_args(annotation))
    return next((get_args(part) for part in parts if get_origin(part) is Literal), ())


def check_flag(value: Any, name: str) -> bool:
    """Check that an option is True or False: a word such as "no" would count as True."""
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentError(name, f"found {value!r}, must be true or false")
    return bool(value)


def check_choice(value: Any, allowed: tuple[Any, ...], name: str) -> Any:
    """Check that an option is one of the allowed names."""
    if not isinstance(value, type(allowed[0])) or value not in allowed:
        raise ArgumentError(name, f"found {value!r}, allowed: {', '.join(map(repr, allowed))}")
    return value


def check_number(value: Any, name: str) -> float:
    """Check that an option is one real number."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise ArgumentError(name, f"found {value!r}, must be a number")
    return float(value)


def check_count(value: Any, name: str, *, least: int = 0) -> int:
    """Check one count: a whole number, and not below the least that makes sense."""
    return _whole(_Bounds(least), value, name)


def _unless_none(check: Check, value: Any, name: str) -> Any:
    return None if value is None else check(value, name)


def _choice(allowed: tuple[Any, ...], value: Any, name: str) -> Any:
    return check_choice(value, allowed, name)


def _whole(bounds: _Bounds, value: Any, name: str) -> int:
    number: int | None = None
    if type(value) is int:
        number = value
    else:
        found = np.asarray(value)
        if found.ndim == 0 and found.dtype.kind in "iuf" and np.isfinite(found):
            number = int(found) if found == np.floor(found) else None
    if number is None or not bounds.low <= number <= bounds.high:
        what = "a whole number"
        if bounds.high < math.inf:
            what += f" from {bounds.low} to {bounds.high}"
        elif bounds.low > -math.inf:
            what = f"a count (a whole number >= {bounds.low})"
        raise ArgumentError(name, f"found {value!r}, must be {what}")
    return number


def _number(bounds: _Bounds, value: Any, name: str) -> float:
    number: float = value if type(value) is float else check_number(value, name)
    if not (bounds.low <= number <= bounds.high and math.isfinite(number)) or (
        (number == bounds.low and bounds.above) or (number == bounds.high and bounds.below)
    ):
        raise ArgumentError(name, f"found {value!r}, must {bounds.sentence()}")
    return number + 0.0  # no negative zero, which some distributions refuse


@dataclasses.dataclass(frozen=True)
class _Bounds:
    """The bounds of a number, and whether it lies strictly above and below them."""

    low: Any = -math.inf
    high: Any = math.inf
    above: bool = False
    below: bool = False

    @classmethod
    def of(cls, metadata: list[Any]) -> _Bounds:
        """Read the bounds that an annotation declares."""
        found: dict[str, Any] = {}
        for bound in metadata:
            match bound:
                case Gt(gt=low):
                    found |= {"low": low, "above": True}
                case Ge(ge=low):
                    found |= {"low": low}
                case Lt(lt=high):
                    found |= {"high": high, "below": True}
                case Le(le=high):
                    found |= {"high": high}
        return cls(**found)

    def sentence(self) -> str:
        """Say what a number must be: lie strictly between 0 and 1."""
        if self.above and self.below:
            return f"lie strictly between {self.low} and {self.high}"
        if self.above and self.low == 0 and self.high == math.inf:
            return "be a positive number"
        words = [f"{'above' if self.above else 'of at least'} {self.low}"]
        words *= self.low > -math.inf
        if self.high < math.inf:
            words.append(f"{'below' if self.below else 'at most'} {self.high}")
        return " ".join(["be a finite number", " and ".join(words)]).strip()

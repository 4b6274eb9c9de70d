"""What functions of `bakeoff` take: arguments by several names, which docstrings explain."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import getdoc, signature
from textwrap import wrap
from typing import Any, Literal, NamedTuple, ParamSpec, TypedDict, TypeVar, cast

from bakeoff.errors import UserError, joined, named, unknown
from bakeoff.options import ALIASES, OPTIONS, Interface, InterfaceKind, used_by
from bakeoff.stats import ArgumentError

P = ParamSpec("P")
R = TypeVar("R")
_KEYS = ("missing_cells", "resampling", "target")
"""What messages name beside arguments."""
SPELLINGS = {**ALIASES, "scoring": "metrics", "plan": "cv"}
"""Names of arguments by which people ask for others."""
_RAISES = """\
Raises
------
UserError
    On a mistake. The message names the argument, what was found and what is allowed.

"""


class TestSettings(TypedDict, total=False):
    """The rarely needed arguments of comparisons of scores."""

    metric: str | Sequence[str]
    alternative: Literal["two-sided", "greater", "less"]
    correction: str | None
    tests: Sequence[str]
    options: Mapping[str, Mapping[str, object]] | None
    name: str


class FoldSettings(TestSettings, total=False):
    """The rarely needed arguments of comparisons over folds."""

    scoring: str | Sequence[str]
    unit: str | None


@contextmanager
def in_arguments(names: Collection[str]) -> Iterator[None]:
    """Report a mistake under the argument, or option, that it came from."""
    try:
        yield
    except UserError as error:
        raise named(error, names) from None
    except ArgumentError as error:
        raise UserError(f"{error.argument}: {error.message}") from None


def takes(settings: type, **defaults: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take the settings of a dictionary's type by name, and explain them."""
    names = [name for name in settings.__annotations__ if name not in SPELLINGS]
    defaults = {name: OPTIONS[name].default for name in names} | defaults

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        takes = _Signature.of(function, names)
        function.__doc__ = _explained(function, settings, takes)

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> R:
            named = takes.checked(args, kwargs)
            interface = Interface(InterfaceKind.PYTHON, takes.arguments)
            with used_by(interface), in_arguments({*takes.arguments, *_KEYS}):
                return function(*args, **{**defaults, **named})

        return cast("Callable[P, R]", checked)

    return decorate


class _Signature(NamedTuple):
    """What a function takes."""

    function: str
    defined: Sequence[str]
    """Its own parameters."""
    settings: Sequence[str]
    """What it takes by the names of settings."""
    positional: Sequence[str]
    """The parameters that may be given without a name."""
    any_number: bool
    """Whether further arguments may be given without a name."""

    @classmethod
    def of(cls, function: Callable[..., Any], settings: Sequence[str]) -> _Signature:
        """Read the signature of a function."""
        defined = []
        positional = []
        any_number = False
        for parameter in signature(function).parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                any_number = True
            elif parameter.kind is not parameter.VAR_KEYWORD:
                defined.append(parameter.name)
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
                positional.append(parameter.name)
        return cls(function.__name__, defined, settings, positional, any_number)

    @property
    def arguments(self) -> frozenset[str]:
        """All names of arguments."""
        return frozenset((*self.defined, *self.settings))

    def checked(self, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        """Return the named arguments by their own names; refuse what the function does not take."""
        if len(args) > len(self.positional) and not self.any_number:
            raise UserError(
                f"{self.function}: found {len(args)} arguments without a name, expected "
                f"{joined(self.positional)}; several models stand by their names, "
                "{'old': …, 'new': …}"
            )
        arguments = dict(named)
        for name in named:
            own_name = name
            if name not in self.arguments:
                own_name = SPELLINGS.get(name, name)
            if own_name not in self.arguments:
                text = unknown("argument", name, [*self.defined, *self.settings])
                raise UserError(f"{self.function}: {text}")
            if own_name != name and own_name in arguments:
                raise UserError(
                    f"{name}, {own_name}: these are one argument by two names: give one of them"
                )
            arguments[own_name] = arguments.pop(name)
        return arguments


def _explained(function: Callable[..., Any], settings: type, takes: _Signature) -> str:
    """Return the docstring of a function with all arguments and what it raises."""
    before, returns, after = (getdoc(function) or "").partition("Returns\n-------\n")
    # of an argument that a docstring leaves out, the table of options tells
    heads = " ".join(re.findall(r"^(\w.*) : ", before, re.MULTILINE))
    lines = [before.rstrip()]
    for name, kind in function.__annotations__.items():
        if name in takes.defined and not re.search(rf"\b{name}\b", heads):
            lines += _described(name, kind)
    lines += ["", "Other Parameters", "----------------"]
    for name in takes.settings:
        lines += _described(name, settings.__annotations__[name].__forward_arg__)
    after = after.replace("Examples\n---", f"{_RAISES}Examples\n---")
    lines += ["", f"{returns}{after}"]
    return "\n".join(lines)


def _described(name: str, kind: str) -> list[str]:
    """Return the lines of a docstring on an option."""
    optional = ""
    if OPTIONS[name].default is None:
        optional = ", optional"
    text = wrap(OPTIONS[name].help, 92, initial_indent="    ", subsequent_indent="    ")
    return [f"{name} : {kind.removesuffix(' | None')}{optional}", *text]

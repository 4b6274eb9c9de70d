"""The arguments of calls from Python: their names, and what they say together."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import getdoc, signature
from textwrap import wrap
from typing import Any, Literal, ParamSpec, TypedDict, TypeVar, cast

from bakeoff.errors import UserError, Verbatim, joined, named, shown, unknown
from bakeoff.options import ALIASES, OPTIONS
from bakeoff.scores import METRICS
from bakeoff.scores.metrics import Need
from bakeoff.scores.own_metrics import taken_by_path
from bakeoff.spec.experiment import Task
from bakeoff.spec.metrics import GivenMetric, Kind, OwnMetric, passing_of
from bakeoff.stats import ArgumentError

P = ParamSpec("P")
R = TypeVar("R")
KINDS: Mapping[str, Kind] = {
    "higher": GivenMetric.model_validate({"name": "value", "greater_is_better": True}),
    "lower": GivenMetric.model_validate({"name": "value", "greater_is_better": False}),
    "right": "accuracy",
    "wrong": "error",
}
"""Kinds of numbers per row: the direction that is better, or the meaning of 1."""


def measured_by(
    values: str | None, metrics: str | Sequence[str], of_labels: Mapping[str, Any]
) -> tuple[Kind | None, tuple[str, ...], Mapping[str, OwnMetric]]:
    """Tell what numbers per row are, the metrics of predictions, and which of these are the user's.

    Numbers per row have neither metrics, but for ``pass@k`` and ``pass^k`` of the runs of items
    that are right or wrong, nor what is `of_labels`.
    """
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics or ())
    marks = KINDS.get(values or "")
    passing = next(filter(None, map(passing_of, names)), None)
    if values is not None and marks is None:
        raise UserError(f"values: {unknown('kind of numbers', values, KINDS)}")
    for name in names:
        if passing is None and name.startswith(("pass@", "pass^")):
            raise UserError(f"metrics: found {shown(name)}, expected a number like pass@5")
    if passing is not None:
        if len(names) > 1:
            raise UserError(f"metrics: {passing.label} is compared by itself")
        if not isinstance(marks, str):
            raise UserError(
                f"metrics: {passing.label} is about runs that are right or wrong; `values: right` "
                "says that 1 is right",
            )
        marks, names = passing.model_copy(update={"marks": marks}), ()
    for key, value in {**of_labels, "metrics": names}.items() if values is not None else ():
        is_given = value is not None and not (isinstance(value, Sequence) and not len(value))
        if is_given and (key != "variant" or values in ("higher", "lower")):
            raise UserError(f"{key}: is for predictions, not for numbers per row (values)")
    return marks, *taken_by_path(names)


def numbers_wanted(task: str | None, metrics: Sequence[str]) -> bool | None:
    """Tell whether numbers are compared; None where neither the task nor the metrics say so."""
    if task is not None:
        if task not in [*Task]:
            raise UserError(f"task: {unknown('task', task, Task)}")
        return Task(task).numbers
    needs = [METRICS[name].needs for name in metrics if name in METRICS]
    return any(need is Need.NUMBERS for need in needs) if needs else None


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
    """What few need of the tests of algorithms, on folds and on tables of scores."""

    metric: str | Sequence[str]
    alternative: Literal["two-sided", "greater", "less"]
    correction: str | None
    tests: Sequence[str]
    options: Mapping[str, Mapping[str, object]] | None
    name: str


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
        parameters = signature(function).parameters.values()
        defined = {one.name: one.default for one in parameters if "VAR" not in one.kind.name}
        positional = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
        any_more = any(one.kind is one.VAR_POSITIONAL for one in parameters)
        before, returns, after = (getdoc(function) or "").partition("Returns\n-------\n")
        # of an argument that a docstring leaves out, the table of options tells
        heads = " ".join(re.findall(r"^(\w.*) : ", before, re.MULTILINE))
        texts = [before.rstrip()]
        for name, kind in function.__annotations__.items():
            if name in defined and not re.search(rf"\b{name}\b", heads):
                texts += _described(name, kind)
        texts += ["", "Other Parameters", "----------------"]
        for name in names:
            texts += _described(name, settings.__annotations__[name].__forward_arg__)
        after = after.replace("Examples\n---", f"{_RAISES}Examples\n---")
        function.__doc__ = "\n".join([*texts, "", f"{returns}{after}"])

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> R:
            if len(args) > len(positional) and not any_more:
                raise UserError(
                    f"{function.__name__}: found {len(args)} arguments without a name, expected "
                    f"{joined(positional)}; several models stand by their names, "
                    "{'old': …, 'new': …}"
                )
            for name in [*kwargs]:
                other = name if name in defined or name in names else SPELLINGS.get(name, name)
                if other not in defined and other not in names:
                    text = unknown("argument", name, [*defined, *names])
                    raise UserError(f"{function.__name__}: {text}")
                if other != name and other in kwargs:
                    raise UserError(
                        f"{name}, {other}: these are one argument by two names: give one of them"
                    )
                kwargs[other] = kwargs.pop(name)
            with in_arguments({*defined, *names, *_KEYS}):
                return function(*args, **{**defaults, **kwargs})

        return cast("Callable[P, R]", checked)

    return decorate


def _described(name: str, kind: str) -> list[str]:
    """Return the lines of a docstring on an option."""
    optional = ", optional" if OPTIONS[name].default is None else ""
    text = wrap(OPTIONS[name].help, 92, initial_indent="    ", subsequent_indent="    ")
    return [f"{name} : {kind.removesuffix(' | None')}{optional}", *text]


def place_of(model: str) -> Verbatim:
    """Return what messages call the results of a model."""
    return Verbatim(f"results[{model!r}]")

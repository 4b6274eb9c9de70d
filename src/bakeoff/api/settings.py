"""How predictions are to be compared, and checks of the arguments that say so."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from inspect import getdoc, signature
from textwrap import wrap
from typing import Any, Literal, ParamSpec, TypedDict, TypeVar, cast

from bakeoff.errors import Problem, UserError, Verbatim, joined, named, shown, unknown
from bakeoff.options import ALIASES, OPTIONS
from bakeoff.scores import METRICS
from bakeoff.scores.metrics import Need
from bakeoff.spec.metrics import GivenMetric, Kind, OwnMetric, Passing, passing_of
from bakeoff.spec.task import Task

P = ParamSpec("P")
R = TypeVar("R")
KINDS: Mapping[str, Kind] = {
    "higher": GivenMetric.model_validate({"name": "value", "greater_is_better": True}),
    "lower": GivenMetric.model_validate({"name": "value", "greater_is_better": False}),
    "right": "accuracy",
    "wrong": "error",
}
"""Kinds of numbers per row: the direction that is better, or the meaning of 1."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """How predictions are to be compared."""

    metrics: Sequence[str] = ()
    unit: str | None = None
    values: Kind | None = None
    columns: Mapping[str, str] = dataclasses.field(default_factory=dict)
    costs: Any = None
    variant: str | None = None
    versus: str | None = None
    correction: str | None = None
    alternative: str = "two-sided"
    alpha: float = 0.05
    independent_rows: bool = False
    deterministic: Collection[str] = ()
    files: Sequence[str] = ()
    own_metrics: Mapping[str, OwnMetric] = dataclasses.field(default_factory=dict)


def kind_of(
    values: str | None, metrics: str | Sequence[str]
) -> tuple[Kind | None, tuple[str, ...]]:
    """Tell what numbers per row are, None where predictions are compared, and other metrics.

    Among the metrics ``pass@k`` and ``pass^k`` are of the runs of items that are right or wrong.
    """
    metrics = (metrics,) if isinstance(metrics, str) else tuple(metrics or ())
    passing_metrics = [passing for metric in metrics if (passing := passing_of(metric)) is not None]
    for metric in metrics:
        if not passing_metrics and metric.startswith(("pass@", "pass^")):
            raise Problem(("metrics",), f"found {shown(metric)}, expected a number like pass@5")
    if not passing_metrics:
        return None if values is None else KINDS.get(values), metrics
    marks = KINDS.get(values or "")
    if len(metrics) > 1:
        raise Problem(("metrics",), f"{passing_metrics[0].label} is compared by itself")
    if not isinstance(marks, str):
        raise Problem(
            ("metrics",),
            f"{passing_metrics[0].label} is about runs that are right or wrong; `values: right` "
            "says that 1 is right",
        )
    return Passing.of(passing_metrics[0].k, every=passing_metrics[0].every, marks=marks), ()


def numbers_wanted(task: str | None, metrics: Sequence[str]) -> bool | None:
    """Tell whether numbers are compared; None where neither the task nor the metrics say so."""
    if task is not None:
        if task not in [*Task]:
            raise Problem(("task",), unknown("task", task, Task))
        return Task(task).numbers
    needs = [METRICS[name].needs for name in metrics if name in METRICS]
    return any(need is Need.NUMBERS for need in needs) if needs else None


_KEYS = ("missing_cells", "resampling", "target")
"""What messages name beside arguments."""
SPELLINGS = {**ALIASES, "scoring": "metrics", "plan": "cv"}
"""Names of arguments by which people ask for others."""


class TestSettings(TypedDict, total=False):
    """What few need of the tests of algorithms, on folds and on tables of scores."""

    metric: str | Sequence[str]
    alternative: Literal["two-sided", "greater", "less"]
    correction: str | None
    tests: Sequence[str]
    options: Mapping[str, Mapping[str, object]] | None
    name: str


def takes(settings: type, **defaults: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take the settings of a dictionary's type by name, and explain them."""
    names = [name for name in settings.__annotations__ if name not in SPELLINGS]
    defaults = {name: OPTIONS[name].default for name in names} | defaults

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function).parameters.values()
        defined = {one.name: one.default for one in parameters if "VAR" not in one.kind.name}
        positional = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
        any_more = any(one.kind is one.VAR_POSITIONAL for one in parameters)

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
            try:
                return function(*args, **{**defaults, **kwargs})
            except UserError as error:
                raise named(error, {*defined, *names, *_KEYS}) from None

        checked.__doc__ = _with_parameters(getdoc(function) or "", settings, names)
        return cast("Callable[P, R]", checked)

    return decorate


def _with_parameters(text: str, settings: type, names: Sequence[str]) -> str:
    """Add the section of other parameters to a docstring."""
    lines = ["Other Parameters", "----------------"]
    for name in names:
        optional = ", optional" if OPTIONS[name].default is None else ""
        kind = settings.__annotations__[name].__forward_arg__
        lines.append(f"{name} : {kind.removesuffix(' | None')}{optional}")
        about = OPTIONS[name].help
        lines += wrap(about, 92, initial_indent="    ", subsequent_indent="    ")
    before, returns, after = text.partition("Returns\n-------\n")
    return "".join([before, "\n".join(lines), "\n\n", returns, after])


def place_of(model: str) -> Verbatim:
    """Return what messages call the results of a model."""
    return Verbatim(f"results[{model!r}]")


def asked_tests(
    ids: Mapping[str, str],
    *,
    tests: Sequence[str] = (),
    versus: str | None = None,
    what: str = "model",
    **settings: Any,
) -> dict[str, Any]:
    """Return the section `tests:` of an experiment from the arguments of a call."""
    if versus is not None and versus not in ids:
        raise Problem(("versus",), unknown(what, versus, ids))
    control = None if versus is None else ids[versus]
    return without_none({"run": list(tests) or None, "versus": control, **settings})


def without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the keys without a value."""
    return {key: value for key, value in values.items() if value is not None}


def refuse_labels_beside_numbers(values: str | None, given: Mapping[str, Any]) -> None:
    """Refuse arguments that are for predictions where there is a number for each row."""
    if values is None:
        return
    if values not in KINDS:
        raise Problem(("values",), unknown("kind of numbers", values, KINDS))
    for key, value in given.items():
        empty = value is None or (isinstance(value, Sequence) and not len(value))
        if not empty and (key != "variant" or values in ("higher", "lower")):
            raise Problem((key,), "is for predictions, not for numbers per row (values)")


def check_values(y: Any, values: str | None, given: Mapping[str, Any]) -> None:
    """Refuse labels beside a number for each row, and neither of them."""
    if values is None and y is None:
        raise UserError("y: found None, expected the true labels (or say what `values` are)")
    refuse_labels_beside_numbers(values, given)
    if values is not None and y is not None:
        raise UserError("y: labels are for predictions, not for numbers per row: pass None")

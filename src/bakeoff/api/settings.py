"""How predictions are to be compared, and checks of the arguments that say so."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from bakeoff.errors import Problem, Remedy, UserError, Verbatim, shown, unknown
from bakeoff.scores import METRICS
from bakeoff.scores.metrics import Need
from bakeoff.spec.metrics import GivenMetric, Passing
from bakeoff.spec.own_metrics import OwnMetric
from bakeoff.spec.task import Task
from bakeoff.spec.values import Kind

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


def kind_of(values: str | None, pass_at: int | None, pass_hat: int | None) -> Kind | None:
    """Tell what the numbers per row are; None where predictions are compared."""
    asked = {"pass_at": pass_at, "pass_hat": pass_hat}
    given = {key: k for key, k in asked.items() if k is not None}
    if not given:
        return None if values is None else KINDS[values]
    key, k = next(iter(given.items()))
    if len(given) > 1:
        raise Problem((key,), "one of pass@k and pass^k is compared at a time")
    if not isinstance(k, int) or k < 1:
        raise Problem((key,), f"found {shown(k)}, expected how many runs of an item are drawn")
    marks = None if values is None else KINDS[values]
    if not isinstance(marks, str):
        raise Problem(
            (key,),
            "is about runs that are right or wrong",
            remedy=Remedy("values", "right", ": {} says that 1 is right"),
        )
    return Passing.of(k, every=key == "pass_hat", marks=marks)


def numbers_wanted(
    task: str | None, metrics: Sequence[str | None], *, labels: bool = False
) -> bool | None:
    """Tell whether numbers are compared; None where neither task, metrics nor `labels` say so."""
    if task is not None:
        if task not in [*Task]:
            raise UserError(f"task: {unknown('task', task, Task)}")
        return Task(task).numbers
    needs = [METRICS[name].needs for name in filter(None, metrics) if name in METRICS]
    if not needs:
        return False if labels else None
    return any(need is Need.NUMBERS for need in needs)


def of_two(function: Callable[P, R]) -> Callable[P, R]:
    """Explain the arguments of a comparison when models are passed one by one."""

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        if len(args) > 2:
            name = function.__name__
            raise UserError(
                f"{name}: found {len(args)} arguments without a name, expected the true labels and "
                "the predictions of each model by its name: "
                f"bakeoff.{name}(y, {{'old': predictions, 'new': others}})"
            )
        return function(*args, **kwargs)

    return checked


def one_spelling(metrics: str | Sequence[str], metric: str | Sequence[str]) -> tuple[str, ...]:
    """Return the metrics that are named by one of two arguments."""
    if len(metrics) and len(metric):
        raise UserError("metric, metrics: these are one argument by two names: give one of them")
    found = metrics if len(metrics) else metric
    return (found,) if isinstance(found, str) else tuple(found)


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


def refuse_contradictions(y: Any, arguments: Mapping[str, Any]) -> None:
    """Refuse labels beside numbers per row, and arguments that are for labels alone."""
    kind = arguments["values"]
    if kind is None:
        if y is None:
            raise UserError("y: found None, expected the true labels (or say what `values` are)")
        return
    if kind not in KINDS:
        raise UserError(f"values: {unknown('kind of numbers', kind, KINDS)}")
    if y is not None:
        raise UserError("y: labels are for predictions, not for numbers per row: pass None")
    wrong = [
        "costs",
        "positive",
        "task",
        "unit",
        *(["variant"] if kind in ("higher", "lower") else []),
    ]
    given = [key for key in wrong if arguments.get(key) is not None]
    for key in (*given, *(["classes"] if len(arguments["classes"]) else [])):
        raise UserError(f"{key}: it is for predictions, not for numbers per row (values)")

"""Metrics of the user's own: how their functions are found, called and watched."""

from __future__ import annotations

import dataclasses
import inspect
import numbers
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bakeoff.errors import UserError
from bakeoff.files import is_file
from bakeoff.scores.metrics import METRICS
from bakeoff.spec.metrics import OwnMetric, keys_of
from bakeoff.stats.metrics.library import own_metric
from bakeoff.usercode import (
    TookTooLong,
    described,
    import_function,
    import_module,
    make_importable,
    prints_to_stderr,
    time_limit,
)

CALL_SECONDS = 60.0
"""How long one call may take."""
_SEED = 0
_LOOKS_AT: Mapping[str, Literal["classes", "probabilities", "numbers"]] = {
    "labels": "classes",
    "probabilities": "probabilities",
    "numbers": "numbers",
}
"""What `own_metric` calls what a function needs."""


def enter_own(metrics: Mapping[str, OwnMetric]) -> None:
    """Enter the own metrics of one experiment among the metrics, in place of another's."""
    for name, entered in list(METRICS.items()):
        if entered.own:
            del METRICS[name]
    for name, metric in metrics.items():
        entered = own_metric(
            name,
            partial(_called, metric),
            greater_is_better=metric.greater_is_better,
            predictions=_LOOKS_AT[metric.needs],
            smooth=metric.smooth,
        )
        METRICS[name] = dataclasses.replace(
            entered,
            title=metric.label or name.replace("_", " "),
            unit=metric.unit or "",
            takes=tuple(metric.columns),
        )


def taken_by_path(names: Sequence[str]) -> tuple[tuple[str, ...], dict[str, OwnMetric]]:
    """Enter functions that stand by their places among the names of metrics."""
    listed = []
    metrics: dict[str, OwnMetric] = {}
    for text in names:
        if ":" not in text:
            listed.append(text)
            continue
        name, metric = _by_path(text)
        if name in metrics or (name in METRICS and not METRICS[name].own):
            raise UserError(f"{text}: another metric is called {name!r}: rename the function")
        metrics[name] = metric
        listed.append(name)
    if metrics:
        enter_own(metrics)
    return tuple(listed), metrics


def _by_path(text: str) -> tuple[str, OwnMetric]:
    """Find the function that a text names, like ``./mymetrics.py:profit:higher``."""
    place, name, *words = text.split(":")
    is_path = place.endswith(".py")
    module = place
    if is_path:
        module = Path(place).stem
    if not all(map(str.isidentifier, f"{module}.{name}".split("."))):
        raise UserError(
            f"found {text!r}, expected package.module:function or ./file.py:function, behind it "
            "`:higher` or `:lower`, which says what is better, and `:probabilities`, `:numbers` or "
            "`:jumps` where that is so"
        )
    if is_path:
        _import_file(Path(place), text)
    else:
        make_importable([Path()])
    try:
        keys = keys_of(f"{place}:{name}", words)
    except ValueError as error:
        raise UserError(str(error)) from None
    metric = OwnMetric.model_validate({"function": f"{module}.{name}", **keys})
    imported(metric)
    return name, metric


def _import_file(file: Path, text: str) -> None:
    """Import a module from its file, and from no other of the same name."""
    if not is_file(file):
        place = text.partition(":")[0]
        raise UserError(f"{text}: there is no file {place}")
    make_importable([file.parent])
    # Python keeps the first module of a name, wherever it was found
    loaded_from = import_module(file.stem, text).__file__
    if loaded_from is None or not file.samefile(loaded_from):
        raise UserError(f"{text}: another module is called {file.stem!r} too: rename the file")


def _called(metric: OwnMetric, y_true: Any, predicted: Any, /, **columns: Any) -> float:
    """Call the user's own metric on some rows."""
    function = imported(metric)
    # what it draws is the same in each call: else leaving out a row would be noise
    random.seed(_SEED)
    np.random.seed(_SEED)  # noqa: NPY002
    try:
        taken = {name: columns[name] for name in metric.columns}
        with time_limit(CALL_SECONDS), prints_to_stderr():
            value = function(y_true, predicted, **taken)
    except (ValueError, KeyboardInterrupt):
        raise
    except TookTooLong:
        raise UserError(f"{metric.function} takes more than {CALL_SECONDS:g} s a call") from None
    except BaseException as error:
        raise UserError(f"{metric.function} failed: {described(error)}") from None
    number = _number(value, metric)
    if not np.isfinite(number):
        raise ValueError(f"{metric.function} is {number} on {len(y_true)} rows")
    return number


def _number(value: Any, metric: OwnMetric) -> float:
    """Return what an own metric returned as a float."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    try:
        if isinstance(value, numbers.Real):
            return float(value)
    except OverflowError:
        # a whole number may be larger than any float
        pass
    raise UserError(
        f"{metric.function} returned a {type(value).__name__}, expected one number that a "
        "float can hold"
    )


def imported(metric: OwnMetric) -> Callable[..., Any]:
    """Import the function of an own metric."""
    function = import_function(metric.function)
    try:
        inspect.signature(function).bind(None, None, **dict.fromkeys(metric.columns))
    except TypeError as error:
        takes = ", ".join(("y_true", "y_pred", *metric.columns))
        raise UserError(f"{metric.function} cannot be called with ({takes}): {error}") from None
    except ValueError:
        # a compiled function does not tell what it takes
        pass
    return function

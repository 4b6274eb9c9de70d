"""Metrics of the user's own: how their functions are found, called and watched."""

from __future__ import annotations

import dataclasses
import inspect
import numbers
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff.errors import UserError, unknown
from bakeoff.scores.metrics import METRICS
from bakeoff.spec.metrics import OwnMetric
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


def enter_own(found: Mapping[str, OwnMetric]) -> None:
    """Enter the own metrics of one experiment among the metrics, in place of another's."""
    for name in [name for name, metric in METRICS.items() if metric.own]:
        del METRICS[name]
    for name, own in found.items():
        METRICS[name] = dataclasses.replace(
            own_metric(
                name,
                partial(_called, own),
                greater_is_better=own.greater_is_better,
                predictions="classes" if own.needs == "labels" else own.needs,
                smooth=own.smooth,
            ),
            title=own.label or name.replace("_", " "),
            unit=own.unit or "",
            takes=tuple(own.columns),
        )


_WORDS: Mapping[str, Mapping[str, Any]] = {
    "higher": {"greater_is_better": True},
    "lower": {"greater_is_better": False},
    "probabilities": {"needs": "probabilities"},
    "numbers": {"needs": "numbers"},
    "jumps": {"smooth": False},
}
"""What may follow the place of a function, and the keys of `own_metrics:` it stands for."""


def taken_by_path(names: Sequence[str]) -> tuple[tuple[str, ...], dict[str, OwnMetric]]:
    """Enter functions that stand by their places among the names of metrics."""
    listed, found = [], {}
    for text in names:
        name = text
        if ":" in text:
            name, own = _by_path(text)
            if name in found or (name in METRICS and not METRICS[name].own):
                raise UserError(f"{text}: another metric is called {name!r}: rename the function")
            found[name] = own
        listed.append(name)
    if found:
        enter_own(found)
    return tuple(listed), found


def _by_path(text: str) -> tuple[str, OwnMetric]:
    place, name, *words = text.split(":")
    keys: dict[str, Any] = {}
    for word in words:
        if word not in _WORDS:
            raise UserError(f"{text}: {unknown('word', word, _WORDS)}")
        keys |= _WORDS[word]
    file = Path(place) if place.endswith(".py") else None
    module = place if file is None else file.stem
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise UserError(
            f"found {text!r}, expected package.module:function or ./file.py:function, and behind "
            f"it {', '.join(f':{word}' for word in _WORDS)} where that is so"
        )
    if file is not None and not file.is_file():
        raise UserError(f"{text}: there is no file {place}")
    make_importable([Path() if file is None else file.parent])
    if file is not None:
        known = import_module(module, text).__file__
        if known is None or not file.samefile(known):
            raise UserError(f"{text}: another module is called {module!r} too: rename the file")
    own = OwnMetric.model_validate({"function": f"{module}.{name}", **keys})
    imported(own)
    return name, own


def _called(own: OwnMetric, y_true: Any, predicted: Any, **columns: Any) -> float:
    """Call the user's own metric on some rows."""
    function = imported(own)
    # what it draws is the same in each call: else leaving out a row would be noise
    random.seed(_SEED)
    np.random.seed(_SEED)  # noqa: NPY002
    try:
        with time_limit(CALL_SECONDS), prints_to_stderr():
            found = function(y_true, predicted, **{name: columns[name] for name in own.columns})
    except (ValueError, KeyboardInterrupt):
        raise
    except TookTooLong:
        raise UserError(f"{own.function} takes more than {CALL_SECONDS:g} s a call") from None
    except BaseException as error:
        raise UserError(f"{own.function} failed: {described(error)}") from None
    if isinstance(found, np.ndarray) and found.ndim == 0:
        found = found[()]
    try:
        number = float(found) if isinstance(found, numbers.Real) else None
    except OverflowError:
        number = None
    if number is None:
        raise UserError(
            f"{own.function} returned a {type(found).__name__}, expected one number that a float "
            "can hold"
        )
    if not np.isfinite(number):
        raise ValueError(f"{own.function} is {number} on {len(y_true)} rows")
    return number


def imported(own: OwnMetric) -> Callable[..., Any]:
    """Import the function of an own metric."""
    function = import_function(own.function)
    try:
        inspect.signature(function).bind(None, None, **dict.fromkeys(own.columns))
    except TypeError as error:
        takes = ", ".join(["y_true", "y_pred", *own.columns])
        raise UserError(f"{own.function} cannot be called with ({takes}): {error}") from None
    except ValueError:  # a compiled function that does not tell what it takes
        pass
    return function

"""From an estimator to the entry of `models:` that describes it, as plain data for YAML."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from bakeoff.errors import UserError

_ALLOWED = "numbers, texts, lists, estimators, or functions of a module"


def entry_of(estimator: Any, place: str) -> dict[str, Any]:
    """Return the entry of an estimator: its import path and the parameters that are not defaults.

    The steps of a pipeline become `steps:`, estimators among the parameters nested entries.

    Parameters
    ----------
    estimator : estimator of scikit-learn's interface
        Fitted or not; what it has learnt is left out.
    place : str
        What messages begin with.

    Raises
    ------
    UserError
        It is no estimator, or has a parameter that an experiment file cannot hold.
    """
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        is_class = isinstance(estimator, type)
        found = f"the class {estimator.__name__}" if is_class else type(estimator).__name__
        raise UserError(
            f"{place}: found {found}, expected an estimator with scikit-learn's interface, such as "
            "LogisticRegression()"
        )
    if _is_pipeline(estimator):
        steps = [
            {"name": name, **_described(part, f"{place}, step {name}")}
            for name, part in estimator.steps
            if part is not None and not isinstance(part, str)
        ]
        return {"steps": steps} if len(steps) > 1 else _described(estimator.steps[-1][1], place)
    return _described(estimator, place)


def _is_pipeline(estimator: Any) -> bool:
    from sklearn.pipeline import Pipeline

    return type(estimator) is Pipeline


def _described(estimator: Any, place: str) -> dict[str, Any]:
    path = import_path(type(estimator), place)
    values = estimator.get_params(deep=False)
    defaults = _defaults(type(estimator))
    params = {
        name: _plain(value, f"{place}: its parameter {name}")
        for name, value in values.items()
        if not _same(value, defaults.get(name, inspect.Parameter.empty))
    }
    return {"estimator": path, "params": params} if params else {"estimator": path}


def import_path(named: Any, place: str) -> str:
    """Return the shortest public import path of a class or a function.

    Raises
    ------
    UserError
        It cannot be imported, as a lambda or what a notebook's cell defines.
    """
    module, name = getattr(named, "__module__", None), getattr(named, "__name__", "")
    parts = (module or "").split(".")
    for end in range(1, len(parts) + 1):
        home = ".".join(parts[:end])
        if home != "__main__" and getattr(sys.modules.get(home), name, None) is named:
            return f"{home}.{name}"
    for home in ("numpy", "scipy.special"):  # their ufuncs do not say where they live
        if getattr(sys.modules.get(home), name, None) is named:
            return f"{home}.{name}"
    raise UserError(
        f"{place}: {name or named!r} cannot be imported from a module: put it into a file beside "
        "your code and import it from there"
    )


def _defaults(kind: type) -> dict[str, Any]:
    try:
        parameters = inspect.signature(kind).parameters.values()
    except ValueError:  # a compiled class that does not tell what it takes
        return {}
    return {one.name: one.default for one in parameters}


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    if type(value) is not type(default) or isinstance(value, np.ndarray):
        return False
    return isinstance(value, (str, Real, tuple)) and bool(value == default)


def _plain(value: Any, place: str) -> Any:
    """Return a parameter's value as YAML has it."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, np.ndarray):
        return _plain(value.tolist(), place)
    if isinstance(value, Mapping):
        return {str(key): _plain(one, place) for key, one in value.items()}
    if isinstance(value, Sequence):
        return [_plain(one, place) for one in value]
    if hasattr(value, "get_params") and not isinstance(value, type):
        return _described(value, place)
    if inspect.isroutine(value) or isinstance(value, np.ufunc):
        return {"function": import_path(value, place)}
    raise UserError(f"{place} is a {type(value).__name__}, expected {_ALLOWED}")

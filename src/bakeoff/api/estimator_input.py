"""What estimators become in an experiment: entries."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Integral, Real
from typing import Any

import numpy as np

from bakeoff.api.build_study import without_none
from bakeoff.errors import UserError
from bakeoff.fit.estimator import NAMED_PARTS
from bakeoff.keys import name_of
from bakeoff.spec.experiment import Task
from bakeoff.spec.load import validated
from bakeoff.spec.models import Model

_ALLOWED = (
    "a number, a text, a list, an estimator, a function, a class, or an object whose attributes "
    "are the parameters of its constructor"
)
_NAME_CLASSES = ("class_weight", "pos_label", "constant")


def entry_of(estimator: Any, place: str) -> dict[str, Any]:
    """Return the entry of an estimator: its import path and the parameters that are not defaults.

    The steps of a pipeline become `steps:`, estimators among the parameters nested entries.
    """
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        is_class = isinstance(estimator, type)
        kind = f"the class {estimator.__name__}" if is_class else type(estimator).__name__
        raise UserError(
            f"{place}: found {kind}, expected an estimator with scikit-learn's interface, such as "
            "LogisticRegression()"
        )
    if is_pipeline(estimator):
        steps = [
            {"name": name, **_described(part, f"{place}, step {name}")}
            for name, part in estimator.steps
            if part is not None and not isinstance(part, str)
        ]
        return {"steps": steps} if len(steps) > 1 else _described(estimator.steps[-1][1], place)
    return _described(estimator, place)


def learner_of(result: Any) -> Model | None:
    """Return the learner of what `cross_validate` returned, where it is known."""
    try:
        return validated(Model, entry_of(_estimator(result), "results"))
    except UserError:  # none, or one that no experiment file can hold
        return None


def task_of(results: Iterable[Any]) -> Task:
    """Tell from the estimators of results, where all are known, what is predicted."""
    from sklearn.base import is_regressor

    estimators = map(_estimator, results)
    numbers = all(one is not None and is_regressor(one) for one in estimators)
    return Task.REGRESSION if numbers else Task.CLASSIFICATION


def _estimator(result: Any) -> Any:
    fitted = result.get("estimator") if isinstance(result, Mapping) else None
    return fitted[0] if isinstance(fitted, Sequence) and fitted else fitted


def is_pipeline(estimator: Any) -> bool:
    """Tell a pipeline of scikit-learn from one that derives from it and may do otherwise."""
    from sklearn.pipeline import Pipeline

    return type(estimator) is Pipeline


def _described(estimator: Any, place: str) -> dict[str, Any]:
    path = import_path(type(estimator), place)
    defaults = _defaults(type(estimator))
    params = {}
    for name, value in estimator.get_params(deep=False).items():
        default = defaults.get(name, inspect.Parameter.empty)
        if _same(value, default):
            continue
        # tuples that are made of lists again are written as lists
        if isinstance(value, Sequence) and name in NAMED_PARTS:
            value = [[*part] if isinstance(part, tuple) else part for part in value]
        elif isinstance(value, tuple) and isinstance(default, tuple):
            value = [*value]
        params[name] = _plain(value, f"{place}: its parameter {name}")
    if getattr(estimator, "_sklearn_output_config", {}).get("transform"):
        raise UserError(f"{place}: {path} has a `set_output`, which is not taken: leave it out")
    return {"estimator": path} | without_none({"params": params or None})


def import_path(named: Any, place: str) -> str:
    """Return the shortest public import path of a class, a function or a distribution of SciPy."""
    name = str(getattr(named, "__name__", getattr(named, "name", "")))
    module = getattr(named, "__module__", None) or ""
    parts = module.split(".")
    homes = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
    # ufuncs do not say where they live
    for home in (*homes, "numpy", "scipy.special"):
        if getattr(sys.modules.get(home), name, None) is named:
            return f"{home}.{name}"
    if name == "<lambda>":
        why = "a lambda has no name to be found by: define it with `def`"
    elif "<locals>" in getattr(named, "__qualname__", ""):
        why = f"{name} is defined inside a function: define it"
    elif module == "__main__":
        raise UserError(
            f"{place}: your session has another {name} by now, or none: make the estimator again "
            "with the one that is defined last"
        )
    else:
        why = f"{name or named!r} cannot be imported from a module: define it"
    raise UserError(f"{place}: {why} at the top level of your script, notebook or a file beside it")


def with_codes(entry: Any, codes: Mapping[str, int], of_classes: bool = False) -> Any:
    """Replace classes in parameters by their numbers, on which estimators are fitted."""
    if isinstance(entry, list):
        return [with_codes(one, codes, of_classes) for one in entry]
    if isinstance(entry, Mapping) and of_classes:
        return {codes.get(name_of(key), key): weight for key, weight in entry.items()}
    if isinstance(entry, Mapping):
        return {
            key: with_codes(value, codes, str(key).rpartition("__")[2] in _NAME_CLASSES)
            for key, value in entry.items()
        }
    return codes.get(name_of(entry), entry) if of_classes else entry


def _defaults(kind: type) -> dict[str, Any]:
    try:
        parameters = inspect.signature(kind).parameters.values()
    except ValueError:  # a compiled class that does not tell what it takes
        return {}
    return {one.name: one.default for one in parameters}


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    plain = isinstance(value, (str, Real, tuple)) and type(value) is type(default)
    return plain and bool(value == default)


def _plain(value: Any, place: str) -> Any:
    """Return a parameter's value as YAML has it."""
    if isinstance(value, np.dtype) and value == value.type:
        value = value.type
    if isinstance(value, type | np.ufunc) or inspect.isroutine(value):
        return {"function": import_path(value, place)}
    if hasattr(value, "tolist"):  # of NumPy or pandas
        return _plain(value.tolist(), place)
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, Mapping):
        return {_plain(key, place): _plain(one, place) for key, one in value.items()}
    if isinstance(value, tuple):
        return {"object": "builtins.tuple", "args": [[_plain(one, place) for one in value]]}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_plain(one, place) for one in value]
    if hasattr(value, "get_params"):
        return _described(value, place)
    if isinstance(value, np.random.RandomState):
        raise UserError(
            f"{place} is a RandomState, and what it draws depends on the fits before: pass a whole "
            "number, or leave it out"
        )
    if (call := _call_of(value)) is not None:
        import joblib

        maker, args, params = call
        entry = {
            "object": import_path(maker, place),
            "args": [_plain(one, place) for one in args] or None,
            "params": {name: _plain(one, place) for name, one in params.items()} or None,
        }
        if args or maker is not type(value):
            return without_none(entry)
        with suppress(Exception):  # where a class makes an equal object of these, nothing is lost
            if joblib.hash(type(value)(**params)) == joblib.hash(value):
                return without_none(entry)
    raise UserError(f"{place} is a {type(value).__name__}, expected {_ALLOWED}")


def _call_of(value: Any) -> tuple[Any, Sequence[Any], Mapping[str, Any]] | None:
    """Return what may make an object, and its arguments, as far as the object keeps them."""
    from scipy import stats

    if isinstance(value, functools.partial):
        return functools.partial, (value.func, *value.args), value.keywords
    made_of = getattr(value, "dist", None)  # of a distribution of SciPy with its parameters
    if isinstance(made_of, stats.rv_continuous | stats.rv_discrete):
        return getattr(stats, made_of.name, made_of), value.args, value.kwds
    with suppress(Exception):  # whatever a user's class does
        maker, args, *state = value.__reduce_ex__(2)
        if maker.__module__ != "copyreg" and not any(state):
            return maker, args, {}
        defaults, kept = _defaults(type(value)), dict(state[0])
        for one in state[0].values():
            kept = {**one, **kept} if isinstance(one, Mapping) else kept
        kept |= {key.removeprefix("_"): one for key, one in state[0].items() if key not in defaults}
        named = {name: kept[name] for name in defaults if name in kept}
        return type(value), (), {k: v for k, v in named.items() if not _same(v, defaults[k])}
    return None

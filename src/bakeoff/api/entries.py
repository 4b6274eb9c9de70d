"""Estimators as entries of an experiment: import paths, with parameters that are no defaults."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Integral, Real
from typing import Any, NamedTuple

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
_HOMES_OF_UFUNCS = ("numpy", "scipy.special")
"""Where functions live that do not say it themselves."""
_NAME_CLASSES = ("class_weight", "pos_label", "constant")
"""Parameters whose values name classes."""


def entry_of(estimator: Any, place: str) -> dict[str, Any]:
    """Return the entry of an estimator, or of the steps of a pipeline, without its defaults."""
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        type_name = type(estimator).__name__
        if isinstance(estimator, type):
            type_name = f"the class {estimator.__name__}"
        raise UserError(
            f"{place}: found {type_name}, expected an estimator with scikit-learn's interface, "
            "such as LogisticRegression()"
        )
    if not is_pipeline(estimator):
        return _described(estimator, place)
    steps = []
    for name, part in estimator.steps:
        # a step None or "passthrough" does nothing
        if part is not None and not isinstance(part, str):
            steps.append({"name": name, **_described(part, f"{place}, step {name}")})
    # a pipeline of one step is that step
    if len(steps) > 1:
        return {"steps": steps}
    return _described(estimator.steps[-1][1], place)


def learner_of(result: Any) -> Model | None:
    """Return the learner of what `cross_validate` returned, where it is known."""
    try:
        return validated(Model, entry_of(_estimator(result), "results"))
    except UserError:  # none, or one that no experiment file can hold
        return None


def task_of(results: Iterable[Any]) -> Task:
    """Tell from the estimators of results, where all are known, what is predicted."""
    from sklearn.base import is_regressor

    for result in results:
        estimator = _estimator(result)
        if estimator is None or not is_regressor(estimator):
            return Task.CLASSIFICATION
    return Task.REGRESSION


def _estimator(result: Any) -> Any:
    """Return the estimator of the first fold, where `cross_validate` returned them."""
    fitted = None
    if isinstance(result, Mapping):
        fitted = result.get("estimator")
    if isinstance(fitted, Sequence) and fitted:
        return fitted[0]
    return fitted


def is_pipeline(estimator: Any) -> bool:
    """Tell a pipeline of scikit-learn from one that derives from it and may do otherwise."""
    from sklearn.pipeline import Pipeline

    return type(estimator) is Pipeline


def _described(estimator: Any, place: str) -> dict[str, Any]:
    """Return the entry of an estimator that is no pipeline."""
    path = import_path(type(estimator), place)
    defaults = _defaults(type(estimator))
    params = {}
    for name, value in estimator.get_params(deep=False).items():
        default = defaults.get(name, inspect.Parameter.empty)
        if _same(value, default):
            continue
        # tuples that are made of lists again are written as lists
        if isinstance(value, Sequence) and name in NAMED_PARTS:
            value = _as_lists(value)
        elif isinstance(value, tuple) and isinstance(default, tuple):
            value = list(value)
        params[name] = _plain(value, f"{place}: its parameter {name}")
    if getattr(estimator, "_sklearn_output_config", {}).get("transform"):
        raise UserError(f"{place}: {path} has a `set_output`, which is not taken: leave it out")
    return {"estimator": path} | without_none({"params": params or None})


def _as_lists(parts: Sequence[Any]) -> list[Any]:
    """Write the parts of a composition as lists of a name and an estimator."""
    lists = []
    for part in parts:
        if isinstance(part, tuple):
            part = list(part)
        lists.append(part)
    return lists


def import_path(named: Any, place: str) -> str:
    """Return the shortest public import path of a class, a function or a distribution of SciPy."""
    name = str(getattr(named, "__name__", getattr(named, "name", "")))
    module = getattr(named, "__module__", None) or ""
    parts = module.split(".")
    # packages often offer a name nearer to their root than the module that defines it
    homes = []
    for end in range(1, len(parts) + 1):
        homes.append(".".join(parts[:end]))
    homes += _HOMES_OF_UFUNCS
    for home in homes:
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
        return [with_codes(part, codes, of_classes) for part in entry]
    if not isinstance(entry, Mapping):
        if of_classes:
            return codes.get(name_of(entry), entry)
        return entry
    coded = {}
    for key, value in entry.items():
        if of_classes:
            coded[codes.get(name_of(key), key)] = value
        else:
            # a parameter of a step is called like step__class_weight
            names_classes = str(key).rpartition("__")[2] in _NAME_CLASSES
            coded[key] = with_codes(value, codes, names_classes)
    return coded


# --- values of parameters


def _defaults(cls: type) -> dict[str, Any]:
    """Return the defaults of the parameters of a class."""
    try:
        parameters = inspect.signature(cls).parameters.values()
    except ValueError:  # a compiled class that does not tell what it takes
        return {}
    return {parameter.name: parameter.default for parameter in parameters}


def _same(value: Any, default: Any) -> bool:
    """Tell whether a value is the default, as far as values can be compared."""
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
        value = value.tolist()
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, Mapping | Sequence) and not isinstance(value, bytes):
        return _plain_container(value, place)
    if hasattr(value, "get_params"):
        return _described(value, place)
    if isinstance(value, np.random.RandomState):
        raise UserError(
            f"{place} is a RandomState, and what it draws depends on the fits before: pass a whole "
            "number, or leave it out"
        )
    entry = _made_by_call(value, place)
    if entry is None:
        raise UserError(f"{place} is a {type(value).__name__}, expected {_ALLOWED}")
    return entry


def _plain_container(value: Any, place: str) -> Any:
    """Return a dictionary, a tuple or a list as YAML has it."""
    if isinstance(value, Mapping):
        return {_plain(key, place): _plain(part, place) for key, part in value.items()}
    parts = [_plain(part, place) for part in value]
    if isinstance(value, tuple):
        return {"object": "builtins.tuple", "args": [parts]}
    return parts


class _Call(NamedTuple):
    """What makes an object."""

    maker: Any
    args: Sequence[Any]
    params: Mapping[str, Any]


def _made_by_call(value: Any, place: str) -> dict[str, Any] | None:
    """Return the entry of an object that a call makes again; None where none does."""
    call = _call_of(value)
    if call is None:
        return None
    import joblib

    entry: dict[str, Any] = {"object": import_path(call.maker, place)}
    if call.args:
        entry["args"] = _plain_container(list(call.args), place)
    if call.params:
        entry["params"] = _plain_container(call.params, place)
    # the object itself says how it is made, else its attributes have to prove it
    if call.args or call.maker is not type(value):
        return entry
    with suppress(Exception):  # where a class makes an equal object of these, nothing is lost
        if joblib.hash(type(value)(**call.params)) == joblib.hash(value):
            return entry
    return None


def _call_of(value: Any) -> _Call | None:
    """Return what may make an object, and its arguments, as far as the object keeps them."""
    from scipy import stats

    if isinstance(value, functools.partial):
        return _Call(functools.partial, (value.func, *value.args), value.keywords)
    distribution = getattr(value, "dist", None)  # of SciPy, with its parameters
    if isinstance(distribution, stats.rv_continuous | stats.rv_discrete):
        maker = getattr(stats, distribution.name, distribution)
        return _Call(maker, value.args, value.kwds)
    with suppress(Exception):  # whatever a user's class does
        # how pickle would make the object again: by a call, or by its class and attributes
        maker, args, *state = value.__reduce_ex__(2)
        if maker.__module__ != "copyreg" and not any(state):
            return _Call(maker, args, {})
        return _Call(type(value), (), _attributes_by_parameter(value, state[0]))
    return None


def _attributes_by_parameter(value: Any, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an object's class that its attributes keep, without defaults."""
    defaults = _defaults(type(value))
    value_by_name = dict(attributes)
    # a class may keep its keywords in a dictionary
    for attribute in attributes.values():
        if isinstance(attribute, Mapping):
            value_by_name = {**attribute, **value_by_name}
    for key, attribute in attributes.items():
        if key not in defaults:
            # a parameter `n` is often kept as the attribute `_n`
            value_by_name[key.removeprefix("_")] = attribute
    params = {}
    for name, default in defaults.items():
        if name in value_by_name and not _same(value_by_name[name], default):
            params[name] = value_by_name[name]
    return params

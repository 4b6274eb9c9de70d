"""Create an unfitted estimator from its import path and parameters."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from bakeoff.errors import UserError, shown, unknown
from bakeoff.keys import DOTTED
from bakeoff.spec.models import is_function, is_nested, maker
from bakeoff.usercode import import_module, refuse_standard, refuse_useless

NAMED_PARTS = ("estimators", "steps", "transformers", "transformer_list")
"""Parameters of scikit-learn's compositions that hold a list of names and estimators."""


def build(path: str, params: Mapping[str, Any], set_output: str | None = None) -> Any:
    """Make a new, unfitted estimator."""
    kind = import_class(path)
    refuse_standard(path, kind)
    if not hasattr(kind, "get_params"):
        raise UserError(
            f"{kind.__module__}.{kind.__name__} has no get_params: derive the class from "
            "sklearn.base.ClassifierMixin or RegressorMixin and sklearn.base.BaseEstimator"
        )
    made = _call(path, kind, (), params)
    if set_output is None:
        return made
    try:
        return made.set_output(transform=set_output)
    except (AttributeError, ValueError, ImportError) as error:
        raise UserError(f"{path} does not take `set_output: {set_output}`: {error}") from None


def _call(path: str, maker: Any, args: Sequence[Any], params: Mapping[str, Any]) -> Any:
    """Call a class or a function by what an experiment says."""
    parameters = parameter_names(maker)
    for name in params:
        if not accepts(maker, name, parameters):
            raise UserError(unknown(f"parameter of {path}:", name, parameters))
    defaults = {name: one.default for name, one in _signature(maker).items()}
    values = {name: made_value(value, defaults.get(name)) for name, value in params.items()}
    try:
        return maker(*map(made_value, args), **values)
    except Exception as error:  # whatever the constructor of a user's class does
        raise UserError(f"{path} cannot be made: {error}") from None


def made_value(value: Any, default: Any = None) -> Any:
    """Return a parameter's value: an object or a function where its import path is given."""
    if is_function(value):
        return import_object(_path(value["function"], "numpy.log1p"))
    if is_nested(value):
        path, params = _path(maker(value), "sklearn.svm.SVC"), value.get("params", {})
        if not isinstance(params, Mapping) or not all(isinstance(key, str) for key in params):
            raise UserError(f"found {shown(params)}, expected the parameters of {path} by name")
        if "estimator" in value:
            return build(path, params, value.get("set_output"))
        args, called = value.get("args", []), import_object(path)
        if not isinstance(args, list) or not callable(called):
            wanted = "a list of arguments" if callable(called) else "a class or a function"
            raise UserError(f"found {shown(args if callable(called) else path)}, expected {wanted}")
        refuse_useless(path, called)
        return _call(path, called, args, params)
    if isinstance(value, Mapping):
        return {key: made_value(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return (tuple if isinstance(default, tuple) else list)(map(made_value, value))
    return value


def _path(found: Any, example: str) -> str:
    if not (isinstance(found, str) and re.fullmatch(DOTTED, found)):
        raise UserError(f"found {shown(found)}, expected an import path like {example}")
    return found


def check_values(estimator: Any, values: Mapping[str, Any]) -> None:
    """Let an estimator of scikit-learn check its parameters, as it would only do in fit."""
    from sklearn.base import clone

    kind = type(estimator)
    try:
        _check_named_parts(estimator)
        made = clone(estimator)
        made.set_params(**values)
    except UserError:
        raise
    except Exception as error:  # scikit-learn's, or whatever a user's class raises
        raise UserError(f"{kind.__module__}.{kind.__name__} cannot be copied: {error}") from None
    for part in (made, *made.get_params(deep=True).values()):
        if not hasattr(part, "_parameter_constraints") or isinstance(part, type):
            continue
        try:
            part._validate_params()
        except ValueError as error:
            raise UserError(str(error)) from None


def _check_named_parts(estimator: Any) -> None:
    """Refuse estimators in a list that wants a name for each, which only a fit would look at."""
    values = estimator.get_params(deep=False)
    inner = [*values.values()]
    for key in NAMED_PARTS if hasattr(estimator, "_get_params") else ():
        for i, part in enumerate(values.get(key) or ()):
            if not (isinstance(part, list | tuple) and len(part) > 1 and isinstance(part[0], str)):
                found = part if isinstance(part, list | tuple) else type(part).__name__
                raise UserError(
                    f"{key}[{i}]: found {shown(found)}, expected a name and an estimator: "
                    f"`{key}: [[first, {{estimator: …}}], …]`"
                )
            inner.append(part[1])
    for one in inner:
        if hasattr(one, "get_params") and not isinstance(one, type):
            _check_named_parts(one)


def import_class(path: str) -> type:
    """Import a class by its dotted path."""
    found = import_object(path)
    if not inspect.isclass(found):
        raise UserError(f"{path} is a {type(found).__name__}, not a class")
    return found


def import_object(path: str) -> Any:
    """Import a class or a function by its dotted path."""
    module_name, _, name = path.rpartition(".")
    module = import_module(module_name, path)
    found = getattr(module, name, None)
    if found is None:
        from sklearn.base import ClassifierMixin, RegressorMixin

        learners = ClassifierMixin, RegressorMixin
        members = {n: o for n, o in vars(module).items() if inspect.isclass(o)}
        classes = [n for n, o in members.items() if issubclass(o, learners)]
        raise UserError(unknown(f"class in {module_name}:", name, classes))
    return found


def parameter_names(made: Any) -> Sequence[str]:
    """List the parameters that a class or a function names."""
    return _names(made)


@cache
def _names(made: Any) -> Sequence[str]:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    named = {n for n, p in _signature(made).items() if p.kind in kinds}
    if not hasattr(made, "get_params"):  # neither is a function called to find out
        return sorted(named)
    try:
        return sorted(named | set(made().get_params(deep=False)))
    except Exception:  # classes that need arguments, are not scikit-learn's, or fail
        return sorted(named)


def accepts(made: Any, name: str, known: Sequence[str]) -> bool:
    """Tell whether a class or a function takes a parameter."""
    if name in known:
        return True
    kinds = {p.kind for p in _signature(made).values()}
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    return inspect.Parameter.VAR_KEYWORD in kinds and not near


def _signature(made: Any) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(made).parameters
    except ValueError:  # a compiled class that does not tell what it takes
        return inspect.signature(lambda **anything: None).parameters


def has_method(estimator: Any, name: str) -> bool:
    """Tell whether an estimator that is not fitted yet has a method once it is fitted."""
    # a StackingClassifier without a final estimator makes one, LogisticRegression, in fit
    left_out = getattr(estimator, "final_estimator", estimator) is None
    return hasattr(estimator, name) or (left_out and hasattr(type(estimator), name))

"""From an import path and parameters to a fresh estimator."""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

from bakeoff.errors import UserError, shown, unknown
from bakeoff.keys import DOTTED
from bakeoff.spec.models import is_nested

# how a package is called where it is installed from, if not by the name it is imported by
_DISTRIBUTIONS = {"sklearn": "scikit-learn", "xgboost": "xgboost-cpu", "skopt": "scikit-optimize"}


def build(path: str, params: Mapping[str, Any]) -> Any:
    """Make a new, unfitted estimator.

    Parameters
    ----------
    path : str
        Import path of its class.
    params : Mapping
        Its parameters; a value ``{estimator: ..., params: ...}`` becomes an estimator itself.

    Raises
    ------
    UserError
        The class does not exist, or does not take one of the parameters.
    """
    made = import_class(path)
    known = parameter_names(made)
    for name in params:
        if not accepts(made, name, known):
            raise UserError(unknown(f"parameter of {path}:", name, known))
    values = {name: made_value(value) for name, value in params.items()}
    try:
        return made(**values)
    except (TypeError, ValueError) as error:
        raise UserError(f"{path} cannot be made: {error}") from None


def made_value(value: Any) -> Any:
    """Return a parameter's value; ``{estimator: ..., params: ...}`` becomes an estimator."""
    if is_nested(value):
        path, params = value["estimator"], value.get("params", {})
        if not (isinstance(path, str) and re.fullmatch(DOTTED, path)):
            raise UserError(f"found {shown(path)}, expected an import path like sklearn.svm.SVC")
        if not isinstance(params, Mapping) or not all(isinstance(key, str) for key in params):
            raise UserError(f"found {shown(params)}, expected the parameters of {path} by name")
        return build(path, params)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [made_value(item) for item in value]
    return value


def check_values(estimator: Any, values: Mapping[str, Any]) -> None:
    """Let an estimator of scikit-learn check its parameters, as it would only do in fit.

    Those of the estimators among its parameters are checked too.

    Raises
    ------
    UserError
        It does not take one of the values.
    """
    from sklearn.base import clone

    made = clone(estimator).set_params(**values)
    for part in (made, *made.get_params(deep=True).values()):
        if not hasattr(part, "_parameter_constraints") or isinstance(part, type):
            continue
        try:
            part._validate_params()
        except ValueError as error:
            raise UserError(str(error)) from None


def import_class(path: str) -> type:
    """Import a class by its dotted path.

    Raises
    ------
    UserError
        The module or the name does not exist, with the nearest that does.
    """
    module_name, _, name = path.rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or module_name
        package = missing.split(".")[0]
        if missing == package:
            install = _DISTRIBUTIONS.get(package, package)
            raise UserError(
                f"{path}: the package {package!r} is not installed in this environment; for a "
                f"published one: pip install {install}; for code of your own: put {package}.py "
                "beside the experiment or in the folder where snakemake runs"
            ) from None
        raise UserError(f"{path}: there is no module {missing!r}") from None
    except ImportError as error:
        raise UserError(f"{path}: {module_name} cannot be imported: {error}") from None
    found = getattr(module, name, None)
    if found is None:
        from sklearn.base import ClassifierMixin

        members = {n: o for n, o in vars(module).items() if inspect.isclass(o)}
        classes = [n for n, o in members.items() if issubclass(o, ClassifierMixin)]
        raise UserError(unknown(f"class in {module_name}:", name, classes))
    if not inspect.isclass(found):
        raise UserError(f"{path} is a {type(found).__name__}, not a class")
    return found


def parameter_names(made: type) -> list[str]:
    """List the parameters that a class names."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    named = {n for n, p in inspect.signature(made).parameters.items() if p.kind in kinds}
    try:
        return sorted(named | set(made().get_params(deep=False)))
    except (TypeError, AttributeError):  # classes that need arguments, or are not scikit-learn's
        return sorted(named)


def accepts(made: type, name: str, known: Sequence[str]) -> bool:
    """Tell whether a class takes a parameter.

    XGBoost and LightGBM pass any other name on to their core: there, only a near miss is wrong.
    """
    kinds = {p.kind for p in inspect.signature(made).parameters.values()}
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    return name in known or (inspect.Parameter.VAR_KEYWORD in kinds and not near)

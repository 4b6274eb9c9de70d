"""From an import path and parameters to a fresh estimator."""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from bakeoff.errors import UserError, unknown


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
    values = {name: _value(value) for name, value in params.items()}
    _check_params(made, path, values)
    try:
        return made(**values)
    except (TypeError, ValueError) as error:
        raise UserError(f"{path} cannot be made: {error}") from None


def check_classifier(path: str, params: Mapping[str, Any]) -> None:
    """Refuse what is not a classifier."""
    from sklearn.base import is_classifier

    estimator = build(path, params)
    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
        raise UserError(f"{path} has no fit and predict: it is not an estimator")
    if not is_classifier(estimator):
        raise UserError(f"{path} is not a classifier (scikit-learn's is_classifier says so)")


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
            raise UserError(
                f"{path}: the package {package!r} is not installed in this environment"
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


def _value(value: Any) -> Any:
    if (
        isinstance(value, Mapping)
        and "estimator" in value
        and set(value) <= {"estimator", "params"}
    ):
        return build(value["estimator"], value.get("params", {}))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_value(item) for item in value]
    return value


def _check_params(made: type, path: str, values: Mapping[str, Any]) -> None:
    signature = inspect.signature(made)
    kinds = {p.kind for p in signature.parameters.values()}
    known = _param_names(made, signature)
    for name in values:
        if name in known:
            continue
        # XGBoost and LightGBM pass any other name on to their core: only a near miss is an error
        if inspect.Parameter.VAR_KEYWORD in kinds and not difflib.get_close_matches(
            name, known, n=1, cutoff=0.75
        ):
            continue
        raise UserError(unknown(f"parameter of {path}:", name, known))


def _param_names(made: type, signature: inspect.Signature) -> list[str]:
    try:
        return sorted(made().get_params(deep=False))
    except (TypeError, AttributeError):  # classes that need arguments, or are not scikit-learn's
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return sorted(n for n, p in signature.parameters.items() if p.kind in named)

"""Data from a Python function that the user names."""

from __future__ import annotations

import importlib
import inspect
import random
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.data.formats import with_plain_columns
from bakeoff.errors import UserError, unknown
from bakeoff.seeds import derive, integer
from bakeoff.spec.datasets import FunctionData

TARGET = "target"
"""The target's name when the function returns it apart and without one."""


def import_function(spec: FunctionData) -> Callable[..., Any]:
    """Import the function, and make sure that it takes the parameters.

    Raises
    ------
    UserError
        There is no such function, its module fails, or it does not take the parameters.
    """
    module_name, _, name = spec.function.rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise UserError(
            f"{spec.function}: there is no module {error.name!r}; it is looked for beside the "
            "experiment file, in the folder `snakemake` runs in and among installed packages"
        ) from None
    except Exception as error:
        raise UserError(
            f"{spec.function}: {module_name} cannot be imported: {_told(error)}"
        ) from None
    function: Callable[..., Any] | None = getattr(module, name, None)
    if function is None:
        known = [n for n, o in vars(module).items() if inspect.isfunction(o)]
        raise UserError(unknown(f"function in {module_name}:", name, known))
    if not callable(function):
        raise UserError(f"{spec.function} is a {type(function).__name__}, not a function")
    try:
        inspect.signature(function).bind(**spec.params)
    except TypeError as error:
        raise UserError(f"{spec.function} cannot be called with `params`: {error}") from None
    except ValueError:  # a compiled function that does not tell what it takes
        pass
    return function


def call(spec: FunctionData, seed: int) -> tuple[pd.DataFrame, str]:
    """Call the function, with the global random states seeded.

    Returns
    -------
    frame : DataFrame
        Features and target.
    target : str
        The target's column.
    """
    function = import_function(spec)
    number = integer(derive(seed, "function", spec.function))
    random.seed(number)
    np.random.seed(number)  # noqa: NPY002  functions that draw from the global state
    try:
        found = function(**spec.params)
    except Exception as error:
        raise UserError(f"{spec.function} failed: {_told(error)}") from error
    match found:
        case pd.DataFrame() as frame:
            if spec.target is None:
                raise UserError(
                    f"{spec.function} returned a DataFrame alone: say which column is the target, "
                    "`target: ...`"
                )
            return _plain(frame, spec), spec.target
        case (pd.DataFrame() as features, target):
            return _joined(_plain(features, spec), target, spec)
    raise UserError(
        f"{spec.function} returned {_kind(found)}, expected a pandas DataFrame or a DataFrame and "
        "the target"
    )


def _joined(features: pd.DataFrame, target: Any, spec: FunctionData) -> tuple[pd.DataFrame, str]:
    if isinstance(target, str):
        return features, target
    if np.ndim(target) != 1 or len(target) != len(features):
        raise UserError(
            f"{spec.function} returned {len(features)} rows and a target of shape "
            f"{np.shape(target)}: it must have one value for each row"
        )
    name = spec.target or str(getattr(target, "name", None) or TARGET)
    if name in features.columns:
        raise UserError(f"{spec.function} returned the target {name!r} among the features too")
    return features.assign(**{name: pd.Series(target).reset_index(drop=True)}), name


def _plain(frame: pd.DataFrame, spec: FunctionData) -> pd.DataFrame:
    return with_plain_columns(frame.reset_index(drop=True), spec.function)


def _kind(found: Any) -> str:
    if isinstance(found, tuple):
        return f"({', '.join(type(part).__name__ for part in found)})"
    return f"a {type(found).__name__}"


def _told(error: BaseException) -> str:
    """Say what an exception in the user's code is, and where it was raised."""
    places = traceback.extract_tb(error.__traceback__)
    where = f" ({places[-1].filename}, line {places[-1].lineno})" if places else ""
    return f"{type(error).__name__}: {error}{where}"

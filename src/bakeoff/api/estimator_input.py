"""What estimators, their features and their folds become in an experiment: entries and a table."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.api.arrays import as_pandas
from bakeoff.api.settings import without_none
from bakeoff.data.columns import sorted_names
from bakeoff.data.target import counted, positive_last
from bakeoff.errors import UserError, listed, unknown
from bakeoff.files import whole
from bakeoff.fit.estimator import NAMED_PARTS
from bakeoff.keys import name_of
from bakeoff.sources.common.identifiers import series_of
from bakeoff.spec.load import validated
from bakeoff.spec.models import Model
from bakeoff.spec.resampling import Resampling
from bakeoff.spec.task import Task

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
        found = f"the class {estimator.__name__}" if is_class else type(estimator).__name__
        raise UserError(
            f"{place}: found {found}, expected an estimator with scikit-learn's interface, such as "
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

    known = [_estimator(one) for one in results]
    numbers = all(one is not None and is_regressor(one) for one in known)
    return Task.REGRESSION if numbers else Task.CLASSIFICATION


def _estimator(result: Any) -> Any:
    found = result.get("estimator") if isinstance(result, Mapping) else None
    return found[0] if isinstance(found, Sequence) and found else found


def is_pipeline(estimator: Any) -> bool:
    """Tell a pipeline of scikit-learn from one that derives from it and may do otherwise."""
    from sklearn.pipeline import Pipeline

    return type(estimator) is Pipeline


def _described(estimator: Any, place: str) -> dict[str, Any]:
    path = import_path(type(estimator), place)
    values = estimator.get_params(deep=False)
    defaults = _defaults(type(estimator))
    params = {
        name: _plain(_listed(name, value, defaults.get(name)), f"{place}: its parameter {name}")
        for name, value in values.items()
        if not _same(value, defaults.get(name, inspect.Parameter.empty))
    }
    if getattr(estimator, "_sklearn_output_config", {}).get("transform"):
        raise UserError(f"{place}: {path} has a `set_output`, which is not taken: leave it out")
    return {"estimator": path} | without_none({"params": params or None})


def _listed(name: str, value: Any, default: Any) -> Any:
    """Write as lists the tuples that are made of lists again."""
    if isinstance(value, Sequence) and name in NAMED_PARTS:
        return [[*part] if isinstance(part, tuple) else part for part in value]
    return [*value] if isinstance(value, tuple) and isinstance(default, tuple) else value


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


def with_codes(entry: Any, codes: Mapping[str, int]) -> Any:
    """Replace classes in parameters by their numbers, on which estimators are fitted."""
    if isinstance(entry, list):
        return [with_codes(one, codes) for one in entry]
    if not isinstance(entry, Mapping):
        return entry
    return {
        key: _numbered(value, codes)
        if str(key).rpartition("__")[2] in _NAME_CLASSES
        else with_codes(value, codes)
        for key, value in entry.items()
    }


def _numbered(value: Any, codes: Mapping[str, int]) -> Any:
    if isinstance(value, list):
        return [_numbered(one, codes) for one in value]
    if isinstance(value, Mapping):
        return {codes.get(name_of(key), key): weight for key, weight in value.items()}
    return codes.get(name_of(value), value)


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
    call = _call_of(value)
    if call is not None:
        maker, args, params = call
        entry = {
            "object": import_path(maker, place),
            "args": [_plain(one, place) for one in args] or None,
            "params": {name: _plain(one, place) for name, one in params.items()} or None,
        }
        if args or maker is not type(value) or _is_made_again(value, params):
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


def _is_made_again(value: Any, params: Mapping[str, Any]) -> bool:
    """Tell whether a class makes an equal object of these arguments, and so nothing is lost."""
    import joblib

    with suppress(Exception):
        return bool(joblib.hash(type(value)(**params)) == joblib.hash(value))
    return False


MANY = 50_000
"""Rows from which the default plan is the holdout alone."""
_ROOM = 1 << 30
"""Bytes that a sparse matrix may take as a table."""
_TARGET, _FOLD, _TEXT = "target", "fold", "text"
_ROUNDS = (
    *("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold", "PredefinedSplit"),
    *("LeaveOneOut", "LeaveOneGroupOut", "RepeatedKFold", "RepeatedStratifiedKFold"),
)


def joined_table(X: Any, y: Any, columns: Mapping[str, Any]) -> tuple[pd.DataFrame, dict[str, str]]:
    """Join features, target and what is known of the rows."""
    frame = _features(X)
    y, columns = as_pandas(y), {role: as_pandas(given) for role, given in columns.items()}
    roles = {"target": _unused(_TARGET, frame)}
    frame[roles["target"]] = _column(y, frame, "y")
    for role, given in columns.items():
        if given is None:
            continue
        if isinstance(given, str):
            if given not in frame:
                raise UserError(f"{role}: {unknown('column of X', given, map(str, frame.columns))}")
            roles[role] = given
        else:
            roles[role] = _unused(role, frame)
            frame[roles[role]] = _column(given, frame, role)
    return frame, roles


def _features(X: Any) -> pd.DataFrame:
    X = as_pandas(X)
    if are_texts(X):
        return pd.DataFrame({_TEXT: list(X)})
    if isinstance(X, pd.DataFrame):
        if all(isinstance(column, int) for column in X.columns):  # scikit-learn counts them itself
            return X.set_axis(_column_names(X), axis=1)
        odd = [column for column in X.columns if not isinstance(column, str)]
        if odd or not X.columns.is_unique:
            found = f"the column {odd[0]!r}" if odd else "a column twice"
            raise UserError(f"X: found {found}, expected texts as names, each once")
        return X.copy(deep=False)  # which gets more columns
    if hasattr(X, "toarray") and 8 * math.prod(X.shape) > _ROOM:
        raise UserError(
            f"X: a sparse matrix of shape {X.shape} would take {8e-9 * math.prod(X.shape):.0f} GB "
            "as a table: keep fewer columns; of texts, pass the texts, and make their vectorizer a "
            "step of the estimators"
        )
    try:
        values = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    except ValueError:
        values = np.empty(0)
    if values.ndim != 2 or not values.size:
        raise UserError(
            f"X: found {type(X).__name__} of shape {getattr(X, 'shape', values.shape)}, expected a "
            "table with a row for each row of y and a column for each feature, or a list of texts"
        )
    return pd.DataFrame(values, columns=_column_names(values))


def are_texts(X: Any) -> bool:
    """Tell texts, one for each row, from a table."""
    listed = isinstance(X, list | tuple | np.ndarray | pd.Series) and len(X) > 0
    return listed and all(isinstance(one, str) for one in X)


def _column_names(values: Any) -> list[str]:
    return [f"x{i}" for i in range(1, values.shape[1] + 1)]


def as_passed(X: Any, features: pd.DataFrame) -> Any:
    """Return the transformer that makes `X` of a table's columns, None where they are the same."""
    from sklearn.preprocessing import FunctionTransformer

    if are_texts(X):
        return FunctionTransformer(operator.itemgetter(_TEXT))
    types: dict[Any, Any] = {}
    for name, dtype in features.dtypes.items():
        if isinstance(dtype, pd.CategoricalDtype):
            types[name] = dtype
        elif pd.api.types.is_bool_dtype(dtype):
            types[name] = str(dtype)
    return FunctionTransformer(operator.methodcaller("astype", types)) if types else None


def class_codes(y: pd.Series[Any], positive: Any) -> dict[str, int]:
    """Return the numbers that estimators see for classes: in order, the positive one last."""
    ordered = positive_last(sorted_names(y), positive, (), counted(y))
    return {name: code for code, name in enumerate(ordered)}


def _column(given: Any, frame: pd.DataFrame, argument: str) -> Any:
    """Return values for the rows of a table, paired by position."""
    if getattr(given, "ndim", 1) == 2 and given.shape[1] == 1:
        given = given.squeeze(axis=1)
    values = given if isinstance(given, pd.Series) else series_of(np.asarray(given).tolist(), given)
    if getattr(given, "ndim", 1) != 1:
        raise UserError(f"{argument}: found shape {given.shape}, expected one value for each row")
    if len(values) != len(frame):
        raise UserError(
            f"{argument}: found {len(values):,} values for the {len(frame):,} rows of X"
        )
    if argument == "y" and (missing := int(values.isna().sum())):
        raise UserError(f"y: {missing:,} of its {len(values):,} values are missing: leave them out")
    if isinstance(given, pd.Series) and not given.index.equals(frame.index):
        raise UserError(
            f"{argument}: its index is not that of X; align them, or pass {argument}.to_numpy() to "
            "pair rows by position"
        )
    return values.to_numpy() if isinstance(values.dtype, np.dtype) else values.array


def _unused(wanted: str, frame: pd.DataFrame) -> str:
    """Return a name that no column has."""
    names = (wanted, *(f"{wanted}_{i}" for i in range(1, len(frame.columns) + 2)))
    return next(name for name in names if name not in frame)


def resampling_of(
    cv: Any, n: int, X: Any, y: Any, groups: Any
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Return the section `resampling:`, and the columns of folds that it names."""
    if cv is None:
        return ({"holdout": {}} if n >= MANY else None), {}
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        return {"kfold": {"folds": int(cv)}}, {}
    if isinstance(cv, str):
        if cv not in Resampling.model_fields:
            raise UserError(f"cv: {unknown('plan', cv, Resampling.model_fields)}")
        return {cv: {}}, {}
    if isinstance(cv, Mapping):
        return dict(cv), {}
    kind = type(cv).__name__
    if not hasattr(cv, "split") or kind not in _ROUNDS:
        raise UserError(
            f"cv: found {kind}, expected a number of folds, the name of a plan "
            f"({listed(Resampling.model_fields)}), the section `resampling:` of an experiment, or "
            f"a splitter whose folds test every row once in a round ({listed(_ROUNDS)})"
        )
    try:
        splits = list(cv.split(X, y, groups))
    except (TypeError, ValueError) as error:
        raise UserError(f"cv: {kind} cannot split these rows: {error}") from None
    rounds = int(getattr(cv, "n_repeats", 1))
    per_round = len(splits) // rounds
    columns = {}
    for i in range(rounds):
        folds = np.zeros(n, dtype=np.int64)
        for k, (_, test) in enumerate(splits[i * per_round : (i + 1) * per_round], 1):
            folds[test] = k
        if not folds.all():
            raise UserError(f"cv: {kind} tests {int((folds == 0).sum()):,} rows in no fold")
        columns[f"{_FOLD}_{i + 1}"] = folds
    names = list(columns)
    return {"kfold": {"folds": per_round, "column": names if rounds > 1 else names[0]}}, columns


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as a Parquet file, without its index."""
    try:
        with whole(path) as part:
            frame.reset_index(drop=True).to_parquet(part, index=False)
    except (TypeError, ValueError, NotImplementedError) as error:
        # pyarrow's: columns of mixed types, or of a type of pandas alone
        said = " ".join(str(error).split())
        raise UserError(f"X: a column cannot be written to a table: {said}") from None

"""The table that estimators are compared on: features, target, roles of columns, and folds."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.api.arrays import as_pandas
from bakeoff.data.columns import sorted_names
from bakeoff.data.target import counted, positive_last
from bakeoff.errors import UserError, listed, unknown
from bakeoff.files import whole
from bakeoff.sources.common.identifiers import series_of
from bakeoff.spec.resampling import Resampling

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
            return X.set_axis(_numbered(X), axis=1)
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
    return pd.DataFrame(values, columns=_numbered(values))


def are_texts(X: Any) -> bool:
    """Tell texts, one for each row, from a table."""
    listed = isinstance(X, list | tuple | np.ndarray | pd.Series) and len(X) > 0
    return listed and all(isinstance(one, str) for one in X)


def _numbered(values: Any) -> list[str]:
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

"""The table that estimators are compared on: features, target and what is known of the rows."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.api.arrays import rows_of
from bakeoff.api.frames import as_pandas
from bakeoff.errors import UserError, shown, unknown
from bakeoff.files import whole
from bakeoff.sources.common.identifiers import series_of

_ROOM = 1 << 30
"""Bytes that a sparse matrix may take as a table."""
_TEXT = "text"
"""The column of texts, where these are the features."""


def target_taken_out(X: Any, y: Any) -> tuple[Any, Any]:
    """Return features and target, where it is one of their columns and is given by its name."""
    if not isinstance(y, str | Integral) or isinstance(y, bool):
        return X, y
    frame = as_pandas(X)
    column: str | int = y if isinstance(y, str) else int(y)
    if not isinstance(frame, pd.DataFrame):
        raise UserError(
            f"y: found {shown(y)}, expected a value for each row; the name of a column is for a "
            f"DataFrame, and X is of the type {type(X).__name__}"
        )
    if column not in frame:
        raise UserError(f"y: {unknown('column of X', str(y), map(str, frame.columns))}")
    return frame.drop(columns=column), frame[column]


def joined_table(X: Any, y: Any, columns: Mapping[str, Any]) -> tuple[pd.DataFrame, dict[str, str]]:
    """Join features, target and what is known of the rows; also return their columns by role."""
    frame = _features(X)
    roles = {"target": _added(frame, "target", as_pandas(y), "y")}
    for role, argument in columns.items():
        values = as_pandas(argument)
        if isinstance(values, str):
            if values not in frame:
                names = map(str, frame.columns)
                raise UserError(f"{role}: {unknown('column of X', values, names)}")
            roles[role] = values
        elif values is not None:
            roles[role] = _added(frame, role, values, role)
    return frame, roles


def _added(frame: pd.DataFrame, role: str, values: Any, argument: str) -> str:
    """Add a column to a table under a name that is free, and return the name."""
    name = role
    place = 1
    while name in frame:
        name = f"{role}_{place}"
        place += 1
    frame[name] = _column(values, frame, argument)
    return name


def _features(X: Any) -> pd.DataFrame:
    """Return the features as a table whose columns have names."""
    X = as_pandas(X)
    if are_texts(X):
        return pd.DataFrame({_TEXT: list(X)})
    if hasattr(X, "toarray"):
        X = _dense(X)
    frame = rows_of("X", X)
    if isinstance(frame, pd.Series) or frame.empty:
        raise UserError(
            f"X: found {type(X).__name__} of shape {np.shape(X)}, expected a table with a row for "
            "each row of y and a column for each feature, or a list of texts"
        )
    if all(isinstance(column, int) for column in frame.columns):  # scikit-learn counts them itself
        return frame.set_axis([f"x{i}" for i in range(1, frame.shape[1] + 1)], axis=1)
    for column in frame.columns:
        if not isinstance(column, str):
            raise UserError(f"X: found the column {column!r}, expected texts as names, each once")
    if not frame.columns.is_unique:
        raise UserError("X: found a column twice, expected texts as names, each once")
    return frame.copy(deep=False)  # which gets more columns


def _dense(X: Any) -> Any:
    """Return a sparse matrix as an array, where that has room in memory."""
    size = 8 * math.prod(X.shape)
    if size > _ROOM:
        raise UserError(
            f"X: a sparse matrix of shape {X.shape} would take "
            f"{1e-9 * size:.0f} GB as a table: keep fewer columns; of texts, "
            "pass the texts, and make their vectorizer a step of the estimators"
        )
    return X.toarray()


def are_texts(X: Any) -> bool:
    """Tell texts, one for each row, from a table."""
    is_list = isinstance(X, list | tuple | np.ndarray | pd.Series) and len(X) > 0
    return is_list and all(isinstance(text, str) for text in X)


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
    if not types:
        return None
    return FunctionTransformer(operator.methodcaller("astype", types))


def _column(passed: Any, frame: pd.DataFrame, argument: str) -> Any:
    """Return values for the rows of a table, paired by position."""
    if getattr(passed, "ndim", 1) == 2 and passed.shape[1] == 1:
        passed = passed.squeeze(axis=1)
    values = passed
    if not isinstance(passed, pd.Series):
        values = series_of(np.asarray(passed).tolist(), passed)
    if getattr(passed, "ndim", 1) != 1:
        raise UserError(f"{argument}: found shape {passed.shape}, expected one value for each row")
    if len(values) != len(frame):
        raise UserError(
            f"{argument}: found {len(values):,} values for the {len(frame):,} rows of X"
        )
    missing = int(values.isna().sum())
    if argument == "y" and missing:
        raise UserError(f"y: {missing:,} of its {len(values):,} values are missing: leave them out")
    if isinstance(passed, pd.Series) and not passed.index.equals(frame.index):
        raise UserError(
            f"{argument}: its index is not that of X; align them, or pass {argument}.to_numpy() to "
            "pair rows by position"
        )
    # types of pandas alone, such as categories, are kept
    if isinstance(values.dtype, np.dtype):
        return values.to_numpy()
    return values.array


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as a Parquet file, without its index."""
    try:
        with whole(path) as part:
            frame.reset_index(drop=True).to_parquet(part, index=False)
    except (TypeError, ValueError, NotImplementedError) as error:
        # pyarrow's: columns of mixed types, or of a type of pandas alone
        why = " ".join(str(error).split())
        raise UserError(f"X: a column cannot be written to a table: {why}") from None

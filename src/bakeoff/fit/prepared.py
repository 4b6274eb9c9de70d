"""Input of a pipeline's last step: rows as transformed by the steps before it.

scikit-learn's imputer and scaler hold several copies of what they are given. Of a large table they
learn from a few columns at a time and change a few rows at a time: the same numbers in the same
layout, to the last bit, with little memory beyond the input and the output.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

CELLS = 1 << 19
"""How many are dealt with at once; a table of as many is small."""
_IN_PARTS = [SimpleImputer], [SimpleImputer, StandardScaler]

Matrix = NDArray[np.float64]


def fit_before_last(pipeline: Pipeline, X: pd.DataFrame, y: NDArray[Any]) -> Any:
    """Fit all steps but the last, and return the rows that it is to learn from."""
    if not _works_in_parts(pipeline, X):
        return pipeline[:-1].fit_transform(X, y)
    imputer, *scalers = (step for _, step in pipeline.steps[:-1])
    _fit_imputer(imputer, X)
    made = _transformed([imputer], X)
    for scaler in scalers:
        _fit_scaler(scaler, made)
        _scale(scaler, made)
    pa.default_memory_pool().release_unused()  # and so does the allocator that NumPy uses
    return made


def prepared(estimator: Any, X: pd.DataFrame) -> Any:
    """Return rows as the last step of a fitted estimator sees them."""
    if not isinstance(estimator, Pipeline):
        return X
    if not _works_in_parts(estimator, X):
        return estimator[:-1].transform(X)
    return _transformed([step for _, step in estimator.steps[:-1]], X)


def _works_in_parts(pipeline: Pipeline, X: pd.DataFrame) -> bool:
    """Tell whether the rows are many, and prepared by what sees to each number by itself."""
    steps = pipeline.steps[:-1]
    return (
        X.size > CELLS
        and [type(step) for _, step in steps] in _IN_PARTS
        and all(name.startswith("auto_") for name, _ in steps)
        and all(map(_becomes_double, X.dtypes))
    )


def _becomes_double(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and (dtype == np.float64 or dtype.kind in "iu")


def _fit_imputer(imputer: SimpleImputer, X: pd.DataFrame) -> None:
    """Learn the medians, and which columns lack values."""
    parts = [clone(imputer).fit(X.iloc[:, columns]) for columns in _parts(X.shape[1], len(X))]
    lacking = X.isna().any().to_numpy()
    # two rows tell it all but the medians: names, types, the columns that lack values
    rows = np.array([np.zeros(len(lacking)), np.where(lacking, np.nan, 0.0)])
    imputer.fit(pd.DataFrame(rows, columns=X.columns))
    imputer.statistics_ = np.concatenate([part.statistics_ for part in parts])


def _fit_scaler(scaler: StandardScaler, X: Matrix) -> None:
    """Learn means and deviations."""
    parts = [clone(scaler).fit(X[:, columns]) for columns in _parts(X.shape[1], len(X))]
    scaler.fit(X[:2])  # how many columns there are
    for name in ("mean_", "var_", "scale_"):
        setattr(scaler, name, np.concatenate([getattr(part, name) for part in parts]))
    scaler.n_samples_seen_ = parts[0].n_samples_seen_  # no value is missing any more


def _transformed(steps: list[Any], X: pd.DataFrame) -> Matrix:
    """Apply fitted steps, which see to each number by itself."""
    prepared: Matrix | None = None
    for rows in _parts(len(X), X.shape[1]):
        made = X.iloc[rows]
        for step in steps:
            made = step.transform(made)
        if prepared is None:  # sums are to round as they would over all rows at once
            layout: Any = "C" if made.flags.c_contiguous else "F"
            prepared = np.empty((len(X), made.shape[1]), order=layout)
        prepared[rows] = made
    assert prepared is not None
    return prepared


def _scale(scaler: StandardScaler, X: Matrix) -> None:
    """Scale rows where they are."""
    for rows in _parts(len(X), X.shape[1]):
        X[rows] = scaler.transform(X[rows])


def _parts(length: int, other: int) -> Iterator[slice]:
    """Divide rows or columns, never leaving one alone: its layout, and sums over it, are others."""
    count = max(1, min(length // 2, -(-length * other // CELLS)))
    edges = [i * length // count for i in range(count + 1)]
    return map(slice, edges[:-1], edges[1:])

"""Single columns that determine the class: possible leakage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from bakeoff.data.columns import Series

NEARLY_ALL = 0.98
"""A column is told of where it gets so much of what the most frequent class leaves wrong."""
_MOST_ROWS = 20_000
_MOST_VALUES = 64


class Telling(NamedTuple):
    """A column, and on what share of the rows its value alone gives the class."""

    column: str
    share: float


def telling_columns(features: pd.DataFrame, target: Series) -> Iterator[Telling]:
    """List the columns whose value alone gives the class of nearly every row."""
    step = -(-len(target) // _MOST_ROWS)
    classes = pd.factorize(target.iloc[::step])[0]
    most = float(np.bincount(classes).max() / len(classes))
    for name in features.columns:
        share = _share(features[name].iloc[::step], classes)
        if most < 1 and share - most >= NEARLY_ALL * (1 - most):
            yield Telling(str(name), share)


def _share(values: Series, classes: np.ndarray) -> float:
    if pd.api.types.is_numeric_dtype(values.dtype) and values.nunique() > _MOST_VALUES:
        return _by_neighbours(values.to_numpy(dtype=np.float64, na_value=np.nan), classes)
    return _by_value(pd.factorize(values)[0] + 1, classes)


def _by_neighbours(values: np.ndarray, classes: np.ndarray) -> float:
    """Return the share of rows with the class of one of their neighbours in order."""
    # equal values in no order, that of the file may be that of the classes
    mixed = np.random.default_rng(0).permutation(len(values))
    ordered = classes[mixed[np.argsort(values[mixed], kind="stable")]]
    same = ordered[1:] == ordered[:-1]
    return float((np.append(same, False) | np.append(False, same)).mean())


def _by_value(codes: np.ndarray, classes: np.ndarray) -> float:
    """Return the share of rows whose class is the most frequent one of the other rows alike."""
    counts = np.zeros((int(codes.max()) + 1, int(classes.max()) + 1), dtype=np.int64)
    np.add.at(counts, (codes, classes), 1)
    ordered = np.sort(counts, axis=1)
    first, second = ordered[:, -1], ordered[:, -2] if counts.shape[1] > 1 else 0
    # without the row itself its class must still have as many rows as any other
    return float(first[first - 1 >= np.maximum(second, 1)].sum() / len(codes))

"""Single columns that tell the class by themselves: a reason to look for leakage."""

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
_FEWEST_IN_BIN = 4


class Telling(NamedTuple):
    """A column, and on what share of the rows its value alone gives the class."""

    column: str
    share: float


def telling_columns(features: pd.DataFrame, target: Series) -> Iterator[Telling]:
    """List the columns whose value alone gives the class of nearly every row.

    Each row is given the most frequent class of the other rows with the same value (of numbers
    with many values: with values as near as a few rows). Of more than 20,000 rows about as many
    are looked at.

    Parameters
    ----------
    features : DataFrame, shape (n, p)
        Missing values are a value of their own.
    target : Series, shape (n,)
        The class of each row.
    """
    step = -(-len(target) // _MOST_ROWS)
    classes = pd.factorize(target.iloc[::step])[0]
    counts = np.bincount(classes)
    most = float(counts.max() / len(classes))
    # narrow enough for a threshold that cuts a bin to cost few rows of the rarest class
    bins = len(classes) // max(_FEWEST_IN_BIN, int(counts.min() * (1 - NEARLY_ALL)))
    for name in features.columns:
        share = _right(_codes(features[name].iloc[::step], bins), classes)
        if most < 1 and share - most >= NEARLY_ALL * (1 - most):
            yield Telling(str(name), share)


def _codes(values: Series, bins: int) -> np.ndarray:
    """Replace values by codes, those of a number with many values by bins of equally many rows."""
    number = pd.api.types.is_numeric_dtype(values.dtype)
    if number and values.nunique() > _MOST_VALUES:
        ranks = values.rank(method="average", pct=True) * bins
        return ranks.fillna(-1).to_numpy().astype(np.int64) + 1
    return pd.factorize(values)[0] + 1


def _right(codes: np.ndarray, classes: np.ndarray) -> float:
    """Return the share of rows whose class is the most frequent one of the other rows alike."""
    counts = np.zeros((int(codes.max()) + 1, int(classes.max()) + 1), dtype=np.int64)
    np.add.at(counts, (codes, classes), 1)
    ordered = np.sort(counts, axis=1)
    first, second = ordered[:, -1], ordered[:, -2] if counts.shape[1] > 1 else 0
    # without the row itself its class must still have as many rows as any other
    return float(first[first - 1 >= np.maximum(second, 1)].sum() / len(codes))

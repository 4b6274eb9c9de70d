"""Rows that are copies of others but for small noise, such as repeated measurements of a case."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types
from scipy.special import digamma

from bakeoff.data.columns import Series, distinct
from bakeoff.data.describe import row_digests

_FEWEST_ROWS, _FEWEST_COLUMNS = 30, 3
_MOST_ROWS, _MOST_ASKED, _MOST_COLUMNS = 20_000, 1_000, 30
"""Rows that may be neighbours, rows whose neighbours are looked for, and columns that count."""
_MEASURED = 0.25
"""Share of different values from which on a column of numbers is measured, and not counted."""
_MOST_COPIES = 10
_NEAR, _FAR = 11, 22
"""Neighbours beyond all copies: their distances tell in how many dimensions rows spread."""
_BY_CHANCE = 0.005
_CLOSER = 0.25
"""Copies are at most so far away as this share of the way to the next row that is none."""
_NOTABLE, _FEWEST = 0.05, 6
"""Share of the rows, and number of them, from which on copies are told of."""
_ALIKE = 0.9
"""Share of close rows that have the class, and the categories, of the nearest one: copies do."""
_SAME_NUMBER = 0.05
"""Difference of ranks, as a share of the rows, up to which two numbers of a target are the same."""
_TOGETHER = 250


def near_copies(features: pd.DataFrame, target: Series) -> int:
    """Estimate how many rows nearly repeat another row and have its class, or number; mostly 0."""
    names = [name for name in features if _is_measured(features[name])]
    every = np.sort(np.unique(row_digests(features), return_index=True)[1])  # exact ones apart
    if len(names) < _FEWEST_COLUMNS or len(every) < _FEWEST_ROWS:
        return 0
    kept = every[:: -(-len(every) // _MOST_ROWS)]
    places = np.column_stack([_ranks(features[name].iloc[kept]) for name in names[:_MOST_COLUMNS]])
    asked = np.arange(0, len(kept), -(-len(kept) // _MOST_ASKED))
    distances, neighbours = _nearest(places, asked)
    has_copy, nearest = _much_closer(distances), neighbours[:, 0]
    copies = has_copy & _same(target.iloc[kept], asked, nearest)
    others = features.drop(columns=names).iloc[kept]
    if others.shape[1]:
        codes = row_digests(others)
        copies &= codes[asked] == codes[nearest]
    if copies.sum() < max(_FEWEST, _ALIKE * has_copy.sum()) or copies.mean() < _NOTABLE:
        return 0
    return round(float(copies.mean()) * len(every))


def _much_closer(distances: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell whether the first few neighbours of rows are far closer to them than the next one."""
    # Of the k-th neighbour in D dimensions the logarithm of the distance has the mean ψ(k)/D and a
    # constant (Facco et al. 2017 use k = 1, 2; here rows beyond all copies tell D).
    spread = np.log(distances[:, _FAR - 1] / distances[:, _NEAR - 1])
    dimensions = (digamma(_FAR) - digamma(_NEAR)) / max(float(np.median(spread)), 1e-9)
    # the first is closer than c times the second with the probability c^D
    closer = min(_CLOSER, _BY_CHANCE ** (1 / dimensions))
    steps = distances[:, :_MOST_COPIES] < closer * distances[:, 1 : _MOST_COPIES + 1]
    return np.asarray(steps.any(axis=1))


def _is_measured(values: Series) -> bool:
    """Tell whether a column holds numbers without gaps that rarely repeat."""
    if not types.is_numeric_dtype(values.dtype) or types.is_bool_dtype(values.dtype):
        return False
    return not values.isna().any() and distinct(values) >= _MEASURED * len(values)


def _ranks(values: Series) -> NDArray[np.float64]:
    """Return the ranks of values as shares: no unit and no outlier weighs more than another."""
    ranks: NDArray[np.float64] = values.astype(np.float64).rank().to_numpy() / len(values)
    return ranks


def _nearest(
    places: NDArray[np.float64], asked: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return distances to the nearest rows, and which these are, for some rows."""
    distances = np.empty((len(asked), _FAR))
    nearest = np.empty((len(asked), _FAR), dtype=np.intp)
    squares = np.square(places).sum(axis=1)
    for start in range(0, len(asked), _TOGETHER):
        rows = asked[start : start + _TOGETHER]
        squared = squares[rows, None] + squares - 2 * places[rows] @ places.T
        squared[np.arange(len(rows)), rows] = math.inf
        first = np.argpartition(squared, _FAR, axis=1)[:, :_FAR]
        ordered = np.argsort(np.take_along_axis(squared, first, axis=1), axis=1, kind="stable")
        first = np.take_along_axis(first, ordered, axis=1)
        found = np.take_along_axis(squared, first, axis=1)
        distances[start : start + len(rows)] = np.sqrt(np.maximum(found, 1e-20))
        nearest[start : start + len(rows)] = first
    return distances, nearest


def _same(target: Series, one: NDArray[np.intp], other: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell whether rows have the same class, or nearly the same number, as others."""
    if not types.is_float_dtype(target.dtype):
        values = target.to_numpy()
        return np.asarray(values[one] == values[other])
    ranks = _ranks(target)
    return np.abs(ranks[one] - ranks[other]) <= _SAME_NUMBER

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

_FEWEST_ROWS = 30
_FEWEST_COLUMNS = 3
_MOST_ROWS = 20_000
"""Rows that may be neighbours."""
_MOST_ASKED = 1_000
"""Rows whose neighbours are looked for."""
_MOST_COLUMNS = 30
"""Columns that count."""
_MEASURED = 0.25
"""Share of different values from which on a column of numbers is measured, and not counted."""
_MOST_COPIES = 10
_NEAR = 11
"""A neighbour beyond all copies: how far it is tells in how many dimensions rows spread."""
_FAR = 22
"""A neighbour twice as far in the order of neighbours."""
_BY_CHANCE = 0.005
_CLOSER = 0.25
"""Copies are at most so far away as this share of the way to the next row that is none."""
_NOTABLE = 0.05
"""Share of the rows from which on copies are told of."""
_FEWEST = 6
"""Number of rows from which on copies are told of."""
_ALIKE = 0.9
"""Share of close rows that have the class, and the categories, of the nearest one: copies do."""
_SAME_NUMBER = 0.05
"""Difference of ranks, as a share of the rows, up to which two numbers of a target are the same."""
_TOGETHER = 250
_SMALLEST = 1e-20
"""The least squared distance, of which a logarithm is taken."""


def near_copies(features: pd.DataFrame, target: Series) -> int:
    """Estimate how many rows nearly repeat another row and have its class, or number; mostly 0."""
    measured = [name for name in features if _is_measured(features[name])]
    # exact copies are told of apart
    different = np.sort(np.unique(row_digests(features), return_index=True)[1])
    if len(measured) < _FEWEST_COLUMNS or len(different) < _FEWEST_ROWS:
        return 0
    kept = different[:: _step(len(different), _MOST_ROWS)]
    ranks = []
    for name in measured[:_MOST_COLUMNS]:
        ranks.append(_ranks(features[name].iloc[kept]))
    points = np.column_stack(ranks)
    asked = np.arange(0, len(kept), _step(len(kept), _MOST_ASKED))
    distances, neighbours = _nearest(points, asked)
    nearest = neighbours[:, 0]
    has_copy = _much_closer(distances)
    is_copy = has_copy & _same(target.iloc[kept], asked, nearest)
    # a copy has the same categories and counts, too
    others = features.drop(columns=measured).iloc[kept]
    if others.shape[1]:
        digests = row_digests(others)
        is_copy &= digests[asked] == digests[nearest]
    if is_copy.sum() < max(_FEWEST, _ALIKE * has_copy.sum()) or is_copy.mean() < _NOTABLE:
        return 0
    return round(float(is_copy.mean()) * len(different))


def _step(n: int, most: int) -> int:
    """Return the step by which at most so many of n rows are taken."""
    return -(-n // most)


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
    points: NDArray[np.float64], asked: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return distances to the nearest rows, and which these are, for some rows."""
    distances = np.empty((len(asked), _FAR))
    nearest = np.empty((len(asked), _FAR), dtype=np.intp)
    squares = np.square(points).sum(axis=1)
    for start in range(0, len(asked), _TOGETHER):
        rows = asked[start : start + _TOGETHER]
        end = start + len(rows)
        # |x - y|² = |x|² + |y|² - 2 x·y
        squared = squares[rows, None] + squares - 2 * points[rows] @ points.T
        squared[np.arange(len(rows)), rows] = math.inf  # no row is its own neighbour
        first = np.argpartition(squared, _FAR, axis=1)[:, :_FAR]
        order = np.argsort(np.take_along_axis(squared, first, axis=1), axis=1, kind="stable")
        nearest[start:end] = np.take_along_axis(first, order, axis=1)
        nearest_squares = np.take_along_axis(squared, nearest[start:end], axis=1)
        distances[start:end] = np.sqrt(np.maximum(nearest_squares, _SMALLEST))
    return distances, nearest


def _much_closer(distances: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell whether the first few neighbours of rows are far closer to them than the next one."""
    # Of the k-th neighbour in D dimensions the logarithm of the distance has the mean ψ(k)/D and a
    # constant (Facco et al. 2017 use k = 1, 2; here rows beyond all copies tell D).
    spread = np.log(distances[:, _FAR - 1] / distances[:, _NEAR - 1])
    dimensions = (digamma(_FAR) - digamma(_NEAR)) / max(float(np.median(spread)), 1e-9)
    # the first is closer than c times the second with the probability c^D
    closer = min(_CLOSER, _BY_CHANCE ** (1 / dimensions))
    nearer = distances[:, :_MOST_COPIES]
    farther = distances[:, 1 : _MOST_COPIES + 1]
    return np.asarray((nearer < closer * farther).any(axis=1))


def _same(target: Series, rows: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell whether rows have the same class, or nearly the same number, as others."""
    if not types.is_float_dtype(target.dtype):
        values = target.to_numpy()
        return np.asarray(values[rows] == values[others])
    ranks = _ranks(target)
    return np.abs(ranks[rows] - ranks[others]) <= _SAME_NUMBER

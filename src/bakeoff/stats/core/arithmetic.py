"""Linear algebra that depends on no arbitrary basis: equal columns have equal roots and draws.

LAPACK chooses a basis by the last bit for equal eigenvalues, and a draw may hang on it. Here sums
are added in one order, so that equal columns of rows have equal entries.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.checks import FloatArray

_BLOCK = 2048  # numbers of a column that stay in the cache
_DEPENDENT = 1e-13
"""The share of a variance that rounding leaves where nothing is left."""


def gram(rows: FloatArray) -> FloatArray:
    """Return XᵀX of rows X, shape (n, K), as an array of shape (K, K)."""
    n, k = rows.shape
    total = np.zeros((k, k))
    for start in range(0, n, _BLOCK):
        columns = np.ascontiguousarray(rows[start : start + _BLOCK].T)
        for i in range(k):
            total[i, i:] += (columns[i] * columns[i:]).sum(axis=1)
    return np.asarray(np.triu(total) + np.triu(total, 1).T)


def helmert(rows: FloatArray) -> FloatArray:
    """Return orthonormal contrasts of the columns: rows of shape (n, M) give (n, M − 1)."""
    i = np.arange(1, rows.shape[1])
    before = np.cumsum(rows, axis=1)[:, :-1]
    return np.asarray((before - i * rows[:, 1:]) / np.sqrt(i * (i + 1)))


def root(covariance: FloatArray, least: float = 0.0) -> FloatArray:
    """Return a lower triangular L with LLᵀ = V, also of a singular V, shape (K, K)."""
    left = np.array(covariance, dtype=np.float64)
    lower = np.zeros_like(left)
    for k in range(len(left)):
        pivot = left[k, k]
        if pivot <= max(_DEPENDENT * covariance[k, k], least):
            continue
        lower[k:, k] = left[k:, k] / math.sqrt(pivot)
        left[k:, k:] -= np.multiply.outer(lower[k:, k], lower[k:, k])
    return lower


def times_root(normal: NDArray[np.float32], lower: FloatArray) -> NDArray[np.float32]:
    """Turn independent draws, shape (K, B), into L times them, in their place."""
    factors = lower.astype(np.float32)
    for i in range(len(factors) - 1, -1, -1):  # a row needs itself and those before it
        normal[i] *= factors[i, i]
        for k in np.flatnonzero(factors[i, :i]):
            normal[i] += factors[i, k] * normal[k]
    return normal

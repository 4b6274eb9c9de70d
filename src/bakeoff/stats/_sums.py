"""Sums of products in an order that no processor chooses.

BLAS sums in the order that suits the processor, so that the last bits of `a @ b` differ between
machines, and a rank, a tie or a draw from a singular covariance may hang on them. NumPy
multiplies element by element and adds pairwise in the same order everywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats._checks import FloatArray

_BLOCK = 2048


def gram(rows: FloatArray) -> FloatArray:
    """Return XᵀX of rows X, shape (n, K), as an array of shape (K, K).

    Equal columns have equal entries, to the last bit.
    """
    n, k = rows.shape
    total = np.zeros((k, k))
    for start in range(0, n, _BLOCK):  # a block stays in the cache
        columns = np.ascontiguousarray(rows[start : start + _BLOCK].T)
        for i in range(k):
            total[i, i:] += (columns[i] * columns[i:]).sum(axis=1)
    return np.asarray(np.triu(total) + np.triu(total, 1).T)


def root(covariance: FloatArray) -> FloatArray:
    """Return a lower triangular L with LLᵀ = V, also of a singular V, shape (K, K).

    The Cholesky decomposition, where a row that depends on those before it adds no column. Such
    a root depends on V alone; one from eigenvectors also on the basis that LAPACK chooses for
    equal eigenvalues.
    """
    left = np.array(covariance, dtype=np.float64)
    found = np.zeros_like(left)
    for k in range(len(left)):
        pivot = left[k, k]
        if pivot <= _DEPENDENT * covariance[k, k]:
            continue
        found[k:, k] = left[k:, k] / np.sqrt(pivot)
        left[k:, k:] -= np.multiply.outer(found[k:, k], found[k:, k])
    return found


_DEPENDENT = 1e-13
"""The share of a variance that rounding leaves where nothing is left."""


def times_root(normal: NDArray[np.float32], lower: FloatArray) -> NDArray[np.float32]:
    """Turn independent draws, shape (K, B), into L times them, in their place."""
    factors = lower.astype(np.float32)
    for i in range(len(factors) - 1, -1, -1):  # a row needs itself and those before it
        normal[i] *= factors[i, i]
        for k in np.flatnonzero(factors[i, :i]):
            normal[i] += factors[i, k] * normal[k]
    return normal

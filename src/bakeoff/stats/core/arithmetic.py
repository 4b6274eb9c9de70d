"""Sums of products and linear algebra that depend on no number of threads and no processor.

BLAS and LAPACK sum in the order that suits the processor and its threads, and for equal eigenvalues
choose a basis by the last bit: a rank, a tie or a draw may hang on it. Here NumPy multiplies
element by element and adds in one order everywhere. Integers below 2^53 (2^24 in single precision)
are the same in any order, and may use BLAS.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.checks import FloatArray

_BLOCK = 2048  # numbers of a column that stay in the cache
_DEPENDENT = 1e-13
"""The share of a variance that rounding leaves where nothing is left."""


def inner(a: FloatArray, b: FloatArray) -> float:
    """Return Σ a·b of two vectors."""
    if len(a) <= _BLOCK:
        return float(np.multiply(a, b).sum())
    blocks = (slice(start, start + _BLOCK) for start in range(0, len(a), _BLOCK))
    return math.fsum((a[rows] * b[rows]).sum() for rows in blocks)


def gram(rows: FloatArray) -> FloatArray:
    """Return XᵀX of rows X, shape (n, K), as an array of shape (K, K)."""
    n, k = rows.shape
    total = np.zeros((k, k))
    for start in range(0, n, _BLOCK):
        columns = np.ascontiguousarray(rows[start : start + _BLOCK].T)
        for i in range(k):
            total[i, i:] += (columns[i] * columns[i:]).sum(axis=1)
    return np.asarray(np.triu(total) + np.triu(total, 1).T)


def product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return AB of matrices, shapes (K, N) and (N, L), of which N is small."""
    total = np.zeros((len(a), b.shape[1]))
    for column, row in zip(a.T, b, strict=True):
        total += np.multiply.outer(column, row)
    return total


def signed_sums(signs: NDArray[Any], values: FloatArray) -> FloatArray:
    """Return AB of a matrix A of −1, 0 and 1, shape (K, N), and of any numbers B, shape (N, L)."""
    # BLAS may take its own order: each column of B is cut into numbers of so few bits that all
    # their sums are exact (Ozaki et al. 2012, 10.1007/s11075-011-9478-1). Two such parts hold what
    # rounding would leave of the largest number. Small whole numbers are exact in single precision.
    if np.abs(values).sum(axis=0).max(initial=0) < 1 << 24 and (values == np.rint(values)).all():
        return np.asarray(signs.astype(np.float32) @ values.astype(np.float32), dtype=np.float64)
    bits = 52 - math.ceil(math.log2(max(len(values), 1)))
    largest = np.abs(values).max(axis=0, initial=0.0)
    step = np.ldexp(1.0, np.frexp(largest)[1] - bits)
    high = np.rint(values / step) * step
    total = signs @ high
    step = np.ldexp(step, -bits)
    return np.asarray(total + signs @ (np.rint((values - high) / step) * step))


def helmert(rows: FloatArray) -> FloatArray:
    """Return orthonormal contrasts of the columns: rows of shape (n, M) give (n, M − 1)."""
    i = np.arange(1, rows.shape[1])
    before = np.cumsum(rows, axis=1)[:, :-1]
    return np.asarray((before - i * rows[:, 1:]) / np.sqrt(i * (i + 1)))


def root(covariance: FloatArray, least: float = 0.0) -> FloatArray:
    """Return a lower triangular L with LLᵀ = V, also of a singular V, shape (K, K)."""
    left = np.array(covariance, dtype=np.float64)
    found = np.zeros_like(left)
    for k in range(len(left)):
        pivot = left[k, k]
        if pivot <= max(_DEPENDENT * covariance[k, k], least):
            continue
        found[k:, k] = left[k:, k] / math.sqrt(pivot)
        left[k:, k:] -= np.multiply.outer(found[k:, k], found[k:, k])
    return found


def solved(lower: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Solve Lz = b of a lower triangular L, shape (K, K); b is of shape (K,) or (K, N)."""
    left = np.array(right, dtype=np.float64)
    found = np.zeros_like(left)
    for k in np.flatnonzero(lower.diagonal()):
        found[k] = left[k] / lower[k, k]
        left[k:] -= np.multiply.outer(lower[k:, k], found[k])
    return found, left


def times_root(normal: NDArray[np.float32], lower: FloatArray) -> NDArray[np.float32]:
    """Turn independent draws, shape (K, B), into L times them, in their place."""
    factors = lower.astype(np.float32)
    for i in range(len(factors) - 1, -1, -1):  # a row needs itself and those before it
        normal[i] *= factors[i, i]
        for k in np.flatnonzero(factors[i, :i]):
            normal[i] += factors[i, k] * normal[k]
    return normal

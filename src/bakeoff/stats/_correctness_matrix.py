"""What the tests on a rows × models matrix of right/wrong values share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats._checks import BoolArray, FloatArray, as_correctness

# One block of rows as float32 stays in the processor's cache, and its sums below 2^24 are exact.
_BLOCK_VALUES = 1 << 20


def as_matrix(
    correct: ArrayLike, row_counts: ArrayLike | None, *, models: int = 2
) -> tuple[BoolArray, FloatArray | None]:
    """Check a rows × models matrix, and how often each row occurs (None: once)."""
    matrix = as_correctness(correct, "correct", ndim=2)
    if matrix.shape[1] < models:
        raise ValueError(
            f"correct: found {matrix.shape[1]} column(s), needs one column per model and at "
            f"least {models} models (shape (rows, models))"
        )
    if row_counts is None:
        return matrix, None
    counts = np.asarray(row_counts)
    if counts.shape != (len(matrix),):
        raise ValueError(
            f"row_counts: found shape {counts.shape}, needs one count for each of the "
            f"{len(matrix)} rows of correct"
        )
    if counts.dtype.kind not in "iuf" or not ((counts >= 0) & (counts % 1 == 0)).all():
        raise ValueError("row_counts: must be whole numbers >= 0, how often each row occurs")
    if not counts.any():
        raise ValueError("row_counts: are all 0, there are no rows")
    return matrix, counts.astype(np.float64)


def column_totals(matrix: BoolArray, counts: FloatArray | None) -> FloatArray:
    """Return how many rows each model has right."""
    weights = np.ones(len(matrix)) if counts is None else counts
    total: FloatArray = weights @ matrix
    return total


def both_correct(matrix: BoolArray, counts: FloatArray | None) -> FloatArray:
    """Return the (models, models) numbers of rows that both of a pair have right, exactly.

    A sum of matrix products over blocks of rows: nothing of size rows × models × models.
    """
    rows, models = matrix.shape
    block = max(1, _BLOCK_VALUES // models)
    total = np.zeros((models, models))
    for start in range(0, rows, block):
        part = matrix[start : start + block]
        if counts is None:
            right = part.astype(np.float32)
            total += right.T @ right
        else:
            right64 = part.astype(np.float64)
            total += (right64 * counts[start : start + block, None]).T @ right64
    return total


def row_total_counts(matrix: BoolArray, counts: FloatArray | None) -> NDArray[np.int64]:
    """Return how many rows 0, 1, ..., M models have right."""
    totals = matrix.sum(axis=1, dtype=np.int64)
    found = np.bincount(totals, weights=counts, minlength=matrix.shape[1] + 1)
    return found.astype(np.int64)

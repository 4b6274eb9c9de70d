"""What the tests on a rows × models matrix of right/wrong values share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.checks import BoolArray, FloatArray, as_correctness, as_counts
from bakeoff.stats.core.errors import ArgumentError

# Bytes of one block of rows at work: it stays in the processor's cache.
_BLOCK_BYTES = 1 << 20


def as_matrix(
    correct: ArrayLike, row_counts: ArrayLike | None, *, models: int = 2
) -> tuple[BoolArray, FloatArray | None]:
    """Check a rows × models matrix, and how often each row occurs (None: once)."""
    matrix = as_correctness(correct, "correct", ndim=2)
    if matrix.shape[1] < models:
        raise ArgumentError(
            "correct",
            f"found {matrix.shape[1]} column(s), needs one column per model and at "
            f"least {models} models (shape (rows, models))",
        )
    if row_counts is None:
        return matrix, None
    counts = as_counts(row_counts, "row_counts")
    if counts.shape != (len(matrix),):
        raise ArgumentError(
            "row_counts",
            f"found shape {counts.shape}, needs one count for each of the "
            f"{len(matrix)} rows of correct",
        )
    if not counts.any():
        raise ArgumentError("row_counts", "are all 0, there are no rows")
    return matrix, counts


def column_totals(matrix: BoolArray, counts: FloatArray | None) -> FloatArray:
    """Return how many rows each model has right."""
    if counts is None:
        return np.asarray(matrix.sum(axis=0, dtype=np.int64), dtype=np.float64)
    total = np.zeros(matrix.shape[1])
    for rows in _blocks(matrix, 8):
        total += counts[rows] @ matrix[rows]
    return total


def both_correct(matrix: BoolArray, counts: FloatArray | None) -> FloatArray:
    """Return the (models, models) numbers of rows that both of a pair have right, exactly."""
    models = matrix.shape[1]
    total = np.zeros((models, models))
    if counts is not None:
        for rows in _blocks(matrix, 8):
            right = matrix[rows].astype(np.float64)
            total += (right * counts[rows, None]).T @ right
        return total
    for rows in _blocks(matrix, 1 / 8):
        words = _pack(matrix[rows])
        # at most 64 per word: their sums are exact in single precision
        ones = np.ones(words.shape[1], dtype=np.float32)
        for i in range(models):
            total[i, i:] += np.bitwise_count(words[i] & words[i:]).astype(np.float32) @ ones
    return np.triu(total) + np.triu(total, 1).T


def _blocks(matrix: BoolArray, bytes_a_value: float) -> Iterator[slice]:
    """Cut the rows into blocks of a whole number of 64 rows."""
    rows = max(1, int(_BLOCK_BYTES / (64 * matrix.shape[1] * bytes_a_value))) * 64
    for start in range(0, len(matrix), rows):
        yield slice(start, start + rows)


def _pack(block: BoolArray) -> NDArray[np.uint64]:
    """Return one row of 64-bit words per model, one bit per row of the block."""
    columns = np.empty(block.shape[::-1], dtype=np.bool_)
    for start in range(0, len(block), 256):  # narrow strips transpose three times as fast
        columns[:, start : start + 256] = block[start : start + 256].T
    packed = np.packbits(columns, axis=1)
    words = np.zeros((len(packed), -(-packed.shape[1] // 8)), dtype=np.uint64)
    words.view(np.uint8)[:, : packed.shape[1]] = packed
    return words


def row_total_counts(matrix: BoolArray, counts: FloatArray | None) -> NDArray[np.int64]:
    """Return how many rows 0, 1, ..., M models have right."""
    totals = matrix.sum(axis=1, dtype=np.int64)
    found = np.bincount(totals, weights=counts, minlength=matrix.shape[1] + 1)
    return found.astype(np.int64)

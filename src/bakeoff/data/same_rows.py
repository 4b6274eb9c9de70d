"""Check that a file describes the expected rows: the same ids and the same true labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.file_columns import Answers
from bakeoff.data.prediction_table import PredictionTable
from bakeoff.errors import Problem, some

_SHOWN = 5


@dataclasses.dataclass(frozen=True)
class LabelledRows:
    """Ids and true labels of rows.

    Attributes
    ----------
    ids : ndarray, shape (n,)
        Unique: whole numbers or texts.
    labels : Labels or Numbers
        What is true of them.
    origin : str
        Where they come from, for messages.
    left_out : ndarray
        Ids of rows that are known and have no label.
    """

    ids: NDArray[Any]
    labels: Answers
    origin: str
    left_out: NDArray[Any] = dataclasses.field(default_factory=lambda: np.array([], np.int64))

    @classmethod
    def of(cls, file: PredictionTable) -> LabelledRows:
        """Take the rows that a file is about, which holds their true labels."""
        assert file.true is not None
        missing = file.true.missing
        if not missing.any():
            return cls(file.ids, file.true, repr(file.path))
        return cls(file.ids[~missing], file.true[~missing], repr(file.path), file.ids[missing])


def check_same(rows: LabelledRows, given: PredictionTable) -> NDArray[np.intp]:
    """Check that a file describes the expected rows.

    Returns
    -------
    ndarray of int
        For each row its position in the file.

    Raises
    ------
    Problem
        Other ids, or another true label for one of them; with the first that differ.
    """
    position = _positions(rows, given)
    if given.true is None:
        return position
    labels: Any = given.true[position]
    wrong = np.flatnonzero(rows.labels.unlike(labels) & ~labels.missing)
    if len(wrong):
        shown = [("id", rows.origin, repr(given.path))]
        shown += [(rows.ids[i], rows.labels.named(i), labels.named(i)) for i in wrong[:_SHOWN]]
        raise Problem(
            given.columns.place,
            f"{len(wrong):,} of {len(labels):,} rows have another {labels.what} than in "
            f"{rows.origin}; the first:\n{_aligned(shown)}",
        )
    return position


def _positions(rows: LabelledRows, given: PredictionTable) -> NDArray[np.intp]:
    """Find each row in a file that holds all of them, and none that is unknown."""
    if np.array_equal(rows.ids, given.ids):
        return np.arange(len(rows.ids))
    wanted, there, ignored = _alike(rows.ids, given.ids, rows.left_out)
    position: NDArray[np.intp] = pd.Index(there).get_indexer(pd.Index(wanted))
    lacking = wanted[position < 0]
    extra = there[~np.isin(there, wanted) & ~np.isin(there, ignored)]
    if len(lacking) or len(extra):
        parts = [f"{given.path!r} has {len(there):,} rows, {rows.origin} {len(wanted):,}"]
        parts += (
            [f"ids that are missing ({len(lacking):,}): {some(lacking)}"] if len(lacking) else []
        )
        parts += [f"ids that do not belong ({len(extra):,}): {some(extra)}"] if len(extra) else []
        raise Problem(given.columns.place, "; ".join(parts))
    return position


def _alike(*ids: NDArray[Any]) -> list[NDArray[Any]]:
    """Bring ids to one type: texts, unless all are numbers."""
    filled = [values for values in ids if len(values)]
    if len({values.dtype for values in filled}) < 2:
        return [values.astype(filled[0].dtype) for values in ids]
    return [np.array([str(value) for value in values], dtype=object) for values in ids]


def _aligned(rows: Sequence[tuple[Any, ...]]) -> str:
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return "\n".join(
        "    " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in texts
    )

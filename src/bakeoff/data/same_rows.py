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
from bakeoff.data.readers import QUESTION, SAMPLE_ID
from bakeoff.errors import Problem, Remedy, some

_SHOWN = 5


@dataclasses.dataclass(frozen=True)
class LabelledRows:
    """Ids and true labels of rows."""

    ids: NDArray[Any]
    labels: Answers
    origin: str
    left_out: NDArray[Any] = dataclasses.field(default_factory=lambda: np.array([], np.int64))
    samples: pd.DataFrame | None = None

    @classmethod
    def of(cls, file: PredictionTable) -> LabelledRows:
        """Take the rows that a file is about, which holds their true labels."""
        assert file.true is not None
        missing = file.true.missing
        if not missing.any():
            return cls(file.ids, file.true, repr(file.path), samples=_samples(file))
        return cls(file.ids[~missing], file.true[~missing], repr(file.path), file.ids[missing])


def check_same(rows: LabelledRows, given: PredictionTable) -> NDArray[np.intp]:
    """Check that a file describes the expected rows."""
    position = _positions(rows, given)
    here, there = rows.samples, _samples(given)
    if here is not None and there is not None:
        asked = there["id"].to_numpy()[position]
        # a question that the other log has nowhere may be the same one in other words
        other = np.flatnonzero((here["id"] != asked) & here["id"].isin(there["id"]))
        if len(other):
            shown = [("id", rows.origin, repr(given.path))]
            shown += [(rows.ids[i], here["id"].iloc[i], asked[i]) for i in other[:_SHOWN]]
            raise Problem(
                given.columns.place,
                f"{len(other):,} of {len(asked):,} rows are another question than in "
                f"{rows.origin}; leave the column of ids out, and logs pair by their questions; "
                f"the first:\n{_aligned(shown)}",
            )
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
        remedy, one, other = None, rows.samples, _samples(given)
        if one is not None and other is not None:
            both = one.drop_duplicates().merge(other.drop_duplicates(), on=SAMPLE_ID)
            unlike = both[both["id_x"] != both["id_y"]]
            if len(unlike):
                own, *asked = unlike[[SAMPLE_ID, "id_x", "id_y"]].iloc[0]
                parts += [
                    f"of {len(both):,} ids that both logs have for samples, {len(unlike):,} stand "
                    f"for different questions, the first is {own}: {asked[0]!r} and {asked[1]!r}"
                ]
                only = "; only if both logs number the same questions alike, {} pairs so"
                remedy = Remedy("id", SAMPLE_ID, only)
        raise Problem(given.columns.place, "; ".join(parts), remedy=remedy)
    return position


def _samples(file: PredictionTable) -> pd.DataFrame | None:
    """Return questions and ids of the samples of a log; None of any other file."""
    if not {"id", SAMPLE_ID} <= set(file.columns.names):
        return None
    samples = file.columns.table.select(["id", SAMPLE_ID]).to_pandas().astype(str)
    # a table of somebody's own may have columns of these names
    return samples if samples["id"].str.contains(QUESTION).all() else None


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

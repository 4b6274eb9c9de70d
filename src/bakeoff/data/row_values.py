"""Values that models provide for each row: losses, partial credit, correctness."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.file_columns import Labels
from bakeoff.data.prediction_table import PredictionTable, read_predictions
from bakeoff.errors import Place, Problem, Remedy
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.metrics import GivenMetric, Passing
from bakeoff.spec.values import RIGHT, RIGHT_OR_WRONG, Kind


def read_values(
    path: str,
    columns: GivenColumns,
    place: Place,
    metric: Kind,
    run: tuple[int, int] = (1, 1),
    model: str | None = None,
) -> PredictionTable:
    """Read a file of numbers of one model."""
    return meant(read_predictions(path, columns, place, values=True, run=run, model=model), metric)


def meant(file: PredictionTable, metric: Kind) -> PredictionTable:
    """Say what the numbers of a file mean; see `read_values`."""
    if isinstance(metric, Passing):
        file = _passed(file, metric)
    values = file.values
    assert values is not None
    if isinstance(metric, GivenMetric):
        low, high = limits(metric)
        _check(file, (values < low) | (values > high), f"outside {low:g} to {high:g}")
        return dataclasses.replace(file, true=Labels(("",), np.zeros(len(values), dtype=np.int32)))
    described = Remedy("metrics", f"[{metric}]", "; {} wants 0 and 1: describe another metric")
    _check(file, ~np.isin(values, (0, 1)), "that is neither 0 nor 1", described)
    right = values == RIGHT[metric]
    return dataclasses.replace(
        file,
        true=Labels(RIGHT_OR_WRONG, np.ones(len(values), dtype=np.int32)),
        predicted=Labels(RIGHT_OR_WRONG, right.astype(np.int32)),
    )


def _passed(file: PredictionTable, asked: Passing) -> PredictionTable:
    """Put in place of the runs of each item how often k of them pass."""
    from bakeoff.stats import pass_at, pass_hat  # all of statistics: for this alone

    right = meant(file, asked.marks).predicted
    assert right is not None
    if file.items is None:
        raise Problem(
            (*file.columns.place[:-1], "columns", "run"),
            f"{file.path!r}: which column numbers the runs of an item, of which {asked.k} are "
            "drawn?",
        )
    items, first, at, runs = np.unique(
        file.items, return_index=True, return_inverse=True, return_counts=True
    )
    if (least := int(runs.min())) < asked.k:
        raise Problem(
            ("metrics", 0) if len(file.columns.place) > 1 else ("k",),
            f"{file.path!r}: {asked.label} wants {asked.k} runs of each item, "
            f"{(runs < asked.k).sum():,} have fewer; the first is {items[runs.argmin()]} with "
            f"{least}",
        )
    for role, known in file.related.items():
        if (known != known[first][at]).any():
            raise Problem(file.columns.place, f"{file.path!r}: runs of an item differ in {role}")
    codes = right.among(RIGHT_OR_WRONG)
    estimate = pass_hat if asked.every else pass_at
    values = estimate(np.bincount(at, codes).astype(int), runs, asked.k)
    kept = file[first]
    constant = [
        name
        for name in file.columns.names
        if pd.Series(file.columns.table[name].to_pandas()).groupby(at).nunique().le(1).all()
    ]
    own = dataclasses.replace(kept.columns, table=kept.columns.table.select(constant))
    # runs without groups of their own have their items for groups
    related = {
        role: known
        for role, known in kept.related.items()
        if not np.array_equal(known, [str(item) for item in items])
    }
    return dataclasses.replace(
        kept, columns=own, ids=items, values=values, related=related, items=None
    )


def limits(metric: GivenMetric) -> tuple[float, float]:
    """Return the least and the greatest possible number."""
    low, high = metric.range
    return -math.inf if low is None else low, math.inf if high is None else high


def may_be_right_or_wrong(files: Collection[PredictionTable], metric: GivenMetric) -> bool:
    """Tell whether all values are 0 or 1 and no other range is declared."""
    arrays = [file.values for file in files if file.values is not None]
    told = isinstance(metric, Passing) or limits(metric) not in ((-math.inf, math.inf), (0, 1))
    if not arrays or told:
        return False
    return all(bool(np.isin(values, (0, 1)).all()) for values in arrays)


def _check(
    file: PredictionTable, wrong: NDArray[Any], what: str, remedy: Remedy | None = None
) -> None:
    at = np.flatnonzero(wrong)
    if len(at):
        assert file.values is not None
        raise Problem(
            file.columns.place,
            f"{file.path!r}: {len(at):,} of {len(wrong):,} rows have a number {what}; the first "
            f"is id {file.ids[at[0]]} with {file.values[at[0]]:g}",
            remedy=remedy,
        )

"""Tables whose rows repeat for every training run of a model: cut run by run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa

from bakeoff.data.columns import in_order, names
from bakeoff.data.file_columns import USUAL, Columns
from bakeoff.errors import Problem, listed, some
from bakeoff.spec.given_models import SEED, GivenColumns

_SHOWN = 3


def by_run(file: Columns, columns: GivenColumns) -> Iterator[tuple[str, Columns]]:
    """Cut a table at its column of training runs, every run with its rows in one order.

    Parameters
    ----------
    file : Columns
        The table; each run has every row once. The files of ``{seed}`` are runs.
    columns : GivenColumns
        Which columns hold ids and runs; without one of runs the table is that of a single run.

    Raises
    ------
    Problem
        No ids, a row that is missing in a run or there twice.
    """
    at = (*file.place[:-1], "columns", "seed")
    if SEED in file.names:
        if columns.seed is not None:
            raise Problem(at, f"{file.path!r} is a file for each run: leave it out")
        columns = columns.model_copy(update={"seed": SEED})
    if columns.seed is None:
        yield "", file
        return
    runs, name = file.related("seed", columns), file.find("id", columns)
    if columns.seed == SEED:
        file = dataclasses.replace(file, table=file.table.drop_columns([SEED]))
    if name is None:
        raise Problem(
            (*at[:-1], "id"),
            f"{file.path!r} has no column of row ids (looked for {listed(USUAL['id'])}), which say "
            "what each training run predicts for the same row",
        )
    ids = pd.Series(names(file.table[name].to_pandas()))
    frame = pd.DataFrame({"run": runs, "id": ids})
    twice = frame[frame.duplicated()]
    if len(twice):
        run, row = twice.iloc[0]
        raise Problem(
            at,
            f"{file.path!r}: {len(twice):,} row(s) are there twice in a training run; the first is "
            f"id {row} in run {run}. Answers that are drawn anew for each item are no training "
            "runs: they are runs of an item",
        )
    first: pd.Index[str] | None = None
    for run in in_order(set(frame["run"])):
        own = frame.index[frame["run"] == run]
        found = pd.Index(ids[own])
        first = found if first is None else first
        lacking, extra = first.difference(found), found.difference(first)
        if len(lacking) or len(extra):
            which = f"lacks {len(lacking):,} row(s)" if len(lacking) else "has other rows"
            raise Problem(
                at,
                f"{file.path!r}: the training run {run} {which} "
                f"({some([*lacking[:_SHOWN], *extra[:_SHOWN]])}): every run predicts the same "
                "rows; leave incomplete rows out of all runs",
            )
        rows = np.asarray(own)[found.get_indexer(first)]
        yield run, dataclasses.replace(file, table=file.table.take(pa.array(rows)))

"""The table of a model, of which training runs may be files or rows: read, and cut run by run."""

from __future__ import annotations

import dataclasses
import glob
import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa

from bakeoff.data.columns import in_order
from bakeoff.data.file_columns import USUAL, Columns
from bakeoff.data.table_files import PLAIN, read_table
from bakeoff.errors import Place, Problem, listed, some
from bakeoff.files import is_file, no_file
from bakeoff.sources.common.tables import TableKeys
from bakeoff.spec.given_models import SEED, GivenColumns

_SHOWN = 3


def read_columns(path: str, place: Place, keys: TableKeys = PLAIN) -> Columns:
    """Read a table of any format; a CSV file may have another separator than the comma.

    Where the path has ``{seed}`` in it, the files of all numbers are put below one another, with
    the number in a column of that name.
    """
    if SEED in path and not is_file(path):
        return _of_seeds(path, place, keys)
    if not is_file(path):
        raise Problem(place, no_file(path))
    return Columns(path, read_table(path, place, keys), place)


def _of_seeds(path: str, place: Place, keys: TableKeys) -> Columns:
    """Read the files of a model's training runs."""
    parts = path.split(SEED)
    fits = re.compile(re.escape(parts[0]) + r"(\d+)" + r"\1".join(map(re.escape, parts[1:])))
    there = glob.glob("*".join(map(glob.escape, parts)))  # noqa: PTH207  absolute or not
    files = sorted((int(match[1]), match[0]) for match in map(fits.fullmatch, there) if match)
    if not files:
        raise Problem(place, f"no file at {path!r} with a number in place of {SEED}")
    tables = [read_columns(file, place, keys).table for _, file in files]
    for (_, file), table in zip(files, tables, strict=True):
        if set(table.column_names) != set(tables[0].column_names):
            raise Problem(place, f"{file!r} has other columns than {files[0][1]!r}")
    runs = [
        table.append_column(SEED, pa.array([seed] * len(table)))
        for (seed, _), table in zip(files, tables, strict=True)
    ]
    try:
        return Columns(
            path.replace(SEED, "*"), pa.concat_tables(runs, promote_options="permissive"), place
        )
    except pa.ArrowException as error:
        raise Problem(place, f"the files {path!r} have columns of unlike types: {error}") from None


def by_run(file: Columns, columns: GivenColumns) -> Iterator[tuple[str, Columns]]:
    """Cut a table at its column of training runs, every run with its rows in one order."""
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
    ids = pd.Series([str(one) for one in file.row_ids(name)])
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

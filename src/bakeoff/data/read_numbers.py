"""Read the numbers that several models give each row, from one table or from one per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from bakeoff.data.file_columns import Columns
from bakeoff.data.given_tables import GivenTables
from bakeoff.data.model_names import models_of_columns
from bakeoff.data.prediction_table import (
    PredictionTable,
    items_of,
    like_groups,
    relations,
    table_of,
    unclaimed,
)
from bakeoff.data.read_models import NONE_FURTHER, paired, refuse_ids
from bakeoff.data.row_values import may_be_right_or_wrong, meant
from bakeoff.data.side_by_side import SideBySide
from bakeoff.data.training_runs import by_run
from bakeoff.errors import Problem, UserError
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.metrics import GivenMetric
from bakeoff.spec.values import RIGHT_OR_WRONG, Kind


def read_wide_values(
    table: Columns,
    columns: GivenColumns,
    metric: Kind,
    models: Sequence[str] | None = None,
) -> SideBySide:
    """Read one table that holds a column of numbers per model.

    Parameters
    ----------
    table, columns, models
        As in `read_wide`.
    metric : GivenMetric, str or Passing
        What the numbers are, as in `bakeoff.data.row_values.read_values`.

    Raises
    ------
    Problem, UserError
        A column that is not there, or values that are no numbers.
    """
    files = [part for _, part in by_run(table, columns)]
    given, *others = (_values_of_table(file, columns, metric, models) for file in files)
    return given.with_runs(others)


def _values_of_table(
    file: Columns,
    columns: GivenColumns,
    metric: Kind,
    models: Sequence[str] | None,
) -> SideBySide:
    """Take the numbers of models from a table in which every row is there once."""
    path, name = file.path, file.find("id", columns)
    rows = np.arange(1, file.table.num_rows + 1)
    ids = rows if name is None else file.ids(name, file.related("run", columns))
    related = relations(file, columns, name)
    truth = file.find("true", columns)
    if truth is not None and models is None:
        raise Problem(
            ("models",),
            f"{path!r}: {truth!r} looks like the true labels, not like a model's numbers: name the "
            "columns of numbers",
        )
    rest = unclaimed(file, columns, (name,))
    if models is None:
        refuse_ids(file, rest)
    found = models_of_columns(path, rest, (), models)
    like = () if related else like_groups(file, columns, (name, *found))
    tables = {
        model: PredictionTable(
            *(file, ids, None, None, related),
            values=file.numbers(model, ids),
            like_groups=like,
            items=items_of(file, columns),
        )
        for model in found
    }
    return _of_numbers(Path(path).name, tables, metric, columns)


def read_each_values(given: GivenTables, columns: GivenColumns, metric: Kind) -> SideBySide:
    """Read one table of numbers per model, paired by row id; see `read_wide_values`.

    Raises
    ------
    Problem, UserError
        Other rows in one of them.
    """
    tables, further = {}, {}
    for model, file in given.models.items():
        parts = by_run(file, columns)
        tables[model], *further[model] = (
            table_of(part, columns, file.place, values=True) for _, part in parts
        )
    return _of_numbers(given.name, tables, metric, columns, further)


def _of_numbers(
    name: str,
    tables: Mapping[str, PredictionTable],
    metric: Kind,
    columns: GivenColumns,
    further: Mapping[str, Sequence[PredictionTable]] = NONE_FURTHER,
) -> SideBySide:
    if len(tables) < 2:
        raise UserError(f"{name!r} has {len(tables)} column of numbers; comparing needs two")
    files = {model: meant(table, metric) for model, table in tables.items()}
    if isinstance(metric, GivenMetric) and may_be_right_or_wrong(files.values(), metric):
        raise UserError(
            "every number is 0 or 1: do they say which rows are right? Then give `--values right` "
            "(1 is right) or `--values wrong` (1 is wrong), and the test is McNemar's"
        )
    classes = RIGHT_OR_WRONG if isinstance(metric, str) else ()
    more = {model: [meant(table, metric) for table in own] for model, own in further.items()}
    return paired(name, files, classes, columns, more)

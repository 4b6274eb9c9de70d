"""Base and candidate from tables of predictions or numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.data.file_columns import Columns
from bakeoff.data.given_tables import GivenTables
from bakeoff.data.prediction_table import items_of
from bakeoff.data.read_given import read_given
from bakeoff.data.training_runs import by_run
from bakeoff.errors import Problem, some
from bakeoff.release.evidence import GateRows
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.metrics import GivenMetric, Passing
from bakeoff.spec.values import Kind


def read_rows(
    tables: GivenTables,
    columns: GivenColumns,
    models: Sequence[str] | None = None,
    subgroup: str | None = None,
    values: Kind | None = None,
    *,
    numbers: bool | None = None,
    labels: bool = False,
    positive: str | None = None,
) -> GateRows:
    """Read a table of predictions of each, or of numbers, paired by row id; or one table of both.

    Parameters
    ----------
    tables : GivenTables
        Those of base and candidate, or one with a column of each.
    columns : GivenColumns
        What their columns are called, where not as usual.
    models : sequence of str, optional
        Base and candidate, where they are columns of one table or logs of one folder.
    subgroup : str, optional
        The column whose values are decided on each by itself.
    values : GivenMetric, str or Passing, optional
        What the numbers of tables without labels are, as in `read_given`.
    numbers : bool, optional
        Whether numbers are true and predicted, and not classes; default: as the truth looks.
    labels : bool
        Whether 0 and 1 are known to be labels, and not marks of right rows.
    positive : str, optional
        The positive one of two classes; default: the last, sorted.

    Raises
    ------
    Problem, UserError
        A file or a column that is not there, other rows, other true labels.
    """
    if values is None:
        tables.refuse_numbers()
    wide = tables.wide
    if tables.together != (models is not None and len(models) == len(set(models)) == 2):
        raise Problem(
            ("models",),
            "names columns of one table; each of several tables is a model"
            if not tables.together
            else "of one table, name the columns of the two"
            if wide is not None
            else f"of one folder, name the two of its models ({some(tables.models)})",
        )
    tables = tables.only(models)
    if wide is None and len(tables.models) != 2:
        raise Problem(("models",), f"expected base and candidate, found {some(tables.models)}")

    asked: dict[str, Any] = {"models": models, "labels": labels, "numbers": numbers}
    given = read_given(tables, columns, **asked, values=values).with_positive(positive)
    parts = None
    if subgroup is not None:
        try:
            by = columns.model_copy(update={"group": subgroup})
            found = read_given(tables, by, **asked, values=values)
        except Problem as problem:
            if problem.path[-1] != "group":
                raise
            raise Problem(("subgroup",), problem.message) from None
        parts = found.related["group"]
    how = {"values": values is not None, "numbers": given.task.numbers}
    how["items"] = isinstance(values, Passing)
    each = [wide] if wide is not None else list(tables.models.values())
    test_set, order = _digest(each, columns, **how)
    greater = values.greater_is_better if isinstance(values, GivenMetric) else True
    return GateRows.of(given, parts, test_set=test_set, greater_is_better=greater, order=order)


def _digest(
    tables: Sequence[Columns],
    columns: GivenColumns,
    *,
    values: bool,
    numbers: bool,
    items: bool,
) -> tuple[str, NDArray[np.intp]]:
    """Return a digest of ids and true labels, and the rows in the order that it knows."""
    for table in tables:
        _, file = next(by_run(table, columns))
        truth, name = (
            None if role == "true" and values else _found(file, role, columns)
            for role in ("true", "id")
        )
        if truth is None and not values:  # it may stand in one of the files alone
            continue
        rows = np.arange(1, file.table.num_rows + 1)
        ids = rows if name is None else file.ids(name, file.related("run", columns))
        if items and (runs := items_of(file, columns)) is not None:
            ids = np.unique(runs)
        labels = None if truth is None else file.answers(truth, "true", numbers=numbers)
        names = [""] * len(ids) if labels is None else [labels.named(k) for k in range(len(ids))]
        lines = np.array([f"{i}\t{name}" for i, name in zip(ids, names, strict=True)])
        order = np.argsort(lines, kind="stable")
        return hashlib.sha256("\n".join(lines[order].tolist()).encode()).hexdigest(), order
    raise AssertionError("one file has the true labels")


def _found(file: Columns, role: str, columns: GivenColumns) -> str | None:
    """Find the column of a role, where the file has it."""
    try:
        return file.find(role, columns)
    except Problem:
        return None

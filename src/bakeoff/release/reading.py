"""Read what base and candidate say of the same rows, from one table of both or from one of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.data.given_tables import GivenTables
from bakeoff.data.read_given import read_given
from bakeoff.data.records import TASK
from bakeoff.data.target import said_of_spellings, unclear_spellings
from bakeoff.errors import Problem, some
from bakeoff.release.rows import GateRows
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.metrics import GivenMetric, Kind, PassingRuns


def read_rows(
    tables: GivenTables,
    columns: GivenColumns,
    models: Sequence[str] | None = None,
    subgroups: Sequence[str] = (),
    values: Kind | None = None,
    **reading: Any,
) -> GateRows:
    """Read a table of predictions or numbers of each, paired by row id, or one of both."""
    if values is None:
        tables.refuse_numbers()
    tables = _of_two_models(tables, models)
    reading |= {"models": models, "values": values}
    given = read_given(tables, columns, **reading)
    has_tasks = len(tables.tasks) > 1 and columns.groups != TASK
    labels_of_subgroups = {}
    for column in subgroups:
        # the gate asks about each task anyway
        if has_tasks and column == TASK:
            continue
        labels = _labels(tables, columns, "subgroups", column, reading)
        _check_spellings(column, labels)
        labels_of_subgroups[column] = labels
    tasks = None
    if has_tasks:
        tasks = _labels(tables, columns, "tasks", TASK, reading)
    passing = None
    runs = None
    if isinstance(values, PassingRuns):
        passing = values
    elif columns.runs is not None:
        runs = _labels(tables, columns, "runs", columns.runs, reading)
    greater_is_better = True
    if isinstance(values, GivenMetric):
        greater_is_better = values.greater_is_better
    return GateRows(
        given,
        labels_of_subgroups,
        tasks,
        runs,
        passing,
        greater_is_better=greater_is_better,
    )


def _of_two_models(tables: GivenTables, models: Sequence[str] | None) -> GivenTables:
    """Return the tables of base and candidate, which are named where tables hold more models."""
    are_named = models is not None and len(models) == len(set(models)) == 2
    if tables.together != are_named:
        if not tables.together:
            text = "names columns of one table; each of several tables is a model"
        elif tables.wide is not None:
            text = "of one table, name the columns of the two"
        else:
            text = f"of one folder, name the two of its models ({some(tables.models)})"
        raise Problem(("models",), text)
    chosen = tables.only(models)
    if tables.wide is None and len(chosen.models) != 2:
        raise Problem(("models",), f"expected base and candidate, found {some(chosen.models)}")
    return chosen


def _labels(
    tables: GivenTables,
    columns: GivenColumns,
    role: str,
    column: str,
    reading: Mapping[str, Any],
) -> NDArray[Any]:
    """Return what a column says of each row, read as groups are."""
    by = columns.model_copy(update={"groups": column})
    try:
        return read_given(tables, by, **reading).related["groups"].astype(str)
    except Problem as problem:
        if problem.path[-1] != "groups":
            raise
        raise Problem((role,), problem.message) from None


def _check_spellings(column: str, labels: NDArray[Any]) -> None:
    """Refuse a column of subgroups in which one subgroup may be written in several ways."""
    names, numbers = np.unique(labels, return_counts=True)
    counts = dict(zip(names.tolist(), numbers.tolist(), strict=True))
    spellings = unclear_spellings(counts)
    if spellings:
        text = said_of_spellings(f"column {column!r}", spellings, counts, "subgroup")
        raise Problem(("subgroups",), f"{text}. Write each subgroup in one way")

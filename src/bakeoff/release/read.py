"""Base and candidate from tables of predictions or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bakeoff.data.given_tables import GivenTables
from bakeoff.data.read_given import read_given
from bakeoff.errors import Problem, some
from bakeoff.release.evidence import GateRows
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.metrics import GivenMetric, Kind


def read_rows(
    tables: GivenTables,
    columns: GivenColumns,
    models: Sequence[str] | None = None,
    subgroups: Sequence[str] = (),
    values: Kind | None = None,
    *,
    numbers: bool | None = None,
    labels: bool = False,
    positive: str | None = None,
    missing: str | None = None,
) -> GateRows:
    """Read a table of predictions or numbers of each, paired by row id, or one of both."""
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
    asked |= {"positive": positive, "missing": missing}
    given = read_given(tables, columns, **asked, values=values)
    parts = {}
    for subgroup in subgroups:
        try:
            by = columns.model_copy(update={"groups": subgroup})
            found = read_given(tables, by, **asked, values=values)
        except Problem as problem:
            if problem.path[-1] != "groups":
                raise
            raise Problem(("subgroups",), problem.message) from None
        parts[subgroup] = found.related["groups"].astype(str)
    greater = values.greater_is_better if isinstance(values, GivenMetric) else True
    return GateRows(given, parts, greater_is_better=greater)

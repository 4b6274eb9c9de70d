"""Files of marks of a judge that people corrected, and of a running evaluation."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import pandas as pd

from bakeoff.api.judged_arrays import KINDS
from bakeoff.api.preferences import check_alpha
from bakeoff.api.rows import keys_named
from bakeoff.comparisons.judged import (
    JudgedMarks,
    SuiteLook,
    compare_marks,
    look_at,
)
from bakeoff.data.given_tables import GivenTables, tables_of
from bakeoff.data.marks import (
    Marks,
    SuiteItems,
    leading_items,
    read_marks,
    refuse_one_model,
    series_of_models,
)
from bakeoff.data.readers.inspect_logs import Suite, suite_of
from bakeoff.errors import Problem, UserError, some
from bakeoff.options import STREAM, setting
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.load import validated


def marks_of_files(options: Mapping[str, Any]) -> JudgedMarks:
    """Compare models by the columns of files that a judge and people filled."""
    check_alpha(options["alpha"])
    return compare_marks(marks_of_options(options), options["alpha"])


def marks_of_options(options: Mapping[str, Any]) -> Marks:
    """Read the columns of files that a judge and people filled."""
    judge = options["judge"]
    human = options["human"]
    for name in ("judge", "human"):
        if options[name] is None:
            raise UserError(
                f"{name}: name both columns, {setting('judge', 'judge')} and "
                f"{setting('human', 'human')}"
            )
    # the marks of the judge are what a row says of a model
    tables, columns = _tables({**options, "value": judge})
    return read_marks(
        tables,
        columns,
        judge,
        human,
        values=options["values"],
        missing=options["missing"],
    )


def _tables(options: Mapping[str, Any]) -> tuple[GivenTables, GivenColumns]:
    """Read the tables or logs of the files, one of each model."""
    if not options["files"]:
        raise UserError("expected a file; see `bakeoff compare --help`")
    tables = tables_of(options["files"], keys_named(options), partial=True)
    keys = {name: options.get(name) for name in ("id", "value", "groups")}
    columns = validated(GivenColumns, keys)
    models = options["models"]
    tables = tables.by_model(columns, models)
    if tables.together and tables.wide is None:
        tables = tables.only(models)
    elif models is not None and tables.wide is None:
        tables = _called(tables, models)
    return tables, columns


def _called(tables: GivenTables, names: Sequence[str]) -> GivenTables:
    """Give the models of several files other names."""
    if len(names) != len(tables.models) or len(set(names)) < len(names):
        raise UserError(
            f"models: expected {len(tables.models)} different names, for {some(tables.models)}"
        )
    renamed = dict(zip(names, tables.models.values(), strict=True))
    return dataclasses.replace(tables, models=renamed)


# --- looks


def look_at_files(options: Mapping[str, Any]) -> SuiteLook:
    """Look at a running evaluation, whose suite has `of` items, or as many as its logs say."""
    check_alpha(options["alpha"])
    return look_at(items_of_files(options), options["alpha"])


def items_of_files(options: Mapping[str, Any]) -> SuiteItems:
    """Read the leading items of a suite that two models have finished."""
    kind = options["values"]
    if kind not in KINDS:
        raise UserError(f"values: say what the values mean, like {setting('values', 'right')}")
    suite = running_suite(options["files"])
    total = options["of"]
    if total is None:
        total = 0
        if suite is not None:
            total = suite.total
    # 0 stands for a stream, which has no last item
    if total == STREAM:
        total = 0
    elif total < 1:
        raise UserError(f"of: found {total}, expected the number of items of the suite")
    tables, columns = _tables({**options, "groups": None})
    order = options.get("order")
    by_model, places = series_of_models(tables, columns, options["models"], order)
    refuse_one_model(list(by_model), tables.name)
    if len(by_model) > 2:
        raise Problem(
            ("models",),
            f"looks compare two models, found {some(by_model)}: {setting('models')} names two",
        )
    if places is None and suite is not None and suite.order:
        places = _in_suite(by_model, suite.order, tables)
    # of a stream, which has no last item, all items that were seen are read
    length = max(map(len, by_model.values()))
    items = leading_items(
        by_model,
        total or length,
        name=tables.name,
        kind=kind,
        order=places,
        running=suite is not None and suite.running,
    )
    if not total:
        items = dataclasses.replace(items, total=0)
    return items


def _in_suite(by_model: dict[str, Any], order: Sequence[str], tables: GivenTables) -> list[str]:
    """Give items the ids of the suite, which logs have beside their questions."""
    for model, records in tables.models.items():
        frame = records.table.to_pandas()
        # a look counts leading items: these need the order in which the suite has them
        samples = frame.set_index("id")["sample_id"].astype(str)
        values = by_model[model]
        by_model[model] = pd.Series(
            values.to_numpy(), index=pd.Index(samples.reindex(values.index).to_numpy())
        )
    return list(map(str, order))


def running_suite(files: Sequence[str]) -> Suite | None:
    """Return the suite that logs of Inspect are of, with whether one of them still runs."""
    suites = list(chain.from_iterable(map(suite_of, files)))
    if not suites:
        return None
    # of logs of several lengths the longest says how many items the suite has
    longest = max(suites, key=lambda suite: suite.total)
    return longest._replace(running=any(suite.running for suite in suites))

"""Files that stand in place of arrays: their tables, the columns that are named, and the study."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from bakeoff.api.build_study import build_study, made_by
from bakeoff.api.datasets import MISSING, study_of_scores
from bakeoff.api.settings import measured_by, numbers_wanted
from bakeoff.data.given_tables import TASK, GivenTables, read_columns, tables_of
from bakeoff.data.observations import Observations, Predicted
from bakeoff.data.read_given import read_given
from bakeoff.data.records import read_frame
from bakeoff.data.target import Answers
from bakeoff.errors import UserError, printable, unknown
from bakeoff.files import is_file
from bakeoff.options import OPTIONS
from bakeoff.report.numbers import count
from bakeoff.report.study import Study
from bakeoff.sources.common.base import TableKeys
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.load import read_yaml, validated
from bakeoff.spec.metrics import Kind, OwnMetric, Passing

_OF_LABELS = ("truth", "predicted", "classes", "positive", "costs", "task", "unit", "variant")
RELATING = ("groups", "time", "runs", "seeds")
"""The columns that relate rows."""
MOST_COUNTED = 10_000_000
"""Rows that --counts may stand for."""
_MOST_TASKS = 20
_NAMES_OF_DATASETS = ("dataset", "data set", "data_set", "task", "problem", "benchmark")
_OF_SCORES = {
    *("metrics", "models", "values", "datasets", "groups", "runs", "versus", "alpha"),
    *("alternative", "correction", "format", "missing", "missing_values", "json", "output"),
}
"""The options of a table of scores."""

Given: TypeAlias = tuple[
    GivenTables, GivenColumns, Kind | None, tuple[str, ...], Mapping[str, OwnMetric]
]
"""Tables, the columns to read, what numbers per row are, metrics, and which are the user's."""


def read_tables(paths: Sequence[str], options: Mapping[str, Any], subgroups: Any = ()) -> Given:
    """Read the tables of paths, and tell what is left out."""
    labels = {name: options.get(name) for name in _OF_LABELS}
    kind, metrics, own_metrics = measured_by(options["values"], options["metrics"] or (), labels)
    missing = options.get("missing")
    if missing not in (None, "wrong", "common"):
        raise UserError(f"missing: {unknown('value', missing, ('wrong', 'common'))}")
    tables = tables_of(paths, keys_named(options), partial=missing is not None)
    named_by = dict(one.partition("=")[::2] for one in options["tasks"] or ())
    by_task = {task: column for task, column in named_by.items() if column}
    tables = tables.of_tasks(None if options["tasks"] is None else list(named_by), by_task)
    value = "value" if by_task else options["value"]
    if value is not None and (options["values"] is None or tables.wide is not None):
        raise UserError("value: is for numbers (values) in one table per model")
    truth = options["truth"]
    if truth is not None and is_file(truth) and truth not in tables.first.names:
        solution = read_columns(truth, ("truth",), keys_named(options))
        tables = tables.beside(solution, GivenColumns.model_validate({"id": options["id"]}))
        truth = "y_true"
    for text in tables.left_out:
        sys.stderr.write(f"{printable(text)}\n")
    keys = {"truth": truth, "id": options["id"], "predicted": options["predicted"], "value": value}
    keys |= {name: options.get(name) for name in RELATING}
    columns = validated(GivenColumns, {**keys, "subgroups": list(subgroups)})
    return tables, columns, kind, metrics, own_metrics


def keys_named(options: Mapping[str, Any]) -> TableKeys:
    """Return what options say of how tables are written."""
    keys = {"format": options["format"], "missing_values": options["missing_values"]}
    return validated(TableKeys, keys)


def subgroups_named(parts: Sequence[str]) -> list[str | dict[str, Any]]:
    """Return columns that divide the rows, like ``age:40:65``, as an experiment has them."""
    columns: list[str | dict[str, Any]] = []
    for part in parts:
        name, *cuts = part.split(":")
        try:
            bins = [float(cut) for cut in cuts]
        except ValueError:
            raise UserError(
                f"subgroups: found {part!r}, expected a column like sex, or one of numbers with "
                "the places to cut it at, like age:40:65",
            ) from None
        columns.append({"column": name, "bins": bins} if bins else name)
    return columns


def costs_in(path: str | None) -> Any:
    """Read the costs of errors: `classes` and `matrix`, as in an experiment."""
    if path is None:
        return None
    try:
        costs = read_yaml(path)
    except UserError as error:
        raise UserError(f"costs: {error}") from None
    return costs.get("costs", costs) if isinstance(costs, Mapping) else costs


def study_of_files(options: Mapping[str, Any], command: str) -> tuple[Study, list[str]]:
    """Compare models by files of predictions, or by a table of scores; return how files are read.

    `options` are those of `bakeoff compare`.
    """
    if options["datasets"] is not None:
        return _of_scores(options, command), []
    settings: dict[str, Any] = {"own_metrics": {}, "kind": None, "columns": {}, **options}
    settings |= {"costs": costs_in(options["costs"]), "metrics": options["metrics"] or ()}
    if options["counts"] is not None:
        if options["files"] or options["subgroups"] is not None:
            raise UserError("--counts stands in place of files and their columns")
        counted = _called(_from_counts(options["counts"]), options["models"])
        return made_by(build_study(counted, settings), command), []
    if not options["files"]:
        raise UserError("expected a file, or --counts; see `bakeoff compare --help`")
    subgroups = subgroups_named(options["subgroups"] or ())
    tables, columns, kind, metrics, own_metrics = read_tables(options["files"], options, subgroups)
    few = 1 < len(tables.tasks) <= _MOST_TASKS
    if options["subgroups"] is None and few and options["groups"] != TASK:
        # what one score hides: a task that weighs little
        columns = type(columns).model_validate({**columns.model_dump(), "subgroups": [TASK]})
    one_table = tables.wide is not None or tables.together
    models = options["models"] if one_table else None
    tables = tables.only(models)
    if tables.wide is None and len(tables.models) < 2:
        one = next(iter(tables.models))
        raise UserError(f"{tables.name} holds one model ({one}), comparing needs two")
    if kind is None:
        tables.refuse_numbers()
        if tables.wide is not None and options["predicted"] is not None:
            raise UserError("predicted: is for one table per model; --models chooses columns")
    elif tables.wide is not None:
        used = {columns.groups, columns.time, columns.runs, columns.value}
        for name in tables.wide.names:
            if name.lower() in _NAMES_OF_DATASETS and name not in used:
                raise UserError(
                    f"values: a column is called {name!r}: are these data sets, with one score for "
                    f"each model? then --datasets {name}; rows of one test set need another name"
                )
    given = read_given(
        tables,
        columns,
        models=models,
        classes=options["classes"],
        positive=options["positive"],
        drop_unlabelled=options["missing_target"] == "drop",
        labels=options["task"] == "classification",
        numbers=numbers_wanted(options["task"], metrics),
        values=kind,
        missing=options["missing"],
    )
    by_items = isinstance(kind, Passing)  # and of the runs of an item one value is left
    roles = [
        role
        for role in RELATING[:3]
        if options[role] is not None and not (role == "runs" and by_items)
    ]
    settings |= {"metrics": metrics, "own_metrics": own_metrics, "kind": kind}
    settings["columns"] = {role: options[role] for role in roles}
    given = given if one_table else _called(given, options["models"])
    notes = [f"{text}." for text in tables.read_as]
    if len(given.left_out):
        notes.append(f"{count(len(given.left_out), 'row')} without a true label left out.")
    return made_by(build_study(given, settings), command), notes


def _of_scores(options: Mapping[str, Any], command: str) -> Study:
    """Compare models by a table of scores, data sets × models."""
    for name, option in OPTIONS.items():
        if name not in _OF_SCORES and options.get(name) not in (None, False, option.default):
            raise UserError(
                f"{name}: is for rows of a test set, not for a table of scores (datasets)"
            )
    values, files = options["values"], options["files"]
    if values in ("right", "wrong"):
        raise UserError(f"values: found {values}, a score is better if higher or lower")
    if len(files) != 1:
        raise UserError(f"datasets: expected one table, found {len(files)} files")
    settings = {"name": files[0], "decimals": None, "tests": (), "options": None, **options}
    settings |= {
        "metrics": options["metrics"] or (),
        "runs": options["runs"].split(",") if options["runs"] else (),
        "missing": options["missing"] or MISSING[0],
    }
    table = read_frame(files[0], ("table",), keys_named(options))
    return study_of_scores(table, command, settings)


def _called(given: Observations, names: Sequence[str] | None) -> Observations:
    """Give models of several tables other names."""
    if names is None:
        return given
    if len(names) != len(given.models) or len(set(names)) < len(names):
        raise UserError(
            f"models: expected {len(given.models)} different names, for {', '.join(given.models)}; "
            f"found {', '.join(names)}",
        )
    models = dict(zip(names, given.models.values(), strict=True))
    return dataclasses.replace(given, models=models)


def _from_counts(text: str) -> Observations:
    """Make rows of two models from how many both, one or neither is right on."""
    counts = text.split(",")
    if len(counts) != 4 or not all(number.strip().isdecimal() for number in counts):
        raise UserError(
            f"counts: found {text!r}, expected four whole numbers: both right, only A right, only "
            "B right, both wrong; e.g. 329,22,17,63",
        )
    numbers = [int(number) for number in counts]
    if not 0 < sum(numbers) <= MOST_COUNTED:
        raise UserError(f"counts: expected 1 to {MOST_COUNTED:,} rows, found {sum(numbers):,}")
    right, a, b = (
        Answers(("right", "wrong"), np.repeat(wrong, numbers))
        for wrong in ([0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1])
    )
    models = {"A": (Predicted(a),), "B": (Predicted(b),)}
    return Observations("the counts", np.arange(sum(numbers)), right, models, in_order=False)

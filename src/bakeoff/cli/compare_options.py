"""`bakeoff compare`: the files that its options name, and the settings of the comparison."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from bakeoff.api.settings import Settings, kind_of, numbers_wanted
from bakeoff.cli.given import check_column, tables_named
from bakeoff.data.given_tables import TASK, GivenTables
from bakeoff.data.observations import Observations, Predicted
from bakeoff.data.read_given import read_given
from bakeoff.data.records import Records
from bakeoff.data.target import Labels
from bakeoff.errors import Problem, UserError, printable
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.load import read_yaml, validated
from bakeoff.spec.values import Kind

_OF_PREDICTIONS = ("truth", "predicted", "classes", "positive", "costs", "task", "unit")
_OF_RIGHT_ROWS = (("variant", "right"), ("variant", "wrong"))
_OF_DATASETS = ("dataset", "data_set", "task", "task_id", "problem", "benchmark")
_MOST_TASKS = 20
MOST_COUNTED = 10_000_000
"""Rows that --counts may stand for."""
READING = {
    "true": "--truth",
    "id": "--id",
    "predicted": "--predicted",
    "models": "--models",
    "group": "--groups",
    "time": "--time",
    "run": "--runs",
    "seed": "--seeds",
    "value": "--column",
    "values": "--values",
    "subgroups": "--subgroups",
    "positive": "--positive",
    "classes": "--classes",
    "missing_target": "--missing-target",
    "missing": "--missing",
    "tasks": "--tasks",
    "format": "--format",
    "pass_at": "--pass-at",
    "pass_hat": "--pass-hat",
    "task": "--task",
}
"""The option that stands for a key of given data, while they are read."""
SETTINGS = {
    "metrics": "--metric",
    "classes": "--classes",
    "true": "--truth",
    "independent_rows": "--independent-rows",
    **{key: f"--{key}" for key in ("alpha", "alternative", "correction", "costs")},
    **{key: f"--{key}" for key in ("variant", "versus", "task", "unit", "deterministic")},
}
"""The option that stands for a key of an experiment, while they are compared."""


def settings(args: argparse.Namespace) -> Settings:
    """Gather the options that say how to compare."""
    return Settings(
        metrics=args.metric or (),
        own_metrics=args.own_metrics,
        unit=args.unit,
        values=kind_of(args.values, args.pass_at, args.pass_hat),
        columns={
            role: column
            for role, column in related(args).items()
            if column is not None and not (role == "run" and passes(args))
        },
        costs=costs_in(args.costs),
        variant=args.variant,
        versus=args.versus,
        correction=args.correction,
        alternative=args.alternative,
        alpha=args.alpha,
        independent_rows=args.independent_rows,
        deterministic=_listed(args.deterministic) or (),
        files=args.files,
    )


def read(args: argparse.Namespace) -> tuple[Observations, tuple[str, ...]]:
    """Read what the options name: one table of all models, or one of each; tell what it is."""
    if args.groups is not None and args.time is not None:
        raise UserError("--groups and --time cannot be combined: keep one of them")
    if args.independent_rows and not any(related(args).values()):
        raise UserError("--independent-rows: neither --groups, --time nor --runs names a column")
    numbers = numbers_wanted(args.task, args.metric or (), labels=args.labels)
    if args.labels and (args.values is not None or numbers):
        raise UserError("--labels: the columns hold numbers (--values, --metric, --task)")
    if args.counts is not None:
        if args.files or args.subgroups is not None:
            raise UserError("--counts stands in place of files and their columns")
        return _renamed(_from_counts(args.counts), _listed(args.names)), ()
    if not args.files:
        raise UserError("expected a file, or --counts; see `bakeoff compare --help`")
    kind = kind_of(args.values, args.pass_at, args.pass_hat)
    models = _listed(args.models)
    tables = tables_named(args.files, args)
    keys = {"true": args.truth, "id": args.id, "predicted": args.predicted, "value": args.column}
    keys["seed"] = args.seeds
    subgroups = subgroups_named(args.subgroups)
    if args.subgroups is None and 1 < len(tables.tasks) <= _MOST_TASKS and args.groups != TASK:
        subgroups = [TASK]  # what one score hides: a task that weighs little
    columns = validated(GivenColumns, {**keys, **related(args), "subgroups": subgroups})
    check_column(args, tables)
    if models is not None and not tables.together:
        raise UserError("--models names columns of one table; of several tables each is a model")
    tables = tables.only(models)
    if tables.wide is None and len(tables.models) < 2:
        one = next(iter(tables.models))
        raise UserError(f"{tables.name} holds one model ({one}), comparing needs two")
    _check_kind(args, tables, kind)
    given = read_given(
        tables,
        columns,
        models=models,
        classes=_listed(args.classes) or (),
        positive=args.positive,
        drop_unlabelled=args.missing_target == "drop",
        labels=args.labels,
        numbers=numbers,
        values=kind,
        missing=args.missing,
    )
    unclear = given.task.numbers or tuple(given.classes) in (("0", "1"), ("False", "True"))
    if tables.wide is not None and (kind is not None or unclear):
        _tell_models(args, given)
    return _renamed(given, _listed(args.names)), tables.read_as


def _check_kind(args: argparse.Namespace, tables: GivenTables, kind: Kind | None) -> None:
    """Refuse tables and options of numbers where labels are read, and the other way round."""
    if kind is None:
        tables.refuse_numbers()
        if tables.wide is not None and args.predicted is not None:
            raise UserError("--predicted is for one table per model; --models chooses columns")
        return
    for option in (*_OF_PREDICTIONS, "variant"):
        if getattr(args, option) is not None and (option, args.values) not in _OF_RIGHT_ROWS:
            raise UserError(f"--{option} is for predictions, not for numbers per row (--values)")
    if tables.wide is not None:
        _refuse_datasets(args, tables.wide)


def _refuse_datasets(args: argparse.Namespace, table: Records) -> None:
    """Refuse to take data sets for rows of one test set."""
    used = {column for column in (*related(args).values(), args.column) if column is not None}
    for name in table.names:
        if name.lower().replace(" ", "_") in _OF_DATASETS and name not in used:
            raise UserError(
                f"--values: a column is called {name!r}: are these data sets, with one score for "
                f"each model? then --datasets {name}; rows of one test set need another name"
            )


def _tell_models(args: argparse.Namespace, found: Observations) -> None:
    """Name the columns read as models if some of them may not be models."""
    if args.models is None and len(found.models) > 2:
        sys.stderr.write(
            printable(
                f"every other column is taken for a model: {', '.join(found.models)}; `--models` "
                "chooses among them\n"
            )
        )


def _renamed(given: Observations, labels: Sequence[str] | None) -> Observations:
    if labels is None:
        return given
    if len(labels) != len(given.models) or len(set(labels)) < len(labels):
        raise UserError(
            f"--names: expected {len(given.models)} different names, for "
            f"{', '.join(given.models)}; found {', '.join(labels)}"
        )
    return dataclasses.replace(given, models=dict(zip(labels, given.models.values(), strict=True)))


def _from_counts(text: str) -> Observations:
    """Make rows of two models from how many both, one or neither is right on."""
    counts = text.split(",")
    if len(counts) != 4 or not all(number.strip().isdecimal() for number in counts):
        raise UserError(
            f"--counts: found {text!r}, expected four whole numbers: both right, only A right, "
            "only B right, both wrong; e.g. 329,22,17,63"
        )
    numbers = [int(number) for number in counts]
    if not 0 < sum(numbers) <= MOST_COUNTED:
        raise UserError(f"--counts: expected 1 to {MOST_COUNTED:,} rows, found {sum(numbers):,}")
    right, a, b = (
        Labels(("right", "wrong"), np.repeat(wrong, numbers))
        for wrong in ([0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1])
    )
    models = {"A": (Predicted(a),), "B": (Predicted(b),)}
    return Observations("the counts", np.arange(len(a)), right, models, in_order=False)


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def subgroups_named(text: str | None) -> list[str | dict[str, Any]]:
    """Return the columns that ``--subgroups`` names, as an experiment has them."""
    columns: list[str | dict[str, Any]] = []
    for part in text.split(",") if text is not None else ():
        name, *cuts = part.strip().split(":")
        try:
            bins = [float(cut) for cut in cuts]
        except ValueError:
            bins = []
        rising = all(low < high for low, high in pairwise(bins))
        if not name or len(bins) < len(cuts) or not rising:
            raise UserError(
                f"--subgroups: found {part.strip()!r}, expected a column like sex, or one of "
                "numbers with the places to cut it at, ascending, like age:40:65"
            )
        columns.append({"column": name, "bins": bins} if bins else name)
    names = [one if isinstance(one, str) else one["column"] for one in columns]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise UserError(f"--subgroups: {twice!r} appears twice")
    return columns


def passes(args: argparse.Namespace) -> bool:
    """Tell whether items are compared by several of their runs at once."""
    return args.pass_at is not None or args.pass_hat is not None


def related(args: argparse.Namespace) -> dict[str, str | None]:
    """Return the columns that say which rows belong together."""
    return {"group": args.groups, "time": args.time, "run": args.runs}


def costs_in(path: str | None) -> Any:
    """Read the costs of errors: `classes` and `matrix`, as in an experiment."""
    if path is None:
        return None
    try:
        found = read_yaml(path)
    except UserError as error:
        raise Problem(("costs",), str(error)) from None
    return found.get("costs", found) if isinstance(found, Mapping) else found

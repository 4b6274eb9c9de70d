"""`bakeoff compare`: existing predictions, or a table of scores, compared at once."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bakeoff.api.build_study import ROWS, Settings, build_study, made_by
from bakeoff.api.datasets import MISSING, read_scores, study_of
from bakeoff.api.plain_data import as_plain, names_of
from bakeoff.api.settings import numbers_wanted
from bakeoff.cli.compare_show import show
from bakeoff.cli.given import (
    RELATING,
    costs_in,
    in_options,
    keys_named,
    outputs,
    read_tables,
    subgroups_named,
)
from bakeoff.cli.terminal import dim, say
from bakeoff.data.given_tables import TASK
from bakeoff.data.observations import Observations, Predicted
from bakeoff.data.read_given import read_given
from bakeoff.data.records import read_frame
from bakeoff.data.target import Answers
from bakeoff.errors import Problem, UserError
from bakeoff.files import write_texts
from bakeoff.options import OPTIONS
from bakeoff.report.numbers import count, paragraph
from bakeoff.report.ranking import may_be_best, standings
from bakeoff.report.study import Study
from bakeoff.report.verdict import answer
from bakeoff.spec.metrics import Passing
from bakeoff.stats import plain

ENDINGS = (".html", ".md", ".tex")
_PASSED_ON = (
    *("unit", "variant", "versus", "correction", "alternative", "alpha", "independent_rows"),
    *("deterministic", "files"),
)
MOST_COUNTED = 10_000_000
"""Rows that --counts may stand for."""
_MOST_TASKS = 20
_NAMES_OF_DATASETS = ("dataset", "data set", "data_set", "task", "problem", "benchmark")
_OF_SCORES = {
    *("metrics", "models", "values", "datasets", "groups", "runs", "versus", "alpha"),
    *("alternative", "correction", "format", "missing", "missing_values", "json", "output"),
}
"""The options of a table of scores."""


def compare(args: argparse.Namespace) -> None:
    """Compare, write the requested files, and print."""
    places = outputs(args.output, args.files, ENDINGS)
    command = shlex.join(["bakeoff", *args.arguments])
    with in_options(args):
        if args.datasets is not None:
            study, brief = _of_scores(args, command), False
        else:
            given, settings, read_as = _read(args)
            study = build_study(given, settings)
            study = made_by(study, command) if places else study
            numbers = study.numbers or study.experiment.task.numbers
            brief = not (args.metrics or numbers)
    verdict = answer(study)
    if places:
        from bakeoff.report.page import Page  # it draws: slow to import
        from bakeoff.report.tables import to_csv

        page = Page(study, alone=True)
        texts = {}
        for place in places:
            if place.suffix:
                form = {".html": "html", ".md": "brief", ".tex": "latex"}[place.suffix.lower()]
                texts[place] = getattr(page, form)
            else:
                texts |= {place / f"{n}.csv": to_csv(table) for n, table in page.tables.items()}
        write_texts(texts)
    if args.json:
        names = names_of(study)
        answer_data: dict[str, Any] = {}
        if args.datasets is not None:
            answer_data = {"data_sets": len(study.datasets), **as_plain(study, verdict, names)}
            answer_data["standings"] = [
                {
                    "metric": metric,
                    "models": [plain(s._asdict() | {"model": names[s.model]}) for s in found],
                }
                for metric in study.experiment.metrics
                if (found := standings(study, metric))
            ]
        else:
            answer_data = {"rows": (study.test_sets or study.numbers)[ROWS].n}
            answer_data |= as_plain(study, verdict, names)
            if not brief and not study.has_runs:  # of training runs no set of the best is known
                answer_data["best"] = [
                    _best(study, metric, names) for metric in study.experiment.metrics
                ]
        say(json.dumps(answer_data, indent=2, ensure_ascii=False, allow_nan=False))
        return
    show(study, verdict, brief=brief)
    if args.datasets is not None:
        say(*(dim(paragraph(text)) for own in study.notes.values() for text in own))
    else:
        lines = [f"{text}." for text in read_as]
        if len(given.left_out):
            lines.append(f"{count(len(given.left_out), 'row')} without a true label left out.")
        say(*(dim(paragraph(text)) for text in (*lines, *given.oddities)))


def _best(study: Study, metric: str, names: Mapping[str, str]) -> dict[str, Any]:
    """Return which models may be the best by a metric, as plain data."""
    contenders = may_be_best(study, metric).get(ROWS)
    if contenders is None:
        return {"metric": metric, "models": []}
    lines = [{**dataclasses.asdict(line), "model": names[line.model]} for line in contenders.models]
    if len(lines) == 2:  # the test of the pair says all else
        lines = [{key: line[key] for key in ("model", "value", "ci")} for line in lines]
    return {"metric": metric, "models": plain(lines)}


def _of_scores(args: argparse.Namespace, command: str) -> Study:
    """Compare models by a table of scores, data sets × models."""
    for name, option in OPTIONS.items():
        value = getattr(args, name, None)
        if name not in _OF_SCORES and value not in (None, False, option.default):
            raise Problem(
                (name,), "is for rows of a test set, not for a table of scores (datasets)"
            )
    if args.values in ("right", "wrong"):
        raise Problem(("values",), f"found {args.values}, a score is better if higher or lower")
    if len(args.files) != 1:
        raise Problem(("datasets",), f"expected one table, found {len(args.files)} files")
    path = args.files[0]
    table = read_scores(
        read_frame(path, ("table",), keys_named(args)),
        datasets=args.datasets,
        values=args.values,
        metrics=args.metrics or (),
        models=args.models,
        repeats=args.runs.split(",") if args.runs else (),
        groups=args.groups,
    )
    return study_of(
        table,
        command,
        name=path,
        tests=(),
        versus=args.versus,
        missing=args.missing or MISSING[0],
        alternative=args.alternative,
        correction=args.correction,
        alpha=args.alpha,
    )


def _read(args: argparse.Namespace) -> tuple[Observations, Settings, tuple[str, ...]]:
    """Read one table of all models, or one of each; return how they are compared, and notes."""
    how: dict[str, Any] = {name: getattr(args, name) for name in _PASSED_ON}
    how["costs"] = costs_in(args.costs)
    if args.counts is not None:
        if args.files or args.subgroups is not None:
            raise UserError("--counts stands in place of files and their columns")
        how["metrics"] = args.metrics or ()
        return _called(_from_counts(args.counts), args.models), Settings(**how), ()
    if not args.files:
        raise UserError("expected a file, or --counts; see `bakeoff compare --help`")
    subgroups = subgroups_named(args.subgroups or ())
    named = read_tables(args.files, args, subgroups)
    tables, columns = named.tables, named.columns
    if args.subgroups is None and 1 < len(tables.tasks) <= _MOST_TASKS and args.groups != TASK:
        # what one score hides: a task that weighs little
        columns = type(columns).model_validate({**columns.model_dump(), "subgroups": [TASK]})
    one_table = tables.wide is not None or tables.together
    models = args.models if one_table else None
    tables = tables.only(models)
    if tables.wide is None and len(tables.models) < 2:
        one = next(iter(tables.models))
        raise UserError(f"{tables.name} holds one model ({one}), comparing needs two")
    if named.kind is None:
        tables.refuse_numbers()
        if tables.wide is not None and args.predicted is not None:
            raise Problem(("predicted",), "is for one table per model; --models chooses columns")
    for name in tables.wide.names if named.kind is not None and tables.wide is not None else ():
        used = {columns.groups, columns.time, columns.runs, columns.value}
        if name.lower() in _NAMES_OF_DATASETS and name not in used:
            raise Problem(
                ("values",),
                f"a column is called {name!r}: are these data sets, with one score for each model? "
                f"then --datasets {name}; rows of one test set need another name",
            )
    given = read_given(
        tables,
        columns,
        models=models,
        classes=args.classes,
        positive=args.positive,
        drop_unlabelled=args.missing_target == "drop",
        labels=args.task == "classification",
        numbers=numbers_wanted(args.task, named.metrics),
        values=named.kind,
        missing=args.missing,
    )
    by_items = isinstance(named.kind, Passing)  # and of the runs of an item one value is left
    related = {name: getattr(args, name) for name in RELATING[:3]}
    how |= {"metrics": named.metrics, "own_metrics": named.own_metrics, "values": named.kind}
    how["columns"] = {
        role: column
        for role, column in related.items()
        if column is not None and not (role == "runs" and by_items)
    }
    given = given if one_table else _called(given, args.models)
    return given, Settings(**how), tables.read_as


def _called(given: Observations, names: Sequence[str] | None) -> Observations:
    """Give models of several tables other names."""
    if names is None:
        return given
    if len(names) != len(given.models) or len(set(names)) < len(names):
        raise Problem(
            ("models",),
            f"expected {len(given.models)} different names, for {', '.join(given.models)}; found "
            f"{', '.join(names)}",
        )
    models = dict(zip(names, given.models.values(), strict=True))
    return dataclasses.replace(given, models=models)


def _from_counts(text: str) -> Observations:
    """Make rows of two models from how many both, one or neither is right on."""
    counts = text.split(",")
    if len(counts) != 4 or not all(number.strip().isdecimal() for number in counts):
        raise Problem(
            ("counts",),
            f"found {text!r}, expected four whole numbers: both right, only A right, only B right, "
            "both wrong; e.g. 329,22,17,63",
        )
    numbers = [int(number) for number in counts]
    if not 0 < sum(numbers) <= MOST_COUNTED:
        raise Problem(("counts",), f"expected 1 to {MOST_COUNTED:,} rows, found {sum(numbers):,}")
    right, a, b = (
        Answers(("right", "wrong"), np.repeat(wrong, numbers))
        for wrong in ([0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1])
    )
    models = {"A": (Predicted(a),), "B": (Predicted(b),)}
    return Observations("the counts", np.arange(sum(numbers)), right, models, in_order=False)

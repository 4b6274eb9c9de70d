"""`bakeoff compare --datasets`: a table of scores, data sets × models."""

from __future__ import annotations

import argparse
import json
import shlex
from typing import Any

from bakeoff.api.datasets import MISSING, read_scores, study_of
from bakeoff.api.plain_data import as_plain, names_of
from bakeoff.cli.compare_show import show
from bakeoff.cli.given import keys_named
from bakeoff.cli.naming import naming_options
from bakeoff.cli.places import places_of
from bakeoff.cli.terminal import dim, say
from bakeoff.data.records import read_frame
from bakeoff.errors import UserError
from bakeoff.report.numbers import paragraph
from bakeoff.report.standings import as_records
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict, answer

_OPTIONS = {
    "table": "the table",
    "models": "--models",
    "format": "--format",
    **{key: f"--{key}" for key in ("datasets", "values", "metric", "repeats", "groups", "alpha")},
    **{key: f"--{key}" for key in ("alternative", "correction", "versus")},
    "missing_cells": "--missing",
}
"""The option that stands for an argument of `compare_datasets`, or a key of an experiment."""
_OF_BOTH = (
    *(
        "command",
        "arguments",
        "files",
        "format",
        "missing_values",
        "models",
        "metric",
        "values",
        "groups",
    ),
    "datasets",
    *("alternative", "alpha", "correction", "versus", "json", "html", "markdown", "latex", "csv"),
)
_OF_TABLES = ("repeats", "missing")


def refuse_of_rows(args: argparse.Namespace) -> None:
    """Refuse options of a table of scores where rows are compared, and the other way round."""
    if args.datasets is None:
        for option in _OF_TABLES:
            if getattr(args, option) not in (None, "wrong", "common"):
                raise UserError(f"--{option} is for a table of scores: name its --datasets")
        return
    for option, value in vars(args).items():
        if option in (*_OF_BOTH, *_OF_TABLES) or value in (None, False, "error"):
            continue
        name = option.replace("_", "-")
        raise UserError(
            f"--{name} is for rows of a test set, not for a table of scores (--datasets)"
        )
    if args.missing in ("wrong", "common"):
        raise UserError(f"--missing: {args.missing} is for rows of a test set, without --datasets")
    if args.values in ("right", "wrong"):
        raise UserError(f"--values: found {args.values}, a score is better if higher or lower")
    if len(args.files) != 1:
        raise UserError(f"--datasets: expected one table, found {len(args.files)} files")


def run(args: argparse.Namespace) -> None:
    """Compare, write the requested files, and print."""
    files = {option: getattr(args, option) for option in ("html", "markdown", "latex", "csv")}
    places = places_of(files, args.files, folders=["csv"])
    path = args.files[0]
    with naming_options(_OPTIONS):
        table = read_scores(
            read_frame(path, ("table",), keys_named(args)),
            datasets=args.datasets,
            values=args.values,
            metrics=args.metric or (),
            models=_listed(args.models),
            repeats=_listed(args.repeats) or (),
            groups=args.groups,
        )
        study = study_of(
            table,
            shlex.join(["bakeoff", *args.arguments]),
            name=path,
            tests=(),
            versus=args.versus,
            missing=args.missing or MISSING[0],
            alternative=args.alternative,
            correction=args.correction,
            alpha=args.alpha,
        )
    verdict = answer(study)
    if places:
        from bakeoff.cli.compare_files import write  # it draws: slow to import

        write(places, study)
    if args.json:
        say(json.dumps(as_json(study, verdict), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        show(study, verdict, brief=False)
        say(*(dim(paragraph(said)) for own in study.notes.values() for said in own))


def as_json(study: Study, verdict: Verdict) -> dict[str, Any]:
    """Return all results as plain data, with the user's names of the models."""
    names = names_of(study)
    return {
        "data_sets": len(study.datasets),
        **as_plain(study, verdict, names),
        "standings": as_records(study, names),
    }


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]

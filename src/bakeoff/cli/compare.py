"""`bakeoff compare`: existing predictions, compared at once."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
from collections.abc import Mapping
from typing import Any

from bakeoff.api.build_study import ROWS, build_study, made_by
from bakeoff.api.plain_data import as_plain, names_of
from bakeoff.cli import compare_tables
from bakeoff.cli.compare_options import READING, SETTINGS, read, settings
from bakeoff.cli.compare_show import notes, show
from bakeoff.cli.naming import naming_options
from bakeoff.cli.places import places_of
from bakeoff.cli.terminal import say
from bakeoff.report.may_be_best import may_be_best
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict, answer
from bakeoff.scores.metrics.own import taken_by_path
from bakeoff.stats import plain


def run(args: argparse.Namespace) -> None:
    """Compare, write the requested files, and print."""
    compare_tables.refuse_of_rows(args)
    if args.datasets is not None:
        compare_tables.run(args)
        return
    files = {option: getattr(args, option) for option in ("html", "markdown", "latex", "csv")}
    places = places_of(files, args.files, folders=["csv"])
    args.metric, args.own_metrics = taken_by_path(args.metric or ())
    with naming_options(READING):
        given, read_as = read(args)
    with naming_options(SETTINGS):
        study = build_study(given, settings(args))
    if places:  # before its answer, which the page then need not find again
        study = made_by(study, shlex.join(["bakeoff", *args.arguments]))
    verdict = answer(study)
    if places:
        from bakeoff.cli.compare_files import write  # it draws: slow to import

        write(places, study)
    brief = not (args.metric or study.numbers or study.experiment.task.numbers)
    if args.json:
        found = as_json(study, verdict, brief=brief)
        say(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        show(study, verdict, brief=brief)
        notes(given, read_as)


def as_json(study: Study, verdict: Verdict, *, brief: bool) -> dict[str, Any]:
    """Return all results as plain data, with the user's names of the models."""
    names = names_of(study)
    found = (study.test_sets or study.numbers)[ROWS]
    single = not brief and not study.has_runs  # of training runs no set of the best is known
    return {
        "rows": found.n,
        **as_plain(study, verdict, names),
        **({"best": [_best(study, m, names) for m in study.experiment.metrics]} if single else {}),
    }


def _best(study: Study, metric: str, own: Mapping[str, str]) -> dict[str, Any]:
    """Return which models may be the best by a metric, as plain data."""
    found = may_be_best(study, metric).get(ROWS)
    if found is None:
        return {"metric": metric, "models": []}
    lines = [{**dataclasses.asdict(line), "model": own[line.model]} for line in found.models]
    if len(lines) == 2:  # the test of the pair says all else
        lines = [{key: line[key] for key in ("model", "value", "ci")} for line in lines]
    return {"metric": metric, "models": plain(lines)}

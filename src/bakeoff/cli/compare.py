"""`bakeoff compare`: existing predictions, or a table of scores, compared at once."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
from collections.abc import Mapping
from typing import Any

from bakeoff.api.build_study import ROWS
from bakeoff.api.given import study_of_files
from bakeoff.api.plain_data import as_plain, names_of
from bakeoff.api.settings import in_arguments
from bakeoff.cli import COMMANDS
from bakeoff.cli.compare_show import show
from bakeoff.cli.terminal import dim, outputs, say
from bakeoff.files import write_texts
from bakeoff.report.may_be_best import may_be_best
from bakeoff.report.numbers import paragraph
from bakeoff.report.ranking import standings
from bakeoff.report.study import Study
from bakeoff.report.verdict import answer
from bakeoff.stats import plain

ENDINGS = (".html", ".md", ".tex")


def compare(args: argparse.Namespace) -> None:
    """Compare, write the requested files, and print."""
    places = outputs(args.output, args.files, ENDINGS)
    command = shlex.join(["bakeoff", *args.arguments])
    with in_arguments(COMMANDS["compare"].keys):
        study, read_as = study_of_files(vars(args), command)
    numbers = study.numbers or study.experiment.task.numbers
    brief = not (args.datasets or args.metrics or numbers)
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
    if not args.json:
        show(study, verdict, brief=brief)
        lines = [*read_as, *(text for texts in study.notes.values() for text in texts)]
        say(*(dim(paragraph(text)) for text in lines))
        return
    names, metrics = names_of(study), study.experiment.metrics
    if args.datasets is not None:
        data: dict[str, Any] = {"data_sets": len(study.datasets)}
        data |= as_plain(study, verdict, names)
        ranked = {metric: standings(study, metric) for metric in metrics}
        data["standings"] = [
            {
                "metric": metric,
                "models": [plain(s._asdict() | {"model": names[s.model]}) for s in lines],
            }
            for metric, lines in ranked.items()
            if lines
        ]
    else:
        data = {"rows": (study.test_sets or study.numbers)[ROWS].n}
        data |= as_plain(study, verdict, names)
        if not brief and not study.has_runs:  # of training runs no set of the best is known
            data["best"] = [_best(study, metric, names) for metric in metrics]
    say(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))


def _best(study: Study, metric: str, names: Mapping[str, str]) -> dict[str, Any]:
    """Return which models may be the best by a metric, as plain data."""
    contenders = may_be_best(study, metric).get(ROWS)
    if contenders is None:
        return {"metric": metric, "models": []}
    lines = [{**dataclasses.asdict(line), "model": names[line.model]} for line in contenders.models]
    if len(lines) == 2:  # the test of the pair says all else
        lines = [{key: line[key] for key in ("model", "value", "ci")} for line in lines]
    return {"metric": metric, "models": plain(lines)}

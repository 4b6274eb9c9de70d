"""`bakeoff gate`: whether a candidate may take the place of a base."""

from __future__ import annotations

import argparse
import json

from bakeoff.api.settings import kind_of, numbers_wanted
from bakeoff.cli.compare_options import costs_in
from bakeoff.cli.given import check_column, tables_named
from bakeoff.cli.naming import naming_options
from bakeoff.cli.places import places_of
from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.errors import UserError
from bakeoff.files import write_text
from bakeoff.release import GateVerdict, Terms, decide, read_rows
from bakeoff.release.verdict import as_json, as_markdown, change, headline, reasons, writer
from bakeoff.report.numbers import paragraph
from bakeoff.scores.metrics.own import taken_by_path
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.load import validated
from bakeoff.spec.metrics import GivenMetric
from bakeoff.stats import Release

CODES = {Release.SHIP: 0, Release.BLOCK: 1, Release.UNDECIDED: 2}
_OPTIONS = {
    "true": "--truth",
    "id": "--id",
    "predicted": "--predicted",
    "group": "--groups",
    "subgroup": "--subgroup",
    "run": "--runs",
    "seed": "--seeds",
    "value": "--column",
    "values": "--values",
    "missing": "--missing",
    "tasks": "--tasks",
    "models": "--models",
    "positive": "--positive",
    "metric": "--metric",
    "margin": "--margin",
    "format": "--format",
    "pass_at": "--pass-at",
    "pass_hat": "--pass-hat",
    "task": "--task",
    "unit": "--unit",
    "costs": "--costs",
}


def run(args: argparse.Namespace) -> int:
    """Decide, and return the decision as exit code."""
    with naming_options(_OPTIONS):
        return CODES[_decided(args).decision]


def _decided(args: argparse.Namespace) -> GateVerdict:
    files = [path for path in (args.base, args.candidate) if path is not None]
    places = places_of({"markdown": args.markdown}, files)
    of_labels = args.metric, args.task, args.truth, args.predicted, args.positive, args.costs
    if args.values is not None and any(one is not None for one in of_labels):
        raise UserError(
            "--metric, --task, --truth, --predicted, --positive, --costs: are for predictions, not "
            "for numbers per row (--values)"
        )
    if args.labels and args.values is not None:
        raise UserError(
            "--labels, --values: columns hold either labels or numbers; keep one of the options"
        )
    named, _ = taken_by_path(args.metric or ())
    numbers = kind_of(args.values, args.pass_at, args.pass_hat)
    models = None if args.models is None else [name.strip() for name in args.models.split(",")]
    how = {"labels": args.labels, "positive": args.positive}
    how["missing"] = args.missing
    how["numbers"] = numbers_wanted(args.task, named, labels=args.labels)
    tables = tables_named(files, args)
    keys = {"true": args.truth, "id": args.id, "predicted": args.predicted, "value": args.column}
    keys |= {"group": args.groups, "run": args.runs, "seed": args.seeds}
    columns = validated(GivenColumns, keys)
    check_column(args, tables)
    rows = read_rows(tables, columns, models, args.subgroup or (), numbers, **how)
    rows = rows.measured_in(args.unit).with_costs(costs_in(args.costs))
    metrics = (numbers.name,) if isinstance(numbers, GivenMetric) else named
    verdict = decide(rows, Terms.of(rows, metrics, args.margin, args.alpha, args.superior))
    if "markdown" in places:
        write_text(places["markdown"], as_markdown(verdict))
    if args.json:
        say(json.dumps(as_json(verdict), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _show(verdict)
        for said in tables.read_as:
            say(dim(f"{said}."))
    return verdict


def _show(verdict: GateVerdict) -> None:
    say("", bold(paragraph(headline(verdict))), paragraph(" ".join(reasons(verdict))), "")
    several = bool(verdict.by_metric)
    rows = [
        (
            *([one.terms.metric] if several else []),
            part.name or "all rows",
            f"{part.limits.n:,}",
            *map(writer(one), (part.limits.estimate, part.limits.low, part.limits.high)),
            "worse" if part.decision is Release.BLOCK else "",
        )
        for one in verdict.by_metric or (verdict,)
        for part in (*([one.overall] if several else []), *one.subgroups)
    ]
    if rows:
        moved = "change" if several else change(verdict)
        head = ["subgroup", "rows", moved, "lower limit", "upper limit", ""]
        say(
            *table(
                [*(["metric"] if several else []), *head], rows, f"{'l' if several else ''}lrrrrl"
            ),
            "",
        )
    if verdict.subgroups:
        level = verdict.subgroups[0].limits.alpha
        say(dim(paragraph(f"Limits of subgroups at the level {level:.2g} each (Bonferroni).")), "")

"""`bakeoff compare`: predictions that are there already, compared at once."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bakeoff.api.asked import KINDS, named
from bakeoff.api.build_study import METRIC, ROWS, build_study, made_by
from bakeoff.api.plain_data import as_plain, names_at_hand
from bakeoff.cli.compare_asked import OPTIONS, asked, related
from bakeoff.cli.compare_subgroups import show_subgroups, subgroups_named
from bakeoff.cli.places import places_of
from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.comparisons import Comparison
from bakeoff.data.predicted import Predicted, contradiction
from bakeoff.data.read_models import read_each, read_each_values, read_wide, read_wide_values
from bakeoff.data.readers import reader_of
from bakeoff.data.side_by_side import SideBySide
from bakeoff.errors import Problem, UserError
from bakeoff.report import prose
from bakeoff.report.baseline import baselines
from bakeoff.report.checks import checked
from bakeoff.report.family import Family
from bakeoff.report.may_be_best import may_be_best, worth_of_winner
from bakeoff.report.numbers import count, fixed, interval, number, percent, pvalue, score
from bakeoff.report.pairs_shown import oriented
from bakeoff.report.ranking import ranking
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict, answer
from bakeoff.report.verdict.beside import against_constant
from bakeoff.report.wrapping import paragraph
from bakeoff.spec.given_models import GivenColumns
from bakeoff.stats import plain
from bakeoff.stats.core.result import AGREE

_OF_RIGHT_ROWS = (("variant", "right"), ("variant", "wrong"))
MOST_COUNTED = 10_000_000
"""Rows that --counts may stand for."""
MOST_MODELS = 10
"""With more models the table shows the comparisons of the best one alone."""

_OPTIONS = {
    "true": "--truth",
    "id": "--id",
    "predicted": "--predicted",
    "models": "--models",
    "group": "--groups",
    "time": "--time",
    "run": "--runs",
    "value": "--column",
    "values": "--values",
    "subgroups": "--subgroups",
    "positive": "--positive",
}
"""The option that a part of a problem's path stands for."""


def run(args: argparse.Namespace) -> None:
    """Compare, write what is asked for, and print."""
    files = {option: getattr(args, option) for option in ("html", "markdown", "latex", "csv")}
    places = places_of(files, args.files, folders=["csv"])
    try:
        given = read(args)
    except Problem as problem:
        option = _OPTIONS.get("subgroups" if "subgroups" in problem.path else str(problem.path[-1]))
        message = problem.message.replace("`missing_target: drop`", "`--missing-target drop`")
        raise UserError(f"{option}: {message}" if option else message) from None
    try:
        study = build_study(given, asked(args))
        if places:  # before its answer, which the page then need not find again
            study = made_by(study, shlex.join(["bakeoff", *args.arguments]))
    except UserError as error:
        raise named(error, OPTIONS) from None
    verdict = answer(study)
    if places:
        from bakeoff.cli.compare_files import write  # it draws: slow to import

        write(places, study, verdict)
    brief = not args.metric and not study.numbers
    if args.json:
        found = as_json(study, verdict, brief=brief)
        say(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        show(study, verdict, brief=brief)
        notes(given, args.files)


def read(args: argparse.Namespace) -> SideBySide:
    """Read what the options name: one table of all models, or one of each."""
    keys = {"true": args.truth, "id": args.id, "predicted": args.predicted, "value": args.column}
    columns = GivenColumns.model_validate(
        {**keys, **related(args), "subgroups": subgroups_named(args.subgroups)}
    )
    if columns.group is not None and columns.time is not None:
        raise UserError("--groups and --time cannot be combined: keep one of them")
    if args.assume_independent and not any(related(args).values()):
        raise UserError("--assume-independent: neither --groups, --time nor --runs names a column")
    how: dict[str, Any] = {
        "classes": _listed(args.classes) or (),
        "drop_unlabelled": args.missing_target == "drop",
        "labels": args.labels,
    }
    if args.column is not None and (args.values is None or len(args.files) == 1):
        raise UserError("--column is for numbers (--values) in one table per model")
    if args.labels and args.values is not None:
        raise UserError("--labels, --values: the columns hold the one or the other")
    if args.counts is not None:
        if args.files or args.subgroups is not None:
            raise UserError("--counts stands in place of files and their columns")
        return _renamed(_from_counts(args.counts), _listed(args.names))
    if not args.files:
        raise UserError("expected a file, or --counts; see `bakeoff compare --help`")
    if args.values is not None:
        return _renamed(_with_numbers(args, columns), _listed(args.names))
    if len(args.files) == 1:
        if args.predicted is not None:
            raise UserError("--predicted is for one table per model; --models chooses columns")
        found = read_wide(args.files[0], columns, models=_listed(args.models), **how)
        binary = tuple(found.classes) in (("0", "1"), ("False", "True"))
        if args.models is None and len(found.models) > 2 and binary:  # some may be no models
            sys.stderr.write(
                f"every other column is taken for a model: {', '.join(found.models)}; `--models` "
                "chooses among them\n"
            )
    else:
        if args.models is not None:
            raise UserError(
                "--models names columns of one table; of several tables each is a model"
            )
        found = read_each(args.files, columns, **how)
    return _renamed(found, _listed(args.names)).with_positive(args.positive)


def _with_numbers(args: argparse.Namespace, columns: GivenColumns) -> SideBySide:
    """Read numbers per row; what is about labels has no meaning for them."""
    for option in ("truth", "predicted", "classes", "positive", "costs", "variant"):
        if getattr(args, option) is not None and (option, args.values) not in _OF_RIGHT_ROWS:
            raise UserError(f"--{option} is for predictions, not for numbers per row (--values)")
    kind = KINDS[args.values]
    if len(args.files) == 1:
        return read_wide_values(args.files[0], columns, kind, _listed(args.models))
    return read_each_values(args.files, columns, kind)


def _renamed(given: SideBySide, labels: Sequence[str] | None) -> SideBySide:
    if labels is None:
        return given
    if len(labels) != len(given.models) or len(set(labels)) < len(labels):
        raise UserError(
            f"--names: expected {len(given.models)} different names, for "
            f"{', '.join(given.models)}; found {', '.join(labels)}"
        )
    models = dict(zip(labels, given.models.values(), strict=True))
    return dataclasses.replace(given, models=models)


def _from_counts(text: str) -> SideBySide:
    """Make rows of two models from how many both, one or neither is right on."""
    found = text.split(",")
    if len(found) != 4 or not all(number.strip().isdecimal() for number in found):
        raise UserError(
            f"--counts: found {text!r}, expected four whole numbers: both right, only A right, "
            "only B right, both wrong; e.g. 329,22,17,63"
        )
    numbers = [int(number) for number in found]
    if not 0 < sum(numbers) <= MOST_COUNTED:
        raise UserError(f"--counts: expected 1 to {MOST_COUNTED:,} rows, found {sum(numbers):,}")
    a, b = (np.repeat(wrong, numbers) for wrong in ([0, 0, 1, 1], [0, 1, 0, 1]))
    models = {name: Predicted(codes, None) for name, codes in (("A", a), ("B", b))}
    truth = np.zeros(len(a), dtype=np.intp)
    return SideBySide("the counts", ("right", "wrong"), truth, models, in_order=False)


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def notes(given: SideBySide, files: Sequence[str] = ()) -> None:
    """Print what the files were taken for, and what is odd about them, though no mistake."""
    for path in files:
        if (reader := reader_of(path)) is not None:
            say(dim(f"{path} was read as {reader.WHAT}."))
    if given.left_out:
        say(dim(f"{count(given.left_out, 'row')} without a true label left out."))
    for model, found in given.models.items():
        if said := contradiction(model, found):
            say(dim(paragraph(said)))
    for column in given.like_groups:
        name = column["column"]
        say(
            paragraph(
                f"Note: {name!r} looks like an id of groups ({column['groups']:,} values), and the "
                f"rows were taken for independent. If rows of one value belong together: --groups "
                f"{name}"
            )
        )


def show(study: Study, verdict: Verdict, *, brief: bool) -> None:
    """Print the verdict, the models and the comparisons.

    Parameters
    ----------
    study, verdict
        What was found.
    brief : bool
        Whether to tell of accuracy alone, and not which models may be the best.
    """
    say("", bold(paragraph(verdict.headline)), *(paragraph(s) for s in verdict.sentences), "")
    if brief:
        _show_right(study)
    for metric in () if brief else study.experiment.metrics:
        _show_contenders(study, metric)
    for i, family in enumerate(study.families):
        if family.role == "omnibus":
            row = family.rows[0]
            text = f"{family.entry.title}: {_statistic(row)}p = {pvalue(row.pvalue)}"
            say(f"  {text.replace('= <', '<').replace('= >', '>')}", "")
        else:
            if i and study.families[i - 1].role != "omnibus":
                say("")
            _show_pairs(study, family)
    show_subgroups(study)


def _show_right(study: Study) -> None:
    rows = study.test_sets[ROWS]
    lines = [
        (
            study.label(line.model),
            score(line.mean),
            interval(*line.ci) if line.ci else "",
            f"{round(line.mean * rows.n):,} of {rows.n:,}",
        )
        for line in ranking(study)
    ]
    lines += [
        (f"(always {one.answer})", score(one.score), "", "") for one in baselines(study, METRIC)
    ]
    level = percent(1 - study.alpha)
    say(*table(("model", "accuracy", f"{level} CI", "right"), lines, "lrrr"), "")


def _show_contenders(study: Study, metric: str) -> None:
    """Print which models may be the best by a metric, and what the winner is worth."""
    found = may_be_best(study, metric).get(ROWS)
    if found is None:
        return
    lines: list[tuple[str, ...]] = [
        (
            study.label(line.model),
            score(line.value),
            interval(*line.ci) if line.ci else "",
            "yes" if line.stays else "no",
            pvalue(line.pvalue),
            line.tier,
            percent(round(line.wins, 2)),
        )
        for line in found.models
    ]
    for one in baselines(study, metric):
        answer = "class shares" if study.metrics[metric].by_order else f"always {one.answer}"
        lines.append((f"({answer})", score(one.score), *([""] * 5)))
    level = percent(1 - study.alpha)
    head = ("model", study.metrics[metric].title, f"{level} CI", "may be the best", "p", "tier")
    say(*table((*head, "would win"), lines, "lrrlrlr", [("would win",), ("tier",)]))
    told = [*worth_of_winner(study, study.metrics[metric], found, ROWS)]
    if metric != study.metric.name:  # of the first one the verdict tells
        told += against_constant(study, metric)
    say(*(dim(paragraph(text)) for text in told), "")


def _show_pairs(study: Study, family: Family) -> None:
    # McNemar's test is about accuracies, also where the metric is the error rate
    order = [line.model for line in ranking(study, family.metric) or ranking(study)]
    lines: list[tuple[str, ...]] = []
    brief = len(order) > MOST_MODELS and study.experiment.tests.versus is None
    for i, first in enumerate(order[:1] if brief else order):
        for second in order[i + 1 :]:
            a, b = oriented(study, first, second)
            row = family.between(a, b)
            if row is None:
                continue
            details = row.result.get("details", {})
            only_a, only_b = (details.get(f"only_{m}_correct", "") for m in "ab")
            lines.append(
                (
                    study.label(a),
                    study.label(b),
                    *(f"{only:,}" if only != "" else "" for only in (only_a, only_b)),
                    fixed(row.estimate, 3),
                    interval(row.ci_low, row.ci_high),
                    pvalue(row.pvalue),
                    pvalue(row.pvalue_adjusted),
                    prose.decision(study, row),
                )
            )
    row, measure = family.rows[0], family.measure
    difference, level = prose.advantage([measure]), prose.levels_of(family.rows)
    names = ("A", "B", "only A right", "only B right", difference, level, "p")
    head = [*names, "adjusted p", ""]
    adjusted = row.family_size > 1 and row.correction != "none"
    empty = [] if any(line[2] for line in lines) else [2, 3]
    empty += [5] if level == "CI" else []
    shown = [i for i in range(9) if i not in empty and (adjusted or i != 7)]
    least = [*([("p",)] if adjusted else []), (head[2], head[3])]
    cells = [tuple(line[i] for i in shown) for line in lines]
    aligned = "".join("llrrrrrrl"[i] for i in shown)
    say(*table(tuple(head[i] for i in shown), cells, aligned, least), "")
    form = {"midp": "mid-p"}.get(row.variant, row.variant.replace("_", " "))
    named = measure.title if row.metric == row.variant or study.numbers else form
    if brief:
        say(dim("Pairs without the best model are not shown; --json gives them."))
    how = f"{family.entry.title} ({named}); {prose.correction(row)}"
    say(dim(paragraph(f"{how}; level {percent(row.alpha)}.")))
    if told := prose.disagreement(family.rows):
        say(paragraph(told.strip()))
    for check in checked(family.rows):
        if check.fails and check.name != AGREE:
            say(paragraph(f"Assumption not met: {check.name} ({check.detail})."))


def _statistic(row: Comparison) -> str:
    if row.df is None:
        return f"Q = {number(row.statistic)}, "
    return f"Q({number(row.df)}) = {number(row.statistic)}, "


def as_json(study: Study, verdict: Verdict, *, brief: bool) -> dict[str, Any]:
    """Return everything as plain data, models by their own names."""
    own = names_at_hand(study)
    found = (study.test_sets or study.numbers)[ROWS]
    return {
        "rows": found.n,
        **as_plain(study, verdict, own),
        **({} if brief else {"best": [_best(study, m, own) for m in study.experiment.metrics]}),
    }


def _best(study: Study, metric: str, own: Mapping[str, str]) -> dict[str, Any]:
    """Return which models may be the best by a metric, as plain data."""
    found = may_be_best(study, metric).get(ROWS)
    if found is None:
        return {"metric": metric, "models": []}
    lines = [{**dataclasses.asdict(line), "model": own[line.model]} for line in found.models]
    worth = {"naive": found.best.naive, "freed": found.best.estimate, "ci": found.best.ci}
    return {"metric": metric, "models": plain(lines), "winner": plain(worth)}

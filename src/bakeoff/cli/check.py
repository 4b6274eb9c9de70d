"""`bakeoff check`: rows, fits, tests and detectable differences of an experiment, before a run."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from bakeoff.cli.judged_runs import check_file
from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.comparisons.advice import RowCounts, cautions, remedies, smallest_pvalue
from bakeoff.comparisons.analysis import analysis_of
from bakeoff.comparisons.plan_tests import notes
from bakeoff.comparisons.settings import compares_pairs, pairs_of
from bakeoff.data import Table
from bakeoff.data.describe import (
    telling_columns,
)
from bakeoff.data.given_predictions import divide, load
from bakeoff.data.splits import divisions, effective_groups, split_quality
from bakeoff.data.table import GROUP, TARGET, TIME
from bakeoff.files import read_csv, reading
from bakeoff.paths import Paths
from bakeoff.preflight import check_experiment
from bakeoff.report.numbers import count, paragraph, percent, words
from bakeoff.report.prose import ABOUT, PLANS, of_target
from bakeoff.report.rare_classes import accuracy_of_rare
from bakeoff.report.undeclared import notes_on, remark_on
from bakeoff.scores import metrics_of
from bakeoff.spec import Experiment, PlannedTest, read_experiment
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.judged import is_judged_experiment
from bakeoff.spec.load import report_problems
from bakeoff.spec.tests import RECOMMENDED
from bakeoff.stats import catalogue
from bakeoff.usercode import make_importable

POWER = 0.8
_SUPPOSED, _MANY = 10, 100
"""Seconds of a fit, and from how many fits on a job for each is a burden."""
_MOST_COLUMNS = 40
"""How many columns are listed; those with a remark are all."""
_UNITS = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))
DISAGREEMENTS = (0.05, 0.1, 0.2)
"""Shares of rows on which two models disagree: what they will be is not known before the run."""


def check(args: argparse.Namespace) -> None:
    """Check one experiment, and say what it will do."""
    if is_judged_experiment(args.file):
        check_file(args.file)
        return
    experiment = read_experiment(args.file)
    make_importable([Path(args.file).parent, "."])
    problems, planned = check_experiment(experiment)
    if problems:
        raise report_problems(problems, args.file)
    tests = tuple(planned.by_name.values())
    tables = {
        name: load(name, experiment)
        for name, spec in experiment.datasets.items()
        if isinstance(spec, GivenData) or spec.at_hand()
    }
    say("", bold(f"{args.file}: ready to run"), "")
    rows = []
    for name, spec in experiment.datasets.items():
        if name not in tables:
            rows.append((name, "", "", "looked at when the run loads it"))
            continue
        data = tables[name]
        target = of_target(data.card, spec.unit)
        size = f"{len(data.frame):,}" if target else ""
        features = data.features.shape[1]
        rows.append((name, size, f"{features:,}" if features else "", target or "scores alone"))
    say(*table(("data set", "rows", "features", "target"), rows, "lrrl"), "")
    show_columns(tables)
    show_undeclared(experiment, tables)
    _show_plans(experiment, tables)
    _show_fits(experiment)
    _show_tests(experiment, tests)
    _show_unreachable(experiment, tests, tables)
    _show_detectable(experiment, tests, tables)
    say(paragraph(f"To run it: bakeoff run {args.file}"), "")


def show_columns(tables: Mapping[str, Table]) -> None:
    """Print how each column of the tables was read."""
    rows = [
        (name, column, kind["kind"], f"{kind['distinct']:,}", f"{kind['missing'] or ''}", remark)
        for name, data in tables.items()
        for column, kind in data.card["features"].items()
        for remark in [remark_on(kind)]
    ]
    kept = [row for i, row in enumerate(rows) if i < _MOST_COLUMNS or row[-1]]
    if not kept:
        return
    head = ("data set", "column", "read as", "different", "missing", "")
    say(*table(head, kept, "lllrrl"))
    if more := len(rows) - len(kept):
        say(dim(f"… and {count(more, 'more column')}; the report lists all."))
    say("")


def _show_plans(experiment: Experiment, tables: dict[str, Table]) -> None:
    rows: list[tuple[str, ...]] = []
    given_by = experiment.resampling.given_by
    by = {plan: f" by {column!r}" for plan, column in given_by.items()}
    for dataset, data in tables.items():
        for name, plan in experiment.resampling.plans().items():
            if experiment.by_scores(name):
                rows.append((dataset, name, PLANS[name], str(len(plan.splits())), "", "", ""))
                continue
            splits = list(divisions(divide(dataset, experiment, data, name), plan))
            sizes = [
                sorted({len(s.train) for *_, s in splits}),
                sorted({len(s.test) for *_, s in splits}),
            ]
            texts = [f"{s[0]:,}" if len(s) == 1 else f"{s[0]:,} to {s[-1]:,}" for s in sizes]
            worth = ""
            if GROUP in data.frame:
                tested = [data.frame[GROUP].iloc[s.test].value_counts() for *_, s in splits]
                least = min((one.to_numpy() for one in tested), key=effective_groups)
                worth = f"{len(least):,} (worth {effective_groups(least):.1f})"
            kind = PLANS[name] + by.get(name, "")
            rows.append((dataset, name, kind, str(len(splits)), *texts, worth))
    if rows:
        head = ("data set", "plan", "", "divisions", "training rows", "test rows", "test groups")
        kept = 7 if any(row[6] for row in rows) else 6
        say(*table(head[:kept], [row[:kept] for row in rows], "lllrrrr"[:kept]), "")


def _show_fits(experiment: Experiment) -> None:
    fits = sum(1 for _ in experiment.fits())
    texts = ["No fits."]
    if fits:
        models = count(len(experiment.fitted), "model")
        sizes = {
            PLANS[name]: len(plan.splits()) for name, plan in experiment.resampling.plans().items()
        }
        each = words([f"{n:,} for {name}" for name, n in sizes.items()])
        times = _times_of_the_last_run(experiment)
        by, seconds = f"At {_SUPPOSED} seconds a fit", float(_SUPPOSED * fits)
        if times.keys() >= experiment.fitted.keys():
            by = "By the times of the last run"
            seconds = sum(times[fit.model] for fit in experiment.fits())
        size, unit = next((one for one in _UNITS if seconds >= 2 * one[0]), (1, "seconds"))
        seeds = " with each seed" if max(map(experiment.seeds, experiment.fitted)) > 1 else ""
        texts = [
            f"{count(fits, 'fit')}: {models} × {count(len(experiment.datasets), 'data set')}, "
            "every plan.",
            f"A model is fitted {sum(sizes.values()):,} times on a data set{seeds}: {each}.",
            f"{by} they take about {seconds / size:.2g} {unit} on one core.",
        ]
        if fits >= _MANY and experiment.execution.jobs_per in (None, "fold"):
            texts.append(
                "If fits are quick, `execution: {jobs_per: model}` runs those of a model as one "
                "job."
            )
    if given := list(experiment.given):
        texts[0] += f" {words(given)} {'is' if len(given) == 1 else 'are'} given and not fitted."
    say(*map(paragraph, texts), "")


def _times_of_the_last_run(experiment: Experiment) -> dict[str, float]:
    """Return the mean seconds of a fit, by model."""
    path = Paths.of_experiment(experiment.experiment).top("timings.csv")
    if not Path(path).is_file():
        return {}
    with reading(path):
        fits = read_csv(path, dtype={"model": str}).dropna(subset=["fit_seconds"])
        seconds = fits["fit_seconds"] + fits["predict_seconds"]
        return {str(model): mean for model, mean in seconds.groupby(fits["model"]).mean().items()}


def _show_tests(experiment: Experiment, tests: Sequence[PlannedTest]) -> None:
    entries = catalogue()
    rows = []
    for test in tests:
        entry = entries[test.name]
        pairs = pairs_of(list(experiment.models), test.versus) if compares_pairs(entry) else [()]
        correction = (test.correction or "none") if len(pairs) != 1 else ""
        more = f" and {len(test.metrics) - 2} more" if len(test.metrics) > 3 else ""
        metrics = ", ".join(test.metrics[:2] if more else test.metrics) + more
        about, level = ABOUT[entry.about], percent(test.alpha)
        rows.append((test.name, test.plan, about, str(len(pairs)), correction, level, metrics))
    head = ("test", "plan", "answers for", "hypotheses", "correction", "level", "metrics")
    say(bold("Tests"), *table(head, rows, "lllrlr", [("answers for",), ("correction",)]), "")
    if RECOMMENDED in experiment.tests.run:
        for test in tests:
            say(paragraph(f"{test.name}: {test.why}.", "  "))
        say("")
    analysis = analysis_of(experiment)
    for note in notes(analysis):
        say(paragraph(f"Note: {note}"), "")
    for test in tests:
        texts: dict[str, list[str]] = {}
        for metric in test.metrics:
            for text in cautions(test, analysis, metric=metric).sentences(analysis.models):
                texts.setdefault(text, []).append(metric)
        for text, concerned in texts.items():
            by = f"by {words(concerned)}, " if len(concerned) < len(test.metrics) else ""
            say(paragraph(f"Caution: {by}{text}"), "")


def _show_unreachable(
    experiment: Experiment, tests: Sequence[PlannedTest], tables: dict[str, Table]
) -> None:
    """Note tests whose smallest p-value, on so few rows or groups, is above their level."""
    analysis = analysis_of(experiment)
    for test in tests:
        sizes: list[tuple[str, RowCounts | None]] = []
        if test.on_datasets:
            sizes.append((f"over {count(len(experiment.datasets), 'data set')}", None))
        elif test.on_predictions and test.plan == "holdout" and not experiment.by_scores(test.plan):
            for dataset, data in tables.items():
                rows = _tested(experiment, test, dataset, data)
                groups, times = (
                    int(rows[key].nunique()) if key in rows else None for key in (GROUP, TIME)
                )
                of = f" ({count(groups, 'group')})" if groups else ""
                where = f"on the {count(len(rows), 'test row')}{of} of {dataset}"
                sizes.append((where, RowCounts(len(rows), groups, times)))
        for where, size in sizes:
            smallest = smallest_pvalue(test, analysis, size)
            if smallest <= test.alpha:
                continue
            why = "it stays undecided"
            if smallest < 1:
                why = f"its smallest p is {smallest:.2g}, above {test.alpha:g}"
            text = f"Note: {test.name} cannot find a difference {where}: {why}."
            if helping := remedies(test, analysis, size) if size else "":
                text += f" What would change that: {helping}."
            say(paragraph(text), "")


def _show_detectable(
    experiment: Experiment, tests: Sequence[PlannedTest], tables: dict[str, Table]
) -> None:
    """Print the smallest detectable difference on each data set, where it can be planned."""
    lines = []
    for test in tests:
        entry = catalogue()[test.name]
        related = test.related and entry.evidence.on_rows
        numbers = experiment.task.numbers  # of which no share is right
        if entry.planning is None or related or numbers or experiment.by_scores(test.plan):
            continue
        alpha = test.alpha
        if test.correction not in (None, "none", "BH", "BY"):  # all pairs share it equally
            alpha /= max(len(pairs_of(list(experiment.models), test.versus)), 1)
        if alpha >= POWER:  # without any difference it is found as often
            continue
        for dataset, data in tables.items():
            n = len(
                _tested(experiment, test, dataset, data) if entry.evidence.on_rows else data.frame
            )
            how = {"n": n, "power": POWER, "alpha": alpha, "alternative": test.alternative}
            sizes = (
                abs(entry.planning(discordance=share).solve(**how).difference)
                for share in DISAGREEMENTS
            )
            texts = (f"{100 * size:.1f}" if math.isfinite(size) else "none" for size in sizes)
            lines.append((entry.name, dataset, *texts))
    if not lines:
        return
    head = ("test", "data set", *(f"{percent(d)} disagree" for d in DISAGREEMENTS))
    title = "Smallest difference in accuracy, in percentage points, found with a probability of"
    note = "It depends on how often two models disagree about a row, which the run will show."
    say(bold(f"{title} {percent(POWER)}"), *table(head, lines, "llrrr"))
    say(dim(paragraph(note, "  ")), "")


def _tested(experiment: Experiment, test: PlannedTest, dataset: str, data: Table) -> pd.DataFrame:
    """Return the test rows of a holdout."""
    splits = divide(dataset, experiment, data, test.plan)
    ((_, _, split),) = divisions(splits, experiment.resampling.plans()[test.plan])
    return data.frame.iloc[split.test]


def show_undeclared(experiment: Experiment, tables: Mapping[str, Table]) -> None:
    """Note undeclared dependence between rows, and columns that determine the class."""
    for name, data in tables.items():
        is_given = isinstance(experiment.datasets[name], GivenData)
        qualities = [
            split_quality(name, data, plan, spec, divide(name, experiment, data, plan))
            for plan, spec in experiment.resampling.plans().items()
            if not is_given and not experiment.by_scores(plan)
        ]
        for note in notes_on(data.card, qualities):
            say(paragraph(f"Note: {note.sentence}"), "")
        metric = experiment.metrics[0]
        if rare := accuracy_of_rare(
            {name: data.card}, metric, metrics_of(experiment)[metric].title
        ):
            say(paragraph(f"Note: {rare}"), "")
        if is_given:
            continue
        telling = telling_columns(data.features, data.frame[TARGET])
        texts = [f"{c!r} ({percent(round(share, 3))} of rows)" for c, share in telling.items()]
        if texts:
            say(
                paragraph(
                    f"Note: of the columns of {name} each of these tells the class by itself: "
                    f"{words(texts)}. Models will look nearly perfect. If the value is known only "
                    "once the answer is, this is leakage: put the column under `drop:`."
                ),
                "",
            )

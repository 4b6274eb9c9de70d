"""`bakeoff check`: rows, fits, tests and detectable differences of an experiment, before a run."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from bakeoff.cli.judged_runs import check_file
from bakeoff.cli.terminal import bold, dim, say, say_paragraphs, say_table
from bakeoff.comparisons.advice import RowCounts, cautions, remedies, smallest_pvalue
from bakeoff.comparisons.analysis import Analysis, analysis_of
from bakeoff.comparisons.plan_tests import notes
from bakeoff.comparisons.settings import compares_pairs, pairs_of
from bakeoff.data import Table
from bakeoff.data.describe import telling_columns
from bakeoff.data.given_predictions import divide, load
from bakeoff.data.splits import Split, divisions, effective_groups, split_quality
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
_SUPPOSED_SECONDS = 10
"""Of a fit, where no run tells."""
_MANY_FITS = 100
"""From how many fits on a job for each is a burden."""
_MOST_COLUMNS = 40
"""How many columns are listed; those with a remark are all."""
_MOST_METRICS = 3
"""How many metrics of a test are named."""
_LARGER_UNITS = ((60.0, "minutes"), (3600.0, "hours"), (86400.0, "days"))
"""Units of time and their seconds, the largest last."""
_NOT_SHARED = (None, "none", "BH", "BY")
"""Corrections by which the pairs do not share the level equally."""
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
    tables = {}
    for name, spec in experiment.datasets.items():
        if isinstance(spec, GivenData) or spec.at_hand():
            tables[name] = load(name, experiment)
    say("", bold(f"{args.file}: ready to run"), "")
    _show_datasets(experiment, tables)
    show_columns(tables)
    show_undeclared(experiment, tables)
    _show_plans(experiment, tables)
    _show_fits(experiment)
    _show_tests(experiment, tests)
    _show_unreachable(experiment, tests, tables)
    _show_detectable(experiment, tests, tables)
    say(paragraph(f"To run it: bakeoff run {args.file}"), "")


# --- the data


def _show_datasets(experiment: Experiment, tables: Mapping[str, Table]) -> None:
    """Print how large the data sets are, and what is predicted of them."""
    rows = []
    for name, spec in experiment.datasets.items():
        if name not in tables:
            rows.append((name, "", "", "looked at when the run loads it"))
            continue
        data = tables[name]
        n_rows = ""
        n_features = ""
        target = of_target(data.card, spec.unit)
        if target:
            n_rows = f"{len(data.frame):,}"
        # given predictions come without features
        if data.features.shape[1]:
            n_features = f"{data.features.shape[1]:,}"
        rows.append((name, n_rows, n_features, target or "scores alone"))
    say_table(("data set", "rows", "features", "target"), rows, "lrrl")
    say("")


def show_columns(tables: Mapping[str, Table]) -> None:
    """Print how each column of the tables was read."""
    rows: list[tuple[str, ...]] = []
    more = 0
    for name, data in tables.items():
        for column, kind in data.card["features"].items():
            remark = remark_on(kind)
            if len(rows) + more >= _MOST_COLUMNS and not remark:
                more += 1
                continue
            missing = str(kind["missing"] or "")
            rows.append((name, column, kind["kind"], f"{kind['distinct']:,}", missing, remark))
    if not rows:
        return
    head = ("data set", "column", "read as", "different", "missing", "")
    say_table(head, rows, "lllrrl")
    if more:
        say(dim(f"… and {count(more, 'more column')}; the report lists all."))
    say("")


def show_undeclared(experiment: Experiment, tables: Mapping[str, Table]) -> None:
    """Note undeclared dependence between rows, and columns that determine the class."""
    metric = experiment.metrics[0]
    for name, data in tables.items():
        is_given = isinstance(experiment.datasets[name], GivenData)
        qualities = []
        for plan, spec in experiment.resampling.plans().items():
            if not is_given and not experiment.by_scores(plan):
                splits = divide(name, experiment, data, plan)
                qualities.append(split_quality(name, data, plan, spec, splits))
        for note in notes_on(data.card, qualities):
            _say_note(note.text)
        title = metrics_of(experiment)[metric].title
        rare = accuracy_of_rare({name: data.card}, metric, title)
        if rare:
            _say_note(rare)
        if not is_given:
            _show_telling(name, data)


def _show_telling(name: str, data: Table) -> None:
    """Note columns each of which tells the class by itself."""
    texts = []
    for column, share in telling_columns(data.features, data.frame[TARGET]).items():
        texts.append(f"{column!r} ({percent(round(share, 3))} of rows)")
    if texts:
        _say_note(
            f"of the columns of {name} each of these tells the class by itself: {words(texts)}. "
            "Models will look nearly perfect. If the value is known only once the answer is, this "
            "is leakage: put the column under `drop:`."
        )


def _say_note(text: str) -> None:
    """Print a note, and a blank line below it."""
    say(paragraph(f"Note: {text}"), "")


# --- plans and fits


def _show_plans(experiment: Experiment, tables: Mapping[str, Table]) -> None:
    """Print into how many parts, of which sizes, each plan divides the rows."""
    rows = []
    for dataset, data in tables.items():
        for name, plan in experiment.resampling.plans().items():
            if experiment.by_scores(name):
                rows.append([dataset, name, PLANS[name], str(len(plan.splits())), "", "", ""])
                continue
            drawn = divisions(divide(dataset, experiment, data, name), plan)
            splits = [split for _, _, split in drawn]
            kind = PLANS[name]
            if name in experiment.resampling.given_by:
                kind += f" by {experiment.resampling.given_by[name]!r}"
            rows.append([dataset, name, kind, *_sizes(data, splits)])
    if not rows:
        return
    head = ["data set", "plan", "", "divisions", "training rows", "test rows", "test groups"]
    # no data are in groups
    if not any(row[-1] for row in rows):
        head = head[:-1]
        rows = [row[:-1] for row in rows]
    say_table(head, rows, "lllrrrr")
    say("")


def _sizes(data: Table, splits: Sequence[Split]) -> list[str]:
    """Write how many divisions there are, and how large their parts are."""
    n_train = []
    n_test = []
    for split in splits:
        n_train.append(len(split.train))
        n_test.append(len(split.test))
    return [str(len(splits)), _range(n_train), _range(n_test), _test_groups(data, splits)]


def _range(sizes: Sequence[int]) -> str:
    """Write the least and the largest of some sizes, or the one that they all have."""
    least = min(sizes)
    most = max(sizes)
    if least == most:
        return f"{least:,}"
    return f"{least:,} to {most:,}"


def _test_groups(data: Table, splits: Sequence[Split]) -> str:
    """Write how many groups are tested where they are worth least, for some are large."""
    if GROUP not in data.frame:
        return ""
    sizes_by_split = []
    for split in splits:
        groups = data.frame[GROUP].iloc[split.test]
        sizes_by_split.append(groups.value_counts().to_numpy())
    least = min(sizes_by_split, key=effective_groups)
    return f"{len(least):,} (worth {effective_groups(least):.1f})"


def _show_fits(experiment: Experiment) -> None:
    """Print how many fits there are, and how long they may take."""
    n_fits = sum(1 for _ in experiment.fits())
    texts = ["No fits."]
    if n_fits:
        models = count(len(experiment.fitted), "model")
        datasets = count(len(experiment.datasets), "data set")
        texts = [
            f"{count(n_fits, 'fit')}: {models} × {datasets}, every plan.",
            _fits_of_a_model(experiment),
            _time_of_fits(experiment, n_fits),
        ]
        if n_fits >= _MANY_FITS and experiment.execution.jobs_per in (None, "fold"):
            texts.append(
                "If fits are quick, `execution: {jobs_per: model}` runs those of a model as one "
                "job."
            )
    given = list(experiment.given)
    if given:
        verb = "are"
        if len(given) == 1:
            verb = "is"
        texts[0] += f" {words(given)} {verb} given and not fitted."
    say_paragraphs(texts)
    say("")


def _fits_of_a_model(experiment: Experiment) -> str:
    """Say how often a model is fitted on a data set."""
    total = 0
    texts = []
    for name, plan in experiment.resampling.plans().items():
        n_splits = len(plan.splits())
        total += n_splits
        texts.append(f"{n_splits:,} for {PLANS[name]}")
    seeds = ""
    if any(experiment.seeds(model) > 1 for model in experiment.fitted):
        seeds = " with each seed"
    return f"A model is fitted {total:,} times on a data set{seeds}: {words(texts)}."


def _time_of_fits(experiment: Experiment, n_fits: int) -> str:
    """Say how long the fits take, by the last run where it had all models."""
    by = f"At {_SUPPOSED_SECONDS} seconds a fit"
    seconds = float(_SUPPOSED_SECONDS * n_fits)
    times = _times_of_the_last_run(experiment)
    # a model that was added since then has no times
    if times.keys() >= experiment.fitted.keys():
        by = "By the times of the last run"
        seconds = sum(times[fit.model] for fit in experiment.fits())
    size = 1.0
    unit = "seconds"
    # the largest unit of which there are two at least
    for larger_size, larger_unit in _LARGER_UNITS:
        if seconds >= 2 * larger_size:
            size = larger_size
            unit = larger_unit
    return f"{by} they take about {seconds / size:.2g} {unit} on one core."


def _times_of_the_last_run(experiment: Experiment) -> dict[str, float]:
    """Return the mean seconds of a fit, by model."""
    path = Paths.of_experiment(experiment.experiment).top("timings.csv")
    if not Path(path).is_file():
        return {}
    with reading(path):
        fits = read_csv(path, dtype={"model": str}).dropna(subset=["fit_seconds"])
        seconds = fits["fit_seconds"] + fits["predict_seconds"]
        means = seconds.groupby(fits["model"]).mean()
        return {str(model): mean for model, mean in means.items()}


# --- the tests


def _show_tests(experiment: Experiment, tests: Sequence[PlannedTest]) -> None:
    """Print the tests that run, why, and what to be careful about."""
    rows = []
    for test in tests:
        entry = catalogue()[test.name]
        n_hypotheses = 1
        if compares_pairs(entry):
            n_hypotheses = len(pairs_of(list(experiment.models), test.versus))
        correction = ""
        if n_hypotheses != 1:
            correction = test.correction or "none"
        rows.append(
            (
                test.name,
                test.plan,
                ABOUT[entry.about],
                str(n_hypotheses),
                correction,
                percent(test.alpha),
                _few(test.metrics),
            )
        )
    head = ("test", "plan", "answers for", "hypotheses", "correction", "level", "metrics")
    say(bold("Tests"))
    say_table(head, rows, "lllrlr", [("answers for",), ("correction",)])
    say("")
    if RECOMMENDED in experiment.tests.run:
        for test in tests:
            say(paragraph(f"{test.name}: {test.why}.", "  "))
        say("")
    analysis = analysis_of(experiment)
    for note in notes(analysis):
        _say_note(note)
    for test in tests:
        _show_cautions(test, analysis)


def _few(metrics: Sequence[str]) -> str:
    """Name three metrics at most."""
    if len(metrics) <= _MOST_METRICS:
        return ", ".join(metrics)
    named = metrics[: _MOST_METRICS - 1]
    return f"{', '.join(named)} and {len(metrics) - len(named)} more"


def _show_cautions(test: PlannedTest, analysis: Analysis) -> None:
    """Print what to be careful about with a test, by some of its metrics or by all."""
    metrics_by_text: dict[str, list[str]] = {}
    for metric in test.metrics:
        for text in cautions(test, analysis, metric=metric).sentences(analysis.models):
            metrics_by_text.setdefault(text, []).append(metric)
    for text, metrics in metrics_by_text.items():
        by = ""
        if len(metrics) < len(test.metrics):
            by = f"by {words(metrics)}, "
        say(paragraph(f"Caution: {by}{text}"), "")


class Extent(NamedTuple):
    """On how much a test decides."""

    where: str
    size: RowCounts | None = None
    """The test rows, where it looks at rows."""


def _show_unreachable(
    experiment: Experiment, tests: Sequence[PlannedTest], tables: Mapping[str, Table]
) -> None:
    """Note tests whose smallest p-value, on so few rows or groups, is above their level."""
    analysis = analysis_of(experiment)
    for test in tests:
        for where, size in _extents(experiment, test, tables):
            smallest = smallest_pvalue(test, analysis, size)
            if smallest <= test.alpha:
                continue
            why = "it stays undecided"
            if smallest < 1:
                why = f"its smallest p is {smallest:.2g}, above {test.alpha:g}"
            text = f"{test.name} cannot find a difference {where}: {why}."
            if size:
                remedy = remedies(test, analysis, size)
                if remedy:
                    text += f" What would change that: {remedy}."
            _say_note(text)


def _extents(
    experiment: Experiment, test: PlannedTest, tables: Mapping[str, Table]
) -> Iterator[Extent]:
    """List on how many data sets, or test rows of which data set, a test decides."""
    if test.on_datasets:
        yield Extent(f"over {count(len(experiment.datasets), 'data set')}")
        return
    if not test.on_predictions or test.plan != "holdout" or experiment.by_scores(test.plan):
        return
    for dataset, data in tables.items():
        rows = _tested(experiment, test, dataset, data)
        n_groups = None
        if GROUP in rows:
            n_groups = int(rows[GROUP].nunique())
        n_times = None
        if TIME in rows:
            n_times = int(rows[TIME].nunique())
        where = f"on the {count(len(rows), 'test row')}"
        if n_groups:
            where += f" ({count(n_groups, 'group')})"
        yield Extent(f"{where} of {dataset}", RowCounts(len(rows), n_groups, n_times))


def _show_detectable(
    experiment: Experiment, tests: Sequence[PlannedTest], tables: Mapping[str, Table]
) -> None:
    """Print the smallest detectable difference on each data set, where it can be planned."""
    # of numbers no share is right
    if experiment.task.numbers:
        return
    lines: list[list[str]] = []
    for test in tests:
        lines += _detectable_by(experiment, test, tables)
    if not lines:
        return
    head = ["test", "data set"]
    for share in DISAGREEMENTS:
        head.append(f"{percent(share)} disagree")
    title = "Smallest difference in accuracy, in percentage points, found with a probability of"
    note = "It depends on how often two models disagree about a row, which the run will show."
    say(bold(f"{title} {percent(POWER)}"))
    say_table(head, lines, "llrrr")
    say(dim(paragraph(note, "  ")), "")


def _detectable_by(
    experiment: Experiment, test: PlannedTest, tables: Mapping[str, Table]
) -> Iterator[list[str]]:
    """Yield for each data set the differences that a test finds."""
    entry = catalogue()[test.name]
    related = test.related and entry.evidence.on_rows
    if entry.planning is None or related or experiment.by_scores(test.plan):
        return
    alpha = test.alpha
    # Bonferroni's level, for Holm's and others depend on the other p-values
    if test.correction not in _NOT_SHARED:
        alpha /= max(len(pairs_of(list(experiment.models), test.versus)), 1)
    # without any difference it is found as often
    if alpha >= POWER:
        return
    for dataset, data in tables.items():
        rows = data.frame
        if entry.evidence.on_rows:
            rows = _tested(experiment, test, dataset, data)
        line = [entry.name, dataset]
        for share in DISAGREEMENTS:
            solved = entry.planning(discordance=share).solve(
                n=len(rows), power=POWER, alpha=alpha, alternative=test.alternative
            )
            size = abs(solved.difference)
            if math.isfinite(size):
                line.append(f"{100 * size:.1f}")
            else:
                line.append("none")
        yield line


def _tested(experiment: Experiment, test: PlannedTest, dataset: str, data: Table) -> pd.DataFrame:
    """Return the test rows of a holdout."""
    splits = divide(dataset, experiment, data, test.plan)
    ((_, _, split),) = divisions(splits, experiment.resampling.plans()[test.plan])
    return data.frame.iloc[split.test]

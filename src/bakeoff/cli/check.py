"""`bakeoff check`: rows, fits, tests and detectable differences of an experiment, before a run."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.comparisons.advice import RowCounts, cautions, remedies, smallest_pvalue
from bakeoff.comparisons.plan_tests import notes
from bakeoff.comparisons.settings import compares_pairs, level_of_each, pairs_of
from bakeoff.data import Table
from bakeoff.data.describe import telling_columns
from bakeoff.data.given_predictions import divide, load, predictions_of
from bakeoff.data.splits import Split, divisions, effective_groups, split_quality
from bakeoff.data.table import GROUP, SUBGROUP, TARGET, TIME
from bakeoff.paths import Paths
from bakeoff.preflight import check_experiment
from bakeoff.report.numbers import count, fixed, paragraph, percent, words
from bakeoff.report.prose import ABOUT, PLANS, of_target
from bakeoff.report.undeclared import notes_on, remark_on
from bakeoff.resources import profile_lines, read_usage
from bakeoff.scores import metrics_of
from bakeoff.scores.constant import constant_answer
from bakeoff.spec import Experiment, Fit, PlannedTest, read_experiment
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.load import report_problems
from bakeoff.spec.tests import RECOMMENDED
from bakeoff.stats import catalogue
from bakeoff.usercode import make_importable

POWER = 0.8
_MOST_CONSTANTS = 5
_SUPPOSED, _MANY = 10, 100
"""Seconds of a fit while none is known, and from how many fits on a job for each is a burden."""
_UNITS = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))
DISAGREEMENTS = (0.05, 0.1, 0.2)
"""Shares of rows on which two models disagree: what they will be is not known before the run."""
FEW, ENOUGH = 5, 20
"""Below these many rows of its rarest class most metrics have no answer, or a rough one."""


def check(args: argparse.Namespace) -> None:
    """Check one experiment, and say what it will do."""
    experiment = read_experiment(args.file)
    make_importable([Path(args.file).parent, "."])
    problems, planned = check_experiment(experiment)
    if problems:
        raise report_problems(problems, args.file)
    tests = planned.with_posthoc
    tables = {
        name: load(name, experiment) for name in experiment.datasets if _is_here(experiment, name)
    }
    say("", bold(f"{args.file}: ready to run"), "")
    _show_data(experiment, tables)
    _show_oddities(experiment, tables)
    show_columns(tables)
    show_undeclared(experiment, tables)
    _show_plans(experiment, tables)
    _show_fits(experiment)
    _show_tests(experiment, tests)
    _show_unreachable(experiment, tests, tables)
    _show_detectable(experiment, tests, tables)
    _show_subgroups(experiment, tables)
    _show_resources(experiment)
    say(paragraph(f"To run it: bakeoff run {args.file}"), "")


def _is_here(experiment: Experiment, dataset: str) -> bool:
    spec = experiment.datasets[dataset]
    return isinstance(spec, GivenData) or spec.at_hand()


def _show_data(experiment: Experiment, tables: dict[str, Table]) -> None:
    rows = []
    for name in experiment.datasets:
        if name not in tables:
            rows.append((name, "", "", "looked at when the run loads it"))
            continue
        data = tables[name]
        known = of_target(data.card, experiment.datasets[name].unit)
        size = f"{len(data.frame):,}" if known else ""
        features = data.features.shape[1]
        rows.append((name, size, f"{features:,}" if features else "", known or "scores alone"))
    say(*table(("data set", "rows", "features", "target"), rows, "lrrl"), "")
    for name, data in list(tables.items())[:_MOST_CONSTANTS]:
        if text := told_constant(experiment, name, data.card.get("classes", {})):
            say(paragraph(text))
    say("")


def _show_oddities(experiment: Experiment, tables: dict[str, Table]) -> None:
    """Note given labels that contradict given probabilities, and numbers of another size."""
    plan = experiment.resampling.holdout
    if plan is None or not experiment.given or not experiment.on_rows("holdout"):
        return
    for dataset, data in tables.items():
        ((_, _, split),) = divisions(divide(dataset, experiment, data, "holdout"), plan)
        for model in experiment.given:
            found = predictions_of(Fit(dataset, model, "holdout", 1, 1), experiment, data, split)
            if said := found.oddity(model, data.answers[split.test]):
                say(paragraph(f"Note: {said}"), "")


def _show_plans(experiment: Experiment, tables: dict[str, Table]) -> None:
    rows: list[tuple[str, ...]] = []
    given_by = experiment.resampling.given_by
    by = {plan: f" by {words(list(map(repr, columns)))}" for plan, columns in given_by.items()}
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
            kind = PLANS[name] + by.get(name, "")
            rows.append((dataset, name, kind, str(len(splits)), *texts, _worth(data, splits)))
    if rows:
        head = ("data set", "plan", "", "divisions", "training rows", "test rows", "test groups")
        kept = 7 if any(row[6] for row in rows) else 6
        say(*table(head[:kept], [row[:kept] for row in rows], "lllrrrr"[:kept]), "")


def _worth(data: Table, splits: list[tuple[int, int, Split]]) -> str:
    """Write the groups of a test part, and how many of one size the most uneven are worth."""
    if GROUP not in data.frame:
        return ""
    sizes = [data.frame[GROUP].iloc[s.test].value_counts().to_numpy() for *_, s in splits]
    least = min(sizes, key=effective_groups)
    return f"{len(least):,} (worth {effective_groups(least):.1f})"


def _show_fits(experiment: Experiment) -> None:
    fits = sum(1 for _ in experiment.fits())
    given = [f"{name}" for name in experiment.given]
    parts = [count(len(experiment.fitted), "model")] if experiment.fitted else []
    parts += [count(len(experiment.datasets), "data set")]
    text = f"{count(fits, 'fit')}: {' × '.join(parts)}, every plan." if fits else "No fits."
    if given:
        text += f" {words(given)} {'is' if len(given) == 1 else 'are'} given and not fitted."
    more = _told_of_fits(experiment, fits) if fits else ()
    say(paragraph(text), *map(paragraph, more), "")


def _told_of_fits(experiment: Experiment, fits: int) -> Iterator[str]:
    """Say how many fits a plan means, how long they take, and what helps if they are many."""
    plans = experiment.resampling.plans()
    sizes = {PLANS[name]: len(plan.splits()) for name, plan in plans.items()}
    told = words([f"{n:,} for {name}" for name, n in sizes.items()])
    seeds = " with each seed" if max(map(experiment.seeds, experiment.fitted)) > 1 else ""
    yield f"A model is fitted {sum(sizes.values()):,} times on a data set{seeds}: {told}."
    usage = read_usage(Paths.of(experiment.experiment).top("timings.csv"))
    seconds = {one.model: one.mean_seconds for one in usage}
    if seconds.keys() >= experiment.fitted.keys():
        by, total = "By the times of the last run", sum(seconds[f.model] for f in experiment.fits())
    else:
        by, total = f"At {_SUPPOSED} seconds a fit", float(_SUPPOSED * fits)
    yield f"{by} they take {_duration(total)} on one core."
    quick = all(one.seconds < 60 for one in usage)
    if fits >= _MANY and quick and experiment.execution.jobs_per in (None, "fold"):
        yield "If fits are quick, `execution: {jobs_per: model}` runs those of a model as one job."


def _duration(seconds: float) -> str:
    """Write a time in the unit that suits it."""
    size, unit = next((one for one in _UNITS if seconds >= 2 * one[0]), (1, "seconds"))
    return f"about {seconds / size:.2g} {unit}"


def _show_resources(experiment: Experiment) -> None:
    """Report the time and memory of the last run, as a guide for requests to a cluster."""
    usage = read_usage(Paths.of(experiment.experiment).top("timings.csv"))
    if not usage:
        return
    rows = [
        (u.model, f"{u.seconds:,.1f}", f"{u.peak_mb:,.0f}", f"{u.mem_mb:,}", f"{u.runtime:,}")
        for u in usage
    ]
    head = ("model", "longest fit, s", "peak MiB", "ask for MB", "minutes a model")
    say(bold("Resources, by the last run"), *table(head, rows, "lrrrr"), "")
    say(
        dim("  For profiles/slurm/config.v8+.yaml:"),
        *(f"    {x}" for x in profile_lines(usage)),
        "",
    )


def _show_tests(experiment: Experiment, tests: Sequence[PlannedTest]) -> None:
    entries = catalogue()
    rows = []
    for test in tests:
        entry = entries[test.name]
        pairs = pairs_of(list(experiment.models), test.versus) if compares_pairs(entry) else [()]
        correction = (test.correction or "none") if len(pairs) != 1 else ""
        about = ABOUT[entry.about]
        rows.append(
            (
                *(test.name, test.plan, about, str(len(pairs)), correction),
                *(percent(test.alpha), _brief(test)),
            )
        )
    head = ("test", "plan", "answers for", "hypotheses", "correction", "level", "metrics")
    say(bold("Tests"), *table(head, rows, "lllrlr", [("answers for",), ("correction",)]), "")
    if RECOMMENDED in experiment.tests.run:
        for test in tests:
            say(paragraph(f"{test.name}: {test.why}.", "  "))
        say("")
    for note in notes(experiment):
        say(paragraph(f"Note: {note}"), "")
    for test in tests:
        texts: dict[str, list[str]] = {}
        for metric in test.metrics:
            for text in cautions(test, experiment, metric=metric).of(experiment.models):
                texts.setdefault(text, []).append(metric)
        for text, metrics in texts.items():
            by = f"by {words(metrics)}, " if len(metrics) < len(test.metrics) else ""
            say(paragraph(f"Caution: {by}{text}"), "")


def _show_unreachable(
    experiment: Experiment, tests: Sequence[PlannedTest], tables: dict[str, Table]
) -> None:
    """Note tests whose smallest p-value, on so few rows or groups, is above their level."""
    for test in tests:
        for where, size in _sizes(experiment, test, tables):
            smallest = smallest_pvalue(test, experiment, size)
            if smallest > test.alpha:
                why = (
                    f"its smallest p is {smallest:.2g}, above {test.alpha:g}"
                    if smallest < 1
                    else "it stays undecided"
                )
                text = f"Note: {test.name} cannot find a difference {where}: {why}."
                helping = remedies(test, experiment, size) if size else ""
                text += f" What would change that: {helping}." if helping else ""
                say(paragraph(text), "")


def _sizes(
    experiment: Experiment, test: PlannedTest, tables: dict[str, Table]
) -> Iterator[tuple[str, RowCounts | None]]:
    """Name a test's evidence, with the number of test rows if it uses rows."""
    if test.on_datasets:
        yield f"over {count(len(experiment.datasets), 'data set')}", None
    elif test.on_rows and test.plan == "holdout" and not experiment.by_scores(test.plan):
        for dataset, data in tables.items():
            rows = _tested(experiment, test, dataset, data)
            groups, times = (
                int(rows[column].nunique()) if column in rows else None for column in (GROUP, TIME)
            )
            of = f" ({count(groups, 'group')})" if groups else ""
            where = f"on the {count(len(rows), 'test row')}{of} of {dataset}"
            yield where, RowCounts(len(rows), groups, times)


def _brief(test: PlannedTest) -> str:
    more = f" and {len(test.metrics) - 2} more" if len(test.metrics) > 3 else ""
    return ", ".join(test.metrics[:2] if more else test.metrics) + more


def _show_detectable(
    experiment: Experiment, tests: Sequence[PlannedTest], tables: dict[str, Table]
) -> None:
    lines = [line for test in tests for line in _detectable(experiment, test, tables)]
    if not lines:
        return
    head = ("test", "data set", *(f"{percent(d)} disagree" for d in DISAGREEMENTS))
    say(
        bold(
            "Smallest difference in accuracy, in percentage points, found with a probability of "
            f"{percent(POWER)}"
        ),
        *table(head, lines, "llrrr"),
        dim(
            paragraph(
                "It depends on how often two models disagree about a row, which the run will show; "
                "the report gives the figure for the noise that was found.",
                "  ",
            )
        ),
        "",
    )


def _detectable(
    experiment: Experiment, test: PlannedTest, tables: dict[str, Table]
) -> Iterator[tuple[str, ...]]:
    """Report the smallest detectable difference on each data set, where it can be planned."""
    entry = catalogue()[test.name]
    related = test.related and entry.evidence.on_rows
    numbers = experiment.task.numbers  # of which no share is right
    if entry.planning is None or related or numbers or experiment.by_scores(test.plan):
        return
    alpha = level_of_each(test, list(experiment.models))
    for dataset, data in tables.items():
        n = len(_tested(experiment, test, dataset, data) if test.on_rows else data.frame)
        plans = (
            entry.planning(discordance=disagreement).solve(
                n=n, power=POWER, alpha=alpha, alternative=test.alternative
            )
            for disagreement in DISAGREEMENTS
        )
        sizes = (abs(plan.difference) for plan in plans)
        found = (f"{100 * size:.1f}" if math.isfinite(size) else "none" for size in sizes)
        yield (entry.name, dataset, *found)


def _tested(experiment: Experiment, test: PlannedTest, dataset: str, data: Table) -> pd.DataFrame:
    """Return the test rows of a holdout."""
    splits = divide(dataset, experiment, data, test.plan)
    ((_, _, split),) = divisions(splits, experiment.resampling.plans()[test.plan])
    return data.frame.iloc[split.test]


def _show_subgroups(experiment: Experiment, tables: dict[str, Table]) -> None:
    """Say how many test rows each subgroup has, and of its rarest class."""
    lines = [
        line for name, data in tables.items() for line in _subgroup_lines(experiment, name, data)
    ]
    if not lines:
        return
    head: tuple[str, ...] = ("data set", "by", "subgroup", "test rows", "of the rarest class", "")
    wanted = (
        f"Most metrics want {ENOUGH} rows of each class in a subgroup and have no answer below "
        f"{FEW}."
    )
    if experiment.task.numbers:
        head, lines = (*head[:4], head[-1]), [(*line[:4], line[-1]) for line in lines]
        wanted = f"Intervals are rough below {ENOUGH} rows in a subgroup."
    say(
        bold("Subgroups: the models are compared in each, and whether their difference differs"),
        *table(head, lines, "lllrrl"[: len(head)]),
        dim(paragraph(wanted, "  ")),
        "",
    )


def _subgroup_lines(experiment: Experiment, dataset: str, data: Table) -> Iterator[tuple[str, ...]]:
    plan = experiment.resampling.plans().get("holdout")
    columns = [name for name in data.carried if str(name).startswith(SUBGROUP)]
    if plan is None or not columns:
        return
    ((_, _, split),) = divisions(divide(dataset, experiment, data, "holdout"), plan)
    tested = data.carried.iloc[split.test]
    strata = data.codes[split.test]
    for column in columns:
        for subgroup in tested[column].cat.remove_unused_categories().cat.categories:
            rows = (tested[column] == subgroup).to_numpy()
            least = n = int(rows.sum())
            if data.classes:
                least = int(np.bincount(strata[rows], minlength=len(data.classes)).min())
            remark = "too few" if least < FEW else "few" if least < ENOUGH else ""
            name = str(column).removeprefix(SUBGROUP)
            rarest = f"{least:,}" if data.classes else ""
            yield dataset, name, str(subgroup), f"{n:,}", rarest, remark


_MOST_COLUMNS = 40


def show_undeclared(experiment: Experiment, tables: dict[str, Table]) -> None:
    """Note undeclared dependence between rows, and columns that determine the class."""
    for name, data in tables.items():
        given = isinstance(experiment.datasets[name], GivenData)
        for note in notes_on(data.card, () if given else _quality(experiment, name, data)):
            say(paragraph(f"Note: {note.sentence}"), "")
        if not given:
            show_telling(name, data)


def show_columns(tables: Mapping[str, Table]) -> None:
    """Print how each column of the tables was read."""
    rows = [
        (*([name] if len(tables) > 1 else []), column, *_read_as(known))
        for name, data in tables.items()
        for column, known in data.card["features"].items()
    ]
    if not rows:
        return
    head = [*(["data set"] if len(tables) > 1 else []), "column", "read as", "different", "missing"]
    # those with a remark are told of all
    kept = [row for i, row in enumerate(rows) if i < _MOST_COLUMNS or row[-1]]
    sides = "l" * (len(head) - 2) + "rrl"
    say(*table((*head, ""), kept, sides))
    if more := len(rows) - len(kept):
        say(dim(f"… and {count(more, 'more column')}; the report lists all."))
    say("")


def _read_as(known: Mapping[str, Any]) -> tuple[str, ...]:
    missing = f"{known['missing']:,}" if known["missing"] else ""
    return known["kind"], f"{known['distinct']:,}", missing, remark_on(known)


def show_telling(dataset: str, data: Table) -> None:
    """Note columns that determine the class."""
    found = list(telling_columns(data.features, data.frame[TARGET]))
    if not found:
        return
    told = [f"{one.column!r} ({percent(round(one.share, 3))} of the rows)" for one in found]
    verb = "tells" if len(found) == 1 else "tell"
    alone = "alone" if len(found) == 1 else "each alone"
    say(
        paragraph(
            f"Note: in {dataset} {words(told)} {alone} {verb} the class; models will look nearly "
            "perfect. If the value is known only once the answer is, this is leakage: put the "
            "column under `drop:`."
        ),
        "",
    )


def told_constant(experiment: Experiment, dataset: str, counts: Mapping[str, int]) -> str:
    """Say what a constant answer would score on all rows of a data set."""
    costs, rows = experiment.costs_on(dataset), list(counts.values())
    metrics = metrics_of(experiment, [*counts][-1] if len(counts) == 2 else "")
    told = []
    # of rows that are marked right or wrong nothing is to be predicted
    for name in experiment.metrics if sum(rows) and not experiment.with_values else ():
        found = constant_answer(metrics[name], list(counts), rows, rows, costs)
        if found is not None and math.isfinite(found.score):
            told.append(f"{metrics[name].title} {fixed(found.score, 3)}")
    if not told:
        return ""
    return (
        f"On {dataset} the best constant prediction, one class or the shares of the classes as "
        f"probabilities for every row, scores: {', '.join(told)}. A model has to beat that; a "
        "perfect or nearly perfect score is a reason to look for leakage."
    )


def _quality(experiment: Experiment, dataset: str, data: Table) -> Iterator[dict[str, Any]]:
    for name, plan in experiment.resampling.plans().items():
        if not experiment.by_scores(name):
            yield split_quality(dataset, data, name, plan, divide(dataset, experiment, data, name))

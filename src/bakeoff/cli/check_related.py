"""Dependent rows before a run: design effects to expect and the difference they can show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.comparisons.corrections import level_of_each
from bakeoff.data import Table
from bakeoff.data.given_predictions import divide
from bakeoff.data.quality import split_quality
from bakeoff.data.split_files import divisions
from bakeoff.data.table import GROUP, TARGET
from bakeoff.data.telling_columns import telling_columns
from bakeoff.files import read_json
from bakeoff.paths import Paths
from bakeoff.report.numbers import percent, score, words
from bakeoff.report.undeclared import notes_on
from bakeoff.report.wrapping import paragraph
from bakeoff.scores import metrics_of
from bakeoff.scores.constant import constant_answer
from bakeoff.spec import Experiment, PlannedTest
from bakeoff.spec.datasets import GivenData
from bakeoff.stats import GroupsPower, catalogue, expected_design_effect

POWER = 0.8
ICCS = (0.0, 0.1, 0.3)
"""Intraclass correlations to plan for: what it will be is not known before the run."""
DISAGREEMENT = 0.1


METRIC = "accuracy"
"""What differences in the table are in."""


def show_undeclared(experiment: Experiment, tables: dict[str, Table]) -> None:
    """Note undeclared dependence between rows, and columns that determine the class."""
    for name, data in tables.items():
        given = isinstance(experiment.datasets[name], GivenData)
        for note in notes_on(data.card, () if given else _quality(experiment, name, data)):
            say(paragraph(f"Note: {note.sentence}"), "")
        if not given:
            show_telling(name, data)


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
    costs, rows, metrics = (
        experiment.costs_on(dataset),
        list(counts.values()),
        metrics_of(experiment),
    )
    told = []
    # of rows that are marked right or wrong nothing is to be predicted
    for name in experiment.metrics if sum(rows) and not experiment.with_values else ():
        found = constant_answer(metrics[name], list(counts), rows, rows, costs)
        if found is not None and math.isfinite(found.score):
            told.append(f"{metrics[name].title} {score(found.score)}")
    if not told:
        return ""
    return (
        f"On {dataset} a constant answer, the most frequent class with the shares of the classes "
        f"as probabilities, scores: {', '.join(told)}. A model has to beat that; one that is "
        "perfect or nearly so is a reason to look for leakage."
    )


def _quality(experiment: Experiment, dataset: str, data: Table) -> Iterator[dict[str, Any]]:
    for name, plan in experiment.resampling.plans().items():
        if not experiment.by_scores(name):
            yield split_quality(dataset, data, name, plan, divide(dataset, experiment, data, name))


def show_related(
    experiment: Experiment, tests: Sequence[PlannedTest], tables: dict[str, Table]
) -> None:
    """Report the detectable difference and the effective sample size of each grouped test set."""
    lines = list(_lines(experiment, tests, tables))
    if not lines:
        return
    head = ("data set", "test rows", "groups", *(f"icc {icc:g}" for icc in ICCS), "last run")
    say(
        bold(
            "Rows in groups: smallest difference in accuracy, in percentage points, found with a "
            f"probability of {percent(POWER)}"
        ),
        *table(head, lines, "lrrrrrr"),
        dim(
            paragraph(
                f"Where two models disagree on {percent(DISAGREEMENT)} of the rows; icc is the "
                "intraclass correlation of their difference in a group, in brackets the "
                "independent rows that the test rows are then worth; the last run's design effect "
                "is the largest of its pairs.",
                "  ",
            )
        ),
        "",
    )


def _lines(
    experiment: Experiment, tests: Sequence[PlannedTest], tables: dict[str, Table]
) -> Iterator[tuple[str, ...]]:
    counting = [
        test
        for test in tests
        if test.related
        and catalogue()[test.name].uses_only_counts
        and not experiment.by_scores(test.plan)
    ]
    for test in counting[:1]:
        alpha = level_of_each(test, list(experiment.models))
        for dataset, data in tables.items():
            if GROUP not in data.frame:
                continue
            splits = divide(dataset, experiment, data, test.plan)
            ((_, _, split),) = divisions(splits, experiment.resampling.plans()[test.plan])
            sizes = data.frame[GROUP].iloc[split.test].value_counts().to_numpy()
            weighted = float(np.square(sizes).sum() / sizes.sum())
            effects = [expected_design_effect(rows_per_group=weighted, icc=icc) for icc in ICCS]
            last = _last_effect(experiment, dataset)
            planned = (_planned(sizes, effect, alpha) for effect in effects)
            yield (
                dataset,
                f"{sizes.sum():,}",
                f"{len(sizes):,}",
                *planned,
                "" if last is None else _planned(sizes, last, alpha),
            )


def _planned(sizes: np.ndarray, effect: float, alpha: float) -> str:
    test = GroupsPower(
        rows_per_group=float(sizes.mean()), discordance=DISAGREEMENT, design_effect=effect
    )
    plan = test.solve(n=len(sizes), power=POWER, alpha=alpha)
    size = f"{100 * plan.difference:.1f}" if math.isfinite(plan.difference) else "none"
    return f"{size} ({sizes.sum() / effect:,.0f})"


def _last_effect(experiment: Experiment, dataset: str) -> float | None:
    """Return the largest design effect on accuracy that the last run found between two models."""
    path = Path(Paths.of(experiment.experiment).top("comparisons.json"))
    if not path.exists():
        return None
    found = []
    for row in read_json(path):
        fields = {**row["result"].get("details", {}), **row["result"]}
        effect = fields.get("design_effect")
        of_pair = row["role"] == "pair" and row["metric"] == METRIC
        if row["dataset"] == dataset and of_pair and isinstance(effect, (int, float)):
            found.append(float(effect))
    return max(found, default=None)

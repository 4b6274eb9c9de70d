"""What is known before a run of rows that belong together, and what they can then show."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.comparisons.corrections import pairs_of
from bakeoff.comparisons.setup import setup_of
from bakeoff.data import Table
from bakeoff.data.pairing import divide
from bakeoff.data.quality import split_quality
from bakeoff.data.splits import divisions
from bakeoff.data.table import GROUP
from bakeoff.files import read_json
from bakeoff.paths import Paths
from bakeoff.report.numbers import percent
from bakeoff.report.undeclared import of_card, of_divisions
from bakeoff.report.wrapping import paragraph
from bakeoff.spec import ChosenTest, Experiment
from bakeoff.spec.datasets import GivenData
from bakeoff.stats import catalogue, clustered_detectable_difference, expected_design_effect

POWER = 0.8
ICCS = (0.0, 0.1, 0.3)
"""Intraclass correlations to plan for: what it will be is not known before the run."""
DISAGREEMENT = 0.1


METRIC = "accuracy"
"""What differences in the table are in."""


def show_undeclared(experiment: Experiment, tables: dict[str, Table]) -> None:
    """Note what looks like dependence that nobody declared."""
    for name, data in tables.items():
        if not isinstance(experiment.datasets[name], GivenData):
            for note in (
                *of_card(data.card),
                *of_divisions(data.card, _quality(experiment, name, data)),
            ):
                say(paragraph(f"Note: {note.sentence}"), "")


def _quality(experiment: Experiment, dataset: str, data: Table) -> Iterator[dict[str, Any]]:
    for name, plan in experiment.resampling.plans().items():
        if not experiment.by_scores(name):
            yield split_quality(dataset, data, name, plan, divide(dataset, experiment, data, name))


def show_related(
    experiment: Experiment, chosen: list[ChosenTest], tables: dict[str, Table]
) -> None:
    """Say how large a difference each test set in groups can show, and what its rows are worth."""
    lines = list(_lines(experiment, chosen, tables))
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
    experiment: Experiment, chosen: list[ChosenTest], tables: dict[str, Table]
) -> Iterator[tuple[str, ...]]:
    tests = [
        test
        for test in chosen
        if test.name == "clustered_mcnemar" and not experiment.by_scores(test.plan)
    ]
    for test in tests[:1]:
        how = setup_of(catalogue()[test.name], experiment.tests)
        pairs = len(pairs_of(list(experiment.models), how.versus))
        alpha = how.alpha / (1 if how.correction in ("none", "BH", "BY") else pairs)
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
    plan = clustered_detectable_difference(
        n_groups=len(sizes),
        rows_per_group=float(sizes.mean()),
        discordance=DISAGREEMENT,
        design_effect=effect,
        power=POWER,
        alpha=alpha,
    )
    size = f"{100 * plan.difference:.1f}" if math.isfinite(plan.difference) else "none"
    return f"{size} ({sizes.sum() / effect:,.0f})"


def _last_effect(experiment: Experiment, dataset: str) -> float | None:
    """Return the largest design effect on accuracy that the last run found between two models."""
    path = Path(Paths.of(experiment.experiment).top("comparisons.json"))
    if not path.exists():
        return None
    found = []
    for row in read_json(path):
        known = {**row["result"].get("details", {}), **row["result"]}
        effect = known.get("design_effect")
        of_pair = row["role"] == "pair" and row["metric"] == METRIC
        if row["dataset"] == dataset and of_pair and isinstance(effect, (int, float)):
            found.append(float(effect))
    return max(found, default=None)

"""Before a run: undeclared dependence between rows, and columns that tell the class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from bakeoff.cli.terminal import dim, say, table
from bakeoff.data import Table
from bakeoff.data.describe import telling_columns
from bakeoff.data.given_predictions import divide
from bakeoff.data.splits import split_quality
from bakeoff.data.table import TARGET
from bakeoff.report.numbers import count, paragraph, percent, score, words
from bakeoff.report.undeclared import notes_on, remark_on
from bakeoff.scores import metrics_of
from bakeoff.scores.constant import constant_answer
from bakeoff.spec import Experiment
from bakeoff.spec.datasets import GivenData

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
            told.append(f"{metrics[name].title} {score(found.score)}")
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

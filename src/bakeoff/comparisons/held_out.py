"""The predictions on held-out rows, metric by metric."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bakeoff.comparisons.evidence import (
    CrossedRuns,
    PairedValues,
    RowEvidence,
    engine_metric,
    read_predictions,
    read_values,
)
from bakeoff.comparisons.settings import cost_options
from bakeoff.errors import UserError
from bakeoff.scores import metrics_of
from bakeoff.spec import Costs, Experiment
from bakeoff.spec.related import declared
from bakeoff.stats import catalogue, looks_at


def held_out(
    experiment: Experiment,
    dataset: str,
    path: str | Path,
    metrics: Sequence[str],
) -> Iterator[RowEvidence]:
    """Read the predictions or numbers on one test set once, and return them metric by metric."""
    models = list(experiment.models)
    wanted = {looks_at(engine_metric(metric)) for metric in metrics}
    rows: RowEvidence = (
        read_values(path, models)
        if experiment.by_values
        else read_predictions(
            path,
            models,
            scores="ranking" in wanted,
            probabilities="probabilities" in wanted,
        )
    )
    check_related(experiment, dataset, rows, path)
    yield from by_metric(rows, experiment, metrics)


def by_metric(
    rows: RowEvidence, experiment: Experiment, metrics: Sequence[str]
) -> Iterator[RowEvidence]:
    """Return rows metric by metric; numbers per row have the one that describes them."""
    if isinstance(rows, PairedValues):
        metric = metrics_of(experiment)[experiment.metrics[0]]
        better, limits = metric.greater_is_better, metric.range
        yield dataclasses.replace(rows, metric=metric.name, greater_is_better=better, range=limits)
    else:
        yield from (dataclasses.replace(rows, metric=metric) for metric in metrics)


def difference_options(rows: RowEvidence | CrossedRuns, costs: Costs | None) -> dict[str, Any]:
    """Return the arguments of the test `rows.difference` and its kin that no user sets."""
    entry = catalogue()[rows.difference]
    managed = {**rows.managed(entry), **cost_options(costs, rows.metric)}
    return {key: value for key, value in managed.items() if key in entry.options}


def check_related(
    experiment: Experiment, dataset: str, rows: RowEvidence, path: str | Path
) -> None:
    """Stop where a data set has groups or times and its predictions have none."""
    # A test for groups takes rows without groups for independent: its p-value would be wrong.
    kin = declared(experiment, dataset)
    if kin is not None and rows.n and not rows.related:
        raise UserError(
            f"{path} does not say which rows of {dataset} belong together, though the data set "
            f"has the {kin.kind} column {kin.column!r}: delete this file and run again"
        )

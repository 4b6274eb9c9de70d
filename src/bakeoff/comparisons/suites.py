"""Rows of several fixed tasks: the means over the tasks that models are compared by."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bakeoff.comparisons.evidence import PairedPredictions, by_metric, difference_options
from bakeoff.comparisons.settings import has_test
from bakeoff.spec import Costs, Experiment
from bakeoff.spec.related import task_column
from bakeoff.stats import (
    Result,
    Suite,
    catalogue,
    suite_ci,
    suite_mean_ci,
    suite_of_metric,
    suite_of_values,
)


def suite_of(rows: PairedPredictions, costs: Costs | None) -> Suite:
    """Return the values of all models in each task, by the metric of the rows."""
    entry = catalogue()[rows.difference]
    options = difference_options(rows, costs)
    evidence = rows.matrix(entry)
    if rows.by_values:
        return suite_of_values(*evidence, greater_is_better=rows.greater_is_better, **options)
    truth, predicted = evidence
    columns = predicted
    if not isinstance(predicted, list):
        columns = list(np.moveaxis(np.asarray(predicted), 1, 0))
    return suite_of_metric(truth, columns, **options)


def alone_over_tasks(
    rows: PairedPredictions, model: int, costs: Costs | None, level: float
) -> Result:
    """Return the mean over tasks of one model with its interval."""
    entry = catalogue()[rows.difference]
    options = difference_options(rows, costs) | {"confidence_level": level}
    interval: Any = suite_mean_ci if rows.by_values else suite_ci
    result: Result = interval(*rows.arguments(entry, [model]), **options)
    return result


def means_over_tasks(
    rows: PairedPredictions, experiment: Experiment, costs: Costs | None
) -> dict[tuple[str, str], float]:
    """Return the mean over tasks of each run of a model and each metric that has one."""
    if task_column(experiment) is None:
        return {}
    means = {}
    metrics = [metric for metric in experiment.metrics if rows.by_values or has_test(metric)]
    for part in by_metric(rows, experiment, metrics):
        known = [m for m in range(len(part.models)) if not part.missing([m])]
        if part.tasks is None or not known:
            continue
        suite = suite_of(part.only(known), costs)
        values = suite.strata.weights @ suite.by_task
        for place, m in enumerate(known):
            means[part.models[m], part.metric] = float(values[place])
    return means


@dataclasses.dataclass(frozen=True)
class TaskScores:
    """The scores of all models in each task, by one metric."""

    metric: str
    suite: Suite
    models: tuple[str, ...]


def task_scores(
    rows: Mapping[str, PairedPredictions], experiment: Experiment, metrics: Sequence[str]
) -> Iterator[tuple[str, TaskScores]]:
    """Yield the data set and the scores of each of its tasks, where its rows are of several."""
    if task_column(experiment) is None or experiment.several_runs:
        return
    for dataset, given in rows.items():
        costs = experiment.costs_on(dataset)
        for part in by_metric(given, experiment, metrics):
            if part.tasks is not None and not part.missing(range(len(part.models))):
                yield dataset, TaskScores(part.metric, suite_of(part, costs), part.models)

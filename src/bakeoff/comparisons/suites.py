"""Rows of several fixed tasks: the means over the tasks that models are compared by."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from bakeoff.comparisons.analysis import Analysis
from bakeoff.comparisons.evidence import PairedPredictions, by_metric, difference_options
from bakeoff.comparisons.settings import has_test
from bakeoff.errors import Problem
from bakeoff.spec import Costs
from bakeoff.stats import Suite, catalogue, suite_of_metric, suite_of_values


def suite_of(rows: PairedPredictions, costs: Costs | None) -> Suite:
    """Return the values of all models in each task, by the metric of the rows."""
    options = difference_options(rows, costs)
    evidence = rows.matrix(catalogue()[rows.difference])
    if rows.by_values:
        return suite_of_values(*evidence, greater_is_better=rows.greater_is_better, **options)
    truth, predicted = evidence
    columns = predicted
    if not isinstance(predicted, list):
        columns = list(np.moveaxis(np.asarray(predicted), 1, 0))
    return suite_of_metric(truth, columns, **options)


def means_over_tasks(
    rows: PairedPredictions, analysis: Analysis, costs: Costs | None, *, defined: bool = False
) -> dict[tuple[str, str], float]:
    """Return the mean over tasks of each run of a model and each metric that has one.

    Where it has to be `defined`, a task without a value of the metric is refused.
    """
    if rows.tasks is None:
        return {}
    means = {}
    metrics = analysis.metrics
    if not rows.by_values:
        metrics = tuple(filter(has_test, metrics))
    for part in by_metric(rows, analysis, metrics):
        complete = [model for model in range(len(part.models)) if not part.missing([model])]
        if not complete:
            continue
        # the mean over tasks: Σ w_t · score_t, where the weights of the tasks sum up to 1
        suite = suite_of(part.only(complete), costs)
        undefined = next(filter(None, suite.reasons), "")
        if defined and undefined:
            raise Problem(("tasks",), f"{part.metric} has no value: {undefined}; leave it out")
        values = (suite.strata.weights @ suite.by_task).tolist()
        for model, value in zip(complete, values, strict=True):
            means[part.models[model], part.metric] = value
    return means


@dataclasses.dataclass(frozen=True)
class TaskScores:
    """The scores of all models in each task, by one metric."""

    metric: str
    suite: Suite
    models: tuple[str, ...]


def task_scores(
    inputs: Mapping[str, PairedPredictions], analysis: Analysis, metrics: Sequence[str]
) -> Iterator[tuple[str, TaskScores]]:
    """Yield the data set and the scores of each of its tasks, where its rows are of several."""
    if analysis.several_runs:
        return
    for dataset, rows in inputs.items():
        costs = analysis.datasets[dataset].costs
        for part in by_metric(rows.of_tasks(analysis), analysis, metrics):
            if part.tasks is not None and not part.missing(range(len(part.models))):
                yield dataset, TaskScores(part.metric, suite_of(part, costs), part.models)


def with_means_over_tasks(
    scores: pd.DataFrame, inputs: Mapping[str, PairedPredictions], analysis: Analysis
) -> pd.DataFrame:
    """Put means over tasks in the place of the scores over all held-out rows."""
    if analysis.tasks is None:
        return scores
    means: dict[tuple[str, str, str], float] = {}
    for dataset, rows in inputs.items():
        costs = analysis.datasets[dataset].costs
        of_dataset = means_over_tasks(rows.of_tasks(analysis), analysis, costs)
        for (model, metric), value in of_dataset.items():
            means[dataset, model, metric] = value
    cells = zip(scores["dataset"], scores["model"], scores["metric"], scores["value"], strict=True)
    values = []
    for dataset, model, metric, value in cells:
        values.append(means.get((dataset, model, metric), value))
    return scores.assign(value=np.array(values, dtype=float))

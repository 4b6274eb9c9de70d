"""Everything that can be known to fail before the first fit: names, estimators, data, plans."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache, partial
from typing import Any

from bakeoff.comparisons import check_classes, plan_tests
from bakeoff.data import Table
from bakeoff.data.describe import Rows
from bakeoff.data.given_predictions import divide, load, load_given
from bakeoff.data.splits import (
    check_divisible,
    check_plan,
    check_small_folds,
    divisions,
    largest_k,
)
from bakeoff.data.table import GROUP, TIME
from bakeoff.errors import Problem
from bakeoff.fit.check_models import (
    check_inner_divisions,
    check_model,
    check_model_on,
    check_neighbours,
    check_validation,
)
from bakeoff.preflight.given_models import problems_with_evidence, problems_with_predictions
from bakeoff.preflight.metrics import (
    problems_when_tried,
    problems_with_importance,
    problems_with_metrics,
    problems_with_metrics_on,
    problems_with_own,
)
from bakeoff.scores import METRICS, Metric, Need
from bakeoff.scores.given_results import given_scores
from bakeoff.scores.metrics.own import enter_own
from bakeoff.sources import DataSet
from bakeoff.spec import AnalysisPlan, Experiment
from bakeoff.spec.datasets import GivenData
from bakeoff.spec.given_problems import problems_with_given
from bakeoff.spec.resampling import KFold
from bakeoff.spec.task_problems import problems_with_task


def check_experiment(experiment: Experiment) -> tuple[list[Problem], AnalysisPlan]:
    """Check an experiment as far as its environment and local data allow."""
    problems = [*problems_with_task(experiment), *problems_with_given(experiment)]
    if problems:  # no use in looking further
        return problems, AnalysisPlan()
    problems = list(problems_with_own(experiment))
    if problems:
        return problems, AnalysisPlan()
    enter_own(experiment.own_metrics)
    classifiers: dict[str, Any] = {}
    problems = [*_models(experiment, classifiers), *problems_with_metrics(experiment, classifiers)]
    problems += [
        *_one_validation_column(experiment),
        *_resources_of_batches(experiment),
        *problems_with_importance(experiment, classifiers),
    ]
    wrong_models = {problem.path[1] for problem in problems if problem.path[0] == "models"}
    problems += _datasets(experiment, wrong_models)
    wrong, tests = plan_tests(experiment)
    # a test cannot be tried by a metric that is wrong
    tried = any(problem.path[0] == "metrics" for problem in problems)
    problems += [p for p in wrong if not (tried and p.path[:2] == ("tests", "options"))]
    if not problems:
        problems += problems_with_evidence(experiment, tests)
    return problems, tests


def _models(experiment: Experiment, classifiers: dict[str, Any]) -> Iterator[Problem]:
    """Check each model; fill in the classifiers of those that can be made."""
    for name, model in experiment.fitted.items():
        try:
            classifiers[name] = check_model(name, model, experiment.without_costs, experiment.task)
        except Problem as problem:
            yield problem


def _one_validation_column(experiment: Experiment) -> Iterator[Problem]:
    """Refuse searches that go by different columns: a data set carries one."""
    rows = {name: m.validation for name, m in experiment.fitted.items() if m.validation}
    first = next(iter(rows), "")
    for name, own in rows.items():
        if own.column != rows[first].column:
            yield Problem(
                ("models", name, "tune", "validation", "column"),
                f"found {own.column!r}, {first} goes by {rows[first].column!r}: name one column "
                "for all models",
            )


def _resources_of_batches(experiment: Experiment) -> Iterator[Problem]:
    """Refuse texts that models of one batch do not share: a job has one partition."""
    if experiment.execution.jobs_per != "dataset":
        return
    first: dict[str, tuple[str, int | str]] = {}
    for model, own in experiment.fitted.items():
        for name, value in own.resources.items():
            other, known = first.setdefault(name, (model, value))
            if value != known and (isinstance(value, str) or isinstance(known, str)):
                yield Problem(
                    ("models", model, "resources", name),
                    f"found {value!r}, {other} has {known!r}, and with `jobs_per: dataset` they "
                    "are one job: write `jobs_per: model`",
                )


def check_table(
    experiment: Experiment, dataset: str, table: Table, wrong: Collection[str | int] = ()
) -> Iterator[Problem]:
    """Find the plans, metrics, predictions and models that the rows of a data set forbid."""
    enter_own(experiment.own_metrics)
    if not isinstance(experiment.datasets[dataset], GivenData):
        yield from _divisions(experiment, dataset, table)
        yield from _small_folds(experiment, dataset, table)
    yield from problems_with_metrics_on(experiment, dataset, table)
    yield from problems_when_tried(experiment, dataset, table)
    yield from check_classes(experiment, dataset, table.classes)
    if experiment.given:
        yield from problems_with_predictions(experiment, dataset, table)
    fitted = {key: model for key, model in experiment.fitted.items() if key not in wrong}
    trained = cache(partial(_training_parts, experiment, dataset, table))
    for key, model in fitted.items():
        yield from check_model_on(key, model, dataset, table)
        yield from check_neighbours(key, model, dataset, table, trained)
        yield from check_validation(key, model, dataset, table, trained)
        yield from check_inner_divisions(key, model, dataset, table, trained)


def _training_parts(experiment: Experiment, dataset: str, table: Table) -> list[Rows] | None:
    """List the rows of every training part; None if the rows cannot be divided."""
    parts: list[Rows] = []
    for name, plan in experiment.resampling.plans().items():
        try:
            splits = divide(dataset, experiment, table, name)
        except Problem:
            return None  # told with the divisions
        parts += [split.train for _, _, split in divisions(splits, plan)]
    return parts


def _datasets(experiment: Experiment, wrong: Collection[str | int]) -> Iterator[Problem]:
    for name, spec in experiment.datasets.items():
        if isinstance(spec, GivenData):
            yield from _given_data(experiment, name)
            continue
        problems = [*_plans(experiment, name, spec), *_source(name, spec)]
        yield from problems
        if problems or not spec.at_hand():
            continue  # what needs the network or the user's code is checked when it is loaded
        try:
            table = load(name, experiment)
        except Problem as problem:
            yield problem
            continue
        yield from check_table(experiment, name, table, wrong)


def _given_data(experiment: Experiment, dataset: str) -> Iterator[Problem]:
    try:
        table = load_given(dataset, experiment)
        for plan in filter(experiment.by_scores, experiment.resampling.plans()):
            given_scores(experiment, dataset, plan)
    except Problem as problem:
        yield problem
        return
    yield from check_table(experiment, dataset, table)


def _plans(experiment: Experiment, dataset: str, spec: DataSet) -> Iterator[Problem]:
    for name, plan in experiment.resampling.plans().items():
        try:
            check_plan(dataset, spec, name, plan)
        except Problem as problem:
            yield problem


def _source(dataset: str, spec: DataSet) -> Iterator[Problem]:
    try:
        spec.check()
    except Problem as problem:
        yield problem.inside(("datasets", dataset))


def _divisions(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    for name, plan in experiment.resampling.plans().items():
        try:
            check_divisible(dataset, table, name, plan, experiment.seed)
        except Problem as problem:
            yield problem


def _small_folds(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    """Refuse folds with too few rows for a metric: leave-one-out is for means over rows."""
    known = [METRICS[name] for name in experiment.metrics if name in METRICS]
    lacking = [metric.name for metric in known if not metric.mean_of_rows]

    def of_task(metric: Metric) -> bool:
        return (metric.needs is Need.NUMBERS) == experiment.task.numbers

    by_rows = {GROUP, TIME}.isdisjoint(table.frame)
    for name, plan in experiment.resampling.plans().items():
        if isinstance(plan, KFold) and plan.column is not None and lacking:
            try:
                check_small_folds(dataset, table, plan, lacking[0])
            except Problem as problem:
                yield problem
        elif isinstance(plan, KFold) and lacking and by_rows:
            most = largest_k(table, plan)
            if plan.folds > most:
                means = ", ".join(m.name for m in METRICS.values() if m.mean_of_rows and of_task(m))
                each = " of each class" if plan.stratify else ""
                yield Problem(
                    ("resampling", name, "folds"),
                    f"{lacking[0]} needs two rows{each} in every fold: {most} folds of "
                    f"{dataset} at most, found {plan.folds}; more, up to leave-one-out, are for "
                    f"{means}",
                )

"""Everything that can be known to fail before the first fit: names, estimators, data, plans."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.compare import choose_tests
from bakeoff.data import Table, load_table
from bakeoff.data.splits import check_enough_rows
from bakeoff.errors import Problem, unknown
from bakeoff.fit.check import check_model, check_model_on
from bakeoff.scores import METRICS
from bakeoff.spec import ChosenTest, Experiment
from bakeoff.spec.models import Model


def check_experiment(experiment: Experiment) -> tuple[list[Problem], list[ChosenTest]]:
    """Check an experiment as far as its environment and local data allow.

    Returns
    -------
    problems : list of Problem
        All that is wrong; empty when the experiment can run.
    tests : list of ChosenTest
        The tests and the plan that feeds each; empty when there are problems with them.
    """
    problems = [*_models(experiment), *_metrics(experiment)]
    problems += _datasets(experiment, {problem.path[1] for problem in problems})
    try:
        return problems, choose_tests(experiment)
    except Problem as problem:
        return [*problems, problem], []


def _models(experiment: Experiment) -> Iterator[Problem]:
    for name, model in experiment.models.items():
        if not isinstance(model, Model):
            continue
        try:
            check_model(name, model)
        except Problem as problem:
            yield problem


def _metrics(experiment: Experiment) -> Iterator[Problem]:
    for i, name in enumerate(experiment.metrics):
        if name not in METRICS:
            yield Problem(("metrics", i), unknown("metric", name, METRICS))


def _datasets(experiment: Experiment, wrong: set[str | int]) -> Iterator[Problem]:
    """Look at what the data forbid; models that are wrong by themselves are left out."""
    for name, spec in experiment.datasets.items():
        try:
            table = load_table(name, spec, experiment.seed)
        except Problem as problem:
            yield problem
            continue
        yield from _plans(experiment, name, table)
        yield from _metrics_on(experiment, name, table)
        for key, model in experiment.models.items():
            if key not in wrong and isinstance(model, Model):
                yield from check_model_on(key, model, name, table)


def _plans(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    for name, plan in experiment.resampling.plans().items():
        try:
            check_enough_rows(dataset, table, name, plan)
        except Problem as problem:
            yield problem


def _metrics_on(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    if len(table.classes) == 2:
        return
    for i, name in enumerate(experiment.metrics):
        if name in METRICS and METRICS[name].binary:
            yield Problem(
                ("metrics", i),
                f"{name} is for two classes, {dataset} has {len(table.classes)}; for more use "
                + {"roc_auc": "roc_auc_ovr or roc_auc_ovo", "f1": "f1_macro or f1_weighted"}.get(
                    name, "balanced_accuracy, f1_macro or mcc"
                ),
            )

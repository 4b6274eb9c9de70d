"""Everything that can be known to fail before the first fit: names, estimators, data, plans."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np

from bakeoff.comparisons import check_classes, plan_tests
from bakeoff.data import Table
from bakeoff.data.given_predictions import load, load_given
from bakeoff.data.splits import (
    check_divisible,
    check_plan,
    check_small_folds,
    largest_k,
)
from bakeoff.data.table import GROUP, TIME
from bakeoff.errors import Problem, UserError
from bakeoff.fit.check_models import (
    check_inner_divisions,
    check_model,
    check_model_on,
)
from bakeoff.fit.predictions import Predictions
from bakeoff.preflight.given_models import problems_with_evidence, problems_with_predictions
from bakeoff.scores import METRICS, Need, score
from bakeoff.scores.collect import taken
from bakeoff.scores.given_results import given_scores
from bakeoff.scores.metrics import no_metric, of_other_task
from bakeoff.scores.metrics.own import enter_own, imported
from bakeoff.spec import AnalysisPlan, Experiment
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.problems import problems_with_given, problems_with_task
from bakeoff.spec.resampling import KFold

_TRIED = 50
"""Rows that own metrics are tried on."""
_NEEDS = {
    Need.PROBABILITIES: "class probabilities",
    Need.RANKING: "class probabilities or decision values",
}
_METHODS = {
    Need.PROBABILITIES: ("predict_proba",),
    Need.RANKING: ("predict_proba", "decision_function"),
}


def check_experiment(experiment: Experiment) -> tuple[list[Problem], AnalysisPlan]:
    """Check an experiment as far as its environment and local data allow."""
    problems = [*problems_with_task(experiment), *problems_with_given(experiment)]
    problems = problems or list(_own_metrics(experiment))
    if problems:  # no use in looking further
        return problems, AnalysisPlan()
    enter_own(experiment.own_metrics)
    classifiers: dict[str, Any] = {}
    for name, model in experiment.fitted.items():
        try:
            classifiers[name] = check_model(name, model, experiment.without_costs, experiment.task)
        except Problem as problem:
            problems.append(problem)
    problems += _metrics(experiment, classifiers)
    wrong_models = {problem.path[1] for problem in problems if problem.path[0] == "models"}
    problems += _datasets(experiment, wrong_models)
    wrong, tests = plan_tests(experiment)
    # a test cannot be tried by a metric that is wrong
    tried = any(problem.path[0] == "metrics" for problem in problems)
    problems += [p for p in wrong if not (tried and p.path[:2] == ("tests", "options"))]
    if not problems:
        problems += problems_with_evidence(experiment, tests)
    return problems, tests


def check_table(
    experiment: Experiment, dataset: str, table: Table, wrong: Collection[str | int] = ()
) -> Iterator[Problem]:
    """Find the plans, metrics, predictions and models that the rows of a data set forbid."""
    enter_own(experiment.own_metrics)
    if not isinstance(experiment.datasets[dataset], GivenData):
        for name, plan in experiment.resampling.plans().items():
            yield from _problems_of(check_divisible, dataset, table, name, plan, experiment.seed)
        yield from _small_folds(experiment, dataset, table)
    yield from _for_two_classes(experiment, dataset, table)
    yield from _tried_metrics(experiment, dataset, table)
    yield from check_classes(experiment, dataset, table.classes)
    if experiment.given:
        yield from problems_with_predictions(experiment, dataset, table)
    fitted = {key: model for key, model in experiment.fitted.items() if key not in wrong}
    for key, model in fitted.items():
        yield from check_model_on(key, model, dataset, table)
        yield from check_inner_divisions(key, model, dataset, table)


def _problems_of(check: Callable[..., object], *args: Any) -> list[Problem]:
    """List the problem that a check raises; empty where it raises none."""
    try:
        check(*args)
    except Problem as problem:
        return [problem]
    return []


def _datasets(experiment: Experiment, wrong: Collection[str | int]) -> Iterator[Problem]:
    for name, spec in experiment.datasets.items():
        if isinstance(spec, GivenData):
            try:
                table = load_given(name, experiment)
                for plan in filter(experiment.by_scores, experiment.resampling.plans()):
                    given_scores(experiment, name, plan)
            except Problem as problem:
                yield problem
            else:
                yield from check_table(experiment, name, table)
            continue
        plans = experiment.resampling.plans().items()
        problems = [p for plan in plans for p in _problems_of(check_plan, name, spec, *plan)]
        problems += [p.inside(("datasets", name)) for p in _problems_of(spec.check)]
        yield from problems
        if problems or not spec.at_hand():
            continue  # what needs the network or the user's code is checked when it is loaded
        try:
            table = load(name, experiment)
        except Problem as problem:
            yield problem
            continue
        yield from check_table(experiment, name, table, wrong)


def _small_folds(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    """Refuse folds with too few rows for a metric: leave-one-out is for means over rows."""
    metrics = (METRICS[name] for name in experiment.metrics if name in METRICS)
    lacking = [metric.name for metric in metrics if not metric.mean_of_rows]
    if not lacking:
        return
    by_rows = {GROUP, TIME}.isdisjoint(table.frame)
    for name, plan in experiment.resampling.plans().items():
        if not isinstance(plan, KFold):
            continue
        if plan.column is not None:
            yield from _problems_of(check_small_folds, dataset, table, plan, lacking[0])
        elif by_rows and plan.folds > (most := largest_k(table, plan)):
            of_task = (
                metric.name
                for metric in METRICS.values()
                if metric.mean_of_rows and (metric.needs is Need.NUMBERS) == experiment.task.numbers
            )
            each = " of each class" if plan.stratify else ""
            yield Problem(
                ("resampling", name, "folds"),
                f"{lacking[0]} needs two rows{each} in every fold: {most} folds of "
                f"{dataset} at most, found {plan.folds}; more, up to leave-one-out, are for "
                f"{', '.join(of_task)}",
            )


def _own_metrics(experiment: Experiment) -> Iterator[Problem]:
    """Find metrics of the user's own that cannot be called, or are called like another."""
    for name, metric in experiment.own_metrics.items():
        if name not in experiment.metrics:
            yield Problem(("own_metrics", name), f"add {name} to `metrics:` to have it computed")
            continue
        place = ("metrics", experiment.metrics.index(name))
        if name in METRICS and not METRICS[name].own:
            message = f"{name} is a metric already: give {metric.function} another name"
            yield Problem(place, f"{message}, `own_metrics: {{my_{name}: …}}`")
            continue
        try:
            imported(metric)
        except UserError as error:
            yield Problem(place, str(error))


def _tried_metrics(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    """Call own metrics on some rows of the data, of which every second is predicted right."""
    if not experiment.own_metrics or not (table.classes or experiment.task.numbers):
        return  # scores or numbers were given, whatever the classes were
    rows = np.linspace(0, len(table.frame) - 1, min(len(table.frame), _TRIED)).astype(int)
    truth = table.answers[rows]
    guessed = np.where(np.arange(len(rows)) % 2, truth, np.roll(truth, 1))
    k = len(table.classes)
    p = (np.eye(k)[guessed] + 1) / (k + 1) if k else None
    columns = taken(table.carried.iloc[rows]) if len(table.carried) else {}
    for i, name in enumerate(experiment.metrics):
        if name not in experiment.own_metrics:
            continue
        tried = Predictions(rows, truth, guessed, table.classes, p, None, {})
        try:
            score(METRICS[name], tried, None, columns)
        except UserError as error:
            yield Problem(("metrics", i), f"tried on {len(rows)} rows of {dataset}: {error}")


def _metrics(experiment: Experiment, classifiers: Mapping[str, Any]) -> Iterator[Problem]:
    """Find metrics that are unknown, named twice, or lack what models or costs would give."""
    for i, name in enumerate(experiment.metrics):
        if name in experiment.given_metrics:
            yield from _given_metric(experiment, i, name)
        elif name not in METRICS:
            hint = (
                "; for a metric of your own say which way is better: "
                f"`- {{name: {name}, greater_is_better: false}}`"
            )
            yield Problem(("metrics", i), no_metric(name) + ("" if _computed(experiment) else hint))
        if name in experiment.metrics[:i]:
            yield Problem(("metrics", i), f"{name} appears twice")
        if name in experiment.given_metrics or name not in METRICS:
            continue
        if (other := of_other_task(name, experiment.task)) and _computed(experiment):
            yield Problem(("metrics", i), other)
            continue
        silent = [m for m, made in classifiers.items() if not _gives(made, METRICS[name].needs)]
        if silent:
            yield Problem(
                ("metrics", i),
                f"{name} needs {_NEEDS[METRICS[name].needs]}, which {silent[0]} "
                f"({type(classifiers[silent[0]]).__name__}) does not give; leave one of them out, "
                "or wrap the model in sklearn.calibration.CalibratedClassifierCV",
            )
        if lacking := _lacking_costs(experiment, METRICS[name].needs):
            yield Problem(("metrics", i), f"{name} needs {lacking}")


def _given_metric(experiment: Experiment, i: int, name: str) -> Iterator[Problem]:
    """Refuse a metric that is described where it would have to be computed."""
    computed = _computed(experiment)
    if name in METRICS and (computed or METRICS[name].needs is not Need.NUMBERS):
        yield Problem(
            ("metrics", i),
            f"{name} is a metric of this package, which knows all about it: write `- {name}`, or "
            "give yours another name",
        )
    elif computed:
        yield Problem(
            ("metrics", i),
            f"{name} is none of the metrics that can be computed from predictions, as {computed} "
            "would need: leave it out, or let every model bring its `scores:` (allowed here: "
            f"{', '.join(METRICS)})",
        )


def _computed(experiment: Experiment) -> str:
    """Name what of an experiment is scored here; empty where all scores are given."""
    if experiment.fitted:
        return f"{next(iter(experiment.fitted))}, which is fitted here,"
    if experiment.by_values:
        return ""
    plans = experiment.resampling.plans()
    return next((f"the plan {plan}" for plan in plans if not experiment.by_scores(plan)), "")


def _lacking_costs(experiment: Experiment, need: Need) -> str:
    """Write the `costs:` that a metric needs and a data set has not."""
    if need is Need.PRIORS:
        costs_on = {name: experiment.costs_on(name) for name in experiment.datasets}
        lacking = [name for name, costs in costs_on.items() if costs is None or not costs.priors]
        keys = "classes: […], matrix: […], priors: […]"
    elif need is Need.COSTS:
        lacking, keys = experiment.without_costs, "classes: […], matrix: […]"
    else:
        return ""
    some = 0 < len(lacking) < len(experiment.datasets)
    where = f", which {lacking[0]} lacks" if some else ""
    return f"`costs: {{{keys}}}`{where}" if lacking else ""


def _for_two_classes(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    """Find what is for two classes where the data have more."""
    if len(table.classes) in (0, 2):  # none: scores were given, whatever the rows were
        return
    for i, name in enumerate(experiment.metrics):
        if name in METRICS and METRICS[name].binary:
            yield Problem(
                ("metrics", i),
                f"{name} is for two classes, {dataset} has {len(table.classes)}; for more use "
                f"{METRICS[name].instead}",
            )


def _gives(classifier: Any, need: Need) -> bool:
    """Tell whether a classifier has what a metric needs, as far as that is known before a fit."""
    methods = _METHODS.get(need, ())
    values = classifier.get_params(deep=False).values() if methods else ()
    if not methods or any(hasattr(classifier, method) for method in methods):
        return True
    composed = any(hasattr(value, "fit") or isinstance(value, list) for value in values)
    return composed and any(hasattr(type(classifier), method) for method in methods)

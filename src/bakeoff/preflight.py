"""Everything that can be known to fail before the first fit: names, estimators, data, plans."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons.analysis import analysis_of
from bakeoff.comparisons.plan_tests import check_classes, plan_tests
from bakeoff.comparisons.settings import has_test
from bakeoff.data import Table
from bakeoff.data.given_predictions import divide, load, predictions_of
from bakeoff.data.splits import (
    check_divisible,
    check_plan,
    check_small_folds,
    divisions,
    largest_k,
)
from bakeoff.data.table import GROUP, SUBGROUP, TIME
from bakeoff.errors import Problem, UserError
from bakeoff.fit.check_models import check_inner_divisions, check_model, check_model_on
from bakeoff.fit.predictions import Predictions
from bakeoff.scores import METRICS, Need, score
from bakeoff.scores.given_results import given_predictions, given_scores
from bakeoff.scores.metrics import no_metric, of_other_task
from bakeoff.scores.own_metrics import enter_own, imported
from bakeoff.spec import AnalysisPlan, Costs, Experiment, Fit
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.problems import problems_with_datasets, problems_with_given, problems_with_task
from bakeoff.spec.related import task_column
from bakeoff.stats import catalogue
from bakeoff.usercode import refuse_missing

_NEEDS = {
    Need.PROBABILITIES: ("class probabilities", ["predict_proba"]),
    Need.RANKING: (
        "class probabilities or decision values",
        ["predict_proba", "decision_function"],
    ),
}
"""What models must give for a metric, and the methods that give it."""


def check_experiment(experiment: Experiment) -> tuple[list[Problem], AnalysisPlan]:
    """Check an experiment as far as its environment and local data allow."""
    problems: list[Problem] = []
    problems += problems_with_task(experiment)
    problems += problems_with_datasets(experiment)
    problems += problems_with_given(experiment)
    if not problems:
        problems += _own_metrics(experiment)
    # what follows would be told of models and data that are meant otherwise
    if problems:
        return problems, AnalysisPlan()
    enter_own(experiment.own_metrics)
    estimators: dict[str, Any] = {}
    for name, model in experiment.fitted.items():
        try:
            estimators[name] = check_model(name, model, experiment.without_costs, experiment.task)
        except Problem as problem:
            problems.append(problem)
    problems += _metrics(experiment, estimators)
    wrong_models = {problem.path[1] for problem in problems if problem.path[0] == "models"}
    problems += _datasets(experiment, wrong_models)
    wrong_metrics = any(problem.path[0] == "metrics" for problem in problems)
    wrong_tests, tests = plan_tests(analysis_of(experiment))
    for wrong_test in wrong_tests:
        # a test cannot be tried by a metric that is wrong
        if wrong_metrics and wrong_test.path[:2] == ("tests", "options"):
            continue
        problems.append(wrong_test)
    if not problems:
        problems += _evidence(experiment, tests)
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
    for i, name in enumerate(experiment.metrics):
        # without classes scores were given, whatever the rows were
        if len(table.classes) > 2 and name in METRICS and METRICS[name].binary:
            yield Problem(
                ("metrics", i),
                f"{name} is for two classes, {dataset} has {len(table.classes)}; for more use "
                f"{METRICS[name].instead}",
            )
    yield from check_classes(analysis_of(experiment), dataset, table.classes)
    if experiment.given:
        yield from _given_predictions(experiment, dataset, table)
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
    """Find what is wrong with the data sets, as far as they are at hand."""
    plans = experiment.resampling.plans()
    for name, spec in experiment.datasets.items():
        if not isinstance(spec, GivenData):
            problems = []
            for plan_name, plan in plans.items():
                problems += _problems_of(check_plan, name, spec, plan_name, plan)
            for problem in _problems_of(spec.check):
                problems.append(problem.inside(("datasets", name)))
            yield from problems
            # what needs the network or the user's code is checked when it is loaded
            if problems or not spec.at_hand():
                continue
        try:
            table = load(name, experiment)
            for plan_name in plans:
                if experiment.by_scores(plan_name):
                    given_scores(experiment, name, plan_name)
        except Problem as problem:
            yield problem
        else:
            yield from check_table(experiment, name, table, wrong)


def _small_folds(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    """Refuse folds with too few rows for a metric: leave-one-out is for means over rows."""
    metric = _first_without_mean(experiment)
    plan = experiment.resampling.kfold
    if metric is None or plan is None:
        return
    if plan.column is not None:
        yield from _problems_of(check_small_folds, dataset, table, plan, metric)
        return
    # folds of whole groups, or in the order of time, are of other numbers of rows
    if GROUP in table.frame or TIME in table.frame:
        return
    most = largest_k(table, plan)
    if plan.folds > most:
        each = ""
        if plan.stratify:
            each = " of each class"
        yield Problem(
            ("resampling", "kfold", "folds"),
            f"{metric} needs two rows{each} in every fold: {most} folds of {dataset} at most, "
            f"found {plan.folds}; more, up to leave-one-out, are for metrics that are means over "
            "rows",
        )


def _first_without_mean(experiment: Experiment) -> str | None:
    """Return the first metric that has no value on a single row, None where all have one."""
    for name in experiment.metrics:
        if name in METRICS and not METRICS[name].mean_of_rows:
            return name
    return None


def _own_metrics(experiment: Experiment) -> Iterator[Problem]:
    """Find metrics of the user's own that cannot be called, or are called like another."""
    for name, metric in experiment.own_metrics.items():
        if name not in experiment.metrics:
            yield Problem(("own_metrics", name), f"add {name} to `metrics:` to have it computed")
            continue
        place = ("metrics", experiment.metrics.index(name))
        if name in METRICS and not METRICS[name].own:
            yield Problem(
                place,
                f"{name} is a metric already: give {metric.function} another name, "
                f"`own_metrics: {{my_{name}: …}}`",
            )
            continue
        try:
            imported(metric)
        except UserError as error:
            yield Problem(place, str(error))
        yield from _problems_of(refuse_missing, metric.reads, ("own_metrics", name))


# --- metrics


def _metrics(experiment: Experiment, estimators: Mapping[str, Any]) -> Iterator[Problem]:
    """Find metrics that are unknown, named twice, or lack what models or costs would give."""
    computed_for = _computed_for(experiment)
    for i, name in enumerate(experiment.metrics):
        unknown = _unknown_metric(name, experiment, computed_for)
        if unknown:
            yield Problem(("metrics", i), unknown)
        if name in experiment.metrics[:i]:
            yield Problem(("metrics", i), f"{name} appears twice")
        if name in experiment.given_metrics or name not in METRICS:
            continue
        of_other = of_other_task(name, experiment.task)
        if of_other and computed_for:
            yield Problem(("metrics", i), of_other)
            continue
        no_outputs = _lacks_outputs(name, experiment, estimators)
        if no_outputs:
            yield Problem(("metrics", i), no_outputs)
        no_costs = _lacks_costs(name, experiment)
        if no_costs:
            yield Problem(("metrics", i), no_costs)


def _computed_for(experiment: Experiment) -> str:
    """Say of what metrics have to be computed; empty where all scores are given."""
    if experiment.fitted:
        return f"{next(iter(experiment.fitted))}, which is fitted here,"
    if not experiment.by_values:
        for plan in experiment.resampling.plans():
            if not experiment.by_scores(plan):
                return f"the plan {plan}"
    return ""


def _unknown_metric(name: str, experiment: Experiment, computed_for: str) -> str:
    """Say what is wrong with a metric that is not known, or that is described anew."""
    if name in METRICS:
        # scores of a metric of numbers, such as rmse, may be given under its name
        may_be_given = not computed_for and METRICS[name].needs is Need.NUMBERS
        if name in experiment.given_metrics and not may_be_given:
            return (
                f"{name} is a metric of this package: write `- {name}`, or give yours another name"
            )
        return ""
    if name not in experiment.given_metrics:
        message = no_metric(name)
        if not computed_for:
            message += (
                "; for a metric of your own say which way is better: "
                f"`- {{name: {name}, greater_is_better: false}}`"
            )
        return message
    if not computed_for:
        return ""
    return (
        f"{name} is none of the metrics that can be computed from predictions, as {computed_for} "
        "would need: leave it out, or let every model bring its `scores:`"
    )


def _lacks_outputs(name: str, experiment: Experiment, estimators: Mapping[str, Any]) -> str:
    """Say which model does not give what a metric looks at."""
    needs = METRICS[name].needs
    if experiment.tests.missing_cells is not None:
        return ""
    for model, estimator in estimators.items():
        if not _gives(estimator, needs):
            outputs, _ = _NEEDS[needs]
            return (
                f"{name} needs {outputs}, which {model} ({type(estimator).__name__}) does not "
                "give; leave one of them out, or wrap the model in "
                "sklearn.calibration.CalibratedClassifierCV"
            )
    return ""


def _gives(estimator: Any, needs: Need) -> bool:
    """Tell whether an estimator has what a metric needs, as far as it is known before a fit."""
    _, methods = _NEEDS.get(needs, ("", []))
    if not methods or any(hasattr(estimator, method) for method in methods):
        return True
    # what a model around others gives may hang on these, which are not fitted yet
    if not any(hasattr(type(estimator), method) for method in methods):
        return False
    values = estimator.get_params(deep=False).values()
    return any(hasattr(value, "fit") or isinstance(value, list) for value in values)


def _lacks_costs(name: str, experiment: Experiment) -> str:
    """Say which data set lacks what errors cost, where a metric needs it."""
    needs = METRICS[name].needs
    if needs not in (Need.COSTS, Need.PRIORS):
        return ""
    priors = ""
    if needs is Need.PRIORS:
        priors = ", priors: […]"
    for dataset in experiment.datasets:
        costs = experiment.costs_on(dataset)
        if costs is None or (needs is Need.PRIORS and not costs.priors):
            section = f"`costs: {{classes: […], matrix: […]{priors}}}`"
            return f"{name} needs {section}, which {dataset} lacks"
    return ""


# --- given models


def _evidence(experiment: Experiment, tests: AnalysisPlan) -> Iterator[Problem]:
    """Refuse tests for which the scores of given models do not suffice, and say what would."""
    for i, test in enumerate(tests):
        if not experiment.by_scores(test.plan):
            continue
        if test.on_predictions:
            first = next(iter(experiment.given))
            yield Problem(
                ("tests", "run", i),
                f"{test.name} looks at predictions row by row, {first} brings scores alone: give "
                "its `predictions:` on the test rows too",
            )
        if "n_train" in catalogue()[test.name].options:
            for path in _scores_without_sizes(experiment, test.plan):
                yield Problem(
                    ("tests", "run", i),
                    f"{test.name} needs the sizes of the training and the test parts: add the "
                    f"columns `n_train` and `n_test` to {path!r}",
                )


def _scores_without_sizes(experiment: Experiment, plan: str) -> Iterator[str]:
    """Yield for each data set the first file of scores without the sizes of the parts."""
    for dataset in experiment.datasets:
        scores, _ = given_scores(experiment, dataset, plan)
        lacks_sizes = scores[["n_train", "n_test"]].isna().any(axis=1)
        models = scores["model"][lacks_sizes]
        if len(models):
            yield experiment.given[models.iloc[0]].scores_on(dataset)


def _given_predictions(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    """Prove that the given predictions are those of every division; tell one fold of each."""
    for name, plan in experiment.resampling.plans().items():
        if not experiment.on_rows(name):
            continue
        try:
            splits = divide(dataset, experiment, table, name)
        except Problem as problem:
            # of data that are divided here it is told with the divisions
            if isinstance(experiment.datasets[dataset], GivenData):
                yield problem
            continue
        problems: list[Problem] = []
        for model in experiment.given:
            try:
                for repeat, fold, split in divisions(splits, plan):
                    for seed in range(1, experiment.seeds(model) + 1):
                        fit = Fit(dataset, model, name, repeat, fold, seed)
                        predictions_of(fit, experiment, table, split)
            except Problem as problem:
                problems.append(problem)
        yield from problems
        if not problems and name == "holdout":
            yield from _metrics_in_tasks(experiment, dataset, table, splits)


def _metrics_in_tasks(
    experiment: Experiment, dataset: str, table: Table, splits: pd.DataFrame
) -> Iterator[Problem]:
    """Find metrics without a value in one of several fixed tasks, over which they have no mean."""
    column = task_column(experiment)
    if column is None or experiment.with_values:
        return
    tasks = table.carried[f"{SUBGROUP}{column}"].astype(str).to_numpy()
    plan = experiment.resampling.plans()["holdout"]
    costs = analysis_of(experiment).datasets[dataset].costs
    (repeat, fold, split) = next(iter(divisions(splits, plan)))
    for i, metric in enumerate(experiment.metrics):
        if metric not in METRICS or not has_test(metric):
            continue
        for model in experiment.given:
            fit = Fit(dataset, model, "holdout", repeat, fold, 1)
            predictions = given_predictions(fit, experiment, table, split)
            reason = _why_undefined(predictions, tasks[split.test], metric, costs)
            if reason:
                yield Problem(
                    ("metrics", i),
                    f"{metric} has no value: {reason}; leave it out, or the rows of this task",
                )
                break


def _why_undefined(
    predictions: Predictions, tasks: NDArray[Any], metric: str, costs: Costs | None
) -> str:
    """Say in which task a metric has no value, and why; empty where it has one in each."""
    for task in np.unique(tasks):
        _, reason = score(METRICS[metric], predictions.of_rows(tasks == task), costs)
        if reason:
            return f"in task {task} {reason}"
    return ""

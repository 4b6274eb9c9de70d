"""Everything that can be known to fail before the first fit: names, estimators, data, plans."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from bakeoff.compare import check_classes, choose_tests
from bakeoff.data import Split, Table
from bakeoff.data.divide import Rows
from bakeoff.data.given_folds import check_small_folds
from bakeoff.data.pairing import divide, load, load_given, predictions_of
from bakeoff.data.splits import check_divisible, check_plan, divisions, largest_k
from bakeoff.data.table import GROUP, TIME
from bakeoff.errors import Problem, UserError, unknown
from bakeoff.fit.check_models import (
    check_model,
    check_model_on,
    check_neighbours,
    check_validation,
)
from bakeoff.fit.predictions import Predictions
from bakeoff.fit.tuning import is_for_two_classes, scorer
from bakeoff.scores import METRICS, Need
from bakeoff.scores.collect import taken
from bakeoff.scores.given_results import given_scores
from bakeoff.scores.metrics.own import enter_own, imported
from bakeoff.scores.rival import check_same_run, rival_predictions
from bakeoff.sources import DataSet
from bakeoff.spec import ChosenTest, Experiment, Fit
from bakeoff.spec.datasets import GivenData
from bakeoff.spec.given_models import problems_with_given
from bakeoff.spec.resampling import KFold
from bakeoff.stats import Evidence, catalogue


def check_experiment(experiment: Experiment) -> tuple[list[Problem], list[ChosenTest]]:
    """Check an experiment as far as its environment and local data allow.

    Returns
    -------
    problems : list of Problem
        All that is wrong; empty when the experiment can run.
    tests : list of ChosenTest
        The tests and the plan that feeds each; empty when there are problems with them.
    """
    problems = list(problems_with_given(experiment))
    if problems:  # no use in looking further
        return problems, []
    problems = list(_own_metrics(experiment))
    if problems:
        return problems, []
    enter_own(experiment.own_metrics)
    classifiers: dict[str, Any] = {}
    problems = [*_models(experiment, classifiers), *_metrics(experiment, classifiers)]
    problems += [*_one_validation_column(experiment), *_importance(experiment, classifiers)]
    wrong_models = {problem.path[1] for problem in problems if problem.path[0] == "models"}
    problems += _datasets(experiment, wrong_models)
    wrong, chosen = choose_tests(experiment)
    problems += wrong
    if not problems:
        problems += _evidence(experiment, chosen)
    return problems, chosen


def _models(experiment: Experiment, classifiers: dict[str, Any]) -> Iterator[Problem]:
    """Check each model; fill in the classifiers of those that can be made."""
    for name, model in experiment.fitted.items():
        try:
            classifiers[name] = check_model(name, model, experiment.without_costs)
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


def _own_metrics(experiment: Experiment) -> Iterator[Problem]:
    """Find metrics of the user's own that cannot be called, or are called like another."""
    for name, own in experiment.own_metrics.items():
        if name not in experiment.metrics:
            yield Problem(("own_metrics", name), f"add {name} to `metrics:` to have it computed")
            continue
        place = ("metrics", experiment.metrics.index(name))
        if name in METRICS and METRICS[name].own is None:
            message = f"{name} is a metric already: give {own.function} another name"
            yield Problem(place, f"{message}, `own_metrics: {{my_{name}: …}}`")
            continue
        try:
            imported(own)
        except UserError as error:
            yield Problem(place, str(error))


def _tried_metrics(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    """Call own metrics on some rows of the data, of which every second is predicted right."""
    if not experiment.own_metrics or not table.classes:
        return  # scores or numbers were given, whatever the classes were
    rows = np.linspace(0, len(table.frame) - 1, min(len(table.frame), _TRIED)).astype(int)
    truth = table.codes[rows]
    guessed = np.where(np.arange(len(rows)) % 2, truth, np.roll(truth, 1))
    p = (np.eye(len(table.classes))[guessed] + 1) / (len(table.classes) + 1)
    columns = taken(table.carried.iloc[rows]) if len(table.carried) else {}
    for i, name in enumerate(experiment.metrics):
        if name not in experiment.own_metrics:
            continue
        tried = Predictions(rows, truth, guessed, table.classes, p, None, {})
        try:
            METRICS[name](tried, None, columns)
        except UserError as error:
            yield Problem(("metrics", i), f"tried on {len(rows)} rows of {dataset}: {error}")


_TRIED = 50


def _metrics(experiment: Experiment, classifiers: Mapping[str, Any]) -> Iterator[Problem]:
    for i, name in enumerate(experiment.metrics):
        if name in experiment.given_metrics:
            yield from _given_metric(experiment, i, name)
        elif name not in METRICS:
            hint = _describe(name) if not _computed(experiment) else ""
            yield Problem(("metrics", i), unknown("metric", name, METRICS) + hint)
        if name in experiment.metrics[:i]:
            yield Problem(("metrics", i), f"{name} appears twice")
        if name in experiment.given_metrics or name not in METRICS:
            continue
        silent = [m for m, made in classifiers.items() if not _gives(made, METRICS[name].needs)]
        if silent and experiment.tests.missing_cells is None:
            several = len(experiment.datasets) > 1
            policy = "; for tests over data sets, say `missing_cells: drop_model`"
            yield Problem(
                ("metrics", i),
                f"{name} needs {_NEEDS[METRICS[name].needs]}, which {silent[0]} "
                f"({type(classifiers[silent[0]]).__name__}) does not give; leave one of them out, "
                "or wrap the model in sklearn.calibration.CalibratedClassifierCV"
                f"{policy if several else ''}",
            )
        lacking = _lacking_costs(experiment, METRICS[name].needs)
        if lacking:
            yield Problem(("metrics", i), f"{name} needs {lacking}")


def _given_metric(experiment: Experiment, i: int, name: str) -> Iterator[Problem]:
    """Refuse a metric that is described where it would have to be computed."""
    computed = _computed(experiment)
    if name in METRICS:
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


def _describe(name: str) -> str:
    return (
        "; for a metric of your own say which way is better: "
        f"`- {{name: {name}, greater_is_better: false}}`"
    )


def _importance(experiment: Experiment, classifiers: Mapping[str, Any]) -> Iterator[Problem]:
    """Refuse importance without test rows or fitted models, and by scores that are not known."""
    wanted = experiment.importance
    if wanted is None:
        return
    if experiment.resampling.holdout is None or not experiment.fitted:
        yield Problem(
            ("importance",),
            "is measured on the test rows of the plan `holdout`, of models that are fitted here: "
            "there is none",
        )
    try:
        scorer(wanted.scoring)
    except UserError as error:
        yield Problem(("importance", "scoring"), str(error))
        return
    need = METRICS[wanted.scoring].needs if wanted.scoring in METRICS else Need.LABELS
    for name, made in classifiers.items():
        if not _gives(made, need):
            yield Problem(
                ("importance", "scoring"),
                f"{wanted.scoring} needs {_NEEDS[need]}, which {name} does not give",
            )


def _lacking_costs(experiment: Experiment, need: Need) -> str:
    """Write the `costs:` that a metric needs and a data set has not."""
    if need is Need.PRIORS:
        known = {name: experiment.costs_on(name) for name in experiment.datasets}
        lacking = [name for name, costs in known.items() if costs is None or costs.priors is None]
        keys = "classes: […], matrix: […], priors: […]"
    elif need is Need.COSTS:
        lacking, keys = experiment.without_costs, "classes: […], matrix: […]"
    else:
        return ""
    some = 0 < len(lacking) < len(experiment.datasets)
    where = f", which {lacking[0]} lacks" if some else ""
    return f"`costs: {{{keys}}}`{where}" if lacking else ""


_NEEDS = {
    Need.PROBABILITIES: "class probabilities",
    Need.RANKING: "class probabilities or decision values",
}
_METHODS = {
    Need.PROBABILITIES: ("predict_proba",),
    Need.RANKING: ("predict_proba", "decision_function"),
}


def _gives(classifier: Any, need: Need) -> bool:
    """Tell whether a classifier has what a metric needs, as far as that is known before a fit.

    What a classifier that is made of others can do may depend on these.
    """
    methods = _METHODS.get(need, ())
    values = classifier.get_params(deep=False).values() if methods else ()
    if not methods or any(hasattr(classifier, method) for method in methods):
        return True
    composed = any(hasattr(value, "fit") or isinstance(value, list) for value in values)
    return composed and any(hasattr(type(classifier), method) for method in methods)


def check_table(
    experiment: Experiment, dataset: str, table: Table, wrong: Collection[str | int] = ()
) -> Iterator[Problem]:
    """Look at what the data forbid; models that are wrong by themselves are left out."""
    enter_own(experiment.own_metrics)
    if not isinstance(experiment.datasets[dataset], GivenData):
        yield from _divisions(experiment, dataset, table)
        yield from _small_folds(experiment, dataset, table)
    yield from _metrics_on(experiment, dataset, table)
    yield from _tried_metrics(experiment, dataset, table)
    yield from check_classes(experiment, dataset, table.classes)
    if experiment.given:
        yield from _given_predictions(experiment, dataset, table)
    fitted = {key: model for key, model in experiment.fitted.items() if key not in wrong}
    trained = cache(partial(_training_parts, experiment, dataset, table))
    for key, model in fitted.items():
        yield from check_model_on(key, model, dataset, table)
        yield from check_neighbours(key, model, dataset, table, trained)
        yield from check_validation(key, model, dataset, table, trained)


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


def _evidence(experiment: Experiment, chosen: list[ChosenTest]) -> Iterator[Problem]:
    """Refuse tests that the results of given models cannot feed, and say what would."""
    known = catalogue()
    for i, test in enumerate(chosen if experiment.given else []):
        entry, first = known[test.name], next(iter(experiment.given))
        at = ("tests", "run", i)
        if experiment.by_scores(test.plan):
            if test.on_rows or test.on_fold_rows:
                yield Problem(
                    at,
                    f"{test.name} looks at predictions row by row, {first} brings scores alone: "
                    "give its `predictions:` on the test rows too",
                )
            elif "n_train" in entry.options and (where := _without_sizes(experiment, test.plan)):
                yield Problem(
                    at,
                    f"{test.name} needs the sizes of the training and the test parts: add the "
                    f"columns `n_train` and `n_test` to {where!r}",
                )
        elif entry.evidence is Evidence.PROBABILITIES:
            for model in _without_probabilities(experiment):
                yield Problem(
                    at,
                    f"{test.name} needs class probabilities, {model} brings predicted labels "
                    "alone: add a column `p_{class}` for each class to its file",
                )


def _without_sizes(experiment: Experiment, plan: str) -> str:
    """Return a file whose scores come without the sizes of the parts."""
    for dataset in experiment.datasets:
        scores, _ = given_scores(experiment, dataset, plan)
        lacking = scores[scores[["n_train", "n_test"]].isna().any(axis=1)]
        if len(lacking):
            return experiment.given[lacking["model"].iloc[0]].scores_on(dataset)
    return ""


def _without_probabilities(experiment: Experiment) -> list[str]:
    """List the given models whose files hold labels alone."""
    silent: dict[str, None] = {}
    for dataset, spec in experiment.datasets.items():
        if isinstance(spec, GivenData) or spec.at_hand():
            table, split = _test_set(experiment, dataset)
            for model in experiment.given:
                fit = Fit(dataset, model, "holdout", 1, 1)
                found = predictions_of(fit, experiment, table, split)
                silent |= {model: None} if found.probabilities is None else {}
    return list(silent)


def _test_set(experiment: Experiment, dataset: str) -> tuple[Table, Split]:
    table = load(dataset, experiment)
    splits = divide(dataset, experiment, table, "holdout")
    ((_, _, split),) = divisions(splits, experiment.resampling.plans()["holdout"])
    return table, split


def _given_predictions(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    """Prove that the given predictions are those of every division; tell one fold of each."""
    for name, plan in experiment.resampling.plans().items():
        if not experiment.on_rows(name):
            continue
        try:
            splits = divide(dataset, experiment, table, name)
        except Problem as problem:
            # of data that are divided here it is told with the divisions
            yield from [problem] if isinstance(experiment.datasets[dataset], GivenData) else []
            continue
        for model in experiment.given:
            try:
                rival = experiment.given[model].results and name != "holdout"
                if rival:
                    check_same_run(model, experiment, dataset, name, table, splits)
                read = rival_predictions if rival else predictions_of
                for repeat, fold, split in divisions(splits, plan):
                    read(Fit(dataset, model, name, repeat, fold), experiment, table, split)
            except Problem as problem:
                yield problem


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
        yield Problem(("datasets", dataset, *problem.path), problem.message)


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
                yield Problem(
                    ("resampling", name, "folds"),
                    f"{lacking[0]} needs two rows of each class in every fold: {most} folds of "
                    f"{dataset} at most, found {plan.folds}; more, up to leave-one-out, are for "
                    "accuracy, error, cost, log_loss and brier",
                )


def _metrics_on(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    if len(table.classes) in (0, 2):  # none: scores were given, whatever the rows were
        return
    wanted = experiment.importance
    if wanted is not None and is_for_two_classes(wanted.scoring):
        yield Problem(
            ("importance", "scoring"),
            f"{wanted.scoring} is for two classes, {dataset} has {len(table.classes)}",
        )
    for i, name in enumerate(experiment.metrics):
        if name in METRICS and METRICS[name].binary:
            yield Problem(
                ("metrics", i),
                f"{name} is for two classes, {dataset} has {len(table.classes)}; for more use "
                f"{METRICS[name].instead}",
            )

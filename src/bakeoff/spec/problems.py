"""Problems of several sections together that show before any file is read."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.errors import Problem, listed
from bakeoff.spec.experiment import Experiment
from bakeoff.spec.given_models import DATASET, GivenData
from bakeoff.spec.metrics import RIGHT, GivenMetric, Passing
from bakeoff.spec.related import are_repetitions
from bakeoff.spec.resampling import Holdout

_MOST_NAMED = 3
_KEYS_OF_CLASSES = ("positive", "classes", "missing_target", "costs")
"""The keys of given data that mean nothing where models bring numbers."""
_KEYS_OF_CLASSIFIED_DATA = ("positive", "classes", "merge", "costs")
"""The keys of data sets that mean nothing where numbers are predicted."""
_KEYS_OF_CLASSIFIERS = ("class_weight", "threshold")
"""The keys of models that mean nothing where numbers are predicted."""


# --- data sets


def problems_with_datasets(experiment: Experiment) -> Iterator[Problem]:
    """Find seeds, runs or folds of one data set that stand for data sets."""
    names = list(experiment.datasets)
    if len(names) > 1 and are_repetitions(names):
        others = ""
        if len(names) > _MOST_NAMED:
            others = " and others"
        yield Problem(
            ("datasets",),
            f"{listed(names[:_MOST_NAMED])}{others} are called like seeds, runs or folds of one "
            "data set, which are no data sets: tests over data sets would pair them by their "
            "numbers. Folds are told by the column `fold` of `scores:` or `predictions:`, training "
            "runs by `seeds:` of a model. If they are data sets, give them other names",
        )


# --- given models


def problems_with_given(experiment: Experiment) -> Iterator[Problem]:
    """Find fits without data, and plans without results of every model."""
    yield from problems_with_values(experiment)
    yield from _fits_without_data(experiment)
    yield from _files_of_several_datasets(experiment)
    if all(isinstance(data, GivenData) for data in experiment.datasets.values()):
        yield from _divisions_of_given_data(experiment)
    folds = _folds_of_several_plans(experiment)
    # which of the plans the results are of is not known
    if folds is not None:
        yield folds
        return
    yield from _plans_without_results(experiment)


def _fits_without_data(experiment: Experiment) -> Iterator[Problem]:
    """Find given test sets, which have no features, where models are to be fitted."""
    if not experiment.fitted:
        return
    first = next(iter(experiment.fitted))
    for name, data in experiment.datasets.items():
        if isinstance(data, GivenData):
            yield Problem(
                ("datasets", name, "source"),
                f"there are no features to fit {first} on; name the data, whose test rows the "
                "given predictions must be for",
            )


def _files_of_several_datasets(experiment: Experiment) -> Iterator[Problem]:
    """Find models with one file of predictions, or numbers, for several data sets."""
    count = len(experiment.datasets)
    if count == 1:
        return
    for name, model in experiment.given.items():
        key = "values"
        if model.values is None:
            key = "predictions"
        if model.path is not None and DATASET not in model.path:
            yield Problem(
                ("models", name, key),
                f"one file cannot hold the {key} on {count} data sets; write {DATASET} where the "
                "data set's id stands in the paths",
            )


def _divisions_of_given_data(experiment: Experiment) -> Iterator[Problem]:
    """Find plans that would divide given test sets."""
    holdout = experiment.resampling.holdout
    # what `holdout: {}` stands for
    defaults = {}
    if experiment.task.numbers:
        defaults["stratify"] = False
    if holdout is not None and holdout != Holdout.model_validate(defaults):
        yield Problem(
            ("resampling", "holdout"),
            "all rows of a given test set are test rows: nothing is divided, write `holdout: {}`",
        )
    kfold = experiment.resampling.kfold
    if kfold is not None and kfold.column is not None:
        yield Problem(
            ("resampling", "kfold", "column"),
            "there are no data that hold it: name the columns of the predictions, `columns: "
            "{repeat: …, fold: …}`",
        )


def _folds_of_several_plans(experiment: Experiment) -> Problem | None:
    """Find predictions of folds where several plans have folds."""
    plans = [plan for plan in experiment.resampling.plans() if plan != "holdout"]
    if len(plans) < 2:
        return None
    for name, model in experiment.given.items():
        if model.by_folds:
            return Problem(
                ("models", name, "columns"),
                f"the folds of {name} are those of one plan, the experiment has "
                f"{' and '.join(plans)}: keep one of them",
            )
    return None


def _plans_without_results(experiment: Experiment) -> Iterator[Problem]:
    """Find plans for which a given model brings neither predictions nor scores."""
    for plan in experiment.resampling.plans():
        if experiment.on_rows(plan) or experiment.by_scores(plan):
            continue
        given = experiment.given
        lacking = [name for name in given if not given[name].predicts(plan)]
        columns = " with `columns: {repeat: …, fold: …}`"
        if plan == "holdout":
            columns = ""
        yield Problem(
            ("resampling", plan),
            f"{lacking[0]} brings nothing for this plan: leave the plan out, or give its "
            f"`predictions:`{columns}, or, where no model is fitted here, the `scores:` of every "
            "model",
        )


# --- numbers per row


def problems_with_values(experiment: Experiment) -> Iterator[Problem]:
    """Find models that bring no numbers where others do, and metrics that look at no numbers."""
    if not experiment.with_values:
        return
    yield from _data_of_values(experiment)
    for name in experiment.models:
        if name not in experiment.given or experiment.given[name].values is None:
            yield Problem(
                ("models", name),
                "other models bring a number for each row: give the file of this model's "
                "`values:` too",
            )
    yield from _metrics_of_values(experiment)


def _data_of_values(experiment: Experiment) -> Iterator[Problem]:
    """Find data sets that hold other rows than the numbers, and keys of classes."""
    for name, data in experiment.datasets.items():
        if not isinstance(data, GivenData):
            yield Problem(
                ("datasets", name, "source"),
                "numbers per row are a data set of their own: write `source: given`, or leave "
                "`datasets:` out",
            )
            continue
        keys = [key for key in _KEYS_OF_CLASSES if key in data.model_fields_set]
        if keys:
            message = "numbers per row have no classes: leave it out"
            yield Problem(("datasets", name, keys[0]), message)


def _metrics_of_values(experiment: Experiment) -> Iterator[Problem]:
    """Find metrics that do not say what the numbers are."""
    metrics = experiment.measured
    if all(isinstance(metric, Passing) for metric in metrics):
        return
    if isinstance(metrics[0], GivenMetric):
        if len(metrics) > 1:
            message = "models bring one number for each row, so there is one metric"
            yield Problem(("metrics", 1), message)
        return
    for i, metric in enumerate(metrics):
        if isinstance(metric, GivenMetric) or metric not in RIGHT:
            yield Problem(
                ("metrics", i),
                "what are the numbers of `values:`, and which way are they better? Say "
                "`- {name: token_f1, greater_is_better: true}`, or where 1 is right and 0 is wrong "
                "`- accuracy`, and of several runs of an item also `- pass@5` or `- pass^5`",
            )


# --- the task


def problems_with_task(experiment: Experiment) -> Iterator[Problem]:
    """Find keys that mean nothing for the task."""
    if experiment.task.numbers:
        yield from _keys_of_classes(experiment)
        return
    for name, data in experiment.datasets.items():
        if data.unit is not None:
            message = "classes have no unit; `task: regression` compares numbers"
            yield Problem(("datasets", name, "unit"), message)


def _keys_of_classes(experiment: Experiment) -> Iterator[Problem]:
    """Find keys that are about classes, in an experiment that predicts numbers."""
    message = "means nothing with `task: regression`: leave it out"
    for name, data in experiment.datasets.items():
        for key in _KEYS_OF_CLASSIFIED_DATA:
            if key in data.model_fields_set:
                yield Problem(("datasets", name, key), message)
    for name, model in experiment.models.items():
        for key in _KEYS_OF_CLASSIFIERS:
            if key in model.model_fields_set:
                yield Problem(("models", name, key), message)
    for name, given in experiment.given.items():
        if given.columns.probabilities is not None:
            yield Problem(("models", name, "columns", "probabilities"), message)
    if experiment.costs is not None:
        yield Problem(("costs",), "are of errors between classes: leave them out of a regression")
    for name, plan in experiment.resampling.plans().items():
        if plan.stratify:
            yield Problem(
                ("resampling", name, "stratify"),
                "numbers have no classes whose shares could be kept: leave it out",
            )

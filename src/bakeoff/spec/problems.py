"""Problems of several sections together that show before any file is read."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.errors import Place, Problem, listed
from bakeoff.spec.experiment import Experiment
from bakeoff.spec.given_models import DATASET, GivenData
from bakeoff.spec.metrics import RIGHT, GivenMetric
from bakeoff.spec.related import are_repetitions
from bakeoff.spec.resampling import Holdout


def problems_with_datasets(experiment: Experiment) -> Iterator[Problem]:
    """Find seeds, runs or folds of one data set that stand for data sets."""
    names = list(experiment.datasets)
    if len(names) > 1 and are_repetitions(names):
        yield Problem(
            ("datasets",),
            f"{listed(names[:3])}{' and others' if len(names) > 3 else ''} are called like seeds, "
            "runs or folds of one data set, which are no data sets: tests over data sets would "
            "pair them by their numbers. Folds are told by the column `fold` of `scores:` or "
            "`predictions:`, training runs by `seeds:` of a model. If they are data sets, give "
            "them other names",
        )


def problems_with_given(experiment: Experiment) -> Iterator[Problem]:
    """Find fits without data, and plans without results of every model."""
    fitted, given = list(experiment.fitted), experiment.given
    yield from problems_with_values(experiment)
    for name, data in experiment.datasets.items():
        if isinstance(data, GivenData) and fitted:
            yield Problem(
                ("datasets", name, "source"),
                f"there are no features to fit {fitted[0]} on; name the data, whose test rows the "
                "given predictions must be for",
            )
    for name, model in given.items():
        key, path = "predictions" if model.values is None else "values", model.path
        if path is not None and len(experiment.datasets) > 1 and DATASET not in path:
            yield Problem(
                ("models", name, key),
                f"one file cannot hold the {key} on {len(experiment.datasets)} data sets; "
                f"write {DATASET} where the data set's id stands in the paths",
            )
    resampling = experiment.resampling
    untouched = all(isinstance(data, GivenData) for data in experiment.datasets.values())
    undivided = Holdout.model_validate({"stratify": False} if experiment.task.numbers else {})
    if untouched and resampling.holdout not in (None, undivided):
        yield Problem(
            ("resampling", "holdout"),
            "all rows of a given test set are test rows: nothing is divided, write `holdout: {}`",
        )
    if untouched and resampling.kfold is not None and resampling.kfold.column is not None:
        yield Problem(
            ("resampling", "kfold", "column"),
            "there are no data that hold it: name the columns of the predictions, `columns: "
            "{repeat: …, fold: …}`",
        )
    folded = [plan for plan in resampling.plans() if plan != "holdout"]
    named = next((name for name, model in given.items() if model.by_folds), None)
    if named is not None and len(folded) > 1:
        yield Problem(
            ("models", named, "columns"),
            f"the folds of {named} are those of one plan, the experiment has "
            f"{' and '.join(folded)}: keep one of them",
        )
        return
    for plan in resampling.plans():
        if not (experiment.on_rows(plan) or experiment.by_scores(plan)):
            lacking = next(name for name, model in given.items() if not model.predicts(plan))
            columns = "" if plan == "holdout" else " with `columns: {repeat: …, fold: …}`"
            yield Problem(
                ("resampling", plan),
                f"{lacking} brings nothing for this plan: leave the plan out, or give its "
                f"`predictions:`{columns}, or, where no model is fitted here, the `scores:` of "
                "every model",
            )


def problems_with_values(experiment: Experiment) -> Iterator[Problem]:
    """Find models that bring no numbers where others do, and metrics that look at no numbers."""
    if not experiment.with_values:
        return
    for name, data in experiment.datasets.items():
        if not isinstance(data, GivenData):
            yield Problem(
                ("datasets", name, "source"),
                "numbers per row are a data set of their own: write `source: given`, or leave "
                "`datasets:` out",
            )
        elif key := next((k for k in _OF_CLASSES if k in data.model_fields_set), None):
            yield Problem(("datasets", name, key), "numbers per row have no classes: leave it out")
    for name in experiment.models:
        if name not in experiment.given or experiment.given[name].values is None:
            yield Problem(
                ("models", name),
                "other models bring a number for each row: give the file of this model's "
                "`values:` too",
            )
    metrics = experiment.measured
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


_OF_CLASSES = ("positive", "classes", "missing_target", "costs")
_REFUSED = {
    "datasets": ("positive", "classes", "merge", "costs"),
    "models": ("class_weight", "threshold"),
}
"""The keys of data sets and models that mean nothing where numbers are predicted."""


def problems_with_task(experiment: Experiment) -> Iterator[Problem]:
    """Find keys that mean nothing for the task."""
    if not experiment.task.numbers:
        for name, data in experiment.datasets.items():
            if data.unit is not None:
                text = "classes have no unit; `task: regression` compares numbers"
                yield Problem(("datasets", name, "unit"), text)
        return
    places: list[Place] = [
        (part, name, key)
        for part, keys in _REFUSED.items()
        for name, entry in getattr(experiment, part).items()
        for key in keys
        if key in entry.model_fields_set
    ]
    for name, model in experiment.given.items():
        if model.columns.probabilities is not None:
            places.append(("models", name, "columns", "probabilities"))
    for place in places:
        yield Problem(place, "means nothing with `task: regression`: leave it out")
    if experiment.costs is not None:
        yield Problem(("costs",), "are of errors between classes: leave them out of a regression")
    for name, plan in experiment.resampling.plans().items():
        if plan.stratify:
            yield Problem(
                ("resampling", name, "stratify"),
                "numbers have no classes whose shares could be kept: leave it out",
            )

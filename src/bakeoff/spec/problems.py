"""Problems of several sections together that show before any file is read."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.errors import Problem
from bakeoff.spec.experiment import Experiment
from bakeoff.spec.given_models import DATASET, GivenData
from bakeoff.spec.metrics import RIGHT, GivenMetric
from bakeoff.spec.resampling import Holdout


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
        key = "predictions" if model.values is None else "values"
        path = model.predictions or model.values
        if path is not None and len(experiment.datasets) > 1 and DATASET not in path:
            yield Problem(
                ("models", name, key),
                f"one file cannot hold the {key} on {len(experiment.datasets)} data sets; "
                f"write {DATASET} where the data set's id stands in the paths",
            )
    holdout = experiment.resampling.holdout
    untouched = all(isinstance(data, GivenData) for data in experiment.datasets.values())
    undivided = Holdout.model_validate({"stratify": False} if experiment.task.numbers else {})
    if untouched and holdout is not None and holdout != undivided:
        yield Problem(
            ("resampling", "holdout"),
            "all rows of a given test set are test rows: nothing is divided, write `holdout: {}`",
        )
    plans = experiment.resampling.plans()
    folded = [plan for plan in plans if plan != "holdout"]
    named = next((name for name, model in given.items() if model.by_folds), None)
    if named is not None and len(folded) > 1:
        yield Problem(
            ("models", named, "columns"),
            f"the folds of {named} are those of one plan, the experiment has "
            f"{' and '.join(folded)}: keep one of them",
        )
        return
    if (
        experiment.resampling.kfold is not None
        and experiment.resampling.kfold.columns
        and untouched
    ):
        yield Problem(
            ("resampling", "kfold", "column"),
            "there are no data that hold it: name the columns of the predictions, `columns: "
            "{repeat: …, fold: …}`",
        )
    for plan in plans:
        if not (experiment.on_rows(plan) or experiment.by_scores(plan)):
            yield Problem(("resampling", plan), _why_not_fed(experiment, plan))


def _why_not_fed(experiment: Experiment, plan: str) -> str:
    given = experiment.given
    without = next(n for n, m in given.items() if not m.predicts(plan))
    if given[without].scores and experiment.fitted:
        return (
            f"nothing shows that the scores of {without} come from the folds on which "
            f"{next(iter(experiment.fitted))} is fitted; give the `predictions:` of {without} on "
            f"{_ROWS[plan == 'holdout']}, or the `scores:` of every model"
        )
    lacking = [n for n, m in experiment.models.items() if not (n in given and given[n].scores)]
    if not given[without].on_test_rows:
        return f"{without} brings scores, {', '.join(lacking)} none; give `scores:` for every model"
    if plan == "holdout":
        return (
            f"{without} brings predictions on folds, which feed no holdout; leave holdout out, or "
            f"give the predictions of {without} on one test set"
        )
    return (
        f"{without} brings predictions on one test set, which feed the plan `holdout` alone; "
        f"leave {plan} out, give predictions on its folds (`columns: {{repeat: …, fold: …}}`), or "
        f"the `scores:` of its folds for {', '.join(lacking)}"
    )


_ROWS = {
    True: "the test rows of the plan `holdout`",
    False: "its folds (`columns: {repeat: …, fold: …}`)",
}


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
    yield from _metrics(experiment)


_OF_CLASSES = ("positive", "classes", "missing_target", "costs")


def _metrics(experiment: Experiment) -> Iterator[Problem]:
    found = experiment.measured
    if isinstance(found[0], GivenMetric):
        for i in range(1, len(found)):
            yield Problem(
                ("metrics", i), "models bring one number for each row, so there is one metric"
            )
        return
    for i, name in enumerate(found):
        if name not in RIGHT:
            yield Problem(
                ("metrics", i),
                "what are the numbers of `values:`, and which way are they better? Say "
                "`- {name: token_f1, greater_is_better: true}`, or where 1 is right and 0 is wrong "
                "`- accuracy`, and of several runs of an item also `- pass@5` or `- pass^5`",
            )


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
    for part, keys in _REFUSED.items():
        for name, entry in getattr(experiment, part).items():
            for key in keys:
                if key in entry.model_fields_set:
                    yield Problem(
                        (part, name, key), "means nothing with `task: regression`: leave it out"
                    )
    for name, model in experiment.given.items():
        if model.columns.probabilities is not None:
            yield Problem(
                ("models", name, "columns", "probabilities"),
                "means nothing with `task: regression`: leave it out",
            )
    if experiment.costs is not None:
        yield Problem(("costs",), "are of errors between classes: leave them out of a regression")
    for name, plan in experiment.resampling.plans().items():
        if plan.stratify:
            yield Problem(
                ("resampling", name, "stratify"),
                "numbers have no classes whose shares could be kept: leave it out",
            )

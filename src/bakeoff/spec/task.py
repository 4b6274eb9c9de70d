"""The task of an experiment, classification or regression, and what follows from `task:`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bakeoff.errors import Problem, Remedy

if TYPE_CHECKING:
    from bakeoff.spec.experiment import Experiment

_REFUSED = {
    "datasets": ("positive", "classes", "merge", "costs"),
    "models": ("class_weight", "threshold"),
}
"""The keys of data sets and models that mean nothing where numbers are predicted."""


TO_NUMBERS = Remedy("task", "regression", "; {} compares numbers")
"""What to say where classes are taken for granted."""


class Task(StrEnum):
    """What is predicted."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"

    @property
    def numbers(self) -> bool:
        """Whether numbers are predicted."""
        return self is Task.REGRESSION

    @property
    def metric(self) -> str:
        """What models are compared by on one data set, unless something else is asked for."""
        return "rmse" if self.numbers else "accuracy"

    @property
    def learner(self) -> str:
        """What scikit-learn calls an estimator for it."""
        return "regressor" if self.numbers else "classifier"


def with_task(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fill in what follows when numbers are predicted: plans, metrics and scores of searches.

    Cross-validation inside halves is the default, for the t tests on folds reject too often where
    models are shrunken; over several data sets R² is, for it has no unit.
    """
    if config.get("task") != Task.REGRESSION:
        return config
    filled = dict(config)
    several = isinstance(config.get("datasets"), Mapping) and len(config["datasets"]) > 1
    filled.setdefault("metrics", ["r2" if several else Task.REGRESSION.metric])
    plans = filled.setdefault("resampling", {"halves": {"repeats": 10}, "holdout": {}})
    if isinstance(plans, Mapping):
        filled["resampling"] = {
            name: _filled(plan, "stratify", False) for name, plan in plans.items()
        }
    models = config.get("models")
    if isinstance(models, Mapping):
        filled["models"] = {name: _searching(model) for name, model in models.items()}
    if "importance" in config:
        filled["importance"] = _filled(config["importance"], "scoring", "rmse")
    return filled


def _searching(model: Any) -> Any:
    if not isinstance(model, Mapping) or "tune" not in model:
        return model
    return {**model, "tune": _filled(model["tune"], "scoring", "rmse")}


def _filled(section: Any, key: str, value: Any) -> Any:
    return {key: value, **section} if isinstance(section, Mapping) else section


def problems_with_task(experiment: Experiment) -> Iterator[Problem]:
    """Find keys that mean nothing for the task."""
    if not experiment.task.numbers:
        for name, data in experiment.datasets.items():
            if data.unit is not None:
                yield Problem(("datasets", name, "unit"), "classes have no unit", remedy=TO_NUMBERS)
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

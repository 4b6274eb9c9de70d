"""The task of an experiment, classification or regression, and what follows from `task:`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


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
    """Fill in what follows when numbers are predicted: plans, metrics and scores of searches."""
    # Cross-validation inside halves is the default, for the t tests on folds reject too often where
    # models are shrunken; over several data sets R² is, for it has no unit.
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
        filled["models"] = {
            name: {**model, "tune": _filled(model["tune"], "scoring", "rmse")}
            if isinstance(model, Mapping) and "tune" in model
            else model
            for name, model in models.items()
        }
    return filled


def _filled(section: Any, key: str, value: Any) -> Any:
    return {key: value, **section} if isinstance(section, Mapping) else section

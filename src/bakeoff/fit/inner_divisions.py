"""Inner divisions of a training part, as the groups and times of its rows demand.

Searches and thresholds divide the training rows; so do some estimators by themselves. These are
given their folds, or are refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from bakeoff.data.splits import blocks
from bakeoff.errors import Problem, UserError, shown
from bakeoff.spec.models import Model

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The rows to train on, and those to test."""

_FOLDS = 5
"""How many an estimator makes that is not told; scikit-learn's default too."""
_MANY = 10_000
"""Training rows from which on histogram gradient boosting stops early by itself."""
_STOPS = ("early_stopping", "n_iter_no_change")
"""Parameters that make an estimator with `validation_fraction` watch rows; the first one rules."""
_INSTEAD: Mapping[str, str] = {
    "early_stopping": "set `early_stopping: false`",
    "n_iter_no_change": "set `n_iter_no_change: null`",
    "probability": "leave it out, and calibrate: sklearn.calibration.CalibratedClassifierCV with "
    "it as `estimator`",
    "eval_fraction": "set `eval_fraction: null`",
    "train_split": "set `train_split: null`",
}
"""What to do about parameters by which estimators (of CatBoost and skorch the last two) divide."""
_SHARES = ("eval_fraction", "train_split")
_NO_FOLDS = ("ClassifierChain", "RegressorChain")
"""With `cv` these make folds; without it they make none."""
_WANT_ALL_ROWS = ("StackingClassifier", "StackingRegressor")
"""These test every training row, which folds in the order of time do not."""


class Dependence(NamedTuple):
    """How training rows depend on each other."""

    key: str
    rows: int

    @property
    def torn(self) -> str:
        """What a division at random does to such rows."""
        if self.key == "groups":
            return "rows of one group would be on both sides (the data have `groups:`)"
        return "rows would be judged by earlier ones (the data have `time:`)"


def divided(
    strata: NDArray[np.intp], count: int, seed: int | None, groups: Any = None, times: Any = None
) -> list[Fold]:
    """Divide a training part into folds: no group on both sides, past before future."""
    if times is not None:
        return _consecutive(times, np.linspace(0, len(strata), count + 2).round().astype(int))
    if groups is not None and (n_groups := len(np.unique(groups))) < count:
        raise UserError(
            f"{n_groups} groups in the training part are too few for {count} inner folds"
        )
    if np.bincount(strata).max() < count:
        raise UserError(f"{len(strata)} training rows are too few for {count} inner folds")
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    divide = kind(count, shuffle=True, random_state=seed)
    return list(divide.split(np.zeros(len(strata)), strata, groups))


def _consecutive(times: Any, edges: NDArray[np.intp]) -> list[Fold]:
    """Cut rows in the order of time, as near to edges as ties allow: each part after the former."""
    try:
        block = blocks(np.asarray(times), np.diff(edges) / edges[-1])
    except ValueError as error:
        raise UserError(f"in the training part {error}") from None
    return [
        (np.flatnonzero(block < part), np.flatnonzero(block == part))
        for part in range(1, len(edges) - 1)
    ]


class GivenFolds(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator that makes folds of its training rows, and is given them by `divided`."""

    # Its fit takes groups and times of the rows beside their weights, so that these are cut with
    # the rows where a search or a threshold fits it on a part of them.

    def __init__(self, estimator: Any = None, random_state: int | None = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        row_groups: Any = None,
        row_times: Any = None,
    ) -> Any:
        """Divide the rows, and fit."""
        y, classes = np.asarray(y), is_classifier(self.estimator)
        strata = np.unique(y, return_inverse=True)[1] if classes else np.zeros(len(y), np.intp)
        count = _FOLDS if self.estimator.cv is None else self.estimator.cv
        folds = divided(strata, count, self.random_state, row_groups, row_times)
        if any(len(np.unique(strata[learned])) < len(np.unique(strata)) for learned, _ in folds):
            raise UserError(
                "all training rows of a class are in groups, or at times, that an inner division "
                "of the training rows sets apart: merge the class with another, or leave it out"
            )
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator_ = clone(self.estimator).set_params(cv=folds).fit(X, y, **given)
        if classes:
            self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Predict labels or numbers."""
        return self.estimator_.predict(X)

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities."""
        return self.estimator_.predict_proba(X)

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Return decision values."""
        return self.estimator_.decision_function(X)

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)


def as_declared(last: Any, dependence: Dependence | None) -> Any:
    """Return the last step so that its own folds of the rows obey their dependence."""
    division = None if dependence is None else _own_division(last, dependence.rows)
    if dependence is None or division is None or division[0] != "cv":
        return last
    if (
        type(last).__module__.startswith("sklearn.")
        and (last.cv is None or isinstance(last.cv, int))
        and not (dependence.key == "time" and _wants_all_rows(last))
    ):
        return GivenFolds(last)
    return last


def refuse_own_divisions(estimator: Any, dependence: Dependence, model: Model) -> None:
    """Refuse an estimator, its last step `as_declared`, that divides the rows in its own way."""
    piped = isinstance(estimator, Pipeline)
    steps = [step for _, step in estimator.steps] if piped else [estimator]
    for i, step in enumerate(steps):
        own_step = i >= len(steps) - len(model.parts)
        place = "preprocessing" if not own_step else "steps" if model.steps else "params"
        steered = step.estimator if isinstance(step, GivenFolds) else None
        for part in parts_of(step):
            division = None if part is steered else _own_division(part, dependence.rows)
            if division is None:
                continue
            key, value = division
            instead = _INSTEAD.get(key) or _how_to_fold(part, dependence, last=part is steps[-1])
            raise Problem(
                (place,),
                f"{type(part).__name__} divides its training rows itself (`{key}`: "
                f"{shown(value)}): {dependence.torn}; {instead}",
            )


def parts_of(estimator: Any) -> Sequence[Any]:
    """List an estimator and the estimators among its parameters."""
    inner = estimator.get_params(deep=True).values() if hasattr(estimator, "get_params") else ()
    unfitted = (part for part in inner if hasattr(part, "get_params") and not inspect.isclass(part))
    return [estimator, *unfitted]


def _own_division(part: Any, rows: int) -> tuple[str, Any] | None:
    """Return the parameter by which an estimator divides its rows, and its value."""
    if isinstance(part, GivenFolds) or not hasattr(part, "get_params"):
        return None
    params = part.get_params(deep=False)
    stops = next((key for key in _STOPS if key in params), None)
    if "cv" in params and params["cv"] != "prefit":
        none = params["cv"] is None and type(part).__name__ in _NO_FOLDS
        return None if none else ("cv", params["cv"])
    if params.get("validation_fraction") is not None and stops is not None:
        never = params[stops] in (None, False) or (params[stops] == "auto" and rows <= _MANY)
        return None if never else (stops, params[stops])
    if params.get("probability") is True and "svm" in type(part).__module__:
        return "probability", True
    return next(((key, params[key]) for key in _SHARES if params.get(key)), None)


def _wants_all_rows(last: Any) -> bool:
    return type(last).__name__ in _WANT_ALL_ROWS or getattr(last, "ensemble", True) is False


def _how_to_fold(part: Any, dependence: Dependence, *, last: bool) -> str:
    """Say what to do about an estimator whose folds are its own."""
    order = "whole groups" if dependence.key == "groups" else "rows in the order of time"
    if not last:
        return (
            f"only as a model's last step is it given folds of {order}: leave it out here; for a "
            "search or a threshold there are `tune:` and `threshold:`"
        )
    if dependence.key == "time" and _wants_all_rows(part):
        return "it tests every row, and folds in the order of time do not: leave it out"
    if type(part).__module__.startswith("sklearn."):
        return f"give `cv` a number of folds, which are of {order} then"
    return f"leave it out: `tune:` and `threshold:` make folds of {order}"

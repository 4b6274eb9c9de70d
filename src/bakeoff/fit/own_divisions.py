"""Estimators that divide their training rows themselves, on data with groups or times."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from bakeoff.errors import Problem, shown
from bakeoff.fit.early_stopping import (
    EarlyStopped,
    InnerDivided,
    can_watch,
    draws_watched_rows,
    with_early_stopping,
)
from bakeoff.spec.models import Model
from bakeoff.spec.training_choices import EarlyStopping

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


class OwnFolds(InnerDivided):
    """An estimator that makes folds of its training rows, which it is given."""

    def __init__(self, estimator: Any = None, random_state: int | None = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def _fitted(self, X: Any, y: Any, weights: Any, kin: Mapping[str, Any]) -> Any:
        into = self.estimator.cv
        folds = self._divided(y, _FOLDS if into is None else into, kin)
        given = {} if weights is None else {"sample_weight": weights}
        return clone(self.estimator).set_params(cv=folds).fit(X, y, **given)


def as_declared(last: Any, stopping: EarlyStopping | None, dependence: Dependence | None) -> Any:
    """Return the last step so that its own divisions of the rows obey their dependence."""
    if dependence is None:
        return last if stopping is None else with_early_stopping(last, stopping)
    if stopping is not None:
        if can_watch(last):
            return EarlyStopped(last, stopping.fraction, stopping.rounds)
        if draws_watched_rows(last):
            raise Problem(
                ("early_stopping",),
                f"{type(last).__name__} draws the rows that it watches itself: {dependence.torn}; "
                "XGBoost, LightGBM, CatBoost and HistGradientBoosting are given whole groups, or "
                "the last rows, to watch",
            )
        return with_early_stopping(last, stopping)
    own = _own(last, dependence.rows)
    if own is None:
        return last
    if own[0] == "early_stopping" and can_watch(last) and last.validation_fraction < 1:
        return EarlyStopped(last, last.validation_fraction, last.n_iter_no_change)
    if own[0] == "cv" and _takes_folds(last, dependence):
        return OwnFolds(last)
    return last


def refuse_own_divisions(estimator: Any, dependence: Dependence, model: Model) -> None:
    """Refuse an estimator, its last step `as_declared`, that divides the rows in its own way."""
    piped = isinstance(estimator, Pipeline)
    steps = [step for _, step in estimator.steps] if piped else [estimator]
    for i, step in enumerate(steps):
        own_step = i >= len(steps) - len(model.parts)
        place = "preprocessing" if not own_step else "steps" if model.steps else "params"
        steered = step.estimator if isinstance(step, InnerDivided) else None
        for part in _parts(step):
            own = None if part is steered else _own(part, dependence.rows)
            if own is None:
                continue
            key, found = own
            instead = _INSTEAD.get(key) or _how_to_fold(part, dependence, last=part is steps[-1])
            raise Problem(
                (place,),
                f"{type(part).__name__} divides its training rows itself (`{key}`: "
                f"{shown(found)}): {dependence.torn}; {instead}",
            )


def _parts(step: Any) -> Iterator[Any]:
    yield step
    for value in step.get_params(deep=True).values() if hasattr(step, "get_params") else ():
        if hasattr(value, "get_params") and not inspect.isclass(value):
            yield value


def _own(part: Any, rows: int) -> tuple[str, Any] | None:
    """Return the parameter by which an estimator divides its rows, and its value."""
    if isinstance(part, InnerDivided) or not hasattr(part, "get_params"):
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


def _takes_folds(last: Any, dependence: Dependence) -> bool:
    """Tell whether an estimator can be given its folds."""
    return (
        type(last).__module__.startswith("sklearn.")
        and (last.cv is None or isinstance(last.cv, int | float))
        and not (dependence.key == "time" and _wants_all_rows(last))
    )


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

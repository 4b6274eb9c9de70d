"""Inner divisions of a training part, as the groups and times of its rows demand.

Searches, thresholds and early stopping divide the training rows; so do some estimators by
themselves. These are given their folds or the rows to watch, or are refused.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.model_selection import (
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if

from bakeoff.data.splits import blocks
from bakeoff.errors import Problem, UserError, shown
from bakeoff.fit.preprocessing import boosting_library
from bakeoff.spec.models import EarlyStopping, Model

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The rows to train on, and those to test or to watch."""

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
    y: NDArray[np.intp],
    into: int | float | NDArray[np.bool_],
    seed: int | None,
    groups: Any = None,
    times: Any = None,
    *,
    stratify: bool = True,
    rounded: Callable[[float], int] = round,
) -> list[Fold]:
    """Divide a training part: no group on both sides, past before future.

    `into` is a number of folds, the share of the rows to set apart, or which these are.
    """
    if isinstance(into, np.ndarray):
        return _named(y, into, groups, times)
    if isinstance(into, int):
        return _folds(y, into, seed, groups, times)
    if groups is not None:
        return _folds(y, max(2, min(round(1 / into), len(np.unique(groups)))), seed, groups)[:1]
    held = rounded(into * len(y))
    if not 0 < held < len(y):
        raise UserError(f"{into:g} of {len(y)} training rows is no part to validate on")
    if times is not None:
        return _consecutive(times, np.array([0, len(y) - held, len(y)]))
    divide = StratifiedShuffleSplit if stratify else ShuffleSplit
    try:
        return list(divide(1, test_size=held, random_state=seed).split(np.zeros(len(y)), y))
    except ValueError as error:  # a class of one row, or fewer rows than classes
        raise UserError(
            f"{into:g} of the training rows cannot be drawn to validate on: {error}"
        ) from None


def _folds(
    y: NDArray[np.intp], count: int, seed: int | None, groups: Any, times: Any = None
) -> list[Fold]:
    if times is not None:
        return _consecutive(times, np.linspace(0, len(y), count + 2).round().astype(int))
    if groups is not None and (n_groups := len(np.unique(groups))) < count:
        raise UserError(
            f"{n_groups} groups in the training part are too few for {count} inner folds"
        )
    if np.bincount(y).max() < count:
        raise UserError(f"{len(y)} training rows are too few for {count} inner folds")
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    divide = kind(count, shuffle=True, random_state=seed)
    return list(divide.split(np.zeros(len(y)), y, groups))


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


def _named(y: NDArray[np.intp], held: NDArray[np.bool_], groups: Any, times: Any) -> list[Fold]:
    """Set apart the rows of a training part that the data themselves name."""
    if held.all() or not held.any():
        raise UserError(
            f"{int(held.sum())} of {len(held)} training rows are for validation: some must be, "
            "and not all"
        )
    if len(np.unique(y[~held])) < len(np.unique(y)):
        raise UserError("a class has rows for validation only, none for training")
    if groups is not None and (both := set(groups[held]) & set(groups[~held])):
        raise UserError(
            f"{len(both)} group(s) are trained on and validated on, first {min(both)!r}"
        )
    if times is not None and (early := int((times[held] < times[~held].max()).sum())):
        raise UserError(
            f"{early} of {int(held.sum())} validation rows come before the last row that is "
            "trained on"
        )
    return [(np.flatnonzero(~held), np.flatnonzero(held))]


class InnerDivided(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator whose training rows are divided by `divided`, as their data set demands."""

    # Its fit takes groups and times of the rows beside their weights, so that these are cut with
    # the rows where a search or a threshold fits it on a part of them.

    estimator: Any
    random_state: int | None

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        row_groups: Any = None,
        row_times: Any = None,
    ) -> Any:
        """Divide the rows, and fit."""
        self.estimator_ = self._fitted(X, np.asarray(y), sample_weight, (row_groups, row_times))
        if is_classifier(self.estimator):
            self.classes_ = self.estimator_.classes_
        return self

    def _fitted(self, X: Any, y: Any, weights: Any, related: tuple[Any, Any]) -> Any:
        raise NotImplementedError

    def _divided(
        self,
        y: Any,
        into: int | float,
        related: tuple[Any, Any],
        rounded: Callable[[float], int] = round,
    ) -> list[Fold]:
        classes = is_classifier(self.estimator)
        strata = np.unique(y, return_inverse=True)[1] if classes else np.zeros(len(y), np.intp)
        how: Any = {"stratify": classes, "rounded": rounded}
        folds = divided(strata, into, self.random_state, *related, **how)
        if any(len(np.unique(strata[learned])) < len(np.unique(strata)) for learned, _ in folds):
            raise UserError(
                "all training rows of a class are in groups, or at times, that an inner division "
                "of the training rows sets apart: merge the class with another, or leave it out"
            )
        return folds

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


class OwnFolds(InnerDivided):
    """An estimator that makes folds of its training rows, which it is given."""

    def __init__(self, estimator: Any = None, random_state: int | None = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def _fitted(self, X: Any, y: Any, weights: Any, related: tuple[Any, Any]) -> Any:
        into = self.estimator.cv
        folds = self._divided(y, _FOLDS if into is None else into, related)
        given = {} if weights is None else {"sample_weight": weights}
        return clone(self.estimator).set_params(cv=folds).fit(X, y, **given)


class EarlyStopped(InnerDivided):
    """An estimator that watches a part of its training rows, which it is given."""

    def __init__(
        self,
        estimator: Any = None,
        fraction: float = 0.1,
        rounds: int = 10,
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.fraction = fraction
        self.rounds = rounds
        self.random_state = random_state

    def _fitted(self, X: Any, y: Any, weights: Any, related: tuple[Any, Any]) -> Any:
        ((learned, watched),) = self._divided(y, self.fraction, related, math.ceil)
        made = clone(self.estimator)
        learned_weights, watched_weights = (
            None if weights is None else weights[rows] for rows in (learned, watched)
        )
        part = _safe_indexing(X, watched), y[watched], watched_weights
        keywords = _watching(made, *part, self.rounds)
        X, y = _safe_indexing(X, learned), y[learned]
        return made.fit(X, y, sample_weight=learned_weights, **keywords)


def _watching(classifier: Any, X: Any, y: Any, weights: Any, rounds: int) -> dict[str, Any]:
    """Make a classifier stop early, and return the keywords of fit that name the watched rows."""
    listed = None if weights is None else [weights]
    match boosting_library(classifier):
        case "xgboost":
            classifier.set_params(early_stopping_rounds=rounds)
            return {"eval_set": [(X, y)], "sample_weight_eval_set": listed, "verbose": False}
        case "lightgbm":
            from lightgbm import early_stopping

            new = "eval_X" in inspect.signature(classifier.fit).parameters  # from 4.7 on
            return {
                **({"eval_X": X, "eval_y": y} if new else {"eval_set": [(X, y)]}),
                "eval_sample_weight": listed,
                "callbacks": [early_stopping(rounds, verbose=False)],
            }
        case "catboost":
            from catboost import Pool

            pool = Pool(X, y, weight=weights)
            return {"eval_set": pool, "early_stopping_rounds": rounds, "verbose": False}
    classifier.set_params(early_stopping=True, n_iter_no_change=rounds)
    return {"X_val": X, "y_val": y, "sample_weight_val": weights}


def with_early_stopping(
    classifier: Any, stopping: EarlyStopping, dependence: Dependence | None = None
) -> Any:
    """Return a classifier that stops early: scikit-learn's draw the rows that they watch."""
    params = classifier.get_params(deep=False)
    draws = {"validation_fraction", "n_iter_no_change"} <= set(params)
    if draws and dependence is None:
        options = {"validation_fraction": stopping.fraction, "n_iter_no_change": stopping.rounds}
        switch = {"early_stopping": True} if "early_stopping" in params else {}
        return classifier.set_params(**options, **switch)
    if boosting_library(classifier):
        return EarlyStopped(classifier, stopping.fraction, stopping.rounds)
    if draws and dependence is not None:
        raise Problem(
            ("early_stopping",),
            f"{type(classifier).__name__} draws the rows that it watches itself: "
            f"{dependence.torn}; XGBoost, LightGBM, CatBoost and HistGradientBoosting are given "
            "whole groups, or the last rows, to watch",
        )
    raise UserError(
        f"{type(classifier).__name__} cannot stop early; XGBoost, LightGBM, CatBoost and those "
        "of scikit-learn with `n_iter_no_change` can (HistGradientBoostingClassifier, "
        "GradientBoostingClassifier, MLPClassifier, SGDClassifier, …)"
    )


def iterations(classifier: Any) -> int | None:
    """Return the number of rounds after which a fitted classifier stopped, if it reports it."""
    inner = getattr(classifier, "estimator_", classifier)
    best = getattr(inner, "best_iteration", None)  # XGBoost counts from 0
    if isinstance(best, int):
        return best + 1
    names = ("best_iteration_", "n_estimators_", "n_iter_")
    rounds = next((getattr(inner, name) for name in names if hasattr(inner, name)), None)
    return int(rounds) if isinstance(rounds, int) else None


def as_declared(last: Any, stopping: EarlyStopping | None, dependence: Dependence | None) -> Any:
    """Return the last step so that its own divisions of the rows obey their dependence."""
    if stopping is not None:
        return with_early_stopping(last, stopping, dependence)
    division = None if dependence is None else _own_division(last, dependence.rows)
    if dependence is None or division is None:
        return last
    if division[0] == "early_stopping" and boosting_library(last) and last.validation_fraction < 1:
        return EarlyStopped(last, last.validation_fraction, last.n_iter_no_change)
    if (
        division[0] == "cv"
        and type(last).__module__.startswith("sklearn.")
        and (last.cv is None or isinstance(last.cv, int | float))
        and not (dependence.key == "time" and _wants_all_rows(last))
    ):
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

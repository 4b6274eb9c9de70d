"""Early stopping: an inner part of the training rows is watched while training.

Estimators of scikit-learn draw the part themselves; the boosting libraries want to be given it.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if

from bakeoff.errors import UserError
from bakeoff.fit.inner_divisions import divided
from bakeoff.fit.preprocessing import boosting_library
from bakeoff.fit.threshold import Fold
from bakeoff.spec.training_choices import EarlyStopping


def with_early_stopping(classifier: Any, stopping: EarlyStopping) -> Any:
    """Return a classifier that stops early."""
    if draws_watched_rows(classifier):
        options = {"validation_fraction": stopping.fraction, "n_iter_no_change": stopping.rounds}
        switch = {"early_stopping": True} if "early_stopping" in classifier.get_params() else {}
        return classifier.set_params(**options, **switch)
    if not can_watch(classifier):
        raise UserError(
            f"{type(classifier).__name__} cannot stop early; XGBoost, LightGBM, CatBoost and those "
            "of scikit-learn with `n_iter_no_change` can (HistGradientBoostingClassifier, "
            "GradientBoostingClassifier, MLPClassifier, SGDClassifier, …)"
        )
    return EarlyStopped(classifier, stopping.fraction, stopping.rounds)


def draws_watched_rows(classifier: Any) -> bool:
    """Tell whether an estimator draws the rows that it watches itself."""
    return {"validation_fraction", "n_iter_no_change"} <= set(classifier.get_params(deep=False))


def can_watch(classifier: Any) -> bool:
    """Tell whether an estimator can be given the rows that it watches."""
    return _library(classifier) in _WATCHING


def iterations(classifier: Any) -> int | None:
    """Return the number of rounds after which a fitted classifier stopped, if it reports it."""
    inner = getattr(classifier, "estimator_", classifier)
    best = getattr(inner, "best_iteration", None)  # XGBoost counts from 0
    if isinstance(best, int):
        return best + 1
    names = ("best_iteration_", "n_estimators_", "n_iter_")
    found = next((getattr(inner, name) for name in names if hasattr(inner, name)), None)
    return int(found) if isinstance(found, int) else None


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
        kin = {"groups": row_groups, "times": row_times}
        self.estimator_ = self._fitted(X, np.asarray(y), sample_weight, kin)
        if is_classifier(self.estimator):
            self.classes_ = self.estimator_.classes_
        return self

    def _fitted(self, X: Any, y: Any, weights: Any, kin: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    def _divided(self, y: Any, into: int | float, kin: Mapping[str, Any], **how: Any) -> list[Fold]:
        classes = is_classifier(self.estimator)
        strata = np.unique(y, return_inverse=True)[1] if classes else np.zeros(len(y), np.intp)
        folds = divided(strata, into, self.random_state, **kin, **how)
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

    def _fitted(self, X: Any, y: Any, weights: Any, kin: Mapping[str, Any]) -> Any:
        how = {"stratify": is_classifier(self.estimator), "rounded": math.ceil}
        ((learned, watched),) = self._divided(y, self.fraction, kin, **how)
        made = clone(self.estimator)
        own = None if weights is None else weights[learned]
        theirs = [] if weights is None else [weights[watched]]
        part = [_safe_indexing(X, watched), y[watched], *theirs]
        keywords = _WATCHING[_library(made)](made, part, self.rounds)
        return made.fit(_safe_indexing(X, learned), y[learned], sample_weight=own, **keywords)


# from a classifier, the (X, y, weights) to watch and the rounds to the keywords of its fit
Watching = Callable[[Any, list[Any], int], dict[str, Any]]


def _library(classifier: Any) -> str:
    """Name what knows how to watch rows; empty where nothing does."""
    histogram = type(classifier).__module__.startswith("sklearn.ensemble._hist_gradient_boosting")
    return "histogram" if histogram else boosting_library(classifier) or ""


def _xgboost(classifier: Any, watched: list[Any], rounds: int) -> dict[str, Any]:
    X, y, *weights = watched
    classifier.set_params(early_stopping_rounds=rounds)
    return {"eval_set": [(X, y)], "sample_weight_eval_set": weights or None, "verbose": False}


def _lightgbm(classifier: Any, watched: list[Any], rounds: int) -> dict[str, Any]:
    from lightgbm import early_stopping

    X, y, *weights = watched
    new = "eval_X" in inspect.signature(classifier.fit).parameters  # from 4.7 on
    return {
        **({"eval_X": X, "eval_y": y} if new else {"eval_set": [(X, y)]}),
        "eval_sample_weight": weights or None,
        "callbacks": [early_stopping(rounds, verbose=False)],
    }


def _catboost(classifier: Any, watched: list[Any], rounds: int) -> dict[str, Any]:
    from catboost import Pool

    X, y, *weights = watched
    pool = Pool(X, y, weight=weights[0] if weights else None)
    return {"eval_set": pool, "early_stopping_rounds": rounds, "verbose": False}


def _histogram(classifier: Any, watched: list[Any], rounds: int) -> dict[str, Any]:
    X, y, *weights = watched
    classifier.set_params(early_stopping=True, n_iter_no_change=rounds)
    return {"X_val": X, "y_val": y, "sample_weight_val": weights[0] if weights else None}


_WATCHING: dict[str, Watching] = {
    "histogram": _histogram,
    "xgboost": _xgboost,
    "lightgbm": _lightgbm,
    "catboost": _catboost,
}

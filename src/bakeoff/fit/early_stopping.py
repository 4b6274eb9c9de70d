"""Early stopping: an inner part of the training rows is watched while training.

Estimators of scikit-learn have it built in; the boosting libraries want to be given the part.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.model_selection import train_test_split
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from bakeoff.errors import UserError
from bakeoff.fit.preprocessing import boosting_library
from bakeoff.spec.training_choices import EarlyStopping


def with_early_stopping(classifier: Any, stopping: EarlyStopping) -> Any:
    """Return a classifier that stops early.

    Raises
    ------
    UserError
        It cannot.
    """
    parameters = classifier.get_params(deep=False)
    if {"validation_fraction", "n_iter_no_change"} <= set(parameters):
        options = {"validation_fraction": stopping.fraction, "n_iter_no_change": stopping.rounds}
        switch = {"early_stopping": True} if "early_stopping" in parameters else {}
        return classifier.set_params(**options, **switch)
    if _watching(classifier) is None:
        raise UserError(
            f"{type(classifier).__name__} cannot stop early; XGBoost, LightGBM, CatBoost and those "
            "of scikit-learn with `n_iter_no_change` can (HistGradientBoostingClassifier, "
            "GradientBoostingClassifier, MLPClassifier, SGDClassifier, …)"
        )
    return EarlyStopped(classifier, stopping.fraction, stopping.rounds)


def iterations(classifier: Any) -> int | None:
    """Return the number of rounds after which a fitted classifier stopped, if it reports it."""
    inner = getattr(classifier, "estimator_", classifier)
    best = getattr(inner, "best_iteration", None)  # XGBoost counts from 0
    if isinstance(best, int):
        return best + 1
    names = ("best_iteration_", "n_estimators_", "n_iter_")
    found = next((getattr(inner, name) for name in names if hasattr(inner, name)), None)
    return int(found) if isinstance(found, int) else None


class EarlyStopped(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A boosting library's estimator that watches a part of its training rows.

    Parameters
    ----------
    estimator : estimator
        Of XGBoost, LightGBM or CatBoost.
    fraction : float
        Share of the training rows to watch.
    rounds : int
        Rounds without gain after which to stop.
    random_state : int
        Draws the watched rows.
    """

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> EarlyStopped:
        """Fit on the rows that are not watched."""
        arrays = [X, y] if sample_weight is None else [X, y, sample_weight]
        strata = y if is_classifier(self.estimator) else None
        parts = train_test_split(
            *arrays, test_size=self.fraction, stratify=strata, random_state=self.random_state
        )
        (X, y, *weights), watched = parts[::2], parts[1::2]
        self.estimator_ = clone(self.estimator)
        watch = _watching(self.estimator_)
        assert watch is not None
        keywords = watch(self.estimator_, watched, self.rounds)
        self.estimator_.fit(X, y, sample_weight=weights[0] if weights else None, **keywords)
        if is_classifier(self.estimator):
            self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Predict labels or numbers."""
        return self.estimator_.predict(X)

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities."""
        return self.estimator_.predict_proba(X)

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)


# from a classifier, the (X, y, weights) to watch and the rounds to the keywords of its fit
Watching = Callable[[Any, list[Any], int], dict[str, Any]]


def _watching(classifier: Any) -> Watching | None:
    return _WATCHING.get(boosting_library(classifier) or "")


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


_WATCHING: dict[str, Watching] = {
    "xgboost": _xgboost,
    "lightgbm": _lightgbm,
    "catboost": _catboost,
}

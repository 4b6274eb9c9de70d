"""Early stopping: an inner, stratified part of the training rows is watched while training.

Estimators of scikit-learn have it built in; the boosting libraries want to be given the part.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import train_test_split
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from bakeoff.errors import UserError
from bakeoff.fit.preprocessing import boosting_library
from bakeoff.spec.models import EarlyStopping


def with_early_stopping(classifier: Any, stopping: EarlyStopping) -> Any:
    """Return a classifier that stops early.

    Raises
    ------
    UserError
        It cannot.
    """
    known = classifier.get_params(deep=False)
    if {"validation_fraction", "n_iter_no_change"} <= set(known):
        own = {"validation_fraction": stopping.fraction, "n_iter_no_change": stopping.rounds}
        switch = {"early_stopping": True} if "early_stopping" in known else {}
        return classifier.set_params(**own, **switch)
    if _watched_fit(classifier) is None:
        raise UserError(
            f"{type(classifier).__name__} cannot stop early; XGBoost, LightGBM, CatBoost and those "
            "of scikit-learn with `n_iter_no_change` can (HistGradientBoostingClassifier, "
            "GradientBoostingClassifier, MLPClassifier, SGDClassifier, …)"
        )
    return EarlyStopped(classifier, stopping.fraction, stopping.rounds)


def iterations(classifier: Any) -> int | None:
    """Return after how many rounds a fitted classifier stopped, where it tells."""
    inner = getattr(classifier, "estimator_", classifier)
    best = getattr(inner, "best_iteration", None)  # XGBoost counts from 0
    if isinstance(best, int):
        return best + 1
    names = ("best_iteration_", "n_estimators_", "n_iter_")
    found = next((getattr(inner, name) for name in names if hasattr(inner, name)), None)
    return int(found) if isinstance(found, int) else None


class EarlyStopped(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A boosting library's classifier that watches a part of its training rows.

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
        parts = train_test_split(
            *arrays, test_size=self.fraction, stratify=y, random_state=self.random_state
        )
        self.estimator_ = clone(self.estimator)
        fit = _watched_fit(self.estimator_)
        assert fit is not None
        fit(self.estimator_, parts[::2], parts[1::2], self.rounds)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Predict labels."""
        return self.estimator_.predict(X)

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities."""
        return self.estimator_.predict_proba(X)

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)


# the classifier, (X, y, weights) to learn from and to watch, and the rounds
Watched = Callable[[Any, list[Any], list[Any], int], None]


def _watched_fit(classifier: Any) -> Watched | None:
    return _WATCHED.get(boosting_library(classifier) or "")


def _xgboost(classifier: Any, learnt: list[Any], watched: list[Any], rounds: int) -> None:
    X, y, *weights = learnt
    classifier.set_params(early_stopping_rounds=rounds)
    classifier.fit(
        X,
        y,
        sample_weight=weights[0] if weights else None,
        eval_set=[tuple(watched[:2])],
        sample_weight_eval_set=watched[2:] or None,
        verbose=False,
    )


def _lightgbm(classifier: Any, learnt: list[Any], watched: list[Any], rounds: int) -> None:
    from lightgbm import early_stopping

    X, y, *weights = learnt
    if "eval_X" in inspect.signature(classifier.fit).parameters:  # from 4.7 on
        watch = {"eval_X": watched[0], "eval_y": watched[1]}
    else:
        watch = {"eval_set": [tuple(watched[:2])]}
    classifier.fit(
        X,
        y,
        sample_weight=weights[0] if weights else None,
        **watch,
        eval_sample_weight=watched[2:] or None,
        callbacks=[early_stopping(rounds, verbose=False)],
    )


def _catboost(classifier: Any, learnt: list[Any], watched: list[Any], rounds: int) -> None:
    from catboost import Pool

    X, y, *weights = learnt
    weight = watched[2] if watched[2:] else None
    classifier.fit(
        X,
        y,
        sample_weight=weights[0] if weights else None,
        eval_set=Pool(watched[0], watched[1], weight=weight),
        early_stopping_rounds=rounds,
        verbose=False,
    )


_WATCHED: dict[str, Watched] = {"xgboost": _xgboost, "lightgbm": _lightgbm, "catboost": _catboost}

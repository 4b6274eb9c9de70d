"""Search for parameters inside a training part: the inner half of nested cross-validation."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import cohen_kappa_score, get_scorer, get_scorer_names, make_scorer
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline

from bakeoff.errors import Problem, UserError, unknown
from bakeoff.fit.early_stopping import InnerDivided
from bakeoff.fit.estimator import accepts, check_values, made_value, parameter_names
from bakeoff.fit.threshold import Fold
from bakeoff.spec.scorings import SCORINGS
from bakeoff.spec.training_choices import Distribution, Tune

_SCORERS: Mapping[str, Any] = {**SCORINGS, "kappa": make_scorer(cohen_kappa_score)}
_TWO_CLASSES = {
    *("f1", "precision", "recall", "jaccard", "roc_auc", "average_precision"),
    *("positive_likelihood_ratio", "neg_negative_likelihood_ratio", "d2_brier_score"),
}


@dataclasses.dataclass(frozen=True)
class Tuned:
    """The result of a search."""

    estimator: Any
    params: Mapping[str, Any]
    score: float


def search(
    estimator: Any,
    tune: Tune,
    X: Any,
    y: NDArray[Any],
    folds: Sequence[Fold],
    keywords: Mapping[str, Any],
    seed: int,
) -> Tuned:
    """Find the best parameters on a training part, preprocessing within the search."""
    names = full_names(estimator, tune.space)
    usual = estimator.get_params(deep=True)
    space = {names[k]: _values(given, usual.get(names[k])) for k, given in tune.space.items()}
    search = _searcher(estimator, tune, space, list(folds), seed).fit(X, y, **keywords)
    score = float(search.cv_results_["mean_test_score"][search.best_index_])
    if math.isnan(score):
        raise UserError(f"{tune.scoring} is undefined on the inner folds: choose another `scoring`")
    best = {name: search.best_params_[full] for name, full in names.items()}
    tuned = clone(estimator).set_params(**search.best_params_)
    return Tuned(tuned, {name: _plain(value) for name, value in best.items()}, score)


def check_tuning(estimator: Any, tune: Tune) -> None:
    """Refuse parameters that an estimator does not have, and values that it does not take."""
    scorer(tune.scoring)
    names, usual = full_names(estimator, tune.space), estimator.get_params(deep=True)
    for name, given in tune.space.items():
        for value in [] if isinstance(given, Distribution) else given:
            try:
                made = made_value(value, usual.get(names[name]))
                check_values(estimator, {names[name]: made})
            except UserError as error:
                raise Problem(("space", name), str(error)) from None


def is_for_two_classes(scoring: str) -> bool:
    """Tell whether a score is undefined for more than two classes."""
    return scoring in _TWO_CLASSES


def scorer(name: str) -> Any:
    """Return a scorer of scikit-learn by its name or by that of one of our metrics."""
    scorers = {*get_scorer_names(), *_SCORERS}
    if name not in scorers:
        raise UserError(unknown("scoring", name, scorers))
    return get_scorer(_SCORERS.get(name, name))


def full_names(estimator: Any, names: Sequence[str] | Mapping[str, Any]) -> dict[str, str]:
    """Map parameters as an experiment names them to their names in the whole pipeline."""
    prefix, last = "", estimator
    if isinstance(last, Pipeline):
        prefix, last = f"{last.steps[-1][0]}__", last.steps[-1][1]
    if isinstance(last, InnerDivided):
        prefix, last = f"{prefix}estimator__", last.estimator
    own = [*parameter_names(type(last)), *last.get_params(deep=True)]
    others = {
        name
        for name in estimator.get_params(deep=True)
        if "__" in name and not (prefix and name.startswith(prefix))
    }
    translated = {}
    for name in names:
        if name in own or ("__" not in name and accepts(type(last), name, own)):
            translated[name] = prefix + name
        elif name in others:
            translated[name] = name
        else:
            allowed = sorted(n for n in own if "__" not in n) + sorted(others)
            raise UserError(unknown(f"parameter of {type(last).__name__}:", name, allowed))
    return translated


def _values(given: list[Any] | Distribution, default: Any = None) -> Any:
    """Return a list of values, or a distribution."""
    if not isinstance(given, Distribution):
        return [made_value(value, default) for value in given]
    from scipy import stats

    if given.loguniform is not None:
        return stats.loguniform(*given.loguniform)
    if given.randint is not None:
        first, last = given.randint
        return stats.randint(first, last + 1)
    assert given.uniform is not None
    low, high = given.uniform
    return stats.uniform(low, high - low)


def _searcher(
    estimator: Any, tune: Tune, space: dict[str, Any], folds: list[Fold], seed: int
) -> Any:
    shared = {
        "cv": folds,
        "scoring": scorer(tune.scoring),
        "refit": False,
        "error_score": "raise",
    }
    drawn = any(not isinstance(values, list) for values in space.values())
    size = math.inf if drawn else math.prod(len(values) for values in space.values())
    if tune.search == "grid":
        return GridSearchCV(estimator, space, **shared)
    if tune.search == "random":
        count = int(min(tune.n_iter or 10, size))
        return RandomizedSearchCV(estimator, space, n_iter=count, random_state=seed, **shared)
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV, HalvingRandomSearchCV

    if not drawn and tune.n_iter is None:
        return HalvingGridSearchCV(estimator, space, random_state=seed, **shared)
    wanted = "exhaust" if tune.n_iter is None else int(min(tune.n_iter, size))
    return HalvingRandomSearchCV(estimator, space, n_candidates=wanted, random_state=seed, **shared)


def _plain(value: Any) -> Any:
    """Return a parameter's value as JSON has it."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)

"""Train a model: search for parameters, choose a threshold, fit. No test row is seen."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import cohen_kappa_score, get_scorer, get_scorer_names, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.pipeline import Pipeline
from sklearn.utils.class_weight import compute_sample_weight

from bakeoff.data.describe import Rows
from bakeoff.data.splits import blocks, dealt_groups, drawn_share
from bakeoff.data.target import TrainingTarget
from bakeoff.errors import UserError, unknown
from bakeoff.fit.estimator import (
    accepts,
    assemble,
    by_code,
    has_class_weight,
    last_step,
    made_value,
    parameter_names,
)
from bakeoff.seeds import part_of
from bakeoff.spec.metrics import SCORINGS
from bakeoff.spec.models import ChosenThreshold, Criterion, Distribution, Model, Tune

CostMatrix = NDArray[np.float64]
Scores = NDArray[np.float64]
Weights = NDArray[np.float64]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The rows to train on, and those to test."""

_SCORERS: Mapping[str, Any] = {**SCORINGS, "kappa": make_scorer(cohen_kappa_score)}


@dataclasses.dataclass(frozen=True)
class TrainingPart:
    """The training data of a model."""

    features: pd.DataFrame
    target: TrainingTarget
    weights: Weights | None = None
    groups: Any = None
    times: Any = None
    rows: Rows | None = None

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802
        """Return the features of these rows, a fresh copy where rows are selected."""
        return self.features if self.rows is None else self.features.iloc[self.rows]

    def folds(self, count: int, seed: int) -> list[Fold]:
        """Divide the rows into inner folds: no group on both sides, past before future."""
        strata, groups = self.target.strata, self.groups
        if self.times is not None:
            edges = np.linspace(0, len(strata), count + 2).round().astype(int)
            block = self._in_time(np.diff(edges) / edges[-1])
            parts = range(1, count + 1)
            return [(np.flatnonzero(block < part), np.flatnonzero(block == part)) for part in parts]
        if groups is not None and (n_groups := len(np.unique(groups))) < count:
            raise UserError(
                f"{n_groups} groups in the training part are too few for {count} inner folds"
            )
        if np.bincount(strata).max() < count:
            raise UserError(f"{len(strata)} training rows are too few for {count} inner folds")
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        divide = kind(count, shuffle=True, random_state=seed)
        return list(divide.split(np.zeros(len(strata)), strata, groups))

    def validation(self, share: float, seed: int) -> Fold:
        """Set a share of the rows apart to validate on: whole groups, or the latest rows."""
        strata, shares = self.target.strata, np.array([1 - share, share])
        rng = np.random.default_rng(seed)
        if self.times is not None:
            assigned = self._in_time(shares)
        elif self.groups is not None:
            assigned = dealt_groups(strata, self.groups, shares, True, rng)
        else:
            assigned = drawn_share(strata, share, True, rng).astype(np.intp)
        apart = int(assigned.sum())
        if not 0 < apart < len(strata):
            raise UserError(
                f"{share:g} of the {len(strata)} training rows would set {apart} apart to validate "
                "on: choose another share"
            )
        return np.flatnonzero(assigned == 0), np.flatnonzero(assigned == 1)

    def _in_time(self, shares: NDArray[np.float64]) -> NDArray[np.intp]:
        """Cut the rows into parts in the order of time, as near to the shares as ties allow."""
        try:
            return blocks(np.asarray(self.times), shares)
        except ValueError as error:
            raise UserError(f"in the training part {error}") from None


@dataclasses.dataclass(frozen=True)
class TrainedModel:
    """A model fitted on a training part."""

    estimator: Any
    threshold: float | None
    chosen: Mapping[str, Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict positions in the training part's classes, or numbers."""
        if self.threshold is None:
            return np.asarray(self.estimator.predict(X)).ravel()
        return (_positive_scores(self.estimator, X) >= self.threshold).astype(np.intp)


def train(
    model: Model, part: TrainingPart, seed: np.random.SeedSequence, costs: CostMatrix | None = None
) -> TrainedModel:
    """Train a model on a training part."""
    y, classes, weights = part.target.y, part.target.classes, part.weights
    estimator = assemble(model, part.features, seed, classes)
    if model.class_weight is not None and not has_class_weight(last_step(estimator)):
        each: Weights = compute_sample_weight(by_code(model.class_weight, classes), y)
        weights = each if weights is None else each * weights
    chosen: dict[str, Any] = {}
    if model.tune is not None:
        estimator, params, score = _search(model.tune, estimator, part, weights, seed)
        chosen |= {"params": params, "inner_score": score}
    threshold = None if len(classes) != 2 else model.threshold
    if isinstance(threshold, ChosenThreshold):
        threshold = _choose_threshold(threshold, estimator, part, weights, seed, costs)
        chosen["threshold"] = threshold
    # the untransformed rows are freed before the last step learns
    last, X = last_step(estimator), part.X
    if last is not estimator:
        X = estimator[:-1].fit_transform(X, y)
    last.fit(X, y, **_weighted(last, weights))
    return TrainedModel(estimator, threshold, chosen)


def _weighted(estimator: Any, weights: Weights | None, rows: Any = slice(None)) -> dict[str, Any]:
    """Return what to call fit with so that the weights of rows reach the last step."""
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    return {} if weights is None else {f"{prefix}sample_weight": weights[rows]}


# The search for parameters: the inner half of nested cross-validation.


def _search(
    tune: Tune,
    estimator: Any,
    part: TrainingPart,
    weights: Weights | None,
    seed: np.random.SeedSequence,
) -> tuple[Any, dict[str, Any], float]:
    """Return an estimator with the best parameters, these, and their score."""
    names, space = full_names(estimator, tune.space), search_space(estimator, tune)
    if tune.cv is None:
        assert tune.validation is not None
        folds = [part.validation(tune.validation, part_of(seed, "tune-validation"))]
    else:
        folds = part.folds(tune.cv, part_of(seed, "tune-folds"))
    how: dict[str, Any] = {
        "cv": folds,
        "scoring": scorer(tune.scoring),
        "refit": False,
        "error_score": "raise",
    }
    if tune.search == "grid":
        search: Any = GridSearchCV(estimator, space, **how)
    else:
        drawn = any(not isinstance(values, list) for values in space.values())
        size = math.inf if drawn else math.prod(len(values) for values in space.values())
        how |= {"n_iter": int(min(tune.n_iter or 10, size)), "random_state": part_of(seed, "tune")}
        search = RandomizedSearchCV(estimator, space, **how)
    search.fit(part.X, part.target.y, **_weighted(estimator, weights))
    score = float(search.cv_results_["mean_test_score"][search.best_index_])
    if math.isnan(score):
        where = "inner folds" if tune.cv is not None else "validation rows"
        raise UserError(f"{tune.scoring} is undefined on the {where}: choose another `scoring`")
    best = {name: _plain(search.best_params_[full]) for name, full in names.items()}
    return clone(estimator).set_params(**search.best_params_), best, score


def full_names(estimator: Any, names: Sequence[str] | Mapping[str, Any]) -> dict[str, str]:
    """Map parameters as an experiment names them to their names in the whole pipeline."""
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    last, every = last_step(estimator), estimator.get_params(deep=True)
    of_last = [*parameter_names(type(last)), *last.get_params(deep=True)]
    others = {n for n in every if "__" in n and not (prefix and n.startswith(prefix))}
    translated = {}
    for name in names:
        if name in of_last or ("__" not in name and accepts(type(last), name, of_last)):
            translated[name] = prefix + name
        elif name in others:
            translated[name] = name
        else:
            allowed = sorted(n for n in of_last if "__" not in n) + sorted(others)
            raise UserError(unknown(f"parameter of {type(last).__name__}:", name, allowed))
    return translated


def search_space(estimator: Any, tune: Tune) -> dict[str, Any]:
    """Map the full names of parameters to their values, or to a distribution of them."""
    names, usual = full_names(estimator, tune.space), estimator.get_params(deep=True)
    return {names[k]: _values(given, usual.get(names[k])) for k, given in tune.space.items()}


def _values(given: list[Any] | Distribution, default: Any) -> Any:
    if not isinstance(given, Distribution):
        return [made_value(value, default) for value in given]
    from scipy import stats

    if given.loguniform is not None:
        return stats.loguniform(*given.loguniform)
    if given.randint is not None:
        return stats.randint(given.randint[0], given.randint[1] + 1)
    assert given.uniform is not None
    low, high = given.uniform
    return stats.uniform(low, high - low)


def _plain(value: Any) -> Any:
    """Return a parameter's value as JSON has it."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def scorer(name: str) -> Any:
    """Return a scorer of scikit-learn by its name or by that of one of our metrics."""
    if not has_scorer(name):
        raise UserError(unknown("scoring", name, {*get_scorer_names(), *_SCORERS}))
    return get_scorer(_SCORERS.get(name, name))


def has_scorer(name: str) -> bool:
    """Tell whether scikit-learn has a scorer of this name, or of one of our metrics."""
    return name in _SCORERS or name in get_scorer_names()


# The threshold of a two-class prediction.


def _choose_threshold(
    wanted: ChosenThreshold,
    estimator: Any,
    part: TrainingPart,
    weights: Weights | None,
    seed: np.random.SeedSequence,
    costs: CostMatrix | None,
) -> float:
    """Choose by predictions of every training row from a fit that did not see it."""
    X, y, scores = part.X, part.target.y, np.full(len(part.target.y), np.nan)
    for inner, left_out in part.folds(wanted.cv, part_of(seed, "threshold-folds")):
        keywords = _weighted(estimator, weights, inner)
        fitted = clone(estimator).fit(X.iloc[inner], y[inner], **keywords)
        scores[left_out] = _positive_scores(fitted, X.iloc[left_out])
    scored = ~np.isnan(scores)  # the first rows in time are in no inner test part
    return best_threshold(
        y[scored],
        scores[scored],
        wanted.choose,
        default=0.5 if hasattr(estimator, "predict_proba") else 0.0,
        weights=None if part.weights is None else part.weights[scored],
        costs=costs,
    )


def _positive_scores(estimator: Any, X: Any) -> Scores:
    """Return what the threshold is set on: probabilities of class 1, or decision values."""
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X), dtype=np.float64)[:, 1]
    return np.asarray(estimator.decision_function(X), dtype=np.float64).ravel()


def best_threshold(
    y: NDArray[np.intp],
    scores: Scores,
    criterion: Criterion,
    default: float,
    weights: Weights | None = None,
    costs: CostMatrix | None = None,
) -> float:
    """Return the threshold from which on class 1 is predicted that makes a criterion best."""
    w = np.ones(len(y)) if weights is None else weights
    distinct, at = np.unique(scores, return_inverse=True)
    edges = [np.nextafter(distinct[-1], np.inf)]
    candidates = np.concatenate([distinct[:1], (distinct[1:] + distinct[:-1]) / 2, edges])
    # weight of each class below each candidate: those rows are predicted negative
    tn, fn = (
        np.append(0.0, np.cumsum(np.bincount(at, w * (y == c), len(distinct)))) for c in (0, 1)
    )
    gain = _gain(criterion, tn, tn[-1] - tn, fn, fn[-1] - fn, costs)
    best = candidates[np.isclose(gain, gain.max(), rtol=1e-12, atol=1e-12)]
    return float(best[np.abs(best - default).argmin()])


def _gain(criterion: Criterion, tn: Scores, fp: Scores, fn: Scores, tp: Scores, costs: Any) -> Any:
    """Return what a criterion makes of a 2×2 table of weights, for each candidate."""

    def ratio(above: Scores, below: Scores) -> Scores:
        # 0 where there is nothing to divide by, as scikit-learn has it
        return np.divide(above, below, out=np.zeros_like(above), where=below != 0)

    match criterion:
        case "accuracy":
            return tn + tp
        case "cost":
            total = costs[0, 0] * tn + costs[0, 1] * fp + costs[1, 0] * fn + costs[1, 1] * tp
            return -total
        case "f1" | "jaccard":  # J and F1 = 2J / (1 + J) are best in the same place
            return ratio(tp, tp + fp + fn)
        case "kappa":  # half of it
            return ratio(tp * tn - fn * fp, (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))
        case "mcc":
            root = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
            return ratio(tp * tn - fp * fn, root)
        case "balanced_accuracy" | "youden":  # (J + 1) / 2 and J are best in the same place
            return tp / fn[-1] + tn / tn[-1]

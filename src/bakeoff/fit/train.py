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
    parameter_names,
    parameter_value,
)
from bakeoff.seeds import part_of
from bakeoff.spec.metrics import SCORINGS
from bakeoff.spec.models import ChosenThreshold, Criterion, Distribution, Model, Tune

CostMatrix = NDArray[np.float64]
Scores = NDArray[np.float64]
Weights = NDArray[np.float64]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The rows to train on, and those to test."""

_DRAWS = 10
"""Settings that a random search tries where nobody says how many."""
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
        if self.rows is None:
            return self.features
        return self.features.iloc[self.rows]

    def folds(self, count: int, seed: int) -> list[Fold]:
        """Divide the rows into inner folds: no group on both sides, past before future."""
        strata = self.target.strata
        if self.times is not None:
            return self._folds_in_time(count)
        kind = StratifiedKFold
        if self.groups is not None:
            kind = StratifiedGroupKFold
            n_groups = len(np.unique(self.groups))
            if n_groups < count:
                raise UserError(
                    f"{n_groups} groups in the training part are too few for {count} inner folds"
                )
        if np.bincount(strata).max() < count:
            raise UserError(f"{len(strata)} training rows are too few for {count} inner folds")
        splitter = kind(count, shuffle=True, random_state=seed)
        return list(splitter.split(np.zeros(len(strata)), strata, self.groups))

    def _folds_in_time(self, count: int) -> list[Fold]:
        """Divide the rows into blocks of time, each tested by a fit on all earlier ones."""
        n_rows = len(self.target.strata)
        # one block more than folds: nothing is earlier than the first one, which is never tested
        edges = np.linspace(0, n_rows, count + 2).round().astype(int)
        block = self._in_time(np.diff(edges) / edges[-1])
        folds = []
        for tested in range(1, count + 1):
            folds.append((np.flatnonzero(block < tested), np.flatnonzero(block == tested)))
        return folds

    def validation(self, share: float, seed: int) -> Fold:
        """Set a share of the rows apart to validate on: whole groups, or the latest rows."""
        strata = self.target.strata
        shares = np.array([1 - share, share])
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
    y = part.target.y
    classes = part.target.classes
    estimator = assemble(model, part.features, seed, classes)
    weights = _weights_of_rows(model, part, last_step(estimator))
    chosen: dict[str, Any] = {}
    if model.tune is not None:
        estimator, params, score = _search(model.tune, estimator, part, weights, seed)
        chosen["params"] = params
        chosen["inner_score"] = score
    threshold = None
    if len(classes) == 2:
        threshold = model.threshold
    if isinstance(threshold, ChosenThreshold):
        threshold = _choose_threshold(threshold, estimator, part, weights, seed, costs)
        chosen["threshold"] = threshold
    last = last_step(estimator)
    X: Any = part.X
    if last is not estimator:
        # the untransformed rows are freed before the last step learns
        X = estimator[:-1].fit_transform(X, y)
    last.fit(X, y, **_weighted(last, weights))
    return TrainedModel(estimator, threshold, chosen)


def _weights_of_rows(model: Model, part: TrainingPart, last: Any) -> Weights | None:
    """Return the weights of rows, times those of classes where an estimator has no own ones."""
    if model.class_weight is None or has_class_weight(last):
        return part.weights
    by_class = by_code(model.class_weight, part.target.classes)
    weights: Weights = compute_sample_weight(by_class, part.target.y)
    if part.weights is not None:
        weights = weights * part.weights
    return weights


def _weighted(estimator: Any, weights: Weights | None, rows: Any = slice(None)) -> dict[str, Any]:
    """Return what to call fit with so that the weights of rows reach the last step."""
    if weights is None:
        return {}
    return {f"{_prefix(estimator)}sample_weight": weights[rows]}


def _prefix(estimator: Any) -> str:
    """Return what a pipeline calls its last step, before the names of its parameters."""
    if not isinstance(estimator, Pipeline):
        return ""
    name, _ = estimator.steps[-1]
    return f"{name}__"


# --- the search for parameters: the inner half of nested cross-validation


def _search(
    tune: Tune,
    estimator: Any,
    part: TrainingPart,
    weights: Weights | None,
    seed: np.random.SeedSequence,
) -> tuple[Any, dict[str, Any], float]:
    """Return an estimator with the best parameters, these, and their score."""
    if tune.cv is None:
        assert tune.validation is not None
        rows_of_score = "validation rows"
        folds = [part.validation(tune.validation, part_of(seed, "tune-validation"))]
    else:
        rows_of_score = "inner folds"
        folds = part.folds(tune.cv, part_of(seed, "tune-folds"))
    settings: dict[str, Any] = {
        "cv": folds,
        "scoring": scorer(tune.scoring),
        "refit": False,  # `train` fits the best one, once its threshold is chosen
        "error_score": "raise",
    }
    space = search_space(estimator, tune)
    if tune.search == "grid":
        search: Any = GridSearchCV(estimator, space, **settings)
    else:
        n_iter = int(min(tune.n_iter or _DRAWS, _size(space)))
        random_state = part_of(seed, "tune")
        search = RandomizedSearchCV(
            estimator, space, n_iter=n_iter, random_state=random_state, **settings
        )
    search.fit(part.X, part.target.y, **_weighted(estimator, weights))
    scores = search.cv_results_["mean_test_score"]
    score = float(scores[search.best_index_])
    if math.isnan(score):
        raise UserError(
            f"{tune.scoring} is undefined on the {rows_of_score}: choose another `scoring`"
        )
    names = full_names(estimator, tune.space)
    best = {name: _plain(search.best_params_[full]) for name, full in names.items()}
    return clone(estimator).set_params(**search.best_params_), best, score


def _size(space: Mapping[str, Any]) -> float:
    """Return how many settings a space has: infinitely many with a distribution."""
    size = 1
    for values in space.values():
        if not isinstance(values, list):
            return math.inf
        size *= len(values)
    return size


def full_names(estimator: Any, names: Sequence[str] | Mapping[str, Any]) -> dict[str, str]:
    """Map parameters as an experiment names them to their names in the whole pipeline."""
    prefix = _prefix(estimator)
    last = last_step(estimator)
    of_last = list(parameter_names(type(last)))
    of_last += last.get_params(deep=True)
    of_other_steps = set()
    for name in estimator.get_params(deep=True):
        belongs_to_last = bool(prefix) and name.startswith(prefix)
        if "__" in name and not belongs_to_last:
            of_other_steps.add(name)
    translated = {}
    for name in names:
        if name in of_last or ("__" not in name and accepts(type(last), name, of_last)):
            translated[name] = prefix + name
        elif name in of_other_steps:
            translated[name] = name
        else:
            allowed = sorted(n for n in of_last if "__" not in n) + sorted(of_other_steps)
            raise UserError(unknown(f"parameter of {type(last).__name__}:", name, allowed))
    return translated


def search_space(estimator: Any, tune: Tune) -> dict[str, Any]:
    """Map the full names of parameters to their values, or to a distribution of them."""
    names = full_names(estimator, tune.space)
    defaults = estimator.get_params(deep=True)
    space = {}
    for name, values in tune.space.items():
        full_name = names[name]
        space[full_name] = _values(values, defaults.get(full_name))
    return space


def _values(values: list[Any] | Distribution, default: Any) -> Any:
    """Return the values to try as scikit-learn takes them."""
    if not isinstance(values, Distribution):
        return [parameter_value(value, default) for value in values]
    from scipy import stats

    if values.loguniform is not None:
        return stats.loguniform(*values.loguniform)
    if values.randint is not None:
        low, high = values.randint
        return stats.randint(low, high + 1)
    assert values.uniform is not None
    start, end = values.uniform
    return stats.uniform(start, end - start)


def _plain(value: Any) -> Any:
    """Return a parameter's value as JSON has it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return repr(value)


def scorer(name: str) -> Any:
    """Return a scorer of scikit-learn by its name or by that of one of our metrics."""
    if not has_scorer(name):
        raise UserError(unknown("scoring", name, {*get_scorer_names(), *_SCORERS}))
    return get_scorer(_SCORERS.get(name, name))


def has_scorer(name: str) -> bool:
    """Tell whether scikit-learn has a scorer of this name, or of one of our metrics."""
    return name in _SCORERS or name in get_scorer_names()


# --- the threshold of a two-class prediction


def _choose_threshold(
    wanted: ChosenThreshold,
    estimator: Any,
    part: TrainingPart,
    weights: Weights | None,
    seed: np.random.SeedSequence,
    costs: CostMatrix | None,
) -> float:
    """Choose by predictions of every training row from a fit that did not see it."""
    X = part.X
    y = part.target.y
    scores = np.full(len(y), np.nan)
    for inner, left_out in part.folds(wanted.cv, part_of(seed, "threshold-folds")):
        weighted = _weighted(estimator, weights, inner)
        fitted = clone(estimator).fit(X.iloc[inner], y[inner], **weighted)
        scores[left_out] = _positive_scores(fitted, X.iloc[left_out])
    # the first rows in time are in no inner test part
    scored = ~np.isnan(scores)
    default = 0.0
    if hasattr(estimator, "predict_proba"):
        default = 0.5
    weights_of_scored = None
    if part.weights is not None:
        weights_of_scored = part.weights[scored]
    return best_threshold(
        y[scored],
        scores[scored],
        wanted.choose,
        default=default,
        weights=weights_of_scored,
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
    if weights is None:
        weights = np.ones(len(y))
    # only the order of the scores counts: one candidate below all, one between two neighbours,
    # and one above all
    distinct, position = np.unique(scores, return_inverse=True)
    between = (distinct[1:] + distinct[:-1]) / 2
    above_all = np.nextafter(distinct[-1], np.inf)
    candidates = np.concatenate([distinct[:1], between, [above_all]])
    # weight of each class below each candidate: those rows are predicted negative
    negatives = np.bincount(position, weights * (y == 0), len(distinct))
    positives = np.bincount(position, weights * (y == 1), len(distinct))
    tn = np.append(0.0, np.cumsum(negatives))
    fn = np.append(0.0, np.cumsum(positives))
    # and above it: those are predicted positive
    fp = tn[-1] - tn
    tp = fn[-1] - fn
    gain = _gain(criterion, tn, fp, fn, tp, costs)
    best = candidates[np.isclose(gain, gain.max(), rtol=1e-12, atol=1e-12)]
    # of several that are equally good the one nearest to where classes are usually cut
    nearest = np.abs(best - default).argmin()
    return float(best[nearest])


def _gain(criterion: Criterion, tn: Scores, fp: Scores, fn: Scores, tp: Scores, costs: Any) -> Any:
    """Return what a criterion makes of a 2×2 table of weights, for each candidate."""

    def ratio(above: Scores, below: Scores) -> Scores:
        # 0 where there is nothing to divide by, as scikit-learn has it
        return np.divide(above, below, out=np.zeros_like(above), where=below != 0)

    match criterion:
        case "accuracy":
            return tn + tp
        case "cost":
            # rows of the matrix are true classes, columns predicted ones
            total = costs[0, 0] * tn + costs[0, 1] * fp + costs[1, 0] * fn + costs[1, 1] * tp
            return -total
        case "f1" | "jaccard":
            # J and F1 = 2J / (1 + J) are best in the same place
            return ratio(tp, tp + fp + fn)
        case "kappa":
            # half of κ = 2(tp · tn − fn · fp)/((tp + fp)(fp + tn) + (tp + fn)(fn + tn))
            return ratio(tp * tn - fn * fp, (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))
        case "mcc":
            root = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
            return ratio(tp * tn - fp * fn, root)
        case "balanced_accuracy" | "youden":
            # (J + 1) / 2 and J are best in the same place
            return tp / fn[-1] + tn / tn[-1]

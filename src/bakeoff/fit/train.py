"""Train a model: search for parameters, choose a threshold, fit. No test row is seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.describe import Rows
from bakeoff.data.target import TrainingTarget
from bakeoff.fit.assemble import assemble, final, keywords, last_step
from bakeoff.fit.early_stopping import iterations
from bakeoff.fit.inner_divisions import divided
from bakeoff.fit.own_divisions import Dependence
from bakeoff.fit.prepared import fit_before_last
from bakeoff.fit.threshold import Fold, best_threshold, out_of_fold, positive_scores
from bakeoff.fit.tuning import search
from bakeoff.fit.weights import Weights, training_weights
from bakeoff.seeds import part_of
from bakeoff.spec.models import Model
from bakeoff.spec.training_choices import ChosenThreshold, ValidationRows

CostMatrix = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class TrainingPart:
    """The training data of a model."""

    features: pd.DataFrame
    target: TrainingTarget
    weights: Weights | None = None
    groups: Any = None
    times: Any = None
    validation: Any = None
    rows: Rows | None = None

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802
        """Return the features of these rows, a fresh copy where rows are selected."""
        return self.features if self.rows is None else self.features.iloc[self.rows]

    @property
    def y(self) -> NDArray[Any]:
        """Labels, positions in `classes`; or numbers."""
        return self.target.y

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that occur, in the data set's order; none where numbers are learned."""
        return self.target.classes

    @property
    def dependence(self) -> Dependence | None:
        """How the rows depend on each other, where the data set says so."""
        if self.groups is None and self.times is None:
            return None
        return Dependence("time" if self.groups is None else "groups", len(self.y))

    def folds(
        self, count: int, seed: int, validation: float | ValidationRows | None = None
    ) -> list[Fold]:
        """Divide the rows for choosing parameters, a threshold or a number of rounds."""
        into: Any = count if validation is None else validation
        if isinstance(validation, ValidationRows):
            into = np.isin(self.validation, validation.names)
        folds = divided(self.target.strata, into, seed, self.groups, self.times)
        return [(np.sort(learned), np.sort(tested)) for learned, tested in folds]


@dataclasses.dataclass(frozen=True)
class TrainedModel:
    """A model fitted on a training part."""

    estimator: Any
    threshold: float | None
    chosen: Mapping[str, Any]

    @property
    def last(self) -> TrainedModel:
        """The part of a model that predicts from preprocessed rows."""
        return dataclasses.replace(self, estimator=last_step(self.estimator))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict positions in the training part's classes, or numbers."""
        if self.threshold is None:
            return np.asarray(self.estimator.predict(X)).ravel()
        return (positive_scores(self.estimator, X) >= self.threshold).astype(np.intp)


def train(
    model: Model, part: TrainingPart, seed: np.random.SeedSequence, costs: CostMatrix | None = None
) -> TrainedModel:
    """Train a model on a training part."""
    estimator = assemble(model, part.features, seed, part.classes, part.dependence)
    weights = training_weights(
        final(estimator), model.class_weight, part.y, part.classes, part.weights
    )
    chosen: dict[str, Any] = {}
    if model.tune is not None:
        tune, number = model.tune, part_of(seed, "tune-folds")
        folds = part.folds(tune.cv, number, tune.validation)
        given = keywords(estimator, weights, part.groups, part.times)
        found = search(estimator, model.tune, part.X, part.y, folds, given, part_of(seed, "tune"))
        estimator = found.estimator
        chosen |= {"params": found.params, "inner_score": found.score}
    threshold = None if len(part.classes) != 2 else model.threshold
    if isinstance(threshold, ChosenThreshold):
        threshold = _choose_threshold(threshold, estimator, part, weights, seed, costs)
        chosen["threshold"] = threshold
    _fit(estimator, part, weights)
    if model.early_stopping is not None:
        chosen["iterations"] = iterations(last_step(estimator))
    return TrainedModel(estimator, threshold, chosen)


def _fit(estimator: Any, part: TrainingPart, weights: Weights | None) -> None:
    """Fit on all rows; the untransformed rows are freed before the last step is fitted."""
    last = last_step(estimator)
    seen = part.X if last is estimator else fit_before_last(estimator, part.X, part.y)
    last.fit(seen, part.y, **keywords(last, weights, part.groups, part.times))


def _choose_threshold(
    wanted: ChosenThreshold,
    estimator: Any,
    part: TrainingPart,
    weights: Weights | None,
    seed: np.random.SeedSequence,
    costs: CostMatrix | None,
) -> float:
    folds = part.folds(wanted.cv, part_of(seed, "threshold-folds"))
    scores = out_of_fold(
        estimator,
        part.X,
        part.y,
        folds,
        lambda rows: keywords(
            estimator,
            *(None if all_ is None else all_[rows] for all_ in (weights, part.groups, part.times)),
        ),
    )
    scored = ~np.isnan(scores)  # the first rows in time are in no inner test part
    return best_threshold(
        part.y[scored],
        scores[scored],
        wanted.choose,
        default=0.5 if hasattr(estimator, "predict_proba") else 0.0,
        weights=None if part.weights is None else part.weights[scored],
        costs=costs,
    )

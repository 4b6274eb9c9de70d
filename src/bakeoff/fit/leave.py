"""What a fit leaves beside its predictions: the fitted model, and how much its columns matter."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.model_selection import FixedThresholdClassifier

from bakeoff.data.target import TrainingTarget
from bakeoff.errors import UserError
from bakeoff.files import whole, write_json
from bakeoff.fit.train import TrainedModel, has_scorer, scorer

SHUFFLES = 5
"""How often each column is shuffled."""


def keep(path: Path, trained: TrainedModel, columns: list[str], classes: tuple[str, ...]) -> None:
    """Write a fitted model as a pickle of joblib, which nothing of this package reads."""
    content = {
        "estimator": trained.estimator,
        "threshold": trained.threshold,
        "classes": list(classes),
        "features": columns,
    }
    with whole(path) as part:
        try:
            joblib.dump(content, part, compress=("zlib", 3))
        except OSError:
            raise
        # whatever a part of the model raises
        except Exception as error:
            raise UserError(
                f"`keep: true`: this model cannot be written ({type(error).__name__}: {error}); "
                "leave `keep` out"
            ) from error


def write_importance(
    path: Path,
    trained: TrainedModel,
    tested: pd.DataFrame,
    answers: NDArray[Any],
    target: TrainingTarget,
    wanted: tuple[str, str],
    seed: int,
) -> None:
    """Write how much the score on the test rows falls when a column is shuffled (Breiman 2001).

    The score is the first of two metrics that scikit-learn has; `answers` are those of the data
    set.
    """
    scoring = next(name for name in wanted if has_scorer(name))
    if target.classes:
        # no estimator knows a class that it was not trained on
        known = np.isin(answers, target.present)
        tested = tested[known]
        answers = np.searchsorted(target.present, answers[known])
    model = trained.estimator
    if trained.threshold is not None:
        fitted = FrozenEstimator(model)
        model = FixedThresholdClassifier(fitted, threshold=trained.threshold, pos_label=1)
        # learns that there are two classes
        model.fit(tested, np.arange(len(tested)) % 2)
    try:
        falls = permutation_importance(
            model,
            tested,
            answers,
            scoring=scorer(scoring),
            n_repeats=SHUFFLES,
            random_state=seed,
        )
    # whatever the estimator or the scorer raises
    except Exception as error:
        raise UserError(
            f"`importance: true`: {scoring} cannot be computed with shuffled columns "
            f"({type(error).__name__}: {error}); leave `importance` out"
        ) from error
    losses_by_column = {}
    for column, losses in zip(tested.columns, falls.importances.tolist(), strict=True):
        losses_by_column[str(column)] = list(map(_or_none, losses))
    write_json(path, {"metric": wanted[0], "scoring": scoring, "losses": losses_by_column})


def _or_none(loss: float) -> float | None:
    """Return a loss, None for one that is not defined: JSON has no number for it."""
    if math.isfinite(loss):
        return loss
    return None

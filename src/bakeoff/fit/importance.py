"""Permutation importance (Breiman 2001) by scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.model_selection import FixedThresholdClassifier

from bakeoff.errors import UserError
from bakeoff.fit.train import TrainedModel
from bakeoff.fit.tuning import scorer
from bakeoff.spec.importance import Importance


def importance(
    trained: TrainedModel, X: pd.DataFrame, y: NDArray[Any], wanted: Importance, seed: int
) -> dict[str, Any]:
    """Measure the fall of the score when each column of the test rows is shuffled."""
    model = trained.estimator
    if trained.threshold is not None:
        held = FrozenEstimator(model)
        model = FixedThresholdClassifier(held, threshold=trained.threshold, pos_label=1)
        model.fit(X, np.arange(len(X)) % 2)  # learns that there are two classes, and no more
    try:
        found = permutation_importance(
            model,
            X,
            y,
            scoring=scorer(wanted.scoring),
            n_repeats=wanted.repeats,
            random_state=seed,
        )
    except Exception as error:  # whatever the estimator or the scorer raises
        raise UserError(
            f"`importance: {{scoring: {wanted.scoring}}}` cannot be computed for this model "
            f"({type(error).__name__}: {error}); choose another score"
        ) from error
    return {
        "scoring": wanted.scoring,
        "repeats": wanted.repeats,
        "features": [str(name) for name in X.columns],
        "mean": found.importances.mean(axis=1).tolist(),
        "sd": found.importances.std(axis=1, ddof=1).tolist(),
    }

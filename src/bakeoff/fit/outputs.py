"""Predictions of a fitted estimator, checked to be valid labels and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.data.columns import LARGEST, beyond
from bakeoff.data.table import PROBABILITY_SLACK
from bakeoff.data.target import TrainingTarget
from bakeoff.errors import UserError


def predicted_answers(predicted: NDArray[Any], n_rows: int, target: TrainingTarget) -> NDArray[Any]:
    """Return predicted classes as codes of the data set, or predicted numbers."""
    if len(target.present):
        return predicted_classes(predicted, n_rows, target.present)
    numbers = np.asarray(predicted, dtype=np.float64)
    if len(numbers) != n_rows:
        raise UserError(f"it predicts {len(numbers)} numbers for {n_rows} rows")
    _check_finite(numbers[:, None], "predictions")
    if (largest := np.abs(numbers).max(initial=0.0)) > LARGEST:
        raise UserError(f"it diverged: it predicts {beyond(largest)}")
    return numbers


def predicted_classes(
    predicted: NDArray[Any], n_rows: int, present: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the class codes of predicted labels."""
    if len(predicted) != n_rows:
        raise UserError(f"it predicts {len(predicted)} labels for {n_rows} rows")
    strange = ~np.isin(predicted, np.arange(len(present)))
    if strange.any():
        raise UserError(
            f"it predicts {predicted[strange][0]} for {int(strange.sum())} of {n_rows} rows, the "
            f"labels that it was trained on are 0 to {len(present) - 1}"
        )
    codes: NDArray[np.intp] = present[predicted.astype(np.intp)]
    return codes


def predicted_probabilities(
    estimator: Any, X: Any, n_rows: int, present: NDArray[np.intp], n_classes: int
) -> tuple[NDArray[np.float64] | None, str]:
    """Return class probabilities, or None and why they are none."""
    if not hasattr(estimator, "predict_proba"):
        return None, ""
    values = np.asarray(estimator.predict_proba(X))
    expected = n_rows, len(present)
    if values.shape != expected:
        raise UserError(f"its probabilities have the shape {values.shape}, expected {expected}")
    _check_finite(values, "probabilities")
    off = ((values < -PROBABILITY_SLACK) | (values > 1 + PROBABILITY_SLACK)).any(axis=1)
    off |= np.abs(values.sum(axis=1) - 1) > PROBABILITY_SLACK
    if off.any():
        first = ", ".join(f"{p:.3g}" for p in values[off][0])
        return None, (
            f"its outputs for {int(off.sum())} of {n_rows} rows are no probabilities: not between "
            f"0 and 1, or their sum is not 1 (first: {first})"
        )
    full = np.zeros((n_rows, n_classes))
    full[:, present] = values
    return full, ""


def predicted_decision(estimator: Any, X: Any) -> NDArray[np.float64] | None:
    """Return decision values, shape (n, K) or (n, 1); None where there are probabilities."""
    if hasattr(estimator, "predict_proba") or not hasattr(estimator, "decision_function"):
        return None
    values = np.asarray(estimator.decision_function(X), dtype=np.float64)
    values = values.reshape(len(values), -1)
    _check_finite(values, "decision values")
    return values


def _check_finite(values: NDArray[np.float64], what: str) -> None:
    if not np.isfinite(values).all():
        rows = int((~np.isfinite(values)).any(axis=1).sum())
        raise UserError(f"it diverged: {what} of {rows} of {len(values)} rows are not finite")

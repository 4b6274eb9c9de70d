"""Predictions of a test set or of all folds: tables, and reports of skore by their attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bakeoff.errors import UserError


def is_of_folds(result: Any) -> bool:
    """Tell whether an object is a `CrossValidationReport`."""
    return hasattr(result, "get_predictions") and hasattr(result, "split_indices")


def is_table(result: Any) -> bool:
    """Tell whether an object is a table of predictions with labels of folds."""
    return hasattr(result, "columns") and "fold" in result.columns


def predictions_of(report: Any, response_method: str) -> Any:
    """Return what a report predicts of test rows, of folds a list; None if it cannot say this."""
    try:
        return report.get_predictions(data_source="test", response_method=response_method)
    except (AttributeError, TypeError, ValueError):
        return None


def of_reports(y: Any, predictions: Any) -> tuple[Any, Any]:
    """Put truth and predictions in place of each `EstimatorReport`."""
    if not isinstance(predictions, Mapping):
        return y, predictions
    found = dict(predictions)
    for model, one in predictions.items():
        if is_of_folds(one):
            raise UserError(
                f"predictions[{model!r}]: found a report of cross-validation: "
                "`bakeoff.compare_folds` compares these"
            )
        if not (hasattr(one, "get_predictions") and hasattr(one, "y_test")):
            continue
        truth = np.asarray(one.y_test).ravel()
        y = truth if y is None else y
        if not np.array_equal(np.asarray(y), truth):
            raise UserError(
                f"predictions[{model!r}]: its report is about other test rows than y, or than the "
                "reports before it"
            )
        sure = predictions_of(one, "predict_proba")
        found[model] = np.asarray(predictions_of(one, "predict") if sure is None else sure)
    return y, found

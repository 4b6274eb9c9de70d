"""What scikit-learn calls metrics as scorings, of which the greater value is the better one."""

from __future__ import annotations

from collections.abc import Mapping

SCORINGS: Mapping[str, str] = {
    "error": "accuracy",
    "mcc": "matthews_corrcoef",
    "log_loss": "neg_log_loss",
    "brier": "neg_brier_score",
    "mae": "neg_mean_absolute_error",
    "mse": "neg_mean_squared_error",
    "rmse": "neg_root_mean_squared_error",
    "msle": "neg_mean_squared_log_error",
    "rmsle": "neg_root_mean_squared_log_error",
    "mape": "neg_mean_absolute_percentage_error",
    "median_absolute_error": "neg_median_absolute_error",
    "max_error": "neg_max_error",
    "poisson_deviance": "neg_mean_poisson_deviance",
    "gamma_deviance": "neg_mean_gamma_deviance",
}
"""The names of our metrics that are called otherwise there."""

METRICS_OF: Mapping[str, str] = {
    scoring: name for name, scoring in SCORINGS.items() if name != "error"
}
"""Our names of scorers that are called otherwise there."""

NEGATED: Mapping[str, str] = {
    scoring: name for name, scoring in SCORINGS.items() if scoring.startswith("neg_")
}
"""Losses with their sign turned, and the metrics that they are."""

"""Metrics from predictions."""

from bakeoff.scores.collect import collect_predictions, score_fits
from bakeoff.scores.metrics import METRICS, POINTS, Metric, Need, counted_rows, metrics_of, score

__all__ = [
    "METRICS",
    "POINTS",
    "Metric",
    "Need",
    "collect_predictions",
    "counted_rows",
    "metrics_of",
    "score",
    "score_fits",
]

"""Metrics from predictions."""

from bakeoff.scores.collect import collect_predictions, score_fits
from bakeoff.scores.metrics import METRICS, POINTS, Metric, Need, metrics_of

__all__ = [
    "METRICS",
    "POINTS",
    "Metric",
    "Need",
    "collect_predictions",
    "metrics_of",
    "score_fits",
]

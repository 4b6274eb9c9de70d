"""Metrics from predictions."""

from bakeoff.scores.collect import collect_predictions, score_fits
from bakeoff.scores.metrics import METRICS, Metric

__all__ = ["METRICS", "Metric", "collect_predictions", "score_fits"]

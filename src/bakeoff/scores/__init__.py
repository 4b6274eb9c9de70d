"""Metrics from predictions."""

from bakeoff.scores.collect import collect_predictions, score_fits
from bakeoff.scores.metrics import METRICS, POINTS, Metric, Need

__all__ = ["METRICS", "POINTS", "Metric", "Need", "collect_predictions", "score_fits"]

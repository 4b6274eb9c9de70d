"""The metrics: each from one set of predictions, each knows which way is better.

They are ours, and not scikit-learn's, for speed alone: a study scores 100,000 fits, and
scikit-learn's checks cost a millisecond a call. The tests hold them to scikit-learn's values.
"""

from importlib import import_module

from bakeoff.scores.metrics.entry import METRICS, POINTS, Metric, Need
from bakeoff.scores.metrics.given import metrics_of

__all__ = ["METRICS", "POINTS", "Metric", "Need", "metrics_of"]

for _kind in (
    "labels",
    "areas",
    "probabilities",
    "mean_costs",
):  # the order that tables list them in
    import_module(f"{__name__}.{_kind}")

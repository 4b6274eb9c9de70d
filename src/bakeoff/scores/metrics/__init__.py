"""The metrics of `bakeoff.stats` and the experiment's own, applied to the predictions of fits.

None is scikit-learn's, for speed alone: a study scores 100,000 fits, and scikit-learn's checks cost
a millisecond a call. The tests hold them to scikit-learn's values.
"""

from bakeoff.scores.metrics.entry import (
    METRICS,
    check_metrics,
    counted_rows,
    no_metric,
    of_other_task,
    score,
    told_examples,
)
from bakeoff.scores.metrics.given import metrics_of, mixed_units
from bakeoff.stats.metrics.metric import POINTS, Metric, Need

__all__ = [
    "METRICS",
    "POINTS",
    "Metric",
    "Need",
    "check_metrics",
    "counted_rows",
    "metrics_of",
    "mixed_units",
    "no_metric",
    "of_other_task",
    "score",
    "told_examples",
]

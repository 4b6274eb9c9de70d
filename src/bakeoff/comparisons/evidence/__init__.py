"""What the tests are fed with, cut from the collected scores and predictions."""

from bakeoff.comparisons.evidence.collected import (
    fold_scores,
    read_fold_predictions,
    read_predictions,
    read_scores,
    read_values,
)
from bakeoff.comparisons.evidence.metric import (
    engine_metric,
    has_interval,
    has_row_values,
    has_test,
)
from bakeoff.comparisons.evidence.of_rows import FoldPredictions, PairedPredictions, PairedValues
from bakeoff.comparisons.evidence.of_runs import CrossedRuns
from bakeoff.comparisons.evidence.of_scores import DatasetScores, FoldCriteria, FoldScores

RowEvidence = PairedPredictions | PairedValues
AnyEvidence = (
    FoldScores | FoldCriteria | FoldPredictions | RowEvidence | CrossedRuns | DatasetScores
)

__all__ = [
    "AnyEvidence",
    "CrossedRuns",
    "DatasetScores",
    "FoldCriteria",
    "FoldPredictions",
    "FoldScores",
    "PairedPredictions",
    "PairedValues",
    "RowEvidence",
    "engine_metric",
    "fold_scores",
    "has_interval",
    "has_row_values",
    "has_test",
    "read_fold_predictions",
    "read_predictions",
    "read_scores",
    "read_values",
]

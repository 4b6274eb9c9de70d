"""How small a test's p-value can be at all: too few rows or data sets never tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bakeoff.comparisons.evidence import AnyEvidence, DatasetScores, PairedPredictions
from bakeoff.comparisons.family import Context, run_test
from bakeoff.spec import Experiment
from bakeoff.stats import Entry, Evidence, TypeOneError

FEW = 100
"""From here on rows set no limit that matters."""


def smallest_p(entry: Entry, experiment: Experiment, rows: int | None = None) -> float:
    """Return the smallest adjusted p-value that a test could give, were one model ahead throughout.

    Parameters
    ----------
    rows : int, optional
        The rows of the test set, where they are known.

    Returns
    -------
    float
        The p-value on the clearest evidence; 0 where the evidence sets no limit, or is not known.
    """
    if entry.type1 is TypeOneError.BAYESIAN or "margin" in entry.options:
        return 0.0
    context = Context("", "", experiment.metrics[0], True, experiment.tests)
    found = [
        row for data in _clearest(entry, experiment, rows) for row in run_test(entry, data, context)
    ]
    if not found:
        return 0.0
    pairs = [row for row in found if row.role == "pair"] or found
    return min((row.pvalue_adjusted for row in pairs if row.pvalue_adjusted >= 0), default=1.0)


def _clearest(entry: Entry, experiment: Experiment, rows: int | None) -> Iterator[AnyEvidence]:
    """Let the first model be ahead of all others throughout, then the last one."""
    models, k = tuple(experiment.models), len(experiment.models)
    if entry.evidence is Evidence.DATASET_SCORES:
        n = len(experiment.datasets)
        lead = np.outer(1 + np.arange(n) / (10 * n), np.arange(k)[::-1] / (2 * k))
        noisy = lead.copy()
        noisy[0, 1:] = lead[0, :0:-1]  # some tests need noise, if only between the others
        for scores in (lead, lead[:, ::-1], noisy, noisy[:, ::-1]):
            yield DatasetScores(models, tuple(experiment.datasets), scores)
    independent = entry.evidence is Evidence.CORRECTNESS and entry.in_groups
    if independent and rows is not None and 0 < rows < FEW:
        for best in (0, k - 1):
            right = np.zeros((rows, k), dtype=np.int8)
            right[:, best] = 1
            yield PairedPredictions(models, ("no", "yes"), np.ones(rows, np.int8), right)

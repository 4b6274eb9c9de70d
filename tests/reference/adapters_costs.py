"""Reference adapters: cost-sensitive tests from tables of counts."""

from __future__ import annotations

import numpy as np

from bakeoff.stats.rows.costs import cost_sensitive_from_counts
from tests.reference.told import Inputs, Values, told


def _cost_sensitive(inputs: Inputs, variant: str) -> Values:
    k = inputs["n_classes"]
    counts = np.zeros((k, k, k), dtype=int)
    for i, j, true, count in inputs["counts"]:
        counts[i - 1, j - 1, true - 1] += count
    result = cost_sensitive_from_counts(counts, cost=inputs["cost"], variant=variant)
    return told(result) | {
        "e1": result.details["cost_a"],
        "e2": result.details["cost_b"],
        "misclassification1": result.details["misclassification_a"],
        "misclassification2": result.details["misclassification_b"],
        # no root: status "undefined", NaN as in the reference. The labels cost the same on
        # every row: status "identical_scores", statistic 0 and p 1, also as in the reference.
        "convention": {},
    }


ADAPTERS = {
    ("cost_sensitive", "likelihood_ratio"): lambda i: _cost_sensitive(i, "likelihood_ratio"),
    ("cost_sensitive", "chi_square"): lambda i: _cost_sensitive(i, "chi_square"),
}

"""What the errors of two classifiers cost on rows that come in groups."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from bakeoff.stats.core.checks import FloatArray, IntArray
from bakeoff.stats.design.cluster_result import ClusteredResult
from bakeoff.stats.design.clusters import Clusters
from bakeoff.stats.design.group_differences import Settings, result_of


def in_groups(
    truth: IntArray,
    first: IntArray,
    second: IntArray,
    matrix: FloatArray,
    clusters: Clusters,
    settings: Settings,
) -> ClusteredResult:
    """Compare the costs of labels A and B, given as codes, on rows in groups."""
    cost_a, cost_b = matrix[truth, first], matrix[truth, second]
    d, noise = cost_b - cost_a, 1e-12 * float(matrix.max())
    result = result_of(
        "cost_sensitive",
        np.where(np.abs(d) <= noise, 0.0, d),
        noise,
        clusters,
        settings,
        null="The errors of the two fitted models cost the same on average on the population that "
        "the groups were drawn from.",
    )
    mean_b = float(cost_b.mean())
    own = {
        "cost_a": float(cost_a.mean()),
        "cost_b": mean_b,
        "misclassification_a": float((first != truth).mean()),
        "misclassification_b": float((second != truth).mean()),
        "n_cost_discordant": int(np.count_nonzero(d)),
        "cost": matrix.tolist(),
    }
    return dataclasses.replace(
        result,
        effect_sizes={"relative_cost_reduction": result.estimate / mean_b if mean_b else math.nan},
        details={**result.details, **own},
    )

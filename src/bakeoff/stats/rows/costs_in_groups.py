"""What the errors of two classifiers cost on rows that come in groups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative
from bakeoff.stats.design.cluster_result import ClusteredResult
from bakeoff.stats.design.clusters import as_clusters
from bakeoff.stats.rows.clustered_means import result_of, settings_of
from bakeoff.stats.rows.labels import as_cost, as_label_codes

__all__ = ["clustered_costs"]


@register(
    title="Cost difference for groups of rows",
    evidence=Evidence.LABELS,
    arity=Arity.PAIR,
    about="models",
    answers="Do the errors of one of these two fitted models cost less on average on new groups?",
    plans=("holdout",),
    citation="canay2017",
    caution="With few groups it needs group effects that are as likely one way as the other, "
    "which cannot be tested.",
)
def clustered_costs(
    y_true: ArrayLike,
    pred_a: ArrayLike,
    pred_b: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    cost: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
    variant: Literal["sign_flip", "sign_flip_exact", "influence_t", "robust_t"] = "sign_flip",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    seed: int = 0,
) -> ClusteredResult:
    """Test whether two models have the same expected misclassification cost on rows in groups.

    Parameters
    ----------
    y_true, pred_a, pred_b : array_like, shape (N,)
        True labels and the labels that A and B predict, of any one kind.
    groups : array_like, shape (N,), optional
        The group of each row; without it each row is a group of its own.
    cost : array_like, shape (C, C), optional
        ``cost[k, i]`` ≥ 0 is the cost of predicting class i where the truth is class k; the
        diagonal is 0. Without it every error costs 1.
    classes : sequence of length C, optional
        The labels in the order of the rows and columns of `cost`.
    variant, n_resamples, seed
        As in `clustered_mean_difference` (Canay, Romano & Shaikh 2017; Satterthwaite 1946; Bell &
        McCaffrey 2002).
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is better, its errors cost less.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    ClusteredResult
        `estimate` is B's mean cost less A's (positive favours A).

    Raises
    ------
    ValueError
        For unequal lengths, missing labels, labels outside `classes`, or a cost matrix that is
        not square, has negative entries or a diagonal that is not 0.

    Examples
    --------
    >>> y, a = ["no", "yes"] * 8, ["no", "yes", "no", "yes", "no", "no", "no", "yes"] * 2
    >>> b = ["yes", "yes", "no", "no", "no", "no", "yes", "yes"] * 2
    >>> result = clustered_costs(
    ...     y, a, b, groups=[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8],
    ...     cost=[[0, 1], [5, 0]], classes=["no", "yes"])
    >>> result.estimate, result.pvalue
    (0.875, 0.015625)
    """
    settings = settings_of(variant, alternative, confidence_level, n_resamples, seed)
    names, truth, first, second = as_label_codes(y_true, pred_a, pred_b, classes)
    matrix = as_cost(cost, max(len(names), 2))
    cost_a, cost_b = matrix[truth, first], matrix[truth, second]
    d, noise = cost_b - cost_a, 1e-12 * float(matrix.max())
    result = result_of(
        "clustered_costs",
        np.where(np.abs(d) <= noise, 0.0, d),
        noise,
        as_clusters(groups, len(d)),
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

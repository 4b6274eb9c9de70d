"""What the tests of two models over data sets share: the scores that both have."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.ranks import as_dataset_pair
from bakeoff.stats.core.registry import ANY_PLAN, Arity, Evidence
from bakeoff.stats.core.result import Alternative, Result, Status

PAIR: dict[str, Any] = {
    "evidence": Evidence.DATASET_SCORES,
    "arity": Arity.PAIR,
    "about": "algorithms",
    "plans": ANY_PLAN,
}


def scored_by_both(
    scores_a: ArrayLike, scores_b: ArrayLike, missing: str, greater_is_better: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the oriented scores of the data sets that both models have a score on."""
    omit = missing == "omit"
    a, b = as_dataset_pair(
        scores_a, scores_b, greater_is_better=greater_is_better, allow_missing=omit
    )
    both = ~(np.isnan(a) | np.isnan(b))
    return a[both], b[both]


def never_met(alternative: Alternative) -> Result:
    """Return the result of two models without a common data set."""
    nan = math.nan
    return Result(statistic=nan, pvalue=nan, n=0, alternative=alternative, status=Status.TOO_FEW)


def superiority(d: FloatArray) -> float:
    """Return the share of data sets that A wins, draws half."""
    return float(((d > 0) + 0.5 * (d == 0)).mean())

"""Tests of two models over data sets, run on all pairs of a table."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from bakeoff.stats.core.arithmetic import as_dataset_table
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.pairs import PairwiseResult, by_pairs, check_correction
from bakeoff.stats.core.result import Alternative, Result, Status
from bakeoff.stats.datasets.rank_tests import RankTable, with_ranks
from bakeoff.stats.datasets.sign_flips import SIGN_FLIPS, Order, with_sign_flips
from bakeoff.stats.datasets.standings import bradley_terry

FEWEST_DATASETS = 6
"""Data sets with scores of both models below which no pair of several is decided: the smallest
two-sided p-value of five is .0625."""


def compare_pairs(
    test: Callable[..., Result],
    scores: Any,
    order: Order,
    *,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: int | None = None,
    confidence_level: float = 0.95,
    control: int | None = None,
    correction: str = "holm",
    alternative: Alternative = "two-sided",
    leader_only: bool = False,
    **options: Any,
) -> PairwiseResult:
    """Test all pairs of columns, or those of the leader, with ranks for a diagram.

    Scores come as the test takes them; `order` says what sign flips go by.
    """
    table = as_dataset_table(
        scores, greater_is_better=greater_is_better, allow_missing=missing == "omit"
    )
    has_gaps = bool(np.isnan(table).any())
    # average ranks over different data sets do not compare
    if has_gaps:
        ranks = bradley_terry(table, decimals=decimals).expected_rank
    else:
        ranks = RankTable(table, decimals=decimals).average
    shown = control
    if leader_only:
        shown = int(ranks.argmin())
    method = check_correction(correction, shown, alternative, SIGN_FLIPS)
    by_flips = method == SIGN_FLIPS
    if by_flips:
        method = "none"  # of the pairs alone: their flips together follow

    @functools.wraps(test)  # by_pairs reads the options that it takes
    def compare(a: FloatArray, b: FloatArray, **how: Any) -> Result:
        result = test(a, b, greater_is_better=True, decimals=decimals, missing=missing, **how)
        if not has_gaps or result.n >= FEWEST_DATASETS:
            return result
        return dataclasses.replace(result, status=Status.TOO_FEW, pvalue=math.nan)

    whole = by_pairs(
        compare,
        (),
        table.T,
        control=shown,
        correction=method,
        alternative=alternative,
        confidence_level=confidence_level,
        leader_only=leader_only,
        **options,
    )
    if by_flips:
        whole = with_sign_flips(whole, table, order, control=control, decimals=decimals)
    return with_ranks(whole, ranks.tolist(), confidence_level)

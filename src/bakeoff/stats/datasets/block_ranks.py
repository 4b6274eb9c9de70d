"""What the rank tests of "all are alike" share: facts, degenerate cases, assumptions."""

from __future__ import annotations

import math
from typing import Any

from scipy import special

from bakeoff.stats.core.registry import ANY_PLAN, Arity, Evidence
from bakeoff.stats.core.result import Assumption, Status
from bakeoff.stats.datasets.friedman_ranks import RankTable

OMNIBUS: dict[str, Any] = {
    "evidence": Evidence.DATASET_SCORES,
    "arity": Arity.OMNIBUS,
    "about": "algorithms",
    "plans": ANY_PLAN,
}
NULL = "On every data set like these, all {k} algorithms are equally likely to take each rank."


def block_status(table: RankTable) -> Status:
    """Name the case of a table of ranks."""
    if table.total == 0:
        return Status.IDENTICAL_SCORES
    return Status.TOO_FEW if table.n < 2 else Status.OK


def degenerate_pvalue(status: Status, pvalue: float) -> float:
    """Return the p-value, or what the status puts in its place."""
    if status is Status.OK:
        return pvalue
    return 1.0 if status is Status.IDENTICAL_SCORES else math.nan


def block_f(n: int, k: int, between: int, residual: int, status: Status) -> tuple[float, float]:
    """Return F = (N−1)·between/residual and its p-value under the status conventions."""
    if status is Status.IDENTICAL_SCORES:
        return 0.0, 1.0
    if status is Status.TOO_FEW:
        return math.nan, math.nan
    if status is Status.ZERO_VARIANCE:
        return math.inf, math.nan
    statistic = (n - 1) * between / residual
    return statistic, float(special.fdtrc(k - 1, (k - 1) * (n - 1), statistic))


def rank_details(table: RankTable) -> dict[str, Any]:
    """Return what every test on ranks within data sets has in its details."""
    return {
        "average_ranks": table.average.tolist(),
        "rank_sums": table.ranks.sum(axis=0).tolist(),
        "chi2_uncorrected": 3 * table.between / (table.n * table.k * (table.k + 1)),
    }


def perfect_agreement(table: RankTable, status: Status) -> dict[str, float]:
    """Return the exact probability that all data sets rank alike, where they do."""
    if status is not Status.ZERO_VARIANCE:
        return {}
    return {"p_perfect_agreement": table.agreement_probability()}


def agreement(perfect: bool) -> Assumption:
    """Say whether any variance is left to compare with."""
    return Assumption(
        name="residual variance",
        holds=not perfect,
        detail="Every data set ranks the models in the same way: F is infinite and its p-value "
        "undecided; details give the exact probability of such agreement, and friedman decides."
        if perfect
        else "The data sets do not all rank the models in the same way.",
    )


def two_models(k: int) -> Assumption:
    """Say that two models have a better test."""
    return Assumption(
        name="more than two models",
        holds=k > 2,
        detail=f"{k} models; for two use wilcoxon_signed_rank."
        if k == 2
        else f"{k} models are compared.",
    )


def friedman_assumptions(table: RankTable, *, asymptotic: bool) -> tuple[Assumption, ...]:
    """Judge the χ² approximation of Friedman's statistic."""
    if not asymptotic:
        return (two_models(table.k),)
    return (
        two_models(table.k),
        Assumption(
            name="chi-square approximation",
            holds=table.n > 10 and table.k > 5,
            detail=f"{table.n} data sets and {table.k} models; it is good from about 10 data sets "
            "and 5 models on, and conservative below (iman_davenport is less so).",
        ),
    )

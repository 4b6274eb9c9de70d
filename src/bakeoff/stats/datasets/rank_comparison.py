"""Comparing models by their average ranks: what the procedures after Friedman's test share."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from scipy import special

from bakeoff.stats.core.pairs import Pair
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Status
from bakeoff.stats.core.tails import normal_pvalue, t_pvalue
from bakeoff.stats.datasets.friedman_ranks import RankTable


@dataclasses.dataclass(frozen=True, kw_only=True)
class RankComparison:
    """How every pair of one family is compared: by z (df None) or by Student's t."""

    table: RankTable
    status: Status
    alternative: Alternative
    error: float
    df: float | None = None
    half: float | None = None  # half-width of the single-step intervals
    level: float
    method: str

    def pair(self, a: int, b: int) -> Pair:
        """Compare two models by their column numbers."""
        sums = self.table.doubled_sums
        # from integers, so that equal rank sums give exactly 0
        estimate = float(sums[b] - sums[a]) / (2 * self.table.n)
        status = self.status
        if (
            self.table.ranks[:, a] == self.table.ranks[:, b]
        ).all() and status is not Status.TOO_FEW:
            status = Status.IDENTICAL_SCORES
        statistic, pvalue = self._test(estimate, status)
        bounded = self.half is not None and status is not Status.TOO_FEW
        return Pair(
            a=a,
            b=b,
            statistic=statistic,
            df=self.df,
            pvalue=pvalue,
            pvalue_adjusted=pvalue,
            estimate=estimate,
            ci=self._interval(estimate) if bounded else None,
            status=status,
        )

    def _test(self, estimate: float, status: Status) -> tuple[float, float]:
        if status is Status.IDENTICAL_SCORES:
            return 0.0, 1.0
        if status is Status.TOO_FEW:
            return math.nan, math.nan
        if status is Status.ZERO_VARIANCE:
            return math.copysign(math.inf, estimate), math.nan
        statistic = estimate / self.error
        if self.df is None:
            return statistic, normal_pvalue(statistic, self.alternative)
        return statistic, t_pvalue(statistic, self.df, self.alternative)

    def _interval(self, estimate: float) -> ConfidenceInterval:
        half = self.half or 0.0
        return ConfidenceInterval(
            estimate - half if self.alternative != "less" else -math.inf,
            estimate + half if self.alternative != "greater" else math.inf,
            self.level,
            self.method,
        )


def rank_status(table: RankTable) -> Status:
    """Name the case of a table of ranks."""
    if table.total == 0:
        return Status.IDENTICAL_SCORES
    return Status.TOO_FEW if table.n < 2 else Status.OK


def standard_error(table: RankTable) -> float:
    """Return the standard error of a difference of average ranks under Friedman's null."""
    return math.sqrt(table.k * (table.k + 1) / (6 * table.n))


def rank_details(table: RankTable, control: int | None) -> dict[str, Any]:
    """Return what every result on average ranks has in its details."""
    return {
        "average_ranks": table.average.tolist(),
        "control": control,
        "friedman_chi2": table.chi2,
        "friedman_pvalue": math.nan
        if table.n < 2
        else float(special.chdtrc(table.k - 1, table.chi2)),
    }


def rank_assumptions(table: RankTable) -> tuple[Assumption, ...]:
    """Judge the normal approximation of average ranks."""
    tied = int((np.sort(table.ranks, axis=1)[:, :-1] == np.sort(table.ranks, axis=1)[:, 1:]).sum())
    return (
        Assumption(
            name="enough data sets",
            holds=table.n >= 10,
            detail=f"{table.n} data sets; the normal approximation of average ranks wants 10 or "
            "more.",
        ),
        Assumption(
            name="few ties",
            holds=None if tied else True,
            detail=f"{tied} ties inside data sets; the standard error of the z test assumes none, "
            "with ties it is conservative.",
        ),
    )


def at_least(adjusted_pvalue: float, pvalue: float) -> float:
    """Return the adjusted p-value, never below the raw one; NaN where that is undecided."""
    return pvalue if math.isnan(pvalue) else max(adjusted_pvalue, pvalue)

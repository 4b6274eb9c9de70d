"""From differences in the order of time to a result: long-run variance, t and interval."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import special

from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
    answered,
)
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design import long_run
from bakeoff.stats.design.clusters import Clusters

VARIANTS = {
    "ewc_corrected": "lazarus2018",
    "ewc": "lazarus2018",
    "wpe": "coroneo2020",
    "hln": "harvey1997",
    "newey_west_fixed_b": "kiefer2005",
}
_COSINES = ("ewc_corrected", "ewc")
_LEAST_DF = 4
STRONG = 0.7
_REACH = 30  # what fades over T/30 times is corrected for, even under noise (type1-dependent.md)
_SHOWS = 10 * _REACH  # fewer times cannot show what fades over ten
LEAST_EFFECTIVE = 30  # below it the dependence reaches over too much of the series to be estimated
MOST_BETWEEN = 1.2
"""Variance over that of independent blocks of times from which eight of them reject too often."""
_SHOWS_IN_A_BLOCK = 100
"""Times of a block from which on data show that dependence fades in it (type1-dependent.md)."""
_NOISE = 1e-24


@dataclasses.dataclass(frozen=True, kw_only=True)
class SerialResult(Result):
    """A `Result` on rows that are ordered in time; `n` counts the rows.

    Attributes
    ----------
    n_times : int
        Number of different times.
    n_effective : float
        Independent times that would tell as much: T·γ₀/Ω, at most T.
    autocorrelation : float
        Lag-1 autocorrelation of the differences.
    """

    n_times: int
    n_effective: float
    autocorrelation: float

    def to_row(self) -> dict[str, Any]:
        """Return one flat table row: scalars only, numbers as they are."""
        return super().to_row() | {
            "n_times": self.n_times,
            "n_effective": self.n_effective,
            "autocorrelation": self.autocorrelation,
        }


@dataclasses.dataclass(frozen=True)
class SerialSettings:
    """How a test on ordered rows is done."""

    variant: str
    horizon: int
    side: Alternative
    level: float


def serial_results(
    differences: Sequence[FloatArray],
    times: Clusters,
    settings: SerialSettings,
    *,
    contrasts: int = 1,
    what: str,
) -> list[SerialResult]:
    """Test the differences of several pairs of models, persistence estimated over all of them.

    `contrasts` of the pairs are independent of each other: M − 1 of M models.
    """
    residuals = [_residuals(d, times) for d in differences]
    factors = np.ones(len(residuals))
    if settings.variant == "ewc_corrected":
        factors = long_run.persistence(residuals, contrasts)
    return [
        _result(d, r, float(factor), times, settings, what)
        for d, r, factor in zip(differences, residuals, factors, strict=True)
    ]


def _residuals(d: FloatArray, times: Clusters) -> FloatArray:
    """Return r_t = D_t − n_t·d̄; zeros where they are nothing but rounding."""
    mean = float(d.sum()) / times.n
    sums = times.sums(d)
    found = sums - times.sizes * mean
    noise = _NOISE * (float(np.square(sums).sum()) + times.n * mean**2)
    return np.zeros_like(found) if float(np.square(found).sum()) <= noise else found


def _result(
    d: FloatArray,
    residuals: FloatArray,
    factor: float,
    times: Clusters,
    settings: SerialSettings,
    what: str,
) -> SerialResult:
    n, periods = times.n, times.count
    mean = float(d.sum()) / n
    found = _estimate(residuals, factor, settings)
    se = _standard_error(found, periods, n, settings)
    status = _status(d, residuals, found, settings, periods)
    t = mean / se if se > 0 else math.nan
    formula = _pvalue(t, found, periods, settings)
    statistic, pvalue = answered(status, t, formula, mean)
    gamma = long_run.autocovariances(residuals, min(1, periods - 1))
    lag1 = float(gamma[1] / gamma[0]) if len(gamma) > 1 and gamma[0] > 0 else math.nan
    raw = periods * float(gamma[0]) / found.variance if found.variance > 0 else math.nan
    # a variance that seems smaller by chance makes no further times
    effective = min(raw, float(periods))
    return SerialResult(
        variant=settings.variant,
        statistic=statistic,
        df=found.df,
        pvalue=pvalue,
        alternative=settings.side,
        estimate=mean,
        ci=_interval(mean, se, found, periods, settings) if se > 0 else None,
        n=n,
        status=status,
        assumptions=_assumptions(periods, lag1, effective, found, settings),
        null_hypothesis=f"The two fitted models are {what} at the times to come, which are like "
        "those of the test rows.",
        method=VARIANTS[settings.variant],
        details={
            "se": se,
            "long_run_variance": found.variance,
            "n_effective_raw": raw,
            "persistence_factor": found.factor,
            "bandwidth": found.bandwidth,
            "n_periods": periods,
            "formula_pvalue": formula,
            **_critical_values(found, periods, settings),
        },
        n_times=periods,
        n_effective=effective,
        autocorrelation=lag1,
    )


def independent_blocks(values: FloatArray, times: Clusters, blocks: int) -> Assumption:
    """Return the assumption of tests that take blocks of neighbouring times for groups.

    Parameters
    ----------
    values : ndarray, shape (n,) or (n, M)
        What is averaged over the rows (influence values, say), of one series or of M models, whose
        differences count.
    times : Clusters
        The time of each row.
    blocks : int
        Into how many blocks the times are cut.
    """
    columns = values.reshape(len(values), -1)
    models, blocks = columns.shape[1], min(blocks, times.count)
    if models > 1:
        columns = columns - columns.mean(axis=1, keepdims=True)
    residuals = [_residuals(column, times) for column in columns.T]
    found = long_run.between_blocks(residuals, max(1, models - 1), blocks)
    length = times.count / blocks
    shows = found > MOST_BETWEEN or length >= _SHOWS_IN_A_BLOCK
    unseen = f"; blocks of fewer than {_SHOWS_IN_A_BLOCK} times cannot show that it fades"
    return Assumption(
        "dependence that fades within a block",
        found <= MOST_BETWEEN if shows else None,
        f"dependence between blocks of {length:.0f} times makes the variance about "
        f"{found:.2f} times that of independent blocks; above {MOST_BETWEEN:g} times tests reject, "
        f"and intervals miss, too often{'' if shows else unseen}",
    )


def _estimate(residuals: FloatArray, factor: float, settings: SerialSettings) -> long_run.LongRun:
    if settings.variant == "hln":
        return long_run.rectangular(residuals, min(settings.horizon, len(residuals)))
    if settings.variant in _COSINES:
        found = long_run.cosines(residuals)
        return dataclasses.replace(found, variance=found.variance * factor, factor=factor)
    functions = {"wpe": long_run.periodogram, "newey_west_fixed_b": long_run.bartlett}
    return functions[settings.variant](residuals)


def _standard_error(
    found: long_run.LongRun, periods: int, n: int, settings: SerialSettings
) -> float:
    if not found.variance > 0:
        return math.nan
    se = math.sqrt(periods * found.variance) / n
    if settings.variant != "hln":
        return se
    h = settings.horizon
    factor = (periods + 1 - 2 * h + h * (h - 1) / periods) / periods
    return se / math.sqrt(factor) if factor > 0 else math.nan


def _status(
    d: FloatArray,
    residuals: FloatArray,
    found: long_run.LongRun,
    settings: SerialSettings,
    periods: int,
) -> Status:
    if not d.any():
        return Status.IDENTICAL_SCORES
    if periods < 2 or (settings.variant in _COSINES and found.bandwidth < _LEAST_DF):
        return Status.TOO_FEW
    if not residuals.any():
        return Status.ZERO_VARIANCE if d.sum() else Status.IDENTICAL_SCORES
    if settings.variant == "wpe" and found.bandwidth < _LEAST_DF // 2:
        return Status.TOO_FEW
    if settings.variant == "hln" and settings.horizon >= periods:
        return Status.TOO_FEW
    return Status.OK if found.variance > 0 else Status.UNDEFINED


def _pvalue(t: float, found: long_run.LongRun, periods: int, settings: SerialSettings) -> float:
    if math.isnan(t):
        return math.nan
    if found.df is not None:
        return t_pvalue(t, found.df, settings.side) if found.df else math.nan
    upper = long_run.fixed_b_upper_tail(abs(t), found.bandwidth / periods)
    if settings.side == "two-sided":
        return min(2 * upper, 1.0)
    return upper if (t > 0) == (settings.side == "greater") else 1 - upper


def _interval(
    mean: float, se: float, found: long_run.LongRun, periods: int, settings: SerialSettings
) -> ConfidenceInterval | None:
    tail = tail_probability(settings.level, settings.side)
    if found.df is not None:
        if not found.df:
            return None
        quantile = -float(special.stdtrit(found.df, tail))
    else:
        if not long_run.is_tabled(tail):
            return None
        quantile = long_run.fixed_b_critical(found.bandwidth / periods, tail)
    low = -math.inf if settings.side == "less" else mean - quantile * se
    high = math.inf if settings.side == "greater" else mean + quantile * se
    return ConfidenceInterval(low, high, settings.level, settings.variant)


def _critical_values(
    found: long_run.LongRun, periods: int, settings: SerialSettings
) -> dict[str, float]:
    if settings.variant != "newey_west_fixed_b":
        return {}
    b = found.bandwidth / periods
    return {
        "critical_value_05": long_run.fixed_b_critical(b, 0.025),
        "critical_value_10": long_run.fixed_b_critical(b, 0.05),
    }


def _assumptions(
    periods: int, lag1: float, effective: float, found: long_run.LongRun, settings: SerialSettings
) -> tuple[Assumption, ...]:
    fades = None if math.isnan(lag1) or (lag1 <= STRONG and periods < _SHOWS) else lag1 <= STRONG
    enough = found.bandwidth >= _LEAST_DF or settings.variant not in _COSINES
    return (
        Assumption(
            "dependence that fades",
            fades,
            f"lag-1 autocorrelation of the differences {lag1:.2f}; above {STRONG:g} the test "
            f"rejects too often; dependence under noise that reaches over more than about "
            f"{periods / _REACH:.0f} times would not show",
        ),
        Assumption(
            "enough times",
            enough,
            f"{periods} different times; the cosines need 32 or more",
        ),
        Assumption(
            "enough independent times",
            None if math.isnan(effective) else effective >= LEAST_EFFECTIVE,
            f"{periods} times are worth about {effective:.0f} independent ones; with fewer than "
            f"{LEAST_EFFECTIVE} the test rejects too often",
        ),
        Assumption(
            "no drift", None, "the difference of the models must be the same early and late"
        ),
    )

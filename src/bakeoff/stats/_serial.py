"""From differences in the order of time to a result: long-run variance, t and interval."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from scipy import special

from bakeoff.stats import _long_run
from bakeoff.stats._binomial import tail_probability
from bakeoff.stats._checks import (
    FloatArray,
    check_alternative,
    check_choice,
    check_count,
    check_level,
)
from bakeoff.stats._clusters import Clusters
from bakeoff.stats._result import Alternative, Assumption, ConfidenceInterval, Result, Status
from bakeoff.stats._tails import t_pvalue

VARIANTS = {
    "ewc": "lazarus2018",
    "wpe": "coroneo2020",
    "hln": "harvey1997",
    "newey_west_fixed_b": "kiefer2005",
}
_LEAST_DF = 4
_STRONG = 0.7
_LEAST_EFFECTIVE = 20  # below it the dependence reaches over too much of the series to be estimated
_NOISE = 1e-24


@dataclasses.dataclass(frozen=True, kw_only=True)
class SerialResult(Result):
    """A `Result` on rows that are ordered in time; `n` counts the rows.

    Attributes
    ----------
    n_times : int
        Number of different times.
    n_effective : float
        Independent times that would tell as much: T·γ₀/Ω.
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


def serial_settings(
    variant: str, horizon: int, alternative: str, confidence_level: float
) -> SerialSettings:
    """Check the options that tests on ordered rows have in common."""
    check_choice(variant, tuple(VARIANTS), "variant")
    steps = check_count(horizon, "horizon", least=1)
    side = check_alternative(alternative)
    return SerialSettings(variant, steps, side, check_level(confidence_level, side=side))


def serial_result(
    test: str, d: FloatArray, times: Clusters, settings: SerialSettings, *, what: str
) -> SerialResult:
    """Test that the mean of differences in the order of time is 0."""
    n, periods = times.n, times.count
    mean = float(d.sum()) / n
    sums = times.sums(d)
    residuals = sums - times.sizes * mean
    if float(np.square(residuals).sum()) <= _NOISE * (float(np.square(sums).sum()) + n * mean**2):
        residuals = np.zeros_like(residuals)
    found = _estimate(residuals, settings)
    se = _standard_error(found, periods, n, settings)
    status = _status(d, residuals, found, settings, periods)
    ok = status is Status.OK
    t = mean / se if se > 0 else math.nan
    formula = _pvalue(t, found, periods, settings)
    statistic, pvalue = t, formula if ok else math.nan
    if status is Status.IDENTICAL_SCORES:
        statistic, pvalue = 0.0, 1.0
    if status is Status.ZERO_VARIANCE:
        statistic = math.copysign(math.inf, mean)
    gamma = _long_run.autocovariances(residuals, min(1, periods - 1))
    lag1 = float(gamma[1] / gamma[0]) if len(gamma) > 1 and gamma[0] > 0 else math.nan
    effective = periods * float(gamma[0]) / found.variance if found.variance > 0 else math.nan
    return SerialResult(
        test=test,
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
            "bandwidth": found.bandwidth,
            "n_periods": periods,
            "formula_pvalue": formula,
            **_critical_values(found, periods, settings),
        },
        n_times=periods,
        n_effective=effective,
        autocorrelation=lag1,
    )


def _estimate(residuals: FloatArray, settings: SerialSettings) -> _long_run.LongRun:
    if settings.variant == "hln":
        return _long_run.rectangular(residuals, min(settings.horizon, len(residuals)))
    functions = {
        "ewc": _long_run.cosines,
        "wpe": _long_run.periodogram,
        "newey_west_fixed_b": _long_run.bartlett,
    }
    return functions[settings.variant](residuals)


def _standard_error(
    found: _long_run.LongRun, periods: int, n: int, settings: SerialSettings
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
    found: _long_run.LongRun,
    settings: SerialSettings,
    periods: int,
) -> Status:
    if not d.any():
        return Status.IDENTICAL_SCORES
    if periods < 2 or (settings.variant == "ewc" and found.bandwidth < _LEAST_DF):
        return Status.TOO_FEW
    if not residuals.any():
        return Status.ZERO_VARIANCE if d.sum() else Status.IDENTICAL_SCORES
    if settings.variant == "wpe" and found.bandwidth < _LEAST_DF // 2:
        return Status.TOO_FEW
    if settings.variant == "hln" and settings.horizon >= periods:
        return Status.TOO_FEW
    return Status.OK if found.variance > 0 else Status.UNDEFINED


def _pvalue(t: float, found: _long_run.LongRun, periods: int, settings: SerialSettings) -> float:
    if math.isnan(t):
        return math.nan
    if found.df is not None:
        return t_pvalue(t, found.df, settings.side) if found.df else math.nan
    upper = _long_run.fixed_b_upper_tail(abs(t), found.bandwidth / periods)
    if settings.side == "two-sided":
        return min(1.0, 2 * upper)
    return upper if (t > 0) == (settings.side == "greater") else 1 - upper


def _interval(
    mean: float, se: float, found: _long_run.LongRun, periods: int, settings: SerialSettings
) -> ConfidenceInterval | None:
    tail = tail_probability(settings.level, settings.side)
    if found.df is not None:
        if not found.df:
            return None
        quantile = -float(special.stdtrit(found.df, tail))
    else:
        if not _long_run.is_tabled(tail):
            return None
        quantile = _long_run.fixed_b_critical(found.bandwidth / periods, tail)
    low = -math.inf if settings.side == "less" else mean - quantile * se
    high = math.inf if settings.side == "greater" else mean + quantile * se
    return ConfidenceInterval(low, high, settings.level, settings.variant)


def _critical_values(
    found: _long_run.LongRun, periods: int, settings: SerialSettings
) -> dict[str, float]:
    if settings.variant != "newey_west_fixed_b":
        return {}
    b = found.bandwidth / periods
    return {
        "critical_value_05": _long_run.fixed_b_critical(b, 0.025),
        "critical_value_10": _long_run.fixed_b_critical(b, 0.05),
    }


def _assumptions(
    periods: int, lag1: float, effective: float, found: _long_run.LongRun, settings: SerialSettings
) -> tuple[Assumption, ...]:
    known = not math.isnan(lag1)
    enough = found.bandwidth >= _LEAST_DF or settings.variant != "ewc"
    return (
        Assumption(
            "dependence that fades",
            lag1 <= _STRONG if known else None,
            f"lag-1 autocorrelation of the differences {lag1:.2f}; above {_STRONG:g} the test "
            "rejects too often",
        ),
        Assumption(
            "enough times",
            enough,
            f"{periods} different times; the cosines want 32 or more",
        ),
        Assumption(
            "enough independent times",
            None if math.isnan(effective) else effective >= _LEAST_EFFECTIVE,
            f"{periods} times are worth about {effective:.0f} independent ones; with fewer than "
            f"{_LEAST_EFFECTIVE} the test rejects too often",
        ),
        Assumption(
            "no drift", None, "the difference of the models must be the same early and late"
        ),
    )

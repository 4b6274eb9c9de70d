"""Two classifiers on one test set whose rows are ordered in time.

Rows of one time are summed: D_t of n_t rows, r_t = D_t − n_t·d̄. Neighbouring times may depend on
each other; the further apart, the less.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats import _long_run
from bakeoff.stats._binomial import tail_probability
from bakeoff.stats._checks import (
    FloatArray,
    as_correctness,
    check_alternative,
    check_choice,
    check_count,
    check_level,
    check_same_labels,
    check_same_length,
)
from bakeoff.stats._clusters import Clusters, as_clusters
from bakeoff.stats._errors import ArgumentError
from bakeoff.stats._paired import paired_differences
from bakeoff.stats._registry import Arity, Evidence, TypeOneError, register
from bakeoff.stats._result import Alternative, Assumption, ConfidenceInterval, Result, Status
from bakeoff.stats._tails import t_pvalue

__all__ = ["SerialResult", "diebold_mariano", "diebold_mariano_means", "time_blocks"]

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


@register(
    title="Diebold-Mariano test",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.PAIR,
    about="models",
    answers="Is one of these two fitted models more often right than the other on later rows?",
    type1=TypeOneError.CONTROLLED,
    plans=("holdout",),
    citation="lazarus2018",
    caution="It needs a difference that does not drift, and dependence that fades: with a lag-1 "
    "autocorrelation above .7, or times worth fewer than 20, it exceeds its level.",
)
def diebold_mariano(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    times: ArrayLike | None = None,
    variant: Literal["ewc", "wpe", "hln", "newey_west_fixed_b"] = "ewc",
    horizon: int = 1,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> SerialResult:
    """Test the accuracies of two models on rows that are ordered in time.

    Parameters
    ----------
    correct_a, correct_b : array_like of bool or 0/1, shape (N,)
        Whether A and B are right on each row.
    times : array_like, shape (N,), optional
        The time of each row, of any kind that sorts; equal times are one. Without it the rows
        are in the order of time, one each.
    variant : {"ewc", "wpe", "hln", "newey_west_fixed_b"}
        How the long-run variance is estimated. ``"ewc"`` (default): equal-weighted cosines
        (Lazarus et al. 2018). ``"wpe"``: the first ordinates of the periodogram (Coroneo & Iacone
        2020). ``"hln"``: autocovariances below the horizon (Diebold & Mariano 1995 as corrected
        by Harvey, Leybourne & Newbold 1997); takes one-step errors for independent.
        ``"newey_west_fixed_b"``: Bartlett weights and the critical values of Kiefer & Vogelsang
        (2005), whose table ends at p = .02: below it the p is that bound.
    horizon : int
        Steps ahead, for ``hln``: errors fewer steps apart overlap.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is more accurate.
    confidence_level : float
        Level of the interval; none for ``newey_west_fixed_b`` beyond its table.

    Returns
    -------
    SerialResult
        `estimate` is the difference of the accuracies over rows.

    Raises
    ------
    ValueError
        On class labels instead of right/wrong, missing values or times, unequal lengths, or an
        unknown option.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.random(120) < 0.9, rng.random(120) < 0.7
    >>> result = diebold_mariano(a, b)
    >>> result.df, round(result.estimate, 3), result.pvalue < 0.05
    (9.0, 0.175, True)
    """
    a = as_correctness(correct_a, "correct_a")
    b = as_correctness(correct_b, "correct_b")
    check_same_length(correct_a=a, correct_b=b)
    check_same_labels(correct_a=correct_a, correct_b=correct_b)
    result = _result(
        "diebold_mariano",
        a.astype(np.float64) - b,
        as_clusters(times, len(a), "times"),
        _settings(variant, horizon, alternative, confidence_level),
        what="equally accurate",
    )
    counts = {
        "both_correct": int(np.count_nonzero(a & b)),
        "only_a_correct": int(np.count_nonzero(a & ~b)),
        "only_b_correct": int(np.count_nonzero(b & ~a)),
        "both_wrong": int(np.count_nonzero(~(a | b))),
    }
    return dataclasses.replace(result, details={**counts, **result.details})


def diebold_mariano_means(
    values_a: ArrayLike,
    values_b: ArrayLike,
    *,
    times: ArrayLike | None = None,
    variant: str = "ewc",
    horizon: int = 1,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    greater_is_better: bool = True,
) -> SerialResult:
    """Run `diebold_mariano` on a number per row (a loss, a score) in place of right or wrong.

    Parameters
    ----------
    values_a, values_b : array_like, shape (N,)
        The numbers of A and B on the same rows.
    times, variant, horizon, alternative, confidence_level
        As in `diebold_mariano`.
    greater_is_better : bool
        False for losses and costs.

    Returns
    -------
    SerialResult
        `estimate` is the mean difference over rows, positive where A is better.

    Raises
    ------
    ValueError
        For missing values or times, unequal lengths, or an unknown option.

    Examples
    --------
    >>> import numpy as np
    >>> loss = np.random.default_rng(0).gamma(2, size=(100, 2))
    >>> diebold_mariano_means(*loss.T, greater_is_better=False).df
    8.0
    """
    d = paired_differences(
        values_a, values_b, greater_is_better=greater_is_better, of_rows=True
    ).values
    return _result(
        "diebold_mariano_means",
        d,
        as_clusters(times, len(d), "times"),
        _settings(variant, horizon, alternative, confidence_level),
        what="equally good on average",
    )


def time_blocks(times: ArrayLike, blocks: int = 8) -> FloatArray:
    """Cut rows into blocks of neighbouring times, to be used as groups.

    Blocks that are long against the dependence between neighbours are nearly independent, so any
    test for groups can take them (Canay, Romano & Shaikh 2017).

    Parameters
    ----------
    times : array_like, shape (N,)
        The time of each row, of any kind that sorts.
    blocks : int
        Number of blocks, of about equally many different times.

    Returns
    -------
    ndarray of int, shape (N,)
        The block of each row.

    Raises
    ------
    ValueError
        If there are fewer different times than blocks, or times are missing.

    Examples
    --------
    >>> time_blocks([3, 1, 2, 4, 1], blocks=2).tolist()
    [1, 0, 0, 1, 0]
    """
    count = check_count(blocks, "blocks", least=2)
    found = as_clusters(times, np.asarray(times).size, "times")
    if found.count < count:
        raise ArgumentError("times", f"found {found.count} different times, needs {count} or more")
    return np.asarray(found.codes * count // found.count)


@dataclasses.dataclass(frozen=True)
class _Settings:
    variant: str
    horizon: int
    side: Alternative
    level: float


def _settings(variant: str, horizon: int, alternative: str, confidence_level: float) -> _Settings:
    check_choice(variant, tuple(VARIANTS), "variant")
    steps = check_count(horizon, "horizon", least=1)
    side = check_alternative(alternative)
    return _Settings(variant, steps, side, check_level(confidence_level, side=side))


def _result(
    test: str, d: FloatArray, times: Clusters, settings: _Settings, *, what: str
) -> SerialResult:
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


def _estimate(residuals: FloatArray, settings: _Settings) -> _long_run.LongRun:
    if settings.variant == "hln":
        return _long_run.rectangular(residuals, min(settings.horizon, len(residuals)))
    functions = {
        "ewc": _long_run.cosines,
        "wpe": _long_run.periodogram,
        "newey_west_fixed_b": _long_run.bartlett,
    }
    return functions[settings.variant](residuals)


def _standard_error(found: _long_run.LongRun, periods: int, n: int, settings: _Settings) -> float:
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
    settings: _Settings,
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


def _pvalue(t: float, found: _long_run.LongRun, periods: int, settings: _Settings) -> float:
    if math.isnan(t):
        return math.nan
    if found.df is not None:
        return t_pvalue(t, found.df, settings.side) if found.df else math.nan
    upper = _long_run.fixed_b_upper_tail(abs(t), found.bandwidth / periods)
    if settings.side == "two-sided":
        return min(1.0, 2 * upper)
    return upper if (t > 0) == (settings.side == "greater") else 1 - upper


def _interval(
    mean: float, se: float, found: _long_run.LongRun, periods: int, settings: _Settings
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
    found: _long_run.LongRun, periods: int, settings: _Settings
) -> dict[str, float]:
    if settings.variant != "newey_west_fixed_b":
        return {}
    b = found.bandwidth / periods
    return {
        "critical_value_05": _long_run.fixed_b_critical(b, 0.025),
        "critical_value_10": _long_run.fixed_b_critical(b, 0.05),
    }


def _assumptions(
    periods: int, lag1: float, effective: float, found: _long_run.LongRun, settings: _Settings
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

"""Metrics of predicted numbers: means of a loss for each row, shares of variance, correlations."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
from scipy import special

from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.metrics.metric import (
    FISHER,
    LOG,
    LOG_COMPLEMENT,
    POINTS,
    TARGET,
    TARGET_SQUARED,
    Carried,
    Need,
)
from bakeoff.stats.metrics.named import by_value, of_means, row_mean
from bakeoff.stats.metrics.view import Functional, NoValue, NumberView, mean

_HEAVY_TAILS = Carried(
    "no heavy tails",
    0.1,
    "below a tenth of them the largest errors carry the metric, and the interval of one model may "
    "be too short: see the mean absolute error",
    shows_from=100,
)
F = TypeVar("F", bound=Callable[..., Any])
_Enter = Callable[..., Callable[[F], F]]


def _numbers(enter: _Enter[F], **facts: Any) -> _Enter[F]:
    return partial(enter, needs=Need.NUMBERS, **facts)


_loss = _numbers(row_mean, greater_is_better=False, range=(0.0, math.inf))
_squared = partial(_loss, scale=LOG, carried=_HEAVY_TAILS)
_deviance = partial(_loss, constant="mean")
_SQUARES = "mean squared error"
_share = _numbers(of_means, range=(-math.inf, 1.0), scale=LOG_COMPLEMENT)
_correlation = _numbers(of_means, range=(-1.0, 1.0), scale=FISHER)
_jump = _numbers(by_value, greater_is_better=False, range=(0.0, math.inf), smooth=False)


@_loss("mean absolute error", TARGET, scale=LOG)
def mae(view: NumberView) -> FloatArray:
    """Mean of the absolute errors."""
    return np.abs(view.error)


@_squared("mean squared error", TARGET_SQUARED, null=_SQUARES, constant="mean")
def mse(view: NumberView) -> FloatArray:
    """Mean of the squared errors."""
    return np.square(view.error)


@_squared("root mean squared error", TARGET, root=True, null=_SQUARES, constant="mean")
def rmse(view: NumberView) -> FloatArray:
    """Root of the mean of the squared errors."""
    return np.square(view.error)


def _variance(values: FloatArray) -> Functional:
    """Return the mean squared deviation from the mean, whose own influence is of second order."""
    return mean((values - values.mean()) ** 2, np.ones(len(values)))


def _unexplained(view: NumberView, errors: Functional) -> Functional:
    if not np.ptp(view.observed) > 0:
        raise NoValue("the true numbers are all the same")
    return 1 - errors / _variance(view.observed)


@_share("R²", "R²", carried=_HEAVY_TAILS, null=_SQUARES, constant="mean")
def r2(view: NumberView) -> Functional:
    """Coefficient of determination: one less the mean squared error over the variance."""
    return _unexplained(view, mean(view.error**2, np.ones(view.truth.n)))


@_share("explained variance", "share", carried=_HEAVY_TAILS)
def explained_variance(view: NumberView) -> Functional:
    """One less the variance of the errors over that of the true numbers."""
    return _unexplained(view, _variance(view.error))


@_loss("mean absolute percentage error", POINTS, scale=LOG)
def mape(view: NumberView) -> FloatArray:
    """Mean of the absolute errors as shares of the true numbers; low predictions are favoured."""
    if not view.observed.all():
        raise NoValue(f"{int((view.observed == 0).sum())} true number(s) are 0")
    return np.abs(view.error / view.observed)


@_loss("symmetric mean absolute percentage error", POINTS, range=(0.0, 2.0))
def smape(view: NumberView) -> FloatArray:
    """Mean of absolute errors over half the sum of both absolute values; 0 where both are 0."""
    size = np.abs(view.observed) + np.abs(view.predicted)
    return np.asarray(2 * np.abs(view.error) / np.where(size > 0, size, 1.0))


def _log_errors(view: NumberView) -> FloatArray:
    for name, values in (("true", view.observed), ("predicted", view.predicted)):
        _inside(values > -1, f"{name} number(s) are -1 or less")
    return np.asarray((np.log(1 + view.predicted) - np.log(1 + view.observed)) ** 2)


def _inside(domain: BoolArray, outside: str) -> None:
    if not domain.all():
        raise NoValue(f"{int((~domain).sum())} {outside}")


@_squared("mean squared logarithmic error", "log units squared")
def msle(view: NumberView) -> FloatArray:
    """Mean of the squared errors of log(1 + x)."""
    return _log_errors(view)


@_squared("root mean squared logarithmic error", "log units", root=True)
def rmsle(view: NumberView) -> FloatArray:
    """Root of the mean of the squared errors of log(1 + x)."""
    return _log_errors(view)


def _deviance_domain(view: NumberView, *, zero: bool) -> None:
    lowest = "below 0" if zero else "0 or less"
    _inside(view.observed >= 0 if zero else view.observed > 0, f"true number(s) are {lowest}")
    _inside(view.predicted > 0, "predicted number(s) are 0 or less")


@_deviance("mean Poisson deviance", "deviance")
def poisson_deviance(view: NumberView) -> FloatArray:
    """Mean deviance of counts y ≥ 0 from predictions above 0."""
    _deviance_domain(view, zero=True)
    y, p = view.observed, view.predicted
    return np.asarray(2 * (special.xlogy(y, y / p) + p - y))


@_deviance("mean gamma deviance", "deviance")
def gamma_deviance(view: NumberView) -> FloatArray:
    """Mean deviance of numbers y > 0 from predictions above 0, relative to their size."""
    _deviance_domain(view, zero=False)
    ratio = view.observed / view.predicted
    return np.asarray(2 * (ratio - 1 - np.log(ratio)))


@_deviance("mean Tweedie deviance of power 1.5", "deviance")
def tweedie15_deviance(view: NumberView) -> FloatArray:
    """Mean deviance of numbers y ≥ 0 with many zeros from predictions above 0."""
    _deviance_domain(view, zero=True)
    root = np.sqrt(view.predicted)
    return np.asarray(4 * (view.observed / root + root - 2 * np.sqrt(view.observed)))


def _enter_pinball(percent: int) -> None:
    share = percent / 100

    def loss(view: NumberView) -> FloatArray:
        below = -view.error
        return np.maximum(share * below, (share - 1) * below)

    loss.__name__ = f"pinball_{percent:02}"
    _loss(f"pinball loss of the {percent} % quantile", TARGET, scale=LOG)(loss)


for _percent in (5, 10, 25, 50, 75, 90, 95):
    _enter_pinball(_percent)


def _standardised(values: FloatArray, which: str) -> FloatArray:
    deviations = values - values.mean()
    variance = inner(deviations, deviations) / len(values)
    if not np.ptp(values) > 0:  # the variance of equal numbers may be that of their rounding
        raise NoValue(f"the {which} numbers are all the same")
    return np.asarray(deviations / math.sqrt(variance))


@_correlation("Pearson correlation", "correlation", carried=_HEAVY_TAILS)
def pearson(view: NumberView) -> Functional:
    """Linear correlation of true and predicted numbers; it says nothing of their size."""
    y = _standardised(view.observed, "true")
    p = _standardised(view.predicted, "predicted")
    r = min(max(inner(y, p) / len(y), -1.0), 1.0)
    return Functional(r, y * p - r * (y**2 + p**2) / 2)


class _Ranks:
    """Numbers by their place in their own distribution, ties halfway."""

    def __init__(self, values: FloatArray) -> None:
        _, self.place, self.counts = np.unique(values, return_inverse=True, return_counts=True)
        below = np.cumsum(self.counts) - self.counts / 2
        self.centred = (below / len(values) - 0.5)[self.place]

    def moment(self, other: _Ranks) -> Functional:
        """Return the mean of (F − ½)(G − ½): a row moves the places of all rows above it."""
        found = mean(self.centred * other.centred, np.ones(len(self.place)))
        moved = self._moved(other.centred) + other._moved(self.centred)
        return Functional(found.value, found.psi + moved)

    def _moved(self, weights: FloatArray) -> FloatArray:
        """Return what one more row at each value adds to the weighted mean of the places."""
        sums = np.bincount(self.place, weights)
        above = np.cumsum(sums[::-1])[::-1] - sums / 2
        moved = above[self.place] / len(self.place)
        return np.asarray(moved - moved.mean())


@_correlation("Spearman correlation", "correlation")
def spearman(view: NumberView) -> Functional:
    """Correlation of the ranks of true and predicted numbers; it says nothing of their size."""
    y, p = _Ranks(view.observed), _Ranks(view.predicted)
    own = {"true": y.moment(y), "predicted": p.moment(p)}
    for which, variance in own.items():
        if not variance.value > 0:
            raise NoValue(f"the {which} numbers are all the same")
    return y.moment(p) / (own["true"] * own["predicted"]) ** 0.5


@_jump("median absolute error", TARGET)
def median_absolute_error(view: NumberView) -> float:
    """Median of the absolute errors."""
    return float(np.median(np.abs(view.error)))


@_jump("largest absolute error", TARGET, interval=False)
def max_error(view: NumberView) -> float:
    """Largest of the absolute errors; no interval is known for it."""
    return float(np.abs(view.error).max())

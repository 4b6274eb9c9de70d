"""How the values of a metric are written: decimals, units, and sizes of differences."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable

from bakeoff.report.numbers import clean, fixed, interval
from bakeoff.scores import METRICS, POINTS, Metric, Need

DECIMALS = 3
_MOST_DIGITS = 6
"""Of the typical score, however small the standard errors are."""
_NOISE = 1e-14


@dataclasses.dataclass(frozen=True)
class Written:
    """How the values of one metric on one data set are written."""

    title: str = ""
    """What they are values of."""
    unit: str = ""
    """What they are measured in; empty where that need not be told."""
    decimals: int = DECIMALS
    """How many all of them have."""
    shares: bool = False
    """Whether their differences are told in percentage points."""

    @property
    def label(self) -> str:
        """The title with the unit."""
        return with_unit(self.title, self.unit)

    @property
    def named(self) -> str:
        """The title with the unit, for brackets and sentences."""
        if self.unit:
            return f"{self.title} in {self.unit}"
        return self.title

    def score(self, value: float | None) -> str:
        """Write a value alone."""
        return fixed(value, self.decimals)

    def quantity(self, value: float) -> str:
        """Write a value with its unit."""
        return f"{self.score(value)} {self.unit}".rstrip()

    def interval(self, low: float, high: float) -> str:
        """Write an interval."""
        return interval(low, high, self.decimals)

    def gap(self, value: float) -> str:
        """Write the size of a difference: percentage points for shares, else with the unit."""
        if not self.shares:
            return self.quantity(abs(value))
        points = fixed(abs(value) * 100, self._decimals_of_points)
        if points == "1.0":
            return f"{points} percentage point"
        return f"{points} percentage points"

    def gap_interval(self, low: float, high: float) -> str:
        """Write the interval of such a difference, in its unit."""
        if not self.shares:
            return self.interval(low, high)
        return interval(low * 100, high * 100, self._decimals_of_points)

    @property
    def _decimals_of_points(self) -> int:
        # a percentage point is a hundredth of a share
        return max(self.decimals - 2, 0)


def with_unit(title: str, unit: str) -> str:
    """Head a column or an axis."""
    if unit:
        return f"{title} ({unit})"
    return title


def unit_of(metric: Metric) -> str:
    """Name the unit of a metric where it has to be told: the user's own, or that of the target."""
    built_in = METRICS.get(metric.name)
    usual = built_in is not None and not metric.own and metric.unit == built_in.unit
    if usual or not metric.unit or metric.unit == POINTS:
        return ""
    return clean(metric.unit)


def varies(metric: Metric) -> bool:
    """Tell whether the size of a metric's values depends on the data, as that of losses does."""
    if metric.needs is Need.NUMBERS:
        return True
    of_users = metric.own or metric.priced or not metric.computed
    return of_users and not math.isfinite(metric.range[1] - metric.range[0])


def decimals(errors: Iterable[float], values: Iterable[float]) -> int:
    """Choose decimals that show two significant digits of the typical standard error."""
    sizes = []
    for value in values:
        if math.isfinite(value) and value:
            sizes.append(abs(value))
    size = 1.0
    if sizes:
        size = statistics.median_low(sizes)
    sizable = []
    for error in errors:
        if math.isfinite(error) and error > _NOISE * size:
            sizable.append(error)
    # a standard error beyond the scores is that of a model that diverged
    typical = [error for error in sizable if error <= size] or sizable
    # three digits of the scores where no standard error is known, else two of that error
    wanted = 2 - _exponent(size)
    if typical:
        wanted = 1 - _exponent(statistics.median_low(typical))
    most = _MOST_DIGITS - 1 - _exponent(size)
    return max(min(wanted, most), 0)


def _exponent(value: float) -> int:
    # of the rounded number: 0.0996 is 1.0e-01 with two digits
    return int(f"{value:.1e}".partition("e")[2])

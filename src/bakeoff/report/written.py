"""How values of a metric are written: the decimals their standard error deserves, and a unit."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable

import pandas as pd

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
        return f"{self.title} in {self.unit}" if self.unit else self.title

    def score(self, value: float | None) -> str:
        """Write a value alone."""
        return fixed(value, self.decimals)

    def told(self, value: float) -> str:
        """Write a value with its unit."""
        return f"{self.score(value)} {self.unit}".rstrip()

    def interval(self, low: float, high: float) -> str:
        """Write an interval."""
        return interval(low, high, self.decimals)

    def gap(self, value: float) -> str:
        """Write the size of a difference: percentage points for shares, else with the unit."""
        if not self.shares:
            return self.told(abs(value))
        points = fixed(abs(value) * 100, self._of_points)
        return f"{points} percentage point{'' if points == '1.0' else 's'}"

    def gap_interval(self, low: float, high: float) -> str:
        """Write the interval of such a difference, in its unit."""
        if not self.shares:
            return self.interval(low, high)
        return interval(low * 100, high * 100, self._of_points)

    @property
    def _of_points(self) -> int:
        return max(self.decimals - 2, 0)


def with_unit(title: str, unit: str) -> str:
    """Head a column or an axis."""
    return f"{title} ({unit})" if unit else title


def spread_of(scores: pd.DataFrame, metric: str, dataset: str) -> pd.DataFrame:
    """Describe each model's scores on the folds of a data set, or its means over data sets."""
    own, by = scores[scores["metric"] == metric], ["plan", "model"]
    if dataset:
        values = own[own["dataset"] == dataset].set_index(by)["value"]
    else:
        values = own.groupby([*by, "dataset"])["value"].mean()
    return values.groupby(by).agg(["mean", "std", "size"])


def unit_of(metric: Metric) -> str:
    """Name the unit of a metric where it has to be told: the user's own, or that of the target."""
    ours = METRICS.get(metric.name)
    known = ours is not None and not metric.own and metric.unit == ours.unit
    return "" if known or not metric.unit or metric.unit == POINTS else clean(metric.unit)


def varies(metric: Metric) -> bool:
    """Tell whether the size of a metric's values depends on the data, as that of losses does."""
    if metric.needs is Need.NUMBERS:
        return True
    users = metric.own or metric.priced or not metric.computed
    return users and not math.isfinite(metric.range[1] - metric.range[0])


def decimals(errors: Iterable[float], values: Iterable[float]) -> int:
    """Choose decimals that show two significant digits of the typical standard error."""
    sizes = [abs(v) for v in values if math.isfinite(v) and v]
    size = statistics.median_low(sizes) if sizes else 1.0
    known = [e for e in errors if math.isfinite(e) and e > _NOISE * size]
    # a standard error beyond the scores is that of a model that diverged
    known = [e for e in known if e <= size] or known
    most = _MOST_DIGITS - 1 - _exponent(size)
    wanted = 1 - _exponent(statistics.median_low(known)) if known else 2 - _exponent(size)
    return max(min(wanted, most), 0)


def _exponent(value: float) -> int:
    return int(f"{value:.1e}".partition("e")[2])

"""Planning of evaluations: a margin of accuracy, items against runs of an item, and seeds."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import PositiveFloat, Share, checked
from bakeoff.stats.core.checks import ArgumentError, as_array, as_scores, check_same_length
from bakeoff.stats.core.result import Alternative
from bakeoff.stats.core.two_by_two import difference_limits
from bakeoff.stats.planning import MetricPower, Power, PowerResult, cautious_factor, power_of_t

_FEWEST_SEEDS = 3
"""Seeds of a model below which Welch's t says nothing."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class NoninferiorityPower(Power):
    """Power to show on n rows that the accuracy of A is not lower than that of B by a margin.

    The test is that of `accuracy_limits`: the exact melded limit (Fay & Lumbard 2021) of
    independent rows is above −margin.

    Attributes
    ----------
    discordance, margin : float
        Probability that exactly one model is right on a row; the largest loss that does not
        matter.

    Notes
    -----
    Let L be the distance from the difference δ to its limit where the counts are as expected. The
    difference that is observed has the variance (ψ − δ²)/n, so that the power is about
    Φ((δ + margin − L)/√((ψ − δ²)/n)).

    Examples
    --------
    >>> test = NoninferiorityPower(discordance=0.10, margin=0.02)
    >>> test.solve(difference=0.0, power=0.8, alternative="greater").n
    1648
    """

    test = "accuracy_limits"
    variant = "exact_melded"
    method = "fay2021"
    calculation = "normal"
    discordance: Share
    margin: PositiveFloat

    @property
    def largest(self) -> float:
        """The largest size of a difference that is possible."""
        return self.discordance

    def completed(self, result: PowerResult, power: float | None) -> PowerResult:
        """Add the situation."""
        details = {"discordance": self.discordance, "margin": self.margin}
        return dataclasses.replace(result, details=details)

    def is_favourable(self, effect: float, side: Alternative) -> bool:
        """Tell whether more rows show it: the difference is above −margin."""
        return effect > -self.margin

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n rows at a true difference."""
        # the limit at the counts that are expected: n_10 − n_01 = n δ, n_10 + n_01 = n ψ
        psi = self.discordance
        only_a = n * (psi + effect) / 2
        only_b = n * (psi - effect) / 2
        counts = (n - only_a - only_b, only_a, only_b, 0.0)
        low, _ = difference_limits("exact_melded", counts, alpha, "greater")
        # P(L > −margin) ≈ Φ((L + margin)/√((ψ − δ²)/n)), where the limit L moves with δ̂
        surplus = low + self.margin
        spread = math.sqrt(max(psi - effect**2, 0.0) / n)
        if spread == 0:
            return float(surplus > 0)
        return float(special.ndtr(surplus / spread))


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunsOfItems:
    """What the difference of two models on an item varies by: the items, and their runs.

    Attributes
    ----------
    sd_items, sd_runs : float
        Standard deviation of the true differences of items; and of the difference of one run of
        each model on an item, around that.
    runs : float
        How many runs an item has in the pilot (harmonic mean).

    Examples
    --------
    >>> noise = RunsOfItems(sd_items=0.3, sd_runs=0.6, runs=2)
    >>> [noise.power(runs).solve(difference=0.05, power=0.8).n for runs in (1, 4, 100)]
    [1415, 568, 296]
    """

    sd_items: float
    sd_runs: float
    runs: float

    @classmethod
    @checked
    def from_pilot(cls, values_a: ArrayLike, values_b: ArrayLike, items: ArrayLike) -> RunsOfItems:
        """Take the noise of a pilot in which items were run several times, with an upper limit.

        Parameters
        ----------
        values_a, values_b : array_like, shape (n,)
            The number of each row, such as 1 for a right answer and 0 for a wrong one.
        items : array_like, shape (n,)
            The item that each row is a run of.
        """
        a = as_scores(values_a, "values_a", unit="rows")
        b = as_scores(values_b, "values_b", unit="rows")
        labels = as_array(items, "items")
        check_same_length(values_a=a, values_b=b, items=labels)
        _, item = np.unique(labels.astype(str), return_inverse=True)
        runs = np.bincount(item)
        if len(runs) < 2:
            raise ArgumentError("items", f"found {len(runs)} item, expected two at least")
        if runs.max() < 2:
            raise ArgumentError("items", "no item was run twice: their runs have no known noise")
        # σ²_runs, pooled over the items of each model
        within = 0.0
        for values in (a, b):
            residuals = values - (np.bincount(item, values) / runs)[item]
            within += float(np.sum(residuals**2)) / float(np.sum(runs - 1))
        # Var(d̄_i) = σ²_items + σ²_runs/R_i
        differences = np.bincount(item, a - b) / runs
        share = float(np.mean(1 / runs))
        upper = float(np.var(differences, ddof=1)) * cautious_factor(len(runs) - 1) ** 2
        between = max(upper - within * share, 0.0)
        return cls(sd_items=math.sqrt(between), sd_runs=math.sqrt(within), runs=1 / share)

    def power(self, runs: float) -> MetricPower:
        """Return the power of a comparison in which each model runs an item so many times."""
        # of an item's mean difference over its runs
        variance = self.sd_items**2 + self.sd_runs**2 / runs
        if variance == 0:
            raise ArgumentError("runs", "the models have the same value on all items of the pilot")
        return MetricPower(sd=math.sqrt(variance))


@dataclasses.dataclass(frozen=True, kw_only=True)
class SeedsPower(Power):
    """Power of Welch's t with n training runs (seeds) of each of two models.

    Of several data sets the mean over these is compared, with Satterthwaite's degrees of freedom.

    Attributes
    ----------
    sds_a, sds_b : sequence of float
        Standard deviation of the runs of A and of B on each data set.

    Examples
    --------
    >>> SeedsPower(sds_a=(0.010,), sds_b=(0.012,)).solve(difference=0.02, power=0.8).n
    6
    """

    test = "seeds_difference"
    method = "welch1951"
    calculation = "normal"
    unit: ClassVar[str] = "runs of each model"
    sds_a: tuple[float, ...]
    sds_b: tuple[float, ...]

    @classmethod
    def from_pilot(cls, runs_a: Sequence[ArrayLike], runs_b: Sequence[ArrayLike]) -> SeedsPower:
        """Take the noise of a pilot: the scores of the runs of each model by data set.

        As a pilot of few runs knows its noise badly, the upper 80 % limit is taken.
        """
        spreads = []
        degrees = 0
        for runs in (*runs_a, *runs_b):
            scores = as_scores(runs, "runs", unit="runs")
            if len(scores) < 2:
                raise ArgumentError("runs", "a model has one run, which has no known noise")
            spreads.append(float(np.std(scores, ddof=1)))
            degrees += len(scores) - 1
        factor = cautious_factor(degrees)
        sds = [factor * spread for spread in spreads]
        return cls(sds_a=tuple(sds[: len(runs_a)]), sds_b=tuple(sds[len(runs_a) :]))

    @property
    def largest(self) -> float:
        """The largest size of a difference that is searched."""
        return 1e3 * self._spread

    @property
    def _spread(self) -> float:
        """√Σ v of the variances v of the mean over data sets, of one run each."""
        return math.sqrt(float(np.sum(self._variances)))

    @property
    def _variances(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """The variance that each model and data set adds to the difference."""
        variances = np.square([*self.sds_a, *self.sds_b]) / len(self.sds_a) ** 2
        if not variances.sum() > 0:
            raise ArgumentError("runs", "all runs of a model have the same score")
        return np.asarray(variances, dtype=np.float64)

    def completed(self, result: PowerResult, power: float | None) -> PowerResult:
        """Add the noise of one run of each model."""
        return dataclasses.replace(result, details={"sd": self._spread})

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n runs of each model at a true difference."""
        if n < _FEWEST_SEEDS:
            return 0.0
        # (Σ v)²/Σ v²/(n − 1) (Satterthwaite 1946)
        variances = self._variances
        df = float((n - 1) * variances.sum() ** 2 / np.sum(variances**2))
        shift = effect / self._spread * math.sqrt(n)
        return power_of_t(shift, df, alpha, side)

"""Power of tests of two accuracies on one test set: McNemar's, and against a margin.

p10 is the probability that only A is right on a row, p01 that only B is; difference =
p10 − p01, discordance = p10 + p01.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy import special

from bakeoff.stats.core import binomial, mcnemar_kernels
from bakeoff.stats.core.arguments import Alpha, Level, Share, checked
from bakeoff.stats.core.arithmetic import exp, inner
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.difference_limits import melded_pvalue, tango_statistic
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import Alternative
from bakeoff.stats.planning.solver import Power, PowerResult, check_possible

_NODES = 65
"""Numbers of discordant rows, at most, for which a melded limit is inverted."""
_HALVINGS = 30


@dataclasses.dataclass(frozen=True, kw_only=True)
class McNemarPower(Power):
    """Power of `mcnemar` on n rows.

    Attributes
    ----------
    discordance : float
        Probability that exactly one of the models is right on a row.
    variant : {"midp", "exact", "asymptotic", "corrected"}
        The variant of `mcnemar` that will be used.
    calculation : {"exact", "normal"}
        ``"exact"`` sums the rejection probability of that variant over every n_d ~ Bin(n,
        p10 + p01) and b ~ Bin(n_d, p10/(p10 + p01)). It moves in small steps both ways: the n that
        is solved for reaches the power and keeps it for the next 20 n. ``"normal"``:
        Φ((√n |δ| − z √ψ)/√(ψ − δ²)) with δ the difference and ψ the discordance (Connor 1987),
        which is the same for every variant.

    Examples
    --------
    >>> test = McNemarPower(discordance=0.10)
    >>> round(test.solve(n=1000, difference=0.03).power, 3)
    0.857
    >>> test.solve(difference=0.03, power=0.8).n
    862
    >>> round(test.solve(n=1000, power=0.8).difference, 4)
    0.0278
    """

    test = "mcnemar"
    steady = 20
    discordance: Share
    variant: mcnemar_kernels.Variant = "midp"  # type: ignore[misc]
    calculation: Literal["exact", "normal"] = "exact"  # type: ignore[misc]

    @property
    def method(self) -> str:  # type: ignore[override]
        """The citation of the calculation."""
        return "connor1987" if self.calculation == "normal" else "fagerland2013"

    @property
    def limits(self) -> tuple[float, float]:
        """From no difference to all discordant rows won by one model."""
        return 0.0, self.discordance

    def check_effect(self, effect: float, side: Alternative) -> None:
        """Refuse a difference beyond the discordance."""
        check_possible(effect, self.discordance)

    def details(self, n: float, effect: float) -> dict[str, float]:
        """Return the probabilities of the situation."""
        psi = self.discordance
        return {"p10": (psi + effect) / 2, "p01": (psi - effect) / 2, "discordance": psi}

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the power with n rows at a true difference."""
        if side == "less":
            effect, side = -effect, "greater"
        if self.calculation == "normal":
            return _connor_power(n, effect, self.discordance, alpha, side)
        n_d, weights = _discordant_counts(n, self.discordance)
        share = (self.discordance + effect) / (2 * self.discordance)

        def rejects(wins: FloatArray) -> BoolArray:
            pvalue = mcnemar_kernels.pvalue(self.variant, wins, n_d - wins, side)
            return np.asarray(pvalue <= alpha)

        low = np.floor(n_d / 2) if side == "two-sided" else np.full_like(n_d, -1.0)
        critical = _fewest_wins(rejects, low, n_d + 1)
        rejected = binomial.upper_tail(critical, n_d, share)
        if side == "two-sided":
            rejected = rejected + binomial.lower_tail(n_d - critical, n_d, share)
        return min(1.0, inner(weights, rejected))


@dataclasses.dataclass(frozen=True, kw_only=True)
class MarginPower(Power):
    """Power to show with n rows that A is not worse than B, or equal to it, within a margin.

    "Not worse" is shown by the exact melded limit, as a gate decides on a release
    (`accuracy_limits`, `decide_release`); equality as `tost_paired` shows it, by Tango's score
    statistic at −margin and at +margin. The power is exact: a sum over every number of discordant
    rows.

    Attributes
    ----------
    discordance : float
        Probability that exactly one of the models is right on a row.
    true_difference : float
        The true acc_A − acc_B.
    both_sides : bool
        Equality within the margin (two one-sided tests) instead of non-inferiority of A.

    Examples
    --------
    >>> test = MarginPower(discordance=0.1)
    >>> round(test.solve(n=1500, margin=0.02).power, 3)
    0.765
    >>> test.solve(margin=0.02, power=0.8).n
    1647
    >>> equivalent = MarginPower(discordance=0.1, both_sides=True)
    >>> round(equivalent.solve(n=2142, power=0.8).details["margin"], 4)
    0.0201
    """

    effect = "margin"
    discordance: Share
    true_difference: float = 0.0
    both_sides: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_possible(self.true_difference, self.discordance)

    @property
    def test(self) -> str:  # type: ignore[override]
        """The test that is planned."""
        return "tost_paired" if self.both_sides else "noninferiority"

    @property
    def variant(self) -> str:  # type: ignore[override]
        """What shows it."""
        return "score" if self.both_sides else "exact_melded"

    @property
    def method(self) -> str:  # type: ignore[override]
        """The citation of what shows it."""
        return "liu2002" if self.both_sides else "fay2021"

    @property
    def limits(self) -> tuple[float, float]:
        """From the margin that the true difference is at to the range of an accuracy."""
        true = self.true_difference
        return max(abs(true) if self.both_sides else -true, 1e-9), 1 - 1e-9

    def check_direction(self, effect: float, side: Alternative) -> None:
        """Refuse a true difference that is beyond the margin."""
        true = self.true_difference
        if true <= -effect or (self.both_sides and true >= effect):
            raise ArgumentError(
                "true_difference",
                f"found {true:g}, is beyond the margin {effect:g}: no rows show it",
            )

    def details(self, n: float, effect: float) -> dict[str, float]:
        """Return the margin and the discordance."""
        return {"margin": effect, "discordance": self.discordance}

    def difference(self, effect: float) -> float:
        """Return the true difference, which is not what is solved for."""
        return self.true_difference

    @checked
    def solve(  # type: ignore[override]
        self,
        *,
        n: int | None = None,
        margin: Level | None = None,
        power: Level | None = None,
        alpha: Alpha = 0.05,
    ) -> PowerResult:
        """Return the one of n, margin and power that is not given.

        Parameters
        ----------
        n : int, optional
            Rows of the test set.
        margin : float, optional
            The largest accuracy difference that does not matter, between 0 and 1.
        power : float, optional
            Probability of showing it, above `alpha`.

        Returns
        -------
        PowerResult
            `details` has the margin.

        """
        side: Alternative = "two-sided" if self.both_sides else "greater"
        return self._solve(n, margin, power, alpha, side)

    def power_at(self, n: float, effect: float, alpha: float, side: Alternative) -> float:
        """Return the probability that n rows show it within a margin."""
        n_d, weights = _discordant_counts(n, self.discordance)
        share = (self.discordance + self.true_difference) / (2 * self.discordance)
        wins = (_by_score if self.both_sides else _by_melded_limit)(n_d, int(n), effect, alpha)
        shown = binomial.upper_tail(wins, n_d, share)
        if self.both_sides:  # as few losses show the other side
            too_many = binomial.upper_tail(n_d - wins + 1, n_d, share)
            shown = np.maximum(shown - too_many, 0.0)
        return min(1.0, inner(weights, shown))


@checked
def smallest_discordant_count(
    *,
    alpha: Level = 0.05,
    alternative: Alternative = "two-sided",
    variant: mcnemar_kernels.Variant = "midp",
) -> int:
    """Return the smallest n_d with which McNemar's test can reach a level at all.

    Fewer discordant pairs cannot give p ≤ alpha even if one model wins all of them.

    Parameters
    ----------
    variant : {"midp", "exact", "asymptotic", "corrected"}
        As in `mcnemar`.

    Returns
    -------
    int
        The number of discordant pairs.

    Examples
    --------
    >>> smallest_discordant_count(), smallest_discordant_count(variant="exact")
    (5, 6)
    """
    n_d = np.arange(1, 10_000)  # 10,000 wins in a row underflow every alpha
    b, c = (np.zeros_like(n_d), n_d) if alternative == "less" else (n_d, np.zeros_like(n_d))
    p = mcnemar_kernels.pvalue(variant, b, c, alternative)
    return int(n_d[np.argmax(p <= alpha)])


def _discordant_counts(n: float, psi: float) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of discordant rows that matter, and their probabilities."""
    reach = 9 * math.sqrt(n * psi * (1 - psi)) + 20  # what lies beyond is below 1e-16
    first, last = max(0, math.floor(n * psi - reach)), min(n, math.ceil(n * psi + reach))
    n_d = np.arange(first, last + 1, dtype=np.float64)
    return n_d, exp(binomial.log_pmf(n_d, int(n), psi))


def _fewest_wins(
    decides: Callable[[FloatArray], BoolArray], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Return the fewest wins that decide for each number of discordant rows, by bisection.

    `low` decides nowhere; where no number of wins does, `high` is returned.
    """
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        enough = decides(middle)
        open_ = high - low > 1
        high = np.where(open_ & enough, middle, high)
        low = np.where(open_ & ~enough, middle, low)
    return high


def _by_score(n_d: FloatArray, n: int, margin: float, alpha: float) -> FloatArray:
    """Return the fewest wins whose score statistic is significant; n_d + 1 where none are."""
    quantile = -float(special.ndtri(alpha))

    def shows(wins: FloatArray) -> BoolArray:
        return np.asarray(tango_statistic(wins, n_d - wins, n, -margin) > quantile)

    return _fewest_wins(shows, np.full_like(n_d, -1.0), n_d + 1)


def _by_melded_limit(n_d: FloatArray, n: int, margin: float, alpha: float) -> FloatArray:
    """Return the fewest wins whose lower melded limit is above −margin; n_d + 1 where none are.

    The limit is a smooth function of wins and n_d, each also between whole numbers: of many n_d
    some are enough.
    """
    at = n_d if len(n_d) <= _NODES else np.linspace(n_d[0], n_d[-1], _NODES)
    low, high = np.zeros_like(at), at.copy()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        shows = melded_pvalue(middle, at - middle, n, -margin) < alpha
        low, high = np.where(shows, low, middle), np.where(shows, middle, high)
    most_without = np.where(melded_pvalue(at, 0 * at, n, -margin) < alpha, low, at)
    most_without[melded_pvalue(0 * at, at, n, -margin) < alpha] = -1.0
    return np.floor(np.interp(n_d, at, most_without)) + 1


def _connor_power(n: float, delta: float, psi: float, alpha: float, side: Alternative) -> float:
    if side == "two-sided":
        alpha, delta = alpha / 2, abs(delta)
    surplus = math.sqrt(n) * delta + float(special.ndtri(alpha)) * math.sqrt(psi)
    spread = math.sqrt(max(psi - delta**2, 0.0))
    if spread == 0:  # every row is won by one model
        return float(surplus >= 0)
    return float(special.ndtr(surplus / spread))

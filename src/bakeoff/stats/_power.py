"""What planning returns, and how plans check their numbers and search for an answer."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping

from bakeoff.stats._checks import check_level, check_number
from bakeoff.stats._errors import ArgumentError
from bakeoff.stats._result import Alternative


@dataclasses.dataclass(frozen=True, kw_only=True)
class PowerResult:
    """The power of a test in one planned situation.

    Attributes
    ----------
    test, variant : str
        As in the result of the test.
    n : float
        Rows of the test set; NaN where the plan does not name them.
    difference : float
        The true advantage of A over B; NaN when no difference reaches the power.
    power : float
        Probability that the test rejects at `alpha`.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is better.
    calculation : {"exact", "normal", "simulation"}
        How the power was found.
    monte_carlo_error : float
        Standard error, by simulation, of what was asked for; 0 where nothing is simulated.
    method : str
        Citation key (see `bakeoff.stats.citations`).
    details : Mapping[str, float]
        The rest of the situation, e.g. ``p10``, ``p01``, ``discordance``.
    """

    test: str
    variant: str
    n: float
    difference: float
    power: float
    alpha: float
    alternative: Alternative
    calculation: str
    method: str
    monte_carlo_error: float = 0.0
    details: Mapping[str, float] = dataclasses.field(default_factory=dict)


def check_positive(value: float, name: str) -> float:
    """Check a number that is above 0 and finite."""
    number = check_number(value, name)
    if not (number > 0 and math.isfinite(number)):
        raise ArgumentError(name, f"found {value!r}, must be positive and finite")
    return number


def check_discordance(discordance: float, difference: float = 0.0) -> float:
    """Check the share of rows that one model alone has right, and a difference made of them."""
    if not 0 < check_number(discordance, "discordance") <= 1:
        raise ArgumentError("discordance", f"found {discordance!r}, must lie in (0, 1]")
    if not abs(check_number(difference, "difference")) <= discordance:
        raise ArgumentError(
            "difference", f"found {difference!r}, cannot exceed the discordance {discordance!r}"
        )
    return float(discordance)


def check_power(power: float, alpha: float) -> float:
    """Check a power that a test reaches by a difference alone: more than its level."""
    wanted = check_level(power, "power")
    if wanted <= alpha:
        raise ArgumentError("power", f"found {power!r}, must be greater than alpha ({alpha!r})")
    return wanted


def check_direction(difference: float, side: Alternative) -> None:
    """Refuse a difference of 0, and one away from the alternative: no number finds it."""
    against = {"two-sided": difference == 0, "greater": difference <= 0, "less": difference >= 0}
    if against[side]:
        raise ArgumentError(
            "difference",
            f"found {difference:g}, no number of rows gives power for the alternative {side!r}",
        )


def fewest(
    power_at: Callable[[int], float],
    power: float,
    difference: float,
    *,
    start: int,
    most: int,
    unit: str,
) -> int:
    """Return the fewest rows or groups with a power: by doubling from `start`, then halving."""
    low, high = 0, start
    while power_at(high) < power:
        low, high = high, 2 * high
        if high > most:
            raise ArgumentError(
                "difference",
                f"found {difference:g}, more than {most:,} {unit} are needed for power {power:g}",
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    return high


def smallest(power_at: Callable[[float], float], power: float, most: float) -> float:
    """Return the smallest difference up to `most` with a power; NaN where `most` has less."""
    if power_at(most) < power:
        return math.nan
    low, high = 0.0, most
    while high - low > 1e-9 * most:
        middle = (low + high) / 2
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    return high

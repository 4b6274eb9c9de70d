"""What planning returns."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from bakeoff.stats._result import Alternative


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan:
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

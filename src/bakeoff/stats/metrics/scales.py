"""Monotone scales on which the interval of a metric is symmetric."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from scipy import special


class Scale(NamedTuple):
    """A monotone transformation g of a metric θ."""

    name: str
    forward: Callable[[float], float]
    inverse: Callable[[float], float]
    slope: Callable[[float], float]

    def mirrored(self) -> Scale:
        """Return the scale of a gain −θ, whose greater values are better."""
        return Scale(
            self.name,
            lambda gain: -self.forward(-gain),
            lambda value: -self.inverse(-value),
            lambda gain: self.slope(-gain),
        )

    def limits(self, value: float, half: float) -> tuple[float, float] | None:
        """Return g⁻¹(g(θ) ± h·g'(θ)) for a half-width h; None at an end of the range."""
        slope = self.slope(value)
        if not slope > 0:
            return None
        centre = self.forward(value)
        low, high = (self.inverse(centre + end * half / slope) for end in (-1, 1))
        return low, high


def _exp(x: float) -> float:
    return float(special.inv_boxcox(x, 0.0))  # infinite where math.exp fails


PLAIN = Scale("t", lambda value: value, lambda value: value, lambda value: 1.0)
LOGIT = Scale(
    "logit-t",
    lambda share: float(special.logit(share)),
    lambda value: float(special.expit(value)),
    lambda share: share * (1 - share),
)
LOG = Scale("log-t", math.log, _exp, lambda loss: loss)
LOG_COMPLEMENT = Scale(
    "log-complement-t",
    lambda value: -math.log(1 - value),
    lambda value: 1 - _exp(-value),
    lambda value: 1 - value,
)
FISHER = Scale("fisher-z-t", math.atanh, math.tanh, lambda r: 1 - r**2)

"""Scales on which a metric near an end of its range is closer to normal: logit and logarithm."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

from scipy import special

from bakeoff.stats.metrics.influence import Influence
from bakeoff.stats.metrics.metric import Form
from bakeoff.stats.metrics.setting import Setting


@dataclasses.dataclass(frozen=True)
class Scale:
    """A monotone transformation g of a metric, for which greater is better.

    Attributes
    ----------
    forward, inverse : Callable
        g and its inverse.
    slope : Callable
        1/g'(θ): influence values on the scale are ψ divided by it.
    """

    forward: Callable[[float], float]
    inverse: Callable[[float], float]
    slope: Callable[[float], float]

    def of(self, found: Influence) -> Influence | None:
        """Return a metric on the scale (delta method); None at an end of its range."""
        slope = self.slope(found.value)
        if not slope > 0:
            return None
        atoms = dataclasses.replace(found.atoms, psi=found.atoms.psi / slope)
        return dataclasses.replace(found, value=self.forward(found.value), atoms=atoms)


LOGIT = Scale(
    lambda area: float(special.logit(area)),
    lambda value: float(special.expit(value)),
    lambda area: area * (1 - area),
)
NEGATIVE_LOG = Scale(
    lambda gain: -math.log(-gain), lambda value: -math.exp(-value), lambda gain: -gain
)
PLAIN = Scale(lambda gain: gain, lambda value: value, lambda gain: 1.0)


def scale_of(setting: Setting) -> Scale | None:
    """Return the logit for areas and shares, −log for losses, the plain scale for other means.

    None for metrics of decisions, whose pseudo-rows do what a scale is for, and for own metrics.
    """
    metric = setting.metric
    if metric.form in (Form.DECISIONS, Form.LEFT_OUT):
        return None
    if metric.range == (0.0, 1.0):
        return LOGIT
    return NEGATIVE_LOG if metric.range[0] == 0 else PLAIN

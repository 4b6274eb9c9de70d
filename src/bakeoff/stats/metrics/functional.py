"""A metric with the influence of every row on it, and how sums, products and roots carry it on.

A metric θ is a function of means over rows. Its influence values ψ (one per row, with mean 0) are
its first-order change when a row gains weight, times the total weight: the mean of x has
ψ = x − mean, and the chain rule gives every other metric (Hampel 1974, JASA 69, 383-393).
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.checks import FloatArray


class NoValue(ValueError):
    """A metric has no value on these rows; the text says why."""


@dataclasses.dataclass(frozen=True)
class Functional:
    """The value of a metric and its influence values."""

    value: float
    psi: FloatArray

    def __add__(self, other: Functional | float) -> Functional:
        if isinstance(other, Functional):
            return Functional(self.value + other.value, self.psi + other.psi)
        return Functional(self.value + other, self.psi)

    __radd__ = __add__

    def __neg__(self) -> Functional:
        return Functional(-self.value, -self.psi)

    def __sub__(self, other: Functional | float) -> Functional:
        return self + -other

    def __rsub__(self, other: float) -> Functional:
        return -self + other

    def __mul__(self, other: Functional | float) -> Functional:
        if isinstance(other, Functional):
            psi = self.value * other.psi + other.value * self.psi
            return Functional(self.value * other.value, psi)
        return Functional(self.value * other, self.psi * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Functional | float) -> Functional:
        if not isinstance(other, Functional):
            return self * (1 / other)
        value = self.value / other.value
        return Functional(value, (self.psi - value * other.psi) / other.value)

    def __pow__(self, exponent: float) -> Functional:
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = exponent * np.float64(self.value) ** (exponent - 1)
            # a root of 0 stays 0 whatever weight its rows have, although its slope is infinite
            psi = np.where(self.psi == 0, 0.0, slope * self.psi)
            return Functional(self.value**exponent, psi)


def mean(values: ArrayLike, weights: FloatArray) -> Functional:
    """Return the weighted mean of values given per row, as a functional of the weights."""
    x = np.asarray(values, dtype=np.float64)
    centre = inner(weights, x) / float(weights.sum())
    return Functional(centre, x - centre)

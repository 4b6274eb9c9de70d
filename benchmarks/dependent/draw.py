"""Draw right/wrong values of exchangeable models on rows in groups, and on rows in time.

The latent margins of all models share .6 of their variance row by row; what is a model's own
depends inside groups, so that the difference per row has the intraclass correlation named.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from scipy import signal, special

from benchmarks.harness import Array

GROUPS = (5, 6, 8, 10, 20, 50, 200)
SHAPES = ("equal", "one group 30 %")
EFFECTS = ("normal", "heavy tails")
ICCS = (0.0, 0.1, 0.5)
SHARED = 0.6
HEAVY = 3
"""Degrees of freedom of group effects with heavy tails."""
DISCORDANT = 0.3


def sizes(groups: int, mean: int, shape: str) -> Array:
    """Rows of each group: all alike, or 30 % of them in the first."""
    if shape == "equal":
        return np.full(groups, mean)
    total = groups * mean
    others = max(1, round(0.7 * total / (groups - 1)))
    return np.array([round(0.3 * total), *[others] * (groups - 1)])


def margins(
    rng: np.random.Generator,
    codes: Array,
    models: int,
    own: float,
    runs: int,
    *,
    effects: str = "normal",
    shared: float = SHARED,
) -> Array:
    """Latent margins (N, models, runs); `own` is the correlation inside groups of the own part."""
    many = (int(codes.max()) + 1, models, runs)
    if effects == "normal":
        inside = rng.standard_normal(many, dtype=np.float32)
    else:
        inside = rng.standard_t(HEAVY, many).astype(np.float32) / math.sqrt(HEAVY / (HEAVY - 2))
    found = rng.standard_normal((len(codes), models, runs), dtype=np.float32)
    found *= math.sqrt(1 - own)
    inside *= math.sqrt(own)
    found += inside[codes]
    if shared:
        found *= math.sqrt(1 - shared)
        common = rng.standard_normal((len(codes), 1, runs), dtype=np.float32)
        found += np.float32(math.sqrt(shared)) * common
    return found


@functools.cache
def cut(accuracy: float, own: float, effects: str, shared: float) -> float:
    """Margin that a model of this accuracy exceeds where it is right."""
    if effects == "normal" or own == 0:
        return float(special.ndtri(1 - accuracy))
    alone = np.arange(1_000_000)
    z = margins(np.random.default_rng(1), alone, 1, own, 1, effects=effects, shared=shared)
    return float(np.quantile(z, 1 - accuracy))


@functools.cache
def own_correlation(icc: float, accuracy: float, effects: str = "normal", models: int = 2) -> float:
    """Latent correlation that gives this intraclass correlation.

    It is that of the difference of two models per row, or of one model that shares nothing.
    """
    if icc == 0:
        return 0.0
    low, high = 0.0, 1.0
    shared, pair = SHARED if models == 2 else 0.0, np.zeros(2, dtype=int)
    for _ in range(12):
        middle = (low + high) / 2
        z = margins(
            np.random.default_rng(0), pair, models, middle, 200_000, effects=effects, shared=shared
        )
        right = (z > cut(accuracy, middle, effects, shared)).astype(float)
        value = right[:, 0] - (right[:, 1] if models == 2 else accuracy)
        found = (value[0] * value[1]).mean() / np.square(value).mean()
        low, high = (middle, high) if found < icc else (low, middle)
    return (low + high) / 2


def drawn_rows(
    rng: np.random.Generator, groups: int, shape: str, icc: float, models: int
) -> tuple[Array, Array, Array]:
    """Draw margins (N, models), the groups of 8 rows, and 0/1 classes."""
    codes = np.repeat(np.arange(groups), sizes(groups, 8, shape))
    z = margins(rng, codes, models, own_correlation(icc, 0.8), 1)[:, :, 0]
    return z, codes, (rng.random(len(codes)) < 0.4).astype(int)


def fading(rng: np.random.Generator, n: int, phi: float, series: int = 1) -> Array:
    """Draw AR(1) series of variance 1, shape (series, n)."""
    shocks = rng.normal(size=(series, n))
    shocks[:, 1:] *= math.sqrt(1 - phi**2)
    found: Array = signal.lfilter([1.0], [1.0, -phi], shocks)
    return found


def tilted(rng: np.random.Generator, n: int, phi: float) -> Array:
    """Right/wrong values (2, n) of two models of accuracy .7 whose tilt is an AR(1) series."""
    (tilt,) = fading(rng, n, phi)
    return np.stack([tilt > -0.5, tilt < 0.5])


def lasting(rng: np.random.Generator, n: int, phi: float) -> Array:
    """Right/wrong values (2, n) whose difference stays as it is with probability φ.

    So its autocorrelation is φ^lag exactly; else it is drawn anew, not 0 in three rows of ten.
    """
    half = DISCORDANT / 2
    fresh = rng.choice([-1, 0, 1], p=[half, 1 - DISCORDANT, half], size=n)
    new = rng.random(n) >= phi
    new[0] = True
    d = fresh[np.maximum.accumulate(np.where(new, np.arange(n), 0))]
    return np.stack([d >= 0, d <= 0])


def hidden(rng: np.random.Generator, n: int, phi: float) -> Array:
    """Losses (2, n) whose difference is white noise and, for a quarter, an AR(1) series."""
    (slow,) = fading(rng, n, phi)
    d = math.sqrt(0.25) * slow + math.sqrt(0.75) * rng.normal(size=n)
    return np.stack([d, np.zeros(n)])


def favoured(
    rng: np.random.Generator, n: int, phi: float, models: int = 2, accuracy: float = 0.75
) -> Array:
    """Right/wrong values (models, n): each model has good and bad spells, of one chance each.

    A spell ends with probability (1 − φ)/2; the error rates are a half and one and a half of the
    mean one. Given the spells all rows are independent.
    """
    swaps = rng.random((models, n)) < (1 - phi) / 2
    swaps[:, 0] = rng.random(models) < 0.5
    spell = np.cumsum(swaps, axis=1) % 2 - 0.5
    return rng.random((models, n)) < 1 - (1 - accuracy) * (1 + spell)


def rarely_wrong(rng: np.random.Generator, n: int, phi: float) -> Array:
    """Return what `favoured` does, of accuracy .95."""
    return favoured(rng, n, phi, accuracy=0.95)


def skewed(rng: np.random.Generator, n: int, phi: float) -> Array:
    """Log-normal losses (2, n) of two models, each with an AR(1) series of its own under noise."""
    return np.exp(0.5 * fading(rng, n, phi, 2) + 0.8 * rng.normal(size=(2, n)))


def volatile(rng: np.random.Generator, n: int, phi: float) -> Array:
    """Losses (2, n) whose difference is uncorrelated, its log spread an AR(1) series."""
    (spread,) = fading(rng, n, phi)
    return np.stack([np.exp(spread) * rng.normal(size=n), np.zeros(n)])


def seasonal(rng: np.random.Generator, n: int, phi: float) -> Array:
    """Losses (2, n) whose difference has a week of seven days, an AR(1) series and noise."""
    (slow,) = fading(rng, n, phi)
    week = np.cos(2 * np.pi * (np.arange(n) + rng.integers(7)) / 7)
    return np.stack([week + 0.5 * slow + rng.normal(size=n), np.zeros(n)])


def one_persistent(rng: np.random.Generator, n: int, phi: float, models: int) -> Array:
    """Right/wrong values (models, n): the first model is as `favoured`, the others independent."""
    found = rng.random((models, n)) < 0.75
    found[:1] = favoured(rng, n, phi, 1)
    return found

"""Draw right/wrong values of exchangeable models on rows in groups, and on rows in time.

The latent margins of all models share .6 of their variance row by row; what is a model's own
depends inside groups, so that the difference per row has the intraclass correlation named.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from scipy import signal, special

Array = np.ndarray[Any, np.dtype[Any]]

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


def tilted(rng: np.random.Generator, n: int, phi: float) -> Array:
    """Right/wrong values (2, n) of two models of accuracy .7 whose tilt is an AR(1) series."""
    shocks = rng.normal(size=n)
    shocks[1:] *= math.sqrt(1 - phi**2)
    tilt = signal.lfilter([1.0], [1.0, -phi], shocks)
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

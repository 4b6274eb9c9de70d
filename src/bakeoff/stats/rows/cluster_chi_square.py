"""The published χ² forms of McNemar's test for clustered rows, from counts per cluster."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.design.clusters import Clusters


def obuchowski(sums: FloatArray, clusters: Clusters) -> float:
    """(K − 1)/K · S²/ΣD² (Obuchowski 1998)."""
    return _ratio(_factor(clusters) * float(sums.sum()) ** 2, float(np.square(sums).sum()))


def modified_obuchowski(sums: FloatArray, clusters: Clusters) -> float:
    """(K − 1)/K · S²/(½ Σ(r² + D²)), r the cluster residuals (Yang, Sun & Hardin 2010)."""
    residuals = sums - clusters.sizes * (sums.sum() / clusters.n)
    spread = float(np.square(residuals).sum() + np.square(sums).sum()) / 2
    return _ratio(_factor(clusters) * float(sums.sum()) ** 2, spread)


def durkalski(sums: FloatArray, clusters: Clusters) -> float:
    """(Σ D/n)²/Σ(D/n)²: about the mean of the cluster means (Durkalski et al. 2003)."""
    means = sums / clusters.sizes
    return _ratio(float(means.sum()) ** 2, float(np.square(means).sum()))


OF_SUMS = {f.__name__: f for f in (obuchowski, modified_obuchowski, durkalski)}
"""The statistics that need no more than each cluster's difference."""


@dataclasses.dataclass(frozen=True)
class EliasziwDonner:
    """McNemar's χ² over a correction C for the correlation of discordant rows.

    Attributes
    ----------
    statistic, correction : float
        χ²/C and C.
    rho, rho_star : float
        ρ̃ of the discordant rows and ρ* of the four cells.
    """

    statistic: float
    correction: float
    rho: float
    rho_star: float


def eliasziw_donner(
    cells: FloatArray, clusters: Clusters, *, published: bool = False
) -> EliasziwDonner:
    """Correct McNemar's χ² for correlated discordance (Eliasziw & Donner 1991).

    Parameters
    ----------
    cells : ndarray, shape (K, 4)
        Rows per cluster that both, only A, only B and neither model has right.
    clusters : Clusters
        Their sizes.
    published : bool
        True: let a negative ρ* through, as the published formula does though it leaves its
        range. False: C is 1 then.
    """
    b, c = cells[:, 1].sum(), cells[:, 2].sum()
    star = _four_cell_correlation(cells, clusters)
    discordance = (b + c) / clusters.n
    usable = star != 0 if published else star > 0
    rho = 1 / (1 + discordance * (1 - star) / star) if usable else 0.0
    correction = 1.0 if math.isnan(star) else _correction(cells[:, 1] + cells[:, 2], rho)
    value = _ratio(float(b - c) ** 2, float(b + c)) / correction
    return EliasziwDonner(value, correction, rho, star)


def _four_cell_correlation(cells: FloatArray, clusters: Clusters) -> float:
    n, k = clusters.n, clusters.count
    if k < 2 or n == k:
        return math.nan
    sizes = clusters.sizes[:, None]
    shares = cells.sum(axis=0) / n
    between = float((np.square(cells - sizes * shares) / sizes).sum()) / k
    within = float((cells * (sizes - cells) / sizes).sum()) / (n - k)
    mean = n / k
    m0 = mean - float(np.square(clusters.sizes - mean).sum()) / (k * (k - 1) * mean)
    scale = between + (m0 - 1) * within
    return (between - within) / scale if scale else math.nan


def _correction(discordant: FloatArray, rho: float) -> float:
    k = len(discordant)
    holding = int(np.count_nonzero(discordant))
    if holding < 2:
        return 1.0
    mean = float(discordant.sum()) / holding
    spread = float(np.square(discordant - mean).sum()) - (k - holding) * mean**2
    s0 = mean - spread / (holding * (holding - 1) * mean)
    return 1 + (s0 + holding * (mean - s0) - 1) * rho


def _factor(clusters: Clusters) -> float:
    return (clusters.count - 1) / clusters.count


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else math.nan

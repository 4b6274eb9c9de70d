"""Many series at once: how often `diebold_mariano` rejects, and does so without a flag."""

from __future__ import annotations

import itertools

import numpy as np
from scipy import special

from bakeoff import stats
from bakeoff.stats.rows import ordered
from benchmarks.dependent.draw import Array
from benchmarks.dependent.pairs import ALPHA

TEST = "diebold_mariano ewc_corrected"


def rejections(differences: Array, contrasts: int | None = None) -> tuple[Array, Array]:
    """Return p and whether an assumption fails for differences of shape (series, n).

    The series are independent studies of one pair, or all pairs of one study where `contrasts`
    says how many of them are independent of each other.
    """
    n = differences.shape[1]
    mean = differences.mean(axis=1)
    residuals = differences - mean[:, None]
    count = ordered.cosine_count(n)
    plain = np.square(ordered.cosine_transform(residuals.T)[:count]).mean(axis=0)
    if contrasts is None:
        factors = np.concatenate([ordered.persistence([one], 1) for one in residuals])
    else:
        factors = ordered.persistence(list(residuals), contrasts)
    gamma = np.square(residuals).mean(axis=1)
    variance = plain * factors
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / np.sqrt(variance / n)
        lag1 = (residuals[:, 1:] * residuals[:, :-1]).sum(axis=1) / n / gamma
        few = n * gamma / variance < ordered.LEAST_EFFECTIVE
    p = 2 * special.stdtr(count, -np.abs(t))
    p[gamma <= 0] = np.where(mean[gamma <= 0] == 0, 1.0, np.nan)
    return p, few | (lag1 > ordered.STRONG)


def rates(differences: Array, unflagged: str) -> dict[str, float]:
    """Return how often the test rejects, and how often without a flag."""
    p, flag = rejections(differences)
    rejected = p <= ALPHA
    return {TEST: float(rejected.mean()), TEST + unflagged: float((rejected & ~flag).mean())}


def any_pair(values: Array) -> dict[str, bool]:
    """Say whether any of all pairs of models (M, n) is rejected, by Holm."""
    models = len(values)
    pairs = np.array(list(itertools.combinations(range(models), 2)))
    differences = values[pairs[:, 0]].astype(float) - values[pairs[:, 1]]
    adjusted = stats.adjust_pvalues(rejections(differences, models - 1)[0], "holm")
    return {f"{TEST}, {models} models": bool((adjusted <= ALPHA).any())}

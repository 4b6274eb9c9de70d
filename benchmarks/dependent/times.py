"""Many series at once: how often `diebold_mariano` rejects, and does so without a flag."""

from __future__ import annotations

import itertools

import numpy as np
from scipy import special

from bakeoff import stats
from bakeoff.stats.design import long_run as _long_run
from bakeoff.stats.design import serial as _serial
from benchmarks.dependent.draw import Array
from benchmarks.dependent.pairs import ALPHA

TESTS = ("diebold_mariano ewc_corrected", "diebold_mariano ewc")


def rejections(differences: Array, contrasts: int | None = None) -> dict[str, tuple[Array, Array]]:
    """Return p and whether an assumption fails, by test, for differences of shape (series, n).

    The series are independent studies of one pair, or all pairs of one study where `contrasts`
    says how many of them are independent of each other.
    """
    n = differences.shape[1]
    mean = differences.mean(axis=1)
    residuals = differences - mean[:, None]
    count = _long_run.cosine_count(n)
    plain = np.square(_long_run.cosine_transform(residuals.T)[:count]).mean(axis=0)
    if contrasts is None:
        factors = np.concatenate([_long_run.persistence([one], 1) for one in residuals])
    else:
        factors = _long_run.persistence(list(residuals), contrasts)
    gamma = np.square(residuals).mean(axis=1)
    found = {}
    for test, factor in zip(TESTS, (factors, 1.0), strict=True):
        variance = plain * factor
        with np.errstate(divide="ignore", invalid="ignore"):
            t = mean / np.sqrt(variance / n)
            lag1 = (residuals[:, 1:] * residuals[:, :-1]).sum(axis=1) / n / gamma
            few = n * gamma / variance < _serial.LEAST_EFFECTIVE
        p = 2 * special.stdtr(count, -np.abs(t))
        p[gamma <= 0] = np.where(mean[gamma <= 0] == 0, 1.0, np.nan)
        found[test] = (p, few | (lag1 > _serial.STRONG))
    return found


def rates(differences: Array, unflagged: str) -> dict[str, float]:
    """Return how often each test rejects, and how often without a flag."""
    found = {}
    for test, (p, flag) in rejections(differences).items():
        found[test] = float((p <= ALPHA).mean())
        found[test + unflagged] = float(((p <= ALPHA) & ~flag).mean())
    return found


def any_pair(values: Array) -> dict[str, bool]:
    """Say which procedures reject any of all pairs of models (M, n), by Holm."""
    models = len(values)
    pairs = np.array(list(itertools.combinations(range(models), 2)))
    differences = values[pairs[:, 0]].astype(float) - values[pairs[:, 1]]
    found = {}
    for test, (p, _) in rejections(differences, models - 1).items():
        adjusted = stats.adjust_pvalues(p, "holm")
        found[f"{test}, {models} models"] = bool((adjusted <= ALPHA).any())
    return found

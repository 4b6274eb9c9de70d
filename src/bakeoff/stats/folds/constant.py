"""Many models against the scores of one constant answer, by the corrected resampled t test."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.paired_differences import noise_level
from bakeoff.stats.folds.t_tests import size_ratio


class Against(NamedTuple):
    """Models against a constant answer, each part of shape (M,)."""

    estimate: FloatArray
    low: FloatArray  # limits are NaN where differences do not vary, as is the p-value then
    high: FloatArray
    pvalue: FloatArray


def corrected_against(
    scores: FloatArray,
    constant: FloatArray,
    *,
    n_train: ArrayLike,
    n_test: ArrayLike,
    confidence_level: float = 0.95,
) -> Against:
    """Test models, scores (M, J), against one score a fold, (J,), as corrected_resampled_t does."""
    ratio, _ = size_ratio(n_train, n_test, constant.shape)
    d, sizes = scores - constant, np.maximum(np.abs(scores), np.abs(constant))
    level, (_, folds) = noise_level(scores), d.shape
    d = np.where(np.abs(d) <= level * sizes, 0.0, d)
    mean, df = d.mean(axis=1), folds - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        sd = d.std(axis=1, ddof=1) if df else np.full(len(d), math.nan)
        varies = (sd > level * sizes.max(axis=1)) & d.any(axis=1)
        se = np.where(varies, sd * math.sqrt(1 / folds + ratio), math.nan)
        pvalue = np.minimum(2 * special.stdtr(df, -np.abs(mean / se)), 1.0)
    pvalue = np.where(d.any(axis=1) | (df == 0), pvalue, 1.0)
    reach = se * special.stdtrit(df, 0.5 + confidence_level / 2)
    return Against(mean, mean - reach, mean + reach, pvalue)

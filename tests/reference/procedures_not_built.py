"""Procedures that the simulations speak against, so that bakeoff.stats does not have them.

Their formulas are here to keep the reference values of the file checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import special, stats

Values = dict[str, Any]


def chi2_sf(x: float, df: int) -> float:
    return float(special.chdtrc(df, x))


def balanced_5x2_f(inputs: Mapping[str, Any]) -> Values:
    """The 5×2cv F on balanced partitions, with 7 and 5 degrees of freedom."""
    d = np.asarray(inputs["differences"])
    variances = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    if variances.sum() < 1e-25:
        return {
            "statistic": np.inf,
            "df1": 7,
            "df2": 5,
            "pvalue": np.nan,
            "status": "zero_variance",
        }
    f = (d**2).sum() / (2 * variances.sum())
    return {"statistic": f, "df1": 7, "df2": 5, "pvalue": float(special.fdtrc(7, 5, f))}


def _normal(estimate: float, se: float, level: float) -> Values:
    reach = stats.norm.ppf(0.5 + level / 2) * se
    z = estimate / se
    return {
        "estimate": estimate,
        "se": se,
        "statistic": z,
        "pvalue": 2 * stats.norm.sf(abs(z)),
        "ci": [estimate - reach, estimate + reach],
    }


def conservative_z(inputs: Mapping[str, Any]) -> Values:
    """Nadeau and Bengio's conservative z: the variance from disjoint halves."""
    means = np.asarray(inputs["paired"]).mean(axis=2)
    variance = ((means[:, 0] - means[:, 1]) ** 2).mean() / 2
    estimate = float(np.mean(inputs["differences"]))
    return _normal(estimate, float(np.sqrt(variance)), inputs["confidence_level"])


def wald_cv(inputs: Mapping[str, Any], *, within: bool = False) -> Values:
    """Bayle et al.: the rows of one cross-validation taken for independent."""
    folds = [np.asarray(fold) for fold in inputs["row_differences"]]
    rows = np.concatenate(folds)
    mean = float(np.mean([fold.mean() for fold in folds]))
    variance = np.mean([fold.var(ddof=1) for fold in folds]) if within else rows.var()
    return _normal(mean, float(np.sqrt(variance / len(rows))), inputs["confidence_level"])


def nested_cv(inputs: Mapping[str, Any], *, bias: bool = True) -> Values:
    """Bates, Hastie and Tibshirani: nested cross-validation."""
    outer, inner = np.asarray(inputs["outer"]), np.asarray(inputs["inner"])
    k, fold_rows = outer.shape[1:]
    inner_mean = inner.mean(axis=(2, 3))
    squares = (inner_mean - outer.mean(axis=2)) ** 2 - outer.var(axis=2, ddof=1) / fold_rows
    mse = float(squares.mean()) * (k - 1) / k
    estimate = float(outer.mean())
    if bias:
        estimate = float(inner_mean.mean())
        estimate -= (1 + (k - 2) / k) * (estimate - float(outer.mean()))
    plain = inner.std(ddof=1) / np.sqrt(k * fold_rows)
    se = np.clip(np.sqrt(max(mse, 0.0)), plain, plain * np.sqrt(k))
    return _normal(estimate, float(se), inputs["confidence_level"]) | {"mse": mse}

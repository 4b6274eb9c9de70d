"""Cochran's question, whether several classifiers differ, on rows that come in groups.

G_kj rows of cluster k are right by model j; g_kj = G_kj less its mean over the models.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from bakeoff.stats.core.arguments import Seed
from bakeoff.stats.core.arithmetic import gram, helmert, inner, root, solved
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.result import Status
from bakeoff.stats.design.cluster_result import (
    ClusteredResult,
    cluster_assumptions,
    too_few_clusters,
    too_few_degrees,
)
from bakeoff.stats.design.clusters import Clusters, degrees_of_freedom, design_effect, moments
from bakeoff.stats.design.joint_flip import JointFlip, joint_flip

SOURCES = {"sign_flip": "canay2017", "robust_f": "pustejovsky2018"}
_ALPHA = 0.05


def in_groups(
    matrix: BoolArray, clusters: Clusters, variant: str, n_resamples: int, seed: Seed
) -> ClusteredResult:
    """Compare several models by their right rows in each group; see `cochran_q` for the options."""
    totals = clusters.sums(matrix)
    flip = joint_flip(totals, n_resamples=n_resamples, seed=seed)
    df = degrees_of_freedom(clusters.shares)
    models = matrix.shape[1]
    status, statistic, pvalue = _status(matrix, flip), 0.0, 1.0
    details: dict[str, Any] = {}
    df1: float | None = None
    df2: float | None = None
    if variant == "robust_f":
        df1, df2 = float(models - 1), df - models + 2
    if status is Status.OK and variant == "sign_flip":
        few = too_few_clusters(clusters.count, _ALPHA)
        status = Status.TOO_FEW if few else Status.OK
        statistic, pvalue = flip.statistic, math.nan if few else flip.pvalue
    elif status is Status.OK:
        status, statistic, pvalue, details = _robust_f(totals, clusters, df)
    accuracies = totals.sum(axis=0) / clusters.n
    effect = _mean_design_effect(matrix, totals, clusters)
    return ClusteredResult(
        variant=variant,
        statistic=statistic,
        df1=df1,
        df2=df2,
        pvalue=pvalue,
        estimate=float(accuracies.max() - accuracies.min()),
        n=clusters.n,
        status=status,
        assumptions=cluster_assumptions(
            clusters, totals - totals.mean(axis=1, keepdims=True), flip.nonzero, _ALPHA
        ),
        null_hypothesis="Exchanging the fitted models in a whole group changes nothing: all are "
        "equally accurate on the population that the groups were drawn from.",
        method=SOURCES[variant],
        details={
            "accuracies": accuracies.tolist(),
            "n_clusters_nonzero": flip.nonzero,
            "pvalue_exact": flip.exact,
            "formula_pvalue": flip.pvalue,
            "method": flip.method,
            "monte_carlo_error": flip.error,
            "df": df,
            **details,
        },
        n_clusters=clusters.count,
        n_effective=clusters.n / effect,
        design_effect=effect,
        icc=math.nan,
    )


def _status(matrix: BoolArray, flip: JointFlip) -> Status:
    if bool((matrix == matrix[:, :1]).all()):
        return Status.NO_DISCORDANT_PAIRS
    return Status.OK if flip.nonzero else Status.IDENTICAL_SCORES


def _robust_f(
    totals: FloatArray, clusters: Clusters, df: float
) -> tuple[Status, float, float, dict[str, Any]]:
    """F of the contrasts with the CR2 covariance; models that agree throughout count once."""
    models = totals.shape[1]
    accuracies = totals.sum(axis=0) / clusters.n
    if clusters.count < 2:
        return Status.TOO_FEW, math.nan, math.nan, {"wald": math.nan}
    residuals = totals - clusters.sizes[:, None] * accuracies
    weighted = residuals / np.sqrt(1 - clusters.shares)[:, None] / clusters.n
    contrasts = helmert(weighted)
    varied = max(float(np.square(contrasts).sum()), float(np.square(weighted).sum()) * 1e-12)
    lower = root(gram(contrasts), least=1e-10 * varied)
    along, left = solved(lower, helmert(accuracies[None])[0])
    wald = inner(along, along)
    varying = lower.diagonal() > 0
    if too_few_degrees(df - models + 2):  # so there are more clusters than models, too
        wald = wald if varying.all() else math.nan
        q = models - 1
        f = (df - q + 1) / (df * q) * wald if df > q - 1 else math.nan
        return Status.TOO_FEW, f, math.nan, {"wald": wald}
    if (np.abs(left[~varying]) > 1e-9).any():
        return Status.ZERO_VARIANCE, math.inf, math.nan, {"wald": math.inf}
    q = int(varying.sum())
    f = (df - q + 1) / (df * q) * wald
    return Status.OK, f, float(special.fdtrc(q, df - q + 1, f)), {"wald": wald, "contrasts": q}


def _mean_design_effect(matrix: BoolArray, totals: FloatArray, clusters: Clusters) -> float:
    """Mean design effect of the models' deviations from the mean of all models."""
    deviation = totals - totals.mean(axis=1, keepdims=True)
    right, models = matrix.sum(axis=1, dtype=np.float64), matrix.shape[1]
    whole = models * ((models - 2 * right) @ matrix) + np.square(right).sum()
    squares = whole / models**2
    holding = np.count_nonzero(clusters.sums((matrix != matrix[:, :1]).any(axis=1)))
    found = moments(deviation, squares, clusters)
    return float(np.mean(design_effect(found, holding, clusters)))

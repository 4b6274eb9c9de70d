"""Scores of folds of which some are missing, as one score of each model on each data set."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import checked
from bakeoff.stats.core.checks import ArgumentError, BoolArray, FloatArray, IntArray, as_scores


@dataclasses.dataclass(frozen=True)
class FoldMeans:
    """Mean scores, data sets × models, and what they are means of.

    Attributes
    ----------
    means : ndarray, shape (N, k)
        NaN where no fold is left, or where a model has no score on any fold of a data set.
    used, lost : ndarray, shape (N,) and (N, k)
        The folds that a mean is over; those that each model lacks of the folds of a data set.
    """

    means: FloatArray
    used: IntArray
    lost: IntArray


@checked
def fold_means(
    scores: ArrayLike,
    *,
    missing: Literal["common", "impute"] = "common",
    baseline: int | None = None,
) -> FoldMeans:
    """Average scores over folds of which some models lack some.

    ``common`` takes the folds of a data set that all models have, and says how good models are
    where they ran. ``impute`` puts the score of a baseline on the very same fold in the place of a
    lost one, and says how good they are in use, where a crash leaves the baseline. The mean over
    each model's own folds compares other folds; so it is not offered.

    Parameters
    ----------
    scores : array_like, shape (N, F, k)
        Data sets × folds × models; NaN is a missing score. A fold that no model has is none.
    missing : {"common", "impute"}
        What becomes of a fold that some models lack.
    baseline : int, optional
        The column of the baseline, which has to have the folds that others lack.

    Examples
    --------
    >>> nan = float("nan")
    >>> scores = [[[0.7, 0.8], [0.6, nan], [0.5, 0.7]]]
    >>> fold_means(scores).means.round(3).tolist()
    [[0.6, 0.75]]
    >>> fold_means(scores, missing="impute", baseline=0).means.round(3).tolist()
    [[0.6, 0.7]]
    """
    table = as_scores(scores, "scores", ndim=3, unit="data sets", allow_missing=True)
    there: BoolArray = ~np.isnan(table)
    folds: BoolArray = np.any(there, axis=2, keepdims=True)
    lost = np.count_nonzero(folds & ~there, axis=1)
    if missing == "impute":
        table = _imputed(table, folds, baseline)
        there = ~np.isnan(table)
    used: BoolArray = np.all(there, axis=2, keepdims=True)
    count = np.count_nonzero(used, axis=1)
    sums = np.where(used, table, 0.0).sum(axis=1)
    means = np.full(sums.shape, np.nan)
    np.divide(sums, count, out=means, where=count > 0)
    # a model without any fold of a data set has failed there; the others have their folds
    failed: BoolArray = ~np.any(there, axis=1)
    for place in np.flatnonzero(failed.any(axis=1)):
        left = ~failed[place]
        if left.any():
            common = there[place][:, left].all(axis=1)
            count[place] = np.count_nonzero(common)
            if common.any():
                means[place, left] = table[place][common][:, left].mean(axis=0)
    return FoldMeans(means, count[:, 0], lost)


def _imputed(table: FloatArray, folds: BoolArray, baseline: int | None) -> FloatArray:
    """Put the score of the baseline on a fold in the place of those that others lack."""
    if baseline is None or not 0 <= baseline < table.shape[2]:
        columns = f"a column from 0 to {table.shape[2] - 1}"
        raise ArgumentError("baseline", f"found {baseline!r}, expected {columns}")
    of_baseline = table[:, :, [baseline]]
    to_fill = folds & np.isnan(table)
    lacking = to_fill & np.isnan(of_baseline)
    if lacking.any():
        data_set, fold, _ = (int(place) for place in np.argwhere(lacking)[0])
        raise ArgumentError(
            "baseline", f"column {baseline} lacks fold {fold} of data set {data_set} itself"
        )
    return np.where(to_fill, of_baseline, table)

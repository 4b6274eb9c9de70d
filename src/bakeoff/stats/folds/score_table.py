"""Scores of several classifiers on folds, and what the tests on them share."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.checks import BoolArray, FloatArray, as_floats, as_scores
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.paired_differences import noise_level
from bakeoff.stats.core.result import Assumption


@dataclasses.dataclass(frozen=True)
class ScoreTable:
    """Scores by fold and model; NaN is a missing fold."""

    values: FloatArray
    greater_is_better: bool
    noise: float

    @property
    def present(self) -> BoolArray:
        """Return which scores are there."""
        return ~np.isnan(self.values)

    @property
    def counts(self) -> FloatArray:
        """Return the number of folds of each model."""
        counts: FloatArray = self.present.sum(axis=0).astype(np.float64)
        return counts

    @property
    def means(self) -> FloatArray:
        """Return the mean score of each model."""
        means: FloatArray = np.nanmean(self.values, axis=0)
        return means

    @property
    def advantage(self) -> FloatArray:
        """Return the mean scores, turned so that greater is better."""
        return self.means if self.greater_is_better else -self.means

    def within(self) -> float:
        """Return the sum of squares within the models."""
        return float(np.nansum((self.values - self.means) ** 2))

    def complete(self) -> ScoreTable:
        """Keep the folds in which every model has a score."""
        rows = self.values[self.present.all(axis=1)]
        if not len(rows):
            raise ArgumentError("scores", "no fold has a score of every model; use blocks=False")
        return dataclasses.replace(self, values=rows)

    def ranking(self) -> dict[str, Any]:
        """Return the mean scores and the columns from best to worst."""
        return {"means": self.means, "order": np.argsort(-self.advantage, kind="stable")}


def score_table(scores: ArrayLike, nan_policy: str, greater_is_better: bool) -> ScoreTable:
    """Check the scores of several models on folds and mark the missing ones."""
    filled, missing = fill_missing(scores, nan_policy)
    y = as_scores(filled, "scores", ndim=2)
    if y.shape[1] < 2:
        raise ArgumentError(
            "scores",
            f"found {y.shape[1]} model (shape {y.shape}), need at least 2; rows are folds, "
            "columns are models",
        )
    if missing.all(axis=0).any():
        column = int(np.flatnonzero(missing.all(axis=0))[0])
        raise ArgumentError(
            "scores", f"model {column} (column {column}) has no scores; leave it out"
        )
    noise = noise_level(scores) * float(np.abs(y).max())
    return ScoreTable(np.where(missing, math.nan, y), greater_is_better, noise)


def fill_missing(scores: ArrayLike, nan_policy: str) -> tuple[FloatArray, BoolArray]:
    """Put 0 where a score is missing and may be, and say where that is."""
    values = as_floats(scores, "scores")
    missing: BoolArray = np.isnan(values) & (nan_policy == "omit")
    return np.where(missing, 0.0, values), missing


def block_sums(y: FloatArray) -> tuple[dict[str, float], FloatArray]:
    """Split the sum of squares of a two-way table without replication."""
    grand = y.mean()
    models, folds = y.mean(axis=0) - grand, y.mean(axis=1, keepdims=True) - grand
    residual = y - grand - models - folds
    return {
        "ss_models": float(y.shape[0] * (models**2).sum()),
        "ss_subjects": float(y.shape[1] * (folds**2).sum()),
        "ss_error": float((residual**2).sum()),
    }, residual


def independence(folds: int) -> Assumption:
    """Say how far folds are from independent."""
    return Assumption(
        "independent folds",
        None,
        f"true for separate data; two training sets of a {folds}-fold cross-validation share "
        f"{max(folds - 2, 0) / max(folds - 1, 1):.0%} of their rows, which makes p too small",
    )


def equal_variances(table: ScoreTable) -> Assumption:
    """Compare the standard deviations of the models."""
    if table.counts.min() < 2:
        return Assumption("equal variances", None, "a model with one fold has no variance")
    sd = np.nanstd(table.values, axis=0, ddof=1)
    detail = f"standard deviations of the models from {sd.min():.3g} to {sd.max():.3g}"
    return Assumption("equal variances", bool(sd.max() <= 2 * sd.min()), detail)

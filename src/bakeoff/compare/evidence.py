"""What the tests are fed with, cut from the collected scores and predictions."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.errors import UserError


@dataclasses.dataclass(frozen=True)
class FoldScores:
    """Scores of all models on the folds of one plan, one data set, one metric.

    Attributes
    ----------
    models : tuple of str
        In the experiment's order.
    values : ndarray, shape (r, k, M)
        Repeats × folds × models; NaN where the metric is undefined.
    n_train, n_test : ndarray, shape (r, k)
        Sizes of the parts.
    reasons : tuple of str
        Why values are undefined.
    """

    models: tuple[str, ...]
    values: NDArray[np.float64]
    n_train: NDArray[np.intp]
    n_test: NDArray[np.intp]
    reasons: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class TestSet:
    """Predictions of all models on one test set.

    Attributes
    ----------
    models : tuple of str
        In the experiment's order.
    y_true : ndarray of str, shape (n,)
        True labels.
    predicted : ndarray of str, shape (n, M)
        Predicted labels.
    """

    __test__ = False

    models: tuple[str, ...]
    y_true: NDArray[np.str_]
    predicted: NDArray[np.str_]

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each model is right on each row, shape (n, M)."""
        right: NDArray[np.bool_] = self.predicted == self.y_true[:, None]
        return right


def fold_scores(scores: pd.DataFrame, models: list[str], metric: str) -> FoldScores:
    """Cut the scores of one data set and plan to an array, models paired fold by fold."""
    own = scores[scores["metric"] == metric]
    wide = own.pivot(index=["repeat", "fold"], columns="model", values="value")[models]
    first = own[own["model"] == models[0]].sort_values(["repeat", "fold"])
    repeats, folds = first["repeat"].nunique(), first["fold"].nunique()
    if len(wide) != repeats * folds or len(own) != len(wide) * len(models):
        raise UserError(f"the scores of {metric} are not complete: rerun snakemake")
    shape = (repeats, folds)
    return FoldScores(
        tuple(models),
        wide.to_numpy().reshape(*shape, len(models)),
        first["n_train"].to_numpy().reshape(shape),
        first["n_test"].to_numpy().reshape(shape),
        tuple(dict.fromkeys(own.loc[own["value"].isna(), "undefined"])),
    )


def read_scores(path: str | Path) -> pd.DataFrame:
    """Read collected scores."""
    return pd.read_csv(path, keep_default_na=False, na_values={"value": [""]})


def read_test_set(path: str | Path, models: list[str]) -> TestSet:
    """Read the collected predictions of one test set."""
    frame = pd.read_parquet(path, columns=["y_true", *models])
    return TestSet(
        tuple(models),
        frame["y_true"].to_numpy(dtype=np.str_),
        np.column_stack([frame[model].to_numpy(dtype=np.str_) for model in models]),
    )

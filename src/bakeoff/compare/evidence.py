"""What the tests are fed with, cut from the collected scores and predictions."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import ArrayLike, NDArray

from bakeoff.data.table import PROBABILITY_SLACK
from bakeoff.errors import UserError
from bakeoff.stats import Entry, Evidence, looks_at, time_blocks

TIME_BLOCKS = 8
"""Into how many blocks rows in the order of time are cut for tests that know groups alone."""
GROUP, TIME = ":group", ":time"
"""Columns of collected predictions that relate rows; no model is called so."""
Floats = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]


@dataclasses.dataclass(frozen=True)
class FoldScores:
    """Scores of all models on the folds of one plan, one data set, one metric.

    Attributes
    ----------
    models : tuple of str
        In the experiment's order; models without any score are left out.
    values : ndarray, shape (r, k, M)
        Repeats × folds × models; NaN where the metric is undefined.
    n_train, n_test : ndarray, shape (r, k), or None
        Sizes of the parts; None where scores from elsewhere came without them.
    reasons : tuple of str
        Per model, why values are undefined; empty where none is.
    left_out : tuple of str
        What is not in here that might be, and why, a sentence each.
    full_repeats : int
        Of the plan of halves: how many repeats, the last ones, are of all rows.
    """

    models: tuple[str, ...]
    values: Floats
    n_train: NDArray[Any] | None
    n_test: NDArray[Any] | None
    reasons: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    full_repeats: int = 0

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Cut the scores of some models: flat, or repeats × folds where the test wants that."""
        return [self._shaped(entry, self.values[..., m]) for m in models]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return folds × models."""
        return [self.values.reshape(-1, len(self.models))]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return the sizes of the parts, in the shape of the scores, to tests that take them."""
        if "full_repeats" in entry.options:
            return {"full_repeats": self.full_repeats}
        if "n_train" not in entry.options:
            return {}
        if self.n_train is None or self.n_test is None:
            raise UserError(
                f"{entry.name} needs the sizes of the training and test parts: give the columns "
                "n_train and n_test with the scores"
            )
        sizes = {"n_train": self.n_train, "n_test": self.n_test}
        return {name: self._shaped(entry, values) for name, values in sizes.items()}

    def missing(self, models: Sequence[int]) -> str:
        """Say why some models cannot be compared; empty when they can."""
        return _undefined(self.reasons[m] for m in models if np.isnan(self.values[..., m]).any())

    @property
    def n(self) -> int:
        """The number of folds."""
        return math.prod(self.values.shape[:2])

    def _shaped(self, entry: Entry, values: NDArray[Any]) -> NDArray[Any]:
        return values if entry.replications and values.shape[1] > 1 else values.ravel()


@dataclasses.dataclass(frozen=True)
class FoldCriteria:
    """Scores of all models on the folds of one plan by several metrics.

    Attributes
    ----------
    models : tuple of str
        In the experiment's order.
    criteria : tuple of str
        The metrics.
    greater_is_better : tuple of bool
        One per metric.
    values : ndarray, shape (J, M, m)
        Folds × models × metrics.
    reasons : tuple of str
        Per model, why values are undefined.
    left_out : tuple of str
        What is not in here that might be, and why, a sentence each.
    """

    models: tuple[str, ...]
    criteria: tuple[str, ...]
    greater_is_better: tuple[bool, ...]
    values: Floats
    reasons: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @classmethod
    def join(cls, parts: dict[str, FoldScores], greater_is_better: Sequence[bool]) -> FoldCriteria:
        """Put the scores by several metrics side by side."""
        first = next(iter(parts.values()))
        stacked = [part.values.reshape(-1, len(part.models)) for part in parts.values()]
        reasons = zip(*(part.reasons for part in parts.values()), strict=True)
        return cls(
            first.models,
            tuple(parts),
            tuple(greater_is_better),
            np.stack(stacked, axis=-1),
            tuple("; ".join(filter(None, each)) for each in reasons),
            first.left_out,
        )

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Cut folds × metrics for some models."""
        return [self.values[:, m] for m in models]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return folds × models × metrics."""
        return [self.values]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return the metrics' names and directions."""
        return {"criteria": self.criteria, "greater_is_better": self.greater_is_better}

    def missing(self, models: Sequence[int]) -> str:
        """Say why some models cannot be compared; empty when they can."""
        return _undefined(self.reasons[m] for m in models if np.isnan(self.values[:, m]).any())

    @property
    def n(self) -> int:
        """The number of folds."""
        return len(self.values)


@dataclasses.dataclass(frozen=True)
class PairedPredictions:
    """Predictions of all models on the same rows, paired by row.

    Attributes
    ----------
    models : tuple of str
        In the experiment's order.
    classes : tuple of str
        In the data set's order; of two, the positive one is the last.
    truth : ndarray of int, shape (n,)
        True classes: their places in `classes`.
    predicted : ndarray of int, shape (n, M)
        Predicted classes.
    scores : ndarray, shape (n, M), or None
        How positive each model takes a row for; NaN columns for models that do not say.
    probabilities : ndarray, shape (n, M, K), or None
        Of each class; NaN for models that give none.
    metric : str
        What tests of predictions compare the models by.
    left_out : tuple of str
        What is not in here that might be, and why, a sentence each.
    groups, times : ndarray, shape (n,), or None
        The group or the time of each row, where the data set declares one.
    """

    models: tuple[str, ...]
    classes: tuple[str, ...]
    truth: Codes
    predicted: Codes
    scores: Floats | None = None
    left_out: tuple[str, ...] = ()
    probabilities: Floats | None = None
    metric: str = ""
    groups: NDArray[Any] | None = None
    times: NDArray[Any] | None = None

    @classmethod
    def from_labels(
        cls, models: Sequence[str], truth: ArrayLike, predicted: Sequence[ArrayLike]
    ) -> PairedPredictions:
        """Make them from labels, one array per model; the classes are sorted."""
        columns = [pd.Series(labels, dtype=str) for labels in (truth, *predicted)]
        classes = pd.Index(sorted({label for labels in columns for label in labels.unique()}))
        first, *codes = (classes.get_indexer(pd.Index(labels)) for labels in columns)
        return cls(tuple(models), tuple(classes), first, np.column_stack(codes))

    def confusion(self, model: str) -> NDArray[np.int64]:
        """Count true (rows) against predicted classes (columns), shape (K, K)."""
        k = len(self.classes)
        cells = self.truth.astype(np.int64) * k + self.predicted[:, self.models.index(model)]
        return np.bincount(cells, minlength=k * k).reshape(k, k)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each model is right on each row, shape (n, M)."""
        right: NDArray[np.bool_] = self.predicted == self.truth[:, None]
        return right

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Cut right/wrong, labels or scores for some models."""
        if entry.evidence is Evidence.CORRECTNESS:
            return [self.predicted[:, m] == self.truth for m in models]
        if entry.evidence is Evidence.LABELS:
            names = np.array(self.classes)
            return [names[codes] for codes in (self.truth, *(self.predicted[:, m] for m in models))]
        if entry.evidence is Evidence.PREDICTIONS:
            return [self._categorical(self.truth), *(self._of(m) for m in models)]
        assert self.scores is not None
        positive = self.truth == len(self.classes) - 1
        return [positive, *(self.scores[:, m] for m in models)]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return rows × models: right or wrong, or what is predicted."""
        if entry.evidence is not Evidence.PREDICTIONS:
            return [self.correct]
        columns = [self._of(m) for m in range(len(self.models))]
        if self._wanted is None:
            return [self._categorical(self.truth), columns]
        return [self._categorical(self.truth), np.stack(columns, axis=1)]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return what relates the rows, and for predictions their metric and classes.

        A test for groups alone takes blocks of time for them.
        """
        found: dict[str, Any] = {}
        if "times" in entry.options:
            found["times"] = self.times
        if "groups" in entry.options:
            timed = self.groups is None and "times" not in entry.options
            found["groups"] = self.blocks if timed else self.groups
        if entry.evidence is Evidence.PREDICTIONS:
            found |= {"metric": self.metric, "labels": self.classes, "positive": self.classes[-1]}
        return found

    @property
    def related(self) -> bool:
        """Whether rows are said to belong together."""
        return self.groups is not None or self.times is not None

    @property
    def blocks(self) -> NDArray[Any] | None:
        """Long blocks of neighbouring times; None where there are too few times for them."""
        if self.times is None or len(np.unique(self.times)) < TIME_BLOCKS:
            return self.times
        return time_blocks(self.times, TIME_BLOCKS)

    def missing(self, models: Sequence[int]) -> str:
        """Say which models do not rank the rows or give probabilities, where that is wanted."""
        wanted = self._wanted if self.metric else self.scores
        if wanted is None:
            return ""
        silent = [self.models[m] for m in models if np.isnan(wanted[:, m]).any()]
        kind = "probabilities" if wanted is self.probabilities else "probabilities or scores"
        return f"{' and '.join(silent)} give(s) no {kind}" if silent else ""

    def only(self, models: Sequence[int]) -> PairedPredictions:
        """Return the predictions of some models."""
        at = list(models)
        return dataclasses.replace(
            self,
            models=tuple(self.models[m] for m in at),
            predicted=self.predicted[:, at],
            scores=None if self.scores is None else self.scores[:, at],
            probabilities=None if self.probabilities is None else self.probabilities[:, at],
        )

    def _categorical(self, codes: Codes) -> Any:
        return pd.Categorical.from_codes(codes, pd.Index(self.classes))

    def _of(self, model: int) -> Any:
        """Return what the metric looks at: classes, ranking scores or probabilities."""
        if self._wanted is None:
            return self._categorical(self.predicted[:, model])
        return self._wanted[:, model]

    @property
    def _wanted(self) -> Floats | None:
        return {"classes": None, "ranking": self.scores, "probabilities": self.probabilities}[
            looks_at(self.metric)
        ]

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.truth)


@dataclasses.dataclass(frozen=True)
class FoldPredictions:
    """Whether all models are right on each row, in each replication of 5×2cv.

    Attributes
    ----------
    models : tuple of str
        In the experiment's order.
    fold : ndarray, shape (5, n)
        The half in which a row was tested.
    correct : ndarray of bool, shape (5, n, M)
        Whether each model was right there.
    left_out : tuple of str
        What is not in here that might be, and why, a sentence each.
    """

    models: tuple[str, ...]
    fold: NDArray[Any]
    correct: NDArray[np.bool_]
    left_out: tuple[str, ...] = ()

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Return the halves, and right or wrong for some models."""
        return [self.fold, *(self.correct[..., m] for m in models)]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return the halves, and replications × rows × models."""
        return [self.fold, self.correct]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return nothing: rows need no more."""
        return {}

    def missing(self, models: Sequence[int]) -> str:
        """Return nothing: every model has a prediction for every row."""
        return ""

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.fold.shape[1])


@dataclasses.dataclass(frozen=True)
class DatasetScores:
    """One score per data set and model: the mean over the folds of one plan.

    Attributes
    ----------
    models, datasets : tuple of str
        In the experiment's order.
    values : ndarray, shape (N, k)
        Data sets × models; NaN where a model has no score.
    left_out : tuple of str
        What was left out for missing cells and why, a sentence each.
    """

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    values: Floats
    left_out: tuple[str, ...] = ()

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Cut the scores of some models."""
        return [self.values[:, m] for m in models]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return data sets × models."""
        return [self.values]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return nothing: scores need no more."""
        return {}

    def missing(self, models: Sequence[int]) -> str:
        """Say how many scores some models lack; empty when they have all."""
        empty = int(np.isnan(self.values[:, list(models)]).any(axis=1).sum())
        if not len(self.values):
            return "no data set is left that every model has a score on"
        return f"scores are missing on {empty} data set(s)" if empty else ""

    @property
    def n(self) -> int:
        """The number of data sets."""
        return len(self.values)


def _undefined(reasons: Iterable[str]) -> str:
    found = "; ".join(dict.fromkeys(reason or "a score is missing" for reason in reasons))
    return f"the metric is undefined on a fold: {found}" if found else ""


AnyEvidence = FoldScores | FoldCriteria | FoldPredictions | PairedPredictions | DatasetScores


def fold_scores(scores: pd.DataFrame, models: list[str], metric: str) -> FoldScores:
    """Cut the scores of one data set and plan to an array, models paired fold by fold."""
    own = scores[scores["metric"] == metric]
    present = [model for model in models if (own["model"] == model).any()]
    wide = own.pivot(index=["repeat", "fold"], columns="model", values="value")
    first = own[own["model"].isin(present[:1])].sort_values(["repeat", "fold"])
    shape = first["repeat"].nunique(), first["fold"].nunique()
    if len(wide) != shape[0] * shape[1] or len(own) != wide.size:
        raise UserError(f"the scores of {metric} are not complete: rerun snakemake")
    sizes = first[["n_train", "n_test"]]
    known = not sizes.isna().any(axis=None)
    n_train, n_test = (
        sizes[name].to_numpy().reshape(shape) if known else None for name in ("n_train", "n_test")
    )
    undefined = own[own["value"].isna()].groupby("model")["undefined"].unique().to_dict()
    return FoldScores(
        tuple(present),
        wide[present].to_numpy(dtype=np.float64).reshape(*shape, len(present)),
        n_train,
        n_test,
        tuple("; ".join(map(str, undefined.get(model, ()))) for model in present),
        _without(models, present),
    )


def read_scores(path: str | Path) -> pd.DataFrame:
    """Read collected scores."""
    return pd.read_csv(
        path,
        dtype=dict.fromkeys(("dataset", "model", "plan", "metric", "undefined"), str),
        keep_default_na=False,
        na_values={key: [""] for key in ("value", "n_train", "n_test")},
    )


def read_predictions(
    path: str | Path, models: list[str], *, scores: bool = False, probabilities: bool = False
) -> PairedPredictions:
    """Read the collected predictions on one test set.

    Parameters
    ----------
    path : path
        The collected predictions.
    models : list of str
        Whose predictions to read; those that are not in the file are left out.
    scores : bool
        Whether to read the scores of the positive class too.
    probabilities : bool
        Whether to read the probabilities of all classes too.
    """
    known = pq.read_schema(path).names
    present = [model for model in models if model in known]
    frame = pd.read_parquet(path, columns=["y_true", *present]).astype("category")
    classes = frame["y_true"].cat.categories
    codes = [frame[name].cat.set_categories(classes).cat.codes for name in present]
    ranking = None
    if scores and present:
        names = {model: f"{model}:{classes[-1]}" for model in present}
        found = pd.read_parquet(path, columns=[name for name in names.values() if name in known])
        ranking = found.reindex(columns=list(names.values())).to_numpy(dtype=np.float64)
    related = [name for name in (GROUP, TIME) if name in known]
    kin = pd.read_parquet(path, columns=related)
    return PairedPredictions(
        tuple(present),
        tuple(map(str, classes)),
        frame["y_true"].cat.codes.to_numpy(),
        np.column_stack(codes) if codes else np.empty((len(frame), 0), np.int8),
        ranking,
        _without(models, present),
        _probabilities(path, present, list(map(str, classes)), known) if probabilities else None,
        groups=kin[GROUP].to_numpy() if GROUP in kin else None,
        times=kin[TIME].to_numpy() if TIME in kin else None,
    )


def _probabilities(
    path: str | Path, models: Sequence[str], classes: Sequence[str], known: Sequence[str]
) -> Floats:
    """Read rows × models × classes; NaN where a model's columns are none or no probabilities."""
    names = [f"{model}:{name}" for model in models for name in classes]
    found = pd.read_parquet(path, columns=[name for name in names if name in known])
    shape = len(found), len(models), len(classes)
    values: Floats = found.reindex(columns=names).to_numpy(np.float64).reshape(shape)
    right = np.isclose(values.sum(axis=2), 1, atol=PROBABILITY_SLACK)
    right &= (values >= -PROBABILITY_SLACK).all(axis=2)
    return np.where(right.all(axis=0)[:, None], values, np.nan)


def read_fold_predictions(path: str | Path, models: list[str]) -> FoldPredictions:
    """Read the collected predictions of a plan of folds; rows are paired by their id."""
    known = pq.read_schema(path).names
    present = [model for model in models if model in known]
    frame = pd.read_parquet(path, columns=["row_id", "repeat", "fold", "y_true", *present])
    frame = frame.sort_values(["repeat", "row_id"], kind="stable")
    repeats = frame["repeat"].nunique()
    truth = frame["y_true"].astype(str).to_numpy()
    right = [frame[model].astype(str).to_numpy() == truth for model in present]
    correct = np.column_stack(right) if right else np.empty((len(frame), 0), dtype=bool)
    return FoldPredictions(
        tuple(present),
        frame["fold"].to_numpy().reshape(repeats, -1),
        correct.reshape(repeats, -1, len(present)),
        _without(models, present),
    )


def _without(models: Sequence[str], present: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{model} has no results here" for model in models if model not in present)

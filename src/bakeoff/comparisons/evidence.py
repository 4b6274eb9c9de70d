"""What the tests are fed with: scores and predictions of all models, paired."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from bakeoff.data.table import PROBABILITY_SLACK, SUBGROUP, TAKEN
from bakeoff.errors import UserError
from bakeoff.files import open_parquet, read_csv, read_frame
from bakeoff.scores import METRICS, Metric
from bakeoff.spec.experiment import run_of
from bakeoff.stats import Entry, Runs, influence, looks_at, time_blocks
from bakeoff.stats.design.clusters import TIME_BLOCKS
from bakeoff.stats.metrics.metric import METRICS as BUILT_IN
from bakeoff.stats.metrics.metric import Form
from bakeoff.stats.metrics.view import NO_COLUMNS

Floats = NDArray[np.float64]


def has_interval(metric: str) -> bool:
    """Tell whether a metric has intervals on rows: those that are computed from these do."""
    known = _known(metric)
    return known is not None and known.computed and known.interval


def has_test(metric: str) -> bool:
    """Tell whether a metric has tests on rows: not those that jump when a row is left out."""
    known = _known(metric)
    return known is not None and known.computed and known.smooth


def has_row_values(metric: str, *, means: bool) -> bool:
    """Tell whether each row of predicted numbers adds a number of its own to a metric."""
    known = _known(metric)
    if known is None or known.form is not Form.ROWS:
        return False
    return known.computed and (known.mean_of_rows or not means)


def _known(metric: str) -> Metric | None:
    return METRICS.get(metric, BUILT_IN.get(metric))


def engine_metric(metric: str, columns: Mapping[str, NDArray[Any]] = NO_COLUMNS) -> str | Metric:
    """Return a metric as tests take it: by its name, or an own one with the columns it takes."""
    known = METRICS.get(metric)
    if known is None or metric in BUILT_IN:
        return metric
    taken = {name: columns[name] for name in known.takes if name in columns}
    return dataclasses.replace(known, columns=taken)


class Paired:
    """Numbers of all models on the same folds, rows or data sets."""

    models: tuple[str, ...]
    values: NDArray[Any]
    left_out: tuple[str, ...]

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Return what a test takes of some models, one by one."""
        return [self.values[..., m] for m in models]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return what a test of all models at once takes."""
        return [self.values]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return the arguments of a test that no user sets."""
        return {}

    def missing(self, models: Sequence[int]) -> str:
        """Say why some models cannot be compared; empty when they can."""
        return ""

    @property
    def n(self) -> int:
        """The number of observations: folds, rows or data sets."""
        return len(self.values)


class RelatedRows:
    """Rows of which some may belong together."""

    groups: NDArray[Any] | None
    times: NDArray[Any] | None

    @property
    def labels(self) -> NDArray[Any] | None:
        """What relates the rows: their groups, or else their times; None where nothing does."""
        return self.times if self.groups is None else self.groups

    @property
    def related(self) -> bool:
        """Whether rows are said to belong together."""
        return self.labels is not None

    @property
    def units(self) -> str:
        """How many groups or times the related rows have, in words."""
        labels, what = self.labels, "times" if self.groups is None else "groups"
        return f"{0 if labels is None else len(pd.unique(labels)):,} {what}"

    @property
    def blocks(self) -> NDArray[Any] | None:
        """Long blocks of neighbouring times; None where there are too few times for them."""
        if self.times is None or len(np.unique(self.times)) < TIME_BLOCKS:
            return self.times
        return time_blocks(self.times, TIME_BLOCKS)

    def in_blocks(self, entry: Entry) -> bool:
        """Whether a test takes blocks of time for groups of these rows."""
        return self.times is not None and self.groups is None and "groups" in entry.options

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return what relates the rows; a test for groups alone takes blocks of time for them."""
        found: dict[str, Any] = {}
        if "time" in entry.options:
            found["time"] = self.times
        if "groups" in entry.options:
            timed = self.in_blocks(entry) and "time" not in entry.options
            found["groups"] = self.blocks if timed else self.groups
        return found


Codes = NDArray[np.integer[Any]]


@dataclasses.dataclass(frozen=True)
class PairedPredictions(RelatedRows):
    """What all models predict of the same rows, or a number that each of them has on each row."""

    models: tuple[str, ...]
    classes: tuple[str, ...]
    truth: NDArray[Any]
    predicted: NDArray[Any]
    scores: Floats | None = None
    left_out: tuple[str, ...] = ()
    probabilities: Floats | None = None
    metric: str = ""
    groups: NDArray[Any] | None = None
    times: NDArray[Any] | None = None
    subgroups: Mapping[str, pd.Categorical] = dataclasses.field(default_factory=dict)
    columns: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    in_order: bool = True
    ids: NDArray[Any] | None = None
    by_values: bool = False
    """Whether `predicted` holds numbers of which the mean is the metric, and no truth is known."""
    greater_is_better: bool = True
    range: tuple[float, float] = (-math.inf, math.inf)

    @classmethod
    def from_values(
        cls, models: Sequence[str], values: NDArray[Any], **more: Any
    ) -> PairedPredictions:
        """Make them from a number of each model on each row, shape (n, M)."""
        unknown = np.full(len(values), np.nan)
        return cls(tuple(models), (), unknown, values, by_values=True, **more)

    @classmethod
    def from_labels(
        cls, models: Sequence[str], truth: ArrayLike, predicted: Sequence[ArrayLike]
    ) -> PairedPredictions:
        """Make them from labels, one array per model; the classes are sorted."""
        columns = [pd.Series(labels, dtype=str) for labels in (truth, *predicted)]
        classes = pd.Index(sorted({label for labels in columns for label in labels.unique()}))
        first, *codes = (classes.get_indexer(pd.Index(labels)) for labels in columns)
        return cls(tuple(models), tuple(classes), first, np.column_stack(codes))

    @property
    def difference(self) -> str:
        """The test that compares two models on these rows by any metric."""
        return "mean_difference" if self.by_values else "metric_difference"

    def confusion(self, model: str) -> NDArray[np.int64]:
        """Count true (rows) against predicted classes (columns), shape (K, K)."""
        k = len(self.classes)
        cells = self.truth.astype(np.int64) * k + self.predicted[:, self.models.index(model)]
        return np.bincount(cells, minlength=k * k).reshape(k, k)

    @cached_property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each model is right on each row, shape (n, M)."""
        right: NDArray[np.bool_] = self.predicted == self.truth[:, None]
        return right

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Cut right/wrong, labels or scores for some models."""
        if entry.reads == "correctness":
            return [self.predicted[:, m] == self.truth for m in models]
        if entry.reads == "classes":
            names = np.array(self.classes)
            return [names[codes] for codes in (self.truth, *(self.predicted[:, m] for m in models))]
        if entry.reads == "predictions":
            return [self._true_answers, *(self._of(m) for m in models)]
        if entry.reads == "values":
            return [self.row_values(m) for m in models]
        assert self.scores is not None
        return [self._positive, *(self.scores[:, m] for m in models)]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return rows × models: right or wrong, or the truth and what is predicted."""
        if entry.reads == "ranking":
            return [self._positive, self.scores]
        if entry.reads == "values":
            if self.by_values:
                return [self.predicted]
            return [np.column_stack([self.row_values(m) for m in range(len(self.models))])]
        if entry.reads != "predictions":
            return [self.correct]
        if self._wanted is None:
            columns = [self._of(m) for m in range(len(self.models))]
            return [self._true_answers, columns if self.classes else self.predicted]
        return [self._true_answers, self._wanted]

    def quality(self, model: int) -> Floats:
        """Return how good a model is on each row by any metric: right, or its squared error."""
        if self.classes:
            return self.correct[:, model].astype(np.float64)
        return np.asarray(np.square(self.predicted[:, model] - self.truth))

    def row_values(self, model: int) -> Floats:
        """Return what each row adds to a metric of numbers, whose mean is the metric."""
        if self.by_values:
            return np.asarray(self.predicted[:, model], dtype=np.float64)
        found = influence(self.truth, self.predicted[:, model], metric=self.engine_metric)
        return np.asarray(found.value + found.psi)

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return groups and times of the rows, and for predictions their metric and classes."""
        found = super().managed(entry)
        if entry.reads == "predictions":
            found["metric"] = self.engine_metric
            if self.classes:
                found |= {"labels": self.classes, "positive": self.classes[-1]}
        return found

    def missing(self, models: Sequence[int]) -> str:
        """Say which models do not rank the rows or give probabilities, where that is wanted."""
        if self.by_values:
            return ""
        wanted = self._wanted if self.metric else self.scores
        if wanted is None:
            by_labels = not self.metric or looks_at(self.engine_metric) == "classes"
            return "" if by_labels else "no model gives probabilities or scores"
        silent = [self.models[m] for m in models if np.isnan(wanted[:, m]).any()]
        kind = "probabilities" if wanted is self.probabilities else "probabilities or scores"
        return f"{' and '.join(silent)} give(s) no {kind}" if silent else ""

    def only(self, models: Sequence[int]) -> PairedPredictions:
        """Return the predictions of some models."""
        at = list(models)
        if at == list(range(len(self.models))):
            return self
        return dataclasses.replace(
            self,
            models=tuple(self.models[m] for m in at),
            predicted=self.predicted[:, at],
            scores=None if self.scores is None else self.scores[:, at],
            probabilities=None if self.probabilities is None else self.probabilities[:, at],
        )

    def take(self, rows: NDArray[np.intp]) -> PairedPredictions:
        """Return the predictions of some rows."""
        names = ("truth", "predicted", "scores", "probabilities", "groups", "times", "ids")
        taken: dict[str, Any] = {
            name: values[rows] for name in names if (values := getattr(self, name)) is not None
        }
        for name in ("subgroups", "columns"):
            taken[name] = {key: values[rows] for key, values in getattr(self, name).items()}
        return dataclasses.replace(self, **taken)

    @cached_property
    def _positive(self) -> NDArray[np.bool_]:
        positive: NDArray[np.bool_] = self.truth == len(self.classes) - 1
        return positive

    @cached_property
    def _true_answers(self) -> Any:
        return self._answers(self.truth)

    def _answers(self, codes: NDArray[Any]) -> Any:
        """Return classes by name, or numbers."""
        if not self.classes:
            return codes
        return pd.Categorical.from_codes(codes, dtype=self._labels, validate=False)

    @cached_property
    def _labels(self) -> pd.CategoricalDtype:
        return pd.CategoricalDtype(pd.Index(self.classes, dtype=object))

    def _of(self, model: int) -> Any:
        """Return what the metric scores: classes, numbers, ranking scores or probabilities."""
        if self._wanted is None:
            return self._answers(self.predicted[:, model])
        return self._wanted[:, model]

    @property
    def engine_metric(self) -> str | Metric:
        """The metric as tests take it: by its name, or an own one with the columns it takes."""
        return engine_metric(self.metric, self.columns)

    @property
    def _wanted(self) -> Floats | None:
        return {"classes": None, "ranking": self.scores, "probabilities": self.probabilities}[
            looks_at(self.engine_metric)
        ]

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.truth)


@dataclasses.dataclass(frozen=True)
class FoldPredictions(Paired):
    """Whether all models are right on each row, in each replication of 5×2cv."""

    models: tuple[str, ...]
    fold: NDArray[Any]
    values: NDArray[np.bool_]
    left_out: tuple[str, ...] = ()

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Return the halves, and right or wrong for some models."""
        return [self.fold, *super().arguments(entry, models)]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return the halves, and replications × rows × models."""
        return [self.fold, self.values]

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.fold.shape[1])


@dataclasses.dataclass(frozen=True)
class CrossedRuns(RelatedRows):
    """The predictions, or numbers, of all runs of all models on the same rows."""

    models: tuple[str, ...]
    rows: PairedPredictions
    runs: tuple[tuple[int, ...], ...]
    deterministic: tuple[bool, ...]
    left_out: tuple[str, ...] = ()
    groups: NDArray[Any] | None = None
    times: NDArray[Any] | None = None

    @classmethod
    def of(cls, rows: PairedPredictions, fixed: Collection[str] = ()) -> CrossedRuns:
        """Sort runs by their models; of a model that is fixed one is as good as all."""
        found: dict[str, list[int]] = {}
        for place, name in enumerate(rows.models):
            model, seed = run_of(name)
            if seed == 1 or model not in fixed:
                found.setdefault(model, []).append(place)
        return cls(
            tuple(found),
            rows,
            tuple(map(tuple, found.values())),
            tuple(model in fixed for model in found),
            rows.left_out,
            rows.groups,
            rows.times,
        )

    @property
    def difference(self) -> str:
        """The test that compares two recipes on these rows by any metric."""
        return "recipe_mean_difference" if self.rows.by_values else "recipe_difference"

    @property
    def metric(self) -> str:
        """What the runs are compared by."""
        return self.rows.metric

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.rows.n

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Return the truth, where there is one, and the runs of some models."""
        places = [place for m in models for place in self.runs[m]]
        *truth, first = self.rows.arguments(entry, places[:1])
        rest = [self.rows.arguments(entry, [place])[-1] for place in places[1:]]
        each = dict(zip(places, [first, *rest], strict=True))
        runs = [Runs([each[p] for p in self.runs[m]], self.deterministic[m]) for m in models]
        return [*truth, *runs]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return the truth, where there is one, and a list of the runs of all models."""
        found = self.arguments(entry, range(len(self.models)))
        truth = len(found) - len(self.models)
        return [*found[:truth], found[truth:]]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return the groups of the rows, their metric and classes."""
        return {**self.rows.managed(entry), **super().managed(entry)}

    def missing(self, models: Sequence[int]) -> str:
        """Say why some models cannot be compared; empty when they can."""
        return self.rows.missing([place for m in models for place in self.runs[m]])


class _OfFolds(Paired):
    """Scores that may be undefined on some folds, with the reasons of each model."""

    values: Floats
    reasons: tuple[str, ...]

    def missing(self, models: Sequence[int]) -> str:
        """Say why some models cannot be compared; empty when they can."""
        reasons = (self.reasons[m] for m in models if np.isnan(self._of(m)).any())
        found = "; ".join(dict.fromkeys(reason or "a score is missing" for reason in reasons))
        return f"the metric is undefined on a fold: {found}" if found else ""

    def _of(self, model: int) -> Floats:
        own: Floats = self.values[..., model]
        return own


@dataclasses.dataclass(frozen=True)
class FoldScores(_OfFolds):
    """Scores of all models on the folds of one plan, one data set, one metric; see `Paired`."""

    models: tuple[str, ...]
    values: Floats
    n_train: NDArray[Any] | None
    n_test: NDArray[Any] | None
    reasons: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    full_repeats: int = 0

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Cut the scores of some models: flat, or repeats × folds for tests with replications."""
        return [self._shaped(entry, self._of(m)) for m in models]

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

    @property
    def n(self) -> int:
        """The number of folds."""
        return math.prod(self.values.shape[:2])

    def _shaped(self, entry: Entry, values: NDArray[Any]) -> NDArray[Any]:
        return values if entry.replications and values.shape[1] > 1 else values.ravel()


@dataclasses.dataclass(frozen=True)
class FoldCriteria(_OfFolds):
    """Scores of all models on the folds of one plan by several metrics; see `Paired`."""

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
        return [self._of(m) for m in models]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return the metrics' names and directions."""
        return {"criteria": self.criteria, "greater_is_better": self.greater_is_better}

    def _of(self, model: int) -> Floats:
        own: Floats = self.values[:, model]
        return own


@dataclasses.dataclass(frozen=True)
class DatasetScores(Paired):
    """One score per data set and model: the mean over the folds of one plan."""

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    values: Floats
    left_out: tuple[str, ...] = ()

    def missing(self, models: Sequence[int]) -> str:
        """Say how many scores some models lack; empty when they have all."""
        empty = int(np.isnan(self.values[:, list(models)]).any(axis=1).sum())
        if not len(self.values):
            return "no data set is left that every model has a score on"
        return f"scores are missing on {empty} data set(s)" if empty else ""


GROUP, TIME = ":group", ":time"
"""Columns of collected predictions that relate rows; no model is called so."""

_AT_ONCE = 4_000_000
"""Numbers that are read at once, before they are put in their place."""


def fold_scores(scores: pd.DataFrame, models: list[str], metric: str) -> FoldScores:
    """Cut the scores of one data set and plan to an array, models paired fold by fold."""
    own = scores[scores["metric"] == metric]
    scored = set(own["model"])
    present = [model for model in models if model in scored]
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
    return read_csv(
        path,
        dtype=dict.fromkeys(("dataset", "model", "plan", "metric", "undefined"), str),
        keep_default_na=False,
        na_values={key: [""] for key in ("value", "n_train", "n_test")},
    )


def read_predictions(
    path: str | Path,
    models: list[str],
    *,
    scores: bool = False,
    probabilities: bool = False,
) -> PairedPredictions:
    """Read the collected predictions on one test set, each training run as if it was a model."""
    with open_parquet(path) as file:
        known = file.schema_arrow.names
        present = _present(models, known)
        numbers = pa.types.is_floating(file.schema_arrow.field("y_true").type)
        table = file.read(columns=["y_true", *present, *(["row_id"] if numbers else [])])
    if numbers:
        classes: list[str] = []
        truth: NDArray[Any] = table["y_true"].to_numpy()
        codes = [table[name].to_numpy() for name in present]
    else:
        classes, truth = _coded(table["y_true"])
        codes = [_among(classes, *_coded(table[name])) for name in present]
    wanted, said = classes if probabilities else classes[-1:], None
    if present and (scores or probabilities):
        said = _numbers(path, [[f"{model}:{name}" for name in wanted] for model in present])
    kin = _frame(path, carried := [n for n in known if n.startswith((SUBGROUP, TAKEN))])
    return PairedPredictions(
        tuple(present),
        tuple(classes),
        truth,
        np.column_stack(codes) if codes else np.empty((len(truth), 0), np.int8),
        said[..., -1] if scores and said is not None else None,
        _without(models, present),
        _probabilities(said) if probabilities and said is not None else None,
        **_related(path, known),
        subgroups=_subgroups(kin),
        columns={n.removeprefix(TAKEN): kin[n].to_numpy() for n in _of(TAKEN, carried)},
        ids=table["row_id"].to_numpy() if numbers else None,
    )


def _coded(column: pa.ChunkedArray) -> tuple[list[str], Codes]:
    """Return the classes of a column of labels and the place of each row's."""
    labels = column.combine_chunks()
    if not pa.types.is_dictionary(labels.type):  # of no rows
        labels = labels.dictionary_encode()
    classes = labels.dictionary.to_pylist()
    small = np.min_scalar_type(-max(len(classes), 1))
    return classes, labels.indices.to_numpy(zero_copy_only=False).astype(small)


def _among(classes: Sequence[str], own: Sequence[str], codes: Codes) -> Codes:
    """Turn codes of a model's own list of classes into those of a common one; -1: not there."""
    if own == classes:
        return codes
    places = [classes.index(name) if name in classes else -1 for name in own]
    return np.array(places, dtype=np.min_scalar_type(-max(len(classes), 1)))[codes]


def _present(models: Sequence[str], known: Sequence[str]) -> list[str]:
    """List the models that are there, with all their training runs."""
    named = ((*run_of(name), name) for name in known)
    # a further run has a number; a name with a colon is that of its scores
    found = [one for one in named if one[2] in models or (one[1] > 1 and ":" not in one[0])]
    return [name for model in models for own, _, name in sorted(found) if own == model]


def read_values(path: str | Path, models: list[str]) -> PairedPredictions:
    """Read the collected numbers of one data set, each training run as if it was a model."""
    known = _names(path)
    present = _present(models, known)
    values = read_frame(path, present).to_numpy(dtype=np.float64)
    kin = _frame(path, _of(SUBGROUP, known))
    left_out, subgroups = _without(models, present), _subgroups(kin)
    return PairedPredictions.from_values(
        present, values, left_out=left_out, **_related(path, known), subgroups=subgroups
    )


def _names(path: str | Path) -> list[str]:
    with open_parquet(path) as file:
        names: list[str] = file.schema_arrow.names
        return names


def _frame(path: str | Path, columns: list[str]) -> pd.DataFrame:
    """Read some columns, and not the file for none."""
    return read_frame(path, columns) if columns else pd.DataFrame()


def _subgroups(kin: pd.DataFrame) -> dict[str, pd.Categorical]:
    """Take the columns of subgroups among those that are carried along."""
    return {
        n.removeprefix(SUBGROUP): pd.Categorical(kin[n]) for n in _of(SUBGROUP, list(map(str, kin)))
    }


def _related(path: str | Path, known: Sequence[str]) -> dict[str, Any]:
    """Read groups and times of the rows."""
    kin = _frame(path, [name for name in (GROUP, TIME) if name in known])
    keys = {"groups": GROUP, "times": TIME}
    return {key: kin[name].to_numpy() for key, name in keys.items() if name in kin}


def _probabilities(said: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows × models × classes; NaN where a model's columns are none or no probabilities."""
    right = [
        np.isclose(own.sum(axis=1), 1, atol=PROBABILITY_SLACK).all()
        and bool((own >= -PROBABILITY_SLACK).all())
        for own in said.transpose(1, 0, 2)
    ]
    return said if all(right) else np.where(np.array(right)[:, None], said, np.nan)


def _numbers(path: str | Path, columns: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Read rows × models × columns, NaN for columns that are not there."""
    # Each model's lie together in memory, so that what looks at a model copies nothing.
    with open_parquet(path) as file:
        known, n = set(file.schema_arrow.names), file.metadata.num_rows
        values = np.empty((len(columns), n, len(columns[0])))
        some = max(1, _AT_ONCE // values[0].size) if n else len(columns)
        for start in range(0, len(columns), some):
            part = columns[start : start + some]
            found = file.read(columns=[name for own in part for name in own if name in known])
            for own, names in zip(values[start:], part, strict=False):
                for place, name in enumerate(names):
                    own[:, place] = found[name].to_numpy() if name in known else np.nan
    return values.transpose(1, 0, 2)


def read_fold_predictions(path: str | Path, models: list[str]) -> FoldPredictions:
    """Read the collected predictions of a plan of folds; rows are paired by their id."""
    known = _names(path)
    present = [model for model in models if model in known]
    frame = read_frame(path, ["row_id", "repeat", "fold", "y_true", *present])
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


def _of(kind: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if name.startswith(kind)]


def _without(models: Sequence[str], present: Sequence[str]) -> tuple[str, ...]:
    """Say which models have no results; of training runs the models count."""
    found = {run_of(name)[0] for name in present}
    return tuple(f"{model} has no results here" for model in models if model not in found)


AnyEvidence = (
    FoldScores | FoldCriteria | FoldPredictions | PairedPredictions | CrossedRuns | DatasetScores
)

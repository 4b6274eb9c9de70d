"""What the tests are fed with: rows, runs, scores and rows of folds, scores of data sets.

All models are paired: a class for each kind of evidence hands a test the arguments that its
signature asks for.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.errors import UserError
from bakeoff.scores import METRICS, Metric
from bakeoff.spec import Costs
from bakeoff.spec.experiment import run_of
from bakeoff.stats import Assumption, Entry, Runs, catalogue, influence, looks_at, time_blocks
from bakeoff.stats.design.clusters import TIME_BLOCKS, as_clusters
from bakeoff.stats.metrics.metric import METRICS as BUILT_IN
from bakeoff.stats.metrics.metric import Form, NoValue, metric_called
from bakeoff.stats.rows.ordered import independent_blocks

Floats = NDArray[np.float64]

# --- metrics, as tests know them

FIXED_METRICS = {metric.reads: metric.name for metric in reversed(METRICS.values()) if metric.reads}
"""The metric that a test is about, by what it reads."""


def has_interval(metric: str) -> bool:
    """Tell whether a metric has intervals on rows: those that are computed from these do."""
    return (measure := _computed(metric)) is not None and measure.interval


def has_test(metric: str) -> bool:
    """Tell whether a metric has tests on rows: not those that jump when a row is left out."""
    return (measure := _computed(metric)) is not None and measure.smooth


def has_row_values(metric: str, *, means: bool) -> bool:
    """Tell whether each row of predicted numbers adds a number of its own to a metric."""
    measure = _computed(metric)
    if measure is None or measure.form is not Form.ROWS:
        return False
    return measure.mean_of_rows or not means


def _computed(metric: str) -> Metric | None:
    measure = METRICS.get(metric, BUILT_IN.get(metric))
    return measure if measure is not None and measure.computed else None


def cost_options(costs: Costs | None, metric: str) -> dict[str, Any]:
    """Return what tests by a metric are told of costs, the classes in the order of the matrix."""
    if costs is None:
        return {}
    options = {"cost": costs.matrix, "classes": costs.names, "priors": costs.priors}
    priced = metric in METRICS and METRICS[metric].priced
    return options | ({"labels": costs.names} if priced else {})


# --- the five kinds


class Paired:
    """What is known of all models on the same folds, rows or data sets."""

    models: tuple[str, ...]
    values: NDArray[Any]
    left_out: tuple[str, ...]

    def leading(self, entry: Entry) -> list[Any]:
        """Return what a test takes before the models."""
        return []

    def column(self, entry: Entry, model: int) -> Any:
        """Return what a test takes of one model."""
        return self.values[..., model]

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Return what a test takes of some models, one by one."""
        return [*self.leading(entry), *(self.column(entry, m) for m in models)]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return what a test of all models at once takes."""
        return [*self.leading(entry), self.values]

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


@dataclasses.dataclass(frozen=True)
class PairedPredictions(Paired):
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
    by_values: bool = False
    """Whether `predicted` holds numbers of which the mean is the metric, and no truth is known."""
    greater_is_better: bool = True
    range: tuple[float, float] = (-math.inf, math.inf)
    influences: dict[tuple[str, int], Floats] = dataclasses.field(default_factory=dict, init=False)
    """What each row adds to the metric of a model, by what tests read, once it is known."""

    @classmethod
    def from_values(
        cls, models: Sequence[str], values: NDArray[Any], **more: Any
    ) -> PairedPredictions:
        """Make them from a number of each model on each row, shape (n, M)."""
        unknown = np.full(len(values), np.nan)
        return cls(tuple(models), (), unknown, values, by_values=True, **more)

    @property
    def related(self) -> bool:
        """Whether rows are said to belong together."""
        return self.groups is not None or self.times is not None

    @property
    def units(self) -> str:
        """How many groups or times the related rows have, in words."""
        labels, what = (self.times, "times") if self.groups is None else (self.groups, "groups")
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

    def leading(self, entry: Entry) -> list[Any]:
        """Return the truth: classes, what the metric takes, or which rows are positive."""
        if entry.reads == "classes":
            return [np.array(self.classes)[self.truth]]
        if entry.reads == "predictions":
            return [self._true_answers]
        return [self.truth == len(self.classes) - 1] if entry.reads == "ranking" else []

    def column(self, entry: Entry, model: int) -> Any:
        """Return right or wrong, classes, numbers, scores or what the metric looks at."""
        answers = self.predicted[:, model]
        if entry.reads == "correctness":
            return answers == self.truth
        if entry.reads == "classes":
            return np.array(self.classes)[answers]
        if entry.reads == "values":
            return self.row_values(model)
        if entry.reads == "predictions" and self._wanted is None:
            return self._answers(answers)
        scored = self._wanted if entry.reads == "predictions" else self.scores
        assert scored is not None
        return scored[:, model]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return rows × models after the truth; a list of the models' classes."""
        whole: Any = {"ranking": self.scores, "predictions": self._wanted}.get(entry.reads)
        if whole is None:
            whole = [self.column(entry, m) for m in range(len(self.models))]
            if entry.reads != "predictions" or not self.classes:
                whole = np.column_stack(whole)
        return [*self.leading(entry), whole]

    def row_values(self, model: int) -> Floats:
        """Return what each row adds to a metric of numbers, whose mean is the metric."""
        if self.by_values:
            return np.asarray(self.predicted[:, model], dtype=np.float64)
        effect = influence(self.truth, self.predicted[:, model], metric=self.engine_metric)
        return np.asarray(effect.value + effect.psi)

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return groups and times of the rows, and for predictions their metric and classes."""
        timed = self.in_blocks(entry) and "time" not in entry.options
        managed: dict[str, Any] = {"time": self.times}
        managed["groups"] = self.blocks if timed else self.groups
        if entry.reads == "predictions":
            managed["metric"] = self.engine_metric
            if self.classes:
                managed |= {"labels": self.classes, "positive": self.classes[-1]}
        return managed

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

    @property
    def engine_metric(self) -> str | Metric:
        """The metric as tests take it: by its name, or an own one with the columns it takes."""
        measure = METRICS.get(self.metric)
        if measure is None or self.metric in BUILT_IN:
            return self.metric
        taken = {name: self.columns[name] for name in measure.takes if name in self.columns}
        return dataclasses.replace(measure, columns=taken)

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
class CrossedRuns(Paired):
    """The predictions, or numbers, of all runs of all models on the same rows."""

    models: tuple[str, ...]
    rows: PairedPredictions
    runs: tuple[tuple[int, ...], ...]
    deterministic: tuple[bool, ...]
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: PairedPredictions, fixed: Collection[str] = ()) -> CrossedRuns:
        """Sort runs by their models; of a model that is fixed one is as good as all."""
        runs: dict[str, list[int]] = {}
        for place, name in enumerate(rows.models):
            model, seed = run_of(name)
            if seed == 1 or model not in fixed:
                runs.setdefault(model, []).append(place)
        deterministic = tuple(model in fixed for model in runs)
        places = tuple(map(tuple, runs.values()))
        return cls(tuple(runs), rows, places, deterministic, rows.left_out)

    @property
    def difference(self) -> str:
        """The test that compares two recipes on these rows by any metric."""
        return "recipe_mean_difference" if self.rows.by_values else "recipe_difference"

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.rows.n

    def leading(self, entry: Entry) -> list[Any]:
        """Return the truth, where there is one."""
        return self.rows.leading(entry)

    def column(self, entry: Entry, model: int) -> Runs:
        """Return the runs of a model."""
        runs = [self.rows.column(entry, place) for place in self.runs[model]]
        return Runs(runs, self.deterministic[model])

    def matrix(self, entry: Entry) -> list[Any]:
        """Return a list of the runs of all models after the truth."""
        columns = [self.column(entry, m) for m in range(len(self.models))]
        return [*self.leading(entry), columns]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return the groups of the rows, their metric and classes."""
        return self.rows.managed(entry)

    def missing(self, models: Sequence[int]) -> str:
        """Say why some models cannot be compared; empty when they can."""
        return self.rows.missing([place for m in models for place in self.runs[m]])


def block_checks(
    rows: AnyEvidence, entry: Entry, costs: Costs | None = None, models: Sequence[int] = ()
) -> tuple[Assumption, ...]:
    """Return what a test that takes blocks of time for groups assumes of some models' rows."""
    if not isinstance(rows, PairedPredictions) or not rows.in_blocks(entry):
        return ()
    assert rows.times is not None
    compared = [m for m in models or range(len(rows.models)) if not rows.missing([m])]
    if len(compared) < len(models) or not compared:
        return ()
    with suppress(NoValue):  # the test itself says why it has no answer
        values = np.column_stack([_influence_of(rows, m, entry, costs) for m in compared])
        times = as_clusters(rows.times, rows.n)
        return (independent_blocks(values, times, TIME_BLOCKS),)
    return ()


def _influence_of(rows: PairedPredictions, model: int, entry: Entry, costs: Costs | None) -> Floats:
    """Return what each row adds to the metric of a model, in the terms of a test."""
    key = entry.reads, model
    if key in rows.influences:
        return rows.influences[key]
    by = dataclasses.replace(rows, metric=FIXED_METRICS.get(entry.reads, rows.metric))
    if rows.by_values:
        values = rows.row_values(model)
    elif metric_called(by.engine_metric).form is not Form.LEFT_OUT:
        options = difference_options(by, costs) | {"groups": None}
        arguments = by.arguments(catalogue()[by.difference], [model])
        values = influence(*arguments, **options).drawn_from
    elif rows.classes:  # it has no formula: how good the model is on each row stands for it
        values = rows.correct[:, model].astype(np.float64)
    else:
        values = np.asarray(np.square(rows.predicted[:, model] - rows.truth))
    rows.influences[key] = values
    return values


def difference_options(
    rows: PairedPredictions, costs: Costs | None, test: str = ""
) -> dict[str, Any]:
    """Return the arguments of the test `rows.difference`, or another, that no user sets."""
    entry = catalogue()[test or rows.difference]
    managed = {**rows.managed(entry), **cost_options(costs, rows.metric)}
    return {key: value for key, value in managed.items() if key in entry.options}


@dataclasses.dataclass(frozen=True)
class FoldScores(Paired):
    """Scores of all models on the folds of one plan: (r, k, M) by one metric, (r, k, M, m) by m."""

    models: tuple[str, ...]
    values: Floats
    n_train: NDArray[Any] | None
    n_test: NDArray[Any] | None
    reasons: tuple[str, ...]
    """Why each model lacks scores, where it does."""
    left_out: tuple[str, ...] = ()
    full_repeats: int = 0
    criteria: tuple[str, ...] = ()
    greater_is_better: tuple[bool, ...] = ()

    @classmethod
    def join(cls, parts: dict[str, FoldScores], greater_is_better: Sequence[bool]) -> FoldScores:
        """Put the scores by several metrics side by side."""
        first = next(iter(parts.values()))
        reasons = zip(*(part.reasons for part in parts.values()), strict=True)
        return dataclasses.replace(
            first,
            values=np.stack([part.values for part in parts.values()], axis=-1),
            reasons=tuple("; ".join(filter(None, each)) for each in reasons),
            criteria=tuple(parts),
            greater_is_better=tuple(greater_is_better),
        )

    def column(self, entry: Entry, model: int) -> Any:
        """Return the scores of a model: flat, or repeats × folds for tests with replications."""
        return self._shaped(entry, self.values[:, :, model])

    def matrix(self, entry: Entry) -> list[Any]:
        """Return folds × models, by several metrics folds × models × metrics."""
        return [self.values.reshape(-1, *self.values.shape[2:])]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return the metrics, or the sizes of the parts, to tests that take them."""
        if self.criteria:
            return {"criteria": self.criteria, "greater_is_better": self.greater_is_better}
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
        lacking = (self.reasons[m] for m in models if np.isnan(self.values[:, :, m]).any())
        reasons = "; ".join(dict.fromkeys(reason or "a score is missing" for reason in lacking))
        return f"the metric is undefined on a fold: {reasons}" if reasons else ""

    @property
    def n(self) -> int:
        """The number of folds."""
        return math.prod(self.values.shape[:2])

    def _shaped(self, entry: Entry, values: NDArray[Any]) -> NDArray[Any]:
        return values if entry.replications and values.shape[1] > 1 else values.ravel()


@dataclasses.dataclass(frozen=True)
class FoldPredictions(Paired):
    """Whether all models are right on each row, in each replication of 5×2cv."""

    models: tuple[str, ...]
    fold: NDArray[Any]
    values: NDArray[np.bool_]
    left_out: tuple[str, ...] = ()

    def leading(self, entry: Entry) -> list[Any]:
        """Return the halves."""
        return [self.fold]

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.fold.shape[1])


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


AnyEvidence = PairedPredictions | CrossedRuns | FoldScores | FoldPredictions | DatasetScores

"""What the tests are fed with: rows, runs, scores and rows of folds, scores of data sets.

All models are paired: a class for each kind of evidence hands a test the arguments that its
signature asks for. Evidence is read from the files of a run, or from what these would hold.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons.analysis import Analysis
from bakeoff.comparisons.settings import FIXED_METRICS, deterministic
from bakeoff.data.table import (
    COLLECTED_FOLD,
    COLLECTED_GROUP,
    COLLECTED_ID,
    COLLECTED_REPEAT,
    COLLECTED_TIME,
    COLLECTED_TRUTH,
    PROBABILITY_SLACK,
    SUBGROUP,
    TAKEN,
)
from bakeoff.errors import UserError, some
from bakeoff.files import open_parquet, read_csv, read_json
from bakeoff.scores import METRICS, Metric
from bakeoff.spec import Costs, PlannedTest
from bakeoff.spec.experiment import run_of
from bakeoff.spec.resampling import Halves, Plan
from bakeoff.stats import Assumption, Entry, Evidence, Runs, catalogue, influence, looks_at
from bakeoff.stats.datasets.standings import group_means, with_failures_last
from bakeoff.stats.design.clusters import TIME_BLOCKS, as_clusters, time_blocks
from bakeoff.stats.folds.fold_rows import FoldDesign, FoldRows, rows_of_runs
from bakeoff.stats.metrics.influence import Setting
from bakeoff.stats.metrics.metric import METRICS as BUILT_IN
from bakeoff.stats.metrics.metric import (
    NO_OPTIONS,
    Form,
    NoValue,
    Options,
    Truth,
    metric_called,
)
from bakeoff.stats.rows.ordered import independent_blocks

if TYPE_CHECKING:
    import pyarrow.parquet as pq

Floats = NDArray[np.float64]
MATRIX, HOLES = "matrix", "holes"
"""What tests over data sets read: their scores, and which are missing."""
_AT_ONCE = 4_000_000
"""Numbers that are read at once, before they are put in their place."""

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
            by_labels = looks_at(self.engine_metric) == "classes"
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
        """The metric as tests take it."""
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
class CrossedRuns(Paired):
    """The predictions, or numbers, of all runs of all models on the same rows."""

    models: tuple[str, ...]
    rows: PairedPredictions
    runs: tuple[tuple[int, ...], ...]
    deterministic: tuple[bool, ...]
    left_out: tuple[str, ...] = ()

    @classmethod
    def from_rows(cls, rows: PairedPredictions, fixed: Collection[str] = ()) -> CrossedRuns:
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


def cost_options(costs: Costs | None, metric: str) -> dict[str, Any]:
    """Return what tests by a metric are told of costs, the classes in the order of the matrix."""
    if costs is None:
        return {}
    options = {"cost": costs.matrix, "classes": costs.names, "priors": costs.priors}
    priced = metric in METRICS and METRICS[metric].priced
    return options | ({"labels": costs.names} if priced else {})


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
    """What all models predict of the rows in each repetition of a plan, each run by itself."""

    models: tuple[str, ...]
    classes: tuple[str, ...]
    fold: NDArray[Any]
    """The fold that tests a row in each repetition, shape (R, n), as `fold_rows` takes it."""
    truth: NDArray[Any]
    predicted: NDArray[Any]
    """Codes of classes, or numbers, of all runs: shape (R, n, S)."""
    runs: tuple[tuple[int, ...], ...]
    """The places of each model's runs."""
    scores: Floats | None = None
    probabilities: Floats | None = None
    groups: NDArray[Any] | None = None
    columns: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    metric: str = ""
    costs: Costs | None = None
    made: dict[Any, Any] = dataclasses.field(default_factory=dict)
    """The design, and the values of rows by metric and model, once they are known."""

    def by(self, metric: str) -> FoldPredictions:
        """Return the predictions as a metric looks at them."""
        return dataclasses.replace(self, metric=metric)

    @property
    def design(self) -> FoldDesign:
        """Which fit tests each row."""
        if "design" not in self.made:
            self.made["design"] = FoldDesign.read(self.fold, self.groups)
        design: FoldDesign = self.made["design"]
        return design

    @property
    def setting(self) -> Setting:
        """The metric and the truth."""
        truth = Truth(self.truth, self.classes, max(len(self.classes) - 1, 0))
        metric = engine_metric(self.metric, self.columns)
        return Setting(metric_called(metric), truth, options=options_of(self.costs, self.classes))

    def leading(self, entry: Entry) -> list[Any]:
        """Return the folds, to tests that count rows."""
        return [self.fold] if entry.reads == "correctness" else []

    def column(self, entry: Entry, model: int) -> Any:
        """Return which rows a model has right, or the values of rows by the metric."""
        if entry.reads == "correctness":
            return self.predicted[..., self.runs[model][0]] == self.truth
        return self.rows(model)

    def rows(self, model: int) -> FoldRows:
        """Return the values of rows of a model by the metric; raises `NoValue` without a score."""
        key = self.metric, model
        if key not in self.made:
            runs = [self._wanted[:, :, run] for run in self.runs[model]]
            if self._looks_at == "ranking":  # of the positive class, which comes last
                runs = [np.stack([1 - scores, scores], axis=-1) for scores in runs]
            behind = self._behind_classes(model)
            self.made[key] = rows_of_runs(self.setting, self.design, runs, behind)
        rows: FoldRows = self.made[key]
        return rows

    def _behind_classes(self, model: int) -> list[Floats] | None:
        """Return the probabilities behind the classes that each run of a model predicts, if any."""
        if self._looks_at != "classes" or self.probabilities is None:
            return None
        probabilities = [self.probabilities[:, :, run] for run in self.runs[model]]
        tested = self.fold > 0
        known = all(np.isfinite(one[tested]).all() for one in probabilities)
        return probabilities if known else None

    def missing(self, models: Sequence[int]) -> str:
        """Say which models do not rank the rows or give probabilities, where that is wanted."""
        if self._looks_at == "classes":
            return ""
        if self._wanted is None:
            return "no model gives probabilities or scores"
        tested = self.fold > 0
        silent = [
            self.models[model]
            for model in models
            if np.isnan(self._wanted[:, :, list(self.runs[model])][tested]).any()
        ]
        kind = "probabilities" if self._looks_at == "probabilities" else "probabilities or scores"
        return f"{' and '.join(silent)} give(s) no {kind}" if silent else ""

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.fold.shape[1])

    @property
    def _looks_at(self) -> str:
        return looks_at(engine_metric(self.metric, self.columns)) if self.metric else "classes"

    @property
    def _wanted(self) -> Any:
        by_kind = {"ranking": self.scores, "probabilities": self.probabilities}
        return by_kind.get(self._looks_at, self.predicted)


def engine_metric(name: str, columns: Mapping[str, NDArray[Any]]) -> str | Metric:
    """Return a metric as tests take it: by its name, or an own one with the columns it takes."""
    measure = METRICS.get(name)
    if measure is None or name in BUILT_IN:
        return name
    taken = {column: columns[column] for column in measure.takes if column in columns}
    return dataclasses.replace(measure, columns=taken)


def options_of(costs: Costs | None, classes: Sequence[str]) -> Options:
    """Return what errors cost, and how frequent classes will be, in the order of the classes."""
    if costs is None or not classes:
        return NO_OPTIONS
    places = [costs.names.index(name) for name in classes]
    matrix = np.asarray(costs.matrix, dtype=np.float64)[np.ix_(places, places)]
    priors = None if costs.priors is None else np.asarray(costs.priors)[places]
    return Options(cost=matrix, priors=priors)


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


# --- what a test of a run is run on


def evidence_of(
    test: PlannedTest, analysis: Analysis, inputs: Mapping[str, Any]
) -> Iterator[tuple[str, str, AnyEvidence]]:
    """Yield the data set and the metric of each piece of evidence of a test, with the evidence."""
    entry, models = catalogue()[test.name], list(analysis.models)
    if test.on_datasets:
        matrix, holes = inputs[MATRIX], inputs[HOLES]
        if not isinstance(matrix, pd.DataFrame):
            matrix = read_score_matrix(matrix, models)
        if not isinstance(holes, list):
            holes = [Hole(**hole) for hole in read_json(holes)["missing"]]
        policy = analysis.missing_cells
        if test.allows_missing and policy != "failed":
            policy = "keep"
        for metric in test.metrics:
            cells = scores_by_dataset(matrix, test.plan, metric)
            missing = [hole for hole in holes if (hole.plan, hole.metric) == (test.plan, metric)]
            yield "", metric, complete(analysis, metric, cells, policy, missing)
        return
    of_runs, plan = entry.evidence is Evidence.RUNS, analysis.plans.get(test.plan)
    fixed = deterministic(analysis) if of_runs else frozenset()
    full = plan.full_repeats if isinstance(plan, Halves) else 0
    for dataset, given in inputs.items():
        if entry.evidence.on_rows:
            for rows in held_out(analysis, dataset, given, test.metrics):
                yield dataset, rows.metric, CrossedRuns.from_rows(rows, fixed) if of_runs else rows
            continue
        if entry.evidence is Evidence.FOLD_ROWS:
            folds = read_folds(analysis, dataset, given, test.metrics)
            for metric in test.metrics:
                yield dataset, metric, folds.by(metric)
            continue
        scores = given if isinstance(given, pd.DataFrame) else read_scores(given)
        parts = {metric: fold_scores(scores, models, metric) for metric in test.metrics}
        if entry.reads == "criteria":
            better = [analysis.measures[metric].greater_is_better for metric in parts]
            yield dataset, "+".join(parts), FoldScores.join(parts, better)
            continue
        for metric, part in parts.items():
            yield dataset, metric, dataclasses.replace(part, full_repeats=full)


# --- rows of test sets, from the files of a run


def held_out(
    analysis: Analysis,
    dataset: str,
    given: str | Path | PairedPredictions,
    metrics: Sequence[str],
) -> Iterator[PairedPredictions]:
    """Read what is collected on one test set once, and return it metric by metric."""
    rows = given
    if not isinstance(rows, PairedPredictions):
        models = list(analysis.models)
        rows = read_predictions(rows, models, metrics, by_values=analysis.by_values)
        # A test for groups takes rows without groups for independent: its p-value would be wrong.
        kin = analysis.datasets[dataset].relation
        if kin is not None and rows.n and not rows.related:
            raise _unrelated(given, dataset, kin)
    yield from by_metric(rows, analysis, metrics)


def _unrelated(given: object, dataset: str, kin: Any) -> UserError:
    return UserError(
        f"{given} does not say which rows of {dataset} belong together, though the data set has "
        f"the {kin.kind} column {kin.column!r}: delete this file and run again"
    )


def by_metric(
    rows: PairedPredictions, analysis: Analysis, metrics: Sequence[str]
) -> Iterator[PairedPredictions]:
    """Return rows metric by metric; numbers per row have the one that describes them."""
    if rows.by_values:
        metric = analysis.measures[analysis.metrics[0]]
        better, limits = metric.greater_is_better, metric.range
        yield dataclasses.replace(rows, metric=metric.name, greater_is_better=better, range=limits)
    else:
        yield from (dataclasses.replace(rows, metric=metric) for metric in metrics)


def read_predictions(
    path: str | Path, models: list[str], metrics: Iterable[str] = (), *, by_values: bool = False
) -> PairedPredictions:
    """Read what metrics want of one test set, each training run as if it was a model."""
    with open_parquet(path) as file:
        names = file.schema_arrow.names
        present = _runs_of(models, names)
        subgroups, taken = ([n for n in names if n.startswith(kind)] for kind in (SUBGROUP, TAKEN))
        related = [name for name in names if name in (COLLECTED_GROUP, COLLECTED_TIME)]
        read = [*([] if by_values else [COLLECTED_TRUTH]), *present, *related, *subgroups, *taken]
        frame = file.read(columns=read).to_pandas()
        more: dict[str, Any] = {
            "left_out": _without(models, present),
            "groups": frame[COLLECTED_GROUP].to_numpy() if COLLECTED_GROUP in frame else None,
            "times": frame[COLLECTED_TIME].to_numpy() if COLLECTED_TIME in frame else None,
            "subgroups": {n.removeprefix(SUBGROUP): pd.Categorical(frame[n]) for n in subgroups},
            "columns": {n.removeprefix(TAKEN): frame[n].to_numpy() for n in taken},
        }
        if by_values:
            values = frame[present].to_numpy(dtype=np.float64)
            return PairedPredictions.from_values(present, values, **more)
        classes, truth, columns = _answers(frame, present)
        more |= _read_ranking(file, present, classes, _looked_at(metrics))
    predicted = np.column_stack(columns) if columns else np.empty((len(truth), 0), np.int8)
    return PairedPredictions(tuple(present), tuple(classes), truth, predicted, **more)


def _runs_of(models: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return the columns of predictions among some names, those of each model's runs together."""
    # a name with a colon is that of scores
    runs = sorted((*run_of(name), name) for name in names)
    return [name for model in models for trained, _, name in runs if trained == model]


def _answers(
    frame: pd.DataFrame, runs: Sequence[str]
) -> tuple[list[str], NDArray[Any], list[NDArray[Any]]]:
    """Return the classes, the truth, and what each run predicts: codes of classes, or numbers."""
    if pd.api.types.is_float_dtype(frame[COLLECTED_TRUTH]):
        return [], frame[COLLECTED_TRUTH].to_numpy(), [frame[name].to_numpy() for name in runs]
    labels = frame[COLLECTED_TRUTH].astype("category")
    classes = labels.cat.categories.tolist()
    codes = []
    for name in runs:
        column = frame[name].astype("category").cat.set_categories(classes)
        codes.append(column.cat.codes.to_numpy())
    return classes, labels.cat.codes.to_numpy(), codes


def _looked_at(metrics: Iterable[str]) -> set[str]:
    """Return what metrics look at besides predicted classes: rankings, probabilities."""
    return {looks_at(METRICS.get(metric) or metric) for metric in metrics} - {"classes"}


def _read_ranking(
    file: pq.ParquetFile, runs: Sequence[str], classes: Sequence[str], wanted: Collection[str]
) -> dict[str, Floats]:
    """Read the scores of the positive class, and the probabilities, as far as they are wanted."""
    if not runs or not classes or not wanted:
        return {}
    scored = classes if "probabilities" in wanted else classes[-1:]
    given = _numbers(file, [[f"{run}:{name}" for name in scored] for run in runs])
    ranking = {}
    if "ranking" in wanted:
        ranking["scores"] = given[..., -1]
    if "probabilities" in wanted:
        sums, least = given.sum(axis=2), -PROBABILITY_SLACK
        right = np.isclose(sums, 1, atol=PROBABILITY_SLACK) & (given >= least).all(axis=2)
        right |= np.isnan(given).all(axis=2)  # of rows that are not tested
        right = right.all(axis=0)  # else a run's columns are none or no probabilities
        ranking["probabilities"] = given if right.all() else np.where(right[:, None], given, np.nan)
    return ranking


def _numbers(file: pq.ParquetFile, columns: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Read rows × models × columns, NaN for columns that are not there."""
    # Each model's lie together in memory, so that what looks at a model copies nothing.
    present, n = set(file.schema_arrow.names), file.metadata.num_rows
    values = np.full((len(columns), n, len(columns[0])), np.nan)
    at_once = max(1, _AT_ONCE // values[0].size) if n else len(columns)
    for start in range(0, len(columns), at_once):
        part = columns[start : start + at_once]
        table = file.read([name for names in part for name in names if name in present])
        for of_model, names in zip(values[start:], part, strict=False):
            for place, name in enumerate(names):
                if name in present:
                    of_model[:, place] = table[name].to_numpy()
    return values.transpose(1, 0, 2)


def _without(models: Sequence[str], present: Sequence[str]) -> tuple[str, ...]:
    """Say which models have no results; of training runs the models count."""
    with_results = {run_of(name)[0] for name in present}
    return tuple(f"{model} has no results here" for model in models if model not in with_results)


# --- folds, from the files of a run


def read_scores(path: str | Path) -> pd.DataFrame:
    """Read collected scores."""
    return read_csv(
        path,
        dtype=dict.fromkeys(("dataset", "model", "plan", "metric", "undefined"), str),
        keep_default_na=False,
        na_values={key: [""] for key in ("value", "n_train", "n_test")},
    )


def fold_scores(scores: pd.DataFrame, models: list[str], metric: str) -> FoldScores:
    """Cut the scores of one data set and plan to an array, models paired fold by fold."""
    rows = scores[scores["metric"] == metric]
    scored = set(rows["model"])
    present = [model for model in models if model in scored]
    wide = rows.pivot(index=["repeat", "fold"], columns="model", values="value")
    first = rows[rows["model"].isin(present[:1])].sort_values(["repeat", "fold"])
    shape = first["repeat"].nunique(), first["fold"].nunique()
    if len(wide) != shape[0] * shape[1] or len(rows) != wide.size:
        raise UserError(f"the scores of {metric} are not complete: rerun snakemake")
    sizes = first[["n_train", "n_test"]]
    sized = not sizes.isna().any(axis=None)
    n_train, n_test = (sizes[name].to_numpy().reshape(shape) if sized else None for name in sizes)
    undefined = rows[rows["value"].isna()].groupby("model")["undefined"].unique().to_dict()
    return FoldScores(
        tuple(present),
        wide[present].to_numpy(dtype=np.float64).reshape(*shape, len(present)),
        n_train,
        n_test,
        tuple("; ".join(map(str, undefined.get(model, ()))) for model in present),
        _without(models, present),
    )


def read_folds(
    analysis: Analysis,
    dataset: str,
    given: str | Path | FoldPredictions,
    metrics: Iterable[str],
) -> FoldPredictions:
    """Read what is collected of the folds of one data set and plan."""
    if isinstance(given, FoldPredictions):
        return given
    folds = read_fold_predictions(given, list(analysis.models), metrics)
    kin = analysis.datasets[dataset].relation
    if kin is not None and kin.kind == "group" and folds.groups is None:
        raise _unrelated(given, dataset, kin)
    return dataclasses.replace(folds, costs=analysis.datasets[dataset].costs)


def read_fold_predictions(
    path: str | Path, models: list[str], metrics: Iterable[str] = ()
) -> FoldPredictions:
    """Read the collected predictions of a plan of folds; rows are paired by their id."""
    ours = [COLLECTED_ID, COLLECTED_REPEAT, COLLECTED_FOLD, COLLECTED_TRUTH]
    with open_parquet(path) as file:
        names = file.schema_arrow.names
        runs = _runs_of(models, names)
        taken = [name for name in names if name.startswith(TAKEN)]
        related = [name for name in names if name == COLLECTED_GROUP]
        ours = [COLLECTED_ID, COLLECTED_REPEAT, COLLECTED_FOLD, COLLECTED_TRUTH]
        frame = file.read(columns=[*ours, *runs, *taken, *related]).to_pandas()
        # of each row in each repetition one line
        repetition, repetitions = pd.factorize(frame[COLLECTED_REPEAT], sort=True)
        row, ids = pd.factorize(frame[COLLECTED_ID], sort=True)
        shape = len(repetitions), len(ids)
        fold = np.full(shape, -1, dtype=np.int64)
        fold[repetition, row] = frame[COLLECTED_FOLD]
        used = (fold >= 0).any(axis=0)
        classes, truth, columns = _answers(frame, runs)

        def by_repetition(values: NDArray[Any]) -> NDArray[Any]:
            placed = np.zeros((*shape, *values.shape[1:]), dtype=values.dtype)
            placed[repetition, row] = values
            return placed[:, used]

        def by_row(values: Any) -> NDArray[Any]:
            first = np.zeros(len(ids), dtype=np.intp)
            first[row[::-1]] = np.arange(len(row))[::-1]
            return np.asarray(values)[first][used]

        wanted = _looked_at(metrics)
        if any(metric in METRICS and METRICS[metric].of_table for metric in metrics):
            wanted.add("probabilities")  # those behind the predicted classes
        ranked = _read_ranking(file, runs, classes, wanted)
    trained = [run_of(name)[0] for name in runs]
    present = [model for model in models if model in trained]
    return FoldPredictions(
        tuple(present),
        tuple(classes),
        fold[:, used],
        by_row(truth),
        by_repetition(np.column_stack(columns) if columns else np.empty((len(frame), 0))),
        tuple(tuple(np.flatnonzero(np.equal(trained, model)).tolist()) for model in present),
        groups=by_row(frame[related[0]]) if related else None,
        columns={name.removeprefix(TAKEN): by_row(frame[name]) for name in taken},
        left_out=_without(models, present),
        scores=by_repetition(ranked["scores"]) if "scores" in ranked else None,
        probabilities=by_repetition(ranked["probabilities"]) if "probabilities" in ranked else None,
    )


# --- data sets, from the scores of a run

_KEYS = ["plan", "metric", "dataset"]
_SHOWN = 3
_DIGITS = 10
"""Digits in which scores must differ to be no ties."""


@dataclasses.dataclass(frozen=True)
class Hole:
    """A missing cell of a score matrix."""

    plan: str
    metric: str
    dataset: str
    model: str
    reason: str

    def __str__(self) -> str:
        return f"{self.model} has no {self.metric} on {self.dataset} ({self.reason})"


def score_matrix(
    scores: pd.DataFrame,
    datasets: Sequence[str],
    models: Sequence[str],
    metrics: Sequence[str],
    plans: Mapping[str, Plan],
) -> tuple[pd.DataFrame, list[Hole]]:
    """Average the scores over the folds of each plan."""
    fits = {name: len(plan.splits()) for name, plan in plans.items()}
    if isinstance(halves := plans.get("halves"), Halves):
        fits["halves"] -= halves.full_repeats * halves.folds
        full = (scores["plan"] == "halves") & (scores["repeat"] > 2 * halves.repeats)
        scores = scores[~full]
    groups = scores.groupby([*_KEYS, "model"], sort=False)["value"]
    mean, count = groups.mean(), groups.count()
    complete = mean.where(count == count.index.get_level_values("plan").map(fits))
    rows = [(p, m, d) for p in plans for m in metrics for d in datasets]
    index = pd.MultiIndex.from_tuples(rows, names=_KEYS)
    wide = complete.unstack("model").reindex(index=index, columns=list(models))
    reasons = scores[scores["value"].isna()].drop_duplicates([*_KEYS, "model"])
    reason_of = reasons.set_index([*_KEYS, "model"])["undefined"].to_dict()
    holes = [
        Hole(*cell, reason_of.get(cell) or "no fit")
        for row, gaps in zip(rows, wide.isna().to_numpy(), strict=True)
        for cell in ((*row, model) for model, gap in zip(models, gaps, strict=True) if gap)
    ]
    # the first three columns are the keys, whatever the models are called
    return wide.reset_index(allow_duplicates=True), holes


def read_score_matrix(path: str | Path, models: Sequence[str]) -> pd.DataFrame:
    """Read a score matrix as `score_matrix` made it."""
    names = [*_KEYS, *models]
    head = read_csv(path, header=None, nrows=1, dtype=str, keep_default_na=False)
    if head.iloc[0].tolist() != names:
        raise UserError(f"{path} is about other models: delete it and run again")
    keys = [f":{key}" for key in _KEYS]  # no model is called so
    how: dict[str, Any] = {"header": None, "skiprows": 1, "names": [*keys, *models]}
    how |= {"dtype": dict.fromkeys(keys, str), "keep_default_na": False, "na_values": [""]}
    return read_csv(path, **how).set_axis(names, axis="columns")


def scores_by_dataset(matrix: pd.DataFrame, plan: str, metric: str) -> pd.DataFrame:
    """Return the scores in a score matrix by one plan and metric: data sets × models."""
    keys, scores = matrix.iloc[:, : len(_KEYS)], matrix.iloc[:, len(_KEYS) :]
    rows = (keys["plan"] == plan) & (keys["metric"] == metric)
    return scores[rows].set_axis(pd.Index(keys.loc[rows, "dataset"], name="dataset"))


def check_holes(holes: Iterable[Hole], used: set[tuple[str, str]], policy: str) -> None:
    """Stop at missing cells that a test needs, where that is the policy."""
    missing = [hole for hole in holes if (hole.plan, hole.metric) in used]
    if policy == "error" and missing:
        raise UserError(
            "the tests over data sets need a score of every model on every data set: "
            f"{some(missing, _SHOWN)}. Set `tests: {{missing_cells: …}}`: `failed` ranks scores "
            "last that are missing because a model failed, `drop_dataset` leaves out data sets "
            "that are not complete"
        )


def complete(
    analysis: Analysis,
    metric: str,
    scores: pd.DataFrame,
    policy: str,
    holes: Sequence[Hole] = (),
) -> DatasetScores:
    """Merge groups of data sets, and do with missing cells what the policy says, with notes."""
    sign, models = 1 if analysis.measures[metric].greater_is_better else -1, scores.columns
    units, notes = analysis.tests.units(scores.index), []
    if policy == "drop_dataset":
        gaps = scores.isna().any(axis=1)
        for name in scores.index[gaps]:
            gone = [str(hole) for hole in holes if hole.dataset == name]
            more = ["..."] if len(gone) > _SHOWN else []
            notes.append(f"data set {name} was left out: {'; '.join(gone[:_SHOWN] + more)}")
        scores = scores[~gaps]
    if metric in analysis.mixed_units:  # of which no mean and no difference is known: of ranks
        size = np.nanmax(np.abs(scores.to_numpy()), axis=1, keepdims=True, initial=1e-300)
        scores = (scores.div(size).round(_DIGITS) * sign).rank(axis=1) * sign
    members = ((unit, one) for unit, several in units.items() for one in several)
    order = [(unit, one) for unit, one in members if one in scores.index]
    codes, names = pd.factorize(np.array([unit for unit, _ in order], dtype=object))
    values = scores.loc[[one for _, one in order]].to_numpy(dtype=np.float64)
    if len(names) < len(values):
        values = group_means(values, codes)
    present = ~np.isnan(values)
    if policy == "failed" and not present.all():
        if never := models[~present.any(axis=0)].tolist():
            raise UserError(f"{', '.join(never)}: no data set has a score of it; leave it out")
        kept = present.any(axis=1)
        missing, empty = int((~present[kept]).sum()), int((~kept).sum())
        if missing:
            score = "score was" if missing == 1 else "scores were"
            notes.append(f"{missing} missing {score} ranked last, as failures")
        if empty:
            what = "data set without scores of any model was"
            what = what if empty == 1 else "data sets without scores of any model were"
            notes.append(f"{empty} {what} left out")
        values, names = sign * with_failures_last(sign * values[kept]), names[kept]
    return DatasetScores(tuple(models), tuple(names), values, tuple(notes))

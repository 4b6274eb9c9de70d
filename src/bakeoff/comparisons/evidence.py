"""What the tests are fed with: rows, runs, scores and rows of folds, scores of data sets.

All models are paired: a class for each kind of evidence hands a test the arguments that its
signature asks for. What one metric says of held-out rows is asked of `HeldOut`, and of the rows of
folds of `FoldPredictions`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons.analysis import Analysis
from bakeoff.comparisons.settings import with_keys
from bakeoff.data.observations import Observations
from bakeoff.data.predicted import Predicted
from bakeoff.errors import UserError
from bakeoff.scores import METRICS, Metric
from bakeoff.spec import Costs
from bakeoff.spec.experiment import run_name, run_of
from bakeoff.stats import Entry, Runs, catalogue, influence, looks_at
from bakeoff.stats.design.clusters import TIME_BLOCKS, time_blocks
from bakeoff.stats.folds.fold_rows import FoldDesign, FoldRows, rows_of_runs
from bakeoff.stats.metrics.influence import Setting
from bakeoff.stats.metrics.metric import METRICS as BUILT_IN
from bakeoff.stats.metrics.metric import NO_OPTIONS, Options, Truth, metric_called

Floats = NDArray[np.float64]

# --- what all kinds have in common


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

    def columns_of(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Return what a test takes of some models, a column each."""
        return [self.column(entry, model) for model in models]

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Return what a test takes of some models, one by one."""
        return self.leading(entry) + self.columns_of(entry, models)

    def at_once(self, entry: Entry) -> Any:
        """Return what a test of all models at once takes of them."""
        return self.values

    def matrix(self, entry: Entry) -> list[Any]:
        """Return all that a test of all models at once takes."""
        arguments = self.leading(entry)
        arguments.append(self.at_once(entry))
        return arguments

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


# --- rows of a test set


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
    ids: NDArray[Any] | None = None
    """What the rows are called; None where they are counts of rows without names."""
    items: NDArray[Any] | None = None
    """The item that each row is a run of, where items were run several times."""
    tasks: NDArray[Any] | None = None
    """The task of each row, where models are compared in the mean over tasks."""
    task_weights: str | Mapping[str, float] = "tasks"
    by_values: bool = False
    """Whether `predicted` holds numbers of which the mean is the metric, and no truth is known."""
    values_by_metric: Mapping[str, Floats] = dataclasses.field(default_factory=dict)
    """The numbers by each metric, shape (n, M), where there are several."""
    greater_is_better: bool = True
    range: tuple[float, float] = (-math.inf, math.inf)
    views: dict[str, PairedPredictions] = dataclasses.field(default_factory=dict, init=False)
    """The same rows by each metric, once they were asked for."""
    asked: dict[str, Any] = dataclasses.field(default_factory=dict, init=False)
    """What was computed of them by their metric; see `held_out.HeldOut`."""

    @classmethod
    def from_values(
        cls, models: Sequence[str], values: NDArray[Any], **facts: Any
    ) -> PairedPredictions:
        """Make them from a number of each model on each row, shape (n, M)."""
        unknown = np.full(len(values), np.nan)
        return cls(tuple(models), (), unknown, values, by_values=True, **facts)

    def by(self, metric: str, **facts: Any) -> PairedPredictions:
        """Return the rows as a metric looks at them: each time the same object."""
        if metric == self.metric:
            return self
        if metric not in self.views:
            if metric in self.values_by_metric:
                facts["predicted"] = self.values_by_metric[metric]
            self.views[metric] = dataclasses.replace(self, metric=metric, **facts)
        return self.views[metric]

    @classmethod
    def from_observations(cls, observations: Observations) -> PairedPredictions:
        """Put what all training runs say, or numbers, side by side, each as if it was a model."""
        facts: dict[str, Any] = {
            "groups": observations.related.get("groups"),
            "times": observations.related.get("time"),
            "subgroups": observations.subgroups,
            "items": observations.items,
        }
        if observations.in_order:
            facts["ids"] = observations.ids
        runs: dict[str, Predicted] = {}
        for name, of_model in observations.models.items():
            for seed, run in enumerate(of_model, start=1):
                runs[run_name(name, seed)] = run
        values = [run.values for run in runs.values() if run.values is not None]
        if values:
            facts["values_by_metric"] = _values_by_metric(runs)
            return cls.from_values(tuple(runs), np.column_stack(values), **facts)
        probabilities = None
        if any(run.probabilities is not None for run in runs.values()):
            probabilities = np.full(
                (len(observations.truth), len(runs), len(observations.classes)), np.nan
            )
            for place, run in enumerate(runs.values()):
                if run.probabilities is not None:
                    probabilities[:, place] = run.probabilities
        scores = None
        if probabilities is not None:
            scores = probabilities[..., -1]
        return cls(
            tuple(runs),
            observations.classes,
            observations.truth,
            # what one model says lies together
            np.array([run.answers for run in runs.values()]).T,
            scores,
            probabilities=probabilities,
            in_order=observations.in_order,
            **facts,
        )

    def of_tasks(self, analysis: Analysis) -> PairedPredictions:
        """Return the rows with their tasks, where these are to be compared in the mean over them.

        The column of the tasks is carried like one of subgroups. Rows in the order of time have no
        mean over tasks.
        """
        if analysis.tasks is None or analysis.tasks not in self.subgroups:
            return self
        if self.times is not None:
            return self
        column = self.subgroups[analysis.tasks]
        weights = analysis.tests.task_weights
        return dataclasses.replace(self, tasks=np.asarray(column), task_weights=weights)

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.truth)

    @property
    def related(self) -> bool:
        """Whether rows are said to belong together."""
        return self.groups is not None or self.times is not None

    @property
    def units(self) -> str:
        """How many groups or times the related rows have, in words."""
        if self.groups is not None:
            return f"{len(pd.unique(self.groups)):,} groups"
        times = 0
        if self.times is not None:
            times = len(pd.unique(self.times))
        return f"{times:,} times"

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
        if self.tasks is not None and self.by_values:
            return "suite_mean_difference"
        if self.tasks is not None:
            return "suite_difference"
        if self.by_values:
            return "mean_difference"
        return "metric_difference"

    @property
    def engine_metric(self) -> str | Metric:
        """The metric as tests take it."""
        return engine_metric(self.metric, self.columns)

    def leading(self, entry: Entry) -> list[Any]:
        """Return the truth: classes, what the metric takes, or which rows are positive."""
        if entry.reads == "classes":
            return [np.array(self.classes)[self.truth]]
        if entry.reads == "predictions":
            return [self._true_answers]
        if entry.reads == "ranking":
            return [self.truth == len(self.classes) - 1]
        return []

    def column(self, entry: Entry, model: int) -> Any:
        """Return right or wrong, classes, numbers, scores or what the metric looks at."""
        answers = self.predicted[:, model]
        if entry.reads == "correctness":
            return answers == self.truth
        if entry.reads == "classes":
            return np.array(self.classes)[answers]
        if entry.reads == "values":
            return self.row_values(model)
        if entry.reads == "predictions" and self.wanted is None:
            return self._answers(answers)
        scored = self.scores
        if entry.reads == "predictions":
            scored = self.wanted
        assert scored is not None
        return scored[:, model]

    def at_once(self, entry: Entry) -> Any:
        """Return rows × models, or a list of the models' classes."""
        scored = {"ranking": self.scores, "predictions": self.wanted}.get(entry.reads)
        if scored is not None:
            return scored
        columns = self.columns_of(entry, range(len(self.models)))
        if entry.reads == "predictions" and self.classes:
            return columns
        return np.column_stack(columns)

    def row_values(self, model: int) -> Floats:
        """Return what each row adds to a metric of numbers, whose mean is the metric."""
        if self.by_values:
            return np.asarray(self.predicted[:, model], dtype=np.float64)
        # of a mean the influence of a row is its value less the mean
        effect = influence(self.truth, self.predicted[:, model], metric=self.engine_metric)
        return np.asarray(effect.value + effect.psi)

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return groups and times of the rows, and for predictions their metric and classes."""
        managed: dict[str, Any] = {"time": self.times, "groups": self.groups}
        if self.in_blocks(entry) and "time" not in entry.options:
            managed["groups"] = self.blocks
        if self.tasks is not None:
            managed |= {"tasks": self.tasks, "weights": self.task_weights}
        if entry.reads == "predictions":
            managed["metric"] = self.engine_metric
            if self.classes:
                managed["labels"] = self.classes
                managed["positive"] = self.classes[-1]
        return managed

    def missing(self, models: Sequence[int]) -> str:
        """Say which models do not rank the rows or give probabilities, where that is wanted."""
        if self.by_values:
            return ""
        wanted = self.scores
        if self.metric:
            wanted = self.wanted
        if wanted is None:
            if looks_at(self.engine_metric) == "classes":
                return ""
            return _NO_SCORES
        silent = []
        for model in models:
            if np.isnan(wanted[:, model]).any():
                silent.append(self.models[model])
        return _silence(silent, probabilities=wanted is self.probabilities)

    def only(self, models: Sequence[int]) -> PairedPredictions:
        """Return the predictions of some models."""
        places = list(models)
        if places == list(range(len(self.models))):
            return self
        scores = self.scores
        if scores is not None:
            scores = scores[:, places]
        probabilities = self.probabilities
        if probabilities is not None:
            probabilities = probabilities[:, places]
        return dataclasses.replace(
            self,
            models=tuple(self.models[place] for place in places),
            predicted=self.predicted[:, places],
            values_by_metric={
                metric: values[:, places] for metric, values in self.values_by_metric.items()
            },
            scores=scores,
            probabilities=probabilities,
        )

    def confusion(self, model: str) -> NDArray[np.int64]:
        """Count true (rows) against predicted classes (columns), shape (K, K)."""
        # the cells of the table are numbered row by row: k × true class + predicted class
        k = len(self.classes)
        cells = self.truth.astype(np.int64) * k + self.predicted[:, self.models.index(model)]
        return np.bincount(cells, minlength=k * k).reshape(k, k)

    @cached_property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each model is right on each row, shape (n, M)."""
        right: NDArray[np.bool_] = self.predicted == self.truth[:, None]
        return right

    @property
    def wanted(self) -> Floats | None:
        """What the metric looks at besides predicted classes and numbers; None where nothing."""
        looked_at = looks_at(self.engine_metric)
        if looked_at == "classes":
            return None
        if looked_at == "ranking":
            return self.scores
        return self.probabilities

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


def _values_by_metric(runs: Mapping[str, Predicted]) -> dict[str, Floats]:
    """Return the numbers of all training runs by each metric, where there are several."""
    columns_by_metric: dict[str, list[Floats]] = {}
    for run in runs.values():
        for metric, values in run.by_metric.items():
            columns_by_metric.setdefault(metric, []).append(values)
    tables = {}
    for metric, columns in columns_by_metric.items():
        tables[metric] = np.column_stack(columns)
    return tables


_NO_SCORES = "no model gives probabilities or scores"


def _silence(models: Sequence[str], *, probabilities: bool) -> str:
    """Say which models lack what a metric looks at; empty where none does."""
    if not models:
        return ""
    noun = "probabilities or scores"
    if probabilities:
        noun = "probabilities"
    return f"{' and '.join(models)} give(s) no {noun}"


def by_metric(
    rows: PairedPredictions, analysis: Analysis, metrics: Sequence[str]
) -> Iterator[PairedPredictions]:
    """Return rows metric by metric; numbers per row have those that describe them."""
    if not rows.by_values:
        for metric in metrics:
            yield rows.by(metric)
        return
    # a caller may have chosen among the metrics that are computed here, which these are not
    described_metrics = [metric for metric in analysis.metrics if metric in metrics]
    for metric in described_metrics or analysis.metrics:
        described = analysis.measures[metric]
        yield rows.by(metric, greater_is_better=described.greater_is_better, range=described.range)


def engine_metric(name: str, columns: Mapping[str, NDArray[Any]]) -> str | Metric:
    """Return a metric as tests take it: by its name, or an own one with the columns it takes."""
    measure = METRICS.get(name)
    if measure is None or name in BUILT_IN:
        return name
    taken = {column: columns[column] for column in measure.takes if column in columns}
    return dataclasses.replace(measure, columns=taken)


def cost_options(costs: Costs | None, metric: str) -> dict[str, Any]:
    """Return what tests by a metric are told of costs, the classes in the order of the matrix."""
    if costs is None:
        return {}
    options: dict[str, Any] = {
        "cost": costs.matrix,
        "classes": costs.names,
        "priors": costs.priors,
    }
    if metric in METRICS and METRICS[metric].priced:
        options["labels"] = costs.names
    return options


def difference_options(
    rows: PairedPredictions, costs: Costs | None, test: str = ""
) -> dict[str, Any]:
    """Return the arguments of the test `rows.difference`, or another, that no user sets."""
    entry = catalogue()[test or rows.difference]
    return with_keys(rows.managed(entry) | cost_options(costs, rows.metric), entry.options)


# --- training runs on a test set


@dataclasses.dataclass(frozen=True)
class CrossedRuns(Paired):
    """The predictions, or numbers, of all runs of all models on the same rows."""

    models: tuple[str, ...]
    rows: PairedPredictions
    runs: tuple[tuple[int, ...], ...]
    """The places of each model's runs among the rows' models."""
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
        return cls(
            models=tuple(runs),
            rows=rows,
            runs=tuple(tuple(places) for places in runs.values()),
            deterministic=tuple(model in fixed for model in runs),
            left_out=rows.left_out,
        )

    @property
    def difference(self) -> str:
        """The test that compares two recipes on these rows by any metric."""
        if self.rows.by_values:
            return "recipe_mean_difference"
        return "recipe_difference"

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

    def at_once(self, entry: Entry) -> list[Runs]:
        """Return a list of the runs of all models."""
        return self.columns_of(entry, range(len(self.models)))

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return the groups of the rows, their metric and classes."""
        return self.rows.managed(entry)

    def missing(self, models: Sequence[int]) -> str:
        """Say why some models cannot be compared; empty when they can."""
        places: list[int] = []
        for model in models:
            places += self.runs[model]
        return self.rows.missing(places)


# --- folds: their scores, or their rows


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
        reasons = []
        for model in range(len(first.models)):
            by_part = [part.reasons[model] for part in parts.values()]
            reasons.append("; ".join(filter(None, by_part)))
        return dataclasses.replace(
            first,
            values=np.stack([part.values for part in parts.values()], axis=-1),
            reasons=tuple(reasons),
            criteria=tuple(parts),
            greater_is_better=tuple(greater_is_better),
        )

    @property
    def n(self) -> int:
        """The number of folds."""
        return math.prod(self.values.shape[:2])

    def column(self, entry: Entry, model: int) -> Any:
        """Return the scores of a model: flat, or repeats × folds for tests with replications."""
        return self._shaped(entry, self.values[:, :, model])

    def at_once(self, entry: Entry) -> Floats:
        """Return folds × models, by several metrics folds × models × metrics."""
        return self.values.reshape(self.n, *self.values.shape[2:])

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
        return {
            "n_train": self._shaped(entry, self.n_train),
            "n_test": self._shaped(entry, self.n_test),
        }

    def missing(self, models: Sequence[int]) -> str:
        """Say why some models cannot be compared; empty when they can."""
        reasons: dict[str, None] = {}
        for model in models:
            if np.isnan(self.values[:, :, model]).any():
                reasons[self.reasons[model] or "a score is missing"] = None
        if not reasons:
            return ""
        return f"the metric is undefined on a fold: {'; '.join(reasons)}"

    def _shaped(self, entry: Entry, values: NDArray[Any]) -> NDArray[Any]:
        # tests with replications take repeats × folds, all others a score for each fold
        if entry.replications and values.shape[1] > 1:
            return values
        return values.ravel()


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
    def n(self) -> int:
        """The number of rows."""
        return int(self.fold.shape[1])

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
        metric = metric_called(engine_metric(self.metric, self.columns))
        return Setting(metric, truth, options=options_of(self.costs, self.classes))

    def rows(self, model: int) -> FoldRows:
        """Return the values of rows of a model by the metric; raises `NoValue` without a score."""
        key = self.metric, model
        if key not in self.made:
            runs = []
            for run in self.runs[model]:
                answers = self._wanted[:, :, run]
                if self._looks_at == "ranking":  # of the positive class, which comes last
                    answers = np.stack([1 - answers, answers], axis=-1)
                runs.append(answers)
            behind = self._behind_classes(model)
            self.made[key] = rows_of_runs(self.setting, self.design, runs, behind)
        rows: FoldRows = self.made[key]
        return rows

    def leading(self, entry: Entry) -> list[Any]:
        """Return the folds, to tests that count rows."""
        if entry.reads == "correctness":
            return [self.fold]
        return []

    def column(self, entry: Entry, model: int) -> Any:
        """Return which rows a model has right, or the values of rows by the metric."""
        if entry.reads == "correctness":
            return self.predicted[..., self.runs[model][0]] == self.truth
        return self.rows(model)

    def missing(self, models: Sequence[int]) -> str:
        """Say which models do not rank the rows or give probabilities, where that is wanted."""
        if self._looks_at == "classes":
            return ""
        if self._wanted is None:
            return _NO_SCORES
        tested = self.fold > 0
        silent = []
        for model in models:
            of_model = self._wanted[:, :, list(self.runs[model])]
            if np.isnan(of_model[tested]).any():
                silent.append(self.models[model])
        return _silence(silent, probabilities=self._looks_at == "probabilities")

    @property
    def _looks_at(self) -> str:
        if not self.metric:
            return "classes"
        return looks_at(engine_metric(self.metric, self.columns))

    @property
    def _wanted(self) -> Any:
        by_kind = {"ranking": self.scores, "probabilities": self.probabilities}
        return by_kind.get(self._looks_at, self.predicted)

    def _behind_classes(self, model: int) -> list[Floats] | None:
        """Return the probabilities behind the classes that each run of a model predicts, if any."""
        if self._looks_at != "classes" or self.probabilities is None:
            return None
        tested = self.fold > 0
        by_run = []
        for run in self.runs[model]:
            probabilities = self.probabilities[:, :, run]
            if not np.isfinite(probabilities[tested]).all():
                return None
            by_run.append(probabilities)
        return by_run


def options_of(costs: Costs | None, classes: Sequence[str]) -> Options:
    """Return what errors cost, and how frequent classes will be, in the order of the classes."""
    if costs is None or not classes:
        return NO_OPTIONS
    places = [costs.names.index(name) for name in classes]
    matrix = np.asarray(costs.matrix, dtype=np.float64)[np.ix_(places, places)]
    priors = None
    if costs.priors is not None:
        priors = np.asarray(costs.priors)[places]
    return Options(cost=matrix, priors=priors)


# --- data sets


@dataclasses.dataclass(frozen=True)
class DatasetScores(Paired):
    """One score per data set and model: the mean over the folds of one plan."""

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    values: Floats
    left_out: tuple[str, ...] = ()

    def missing(self, models: Sequence[int]) -> str:
        """Say how many scores some models lack; empty when they have all."""
        if not len(self.values):
            return "no data set is left that every model has a score on"
        empty = int(np.isnan(self.values[:, list(models)]).any(axis=1).sum())
        if not empty:
            return ""
        return f"scores are missing on {empty} data set(s)"


AnyEvidence = PairedPredictions | CrossedRuns | FoldScores | FoldPredictions | DatasetScores

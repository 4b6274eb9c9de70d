"""From the files of a run, or what these would hold, to the evidence that tests are fed with."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons.analysis import Analysis
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    CrossedRuns,
    DatasetScores,
    Floats,
    FoldPredictions,
    FoldScores,
    PairedPredictions,
    by_metric,
)
from bakeoff.comparisons.score_matrix import (
    HOLES,
    MATRIX,
    UNIT_FREE,
    Hole,
    complete,
    read_score_matrix,
    scores_by_dataset,
)
from bakeoff.comparisons.settings import deterministic
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
from bakeoff.errors import UserError
from bakeoff.files import open_parquet, read_csv, read_json
from bakeoff.scores import METRICS
from bakeoff.spec import PlannedTest
from bakeoff.spec.experiment import run_of
from bakeoff.spec.related import Declared
from bakeoff.spec.resampling import Halves
from bakeoff.stats import Entry, Evidence, catalogue, looks_at

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_AT_ONCE = 4_000_000
"""Numbers that are read at once, before they are put in their place."""

# --- what a test is run on


def evidence_of(
    test: PlannedTest, analysis: Analysis, inputs: Mapping[str, Any]
) -> Iterator[tuple[str, str, AnyEvidence]]:
    """Yield the data set and the metric of each piece of evidence of a test, with the evidence."""
    entry = catalogue()[test.name]
    if test.on_datasets:
        for metric, scores in _over_datasets(test, analysis, inputs):
            yield "", metric, scores
        return
    for dataset, source in inputs.items():
        if entry.evidence.on_rows:
            for rows in held_out(analysis, dataset, source, test.metrics):
                yield dataset, rows.metric, _single_or_crossed(rows, entry, analysis)
        elif entry.evidence is Evidence.FOLD_ROWS:
            folds = read_folds(analysis, dataset, source, test.metrics)
            for metric in test.metrics:
                yield dataset, metric, folds.by(metric)
        else:
            for metric, fold_scores in _scores_of_folds(test, entry, analysis, source):
                yield dataset, metric, fold_scores


def _over_datasets(
    test: PlannedTest, analysis: Analysis, inputs: Mapping[str, Any]
) -> Iterator[tuple[str, DatasetScores]]:
    """Yield the scores of data sets by each metric, with what was done about missing ones."""
    matrix = inputs[MATRIX]
    if not isinstance(matrix, pd.DataFrame):
        matrix = read_score_matrix(matrix, list(analysis.models))
    holes = inputs[HOLES]
    if not isinstance(holes, list):
        holes = [Hole(**hole) for hole in read_json(holes)["missing"]]
    policy = analysis.missing_cells
    if test.allows_missing and policy != "failed":
        policy = "keep"
    pairs = test.posthoc or test
    ranked = bool(analysis.tests.dataset_groups) or pairs.name not in UNIT_FREE
    for metric in test.metrics:
        scores = scores_by_dataset(matrix, test.plan, metric)
        missing = [hole for hole in holes if (hole.plan, hole.metric) == (test.plan, metric)]
        yield metric, complete(analysis, metric, scores, policy, missing, ranked=ranked)


def _single_or_crossed(
    rows: PairedPredictions, entry: Entry, analysis: Analysis
) -> PairedPredictions | CrossedRuns:
    """Return rows of single fits, or to tests of recipes all runs of each model."""
    if entry.evidence is Evidence.RUNS:
        return CrossedRuns.from_rows(rows, deterministic(analysis))
    return rows


def _scores_of_folds(
    test: PlannedTest, entry: Entry, analysis: Analysis, scores: Any
) -> Iterator[tuple[str, FoldScores]]:
    """Yield the scores of folds by each metric, or by all metrics at once."""
    if not isinstance(scores, pd.DataFrame):
        scores = read_scores(scores)
    models = list(analysis.models)
    parts = {metric: fold_scores(scores, models, metric) for metric in test.metrics}
    if entry.reads == "criteria":
        better = [analysis.measures[metric].greater_is_better for metric in parts]
        yield "+".join(parts), FoldScores.join(parts, better)
        return
    plan = analysis.plans.get(test.plan)
    full_repeats = 0
    if isinstance(plan, Halves):
        full_repeats = plan.full_repeats
    for metric, part in parts.items():
        yield metric, dataclasses.replace(part, full_repeats=full_repeats)


# --- rows of test sets


def held_out(
    analysis: Analysis,
    dataset: str,
    source: str | Path | PairedPredictions,
    metrics: Sequence[str],
) -> Iterator[PairedPredictions]:
    """Read what is collected on one test set once, and return it metric by metric."""
    rows = source
    if not isinstance(rows, PairedPredictions):
        models = list(analysis.models)
        rows = read_predictions(rows, models, metrics, by_values=analysis.by_values)
        # A test for groups takes rows without groups for independent: its p-value would be wrong.
        relation = analysis.datasets[dataset].relation
        if relation is not None and rows.n and not rows.related:
            raise _unrelated(source, dataset, relation)
        rows = rows.of_tasks(analysis)
    yield from by_metric(rows, analysis, metrics)


def _unrelated(source: object, dataset: str, relation: Declared) -> UserError:
    return UserError(
        f"{source} does not say which rows of {dataset} belong together, though the data set has "
        f"the {relation.kind} column {relation.column!r}: delete this file and run again"
    )


def read_predictions(
    path: str | Path, models: list[str], metrics: Iterable[str] = (), *, by_values: bool = False
) -> PairedPredictions:
    """Read what metrics want of one test set, each training run as if it was a model."""
    with open_parquet(path) as file:
        names = file.schema_arrow.names
        present = _runs_of(models, names)
        subgroups = _with_prefix(SUBGROUP, names)
        taken_by_name = _with_prefix(TAKEN, names)
        names_to_read = {COLLECTED_ID, COLLECTED_GROUP, COLLECTED_TIME}.union(
            present, subgroups, taken_by_name
        )
        if not by_values:
            names_to_read.add(COLLECTED_TRUTH)
        frame = file.read(columns=[name for name in names if name in names_to_read]).to_pandas()
        facts: dict[str, Any] = {
            "left_out": _without(models, present),
            "ids": frame[COLLECTED_ID].to_numpy(),
            "groups": _column(frame, COLLECTED_GROUP),
            "times": _column(frame, COLLECTED_TIME),
            "subgroups": {part: pd.Categorical(frame[name]) for name, part in subgroups.items()},
            "columns": {column: frame[name].to_numpy() for name, column in taken_by_name.items()},
        }
        if by_values:
            values = frame[present].to_numpy(dtype=np.float64)
            facts["values_by_metric"] = _read_values_by_metric(file, present)
            return PairedPredictions.from_values(present, values, **facts)
        classes, truth, answers = _answers(frame, present)
        facts |= _read_ranking(file, present, classes, _looked_at(metrics))
    predicted = np.empty((len(truth), 0), np.int8)
    if answers:
        predicted = np.column_stack(answers)
    return PairedPredictions(tuple(present), tuple(classes), truth, predicted, **facts)


def _read_values_by_metric(file: pq.ParquetFile, runs: Sequence[str]) -> dict[str, Floats]:
    """Read the numbers of each row by each metric, where there are several."""
    if not runs:
        return {}
    metrics = list(_with_prefix(f"{runs[0]}:", file.schema_arrow.names).values())
    if not metrics:
        return {}
    values = _numbers(file, [[f"{run}:{metric}" for metric in metrics] for run in runs])
    return {metric: values[..., place] for place, metric in enumerate(metrics)}


def _with_prefix(prefix: str, columns: Iterable[str]) -> dict[str, str]:
    """Map the columns of one kind, which begin alike, to their names in the data of people."""
    return {name: name.removeprefix(prefix) for name in columns if name.startswith(prefix)}


def _column(frame: pd.DataFrame, name: str) -> NDArray[Any] | None:
    """Return a column that a file may have or not."""
    if name not in frame:
        return None
    return np.asarray(frame[name].to_numpy())


def _runs_of(models: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return the columns of predictions among some names, those of each model's runs together."""
    # `run_of` takes a name with a colon, which is a column of scores, for no model
    columns_by_model: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: (run_of(name), name)):
        columns_by_model.setdefault(run_of(name)[0], []).append(name)
    columns = []
    for model in models:
        columns += columns_by_model.get(model, [])
    return columns


def _answers(
    frame: pd.DataFrame, runs: Sequence[str]
) -> tuple[list[str], NDArray[Any], list[NDArray[Any]]]:
    """Return the classes, the truth, and what each run predicts: codes of classes, or numbers."""
    if pd.api.types.is_float_dtype(frame[COLLECTED_TRUTH]):
        numbers = [frame[name].to_numpy() for name in runs]
        return [], frame[COLLECTED_TRUTH].to_numpy(), numbers
    # a class that a model predicts and that no row has is −1, and right nowhere
    labels = frame[COLLECTED_TRUTH].astype("category")
    classes = labels.cat.categories.tolist()
    codes = []
    for name in runs:
        column = frame[name].astype("category").cat.set_categories(classes)
        codes.append(column.cat.codes.to_numpy())
    return classes, labels.cat.codes.to_numpy(), codes


def _looked_at(metrics: Iterable[str]) -> set[str]:
    """Return what metrics look at besides predicted classes: rankings, probabilities."""
    kinds = {looks_at(METRICS.get(metric) or metric) for metric in metrics}
    return kinds - {"classes"}


def _looked_at_in_folds(metrics: Sequence[str]) -> set[str]:
    """Return what metrics look at in folds: of classes the probabilities behind them too."""
    wanted = _looked_at(metrics)
    if any(metric in METRICS and METRICS[metric].of_table for metric in metrics):
        wanted.add("probabilities")
    return wanted


def _read_ranking(
    file: pq.ParquetFile, runs: Sequence[str], classes: Sequence[str], wanted: Collection[str]
) -> dict[str, Floats]:
    """Read the scores of the positive class, and the probabilities, as far as they are wanted."""
    if not runs or not classes or not wanted:
        return {}
    # the positive class is the last one: its scores alone rank the rows
    scored = classes[-1:]
    if "probabilities" in wanted:
        scored = classes
    columns = []
    for run in runs:
        columns.append([f"{run}:{name}" for name in scored])
    scores = _numbers(file, columns)
    ranking = {}
    if "ranking" in wanted:
        ranking["scores"] = scores[..., -1]
    if "probabilities" in wanted:
        ranking["probabilities"] = _probabilities(scores)
    return ranking


def _probabilities(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows × runs × classes without the runs whose scores are no probabilities."""
    # those of each tested row are not negative, and sum up to 1
    valid = np.isclose(scores.sum(axis=2), 1, atol=PROBABILITY_SLACK)
    valid &= (scores >= -PROBABILITY_SLACK).all(axis=2)
    valid |= np.isnan(scores).all(axis=2)  # of rows that are not tested
    of_runs = valid.all(axis=0)
    if of_runs.all():
        return scores
    return np.where(of_runs[:, None], scores, np.nan)


def _numbers(file: pq.ParquetFile, columns: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Read rows × models × columns, NaN for columns that are not there."""
    # Each model's lie together in memory, so that what looks at a model copies nothing.
    present = set(file.schema_arrow.names)
    n = file.metadata.num_rows
    values = np.full((len(columns), n, len(columns[0])), np.nan)
    at_once = len(columns)
    if n:
        at_once = max(1, _AT_ONCE // values[0].size)
    for start in range(0, len(columns), at_once):
        part = columns[start : start + at_once]
        table = file.read([name for name in chain.from_iterable(part) if name in present])
        for of_model, names in zip(values[start:], part, strict=False):
            for place, name in enumerate(names):
                if name in present:
                    of_model[:, place] = table[name].to_numpy()
    return values.transpose(1, 0, 2)


def _without(models: Sequence[str], present: Sequence[str]) -> tuple[str, ...]:
    """Say which models have no results; of training runs the models count."""
    with_results = {run_of(name)[0] for name in present}
    return tuple(f"{model} has no results here" for model in models if model not in with_results)


# --- folds


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
    # the sizes of the parts of each fold are the same for all models
    first = rows[rows["model"].isin(present[:1])].sort_values(["repeat", "fold"])
    n_repeats = first["repeat"].nunique()
    n_folds = first["fold"].nunique()
    if len(wide) != n_repeats * n_folds or len(rows) != wide.size:
        raise UserError(f"the scores of {metric} are not complete: rerun snakemake")
    n_train = n_test = None
    if not first[["n_train", "n_test"]].isna().any(axis=None):
        n_train = first["n_train"].to_numpy().reshape(n_repeats, n_folds)
        n_test = first["n_test"].to_numpy().reshape(n_repeats, n_folds)
    undefined = rows[rows["value"].isna()].groupby("model")["undefined"].unique().to_dict()
    reasons = []
    for model in present:
        reasons.append("; ".join(map(str, undefined.get(model, ()))))
    return FoldScores(
        models=tuple(present),
        values=wide[present].to_numpy(dtype=np.float64).reshape(n_repeats, n_folds, len(present)),
        n_train=n_train,
        n_test=n_test,
        reasons=tuple(reasons),
        left_out=_without(models, present),
    )


def read_folds(
    analysis: Analysis,
    dataset: str,
    source: str | Path | FoldPredictions,
    metrics: Iterable[str],
) -> FoldPredictions:
    """Read what is collected of the folds of one data set and plan."""
    if isinstance(source, FoldPredictions):
        return source
    folds = read_fold_predictions(source, list(analysis.models), metrics)
    relation = analysis.datasets[dataset].relation
    if relation is not None and relation.kind == "group" and folds.groups is None:
        raise _unrelated(source, dataset, relation)
    return dataclasses.replace(folds, costs=analysis.datasets[dataset].costs)


class _Placed:
    """Where the lines of collected folds go: a line is one row in one repetition."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.repetition, repetitions = pd.factorize(frame[COLLECTED_REPEAT], sort=True)
        self.row, ids = pd.factorize(frame[COLLECTED_ID], sort=True)
        self.shape = (len(repetitions), len(ids))
        fold = np.full(self.shape, -1, dtype=np.int64)
        fold[self.repetition, self.row] = frame[COLLECTED_FOLD]
        self.used = (fold >= 0).any(axis=0)
        self.fold = fold[:, self.used]

    def by_repetition(self, values: NDArray[Any]) -> NDArray[Any]:
        """Place values of lines by repetition and row."""
        placed = np.zeros(self.shape + values.shape[1:], dtype=values.dtype)
        placed[self.repetition, self.row] = values
        return placed[:, self.used]

    def by_row(self, values: Any) -> NDArray[Any]:
        """Take what is the same in all repetitions from the first line of each row."""
        # of several values for one place numpy keeps the last: backwards that is the first line
        first = np.zeros(self.shape[1], dtype=np.intp)
        first[self.row[::-1]] = np.arange(len(self.row))[::-1]
        return np.asarray(values)[first][self.used]


def read_fold_predictions(
    path: str | Path, models: list[str], metrics: Iterable[str] = ()
) -> FoldPredictions:
    """Read the collected predictions of a plan of folds; rows are paired by their id."""
    metrics = list(metrics)
    with open_parquet(path) as file:
        names = file.schema_arrow.names
        runs = _runs_of(models, names)
        taken_by_name = _with_prefix(TAKEN, names)
        columns = [COLLECTED_ID, COLLECTED_REPEAT, COLLECTED_FOLD, COLLECTED_TRUTH]
        if COLLECTED_GROUP in names:
            columns.append(COLLECTED_GROUP)
        frame = file.read(columns=columns + runs + list(taken_by_name)).to_pandas()
        classes, truth, answers = _answers(frame, runs)
        ranking = _read_ranking(file, runs, classes, _looked_at_in_folds(metrics))
    placed = _Placed(frame)
    places_by_model: dict[str, list[int]] = {}
    for place, name in enumerate(runs):
        places_by_model.setdefault(run_of(name)[0], []).append(place)
    predicted = np.empty((len(frame), 0))
    if answers:
        predicted = np.column_stack(answers)
    groups = None
    if COLLECTED_GROUP in frame:
        groups = placed.by_row(frame[COLLECTED_GROUP])
    by_kind = {kind: placed.by_repetition(values) for kind, values in ranking.items()}
    return FoldPredictions(
        models=tuple(places_by_model),
        classes=tuple(classes),
        fold=placed.fold,
        truth=placed.by_row(truth),
        predicted=placed.by_repetition(predicted),
        runs=tuple(map(tuple, places_by_model.values())),
        groups=groups,
        columns={column: placed.by_row(frame[name]) for name, column in taken_by_name.items()},
        left_out=_without(models, runs),
        scores=by_kind.get("scores"),
        probabilities=by_kind.get("probabilities"),
    )

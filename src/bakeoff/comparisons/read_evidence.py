"""Evidence from the files of a run: rows of test sets, scores and rows of folds, data sets."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons.evidence import (
    AnyEvidence,
    CrossedRuns,
    DatasetScores,
    FoldPredictions,
    FoldScores,
    PairedPredictions,
)
from bakeoff.comparisons.settings import deterministic
from bakeoff.data.table import PROBABILITY_SLACK, SUBGROUP, TAKEN
from bakeoff.errors import UserError, some
from bakeoff.files import open_parquet, read_csv, read_json
from bakeoff.scores import METRICS, metrics_of
from bakeoff.scores.metrics import mixed_units
from bakeoff.spec import Experiment, PlannedTest
from bakeoff.spec.experiment import run_of
from bakeoff.spec.related import declared
from bakeoff.spec.resampling import Halves, Plan
from bakeoff.stats import Evidence, catalogue, looks_at
from bakeoff.stats.datasets.standings import group_means, with_failures_last

if TYPE_CHECKING:
    import pyarrow.parquet as pq

MATRIX, HOLES = "matrix", "holes"
"""What tests over data sets read: their scores, and which are missing."""
GROUP, TIME = ":group", ":time"
"""Columns of collected predictions that relate rows; no model is called so."""
_AT_ONCE = 4_000_000
"""Numbers that are read at once, before they are put in their place."""

# --- what a test is run on


def evidence_of(
    test: PlannedTest, experiment: Experiment, inputs: Mapping[str, Any]
) -> Iterator[tuple[str, str, AnyEvidence]]:
    """Yield the data set and the metric of each piece of evidence of a test, with the evidence."""
    entry, models = catalogue()[test.name], list(experiment.models)
    if test.on_datasets:
        matrix, holes = inputs[MATRIX], inputs[HOLES]
        if not isinstance(matrix, pd.DataFrame):
            types = dict.fromkeys(_KEYS, str)
            matrix = read_csv(matrix, dtype=types, keep_default_na=False, na_values=[""])
        if not isinstance(holes, list):
            holes = [Hole(**hole) for hole in read_json(holes)["missing"]]
        policy = missing_cells(experiment)
        if test.allows_missing and policy != "failed":
            policy = "keep"
        for metric in test.metrics:
            cells = matrix[(matrix["plan"] == test.plan) & (matrix["metric"] == metric)]
            cells = cells.set_index("dataset")[models]
            missing = [hole for hole in holes if (hole.plan, hole.metric) == (test.plan, metric)]
            yield "", metric, complete(experiment, metric, cells, policy, missing)
        return
    of_runs, plan = entry.evidence is Evidence.RUNS, experiment.resampling.plans().get(test.plan)
    fixed = deterministic(experiment) if of_runs else frozenset()
    full = plan.full_repeats if isinstance(plan, Halves) else 0
    for dataset, given in inputs.items():
        if entry.evidence.on_rows:
            for rows in held_out(experiment, dataset, given, test.metrics):
                yield dataset, rows.metric, CrossedRuns.of(rows, fixed) if of_runs else rows
            continue
        if entry.evidence is Evidence.FOLD_ROWS:
            yield dataset, test.metrics[0], read_fold_predictions(given, models)
            continue
        scores = given if isinstance(given, pd.DataFrame) else read_scores(given)
        parts = {metric: fold_scores(scores, models, metric) for metric in test.metrics}
        if entry.reads == "criteria":
            better = [metrics_of(experiment)[metric].greater_is_better for metric in parts]
            yield dataset, "+".join(parts), FoldScores.join(parts, better)
            continue
        for metric, part in parts.items():
            yield dataset, metric, dataclasses.replace(part, full_repeats=full)


# --- rows of test sets


def held_out(
    experiment: Experiment,
    dataset: str,
    given: str | Path | PairedPredictions,
    metrics: Sequence[str],
) -> Iterator[PairedPredictions]:
    """Read what is collected on one test set once, and return it metric by metric."""
    if isinstance(given, PairedPredictions):
        rows = given
    else:
        models = list(experiment.models)
        rows = read_predictions(given, models, metrics, by_values=experiment.by_values)
        # A test for groups takes rows without groups for independent: its p-value would be wrong.
        kin = declared(experiment, dataset)
        if kin is not None and rows.n and not rows.related:
            raise UserError(
                f"{given} does not say which rows of {dataset} belong together, though the data "
                f"set has the {kin.kind} column {kin.column!r}: delete this file and run again"
            )
    yield from by_metric(rows, experiment, metrics)


def by_metric(
    rows: PairedPredictions, experiment: Experiment, metrics: Sequence[str]
) -> Iterator[PairedPredictions]:
    """Return rows metric by metric; numbers per row have the one that describes them."""
    if rows.by_values:
        metric = metrics_of(experiment)[experiment.metrics[0]]
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
        runs = sorted((*run_of(name), name) for name in names)
        # a name with a colon is that of scores
        present = [name for model in models for trained, _, name in runs if trained == model]
        subgroups, taken = (
            [name for name in names if name.startswith(start)] for start in (SUBGROUP, TAKEN)
        )
        related = [name for name in names if name in (GROUP, TIME)]
        read = [*([] if by_values else ["y_true"]), *present, *related, *subgroups, *taken]
        frame = file.read(columns=read).to_pandas()
        more: dict[str, Any] = {
            "left_out": _without(models, present),
            "groups": frame[GROUP].to_numpy() if GROUP in frame else None,
            "times": frame[TIME].to_numpy() if TIME in frame else None,
            "subgroups": {n.removeprefix(SUBGROUP): pd.Categorical(frame[n]) for n in subgroups},
            "columns": {n.removeprefix(TAKEN): frame[n].to_numpy() for n in taken},
        }
        if by_values:
            values = frame[present].to_numpy(dtype=np.float64)
            return PairedPredictions.from_values(present, values, **more)
        classes: list[str] = []
        if pd.api.types.is_float_dtype(frame["y_true"]):
            truth, *columns = (frame[name].to_numpy() for name in ("y_true", *present))
        else:
            labels = frame["y_true"].astype("category")
            classes = labels.cat.categories.tolist()
            labelled = (frame[name].astype("category") for name in present)
            columns = [one.cat.set_categories(classes).cat.codes.to_numpy() for one in labelled]
            truth = labels.cat.codes.to_numpy()
        wanted = {looks_at(METRICS.get(metric) or metric) for metric in metrics} - {"classes"}
        if present and wanted:
            scored = classes if "probabilities" in wanted else classes[-1:]
            given = _numbers(file, [[f"{model}:{name}" for name in scored] for model in present])
            more["scores"] = given[..., -1] if "ranking" in wanted else None
            if "probabilities" in wanted:
                sums, least = given.sum(axis=2), -PROBABILITY_SLACK
                right = np.isclose(sums, 1, atol=PROBABILITY_SLACK) & (given >= least).all(axis=2)
                right = right.all(axis=0)  # else a model's columns are none or no probabilities
                whole = given if right.all() else np.where(right[:, None], given, np.nan)
                more["probabilities"] = whole
    predicted = np.column_stack(columns) if columns else np.empty((len(truth), 0), np.int8)
    return PairedPredictions(tuple(present), tuple(classes), truth, predicted, **more)


def _numbers(file: pq.ParquetFile, columns: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Read rows × models × columns, NaN for columns that are not there."""
    # Each model's lie together in memory, so that what looks at a model copies nothing.
    present, n = set(file.schema_arrow.names), file.metadata.num_rows
    values = np.full((len(columns), n, len(columns[0])), np.nan)
    some = max(1, _AT_ONCE // values[0].size) if n else len(columns)
    for start in range(0, len(columns), some):
        part = columns[start : start + some]
        table = file.read(
            columns=[name for of_model in part for name in of_model if name in present]
        )
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
    first = rows[rows["model"].isin(present[:1])].sort_values(["repeat", "fold"])
    shape = first["repeat"].nunique(), first["fold"].nunique()
    if len(wide) != shape[0] * shape[1] or len(rows) != wide.size:
        raise UserError(f"the scores of {metric} are not complete: rerun snakemake")
    sizes = first[["n_train", "n_test"]]
    sized = not sizes.isna().any(axis=None)
    n_train, n_test = (
        sizes[name].to_numpy().reshape(shape) if sized else None for name in ("n_train", "n_test")
    )
    undefined = rows[rows["value"].isna()].groupby("model")["undefined"].unique().to_dict()
    return FoldScores(
        tuple(present),
        wide[present].to_numpy(dtype=np.float64).reshape(*shape, len(present)),
        n_train,
        n_test,
        tuple("; ".join(map(str, undefined.get(model, ()))) for model in present),
        _without(models, present),
    )


def read_fold_predictions(path: str | Path, models: list[str]) -> FoldPredictions:
    """Read the collected predictions of a plan of folds; rows are paired by their id."""
    with open_parquet(path) as file:
        present = [model for model in models if model in file.schema_arrow.names]
        frame = file.read(columns=["row_id", "repeat", "fold", "y_true", *present]).to_pandas()
    frame = frame.sort_values(["repeat", "row_id"], kind="stable")
    shape = frame["repeat"].nunique(), -1
    labels = frame[["y_true", *present]].astype(str).to_numpy()
    return FoldPredictions(
        tuple(present),
        frame["fold"].to_numpy().reshape(shape),
        (labels[:, 1:] == labels[:, :1]).reshape(*shape, len(present)),
        _without(models, present),
    )


# --- data sets

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
        Hole(
            plan, metric, dataset, model, reason_of.get((plan, metric, dataset, model)) or "no fit"
        )
        for (plan, metric, dataset), gaps in zip(rows, wide.isna().to_numpy(), strict=True)
        for model, gap in zip(models, gaps, strict=True)
        if gap
    ]
    return wide.reset_index(), holes


def missing_cells(experiment: Experiment) -> str:
    """Return the policy for missing cells of the score matrix."""
    default = "drop_dataset" if experiment.on_error == "exclude" else "error"
    return experiment.tests.missing_cells or default


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
    experiment: Experiment,
    metric: str,
    scores: pd.DataFrame,
    policy: str,
    holes: Sequence[Hole] = (),
) -> DatasetScores:
    """Merge groups of data sets, and do with missing cells what the policy says, with notes."""
    sign, models = 1 if metrics_of(experiment)[metric].greater_is_better else -1, scores.columns
    units, notes = experiment.tests.units(scores.index), []
    if policy == "drop_dataset":
        gaps = scores.isna().any(axis=1)
        for name in scores.index[gaps]:
            gone = [str(hole) for hole in holes if hole.dataset == name]
            more = ["..."] if len(gone) > _SHOWN else []
            notes.append(f"data set {name} was left out: {'; '.join(gone[:_SHOWN] + more)}")
        scores = scores[~gaps]
    if mixed_units(experiment, metric):  # of which no mean and no difference is known: of ranks
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

"""Evidence from the files of a run: rows of test sets, scores and rows of folds, data sets."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bakeoff.comparisons.evidence import (
    Codes,
    DatasetScores,
    FoldPredictions,
    FoldScores,
    PairedPredictions,
    engine_metric,
)
from bakeoff.data.table import PROBABILITY_SLACK, SUBGROUP, TAKEN
from bakeoff.errors import UserError
from bakeoff.files import open_parquet, read_csv, read_frame, read_json
from bakeoff.scores import metrics_of
from bakeoff.spec import Experiment
from bakeoff.spec.experiment import run_of
from bakeoff.spec.related import declared
from bakeoff.spec.resampling import Halves, Plan
from bakeoff.stats import looks_at
from bakeoff.stats.datasets.standings import group_means, with_failures_last

GROUP, TIME = ":group", ":time"
"""Columns of collected predictions that relate rows; no model is called so."""
_AT_ONCE = 4_000_000
"""Numbers that are read at once, before they are put in their place."""

# --- rows of test sets


def held_out(
    experiment: Experiment,
    dataset: str,
    given: str | Path | PairedPredictions,
    metrics: Sequence[str],
) -> Iterator[PairedPredictions]:
    """Read what is collected on one test set once, and return it metric by metric."""
    if isinstance(given, PairedPredictions):
        yield from by_metric(given, experiment, metrics)
        return
    wanted = {looks_at(engine_metric(metric)) for metric in metrics}
    rows = read_predictions(
        given,
        list(experiment.models),
        by_values=experiment.by_values,
        scores="ranking" in wanted,
        probabilities="probabilities" in wanted,
    )
    check_related(experiment, dataset, rows, given)
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


def check_related(
    experiment: Experiment, dataset: str, rows: PairedPredictions, path: str | Path
) -> None:
    """Stop where a data set has groups or times and its predictions have none."""
    # A test for groups takes rows without groups for independent: its p-value would be wrong.
    kin = declared(experiment, dataset)
    if kin is not None and rows.n and not rows.related:
        raise UserError(
            f"{path} does not say which rows of {dataset} belong together, though the data set "
            f"has the {kin.kind} column {kin.column!r}: delete this file and run again"
        )


def read_predictions(
    path: str | Path,
    models: list[str],
    *,
    by_values: bool = False,
    scores: bool = False,
    probabilities: bool = False,
) -> PairedPredictions:
    """Read what is collected on one test set, each training run as if it was a model."""
    with open_parquet(path) as file:
        names, numbers = file.schema_arrow.names, False
        present = _present(models, names)
        if not by_values:
            numbers = pa.types.is_floating(file.schema_arrow.field("y_true").type)
            table = file.read(columns=["y_true", *present])
    beside = [n for n in names if n in (GROUP, TIME) or n.startswith((SUBGROUP, TAKEN))]
    frame = read_frame(path, beside) if beside else pd.DataFrame()
    more: dict[str, Any] = {
        "left_out": _without(models, present),
        "groups": frame[GROUP].to_numpy() if GROUP in frame else None,
        "times": frame[TIME].to_numpy() if TIME in frame else None,
        "subgroups": {
            n.removeprefix(SUBGROUP): pd.Categorical(frame[n])
            for n in beside
            if n.startswith(SUBGROUP)
        },
        "columns": {
            n.removeprefix(TAKEN): frame[n].to_numpy() for n in beside if n.startswith(TAKEN)
        },
    }
    if by_values:
        values = read_frame(path, present).to_numpy(dtype=np.float64)
        return PairedPredictions.from_values(present, values, **more)
    classes: list[str] = []
    if numbers:
        truth: NDArray[Any] = table["y_true"].to_numpy()
        columns = [table[name].to_numpy() for name in present]
    else:
        classes, truth = _coded(table["y_true"])
        columns = [_among(classes, *_coded(table[name])) for name in present]
    if present and (scores or probabilities):
        wanted = classes if probabilities else classes[-1:]
        given = _numbers(path, [[f"{model}:{name}" for name in wanted] for model in present])
        more["scores"] = given[..., -1] if scores else None
        more["probabilities"] = _probabilities(given) if probabilities else None
    predicted = np.column_stack(columns) if columns else np.empty((len(truth), 0), np.int8)
    return PairedPredictions(tuple(present), tuple(classes), truth, predicted, **more)


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
    runs = [one for one in named if one[2] in models or (one[1] > 1 and ":" not in one[0])]
    return [name for model in models for own, _, name in sorted(runs) if own == model]


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
            table = file.read(columns=[name for own in part for name in own if name in known])
            for own, names in zip(values[start:], part, strict=False):
                for place, name in enumerate(names):
                    own[:, place] = table[name].to_numpy() if name in known else np.nan
    return values.transpose(1, 0, 2)


def _without(models: Sequence[str], present: Sequence[str]) -> tuple[str, ...]:
    """Say which models have no results; of training runs the models count."""
    there = {run_of(name)[0] for name in present}
    return tuple(f"{model} has no results here" for model in models if model not in there)


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


def read_fold_predictions(path: str | Path, models: list[str]) -> FoldPredictions:
    """Read the collected predictions of a plan of folds; rows are paired by their id."""
    with open_parquet(path) as file:
        present = [model for model in models if model in file.schema_arrow.names]
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
    known = reasons.set_index([*_KEYS, "model"])["undefined"].to_dict()
    holes = [
        Hole(plan, metric, dataset, model, known.get((plan, metric, dataset, model)) or "no fit")
        for (plan, metric, dataset), gaps in zip(rows, wide.isna().to_numpy(), strict=True)
        for model, gap in zip(models, gaps, strict=True)
        if gap
    ]
    return wide.reset_index(), holes


def read_matrix(path: str | Path) -> pd.DataFrame:
    """Read a score matrix."""
    types = dict.fromkeys(_KEYS, str)
    return read_csv(path, dtype=types, keep_default_na=False, na_values=[""])


def cut_matrix(
    table: pd.DataFrame, plan: str, metric: str, models: Sequence[str]
) -> tuple[list[str], NDArray[np.float64]]:
    """Return the data sets and their scores by one plan and metric."""
    own = table[(table["plan"] == plan) & (table["metric"] == metric)]
    return own["dataset"].tolist(), own[list(models)].to_numpy(dtype=np.float64)


def read_holes(path: str | Path) -> list[Hole]:
    """Read which cells are missing."""
    return [Hole(**hole) for hole in read_json(path)["missing"]]


def missing_cells(experiment: Experiment) -> str:
    """Return the policy for missing cells of the score matrix."""
    default = "drop_dataset" if experiment.on_error == "exclude" else "error"
    return experiment.tests.missing_cells or default


def check_holes(holes: Iterable[Hole], used: set[tuple[str, str]], policy: str) -> None:
    """Stop at missing cells that a test needs, where that is the policy."""
    missing = [hole for hole in holes if (hole.plan, hole.metric) in used]
    if policy != "error" or not missing:
        return
    shown = "; ".join(map(str, missing[:_SHOWN]))
    more = f"; and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    raise UserError(
        f"the tests over data sets need a score of every model on every data set: {shown}{more}. "
        "Set `tests: {missing_cells: …}`: `failed` ranks scores last that are missing because a "
        "model failed, `drop_dataset` leaves out data sets that are not complete"
    )


def complete(
    models: Sequence[str],
    datasets: Sequence[str],
    values: NDArray[np.float64],
    holes: Sequence[Hole],
    policy: str,
    groups: Mapping[str, Sequence[str]] = MappingProxyType({}),
    *,
    greater_is_better: bool = True,
    mixed: bool = False,
) -> DatasetScores:
    """Merge groups of data sets, and do with missing cells what the policy says, with notes."""
    gaps, notes = np.isnan(values), []
    if policy == "drop_dataset":
        kept = np.asarray(~gaps.any(axis=1))
        for name in _names(datasets, ~kept):
            own = [hole for hole in holes if hole.dataset == name]
            shown = "; ".join(map(str, own[:_SHOWN])) + ("; ..." if len(own) > _SHOWN else "")
            notes.append(f"data set {name} was left out: {shown}")
        values, datasets = values[kept], _names(datasets, kept)
    if mixed and len(datasets):  # of which no mean and no difference is known: those of ranks
        size = np.nanmax(np.abs(values), axis=1, keepdims=True, initial=1e-300)
        near = np.round(values / size, _DIGITS) * (1 if greater_is_better else -1)
        values = pd.DataFrame(near).rank(axis=1).to_numpy() * (1 if greater_is_better else -1)
    if groups and len(datasets):
        there = {name: [one for one in own if one in datasets] for name, own in groups.items()}
        there = {name: own for name, own in there.items() if own}
        codes = [i for i, own in enumerate(there.values()) for _ in own]
        order = [datasets.index(one) for own in there.values() for one in own]
        values, datasets = group_means(values[order], np.array(codes, dtype=int)), list(there)
    gaps = np.isnan(values)
    if policy == "failed" and gaps.any():
        return _failed_last(models, datasets, values, 1 if greater_is_better else -1)
    return DatasetScores(tuple(models), tuple(datasets), values, tuple(notes))


def _failed_last(
    models: Sequence[str], datasets: Sequence[str], values: NDArray[np.float64], sign: int
) -> DatasetScores:
    """Rank missing cells last, and say so; greater is better by `sign`."""
    there = ~np.isnan(values)
    kept = there.any(axis=1)
    without = [name for name, own in zip(models, there.T, strict=True) if not own.any()]
    if without:
        raise UserError(f"{', '.join(without)}: no data set has a score of it; leave it out")
    missing, left = int((~there[kept]).sum()), int((~kept).sum())
    score = "score was" if missing == 1 else "scores were"
    notes = [f"{missing} missing {score} ranked last, as failures"] if missing else []
    if left:
        what = "data set" if left == 1 else "data sets"
        were = "was" if left == 1 else "were"
        notes.append(f"{left} {what} without scores of any model {were} left out")
    filled = sign * with_failures_last(sign * values[kept])
    return DatasetScores(tuple(models), tuple(_names(datasets, kept)), filled, tuple(notes))


def _names(names: Sequence[str], chosen: Any) -> list[str]:
    return [name for name, one in zip(names, chosen, strict=True) if one]

"""The matrix of one score per data set and model, and the policy for missing cells."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons.evidence import DatasetScores
from bakeoff.errors import Place, Problem, UserError, listed, unknown
from bakeoff.files import read_csv, read_json
from bakeoff.scores.metrics import mixed_units
from bakeoff.spec import Experiment, PlannedTest
from bakeoff.spec.resampling import Halves, Plan
from bakeoff.stats import Entry, Evidence
from bakeoff.stats.datasets.standings import group_means, with_failures_last

_KEYS = ["plan", "metric", "dataset"]
_SHOWN = 3
_DIGITS = 10
"""Digits in which scores must differ to be no ties."""
ON_RANKS = (
    "conover_friedman",
    "friedman",
    "friedman_posthoc",
    "iman_davenport",
    "nemenyi",
)
"""Tests that look at nothing but the order of the models on each data set."""


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


def read_matrix(
    path: str | Path, plan: str, metric: str, models: Sequence[str]
) -> tuple[list[str], NDArray[np.float64]]:
    """Read the data sets and their scores by one plan and metric."""
    table = read_csv(
        path,
        dtype=dict.fromkeys(_KEYS, str),
        keep_default_na=False,
        na_values=[""],
    )
    return cut_matrix(table, plan, metric, models)


def cut_matrix(
    table: pd.DataFrame, plan: str, metric: str, models: Sequence[str]
) -> tuple[list[str], NDArray[np.float64]]:
    """Return the data sets and their scores by one plan and metric."""
    own = table[(table["plan"] == plan) & (table["metric"] == metric)]
    return own["dataset"].tolist(), own[list(models)].to_numpy(dtype=np.float64)


def read_holes(path: str | Path) -> list[Hole]:
    """Read which cells are missing."""
    return [Hole(**hole) for hole in read_json(path)["missing"]]


def by_ranks(experiment: Experiment, metrics: Iterable[str]) -> str:
    """Say why scores of data sets can be ranked on each alone; empty where their size compares."""
    mixed = [name for name in metrics if mixed_units(experiment, name)]
    if mixed:
        return (
            f"{listed(mixed)} has other units on other data sets, so that differences on them do "
            "not compare"
        )
    if experiment.tests.missing_cells == "failed":
        return "`missing_cells: failed` ranks a failure last and gives it none"
    return ""


def check_cells(
    test: PlannedTest, entry: Entry, experiment: Experiment, place: Place, metrics: Sequence[str]
) -> None:
    """Refuse tests over data sets that look at the size of scores where only ranks compare."""
    if entry.evidence is not Evidence.DATASETS:
        return
    why = by_ranks(experiment, metrics)
    if why and (entry.name not in ON_RANKS or "decimals" in test.options):
        instead = f"use {listed(ON_RANKS, 'or')}, without `decimals`"
        if len(experiment.models) == 2:
            failed = "write `missing_cells: drop_dataset`"
            mixed = any(mixed_units(experiment, name) for name in metrics)
            instead = f"for two models {'go by their win rate' if mixed else failed}"
        raise Problem(place, f"{entry.name} looks at the size of scores, and {why}; {instead}")


def missing_cells(experiment: Experiment) -> str:
    """Return the policy for missing cells of the score matrix."""
    default = "drop_model" if experiment.on_error == "exclude" else "error"
    return experiment.tests.missing_cells or default


def wrong_groups(experiment: Experiment) -> Iterator[Problem]:
    """Refuse groups of data sets that are not there, or are in two groups."""
    seen: dict[str, str] = {}
    for name, members in experiment.tests.dataset_groups.items():
        place: Place = ("tests", "dataset_groups", name)
        if name in experiment.datasets and name not in members:
            yield Problem(
                place, f"{name} is a data set that is not in this group: rename the group"
            )
        for i, one in enumerate(members):
            if one not in experiment.datasets:
                yield Problem((*place, i), unknown("data set", one, experiment.datasets))
            elif one in seen:
                yield Problem((*place, i), f"{one} is in the group {seen[one]} already")
            seen[one] = name


def check_holes(holes: Iterable[Hole], used: set[tuple[str, str]], policy: str) -> None:
    """Stop at missing cells that a test needs, where that is the policy."""
    found = [hole for hole in holes if (hole.plan, hole.metric) in used]
    if policy != "error" or not found:
        return
    shown = "; ".join(map(str, found[:_SHOWN]))
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise UserError(
        f"the tests over data sets need a score of every model on every data set: {shown}{more}. "
        "Set `tests: {missing_cells: …}`: `failed` ranks scores last that are missing because a "
        "model failed, `drop_dataset` and `drop_model` leave out what is not complete"
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
        notes = [_note("data set", name, holes, "dataset") for name in _names(datasets, ~kept)]
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
    columns: NDArray[np.bool_] = np.full(len(models), True)
    if policy == "drop_model":
        columns = np.asarray(~gaps.any(axis=0))
    notes += [_note("model", name, holes, "model") for name in _names(models, ~columns)]
    return DatasetScores(
        tuple(_names(models, columns)), tuple(datasets), values[:, columns], tuple(notes)
    )


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


def _note(what: str, name: str, holes: Sequence[Hole], key: str) -> str:
    own = [hole for hole in holes if getattr(hole, key) == name]
    shown = "; ".join(map(str, own[:_SHOWN])) + ("; ..." if len(own) > _SHOWN else "")
    return f"{what} {name} was left out: {shown}"

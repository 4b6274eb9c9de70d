"""One score per data set and model, what is missing among them, and what becomes of that."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.comparisons.analysis import Analysis
from bakeoff.comparisons.evidence import DatasetScores, Floats
from bakeoff.errors import UserError, some
from bakeoff.files import read_csv
from bakeoff.spec.resampling import Halves, Plan
from bakeoff.stats.datasets.standings import group_means, with_failures_last

UNIT_FREE = ("sign_test", "wilcoxon_log_ratios")
"""Tests over data sets of scores in any unit: wins, and ratios of errors, are the same in each."""
MATRIX = "matrix"
"""What tests over data sets read: their scores."""
HOLES = "holes"
"""Which scores are missing, and why."""
_KEYS = ["plan", "metric", "dataset"]
_CELL = ["plan", "metric", "dataset", "model"]
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
    halves = plans.get("halves")
    if isinstance(halves, Halves):
        # cross-validations of all rows train on more rows than halves do
        fits["halves"] -= halves.full_repeats * halves.folds
        full = (scores["plan"] == "halves") & (scores["repeat"] > 2 * halves.repeats)
        scores = scores[~full]
    # a mean over some of the folds would be of other rows than that of the other models
    groups = scores.groupby(_CELL, sort=False)["value"]
    count = groups.count()
    whole = count == count.index.get_level_values("plan").map(fits)
    means = groups.mean().where(whole)
    rows = list(product(plans, metrics, datasets))
    index = pd.MultiIndex.from_tuples(rows, names=_KEYS)
    wide = means.unstack("model").reindex(index=index, columns=list(models))
    undefined = scores[scores["value"].isna()].drop_duplicates(_CELL)
    reason_of = undefined.set_index(_CELL)["undefined"].to_dict()
    holes = []
    for (plan, metric, dataset), gaps in zip(rows, wide.isna().to_numpy(), strict=True):
        for model, gap in zip(models, gaps, strict=True):
            if gap:
                reason = reason_of.get((plan, metric, dataset, model)) or "no fit"
                holes.append(Hole(plan, metric, dataset, model, reason))
    # the first three columns are the keys, whatever the models are called
    return wide.reset_index(allow_duplicates=True), holes


def read_score_matrix(path: str | Path, models: Sequence[str]) -> pd.DataFrame:
    """Read a score matrix as `score_matrix` made it."""
    names = _KEYS + list(models)
    head = read_csv(path, header=None, nrows=1, dtype=str, keep_default_na=False)
    if head.iloc[0].tolist() != names:
        raise UserError(f"{path} is about other models: delete it and run again")
    keys = [f":{key}" for key in _KEYS]  # no model is called so
    matrix = read_csv(
        path,
        header=None,
        skiprows=1,
        names=keys + list(models),
        dtype=dict.fromkeys(keys, str),
        keep_default_na=False,
        na_values=[""],
    )
    return matrix.set_axis(names, axis="columns")


def scores_by_dataset(matrix: pd.DataFrame, plan: str, metric: str) -> pd.DataFrame:
    """Return the scores in a score matrix by one plan and metric: data sets × models."""
    keys = matrix.iloc[:, : len(_KEYS)]
    scores = matrix.iloc[:, len(_KEYS) :]
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


# --- what a test over data sets gets


def complete(
    analysis: Analysis,
    metric: str,
    scores: pd.DataFrame,
    policy: str,
    holes: Sequence[Hole] = (),
    *,
    ranked: bool = True,
) -> DatasetScores:
    """Merge groups of data sets, and do with missing cells what the policy says, with notes.

    Scores in mixed units become ranks, unless they are not to be `ranked`.
    """
    models = scores.columns
    # with this sign greater is better: so scores are ranked, and failures put below them
    sign = 1
    if not analysis.measures[metric].greater_is_better:
        sign = -1
    units = analysis.tests.units(scores.index)
    notes: list[str] = []
    if policy == "drop_dataset":
        notes += _notes_on_gaps(scores, holes)
        scores = scores.dropna()
    if ranked and metric in analysis.mixed_units:
        scores = _ranked(scores, sign)
    values, names = _means_of_units(scores, units)
    if policy == "failed" and np.isnan(values).any():
        never = []
        for model, scores_of_model in zip(models, values.T, strict=True):
            if np.isnan(scores_of_model).all():
                never.append(model)
        if never:
            raise UserError(f"{', '.join(never)}: no data set has a score of it; leave it out")
        # where no model has a score there is nothing to rank
        is_kept = ~np.isnan(values).all(axis=1)
        notes += _notes_on_failures(values, is_kept)
        values = sign * with_failures_last(sign * values[is_kept])
        names = names[is_kept]
    return DatasetScores(tuple(models), tuple(names), values, tuple(notes))


def _notes_on_gaps(scores: pd.DataFrame, holes: Sequence[Hole]) -> list[str]:
    """Say which data sets are left out, and why."""
    notes = []
    for name in scores.index[scores.isna().any(axis=1)]:
        reasons = [str(hole) for hole in holes if hole.dataset == name]
        if len(reasons) > _SHOWN:
            reasons[_SHOWN:] = ["..."]
        notes.append(f"data set {name} was left out: {'; '.join(reasons)}")
    return notes


def _ranked(scores: pd.DataFrame, sign: int) -> pd.DataFrame:
    """Rank scores in other units on each data set: no mean and no difference of them is known."""
    # Scores are rounded by the largest of their row, so that ranks do not hang on the last digits
    # of floating point.
    size = np.nanmax(np.abs(scores.to_numpy()), axis=1, keepdims=True, initial=1e-300)
    return (scores.div(size).round(_DIGITS) * sign).rank(axis=1) * sign


def _means_of_units(scores: pd.DataFrame, units: Mapping[str, Sequence[str]]) -> tuple[Floats, Any]:
    """Return the mean score of each data set, or group of them, and what they are called."""
    unit_of_rows = []
    datasets = []
    for unit, members in units.items():
        for dataset in members:
            if dataset in scores.index:
                unit_of_rows.append(unit)
                datasets.append(dataset)
    codes, names = pd.factorize(np.array(unit_of_rows, dtype=object))
    values = scores.loc[datasets].to_numpy(dtype=np.float64)
    if len(names) < len(values):
        values = group_means(values, codes)
    return values, names


def _notes_on_failures(values: Floats, is_kept: Any) -> list[str]:
    """Say how many scores are ranked last, and how many data sets have none at all."""
    notes = []
    missing = int(np.isnan(values[is_kept]).sum())
    if missing:
        score = "scores were"
        if missing == 1:
            score = "score was"
        notes.append(f"{missing} missing {score} ranked last, as failures")
    empty = int((~is_kept).sum())
    if empty == 1:
        notes.append("1 data set without scores of any model was left out")
    elif empty:
        notes.append(f"{empty} data sets without scores of any model were left out")
    return notes

"""The matrix of one score per data set and model, and the policy for missing cells."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons.evidence import DatasetScores
from bakeoff.errors import UserError
from bakeoff.files import read_csv, read_json
from bakeoff.spec.resampling import Halves, Plan

_KEYS = ["plan", "metric", "dataset"]
_SHOWN = 3


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
    """Average the scores over the folds of each plan.

    Parameters
    ----------
    scores : DataFrame
        All collected scores.
    datasets, models, metrics : sequence of str
        In the experiment's order.
    plans : Mapping of str to Plan
        Which folds a complete set of scores has; of `halves` those inside the halves count.

    Returns
    -------
    matrix : DataFrame
        plan, metric, dataset, and one column per model; NaN where the model has no score on a
        fold.
    holes : list of Hole
        The missing cells and why they are.
    """
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
    own = table[(table["plan"] == plan) & (table["metric"] == metric)]
    return own["dataset"].tolist(), own[list(models)].to_numpy(dtype=np.float64)


def read_holes(path: str | Path) -> list[Hole]:
    """Read which cells are missing."""
    return [Hole(**hole) for hole in read_json(path)["missing"]]


def check_holes(holes: Iterable[Hole], used: set[tuple[str, str]], policy: str) -> None:
    """Stop at missing cells that a test needs, where that is the policy.

    Raises
    ------
    UserError
        Naming the first cells, and what can be done.
    """
    found = [hole for hole in holes if (hole.plan, hole.metric) in used]
    if policy != "error" or not found:
        return
    shown = "; ".join(map(str, found[:_SHOWN]))
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise UserError(
        f"the tests over data sets need a score of every model on every data set: {shown}{more}. "
        "Set `tests: {missing_cells: drop_dataset}` or `drop_model` to leave out what is not "
        "complete (the results will say so), or give these tests other `metrics` in "
        "`tests: options:`"
    )


def complete(
    models: Sequence[str],
    datasets: Sequence[str],
    values: NDArray[np.float64],
    holes: Sequence[Hole],
    policy: str,
) -> DatasetScores:
    """Leave out data sets or models with missing cells, with a note for each.

    Parameters
    ----------
    models, datasets : sequence of str
        Columns and rows of the scores.
    values : ndarray, shape (N, k)
        One plan and metric.
    holes : sequence of Hole
        Their missing cells.
    policy : {"drop_dataset", "drop_model", "keep"}
        What to leave out; ``keep`` is for tests that can do with missing cells.
    """
    gaps = np.isnan(values)
    rows: NDArray[np.bool_] = np.full(len(datasets), True)
    columns: NDArray[np.bool_] = np.full(len(models), True)
    if policy == "drop_dataset":
        rows = np.asarray(~gaps.any(axis=1))
    elif policy == "drop_model":
        columns = np.asarray(~gaps.any(axis=0))
    notes = [_note("data set", name, holes, "dataset") for name in _names(datasets, ~rows)]
    notes += [_note("model", name, holes, "model") for name in _names(models, ~columns)]
    return DatasetScores(
        tuple(_names(models, columns)),
        tuple(_names(datasets, rows)),
        values[np.ix_(rows, columns)],
        tuple(notes),
    )


def _names(names: Sequence[str], chosen: Any) -> list[str]:
    return [name for name, one in zip(names, chosen, strict=True) if one]


def _note(what: str, name: str, holes: Sequence[Hole], key: str) -> str:
    own = [hole for hole in holes if getattr(hole, key) == name]
    shown = "; ".join(map(str, own[:_SHOWN])) + ("; ..." if len(own) > _SHOWN else "")
    return f"{what} {name} was left out: {shown}"

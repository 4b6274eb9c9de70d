"""Divisions read from files of predictions: the repeat and fold that test each row."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bakeoff.data.columns import canonical_ids
from bakeoff.data.divide import Folds
from bakeoff.data.given_folds import NEITHER
from bakeoff.data.prediction_table import PredictionTable
from bakeoff.data.table import ROW_ID, Table
from bakeoff.errors import Place, Problem, some
from bakeoff.spec.resampling import Halves, Holdout, Plan, Resampled


def given_splits(file: PredictionTable, table: Table, name: str, plan: Plan) -> pd.DataFrame:
    """Take the divisions of a plan from a model's predictions."""
    ids = table.frame[ROW_ID]
    if isinstance(plan, Holdout):
        return pd.DataFrame({ROW_ID: ids, "repeat-1": np.ones(len(ids), np.int16)})
    assert file.folds is not None
    at = (*file.columns.place[:-1], "columns")
    _check_counts(file, name, plan, at)
    position = pd.Index(canonical_ids(ids)).get_indexer(pd.Index(file.ids))
    made: dict[str, Folds] = {}
    for repeat in range(1, plan.rounds + 1):
        tested = (file.folds[:, 0] == repeat) & (position >= 0)
        again = pd.Series(file.ids[tested]).duplicated().to_numpy()
        if again.any():
            raise Problem(
                at,
                f"{file.path!r}: {again.sum():,} of its rows are tested in two folds of repeat "
                f"{repeat}: {some(file.ids[tested][again])}",
            )
        assigned = np.full(len(ids), 0 if plan.folds == 1 else NEITHER, dtype=np.int16)
        assigned[position[tested]] = file.folds[tested, 1]
        made[f"repeat-{repeat}"] = assigned
    if not isinstance(plan, Resampled):
        _check_whole(file, plan, {r: made[f"repeat-{r}"] for r in range(1, plan.rounds + 1)}, at)
    return pd.DataFrame({ROW_ID: ids, **made})


def _check_counts(file: PredictionTable, name: str, plan: Plan, at: Place) -> None:
    """Refuse another number of repeats, or of folds in one of them, than the plan has."""
    assert file.folds is not None
    pairs = np.unique(file.folds, axis=0)
    per_repeat = np.bincount(pairs[:, 0])[1:]
    if len(per_repeat) != plan.rounds or (per_repeat != plan.folds).any():
        odd = next((k for k in per_repeat.tolist() if k != plan.folds), plan.folds)
        raise Problem(
            at,
            f"{file.path!r} has {len(per_repeat)} repeat(s) of {odd} fold(s), {name} has "
            f"{plan.rounds} of {plan.folds}",
        )


def _check_whole(file: PredictionTable, plan: Plan, made: dict[int, Folds], at: Place) -> None:
    """Refuse a cross-validation that does not test all rows, and halves that are not halves."""
    halvings = plan.repeats if isinstance(plan, Halves) else 0
    for m in range(halvings):
        first, second = (made[2 * m + i] != NEITHER for i in (1, 2))
        wrong = np.flatnonzero(first == second)
        if len(wrong):
            raise Problem(
                at,
                f"{file.path!r}: repeats {2 * m + 1} and {2 * m + 2} must share no row and hold "
                f"all, as two halves; {len(wrong):,} rows are in both or in neither",
            )
    for repeat in range(2 * halvings + 1, plan.rounds + 1):
        out = int((made[repeat] == NEITHER).sum())
        if out:
            raise Problem(
                at,
                f"{file.path!r}: {out:,} of {len(made[repeat]):,} rows are tested in no fold of "
                f"repeat {repeat}",
            )

"""Divisions that come with the data: a column or a file of test rows, or columns of folds."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bakeoff.data import columns
from bakeoff.data.divide import Folds, Rows
from bakeoff.data.table import FOLDS, HOLDOUT, PART, ROW_ID, Table
from bakeoff.errors import Place, Problem, UserError
from bakeoff.keys import name_of
from bakeoff.spec.resampling import Holdout, KFold, Plan

NEITHER = -1
_AT: Place = ("resampling", "kfold", "column")


def is_given(table: Table, plan: Plan) -> bool:
    """Tell whether the data say how a plan divides them."""
    if isinstance(plan, Holdout):
        return plan.column is not None or PART in table.frame
    return isinstance(plan, KFold) and plan.column is not None


def at_disposal(table: Table) -> Rows:
    """Return the rows that may be divided: a separate test file is used by `holdout` alone."""
    if PART not in table.frame:
        return np.arange(len(table.frame))
    return np.flatnonzero(table.frame[PART] == "train")


def given(dataset: str, table: Table, plan: Plan) -> dict[str, Folds]:
    """Return the divisions that the data specify."""
    if isinstance(plan, Holdout):
        return {"repeat-1": _holdout(table, plan)}
    assert isinstance(plan, KFold)
    found: dict[str, Folds] = {}
    for repeat, column in enumerate(plan.columns, start=1):
        made = _folds(dataset, table, plan, repeat)
        for before, other in zip(plan.columns, found.values(), strict=False):
            pairs = set(zip(made.tolist(), other.tolist(), strict=True))
            if len(pairs) == len(np.unique(made)):
                raise Problem(
                    _AT,
                    f"{before!r} and {column!r} divide {dataset} in the same way, which would "
                    "count twice: leave out one of both",
                )
        found[f"repeat-{repeat}"] = made
    return found


def _holdout(table: Table, plan: Holdout) -> Folds:
    """Divide as a column of the data, or its two files, say."""
    if plan.column is None:
        return np.where(table.frame[PART] == "test", 1, 0).astype(np.int16)
    values = table.frame[HOLDOUT]
    assigned = np.full(len(values), NEITHER, dtype=np.int16)
    for key, wanted, number in (("train", plan.train, 0), ("test", plan.test, 1)):
        assert wanted is not None
        try:
            columns.check_values(wanted, values.dropna().unique(), f"value in {plan.column!r}:")
        except UserError as error:
            raise Problem(("resampling", "holdout", key), str(error)) from None
        assigned[values.isin([name_of(value) for value in wanted])] = number
    return assigned


def _folds(dataset: str, table: Table, plan: KFold, repeat: int) -> Folds:
    """Return the folds of a column, numbered in the order of its values."""
    column, rows = plan.columns[repeat - 1], at_disposal(table)
    values = table.frame[f"{FOLDS}{repeat}"].iloc[rows]
    missing = np.flatnonzero(values.isna())
    if len(missing):
        first = table.frame[ROW_ID].iloc[rows[missing[0]]]
        raise Problem(
            _AT,
            f"{len(missing)} of {len(rows)} rows of {dataset} have no value in {column!r} (first "
            f"in row {first}): leave them out with `filter: [{{column: {column}, missing: drop}}]`",
        )
    names = columns.in_order(values.unique().tolist())
    if len(names) == 1:
        raise Problem(
            _AT,
            f"{column!r} of {dataset} holds a single value, {names[0]!r}: one fold is no division",
        )
    if len(names) != plan.folds:
        raise Problem(
            ("resampling", "kfold", "folds"),
            f"{column!r} of {dataset} holds {len(names)} different values, `folds` is "
            f"{plan.folds}: set `folds: {len(names)}`",
        )
    assigned = np.full(len(table.frame), NEITHER, dtype=np.int16)
    assigned[rows] = pd.Categorical(values, categories=names).codes + 1
    for code, label in enumerate(table.classes):
        folds = np.unique(assigned[rows][table.codes[rows] == code])
        if len(folds) == 1:
            raise Problem(
                _AT,
                f"class {label!r} of {dataset} occurs only in fold {names[folds[0] - 1]!r} of "
                f"{column!r}, so that a model that is tested there was not trained on it: leave "
                "the class out, merge it with another, or mend the folds",
            )
    return assigned


def check_small_folds(dataset: str, table: Table, plan: KFold, metric: str) -> None:
    """Refuse given folds with fewer than two rows of a class; of numbers, than two rows in all."""
    kinds = table.classes or ("",)
    for repeat, column in enumerate(plan.columns, start=1):
        made = _folds(dataset, table, plan, repeat)
        rows = np.flatnonzero(made != NEITHER)
        counts = np.zeros((plan.folds, len(kinds)), dtype=int)
        np.add.at(counts, (made[rows] - 1, table.codes[rows]), 1)
        fold, code = np.unravel_index(counts.argmin(), counts.shape)
        if counts[fold, code] < 2:
            first = rows[made[rows] == fold + 1][0]
            each = " of each class" if table.classes else ""
            this = f" of class {kinds[code]!r}" if table.classes else ""
            raise Problem(
                _AT,
                f"{metric} needs two rows{each} in every fold: fold "
                f"{table.frame[f'{FOLDS}{repeat}'].iloc[first]!r} of {column!r} has "
                f"{counts[fold, code]}{this} of {dataset}",
            )

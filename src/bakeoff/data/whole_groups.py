"""Divisions of whole groups: never on both sides, never one division twice, folds alike in size."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bakeoff.data.divide import Rows
from bakeoff.data.table import GROUP, Table
from bakeoff.errors import Problem
from bakeoff.spec.resampling import Plan

ALIKE = 2.0
"""How many times as large as another a fold may be."""


def check_apart(at: tuple[str, ...], table: Table, where: str, train: Rows, test: Rows) -> None:
    """Refuse a division with a group on both sides."""
    groups = table.frame[GROUP].to_numpy()
    both = sorted(set(groups[train]) & set(groups[test]))
    if both:
        raise Problem(
            (*at, "groups"),
            f"{where}: {len(both)} group(s) are in both parts, first {both[0]!r}",
        )


def check_different(at: tuple[str, ...], name: str, plan: Plan, splits: pd.DataFrame) -> None:
    """Refuse to count one division twice: groups may be too few for different ones."""
    seen: dict[bytes, int] = {}
    for repeat in range(1, plan.rounds + 1):
        values = splits[f"repeat-{repeat}"].to_numpy()
        # the same folds under other numbers are the same division
        made = pd.factorize(values)[0] if plan.folds > 1 else values
        first = seen.setdefault(made.tobytes(), repeat)
        if first != repeat:
            raise Problem(
                (*at, "groups"),
                f"the groups are too few or too uneven for {name}: its repeats {first} and "
                f"{repeat} are the same division, which would count twice; use `holdout`, or "
                "`kfold` without repeats",
            )


def check_alike(
    at: tuple[str, ...], table: Table, name: str, plan: Plan, splits: pd.DataFrame
) -> None:
    """Refuse folds of which one is more than twice as large as another: groups are too uneven."""
    for repeat in range(1, plan.rounds + 1):
        values = splits[f"repeat-{repeat}"].to_numpy()
        sizes = np.bincount(values[values > 0], minlength=plan.folds + 1)[1:]
        if sizes.max() > ALIKE * sizes.min():
            largest = table.frame[GROUP].value_counts()
            raise Problem(
                (*at, "groups"),
                f"{name}, repeat {repeat}: its folds have {sizes.min()} to {sizes.max()} rows, "
                f"because groups are never divided and {largest.index[0]!r} has {largest.iloc[0]} "
                f"of {len(table.frame)} rows; tests on folds assume folds of similar size: choose "
                "fewer folds, or `holdout`, whose tests allow for uneven groups",
            )

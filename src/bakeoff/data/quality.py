"""Quality of a plan's divisions: sizes, classes, groups, overlap, duplicated rows."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.divide import Rows
from bakeoff.data.repeats import find_repeats
from bakeoff.data.split_files import divisions
from bakeoff.data.table import GROUP, PART, ROW_ID, TIME, Table
from bakeoff.spec.resampling import Cv5x2, Holdout, KFold, Plan

_MOST_LISTED = 20


def split_quality(
    dataset: str,
    table: Table,
    name: str,
    plan: Plan,
    splits: pd.DataFrame,
    *,
    elsewhere: bool = False,
) -> dict[str, Any]:
    """Describe the divisions of a plan; results/README.md explains every key."""
    parts: list[dict[str, Any]] = []
    repeats, leaked = find_repeats(table.features), np.zeros(len(table.frame), dtype=bool)
    difference = 0.0
    for repeat, fold, (train, test) in divisions(splits, plan):
        sides = {"train": _side(table, train), "test": _side(table, test)}
        sides["test"] |= table.target.off_constant(table.answers[train], table.answers[test])
        unused = len(table.frame) - len(train) - len(test)
        own = _share_difference(table, train, test)
        difference = max(difference, own)
        seen, nearly = repeats.across(train, test)
        leaked[seen] = True
        parts.append(
            {
                "repeat": repeat,
                "fold": fold,
                **sides,
                "unused": unused,
                "repeated": len(seen),
                "nearly_repeated": len(nearly),
            }
        )
    method = "given" if elsewhere else _method(table, plan)
    return {
        "dataset": dataset,
        "plan": name,
        "method": method,
        "stratified": plan.stratify and method in ("random", "grouped"),
        "rows": len(table.frame),
        "max_class_share_difference": round(difference, 6),
        "groups": int(table.frame[GROUP].nunique()) if GROUP in table.frame else None,
        "overlap": _overlap(splits) if isinstance(plan, Cv5x2) else None,
        "repeated_rows": table.frame[ROW_ID][leaked].head(_MOST_LISTED).tolist(),
        "parts": parts,
    }


def _method(table: Table, plan: Plan) -> str:
    if isinstance(plan, Holdout) and PART in table.frame:
        return "test file"
    if isinstance(plan, (Holdout, KFold)) and plan.column is not None:
        return "column"
    if TIME in table.frame:
        return "time"
    return "grouped" if GROUP in table.frame else "random"


def _side(table: Table, rows: Rows) -> dict[str, Any]:
    found: dict[str, Any] = {"rows": len(rows)}
    found |= table.target.described(table.answers[rows])
    if GROUP in table.frame:
        sizes = table.frame[GROUP].iloc[rows].value_counts().to_numpy()
        found["groups"] = len(sizes)
        found["effective_groups"] = effective_groups(sizes)
    if TIME in table.frame:
        time = table.frame[TIME].iloc[rows]
        found |= {"first": str(time.min()), "last": str(time.max())}
    return found


def effective_groups(sizes: NDArray[Any]) -> float:
    """Return (Σn)²/Σn²: how many groups of one size would be as even as these."""
    return round(float(sizes.sum() ** 2 / np.square(sizes).sum()), 2) if len(sizes) else 0.0


def _share_difference(table: Table, train: Rows, test: Rows) -> float:
    """Return by how much the two parts differ; see `Target.difference`."""
    if not len(train):
        return 0.0
    return table.target.difference(table.answers[train], table.answers[test])


def _overlap(splits: pd.DataFrame) -> dict[str, Any]:
    """Measure which share of one replication's first half is in another's first half."""
    # Independent halves share 1/2 of their rows on average. The share for the second half of the
    # other replication is 1 less this one, so both ends, 0 and 1, mean the same division again.
    halves = {
        int(column.removeprefix("repeat-")): splits[column].to_numpy() == 1
        for column in splits.columns
        if column.startswith("repeat-")
    }
    measured = {
        (i, j): round(float((halves[i] & halves[j]).sum() / halves[i].sum()), 6)
        for i, j in combinations(halves, 2)
    }
    shares = list(measured.values())
    return {
        "expected": 0.5,
        "mean": round(float(np.mean(shares)), 6),
        "min": min(shares),
        "max": max(shares),
        "pairs": [{"repeats": list(pair), "share": share} for pair, share in measured.items()],
    }

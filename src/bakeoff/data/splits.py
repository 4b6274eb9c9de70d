"""Seeded divisions of a table's rows into training and test parts, one file per plan."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bakeoff.data.table import ROW_ID, Table
from bakeoff.errors import Problem
from bakeoff.files import whole
from bakeoff.seeds import derive
from bakeoff.spec.resampling import Cv5x2, KFold, Plan

Rows = NDArray[np.intp]
Codes = NDArray[np.intp]


class Split(NamedTuple):
    """Row positions of the training and the test part."""

    train: Rows
    test: Rows


def make_splits(dataset: str, table: Table, name: str, plan: Plan, seed: int) -> pd.DataFrame:
    """Divide the rows as a plan says.

    Returns
    -------
    DataFrame
        `ROW_ID` and one column ``repeat-<r>`` per repeat: the fold (from 1) in which a row is
        tested, 0 for rows that are only trained on.

    Raises
    ------
    Problem
        A class has fewer than two rows per part, or a part would be empty.
    """
    check_enough_rows(dataset, table, name, plan)
    columns: dict[str, Any] = {ROW_ID: table.frame[ROW_ID]}
    for repeat in range(1, plan.repeats + 1):
        rng = np.random.default_rng(derive(seed, "split", dataset, name, repeat))
        columns[f"repeat-{repeat}"] = _assign(table.codes, plan, rng)
    return pd.DataFrame(columns)


def write_splits(path: str | Path, splits: pd.DataFrame) -> None:
    """Write the divisions of one plan."""
    with whole(path) as part:
        splits.to_parquet(part, index=False)


def read_split(path: str | Path, repeat: int, fold: int) -> Split:
    """Read one division."""
    column = f"repeat-{repeat}"
    folds = pq.read_table(path, columns=[column]).column(0).to_numpy()
    return Split(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold))


def check_enough_rows(dataset: str, table: Table, name: str, plan: Plan) -> None:
    """Refuse a plan that the smallest class cannot fill: two rows of each class per part."""
    counts = np.bincount(table.codes, minlength=len(table.classes))
    smallest = int(counts.argmin())
    least = int(counts[smallest])
    if isinstance(plan, (Cv5x2, KFold)):
        need, parts = 2 * plan.folds, f"{plan.folds} folds"
    else:
        share = min(plan.test_size, 1 - plan.test_size)  # type: ignore[attr-defined]
        need, parts = max(4, int(np.ceil(2 / share))), "a training and a test part"
    if plan.stratify and least < need:
        raise Problem(
            ("datasets", dataset),
            f"class {table.classes[smallest]!r} has {least} row(s); {name} divides them into "
            f"{parts} and needs {need} at least (2 per class and part): leave the class out, "
            "merge it with another, or choose another plan",
        )
    if not plan.stratify and len(table.codes) < need:
        raise Problem(("datasets", dataset), f"{len(table.codes)} rows are too few for {name}")


def _assign(codes: Codes, plan: Plan, rng: np.random.Generator) -> NDArray[np.int16]:
    if isinstance(plan, (Cv5x2, KFold)):
        return _fold_of_rows(codes, plan.folds, plan.stratify, rng)
    return _test_rows(codes, plan.test_size, plan.stratify, rng)  # type: ignore[attr-defined]


def _strata(codes: Codes, stratify: bool) -> Iterator[Rows]:
    if not stratify:
        yield np.arange(len(codes))
        return
    for code in range(int(codes.max()) + 1):
        yield np.flatnonzero(codes == code)


def _fold_of_rows(
    codes: Codes, folds: int, stratify: bool, rng: np.random.Generator
) -> NDArray[np.int16]:
    """Deal shuffled rows to the folds, class after class, going on where the last class ended.

    So fold sizes differ by one at most, and so does each class's count per fold.
    """
    assigned = np.zeros(len(codes), dtype=np.int16)
    order = rng.permutation(folds)
    dealt = 0
    for rows in _strata(codes, stratify):
        turn = (dealt + np.arange(len(rows))) % folds
        assigned[rng.permutation(rows)] = order[turn] + 1
        dealt += len(rows)
    return assigned


def _test_rows(
    codes: Codes, test_size: float, stratify: bool, rng: np.random.Generator
) -> NDArray[np.int16]:
    """Mark a share of the rows; with classes the rounding is settled by largest remainders."""
    assigned = np.zeros(len(codes), dtype=np.int16)
    strata = list(_strata(codes, stratify))
    exact = np.array([len(rows) for rows in strata]) * test_size
    counts = np.floor(exact).astype(int)
    left = round(len(codes) * test_size) - int(counts.sum())
    remainders = np.argsort(-(exact - counts), kind="stable")
    counts[remainders[:left]] += 1
    for rows, count in zip(strata, counts, strict=True):
        assigned[rng.permutation(rows)[:count]] = 1
    return assigned

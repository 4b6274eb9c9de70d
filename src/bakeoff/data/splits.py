"""Seeded divisions of a table's rows into training and test parts, plan by plan."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data import divide, given_folds
from bakeoff.data.divide import Folds, Rows
from bakeoff.data.given_folds import NEITHER
from bakeoff.data.split_files import Split, divisions
from bakeoff.data.table import GROUP, ROW_ID, TIME, Table
from bakeoff.data.whole_groups import check_alike, check_apart, check_different
from bakeoff.errors import Problem
from bakeoff.seeds import derive
from bakeoff.sources import DataSet
from bakeoff.spec.resampling import Cv5x2, Halves, Holdout, KFold, Plan, Resampled


def make_splits(dataset: str, table: Table, name: str, plan: Plan, seed: int) -> pd.DataFrame:
    """Divide the rows as a plan says."""
    check_enough_rows(dataset, table, name, plan)
    made = _divisions(dataset, table, name, plan, seed)
    splits = pd.DataFrame({ROW_ID: table.frame[ROW_ID], **made})
    _check_parts(dataset, table, name, plan, splits)
    return splits


def check_plan(dataset: str, spec: DataSet, name: str, plan: Plan) -> None:
    """Refuse a plan that contradicts the entry of a data set, before the data are loaded."""
    at = ("datasets", dataset)
    if spec.time is not None:
        if isinstance(plan, (Cv5x2, Halves, Resampled)):
            raise Problem(
                (*at, "time"),
                f"{name} divides rows at random, which `time` forbids: use `holdout` (the last "
                "rows are tested) or `kfold` (each fold is tested after training on what came "
                "before)",
            )
        if isinstance(plan, KFold) and plan.column is not None:
            raise Problem(
                ("resampling", name, "column"),
                f"{dataset} is divided by `time`, each fold after what came before: leave out one "
                "of both",
            )
        if plan.repeats > 1:
            raise Problem(
                ("resampling", name, "repeats"),
                f"found {plan.repeats}, but {dataset} is divided by `time`, in one way only: use 1",
            )
    if spec.own_test_set and isinstance(plan, Holdout) and plan.column:
        raise Problem(
            ("resampling", name, "column"),
            f"{dataset} has a test set of its own, `{spec.own_test_set}`: leave out one of both",
        )


def check_enough_rows(dataset: str, table: Table, name: str, plan: Plan) -> None:
    """Refuse a plan that the rows or the smallest class cannot fill."""
    if given_folds.is_given(table, plan) or TIME in table.frame:
        return
    rows = given_folds.at_disposal(table)
    codes = table.codes[rows]
    counts = np.bincount(codes, minlength=len(table.classes))
    smallest = int(counts.argmin())
    least = int(counts[smallest])
    if isinstance(plan, KFold) and GROUP not in table.frame:
        _check_folds(dataset, table, name, plan, counts)
        return
    if isinstance(plan, (Cv5x2, KFold)):
        need, parts = 2 * plan.folds, f"{plan.folds} folds"
    elif isinstance(plan, Halves):
        need, parts = 4 * plan.folds, f"{plan.folds} folds of each half"
    else:
        share = min(_test_size(plan), 1 - _test_size(plan))
        need, parts = max(4, int(np.ceil(2 / share))), "a training and a test part"
    if GROUP in table.frame:
        _check_groups(dataset, table, rows, name, plan)
    elif plan.stratify and least < need:
        raise Problem(
            ("datasets", dataset),
            f"class {table.classes[smallest]!r} has {least} row(s); {name} divides them into "
            f"{parts} and needs {need} at least (2 per class and part): leave the class out, "
            "merge it with another, or choose another plan",
        )
    if len(codes) < need:
        raise Problem(("datasets", dataset), f"{len(codes)} rows are too few for {name}")


def _check_folds(
    dataset: str, table: Table, name: str, plan: KFold, counts: NDArray[np.intp]
) -> None:
    """Refuse more folds than rows, and classes that a training part would lack."""
    rows = int(counts.sum())
    if plan.folds > rows:
        raise Problem(
            ("resampling", name, "folds"),
            f"{plan.folds} folds of the {rows} rows of {dataset}: {rows} at most, leave-one-out",
        )
    if plan.stratify and counts.min() < 2:
        raise Problem(
            ("datasets", dataset),
            f"class {table.classes[int(counts.argmin())]!r} has {counts.min()} row(s), and cannot "
            "be trained on and tested: leave it out, merge it with another, or set `stratify: "
            "false`",
        )


def largest_k(table: Table, plan: KFold) -> int:
    """Return how many folds there can be with two rows of each class in every fold."""
    counts = np.bincount(table.codes[given_folds.at_disposal(table)], minlength=len(table.classes))
    return int(counts.min() if plan.stratify else counts.sum()) // 2


def check_divisible(dataset: str, table: Table, name: str, plan: Plan, seed: int) -> None:
    """Refuse a plan that these rows cannot be divided by."""
    if given_folds.is_given(table, plan) or GROUP in table.frame or TIME in table.frame:
        make_splits(dataset, table, name, plan, seed)
    else:
        check_enough_rows(dataset, table, name, plan)


def _check_groups(dataset: str, table: Table, rows: Rows, name: str, plan: Plan) -> None:
    at = ("datasets", dataset, "groups")
    groups = table.frame[GROUP].iloc[rows]
    need = plan.folds if isinstance(plan, (Cv5x2, KFold)) else 2
    if isinstance(plan, Halves):
        need = 2 * plan.folds
    if groups.nunique() < need:
        raise Problem(
            at, f"{groups.nunique()} group(s) cannot be divided into the {need} parts of {name}"
        )
    pairs = pd.DataFrame({"class": table.codes[rows], "group": groups}).drop_duplicates()
    per_class = np.bincount(pairs["class"])
    if plan.stratify and per_class.min() < 2:
        lonely = table.classes[int(per_class.argmin())]
        raise Problem(
            at,
            f"class {lonely!r} is found in one group only, so it cannot be trained on and tested: "
            "leave it out, merge it with another, or set `stratify: false`",
        )


def _test_size(plan: Plan) -> float:
    assert isinstance(plan, (Resampled, Holdout))
    assert plan.test_size is not None
    return plan.test_size


def _divisions(dataset: str, table: Table, name: str, plan: Plan, seed: int) -> dict[str, Folds]:
    if given_folds.is_given(table, plan):
        return given_folds.given(dataset, table, plan)
    rows = given_folds.at_disposal(table)
    if TIME in table.frame:
        return _by_time(dataset, table, rows, plan)
    made: dict[str, Folds] = {}
    for repeat in range(1, plan.repeats + 1):
        rng = np.random.default_rng(derive(seed, "split", dataset, name, repeat))
        parts = _halves(table, rows, plan, rng) if isinstance(plan, Halves) else [rows]
        for part in parts:
            made[f"repeat-{len(made) + 1}"] = _divided(table, part, plan, rng)
    for repeat in range(1, plan.full_repeats + 1) if isinstance(plan, Halves) else ():
        rng = np.random.default_rng(derive(seed, "split", dataset, name, "full", repeat))
        made[f"repeat-{len(made) + 1}"] = _divided(table, rows, plan, rng)
    return made


def _divided(table: Table, rows: Rows, plan: Plan, rng: np.random.Generator) -> Folds:
    assigned = np.full(len(table.frame), NEITHER, dtype=np.int16)
    assigned[rows] = _assign(table, rows, plan, rng)
    return assigned


def _halves(table: Table, rows: Rows, plan: Plan, rng: np.random.Generator) -> list[Rows]:
    """Part the rows, or whole groups, into two disjoint halves at random."""
    half = _dealt(table, rows, 2, plan.stratify, rng)
    return [rows[half == 1], rows[half == 2]]


def _dealt(table: Table, rows: Rows, folds: int, stratify: bool, rng: np.random.Generator) -> Folds:
    """Deal rows, or whole groups, to folds."""
    codes = table.codes[rows]
    if GROUP not in table.frame:
        return divide.random_folds(codes, folds, stratify, rng)
    groups = pd.factorize(table.frame[GROUP].iloc[rows])[0]
    shares = np.full(folds, 1 / folds)
    return (divide.grouped(codes, groups, shares, stratify, rng) + 1).astype(np.int16)


def _assign(table: Table, rows: Rows, plan: Plan, rng: np.random.Generator) -> Folds:
    """Draw one division at random, of rows or of whole groups."""
    if isinstance(plan, (Cv5x2, Halves, KFold)):
        return _dealt(table, rows, plan.folds, plan.stratify, rng)
    codes = table.codes[rows]
    if GROUP not in table.frame:
        return divide.random_test(codes, _test_size(plan), plan.stratify, rng)
    groups = pd.factorize(table.frame[GROUP].iloc[rows])[0]
    shares = np.array([1 - _test_size(plan), _test_size(plan)])
    return divide.grouped(codes, groups, shares, plan.stratify, rng).astype(np.int16)


def _by_time(dataset: str, table: Table, rows: Rows, plan: Plan) -> dict[str, Folds]:
    """Test on the latest rows, or fold by fold on the next rows in time."""
    time = table.frame[TIME].to_numpy()[rows]
    if isinstance(plan, KFold):
        shares = np.full(plan.folds + 1, 1 / (plan.folds + 1))
    else:
        shares = np.array([1 - _test_size(plan), _test_size(plan)])
    try:
        block = divide.blocks(time, shares)
    except ValueError as error:
        raise Problem(("datasets", dataset, "time"), str(error)) from None
    made = {}
    for fold in range(1, len(shares)):
        assigned = np.full(len(table.frame), NEITHER, dtype=np.int16)
        assigned[rows] = np.select([block < fold, block == fold], [0, 1], NEITHER)
        made[f"repeat-1.fold-{fold}" if isinstance(plan, KFold) else "repeat-1"] = assigned
    return made


def _check_parts(dataset: str, table: Table, name: str, plan: Plan, splits: pd.DataFrame) -> None:
    """Refuse divisions that cannot be used for fitting or testing, or that split groups."""
    at = ("datasets", dataset)
    codes = table.codes
    for repeat, fold, split in divisions(splits, plan):
        where = name if isinstance(plan, Holdout) else f"{name}, repeat {repeat}, fold {fold}"
        if not len(split.test):
            raise Problem(at, f"{where}: no row is left to test on")
        if lacking := table.target.lacking(table.answers[split.train]):
            raise Problem(at, f"{where}: {lacking}")
        if GROUP in table.frame:
            check_apart(at, table, where, split.train, split.test)
            untrained = np.setdiff1d(codes[split.test], codes[split.train])
            if plan.stratify and len(untrained) and not given_folds.is_given(table, plan):
                raise Problem(
                    (*at, "groups"),
                    f"{where}: class {table.classes[untrained[0]]!r} is in too few groups to be on "
                    "both sides: leave it out, merge it, or set `stratify: false`",
                )
        if TIME in table.frame and given_folds.is_given(table, plan):
            _check_later(at, table, where, split)
    drawn = not given_folds.is_given(table, plan)
    if GROUP in table.frame and drawn:
        if plan.rounds > 1:
            check_different(at, name, plan, splits)
        if plan.folds > 1:
            check_alike(at, table, name, plan, splits)


def _check_later(at: tuple[str, ...], table: Table, where: str, split: Split) -> None:
    time = table.frame[TIME].to_numpy()
    early = int((time[split.test] < time[split.train].max()).sum())
    if early:
        raise Problem(
            (*at, "time"),
            f"{where}: {early} of {len(split.test)} rows for testing come before the last row for "
            "training",
        )

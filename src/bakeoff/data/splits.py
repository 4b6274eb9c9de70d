"""Divisions of a table's rows into training and test parts: made, given, kept and described."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bakeoff.data import columns
from bakeoff.data.describe import Rows, row_digests
from bakeoff.data.table import FOLDS, GROUP, HOLDOUT, PART, ROW_ID, TIME, Table
from bakeoff.errors import Place, Problem
from bakeoff.files import read_parquet, reading, state_of, write_parquet
from bakeoff.keys import name_of
from bakeoff.seeds import derive
from bakeoff.sources import DataSet
from bakeoff.spec.resampling import Cv5x2, Halves, Holdout, KFold, Plan, Resampled

Codes = NDArray[np.intp]
Folds = NDArray[np.int16]
NEITHER = -1
"""What marks a row that is neither tested nor trained on."""
_COLUMN: Place = ("resampling", "kfold", "column")
_ALIKE = 2.0
"""How many times as large as another a fold may be."""
_FEWEST_IN_FOLD = 2
"""Rows of each class that every fold has to have."""
_MOST_LISTED = 20
_GIVEN = ("test file", "column")
"""Methods of division that the data say."""
_DRAWN = ("grouped", "random")
"""Methods of division at random."""
_REMEDY = "leave it out, merge it with another, or set `stratify: false`"


class Split(NamedTuple):
    """Row positions of the training and the test part."""

    train: Rows
    test: Rows


def make_splits(
    dataset: str,
    table: Table,
    name: str,
    plan: Plan,
    seed: int,
) -> pd.DataFrame:
    """Divide the rows as a plan says."""
    check_enough_rows(dataset, table, name, plan)
    method = _method(table, plan)
    if isinstance(plan, Holdout) and method in _GIVEN:
        folds = {"repeat-1": _given_holdout(table, plan)}
    elif isinstance(plan, KFold) and method in _GIVEN:
        folds = {"repeat-1": _given_folds(dataset, table, plan)}
    elif method == "time":
        folds = _by_time(dataset, table, plan)
    else:
        folds = _drawn(dataset, table, name, plan, seed)
    splits = pd.DataFrame({ROW_ID: table.frame[ROW_ID], **folds})
    _check_parts(dataset, table, name, plan, splits)
    if GROUP in table.frame and method not in _GIVEN:
        _check_repeats(dataset, table, name, plan, splits)
    return splits


def _method(table: Table, plan: Plan) -> str:
    """Tell how a plan divides rows: as the data say, by time, or at random."""
    if isinstance(plan, Holdout) and PART in table.frame:
        return "test file"
    if isinstance(plan, Holdout | KFold) and plan.column is not None:
        return "column"
    if TIME in table.frame:
        return "time"
    if GROUP in table.frame:
        return "grouped"
    return "random"


def _at_disposal(table: Table) -> Rows:
    """Return the rows that may be divided: a separate test file is used by `holdout` alone."""
    if PART not in table.frame:
        return np.arange(len(table.frame))
    return np.flatnonzero(table.frame[PART] == "train")


def _shares(plan: Plan) -> NDArray[np.float64]:
    """Return the shares of the training and the test part."""
    assert isinstance(plan, (Resampled, Holdout))
    assert plan.test_size is not None
    return np.array([1 - plan.test_size, plan.test_size])


# --- checks before rows are divided


def check_plan(dataset: str, spec: DataSet, name: str, plan: Plan) -> None:
    """Refuse a plan that contradicts the entry of a data set, before the data are loaded."""
    if spec.time is not None:
        _check_plan_of_time(dataset, name, plan)
    if getattr(spec, "test_path", None) and isinstance(plan, Holdout) and plan.column:
        raise Problem(
            ("resampling", name, "column"),
            f"{dataset} has a test set of its own, `test_path`: leave out one of both",
        )


def _check_plan_of_time(dataset: str, name: str, plan: Plan) -> None:
    """Refuse a plan that does not go on in time."""
    if isinstance(plan, (Cv5x2, Halves, Resampled)):
        raise Problem(
            ("datasets", dataset, "time"),
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


def check_divisible(
    dataset: str,
    table: Table,
    name: str,
    plan: Plan,
    seed: int,
) -> None:
    """Refuse a plan that these rows cannot be divided by."""
    if _method(table, plan) == "random":  # which enough rows can always be
        check_enough_rows(dataset, table, name, plan)
    else:
        make_splits(dataset, table, name, plan, seed)


def check_enough_rows(dataset: str, table: Table, name: str, plan: Plan) -> None:
    """Refuse a plan that the rows, the groups or the smallest class cannot fill."""
    if _method(table, plan) not in _DRAWN:
        return
    at = ("datasets", dataset)
    rows = _at_disposal(table)
    counts = np.bincount(table.codes[rows], minlength=len(table.classes))
    n_smallest = int(counts.min())
    smallest = ""
    if table.classes:
        smallest = table.classes[int(counts.argmin())]
    if isinstance(plan, KFold) and GROUP not in table.frame:
        if plan.folds > len(rows):
            n = len(rows)
            text = f"{plan.folds} folds of the {n} rows of {dataset}: {n} at most, leave-one-out"
            raise Problem(("resampling", name, "folds"), text)
        if plan.stratify and n_smallest < 2:
            raise Problem(
                at,
                f"class {smallest!r} has {n_smallest} row(s), and cannot be trained on and tested: "
                f"{_REMEDY}",
            )
        return
    n_parts, n_needed = _needed(plan)
    if GROUP in table.frame:
        _check_enough_groups(dataset, table, name, plan, n_parts)
    elif plan.stratify and n_smallest < n_needed:
        raise Problem(
            at,
            f"class {smallest!r} has {n_smallest} row(s); {name} divides them into {n_parts} parts "
            f"and needs {n_needed} at least: leave the class out, merge it with another, or choose "
            "another plan",
        )
    if len(rows) < n_needed:
        raise Problem(at, f"{len(rows)} rows are too few for {name}")


def _needed(plan: Plan) -> tuple[int, int]:
    """Return into how many parts a plan divides rows, and how many of them it needs."""
    if isinstance(plan, Holdout | Resampled):
        # two rows are in the smaller of both parts
        return 2, int(np.ceil((2 / _shares(plan).min()).round(9)))
    n_parts = plan.folds
    if isinstance(plan, Halves):
        n_parts = 2 * plan.folds
    return n_parts, 2 * n_parts


def _check_enough_groups(
    dataset: str,
    table: Table,
    name: str,
    plan: Plan,
    n_parts: int,
) -> None:
    """Refuse fewer groups than parts, and a class that is in a single group."""
    at = ("datasets", dataset, "groups")
    rows = _at_disposal(table)
    groups = table.frame[GROUP].iloc[rows]
    n_groups = groups.nunique()
    if n_groups < n_parts:
        text = f"{n_groups} group(s) cannot be divided into the {n_parts} parts of {name}"
        raise Problem(at, text)
    pairs = pd.DataFrame({"class": table.codes[rows], "group": groups}).drop_duplicates()
    groups_per_class = np.bincount(pairs["class"])
    if plan.stratify and groups_per_class.min() < 2:
        lonely = table.classes[int(groups_per_class.argmin())]
        raise Problem(
            at,
            f"class {lonely!r} is found in one group only, so it cannot be trained on and "
            f"tested: {_REMEDY}",
        )


def largest_k(table: Table, plan: KFold) -> int:
    """Return how many folds there can be with two rows of each class in every fold."""
    counts = np.bincount(table.codes[_at_disposal(table)], minlength=len(table.classes))
    n_rows = counts.sum()
    if plan.stratify:
        n_rows = counts.min()
    return int(n_rows) // _FEWEST_IN_FOLD


# --- divisions at random


def _drawn(
    dataset: str,
    table: Table,
    name: str,
    plan: Plan,
    seed: int,
) -> dict[str, Folds]:
    """Draw the divisions at random."""
    folds = {}
    for number, (part, rng) in enumerate(_parts_to_divide(dataset, table, name, plan, seed), 1):
        assigned = np.full(len(table.frame), NEITHER, dtype=np.int16)
        if not isinstance(plan, Holdout | Resampled):
            assigned[part] = _dealt(
                table,
                part,
                plan.folds,
                plan.stratify,
                rng,
            )
        elif GROUP in table.frame:
            groups = table.frame[GROUP].iloc[part]
            shares = _shares(plan)
            assigned[part] = dealt_groups(
                table.codes[part],
                groups,
                shares,
                plan.stratify,
                rng,
            )
        else:
            test_share = _shares(plan)[1]
            assigned[part] = drawn_share(
                table.codes[part],
                test_share,
                plan.stratify,
                rng,
            )
        folds[f"repeat-{number}"] = assigned
    return folds


def _parts_to_divide(
    dataset: str,
    table: Table,
    name: str,
    plan: Plan,
    seed: int,
) -> list[tuple[Rows, np.random.Generator]]:
    """Return the rows of each repeat, which are all or one half of them, and what draws them."""
    rows = _at_disposal(table)
    parts: list[tuple[Rows, np.random.Generator]] = []
    for repeat in range(1, plan.repeats + 1):
        rng = np.random.default_rng(derive(seed, "split", dataset, name, repeat))
        if not isinstance(plan, Halves):
            parts.append((rows, rng))
            continue
        # halves with equal class shares would not show how scores vary with the sample's
        half = _dealt(table, rows, 2, False, rng)
        parts.append((rows[half == 1], rng))
        parts.append((rows[half == 2], rng))
    if isinstance(plan, Halves):
        for repeat in range(1, plan.full_repeats + 1):
            rng = np.random.default_rng(derive(seed, "split", dataset, name, "full", repeat))
            parts.append((rows, rng))
    return parts


def drawn_share(
    codes: Codes,
    share: float,
    stratify: bool,
    rng: np.random.Generator,
) -> Folds:
    """Mark a share of the rows; with classes the rounding is settled by largest remainders."""
    assigned = np.zeros(len(codes), dtype=np.int16)
    strata = _strata(codes, stratify)
    exact = np.array(list(map(len, strata))) * share
    # rounded down, so that rows are left for the largest remainders
    counts = np.floor(exact).astype(int)
    n_left = round(len(codes) * share) - int(counts.sum())
    largest_remainders = np.argsort(-(exact - counts), kind="stable")
    counts[largest_remainders[:n_left]] += 1
    for stratum, count in zip(strata, counts, strict=True):
        assigned[rng.permutation(stratum)[:count]] = 1
    return assigned


def _strata(codes: Codes, stratify: bool) -> list[Rows]:
    """Return the rows of each class, or all in one."""
    if not stratify:
        return [np.arange(len(codes))]
    return [np.flatnonzero(codes == code) for code in range(int(codes.max()) + 1)]


def _dealt(
    table: Table,
    rows: Rows,
    folds: int,
    stratify: bool,
    rng: np.random.Generator,
) -> Folds:
    """Deal whole groups, or shuffled rows class after class, to folds."""
    codes = table.codes[rows]
    if GROUP in table.frame:
        groups = table.frame[GROUP].iloc[rows]
        shares = np.full(folds, 1 / folds)
        return (dealt_groups(codes, groups, shares, stratify, rng) + 1).astype(np.int16)
    assigned = np.zeros(len(rows), dtype=np.int16)
    order = rng.permutation(folds)
    n_dealt = 0
    for stratum in _strata(codes, stratify):
        turn = (n_dealt + np.arange(len(stratum))) % folds  # going on where the last class ended
        assigned[rng.permutation(stratum)] = order[turn] + 1
        n_dealt += len(stratum)
    return assigned


def dealt_groups(
    codes: Codes,
    names: Any,
    shares: NDArray[np.float64],
    stratify: bool,
    rng: np.random.Generator,
) -> Codes:
    """Deal whole groups to parts, so that sizes and classes come near the shares."""
    groups = pd.factorize(names)[0]
    # Large groups first, in random order among those of about one size (so that each division
    # differs), each to the part where it least increases the sum of squared class shares,
    # relative to the part's own share.
    n_groups = int(groups.max()) + 1
    counts = np.zeros((n_groups, int(codes.max()) + 1))
    np.add.at(counts, (groups, codes), 1)
    sizes = counts.sum(axis=1)
    weight = np.column_stack([sizes / sizes.sum()])
    if stratify:
        weight = np.column_stack([weight, counts / np.maximum(counts.sum(axis=0), 1)])
    shuffled = rng.permutation(n_groups)
    order = shuffled[np.argsort(-np.frexp(sizes[shuffled])[1], kind="stable")]
    parts = rng.permutation(len(shares))
    filled = np.zeros((len(shares), weight.shape[1]))
    part_of = np.zeros(n_groups, dtype=np.intp)
    for group in order:
        group_weight = weight[group]
        added = ((2 * filled + group_weight) * group_weight).sum(axis=1) / shares
        part = parts[np.argmin(np.round(added[parts], 12))]  # ties at random
        filled[part] += group_weight
        part_of[group] = part
    return part_of[groups]


# --- divisions by time


def _by_time(dataset: str, table: Table, plan: Plan) -> dict[str, Folds]:
    """Test on the latest rows, or fold by fold on the next rows in time."""
    rows = _at_disposal(table)
    time = table.frame[TIME].to_numpy()[rows]
    is_rolling = isinstance(plan, KFold)
    if is_rolling:
        n_blocks = plan.folds + 1  # the first of them is never tested
        shares = np.full(n_blocks, 1 / n_blocks)
    else:
        shares = _shares(plan)
    try:
        block = blocks(time, shares)
    except ValueError as error:
        raise Problem(("datasets", dataset, "time"), str(error)) from None
    folds = {}
    for fold in range(1, len(shares)):
        assigned = np.full(len(table.frame), NEITHER, dtype=np.int16)
        assigned[rows] = np.select([block < fold, block == fold], [0, 1], NEITHER)
        name = "repeat-1"
        if is_rolling:  # a row may be trained on in one fold and tested in another
            name = f"repeat-1.fold-{fold}"
        folds[name] = assigned
    return folds


def blocks(time: NDArray[Any], shares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Cut rows in the order of time into blocks, as near to the shares as ties allow."""
    # Rows of one time are never separated.
    _, position, counts = np.unique(time, return_inverse=True, return_counts=True)
    n_times = len(counts)
    n_blocks = len(shares)
    if n_times < n_blocks:
        raise ValueError(f"{n_times} different times cannot be cut into {n_blocks} blocks")
    n_before = np.cumsum(counts)
    cuts: list[int] = []
    for i, wanted in enumerate(np.cumsum(shares)[:-1] * len(time)):
        # at least one time for this block and for each of those that follow
        low = 0
        if cuts:
            low = cuts[-1] + 1
        high = n_times - n_blocks + i
        distances = np.abs(n_before[low : high + 1] - wanted)
        cuts.append(low + int(np.argmin(distances)))
    return np.searchsorted(np.array(cuts), position, side="left").astype(np.intp)


# --- divisions that the data say


def _given_holdout(table: Table, plan: Holdout) -> Folds:
    """Divide as a column of the data, or its two files, say."""
    if plan.column is None:
        return np.where(table.frame[PART] == "test", 1, 0).astype(np.int16)
    values = table.frame[HOLDOUT]
    present = values.dropna().unique()
    assigned = np.full(len(values), NEITHER, dtype=np.int16)
    for number, key in enumerate(("train", "test")):
        wanted = getattr(plan, key)
        at = ("resampling", "holdout", key)
        columns.check_values(
            wanted,
            present,
            f"value in {plan.column!r}:",
            at,
        )
        assigned[values.isin([name_of(value) for value in wanted])] = number
    return assigned


def _given_folds(dataset: str, table: Table, plan: KFold) -> Folds:
    """Return the folds of a column, numbered in the order of its values."""
    column = plan.column
    rows = _at_disposal(table)
    values = table.frame[FOLDS].iloc[rows]
    missing = np.flatnonzero(values.isna())
    if len(missing):
        first = table.frame[ROW_ID].iloc[rows[missing[0]]]
        raise Problem(
            _COLUMN,
            f"{len(missing)} of {len(rows)} rows of {dataset} have no value in {column!r} (first "
            f"in row {first}): leave them out with `filter: [{{column: {column}, missing: drop}}]`",
        )
    names = columns.in_order(values.unique().tolist())
    if len(names) == 1:
        text = f"holds a single value, {names[0]!r}: one fold is no division"
        raise Problem(_COLUMN, f"{column!r} of {dataset} {text}")
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
                _COLUMN,
                f"class {label!r} of {dataset} occurs only in fold {names[folds[0] - 1]!r} of "
                f"{column!r}, so that a model that is tested there was not trained on it: leave "
                "the class out, merge it with another, or mend the folds",
            )
    return assigned


def check_small_folds(
    dataset: str,
    table: Table,
    plan: KFold,
    metric: str,
) -> None:
    """Refuse given folds with fewer than two rows of a class; of numbers, than two rows in all."""
    assigned = _given_folds(dataset, table, plan)
    rows = np.flatnonzero(assigned != NEITHER)
    n_kinds = max(len(table.classes), 1)
    counts = np.zeros((plan.folds, n_kinds), dtype=int)
    np.add.at(counts, (assigned[rows] - 1, table.codes[rows]), 1)
    fold, code = np.unravel_index(counts.argmin(), counts.shape)
    if counts[fold, code] >= _FEWEST_IN_FOLD:
        return
    first = rows[assigned[rows] == fold + 1][0]
    of_each = ""
    of_this = ""
    if table.classes:
        of_each = " of each class"
        of_this = f" of class {table.classes[code]!r}"
    raise Problem(
        _COLUMN,
        f"{metric} needs two rows{of_each} in every fold: fold "
        f"{table.frame[FOLDS].iloc[first]!r} of {plan.column!r} has "
        f"{counts[fold, code]}{of_this} of {dataset}",
    )


# --- checks of divisions


def _check_parts(
    dataset: str,
    table: Table,
    name: str,
    plan: Plan,
    splits: pd.DataFrame,
) -> None:
    """Refuse divisions that cannot be used for fitting or testing, or that split groups."""
    at = ("datasets", dataset)
    for repeat, fold, split in divisions(splits, plan):
        where = f"{name}, repeat {repeat}, fold {fold}"
        if isinstance(plan, Holdout):
            where = name
        if not len(split.test):
            raise Problem(at, f"{where}: no row is left to test on")
        lacking = table.target.lacking(table.answers[split.train])
        if lacking:
            raise Problem(at, f"{where}: {lacking}")
        if GROUP in table.frame:
            _check_groups(dataset, table, where, plan, split)
        if TIME in table.frame and _method(table, plan) in _GIVEN:
            _check_time(dataset, table, where, split)


def _check_groups(
    dataset: str,
    table: Table,
    where: str,
    plan: Plan,
    split: Split,
) -> None:
    """Refuse groups in both parts, and a class that is tested and not trained on."""
    at = ("datasets", dataset, "groups")
    groups = table.frame[GROUP].to_numpy()
    in_both = sorted(set(groups[split.train]) & set(groups[split.test]))
    if in_both:
        text = f"{where}: {len(in_both)} group(s) are in both parts, first {in_both[0]!r}"
        raise Problem(at, text)
    if not plan.stratify or _method(table, plan) in _GIVEN:
        return
    untrained = np.setdiff1d(table.codes[split.test], table.codes[split.train])
    if len(untrained):
        raise Problem(
            at,
            f"{where}: class {table.classes[untrained[0]]!r} is in too few groups to be on "
            "both sides: leave it out, merge it, or set `stratify: false`",
        )


def _check_time(dataset: str, table: Table, where: str, split: Split) -> None:
    """Refuse rows for testing that come before those for training."""
    time = table.frame[TIME].to_numpy()
    n_early = int((time[split.test] < time[split.train].max()).sum())
    if n_early:
        raise Problem(
            ("datasets", dataset, "time"),
            f"{where}: {n_early} of {len(split.test)} rows for testing come before the last "
            "row for training",
        )


def _check_repeats(
    dataset: str,
    table: Table,
    name: str,
    plan: Plan,
    splits: pd.DataFrame,
) -> None:
    """Refuse divisions of groups that are made twice, and folds of very different sizes."""
    at = ("datasets", dataset, "groups")
    first_repeat_of: dict[bytes, int] = {}
    for repeat in range(1, plan.rounds + 1):
        values = splits[f"repeat-{repeat}"].to_numpy()
        division = values
        if plan.folds > 1:  # the same folds under other numbers are the same division
            division = pd.factorize(values)[0]
        first = first_repeat_of.setdefault(division.tobytes(), repeat)
        if first != repeat:
            raise Problem(
                at,
                f"the groups are too few or too uneven for {name}: its repeats {first} and "
                f"{repeat} are the same division, which would count twice; use `holdout`, or "
                "`kfold` without repeats",
            )
        sizes = np.bincount(values[values > 0], minlength=plan.folds + 1)[1:]
        if sizes.max() > _ALIKE * sizes.min():
            largest = table.frame[GROUP].value_counts()
            raise Problem(
                at,
                f"{name}, repeat {repeat}: its folds have {sizes.min()} to {sizes.max()} rows, "
                f"because groups are never divided and {largest.index[0]!r} has {largest.iloc[0]} "
                f"of {len(table.frame)} rows; tests on folds assume folds of similar size: choose "
                "fewer folds, or `holdout`, whose tests allow for uneven groups",
            )


# --- files of divisions


def write_splits(path: str | Path, splits: pd.DataFrame) -> None:
    """Write the divisions of one plan."""
    write_parquet(path, pa.Table.from_pandas(splits, preserve_index=False))


def read_split(path: str | Path, repeat: int, fold: int) -> Split:
    """Read one division of a file that `write_splits` wrote; `repeat` and `fold` count from 1."""
    with reading(path):
        file, names = _opened(str(path), state_of(path))
        name, number = _column(names, repeat, fold)
        values = file.read(columns=[name], use_threads=False).column(0).to_numpy()
        return _parts(values, number)


def read_splits(path: str | Path) -> pd.DataFrame:
    """Read all divisions of a file that `write_splits` wrote."""
    frame: pd.DataFrame = read_parquet(path).to_pandas()
    return frame


@lru_cache(maxsize=4)
def _opened(path: str, state: tuple[int, ...]) -> tuple[pq.ParquetFile, frozenset[str]]:
    """Open a file of divisions and keep it open: with thousands of columns opening is slow."""
    file = pq.ParquetFile(path, page_checksum_verification=True)
    return file, frozenset(file.schema.names)


def divisions(splits: pd.DataFrame, plan: Plan) -> Iterator[tuple[int, int, Split]]:
    """Iterate over the divisions of a plan, as (repeat, fold, positions of the rows)."""
    for repeat, fold in plan.splits():
        name, number = _column(splits.columns, repeat, fold)
        yield repeat, fold, _parts(splits[name].to_numpy(), number)


def _column(names: Any, repeat: int, fold: int) -> tuple[str, int]:
    """Return the column of a division and the value that marks the test rows."""
    column = f"repeat-{repeat}.fold-{fold}"
    if column in names:
        return column, 1
    return f"repeat-{repeat}", fold


def _parts(values: NDArray[Any], number: int) -> Split:
    tested = values == number
    trained = ~tested & (values != NEITHER)
    return Split(np.flatnonzero(trained), np.flatnonzero(tested))


# --- what is told of divisions


def split_quality(
    dataset: str,
    table: Table,
    name: str,
    plan: Plan,
    splits: pd.DataFrame,
    *,
    elsewhere: bool = False,
) -> dict[str, Any]:
    """Describe the divisions of a plan: sizes, classes, groups; results/README.md has every key."""
    parts: list[dict[str, Any]] = []
    digests = row_digests(table.features)
    is_repeated = pd.Series(digests).duplicated(keep=False).to_numpy()
    is_seen = np.zeros(len(table.frame), dtype=bool)
    difference = 0.0
    for repeat, fold, (train, test) in divisions(splits, plan):
        trained = table.answers[train]
        tested = table.answers[test]
        if len(train):
            difference = max(difference, table.target.difference(trained, tested))
        # test rows that are copies of training rows
        repeated = test[is_repeated[test]]
        seen = repeated[np.isin(digests[repeated], digests[train[is_repeated[train]]])]
        is_seen[seen] = True
        test_side = _side(table, test)
        test_side |= table.target.off_constant(trained, tested)
        part = {
            "repeat": repeat,
            "fold": fold,
            "train": _side(table, train),
            "test": test_side,
            "unused": len(table.frame) - len(train) - len(test),
            "repeated": len(seen),
        }
        parts.append(part)
    method = _method(table, plan)
    if elsewhere:
        method = "given"
    n_groups = None
    if GROUP in table.frame:
        n_groups = int(table.frame[GROUP].nunique())
    overlap = None
    if isinstance(plan, Cv5x2):
        overlap = _overlap(splits)
    return {
        "dataset": dataset,
        "plan": name,
        "method": method,
        "stratified": plan.stratify and method in _DRAWN,
        "rows": len(table.frame),
        "max_class_share_difference": round(difference, 6),
        "groups": n_groups,
        "overlap": overlap,
        "repeated_rows": table.frame[ROW_ID][is_seen].head(_MOST_LISTED).tolist(),
        "parts": parts,
    }


def _side(table: Table, rows: Rows) -> dict[str, Any]:
    """Describe the rows of a training or a test part."""
    side: dict[str, Any] = {"rows": len(rows)}
    side |= table.target.described(table.answers[rows])
    if GROUP in table.frame:
        sizes = table.frame[GROUP].iloc[rows].value_counts().to_numpy()
        side["groups"] = len(sizes)
        side["effective_groups"] = effective_groups(sizes)
    if TIME in table.frame:
        time = table.frame[TIME].iloc[rows]
        side["first"] = str(time.min())
        side["last"] = str(time.max())
    return side


def effective_groups(sizes: NDArray[Any]) -> float:
    """Return (Σn)²/Σn²: how many groups of one size would be as even as these."""
    if not len(sizes):
        return 0.0
    return round(float(sizes.sum() ** 2 / np.square(sizes).sum()), 2)


def _overlap(splits: pd.DataFrame) -> dict[str, Any]:
    """Measure which share of one replication's first half is in another's first half."""
    # Independent halves share 1/2 of their rows on average. The share for the second half of the
    # other replication is 1 less this one, so both ends, 0 and 1, mean the same division again.
    firsts = splits.filter(like="repeat-") == 1
    pairs: list[dict[str, Any]] = []
    shares = []
    for a, b in combinations(firsts.columns, 2):
        share = round(float((firsts[a] & firsts[b]).sum() / firsts[a].sum()), 6)
        repeats = [int(name.removeprefix("repeat-")) for name in (a, b)]
        pairs.append({"repeats": repeats, "share": share})
        shares.append(share)
    return {
        "expected": 0.5,
        "mean": round(float(np.mean(shares)), 6),
        "min": min(shares),
        "max": max(shares),
        "pairs": pairs,
    }

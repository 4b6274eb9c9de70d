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
_COLUMN: Place = ("resampling", "kfold", "column")
_ALIKE = 2.0
"""How many times as large as another a fold may be."""
_MOST_LISTED = 20
_GIVEN, _DRAWN = ("test file", "column"), ("grouped", "random")
"""Methods of division."""


class Split(NamedTuple):
    """Row positions of the training and the test part."""

    train: Rows
    test: Rows


def make_splits(dataset: str, table: Table, name: str, plan: Plan, seed: int) -> pd.DataFrame:
    """Divide the rows as a plan says."""
    check_enough_rows(dataset, table, name, plan)
    method = _method(table, plan)
    if isinstance(plan, Holdout) and method in _GIVEN:
        made = {"repeat-1": _given_holdout(table, plan)}
    elif isinstance(plan, KFold) and method in _GIVEN:
        made = {"repeat-1": _given_folds(dataset, table, plan)}
    elif method == "time":
        made = _by_time(dataset, table, plan)
    else:
        made = _drawn(dataset, table, name, plan, seed)
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
    if getattr(spec, "test_path", None) and isinstance(plan, Holdout) and plan.column:
        raise Problem(
            ("resampling", name, "column"),
            f"{dataset} has a test set of its own, `test_path`: leave out one of both",
        )


def check_enough_rows(dataset: str, table: Table, name: str, plan: Plan) -> None:
    """Refuse a plan that the rows, the groups or the smallest class cannot fill."""
    if _method(table, plan) not in _DRAWN:
        return
    at, rows = ("datasets", dataset), _at_disposal(table)
    n, codes, grouped = len(rows), table.codes[rows], GROUP in table.frame
    counts = np.bincount(codes, minlength=len(table.classes))
    smallest = table.classes[int(counts.argmin())] if table.classes else ""
    least = int(counts.min())
    remedy = "leave it out, merge it with another, or set `stratify: false`"
    if isinstance(plan, KFold) and not grouped:
        if plan.folds > n:
            text = f"{plan.folds} folds of the {n} rows of {dataset}: {n} at most, leave-one-out"
            raise Problem(("resampling", name, "folds"), text)
        if plan.stratify and least < 2:
            raise Problem(
                at,
                f"class {smallest!r} has {least} row(s), and cannot be trained on and tested: "
                f"{remedy}",
            )
        return
    parts = 2 * plan.folds if isinstance(plan, Halves) else plan.folds
    need = 2 * parts
    if isinstance(plan, Holdout | Resampled):
        parts, need = 2, int(np.ceil((2 / _shares(plan).min()).round(9)))
    if grouped:
        groups = table.frame[GROUP].iloc[rows]
        if groups.nunique() < parts:
            raise Problem(
                (*at, "groups"),
                f"{groups.nunique()} group(s) cannot be divided into the {parts} parts of {name}",
            )
        pairs = pd.DataFrame({"class": codes, "group": groups}).drop_duplicates()
        per_class = np.bincount(pairs["class"])
        if plan.stratify and per_class.min() < 2:
            lonely = table.classes[int(per_class.argmin())]
            raise Problem(
                (*at, "groups"),
                f"class {lonely!r} is found in one group only, so it cannot be trained on and "
                f"tested: {remedy}",
            )
    elif plan.stratify and least < need:
        raise Problem(
            at,
            f"class {smallest!r} has {least} row(s); {name} divides them into {parts} parts and "
            f"needs {need} at least: leave the class out, merge it with another, or choose "
            "another plan",
        )
    if n < need:
        raise Problem(at, f"{n} rows are too few for {name}")


def largest_k(table: Table, plan: KFold) -> int:
    """Return how many folds there can be with two rows of each class in every fold."""
    counts = np.bincount(table.codes[_at_disposal(table)], minlength=len(table.classes))
    return int(counts.min() if plan.stratify else counts.sum()) // 2


def check_divisible(dataset: str, table: Table, name: str, plan: Plan, seed: int) -> None:
    """Refuse a plan that these rows cannot be divided by."""
    if _method(table, plan) == "random":  # which enough rows can always be
        check_enough_rows(dataset, table, name, plan)
    else:
        make_splits(dataset, table, name, plan, seed)


def _shares(plan: Plan) -> NDArray[np.float64]:
    """Return the shares of the training and the test part."""
    assert isinstance(plan, (Resampled, Holdout))
    assert plan.test_size is not None
    return np.array([1 - plan.test_size, plan.test_size])


def _drawn(dataset: str, table: Table, name: str, plan: Plan, seed: int) -> dict[str, Folds]:
    """Draw the divisions at random."""
    rows, parts = _at_disposal(table), list[tuple[Rows, np.random.Generator]]()
    for repeat in range(1, plan.repeats + 1):
        rng = np.random.default_rng(derive(seed, "split", dataset, name, repeat))
        if isinstance(plan, Halves):
            # halves with equal class shares would not show how scores vary with the sample's
            half = _dealt(table, rows, 2, False, rng)
            parts += [(rows[half == number], rng) for number in (1, 2)]
        else:
            parts.append((rows, rng))
    for repeat in range(1, plan.full_repeats + 1) if isinstance(plan, Halves) else ():
        rng = np.random.default_rng(derive(seed, "split", dataset, name, "full", repeat))
        parts.append((rows, rng))
    made = {}
    for number, (part, rng) in enumerate(parts, 1):
        made[f"repeat-{number}"] = assigned = np.full(len(table.frame), NEITHER, dtype=np.int16)
        if not isinstance(plan, Holdout | Resampled):
            assigned[part] = _dealt(table, part, plan.folds, plan.stratify, rng)
        elif GROUP in table.frame:
            assigned[part] = _grouped(table, part, _shares(plan), plan.stratify, rng)
        else:
            assigned[part] = drawn_share(table.codes[part], _shares(plan)[1], plan.stratify, rng)
    return made


def drawn_share(codes: Codes, share: float, stratify: bool, rng: np.random.Generator) -> Folds:
    """Mark a share of the rows; with classes the rounding is settled by largest remainders."""
    assigned, strata = np.zeros(len(codes), dtype=np.int16), _strata(codes, stratify)
    exact = np.array([len(stratum) for stratum in strata]) * share
    counts = np.floor(exact).astype(int)
    left = round(len(codes) * share) - int(counts.sum())
    counts[np.argsort(-(exact - counts), kind="stable")[:left]] += 1
    for stratum, count in zip(strata, counts, strict=True):
        assigned[rng.permutation(stratum)[:count]] = 1
    return assigned


def _dealt(table: Table, rows: Rows, folds: int, stratify: bool, rng: np.random.Generator) -> Folds:
    """Deal whole groups, or shuffled rows class after class, to folds."""
    if GROUP in table.frame:
        shares = np.full(folds, 1 / folds)
        return (_grouped(table, rows, shares, stratify, rng) + 1).astype(np.int16)
    assigned = np.zeros(len(rows), dtype=np.int16)
    order = rng.permutation(folds)
    dealt = 0
    for stratum in _strata(table.codes[rows], stratify):
        turn = (dealt + np.arange(len(stratum))) % folds  # going on where the last class ended
        assigned[rng.permutation(stratum)] = order[turn] + 1
        dealt += len(stratum)
    return assigned


def _by_time(dataset: str, table: Table, plan: Plan) -> dict[str, Folds]:
    """Test on the latest rows, or fold by fold on the next rows in time."""
    rows = _at_disposal(table)
    time = table.frame[TIME].to_numpy()[rows]
    rolling = isinstance(plan, KFold)
    shares = np.full(plan.folds + 1, 1 / (plan.folds + 1)) if rolling else _shares(plan)
    try:
        block = blocks(time, shares)
    except ValueError as error:
        raise Problem(("datasets", dataset, "time"), str(error)) from None
    made = {}
    for fold in range(1, len(shares)):
        assigned = np.full(len(table.frame), NEITHER, dtype=np.int16)
        assigned[rows] = np.select([block < fold, block == fold], [0, 1], NEITHER)
        made[f"repeat-1.fold-{fold}" if rolling else "repeat-1"] = assigned
    return made


def _strata(codes: Codes, stratify: bool) -> list[Rows]:
    every = [np.flatnonzero(codes == code) for code in range(int(codes.max()) + 1)]
    return every if stratify else [np.arange(len(codes))]


def _grouped(
    table: Table, rows: Rows, shares: NDArray[np.float64], stratify: bool, rng: np.random.Generator
) -> Codes:
    return dealt_groups(table.codes[rows], table.frame[GROUP].iloc[rows], shares, stratify, rng)


def dealt_groups(
    codes: Codes, names: Any, shares: NDArray[np.float64], stratify: bool, rng: np.random.Generator
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


def blocks(time: NDArray[Any], shares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Cut rows in the order of time into blocks, as near to the shares as ties allow."""
    # Rows of one time are never separated.
    _, position, counts = np.unique(time, return_inverse=True, return_counts=True)
    if len(counts) < len(shares):
        raise ValueError(f"{len(counts)} different times cannot be cut into {len(shares)} blocks")
    before = np.cumsum(counts)
    cuts: list[int] = []
    for i, wanted in enumerate(np.cumsum(shares)[:-1] * len(time)):
        # at least one time for this block and for each of those that follow
        low, high = (cuts[-1] + 1 if cuts else 0), len(counts) - len(shares) + i
        cuts.append(low + int(np.argmin(np.abs(before[low : high + 1] - wanted))))
    return np.searchsorted(np.array(cuts), position, side="left").astype(np.intp)


def _method(table: Table, plan: Plan) -> str:
    """Tell how a plan divides rows: as the data say, by time, or at random."""
    if isinstance(plan, Holdout) and PART in table.frame:
        return "test file"
    if isinstance(plan, Holdout | KFold) and plan.column is not None:
        return "column"
    if TIME in table.frame:
        return "time"
    return "grouped" if GROUP in table.frame else "random"


def _at_disposal(table: Table) -> Rows:
    """Return the rows that may be divided: a separate test file is used by `holdout` alone."""
    if PART not in table.frame:
        return np.arange(len(table.frame))
    return np.flatnonzero(table.frame[PART] == "train")


def _given_holdout(table: Table, plan: Holdout) -> Folds:
    """Divide as a column of the data, or its two files, say."""
    if plan.column is None:
        return np.where(table.frame[PART] == "test", 1, 0).astype(np.int16)
    values = table.frame[HOLDOUT]
    assigned = np.full(len(values), NEITHER, dtype=np.int16)
    for number, key in enumerate(("train", "test")):
        wanted, at = getattr(plan, key), ("resampling", "holdout", key)
        columns.check_values(wanted, values.dropna().unique(), f"value in {plan.column!r}:", at)
        assigned[values.isin([name_of(value) for value in wanted])] = number
    return assigned


def _given_folds(dataset: str, table: Table, plan: KFold) -> Folds:
    """Return the folds of a column, numbered in the order of its values."""
    column, rows = plan.column, _at_disposal(table)
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


def check_small_folds(dataset: str, table: Table, plan: KFold, metric: str) -> None:
    """Refuse given folds with fewer than two rows of a class; of numbers, than two rows in all."""
    kinds = table.classes or ("",)
    made = _given_folds(dataset, table, plan)
    rows = np.flatnonzero(made != NEITHER)
    counts = np.zeros((plan.folds, len(kinds)), dtype=int)
    np.add.at(counts, (made[rows] - 1, table.codes[rows]), 1)
    fold, code = np.unravel_index(counts.argmin(), counts.shape)
    if counts[fold, code] < 2:
        first = rows[made[rows] == fold + 1][0]
        each = " of each class" if table.classes else ""
        this = f" of class {kinds[code]!r}" if table.classes else ""
        raise Problem(
            _COLUMN,
            f"{metric} needs two rows{each} in every fold: fold "
            f"{table.frame[FOLDS].iloc[first]!r} of {plan.column!r} has "
            f"{counts[fold, code]}{this} of {dataset}",
        )


def _check_parts(dataset: str, table: Table, name: str, plan: Plan, splits: pd.DataFrame) -> None:
    """Refuse divisions that cannot be used for fitting or testing, or that split groups."""
    at, is_given = ("datasets", dataset), _method(table, plan) in _GIVEN
    for repeat, fold, split in divisions(splits, plan):
        where = name if isinstance(plan, Holdout) else f"{name}, repeat {repeat}, fold {fold}"
        if not len(split.test):
            raise Problem(at, f"{where}: no row is left to test on")
        if lacking := table.target.lacking(table.answers[split.train]):
            raise Problem(at, f"{where}: {lacking}")
        if GROUP in table.frame:
            groups = table.frame[GROUP].to_numpy()
            if both := sorted(set(groups[split.train]) & set(groups[split.test])):
                raise Problem(
                    (*at, "groups"),
                    f"{where}: {len(both)} group(s) are in both parts, first {both[0]!r}",
                )
            untrained = np.setdiff1d(table.codes[split.test], table.codes[split.train])
            if plan.stratify and len(untrained) and not is_given:
                raise Problem(
                    (*at, "groups"),
                    f"{where}: class {table.classes[untrained[0]]!r} is in too few groups to be on "
                    "both sides: leave it out, merge it, or set `stratify: false`",
                )
        if TIME in table.frame and is_given:
            time = table.frame[TIME].to_numpy()
            if early := int((time[split.test] < time[split.train].max()).sum()):
                raise Problem(
                    (*at, "time"),
                    f"{where}: {early} of {len(split.test)} rows for testing come before the last "
                    "row for training",
                )
    seen: dict[bytes, int] = {}
    for repeat in range(1, plan.rounds + 1) if GROUP in table.frame and not is_given else ():
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
        sizes = np.bincount(values[values > 0], minlength=plan.folds + 1)[1:]
        if sizes.max() > _ALIKE * sizes.min():
            largest = table.frame[GROUP].value_counts()
            raise Problem(
                (*at, "groups"),
                f"{name}, repeat {repeat}: its folds have {sizes.min()} to {sizes.max()} rows, "
                f"because groups are never divided and {largest.index[0]!r} has {largest.iloc[0]} "
                f"of {len(table.frame)} rows; tests on folds assume folds of similar size: choose "
                "fewer folds, or `holdout`, whose tests allow for uneven groups",
            )


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
    return (column, 1) if column in names else (f"repeat-{repeat}", fold)


def _parts(values: NDArray[Any], number: int) -> Split:
    tested = values == number
    return Split(np.flatnonzero(~tested & (values != NEITHER)), np.flatnonzero(tested))


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
    digests, leaked = row_digests(table.features), np.zeros(len(table.frame), dtype=bool)
    repeated = pd.Series(digests).duplicated(keep=False).to_numpy()
    difference = 0.0
    for repeat, fold, (train, test) in divisions(splits, plan):
        answers = table.answers[train], table.answers[test]
        sides = {"train": _side(table, train), "test": _side(table, test)}
        sides["test"] |= table.target.off_constant(*answers)
        if len(train):
            difference = max(difference, table.target.difference(*answers))
        among = test[repeated[test]]
        seen = among[np.isin(digests[among], digests[train[repeated[train]]])]
        leaked[seen] = True
        unused = len(table.frame) - len(train) - len(test)
        part = {"repeat": repeat, "fold": fold, **sides, "unused": unused, "repeated": len(seen)}
        parts.append(part)
    method = "given" if elsewhere else _method(table, plan)
    return {
        "dataset": dataset,
        "plan": name,
        "method": method,
        "stratified": plan.stratify and method in _DRAWN,
        "rows": len(table.frame),
        "max_class_share_difference": round(difference, 6),
        "groups": int(table.frame[GROUP].nunique()) if GROUP in table.frame else None,
        "overlap": _overlap(splits) if isinstance(plan, Cv5x2) else None,
        "repeated_rows": table.frame[ROW_ID][leaked].head(_MOST_LISTED).tolist(),
        "parts": parts,
    }


def _side(table: Table, rows: Rows) -> dict[str, Any]:
    side: dict[str, Any] = {"rows": len(rows)}
    side |= table.target.described(table.answers[rows])
    if GROUP in table.frame:
        sizes = table.frame[GROUP].iloc[rows].value_counts().to_numpy()
        side |= {"groups": len(sizes), "effective_groups": effective_groups(sizes)}
    if TIME in table.frame:
        time = table.frame[TIME].iloc[rows]
        side |= {"first": str(time.min()), "last": str(time.max())}
    return side


def effective_groups(sizes: NDArray[Any]) -> float:
    """Return (Σn)²/Σn²: how many groups of one size would be as even as these."""
    return round(float(sizes.sum() ** 2 / np.square(sizes).sum()), 2) if len(sizes) else 0.0


def _overlap(splits: pd.DataFrame) -> dict[str, Any]:
    """Measure which share of one replication's first half is in another's first half."""
    # Independent halves share 1/2 of their rows on average. The share for the second half of the
    # other replication is 1 less this one, so both ends, 0 and 1, mean the same division again.
    firsts = splits.filter(like="repeat-") == 1
    pairs: list[dict[str, Any]] = []
    for one, other in combinations(firsts.columns, 2):
        share = (firsts[one] & firsts[other]).sum() / firsts[one].sum()
        repeats = [int(name.removeprefix("repeat-")) for name in (one, other)]
        pairs.append({"repeats": repeats, "share": round(float(share), 6)})
    shares = [pair["share"] for pair in pairs]
    mean = round(float(np.mean(shares)), 6)
    return {"expected": 0.5, "mean": mean, "min": min(shares), "max": max(shares), "pairs": pairs}

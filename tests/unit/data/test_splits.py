"""Splits: every row once per repeat, classes and sizes balanced, seeded by name, or given."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.data import ROW_ID, TARGET, Table, load_table, make_splits, read_split
from bakeoff.data.splits import (
    NEITHER,
    check_plan,
    divisions,
    largest_k,
    split_quality,
    write_splits,
)
from bakeoff.data.table import FOLDS, GROUP, HOLDOUT, PART, TIME
from bakeoff.data.target import Target
from bakeoff.errors import Problem
from bakeoff.sources.file import FileData
from bakeoff.spec.resampling import Cv5x2, Halves, Holdout, KFold, Resampled
from tests.conftest import ROOT, hold, messages


def table(counts, seed=0):
    """Make a table with so many rows of each class, in any order."""
    classes = [f"c{i}" for i in range(len(counts))]
    labels = np.random.default_rng(seed).permutation(np.repeat(classes, counts))
    frame = pd.DataFrame({ROW_ID: np.arange(len(labels)), TARGET: labels, "x": 1.0})
    return Table(frame, Target(tuple(classes)))


counts = st.lists(st.integers(8, 60), min_size=2, max_size=5)
SIZES = st.lists(st.integers(1, 30), min_size=24, max_size=60)


@settings(deadline=None, max_examples=40)
@given(counts, st.integers(2, 4), st.integers(0, 2**31))
def test_folds_are_balanced(counts, folds, seed):
    data = table(counts)
    plan = KFold.model_validate({"folds": folds, "repeats": 2})
    splits = make_splits("d", data, "kfold", plan, seed)
    for repeat in ("repeat-1", "repeat-2"):
        by_class = pd.crosstab(data.frame[TARGET], splits[repeat]).to_numpy()
        assert by_class.shape == (len(counts), folds)
        assert (by_class.max(axis=1) - by_class.min(axis=1) <= 1).all()
        sizes = by_class.sum(axis=0)
        assert sizes.max() - sizes.min() <= 1
    assert not splits["repeat-1"].equals(splits["repeat-2"])


@settings(deadline=None, max_examples=40)
@given(counts, st.floats(0.25, 0.75), st.integers(0, 2**31))
def test_test_parts_have_their_share(counts, share, seed):
    data = table(counts)
    plan = Holdout.model_validate({"test_size": share})
    tested = make_splits("d", data, "holdout", plan, seed)["repeat-1"].to_numpy() == 1
    assert tested.sum() == round(sum(counts) * share)
    for code, count in enumerate(counts):
        assert abs(tested[data.codes == code].sum() - count * share) < 1


@pytest.mark.parametrize("stratify", [True, False])
@pytest.mark.parametrize("folds", [30, 17])
def test_any_number_of_folds_up_to_leave_one_out(folds, stratify):
    data = table([5, 25])
    plan = KFold.model_validate({"folds": folds, "stratify": stratify})
    sizes = make_splits("d", data, "kfold", plan, 1)["repeat-1"].value_counts()
    assert len(sizes) == folds
    assert sizes.max() - sizes.min() <= (30 % folds > 0)
    # two rows in every fold, of each class or in all
    assert largest_k(data, plan) == {True: 2, False: 15}[stratify]


def test_seed_and_names_make_the_split():
    data = table([30, 30])
    plan = Cv5x2()
    splits = make_splits("d", data, "cv_5x2", plan, 1)
    assert splits.equals(make_splits("d", data, "cv_5x2", plan, 1))
    assert not splits.equals(make_splits("d", data, "cv_5x2", plan, 2))
    assert not splits.equals(make_splits("other", data, "cv_5x2", plan, 1))
    halved = [make_splits("d", data, "halves", HALVES, seed) for seed in (4, 4, 5)]
    assert halved[0].equals(halved[1])
    assert not halved[0].equals(halved[2])
    # more repeats leave the earlier ones alone
    three = Resampled.model_validate({"repeats": 3})
    nine = Resampled.model_validate({"repeats": 9})
    few = make_splits("d", data, "resampled", three, 1)
    many = make_splits("d", data, "resampled", nine, 1)
    assert many[list(few.columns)].equals(few)


def with_column(data, **columns):
    return Table(data.frame.assign(**columns), data.target)


def grouped_table(sizes, classes, seed):
    """Make a table of groups, each with its own mixture of classes."""
    rng = np.random.default_rng(seed)
    groups = np.repeat([f"g{i}" for i in range(len(sizes))], sizes)
    shares = rng.dirichlet(np.ones(classes), len(sizes))
    labels = []
    for size, share in zip(sizes, shares, strict=True):
        labels += [f"c{k}" for k in rng.choice(classes, size, p=share)]
    order = rng.permutation(len(labels))
    frame = pd.DataFrame({ROW_ID: np.arange(len(labels)), TARGET: np.array(labels)[order]})
    frame[GROUP] = groups[order]
    return Table(frame, Target(tuple(sorted(set(labels)))))


def divided(data, name, plan, seed, reasons):
    try:
        return make_splits("d", data, name, plan, seed)
    except Problem as problem:
        if not re.search(reasons, str(problem)):
            raise
        return None


PLANS = {
    "cv_5x2": Cv5x2(),
    "kfold": KFold.model_validate({"folds": 4}),
    "resampled": Resampled.model_validate({"repeats": 8, "test_size": 0.25}),
    "holdout": Holdout(),
}


@settings(deadline=None, max_examples=40)
@given(SIZES, st.integers(2, 4), st.integers(0, 2**31), st.sampled_from(sorted(PLANS)))
def test_no_group_is_on_both_sides(sizes, classes, seed, name):
    data = grouped_table(sizes, classes, seed)
    plan = PLANS[name].model_copy(update={"stratify": seed % 2 == 0})
    splits = divided(data, name, plan, seed, "class|too uneven")
    if splits is None:
        return
    groups = data.frame[GROUP].to_numpy()
    share = {"cv_5x2": 1 / 2, "kfold": 1 / 4, "resampled": 1 / 4, "holdout": 0.3}[name]
    for _, _, (train, test) in divisions(splits, plan):
        assert not set(groups[train]) & set(groups[test])
        assert len(train) + len(test) == len(groups)
        assert abs(len(test) / len(groups) - share) <= 0.02 + max(sizes) / len(groups)


def test_groups_keep_class_shares_when_they_can():
    """Far better than chance: groups of one class each, as patients of one diagnosis are."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(3, 12, 120)
    of_group = rng.choice(3, 120, p=[0.6, 0.3, 0.1])
    labels = np.repeat([f"c{k}" for k in of_group], sizes)
    frame = pd.DataFrame({ROW_ID: np.arange(len(labels)), TARGET: labels, "x": 0})
    frame[GROUP] = np.repeat(np.arange(120).astype(str), sizes)
    data = Table(frame, Target(("c0", "c1", "c2")))
    measured = {}
    for stratify in (True, False):
        plan = Cv5x2.model_validate({"stratify": stratify})
        splits = make_splits("d", data, "cv_5x2", plan, 3)
        quality = split_quality("d", data, "cv_5x2", plan, splits)
        measured[stratify] = quality["max_class_share_difference"]
        assert quality["method"] == "grouped"
        assert 0.3 < quality["overlap"]["mean"] < 0.7
    assert measured[True] < 0.03 < measured[False]


@settings(deadline=None, max_examples=40)
@given(st.integers(12, 200), st.integers(2, 8), st.integers(1, 50), st.integers(0, 2**31))
def test_folds_by_time_are_trained_on_the_past(rows, folds, spread, seed):
    rng = np.random.default_rng(seed)
    time = rng.integers(0, spread + folds + 1, rows)
    data = with_column(table([rows // 2, rows - rows // 2], seed), **{TIME: time})
    plan = KFold.model_validate({"folds": folds})
    splits = divided(data, "kfold", plan, 0, "different times|expected two classes")
    if splits is None:
        return
    tested = []
    for _, _, (train, test) in divisions(splits, plan):
        assert time[train].max() < time[test].min()
        assert len(train) == (time < time[test].min()).sum()
        tested += list(test)
    assert len(tested) == len(set(tested))
    assert min(time[tested]) > time.min()


def test_holdout_by_time_tests_the_last_rows():
    time = np.random.default_rng(1).permutation(100)
    for times, share, tested in ((time, 0.25, 25), (np.minimum(time, 80), 0.15, 20)):
        data = with_column(table([50, 50]), **{TIME: times})
        plan = Holdout(test_size=share)
        splits = make_splits("d", data, "holdout", plan, 0)
        ((_, _, (train, test)),) = divisions(splits, plan)
        assert len(test) == tested, "rows of one time are never separated"
        assert times[train].max() < times[test].min()


ROLLING = [f"repeat-1.fold-{fold}" for fold in (1, 2, 3)]


@pytest.mark.parametrize(
    ("time", "plan", "columns"),
    [(np.arange(40) // 2, KFold(folds=3), ROLLING), (None, Cv5x2(), [])],
)
def test_divisions_are_read_back(tmp_path, time, plan, columns):
    data = table([20, 20])
    if time is not None:
        data = with_column(data, **{TIME: time})
    splits = make_splits("d", data, "plan", plan, 0)
    assert [c for c in splits if c.startswith("repeat-1.")] == columns
    write_splits(tmp_path / "s.parquet", splits)
    for repeat, fold, split in divisions(splits, plan):
        for rows, kept in zip(split, read_split(tmp_path / "s.parquet", repeat, fold), strict=True):
            np.testing.assert_array_equal(rows, kept)
        if columns:
            assert len(split.train) == 10 * fold
        else:  # two folds of all rows are halves
            assert len(split.train) == 20
            assert sorted([*split.train, *split.test]) == list(range(40))


def test_column_says_what_is_tested():
    part = np.array(["fit", "check", "spare", "fit"] * 20)
    data = with_column(table([40, 40]), **{HOLDOUT: part})
    plan = Holdout(column="part", train=["fit"], test=["check"])
    splits = make_splits("d", data, "holdout", plan, 0)
    ((_, _, (train, test)),) = divisions(splits, plan)
    np.testing.assert_array_equal(train, np.flatnonzero(part == "fit"))
    np.testing.assert_array_equal(test, np.flatnonzero(part == "check"))
    quality = split_quality("d", data, "holdout", plan, splits)
    assert (quality["method"], quality["parts"][0]["unused"]) == ("column", 20)
    unknown = plan.model_copy(update={"test": ["test"]})
    with pytest.raises(Problem, match=r"holdout\.test: unknown value in 'part': 'test'"):
        make_splits("d", data, "holdout", unknown, 0)
    # the other plans do not care
    folds = make_splits("d", data, "kfold", PLANS["kfold"], 0)
    assert folds.equals(make_splits("d", table([40, 40]), "kfold", PLANS["kfold"], 0))


def test_test_file_is_for_the_holdout_alone():
    data = with_column(table([40, 40]), **{PART: np.repeat(["train", "test"], [60, 20])})
    splits = make_splits("d", data, "holdout", PLANS["holdout"], 0)
    ((_, _, (train, test)),) = divisions(splits, PLANS["holdout"])
    assert (list(train), list(test)) == (list(range(60)), list(range(60, 80)))
    splits = make_splits("d", data, "cv_5x2", PLANS["cv_5x2"], 0)
    for _, _, (train, test) in divisions(splits, PLANS["cv_5x2"]):
        assert sorted([*train, *test]) == list(range(60))


def lonely(*groups, of=10):
    """Make a table of some groups, of which these alone have the class c2."""
    frame = grouped_table([20] * of, 2, 1).frame
    frame.loc[frame[GROUP].isin(groups), TARGET] = "c2"
    return Table(frame, Target(("c0", "c1", "c2")))


THREE = grouped_table([20] * 3, 2, 1)
HELD = PLANS["holdout"]
PARTED = with_column(table([40, 40]), **{PART: np.repeat(["train", "test"], [60, 20])})
EARLY = {TIME: range(80, 0, -1)}
ONE = {TARGET: ["c0"] * 60 + ["c1"] * 20}
BOTH = {GROUP: ["a", "b"] * 40}
OWN = np.tile(["10", "2", "9"], 8)
AB = np.repeat(["a", "b"], 12)
BY_COLUMN = KFold(column="fold", folds=3)


def folded(folds, **columns):
    """Make a table of two classes with a column of folds."""
    frame = pd.DataFrame({ROW_ID: range(24), TARGET: AB, "x": range(24), FOLDS: folds})
    return Table(frame.assign(**columns), Target(("a", "b")))


MOST = r"\.kfold\.folds: 31 folds of the 30 rows of d: 30 at most"


@pytest.mark.parametrize(
    ("name", "plan", "data", "message"),
    [
        ("kfold", KFold(folds=31), table([5, 25]), MOST),
        ("cv_5x2", Cv5x2(), THREE, "groups: the groups are too few or too uneven for cv_5x2"),
        ("kfold", PLANS["kfold"], THREE, r"3 group\(s\) cannot be divided into the 4 parts of kfo"),
        ("holdout", HELD, lonely("g3"), "class 'c2' is found in one group only"),
        (
            "holdout",
            HELD,
            with_column(PARTED, **BOTH),
            r"2 group\(s\) are in both parts, first 'a'",
        ),
        ("holdout", HELD, with_column(PARTED, **EARLY), "20 of 20 rows for testing come before"),
        ("holdout", HELD, with_column(PARTED, **ONE), "the training part has only the class 'c0'"),
        ("kfold", BY_COLUMN, folded("1"), "'fold' of d holds a single value, '1'"),
        ("kfold", BY_COLUMN, folded([None, *OWN[1:]]), "1 of 24 rows of d have no value in 'fold'"),
        ("kfold", KFold(column="fold", folds=9), folded(OWN), "`folds` is 9: set `folds: 3`"),
        (
            "kfold",
            BY_COLUMN,
            folded(["1"] * 12 + ["2", "3"] * 6),
            "'a' of d occurs only in fold '1'",
        ),
    ],
)
def test_rows_that_a_plan_cannot_divide_are_refused(name, plan, data, message):
    with pytest.raises(Problem, match=message):
        make_splits("d", data, name, plan, 1)


@pytest.mark.parametrize(
    ("name", "plan", "message"),
    [
        ("cv_5x2", PLANS["cv_5x2"], "cv_5x2 divides rows at random, which `time` forbids"),
        ("resampled", PLANS["resampled"], "resampled divides rows at random"),
        ("kfold", KFold.model_validate({"repeats": 2}), "resampling.kfold.repeats: found 2"),
    ],
)
def test_plans_at_random_are_refused_with_time(name, plan, message):
    spec = {
        "source": "file",
        "path": "x.csv",
        "target": "y",
        "time": "t",
    }
    data = FileData.model_validate(spec)
    with pytest.raises(Problem, match=message):
        check_plan("d", data, name, plan)
    check_plan("d", data, "kfold", PLANS["kfold"])
    check_plan("d", data, "holdout", PLANS["holdout"])


def test_quality_is_that_of_the_files(tmp_path):
    keys = {"path": str(ROOT / "config/data/attrition.csv"), "target": "target"}
    data = load_table("a", FileData.model_validate({"source": "file", **keys}), 1)
    plan = PLANS["cv_5x2"]
    splits = make_splits("a", data, "cv_5x2", plan, 19)
    quality = split_quality("a", data, "cv_5x2", plan, splits)
    assert quality["rows"] == 1470
    assert quality["max_class_share_difference"] == 0.001361  # one row of 735
    first = quality["parts"][0]
    assert (first["train"]["rows"], first["test"]["rows"]) == (735, 735)
    tested = data.frame[TARGET][splits["repeat-1"] == 1]
    assert first["test"]["classes"] == {c: int((tested == c).sum()) for c in data.classes}
    overlap = quality["overlap"]
    shares = [pair["share"] for pair in overlap["pairs"]]
    assert overlap == {
        "expected": 0.5,
        "mean": round(sum(shares) / 10, 6),
        "min": min(shares),
        "max": max(shares),
        "pairs": overlap["pairs"],
    }
    first_half = set(np.flatnonzero(splits["repeat-1"] == 1))
    second_half = set(np.flatnonzero(splits["repeat-2"] == 1))
    share = round(len(first_half & second_half) / len(first_half), 6)
    assert overlap["pairs"][0] == {"repeats": [1, 2], "share": share}


HALVES = Halves.model_validate({"repeats": 3, "folds": 3, "full_repeats": 2})


def test_halves_are_disjoint_and_hold_every_row_and_class():
    data = table([40, 21])
    splits = make_splits("d", data, "halves", HALVES, 4).drop(columns=ROW_ID)
    assert list(splits) == [f"repeat-{i}" for i in range(1, 9)]
    for m in range(1, 7, 2):
        first = splits[f"repeat-{m}"].to_numpy()
        second = splits[f"repeat-{m + 1}"].to_numpy()
        assert ((first == NEITHER) == (second != NEITHER)).all()
        assert abs(int((first != NEITHER).sum()) - int((second != NEITHER).sum())) <= 1
        for half in (first, second):
            for label in (0, 1):
                counts = np.bincount(half[(half != NEITHER) & (data.codes == label)])[1:]
                assert len(counts) == 3
                assert counts.max() - counts.min() <= 1
    for i in (7, 8):
        assert set(splits[f"repeat-{i}"]) == {1, 2, 3}


def test_folds_that_cannot_be_alike_are_refused():
    rng = np.random.default_rng(0)
    sizes = [60, *[6] * 15]  # a fold with the largest group, four of some 23 rows
    labels = rng.permutation(np.repeat(["a", "b"], 75))
    frame = pd.DataFrame({ROW_ID: np.arange(150), TARGET: labels, "x": rng.normal(size=150)})
    frame[GROUP] = np.repeat([f"g{i}" for i in range(16)], sizes)
    data = Table(frame, Target(("a", "b")))
    five = KFold.model_validate({"folds": 5})
    with pytest.raises(Problem, match=r"its folds have \d+ to 60 rows.*'g0' has 60 of 150 rows"):
        make_splits("d", data, "kfold", five, 1)
    two = KFold.model_validate({"folds": 2})
    splits = make_splits("d", data, "kfold", two, 1)
    quality = split_quality("d", data, "kfold", two, splits)
    tested = [part["test"] for part in quality["parts"]]
    assert sorted(side["groups"] for side in tested) in ([3, 13], [4, 12])
    # the fold with the largest group is worth few groups: (Σn)²/Σn²
    uneven = min(tested, key=lambda side: side["effective_groups"])
    others = uneven["rows"] - 60
    assert uneven["effective_groups"] == round(uneven["rows"] ** 2 / (3600 + 6 * others), 2)


def test_numbers_are_told_from_the_median_of_the_training_rows():
    train = np.array([1.0, 2.0, 9.0])
    test = np.array([0.0, 5.0, 12.0])
    found = Target(numbers=True).off_constant(train, test)["off_median"]
    assert found == {"mean": 5.0, "median": 3.0}  # of 2, 3 and 10
    assert Target(numbers=True).off_constant(train[:0], test) == {}


def test_folds_of_a_column_are_taken_in_the_order_of_its_values(tmp_path):
    columns = {
        "x": range(24),
        "target": AB,
        "fold": OWN,
        "again": np.repeat([1, 2, 3], 8),
    }
    pd.DataFrame(columns).to_csv(tmp_path / "d.csv", index=False)
    spec = {
        "source": "file",
        "path": str(tmp_path / "d.csv"),
        "target": "target",
    }
    data = load_table("d", FileData.model_validate(spec), 0, {"kfold": "fold"})
    assert list(data.features) == ["x", "again"]
    splits = make_splits("d", data, "kfold", BY_COLUMN, 7)
    np.testing.assert_array_equal(splits["repeat-1"], np.tile([3, 1, 2], 8))
    assert splits.equals(make_splits("d", data, "kfold", BY_COLUMN, 8))
    quality = split_quality("d", data, "kfold", BY_COLUMN, splits)
    assert (quality["method"], quality["stratified"]) == ("column", False)
    sites = np.repeat(["n", "s", "n", "s", "w"], [6, 6, 2, 4, 6])  # of other sizes, and as groups
    data = folded(sites, **{GROUP: sites})
    splits = make_splits("d", data, "kfold", BY_COLUMN, 0)
    assert [len(split.test) for *_, split in divisions(splits, BY_COLUMN)] == [8, 10, 6]


def test_own_folds_are_checked_before_the_run(tmp_path):
    path = tmp_path / "d.csv"
    data = {
        "source": "file",
        "path": str(path),
        "target": "y",
    }

    def told(fold, **changes):
        pd.DataFrame({"x": range(24), "y": AB, "fold": fold}).to_csv(path, index=False)
        dummy = {"estimator": "sklearn.dummy.DummyClassifier"}
        config = {
            "experiment": "e",
            "datasets": {"d": data},
            "models": {
                "prior": {**dummy, "params": {"strategy": "prior"}},
                "uniform": {**dummy, "params": {"strategy": "uniform"}},
            },
            "resampling": {"kfold": {"column": "fold", "folds": 3}},
            "tests": {"run": ["corrected_kfold_t"]},
        }
        return messages(config | changes)

    assert told(OWN) == ""
    for changes, said in (
        ({"resampling": {"kfold": {"column": "fald"}}}, "column 'fald'; did you mean 'fold'?"),
        ({"resampling": {"kfold": {"column": "fold", "repeats": 3}}}, "`repeats` goes with drawn"),
        ({"datasets": {"d": data | {"time": "x"}}}, "resampling.kfold.column: d is divided by `ti"),
    ):
        assert said in told(OWN, **changes)
    lacks = np.r_[np.tile([1, 2], 6), np.tile([1, 2, 3], 4)]
    assert told(lacks) == ""
    hold(
        told(lacks, metrics=["f1_macro"]),
        "resampling.kfold.column: f1_macro needs two rows of each class in every fold: fold '3' of "
        "'fold' has 0 of class 'a' of d",
    )

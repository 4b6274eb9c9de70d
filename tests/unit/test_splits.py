"""Splits: every row once per repeat, classes and sizes balanced, seeded by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.data import ROW_ID, TARGET, Table, make_splits, read_split
from bakeoff.data.splits import write_splits
from bakeoff.errors import Problem
from bakeoff.spec.resampling import Cv5x2, Holdout, KFold, Plan, Resampled


def table(counts: list[int], seed: int = 0) -> Table:
    labels = np.repeat([f"c{i}" for i in range(len(counts))], counts)
    labels = np.random.default_rng(seed).permutation(labels)
    frame = pd.DataFrame({ROW_ID: np.arange(len(labels)), TARGET: labels, "x": 1.0})
    return Table(frame, tuple(f"c{i}" for i in range(len(counts))), {})


counts = st.lists(st.integers(8, 60), min_size=2, max_size=5)


@settings(deadline=None, max_examples=80)
@given(counts, st.integers(2, 4), st.integers(0, 2**31))
def test_folds_are_balanced(counts: list[int], folds: int, seed: int) -> None:
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


@settings(deadline=None, max_examples=80)
@given(counts, st.floats(0.25, 0.75), st.integers(0, 2**31))
def test_test_parts_have_their_share(counts: list[int], share: float, seed: int) -> None:
    data = table(counts)
    plan = Holdout.model_validate({"test_size": share})
    tested = make_splits("d", data, "holdout", plan, seed)["repeat-1"].to_numpy() == 1
    assert tested.sum() == round(sum(counts) * share)
    for code, count in enumerate(counts):
        assert abs(tested[data.codes == code].sum() - count * share) < 1


def test_replications_of_5x2_are_halves(tmp_path: Path) -> None:
    data = table([31, 20])
    splits = make_splits("d", data, "cv_5x2", Cv5x2.model_validate({}), 3)
    write_splits(tmp_path / "s.parquet", splits)
    for repeat in range(1, 6):
        first = read_split(tmp_path / "s.parquet", repeat, 1)
        second = read_split(tmp_path / "s.parquet", repeat, 2)
        assert set(first.train) == set(second.test)
        assert set(first.test) == set(second.train)
        assert sorted([*first.train, *first.test]) == list(range(51))


def test_seed_and_names_make_the_split() -> None:
    data, plan = table([30, 30]), Cv5x2.model_validate({})
    one = make_splits("d", data, "cv_5x2", plan, 1)
    assert one.equals(make_splits("d", data, "cv_5x2", plan, 1))
    assert not one.equals(make_splits("d", data, "cv_5x2", plan, 2))
    assert not one.equals(make_splits("other", data, "cv_5x2", plan, 1))


def test_more_repeats_leave_the_earlier_ones_alone() -> None:
    data = table([30, 30])
    few = make_splits("d", data, "resampled", Resampled.model_validate({"repeats": 3}), 1)
    many = make_splits("d", data, "resampled", Resampled.model_validate({"repeats": 9}), 1)
    assert many[list(few.columns)].equals(few)


def test_unstratified_split_differs_from_stratified() -> None:
    data = table([200, 8])
    plan = KFold.model_validate({"folds": 4, "stratify": False})
    folds = make_splits("d", data, "kfold", plan, 0)["repeat-1"]
    assert sorted(folds.value_counts()) == [52, 52, 52, 52]


@pytest.mark.parametrize(
    ("plan", "counts"),
    [
        (Cv5x2.model_validate({}), [30, 3]),
        (KFold.model_validate({"folds": 10}), [50, 19]),
        (Holdout.model_validate({"test_size": 0.1}), [100, 10]),
        (Resampled.model_validate({}), [100, 9]),
    ],
)
def test_small_class_is_refused(plan: Plan, counts: list[int]) -> None:
    with pytest.raises(Problem, match=r"datasets\.d: class 'c1' has \d+ row"):
        make_splits("d", table(counts), "plan", plan, 0)


def test_same_bytes_twice(tmp_path: Path) -> None:
    paths: list[Any] = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path in paths:
        write_splits(path, make_splits("d", table([9, 9]), "cv_5x2", Cv5x2.model_validate({}), 5))
    assert paths[0].read_bytes() == paths[1].read_bytes()

"""Folds that a column of the data gives: taken as they are, or refused in one message."""

import re

import numpy as np
import pandas as pd
import pytest

from bakeoff.data.splits import divisions, make_splits, split_quality
from bakeoff.data.table import load_table
from bakeoff.errors import Problem
from bakeoff.sources.file import FileData
from bakeoff.spec.resampling import KFold
from tests.conftest import hold, messages

ROWS = 24
FOLDS = np.tile([10, 2, 9], 8)
CLASSES = np.repeat(["a", "b"], 12)


@pytest.fixture
def made(tmp_path):
    def write(**columns):
        own = {"x": np.arange(ROWS), "y": CLASSES, "fold": FOLDS, "again": np.repeat([1, 2, 3], 8)}
        path = tmp_path / "d.csv"
        pd.DataFrame(own | columns).to_csv(path, index=False)
        return path

    return write


def loaded(path, *columns, **keys):
    spec = FileData.model_validate({"source": "file", "path": str(path), "target": "y", **keys})
    return load_table("d", spec, 0, {"kfold": columns})


def plan(column="fold", **keys):
    return KFold.model_validate({"column": column, "folds": 3, **keys})


def test_folds_are_taken_in_the_order_of_their_values(made):
    table = loaded(made(), "fold")
    assert list(table.features) == ["x", "again"]
    splits = make_splits("d", table, "kfold", plan(), 7)
    np.testing.assert_array_equal(splits["repeat-1"], np.tile([3, 1, 2], 8))
    assert splits.equals(make_splits("d", table, "kfold", plan(), 8))
    quality = split_quality("d", table, "kfold", plan(), splits)
    assert (quality["method"], quality["stratified"]) == ("column", False)


def test_folds_may_differ_in_size_and_keep_groups_apart(made):
    sites = np.repeat(["n", "s", "n", "s", "w"], [6, 6, 2, 4, 6])
    table = loaded(made(site=sites), "site", groups="site")
    splits = make_splits("d", table, "kfold", plan("site"), 0)
    assert [len(s.test) for *_, s in divisions(splits, plan("site"))] == [8, 10, 6]


@pytest.mark.parametrize(
    ("columns", "keys", "message"),
    [
        ({"fold": [1] * ROWS}, {}, "'fold' of d holds a single value, '1'"),
        ({"fold": [None, *FOLDS[1:]]}, {}, "1 of 24 rows of d have no value in 'fold' (first in"),
        ({}, {"folds": 10}, "'fold' of d holds 3 different values, `folds` is 10: set `folds: 3`"),
        ({"fold": [1] * 12 + [2, 3] * 6}, {}, "class 'a' of d occurs only in fold '1' of 'fold'"),
    ],
)
def test_bad_columns_are_refused(made, columns, keys, message):
    chosen = plan(**({"column": "fold"} | keys))
    table = loaded(made(**columns), chosen.column)
    with pytest.raises(Problem, match=rf"^resampling\.kfold\..*{re.escape(message)}"):
        make_splits("d", table, "kfold", chosen, 0)


def told(path, **changes):
    config = {
        "experiment": "e",
        "datasets": {"d": {"source": "file", "path": str(path), "target": "y"}},
        "models": {
            name: {"estimator": "sklearn.dummy.DummyClassifier", "params": {"strategy": name}}
            for name in ("prior", "uniform")
        },
        "resampling": {"kfold": {"column": "fold", "folds": 3}},
        "tests": {"run": ["corrected_kfold_t"]},
    }
    return messages(config | changes)


def test_own_folds_are_checked_before_the_run(made):
    path = made()
    assert told(path) == ""
    timed = {"source": "file", "path": str(path), "target": "y", "time": "x"}
    for changes, said in (
        ({"resampling": {"kfold": {"column": "fald"}}}, "column 'fald'; did you mean 'fold'?"),
        ({"resampling": {"kfold": {"column": "fold", "repeats": 3}}}, "`repeats` goes with drawn"),
        ({"datasets": {"d": timed}}, "resampling.kfold.column: d is divided by `time`"),
    ):
        assert said in told(path, **changes)
    lacks = made(fold=np.r_[np.tile([1, 2], 6), np.tile([1, 2, 3], 4)])
    assert told(lacks) == ""
    hold(
        told(lacks, metrics=["f1_macro"]),
        "resampling.kfold.column: f1_macro needs two rows of each class in every fold: fold '3' of "
        "'fold' has 0 of class 'a' of d",
    )

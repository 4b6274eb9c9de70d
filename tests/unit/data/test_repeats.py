"""Rows that repeat others, and columns that look like ids of groups."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.data import describe
from bakeoff.data.describe import (
    BLOCKS,
    NAMED,
    group_columns,
    is_running_number,
    pairs_by_chance,
    row_digests,
    why_groups,
)
from tests.conftest import ROOT


def fine(n=60, width=5):
    values = np.random.default_rng(0).normal(size=(n, width))
    frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(width)])
    return frame.assign(word=[f"w{i}" for i in range(n)])


def test_values_are_alike_as_people_see_them():
    frame = fine(4)
    frame.loc[0, "x0"], frame.loc[1, "x0"] = 0.0, -0.0
    frame.loc[[2, 3], ["x1", "word"]] = [np.nan, None]
    for a, b in ((0, 1), (2, 3)):
        rest = [c for c in frame if c not in ("x0" if a == 0 else "x1",)]
        frame.loc[b, rest] = frame.loc[a, rest]
    frame.loc[3, "x0"] = frame.loc[2, "x0"]
    assert len(set(row_digests(frame))) == 2
    assert len(set(row_digests(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]})))) == 2
    nothing = pd.DataFrame(index=range(5))
    assert (len(set(row_digests(nothing))), pairs_by_chance(nothing)) == (5, 0)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=2, max_size=30))
def test_digests_are_those_of_equal_rows(rows):
    _, digests = np.unique(row_digests(pd.DataFrame(rows)), return_inverse=True)
    _, equal = np.unique(np.array(rows), axis=0, return_inverse=True)
    assert (np.equal.outer(digests, digests) == np.equal.outer(equal, equal)).all()


def test_coarse_features_repeat_by_chance():
    coarse = pd.DataFrame(np.random.default_rng(1).integers(0, 2, (200, 6)))
    # 200·199/2 pairs, each alike in all of six coins with probability 2^-6
    assert pairs_by_chance(coarse) == pytest.approx(19_900 / 64, rel=0.1)
    assert pairs_by_chance(fine()) < 1e-6


def test_rows_have_the_same_hashes_however_many_are_hashed_at_once(monkeypatch):
    frame = fine().astype({"x0": "float32"}).assign(day=pd.date_range("2024-05-31", periods=60))
    whole = row_digests(frame)
    monkeypatch.setattr(describe, "_TOGETHER", 7)
    np.testing.assert_array_equal(row_digests(frame), whole)


def columns_of(frame, without=()):
    return {found["column"]: found["why"] for found in group_columns(frame, without)}


def test_columns_of_group_ids_are_found():
    n = 300
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "patient_id": rng.permutation(n) // 5,
            "Speaker": rng.integers(0, 12, n).astype(str),
            "batch": np.arange(n) // 20,
            "village": np.repeat([f"v{i}" for i in rng.permutation(30)], 10),
            "target": np.arange(n) // 3,
        }
    )
    found = columns_of(frame, ("target",))
    named, blocks = dict.fromkeys(("patient_id", "Speaker"), NAMED), ("batch", "village")
    assert found == named | dict.fromkeys(blocks, BLOCKS)
    assert group_columns(frame, ("target",))[0]["groups"] == 60


def test_ordinary_columns_are_no_group_ids():
    n = 300
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "id": np.arange(n),
            "age": rng.integers(18, 90, n),
            "sorted_age": np.sort(rng.integers(18, 90, n)),
            "number_customer_service_calls": rng.integers(0, 12, n),
            "city": rng.choice([f"c{i}" for i in range(40)], n),
            "price": rng.normal(size=n),
            "session_length": rng.integers(0, 50, n),
            "site": rng.choice(["a", "b", "c"], n),
            "group": np.where(rng.random(n) < 0.1, None, rng.integers(0, 40, n).astype(str)),
        }
    )
    assert columns_of(frame) == {}


@pytest.mark.parametrize("name", ["attrition.csv", "penguins.csv", "arrhythmia.csv.gz"])
def test_shipped_data_give_no_false_alarm(name):
    frame = pd.read_csv(ROOT / "config" / "data" / name)
    assert columns_of(frame) == {}
    assert len(set(row_digests(frame))) == len(frame)


def test_the_speaker_of_the_vowels_is_found_under_any_name():
    frame = pd.read_csv(ROOT / "config" / "data" / "vowel.csv")
    assert columns_of(frame, ("vowel",)) == {"speaker": NAMED}
    unnamed = frame.rename(columns={"speaker": "V1"}).sort_values("V1")
    assert columns_of(unnamed, ("vowel",)) == {"V1": BLOCKS}


RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("name", "values", "running"),
    [
        ("nr", np.tile(np.arange(1, 151), 4), True),  # starts again in each of four files
        ("Unnamed: 0", np.tile(np.arange(150), 4), True),
        ("row_number", RNG.permutation(np.tile(np.arange(1, 301), 2)), True),  # shuffled
        ("any", np.arange(600) + 17, True),
        ("patient_no", RNG.integers(1, 60, 600), False),
        ("customer_id", RNG.integers(0, 100, 600), False),
        ("site", np.repeat(np.arange(30), 20), False),
    ],
)
def test_running_numbers_are_no_groups(name, values, running):
    column = pd.Series(values, name=name)
    assert is_running_number(column, name) is running
    assert not running or why_groups(column, name) == ""
    found = group_columns(pd.DataFrame({name: values}), ())
    assert bool(found) is not running
    assert name != "patient_no" or why_groups(column, name) == NAMED

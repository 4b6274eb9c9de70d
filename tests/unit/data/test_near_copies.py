"""Rows that are others with noise are noticed, and those of ordinary data are not."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
)

from bakeoff.data.near_copies import near_copies
from tests.conftest import ROOT


def copied(cases, times, columns, noise=0.01, seed=0):
    """Draw cases and classes, and repeat both with noise on the columns, in any order."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(cases, columns))
    y = (x[:, 0] + rng.normal(size=cases) > 0).astype(int)
    rows = rng.permutation(np.repeat(np.arange(cases), times))
    noisy = x[rows] + noise * rng.normal(size=(len(rows), columns))
    return noisy, y[rows], x[rows, 0]


@pytest.mark.parametrize(
    ("cases", "times", "columns"), [(50, 3, 6), (100, 2, 4), (50, 10, 6), (60, 2, 30)]
)
@pytest.mark.parametrize("seed", range(3))
def test_copies_with_noise_are_found(cases, times, columns, seed):
    x, y, numbers = copied(cases, times, columns, seed=seed)
    frame = pd.DataFrame(x)
    n = cases * times
    assert near_copies(frame, pd.Series(y)) >= 0.4 * n
    noisy = numbers + 0.01 * np.random.default_rng(seed).normal(size=n)
    assert near_copies(frame, pd.Series(noisy)) >= 0.4 * n
    assert near_copies(1e6 * frame + 3, pd.Series(y)) == near_copies(frame, pd.Series(y))
    texts = frame.assign(city=np.where(numbers > 0, "a", "b"), n=np.round(numbers).astype(int))
    assert near_copies(texts, pd.Series(y)) > 0


def test_copies_are_of_one_class_and_equal_in_all_categories():
    x, y, _ = copied(50, 3, 6)
    rng = np.random.default_rng(1)
    assert near_copies(pd.DataFrame(x), pd.Series(rng.integers(0, 2, 150))) == 0
    others = pd.DataFrame(x).assign(city=rng.choice([*"abcdefgh"], 150))
    assert near_copies(others, pd.Series(y)) == 0
    exact = pd.DataFrame(np.repeat(rng.normal(size=(50, 6)), 3, axis=0))
    assert near_copies(exact, pd.Series(np.repeat(y[:50], 3))) == 0, "these are told apart"


def ordinary():
    """Draw rows that are no copies, of many shapes, in one class."""
    rng = np.random.default_rng(0)
    scales = rng.choice([0.01, 1], (300, 1))
    centres = rng.normal(size=(3, 4))[rng.integers(0, 3, 300)]
    time = np.linspace(0, 9, 400)
    curve = np.column_stack([np.sin(time * k) for k in range(1, 5)])
    for n_rows in (40, 300):
        for n_columns in (1, 2, 3, 6, 60):
            yield rng.normal(size=(n_rows, n_columns))
    yield rng.integers(0, 20, (60, 4))
    yield rng.integers(0, 3, (300, 6)).astype(float)
    yield rng.integers(0, 1000, (300, 4))
    yield rng.normal(size=(300, 2)).round(1)
    yield np.stack(np.meshgrid(*[np.arange(7.0)] * 3), axis=-1).reshape(-1, 3)
    yield rng.standard_t(1.5, (300, 5))
    yield np.exp(2 * rng.normal(size=(300, 5)))
    yield rng.normal(size=(300, 5)) * scales
    yield 0.05 * rng.normal(size=(300, 4)) + centres
    yield np.cumsum(rng.normal(size=(300, 4)), axis=0)
    yield curve + 0.001 * rng.normal(size=curve.shape)
    yield rng.normal(size=(300, 1)) @ rng.normal(size=(1, 6))
    yield np.eye(5)[rng.integers(0, 5, 300)]


@pytest.mark.parametrize("rows", list(ordinary()))
def test_ordinary_rows_are_no_copies(rows):
    assert near_copies(pd.DataFrame(rows), pd.Series(np.zeros(len(rows), dtype=int))) == 0


@pytest.mark.parametrize(
    "load", [load_iris, load_wine, load_breast_cancer, load_digits, load_diabetes]
)
def test_known_data_hold_none(load):
    x, y = load(return_X_y=True)
    assert near_copies(pd.DataFrame(x), pd.Series(y)) == 0


@pytest.mark.parametrize(
    ("file", "target"),
    [("attrition.csv", "Attrition"), ("concrete.csv", "strength"), ("vowel.csv", "vowel"),
     ("arrhythmia.csv.gz", "target"), ("penguins.csv", "target")],
)  # fmt: skip
def test_shipped_data_hold_none(file, target):
    frame = pd.read_csv(ROOT / "config/data" / file)
    if target not in frame:
        target = frame.columns[-1]
    y = frame.pop(target)
    if y.dtype.kind != "f":
        y = pd.Series(pd.factorize(y)[0])
    assert near_copies(frame, y) == 0


def test_large_tables_are_asked_in_part_and_alike_each_time():
    x, y, _ = copied(30_000, 2, 5)
    found = near_copies(pd.DataFrame(x), pd.Series(y))
    assert found > 3_000
    assert near_copies(pd.DataFrame(x), pd.Series(y)) == found

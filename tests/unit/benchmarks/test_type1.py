import numpy as np
import pytest

from benchmarks.type1.learners import (
    NEIGHBOUR_ACCURACY,
    nearest_centroid,
    nearest_neighbour,
    true_accuracy,
)
from benchmarks.type1.refits import refits
from benchmarks.type1.settings import SETTINGS
from benchmarks.type1.trials import Row, run


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.title)
def test_rejection_rates_are_as_expected(setting):
    rows = list(run(setting, replications=160, seed=2024))
    assert rows
    surprises = {
        f"{row.trial.test} {row.trial.label}": (row.rate, row.interval)
        for row in rows
        # a short run: only a rate that its interval puts beyond doubt is a surprise
        if not (row.as_expected or (row.trial.expected == "liberal" and row.interval[1] > 0.06))
    }
    assert not surprises


def test_the_same_seed_gives_the_same_rates():
    setting = next(s for s in SETTINGS if "randomised" in s.title)
    first, again, other = ([row.rejected for row in run(setting, 30, seed)] for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_wilson_interval_of_a_rate():
    row = Row(SETTINGS[0], SETTINGS[0].trials[0], 200, 10, 0)
    # Wilson (1927) for 10 of 200
    assert row.interval == pytest.approx((0.02738, 0.08958), abs=1e-5)


def test_algorithms_under_the_null_have_one_accuracy():
    draw = refits(nearest_centroid, same_features=False)
    means = np.mean(
        [
            [np.mean(scores) for scores in draw(np.random.default_rng([7, i]))["10-fold"]]
            for i in range(150)
        ],
        axis=0,
    )
    assert means[0] == pytest.approx(means[1], abs=0.01)
    assert means == pytest.approx([true_accuracy(180)] * 2, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("rows", NEIGHBOUR_ACCURACY)
def test_accuracy_of_the_nearest_neighbour(rows):
    rng, found = np.random.default_rng(3), []
    for _ in range(200):
        y, tested = np.repeat([0, 1], rows // 2), np.repeat([0, 1], 200)
        sample = np.concatenate([y, tested])
        x = rng.normal(size=(len(sample), 6)) + 0.35 * (2 * sample[:, None] - 1)
        train = np.arange(len(sample))[None, :] < rows
        right = nearest_neighbour(x, sample, train, rng)
        found.append(right[0, rows:].mean())
    assert np.mean(found) == pytest.approx(NEIGHBOUR_ACCURACY[rows], abs=0.007)

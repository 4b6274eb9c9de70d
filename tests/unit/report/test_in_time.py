"""Rows in the order of time, and few groups: the verdict warns of what was measured here."""

import numpy as np
import pandas as pd
import pytest
from scipy import signal

from bakeoff import compare
from bakeoff.stats import catalogue


def verdict(right, **related):
    """Compare models that are right where `right` (N, M) says so."""
    truth = np.arange(len(right)) % 2
    models = {f"m{m}": np.where(column, truth, 1 - truth) for m, column in enumerate(right.T)}
    frame = pd.DataFrame(models).map({0: "no", 1: "yes"}.get)
    labels = pd.Series(truth).map({0: "no", 1: "yes"}.get)
    return " ".join(compare(labels, frame, **related).verdict.split())


def better(n, models, seed=0):
    """Draw models of which the first is better, of independent rows."""
    rates = np.full(models, 0.6)
    rates[0] = 0.85
    return np.random.default_rng(seed).random((n, models)) < rates


@pytest.mark.parametrize("models", [2, 3, 6, 10])
def test_clear_win_in_time_is_a_win_without_a_warning(models):
    said = verdict(better(600, models), time=np.arange(600))
    which = "better than m1" if models == 2 else f"the best of the {models} models"
    assert said.startswith(f"m0 is {which}")
    assert "Diebold-Mariano test" in said
    assert "aution" not in said
    assert "Caution" not in said


def test_dependence_that_is_measured_is_warned_of():
    rng = np.random.default_rng(5)
    tilt = signal.lfilter([1.0], [1.0, -0.97], rng.normal(size=400)) / 4
    right = np.stack([tilt + rng.normal(size=400) * 0.5 > -2, tilt < -1], axis=1)
    said = verdict(right, time=np.arange(400))
    assert said.startswith("m0 seems better than m1")
    assert "Caution: the Diebold-Mariano test has an inflated type I error here:" in said
    assert "above 0.7 the test rejects too often" in said
    third = np.stack([np.ones(400, bool), tilt < -1, rng.random(400) < 0.5], axis=1)
    assert "inflated type I error here in 2 of 3 comparisons" in verdict(third, time=np.arange(400))


def test_too_few_groups_for_so_many_models_say_what_would_help():
    groups = np.arange(700) // 100
    said = verdict(better(700, 6), groups=groups)
    assert (
        "No result could have been significant, because the smallest possible adjusted p-value in "
        "7 groups with 15 comparisons is .234, above 0.05; at least 10 groups or at most 3 models "
        "would be needed, and more rows of the same groups do not help." in said
    )
    assert "more data would be needed" not in said
    assert "fewer observations than the test needs" not in said
    said = verdict(better(1000, 6), groups=np.arange(1000) // 100)
    assert "No result could" not in said
    assert said.startswith("m0 is the best of the 6 models")


def scores_in_time(models, lasting, **more):
    """Compare scores of the positive class, the first model's with long good spells or better."""
    rng, n = np.random.default_rng(6), 800
    truth, shift = rng.integers(0, 2, n), np.full((n, models), 0.6)
    shift[:, 0] = 1.4
    if lasting:
        shift[:, 0] += np.sin(np.arange(n) / 40)
    scores = (2 * truth[:, None] - 1) * shift + rng.normal(size=(n, models))
    chances = pd.DataFrame(1 / (1 + np.exp(-scores)), columns=[f"m{m}" for m in range(models)])
    found = compare(truth, chances, time=np.arange(n), metrics="roc_auc", **more)
    return " ".join(found.verdict.split())


@pytest.mark.parametrize("lasting", [False, True])
def test_blocks_of_time_warn_where_their_dependence_is_measured(lasting):
    said = scores_in_time(2, lasting)
    assert "8 blocks of time" in said
    assert said.startswith("m0 seems better" if lasting else "m0 is better")
    assert ("times that of independent blocks" in said) is lasting


def test_blocks_of_time_that_cannot_tell_so_many_models_apart_are_called_so():
    said = scores_in_time(6, lasting=False, correction="holm")
    assert "p-value in 8 blocks of time with 15 comparisons is" in said


def test_numbers_in_time_are_compared_by_their_long_run_variance():
    rng = np.random.default_rng(1)
    losses = pd.DataFrame(rng.gamma(2, size=(300, 6)), columns=[f"m{m}" for m in range(6)])
    losses["m0"] *= 0.5
    said = compare(None, losses, values="lower", time=np.arange(300)).verdict
    assert said.startswith("m0 is the best of the 6 models")
    assert "Diebold-Mariano test of a value per row" in said
    assert catalogue()["mean_difference"].in_time == "diebold_mariano_means"

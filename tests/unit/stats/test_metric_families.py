"""Many models on one test set by any metric: all pairs, the best, planning."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.stats import (
    MetricPower,
    Status,
    all_pairs,
    best_by_values,
    best_models,
    mean_difference,
    metric_difference,
)
from bakeoff.stats.core.pairs import compact_letters
from bakeoff.stats.metrics.family import compare_models


def study(n: int = 200, models: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return truth and what models of growing skill predict, rows × models."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    skill = np.linspace(0.5, 1.5, models)
    scores = y[:, None] * skill + 0.6 * rng.normal(size=(n, 1)) + 0.8 * rng.normal(size=(n, models))
    return y, (scores > 0.5).astype(int)


def test_one_pair_needs_no_adjustment():
    y, said = study(models=2)
    (pair,) = compare_models(y, said, metric="f1").pairs
    alone = metric_difference(y, said[:, 0], said[:, 1], metric="f1")
    assert (pair.statistic, pair.pvalue) == (alone.statistic, alone.pvalue)
    assert pair.pvalue_adjusted == pytest.approx(alone.pvalue, abs=0.005)
    assert list(pair.ci) == pytest.approx(list(alone.ci), abs=0.005)


def test_model_without_a_value_leaves_its_pairs_alone():
    y, said = study()
    said[:, 1] = 0
    result = compare_models(y, said, metric="precision")
    by_pair = {(pair.a, pair.b): pair for pair in result.pairs}
    assert by_pair[0, 1].status is Status.UNDEFINED
    assert math.isnan(by_pair[0, 1].pvalue_adjusted)
    assert by_pair[0, 2].status is Status.OK
    assert "no row is predicted 1" in result.details["reasons"][1]


def test_simultaneous_intervals_are_wider():
    y, said = study()
    together = compare_models(y, said, metric="f1").pairs
    alone = compare_models(y, said, metric="f1", simultaneous=False).pairs
    assert all(
        t.ci.high - t.ci.low > 1.1 * a.ci.high - 1.1 * a.ci.low
        for t, a in zip(together, alone, strict=True)
    )


def test_one_sided_family_looks_one_way():
    y, said = study(seed=2)
    less = compare_models(y, said, metric="f1", control=0, alternative="less").pairs
    greater = compare_models(y, said, metric="f1", control=0, alternative="greater").pairs
    assert less[-1].pvalue_adjusted < 0.01
    assert greater[-1].pvalue_adjusted > 0.9
    assert less[-1].ci.low == -math.inf


def test_values_are_the_pairs_of_mean_difference():
    rng = np.random.default_rng(5)
    values, groups = rng.exponential(size=(80, 3)), np.repeat(np.arange(20), 4)
    result = all_pairs("mean_difference", values, greater_is_better=False, groups=groups)
    for pair in result.pairs:
        alone = mean_difference(
            values[:, pair.a],
            values[:, pair.b],
            greater_is_better=False,
            groups=groups,
            variant="t_and_flips",
        )
        assert (pair.estimate, pair.df) == pytest.approx((alone.estimate, alone.df))
        assert pair.pvalue == pytest.approx(alone.pvalue)


# --------------------------------------------------------------------------------- the best


def test_best_are_those_not_shown_worse():
    y, said = study(n=1000, models=5)
    result = best_models(y, said, metric="f1")
    assert np.argmax(result.scores) in result.members
    assert 0 not in result.members


def test_identical_models_are_all_best():
    y, said = study(models=1)
    result = best_models(y, np.repeat(said, 3, axis=1), metric="f1")
    assert result.members == (0, 1, 2)
    assert result.pvalues == (1.0, 1.0, 1.0)


def test_losses_are_best_when_small():
    rng = np.random.default_rng(7)
    losses = rng.exponential(size=(400, 3)) * [1.0, 2.0, 3.0]
    result = best_by_values(losses, greater_is_better=False)
    assert result.members == (0,)
    assert result.scores == pytest.approx(-losses.mean(axis=0))


@given(
    models=st.integers(2, 7),
    different=st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12),
)
def test_letters_are_shared_by_those_that_no_test_tells_apart(models, different):
    pairs = {(min(p), max(p)) for p in different if p[0] != p[1] and max(p) < models}
    groups = compact_letters(models, pairs)
    for a, b in itertools.combinations(range(models), 2):
        together = any({a, b} <= group for group in groups)
        assert together == ((a, b) not in pairs)
    assert not any(g < h for g in groups for h in groups)


# --------------------------------------------------------------------------------- planning


def test_pilot_is_taken_with_caution():
    y, said = study(n=60, models=2)
    pilot = metric_difference(y, said[:, 0], said[:, 1], metric="f1")
    careful, bold = (MetricPower.from_pilot(pilot, cautious=cautious) for cautious in (True, False))
    assert careful.sd > 1.07 * bold.sd


def test_a_perfect_model_beats_one_that_is_always_wrong():
    y = np.resize([0, 1], 100)
    coin = np.resize([0, 0, 1, 1], 100)
    for third in (coin, 1 - y):
        table = np.stack([y, 1 - y, third], axis=1)
        found = all_pairs("metric_difference", y, table, metric="f1")
        for pair in found.pairs[:2]:
            assert pair.pvalue <= pair.pvalue_adjusted < 0.01

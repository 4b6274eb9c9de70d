"""Many models on one test set by any metric: all pairs, the best, planning."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff import stats
from bakeoff.stats.core.pairs import compact_letters
from bakeoff.stats.metrics.family import compare_models


def study(n=200, models=4, seed=0):
    """Return truth and what models of growing skill predict, rows × models."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    skill = np.linspace(0.5, 1.5, models)
    scores = y[:, None] * skill + 0.6 * rng.normal(size=(n, 1)) + 0.8 * rng.normal(size=(n, models))
    return y, (scores > 0.5).astype(int)


def test_model_without_a_value_leaves_its_pairs_alone():
    y, said = study()
    said[:, 1] = 0
    result = compare_models(y, said, metric="precision")
    by_pair = {(pair.a, pair.b): pair for pair in result.pairs}
    assert by_pair[0, 1].status is stats.Status.UNDEFINED
    assert math.isnan(by_pair[0, 1].pvalue_adjusted)
    assert by_pair[0, 2].status is stats.Status.OK
    assert "no row is predicted 1" in result.details["reasons"][1]


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
    result = stats.all_pairs("mean_difference", values, greater_is_better=False, groups=groups)
    for pair in result.pairs:
        alone = stats.mean_difference(
            values[:, pair.a],
            values[:, pair.b],
            greater_is_better=False,
            groups=groups,
            variant="t_and_flips",
        )
        assert (pair.estimate, pair.df) == pytest.approx((alone.estimate, alone.df))
        assert pair.pvalue == pytest.approx(alone.pvalue)


# --------------------------------------------------------------------------------- the best


def test_losses_are_best_when_small():
    rng = np.random.default_rng(7)
    losses = rng.exponential(size=(400, 3)) * [1.0, 2.0, 3.0]
    result = stats.best_by_values(losses, greater_is_better=False)
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
    pilot = stats.metric_difference(y, said[:, 0], said[:, 1], metric="f1")
    careful, bold = (
        stats.MetricPower.from_pilot(pilot, cautious=cautious) for cautious in (True, False)
    )
    assert careful.sd > 1.07 * bold.sd


def test_a_perfect_model_beats_one_that_is_always_wrong():
    y = np.resize([0, 1], 100)
    coin = np.resize([0, 0, 1, 1], 100)
    for third in (coin, 1 - y):
        table = np.stack([y, 1 - y, third], axis=1)
        found = stats.all_pairs("metric_difference", y, table, metric="f1")
        for pair in found.pairs[:2]:
            assert pair.pvalue <= pair.pvalue_adjusted < 0.01


def test_a_model_that_does_not_vary_leaves_the_draws_of_others_alone():
    rng = np.random.default_rng(1)
    y, groups, shown = rng.integers(0, 2, 60), np.arange(60) // 7, rng.uniform(0.2, 0.8, (60, 3))
    steps = set()
    for constant in (0.99, 0.98, 0.97, 0.95, 0.9):  # its losses differ by rounding alone
        shown[:, 0] = np.where(y == 1, constant, 1 - constant)
        how = {"metric": "log_loss", "groups": groups, "n_resamples": 199}
        family = stats.all_pairs("metric_difference", y, shown, **how)
        steps.add(float(family.details["single_step"][-1]))
    assert len(steps) == 1

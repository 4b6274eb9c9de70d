"""Many models: all pairs, corrections, families of a metric, the best ones."""

import itertools
import math
import tracemalloc
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from bakeoff import stats
from bakeoff.stats import adjust_pvalues, all_pairs, best_by_values, best_models
from bakeoff.stats.core.pairs import compact_letters
from bakeoff.stats.core.result import AGREE
from bakeoff.stats.metrics.family import compare_models


def random_matrix(seed, n=60, models=4):
    rng = np.random.default_rng(seed)
    return rng.uniform(size=(n, models)) < rng.uniform(0.3, 1, size=models)


def test_intervals_are_simultaneous_unless_asked_otherwise():
    x = random_matrix(6)
    together = all_pairs("mcnemar", x)
    alone = all_pairs("mcnemar", x, simultaneous=False)
    assert together.details["confidence_level_each"] == pytest.approx(1 - 0.05 / 6)
    for wide, narrow in zip(together.pairs, alone.pairs, strict=True):
        assert wide.ci.low <= narrow.ci.low <= narrow.estimate <= narrow.ci.high <= wide.ci.high


def test_memory_stays_that_of_the_input():
    x = random_matrix(8, n=40_000, models=15)
    tracemalloc.start()
    all_pairs("mcnemar", x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000  # rows × models × models would be 9 million values


def test_plain_data_of_a_family_carry_its_own_checks():
    """An interval that excludes 0 does not disagree with a test of equivalence within a margin."""
    chances = np.random.default_rng(0).random((100, 3))
    correct = np.repeat((chances < [0.8, 0.8, 0.81]).astype(int), 20, axis=0)
    result = all_pairs("tost_paired", correct, margin=0.2)
    assert any(pair.ci.excludes(0) for pair in result.pairs)
    assert AGREE not in {check.name for check in result.assumptions}
    assert result.to_dict()["assumptions"] == [asdict(check) for check in result.assumptions]


FREE = ("none", "bonferroni", "holm", "hochberg", "hommel", "sidak", "holm-sidak", "BH", "BY")


@pytest.mark.parametrize("method", FREE)
def test_missing_pvalue_stays_and_counts_as_one(method):
    p = [0.01, math.nan, 0.03, 0.2]
    adjusted = adjust_pvalues(p, method)
    assert np.isnan(adjusted).tolist() == [False, True, False, False]
    as_one = adjust_pvalues([0.01, 1.0, 0.03, 0.2], method)
    assert adjusted[[0, 2, 3]].tolist() == as_one[[0, 2, 3]].tolist()
    assert adjust_pvalues([1e-300, 0.5], "sidak")[0] == pytest.approx(2e-300)


def study(n=200, models=4, seed=0):
    """Return truth and what models of growing skill predict, rows × models."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    skill = np.linspace(0.5, 1.5, models)
    scores = y[:, None] * skill + 0.6 * rng.normal(size=(n, 1)) + 0.8 * rng.normal(size=(n, models))
    return y, (scores > 0.5).astype(int)


def test_model_without_a_value_leaves_its_pairs_alone():
    y, predicted = study()
    predicted[:, 1] = 0
    result = compare_models(y, predicted, metric="precision")
    first, second, *_ = result.pairs
    assert (first.status, second.status) == (stats.Status.UNDEFINED, stats.Status.OK)
    assert math.isnan(first.pvalue_adjusted)
    assert "no row is predicted 1" in result.details["reasons"][1]


def test_one_sided_family_looks_one_way():
    less, greater = (
        compare_models(*study(seed=2), metric="f1", control=0, alternative=side).pairs[-1]
        for side in ("less", "greater")
    )
    assert less.pvalue_adjusted < 0.01 < 0.9 < greater.pvalue_adjusted
    assert less.ci.low == -math.inf


def test_values_in_groups_are_the_pairs_of_mean_difference():
    values = np.random.default_rng(5).exponential(size=(80, 3))
    how = {"greater_is_better": False, "groups": np.repeat(np.arange(20), 4)}
    for pair in stats.all_pairs("mean_difference", values, **how).pairs:
        a = values[:, pair.a]
        b = values[:, pair.b]
        alone = stats.mean_difference(a, b, **how, variant="t_and_flips")
        assert (pair.estimate, pair.pvalue) == pytest.approx((alone.estimate, alone.pvalue))


PAIRS = [*itertools.combinations(range(7), 2)]


@given(st.sets(st.sampled_from(PAIRS), max_size=12))
def test_letters_are_shared_by_those_that_no_test_tells_apart(different):
    groups = compact_letters(7, different)
    for a, b in PAIRS:
        assert any({a, b} <= group for group in groups) == ((a, b) not in different)
    assert not any(g < h for g in groups for h in groups)


@pytest.mark.parametrize("third", [np.resize([0, 0, 1, 1], 100), np.resize([1, 0], 100)])
def test_a_perfect_model_beats_one_that_is_always_wrong(third):
    y = np.resize([0, 1], 100)
    family = stats.all_pairs("metric_difference", y, np.stack([y, 1 - y, third], 1), metric="f1")
    for pair in family.pairs[:2]:
        assert pair.pvalue <= pair.pvalue_adjusted < 0.01


def test_a_model_that_does_not_vary_leaves_the_draws_of_others_alone():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    groups = np.arange(60) // 7
    shown = rng.uniform(0.2, 0.8, (60, 3))
    steps = set()
    for constant in (0.99, 0.98, 0.97, 0.95, 0.9):  # its losses differ by rounding alone
        shown[:, 0] = np.where(y == 1, constant, 1 - constant)
        how = {"metric": "log_loss", "groups": groups, "n_resamples": 199}
        family = stats.all_pairs("metric_difference", y, shown, **how)
        steps.add(float(family.details["single_step"][-1]))
    assert len(steps) == 1


def area_study(seed, positives, n, area=0.95):
    """Draw scores of five models with one area and unlike spreads."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < positives).astype(int)
    sigma = 0.5 * 4 ** np.linspace(0, 1, 5)
    mu = scipy_stats.norm.ppf(area) * np.sqrt(1 + sigma**2)
    noise = np.sqrt(0.6) * rng.normal(size=(n, 1)) + np.sqrt(0.4) * rng.normal(size=(n, 5))
    return y, np.where(y[:, None] == 1, mu + sigma * noise, noise)


def test_a_best_model_is_in_the_set_where_the_one_that_leads_is_lucky():
    how = {"metric": "roc_auc", "n_resamples": 499}
    kept = [0 in best_models(*area_study(seed, 40, 800), **how).members for seed in range(150)]
    assert sum(kept) >= 138


def test_below_twenty_rows_of_a_class_nobody_leaves():
    y, scores = area_study(1, 19, 400)
    scores[:, 4] = -scores[:, 4]
    best = best_models(y, scores, metric="roc_auc", n_resamples=999)
    assert (best.members, all(map(math.isnan, best.pvalues))) == ((0, 1, 2, 3, 4), True)
    (broken,) = (a for a in best.assumptions if a.holds is False)
    assert "19 rows of the rarest class" in broken.detail
    enough = best_models(*area_study(1, 120, 400), metric="roc_auc", n_resamples=999)
    assert all(a.holds is not False for a in enough.assumptions)


def test_losses_that_few_rows_carry_leave_nobody_out():
    rng = np.random.default_rng(0)
    losses = np.exp(2.5 * rng.normal(size=(60, 3)))
    best = best_by_values(losses, greater_is_better=False, n_resamples=999)
    assert (best.members, all(map(math.isnan, best.pvalues))) == ((0, 1, 2), True)
    assert "below 20 no model is left out, below 60 the set" in best.assumptions[-1].detail
    even = rng.random((400, 3)) * [1, 2, 3]
    best = best_by_values(even, greater_is_better=False, n_resamples=999)
    assert (best.members, any(map(math.isnan, best.pvalues))) == ((0,), False)
    assert best.scores == pytest.approx(-even.mean(axis=0))

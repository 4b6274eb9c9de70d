"""Rows in groups: sign flips, degrees of freedom, and groups of which one dominates."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff import stats
from bakeoff.stats.core.distributions import signed_sums
from bakeoff.stats.design.groups import (
    GroupSums,
    all_sign_sums,
    flip_tails,
    joint_flip,
    subset_limits,
    symmetric_differences,
)

SIDES = ("two-sided", "greater", "less")


def uneven(seed, groups=12, leaning=0.0, models=2):
    """Rows of groups that lean to one model, the first group with three tenths of them."""
    rng = np.random.default_rng(seed)
    sizes = np.array([groups * 4, *[10] * (groups - 1)])
    codes = np.repeat(np.arange(groups), sizes)
    u = np.clip(rng.choice([-0.8, 0.8], (groups, models)) + leaning * np.arange(models), -1, 1)
    correct = rng.random((len(codes), models)) < 0.6 + 0.3 * u[codes]
    truth = rng.integers(0, 2, len(codes))
    return codes, truth, correct


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(6, 300), side=st.sampled_from(SIDES))
def test_one_row_per_group_is_mcnemars_test(seed, n, side):
    a, b = np.random.default_rng(seed).random((2, n)) < 0.7
    ours = stats.mcnemar(a, b, groups=np.arange(n), alternative=side)
    theirs = stats.mcnemar(a, b, alternative=side)
    assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-12)
    exact = stats.mcnemar(a, b, variant="exact", alternative=side).pvalue
    assert ours.details["pvalue_exact"] == pytest.approx(exact, rel=1e-12)
    assert ours.estimate == theirs.estimate
    assert ours.design_effect == pytest.approx(1.0)


def test_a_difference_of_areas_is_at_most_1():
    codes = np.repeat(np.arange(7), 4)
    y = np.arange(28) % 2
    for seed in range(10):
        right = y + np.random.default_rng(seed).normal(0, 0.3, 28)
        right[codes == 0] *= -2  # one group says the opposite
        found = stats.delong(y, right, -right, groups=codes).ci
        turned = stats.delong(y, -right, right, groups=codes).ci
        assert (found.high, turned.low) == (1, -1)


@settings(max_examples=60, deadline=None)
@given(
    sums=st.lists(st.integers(-9, 9).filter(bool), min_size=1, max_size=14),
    unit=st.sampled_from([1, 2, 30]),
)
def test_tails_are_those_of_all_signs(sums, unit):
    d = np.array(sums, dtype=float) * unit
    every = all_sign_sums(np.abs(d))
    tails = flip_tails(d, n_resamples=0, seed=0)
    assert tails.equal == pytest.approx((every == abs(d.sum())).mean(), rel=1e-11)
    assert tails.above == pytest.approx((every > abs(d.sum())).mean(), rel=1e-11, abs=1e-15)


def test_far_tails_keep_their_digits():
    d = np.array([1, 2, 3, 4, 5] * 20)
    d[:4] = -1
    probability = signed_sums(np.abs(d))  # added one by one, not inverted
    observed = (np.abs(d).sum() + d.sum()) // 2
    tails = flip_tails(d, n_resamples=0, seed=0)
    assert tails.above == pytest.approx(probability[observed + 1 :].sum(), rel=1e-10)
    assert tails.above < 1e-20
    assert tails.equal == pytest.approx(probability[observed], rel=1e-10)


def test_draws_agree_with_all_signs():
    a = np.random.default_rng(5).normal(0.3, 1, 26)
    options = {"n_resamples": 4_000, "seed": 3, "groups": np.arange(26)}
    drawn = stats.mean_difference(a, np.zeros(26), **options)
    assert drawn.details["method"] == "draws"
    # the same sums in thousandths are whole numbers: the distribution is exact
    exact = stats.mean_difference(np.rint(a * 1000), np.zeros(26), groups=np.arange(26))
    assert exact.details["method"] == "exact"
    assert drawn.pvalue == pytest.approx(exact.pvalue, abs=4 * drawn.details["monte_carlo_error"])


def test_costs_of_one_are_the_numeric_test_of_right_and_wrong():
    codes, _, correct = uneven(4)
    a, b = correct.T
    truth = np.ones(len(a), dtype=int)
    ours = stats.cost_sensitive(truth, a.astype(int), b.astype(int), groups=codes)
    theirs = stats.mcnemar(a, b, groups=codes)
    assert ours.pvalue == pytest.approx(theirs.pvalue)
    assert ours.estimate == pytest.approx(theirs.estimate)


def test_accuracy_of_one_row_each_is_wilsons_interval_with_a_t_quantile():
    right = np.arange(4000) < 3000
    result = stats.binomial_test(right, groups=np.arange(4000))
    assert list(result.ci) == pytest.approx(list(stats.proportion_ci(3000, 4000)), abs=1e-5)


def test_identical_models_among_several_count_once_in_robust_f():
    codes, _, values = uneven(6, 40, models=3)
    doubled = np.column_stack([values, values[:, 0]])
    one = stats.cochran_q(values, groups=codes, variant="robust_f")
    two = stats.cochran_q(doubled, groups=codes, variant="robust_f")
    assert two.details["wald"] == pytest.approx(one.details["wald"])
    assert two.pvalue == pytest.approx(one.pvalue)


def test_the_observed_signs_count_as_one_draw_more():
    rng = np.random.default_rng(5)
    better = rng.uniform(1, 2, 40)  # no other signs give as large a sum
    tails = flip_tails(better, n_resamples=99, seed=0)
    assert tails.pvalue("two-sided", exact=True) == pytest.approx(0.02)
    assert tails.pvalue("two-sided", exact=False) == pytest.approx(0.01)
    joint = joint_flip(np.column_stack([better, 0 * better, 0 * better]), n_resamples=99, seed=0)
    assert (joint.exact, joint.pvalue) == pytest.approx((0.01, 0.005))


@pytest.mark.parametrize("groups", [9, 12])
def test_limits_are_where_the_sign_flip_test_rejects(groups):
    rng = np.random.default_rng(groups)
    sums = rng.normal(0.3, 1, groups)
    sizes = rng.integers(1, 9, groups).astype(float)
    low, high = map(float, subset_limits(sums, sizes, 0.025))

    def p(value):
        return flip_tails(sums - value * sizes, n_resamples=0, seed=0).pvalue("two-sided")

    assert p(low - 1e-6) < 0.05 < p(low + 1e-6)
    assert p(high + 1e-6) < 0.05 < p(high - 1e-6)


def _results(codes, truth, correct, side):
    a, b = correct.T
    predicted = [np.where(right, truth, 1 - truth) for right in (a, b)]
    scores = [p + 0.1 * np.sin(np.arange(len(p)) * (i + 1)) for i, p in enumerate(predicted)]
    shared = {"groups": codes, "alternative": side}
    yield stats.mcnemar(a, b, **shared)
    yield stats.mean_difference(*scores, n_resamples=999, **shared)
    yield stats.cost_sensitive(truth, *predicted, cost=[[0, 1], [3, 0]], **shared)
    yield stats.delong(truth, *scores, **shared)
    yield stats.mean_difference(*scores, **shared, variant="t_and_flips")
    for metric in ("f1", "balanced_accuracy", "mcc", "roc_auc"):
        if metric == "roc_auc":
            said = scores
        else:
            said = predicted
        yield stats.metric_difference(truth, *said, metric=metric, labels=[0, 1], **shared)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("groups", [8, 30])
def test_p_and_interval_agree(groups, side):
    seen = set()
    for seed in range(12):
        codes, truth, correct = uneven(seed, groups, 0.5 * (seed % 3))
        if side == "greater":
            better_first = correct[:, ::-1]
        else:
            better_first = correct
        for result in _results(codes, truth, better_first, side):
            assert (result.ci.low <= 0 <= result.ci.high) == (result.pvalue >= 0.05)
            end = {"less": -result.ci.low, "greater": result.ci.high}.get(side, 1)
            assert end in (1, 2, math.inf)  # where differences end, those of mcc at 2
            seen.add((result.test, result.pvalue < 0.05))
    assert len(seen) > 8  # both cases of most tests


def test_intervals_of_all_pairs_agree_with_adjusted_p():
    for seed in range(6):
        codes, truth, correct = uneven(seed, 15, 0.3, models=4)
        predicted = np.where(correct, truth[:, None], 1 - truth[:, None])
        drawn = {"groups": codes, "n_resamples": 999}
        for family in (
            stats.all_pairs("mcnemar", correct, groups=codes),
            stats.all_pairs("metric_difference", truth, predicted, **drawn),
            stats.all_pairs("mean_difference", correct.astype(float), **drawn),
        ):
            for pair in family.pairs:
                assert (pair.ci.low <= 0 <= pair.ci.high) == (pair.pvalue_adjusted >= 0.05)
                assert pair.pvalue_adjusted >= pair.pvalue


@pytest.mark.parametrize(
    ("groups", "bad", "holds"),
    [(12, 0, None), (30, 0, None), (30, 3, False), (100, 0, True), (100, 8, False), (12, 1, None)],
)
def test_a_few_groups_against_the_estimate_are_told(groups, bad, holds):
    sizes = np.full(groups, 10.0)
    sums = 1.0 + np.tile([0.2, -0.2], groups)[:groups]
    sums[:bad] = -9.0
    sums += max(0.0, 0.05 * groups - sums.sum()) / groups  # so that the estimate stays above 0
    assert symmetric_differences(sizes, sums).holds is holds
    assert symmetric_differences(sizes, -sums).holds is holds
    if bad:  # the same groups on the estimate's side are no danger
        sums[:bad] = 12.0
        assert symmetric_differences(sizes, sums).holds is not False


@pytest.mark.parametrize("seed", range(8))
def test_intervals_of_one_model_hold_the_limits_of_subsets_of_groups(seed):
    codes, truth, correct = uneven(seed, 20, models=1)
    said = np.where(correct[:, 0], truth, 1 - truth)
    values = correct[:, 0] + 0.1 * np.sin(np.arange(len(said)))
    means = GroupSums(np.bincount(codes, values), np.bincount(codes).astype(float))
    found = [(stats.mean_ci(values, groups=codes), means)]
    for metric in ("f1", "balanced_accuracy", "roc_auc"):
        rows = {"metric": metric, "groups": codes, "labels": [0, 1]}
        of_groups = stats.influence(truth, said, **rows).of_groups
        found.append((stats.metric_ci(truth, said, **rows), of_groups))
    for result, groups in found:
        low, high = map(float, subset_limits(groups.sums, groups.shares, 0.025))
        assert result.ci.low - 1e-12 <= low <= high <= result.ci.high + 1e-12
        assert result.ci.method == "subset_hull"

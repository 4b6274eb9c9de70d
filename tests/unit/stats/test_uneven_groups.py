"""Intervals and tests on groups of which one dominates: they agree, and one group misleads none."""

import numpy as np
import pytest

from bakeoff import stats
from bakeoff.stats.design.groups import GroupSums, flip_tails, subset_limits, symmetric_differences


def uneven(seed, groups=12, leaning=0.0, models=2):
    """Rows of groups that lean to one model, the first group with three tenths of them."""
    rng = np.random.default_rng(seed)
    sizes = np.array([groups * 4, *[10] * (groups - 1)])
    codes = np.repeat(np.arange(groups), sizes)
    u = np.clip(rng.choice([-0.8, 0.8], (groups, models)) + leaning * np.arange(models), -1, 1)
    correct = rng.random((len(codes), models)) < 0.6 + 0.3 * u[codes]
    truth = rng.integers(0, 2, len(codes))
    return codes, truth, correct


@pytest.mark.parametrize("groups", [9, 12])
def test_limits_are_where_the_sign_flip_test_rejects(groups):
    rng = np.random.default_rng(groups)
    sums, sizes = rng.normal(0.3, 1, groups), rng.integers(1, 9, groups).astype(float)
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
    yield stats.mean_difference(scores[0], scores[1], n_resamples=999, **shared)
    yield stats.cost_sensitive(truth, *predicted, cost=[[0, 1], [3, 0]], **shared)
    yield stats.delong(truth, *scores, **shared)
    yield stats.mean_difference(*scores, **shared, variant="t_and_flips")
    for metric in ("f1", "balanced_accuracy", "mcc"):
        yield stats.metric_difference(truth, *predicted, metric=metric, labels=[0, 1], **shared)
    yield stats.metric_difference(truth, *scores, metric="roc_auc", labels=[0, 1], **shared)


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("groups", [8, 30])
def test_p_and_interval_agree(groups, side):
    seen = set()
    for seed in range(12):
        codes, truth, correct = uneven(seed, groups, 0.5 * (seed % 3))
        better_first = correct[:, ::-1] if side == "greater" else correct
        for result in _results(codes, truth, better_first, side):
            assert (result.ci.low <= 0 <= result.ci.high) == (result.pvalue >= 0.05)
            seen.add((result.test, result.pvalue < 0.05))
    assert len(seen) > 8  # both cases of most tests


def test_intervals_of_all_pairs_agree_with_adjusted_p():
    for seed in range(6):
        codes, truth, correct = uneven(seed, 15, 0.3, models=4)
        predicted = np.where(correct, truth[:, None], 1 - truth[:, None])
        for family in (
            stats.all_pairs("mcnemar", correct, groups=codes),
            stats.all_pairs("metric_difference", truth, predicted, groups=codes, n_resamples=999),
            stats.all_pairs(
                "mean_difference", correct.astype(float), groups=codes, n_resamples=999
            ),
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
        assert result.ci.low <= low + 1e-12
        assert high - 1e-12 <= result.ci.high
        assert result.ci.method == "subset_hull"


def test_intervals_of_one_model_in_many_groups_alike_are_students():
    rng = np.random.default_rng(0)
    values, codes = rng.normal(size=9000), np.repeat(np.arange(3000), 3)
    assert stats.mean_ci(values, groups=codes).ci.method == "t"

"""Means over fixed tasks: their variance by hand, pseudo-rows, groups, and all pairs of models."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from bakeoff import stats
from bakeoff.stats import Status, all_pairs, suite_difference, suite_mean_difference

RNG = np.random.default_rng(5)
TASKS = np.repeat(["a", "b", "c"], [40, 25, 60])
VALUES = RNG.normal(size=(125, 3)) + np.array([0.3, 0.1, 0.0])


def test_two_tasks_are_welchs_t_of_one_and_of_the_other_turned():
    two = TASKS != "c"
    d = VALUES[two, 0] - VALUES[two, 1]
    found = suite_mean_difference(VALUES[two, 0], VALUES[two, 1], tasks=TASKS[two])
    first, second = d[TASKS[two] == "a"], -d[TASKS[two] == "b"]
    welch = scipy_stats.ttest_ind(first, second, equal_var=False)
    assert found.statistic == pytest.approx(welch.statistic)
    assert found.pvalue == pytest.approx(welch.pvalue)
    assert found.df == pytest.approx(welch.df)


def test_runs_of_an_item_are_one_observation():
    once = suite_mean_difference(VALUES[:, 0], VALUES[:, 1], tasks=TASKS)
    twice = np.repeat(np.arange(125), 2)
    doubled = suite_mean_difference(
        VALUES[twice, 0], VALUES[twice, 1], tasks=TASKS[twice], groups=twice
    )
    assert doubled.pvalue == pytest.approx(once.pvalue)
    assert list(doubled.ci) == pytest.approx(list(once.ci))


def test_groups_that_cross_tasks_are_the_strata():
    documents = np.concatenate([np.arange(40) % 20, np.arange(25) % 20, np.arange(60) % 20])
    found = suite_mean_difference(VALUES[:, 0], VALUES[:, 1], tasks=TASKS, groups=documents)
    assert found.df == pytest.approx(19)
    assert np.isnan(found.details["heterogeneity"])


def test_a_task_without_differences_is_not_known_exactly():
    right = np.ones(60, dtype=int)
    tasks = np.repeat(["x", "y"], 30)
    found = suite_difference(right, right, right, labels=[0, 1], tasks=tasks)
    assert (found.status, found.pvalue) == ("no_discordant_pairs", 1)
    assert found.ci.low < 0 < found.ci.high


def test_areas_are_means_of_the_areas_in_the_tasks():
    y = np.tile([0, 1], 60)
    tasks = np.repeat(["x", "y"], [80, 40])
    a, b = RNG.uniform(size=(2, 120)) + y * 0.3
    found = suite_difference(y, a, b, metric="roc_auc", tasks=tasks)
    by_task = [
        stats.metric_difference(y[tasks == t], a[tasks == t], b[tasks == t], metric="roc_auc")
        for t in "xy"
    ]
    assert found.details["of_tasks"] == pytest.approx([one.estimate for one in by_task])
    variance = sum(one.details["se"] ** 2 for one in by_task) / 4
    assert found.details["se"] == pytest.approx(variance**0.5)


def test_a_task_without_a_class_has_no_area():
    y = np.repeat([0, 1, 1], 20)
    tasks = np.repeat(["x", "x", "y"], 20)
    found = suite_difference(y, np.arange(60), np.arange(60)[::-1], metric="roc_auc", tasks=tasks)
    assert found.status == "undefined"
    assert "in task y" in str(found.assumptions)


def test_all_pairs_are_adjusted_by_the_largest_t():
    family = all_pairs("suite_mean_difference", VALUES, tasks=TASKS)
    for pair in family.pairs:
        alone = suite_mean_difference(VALUES[:, pair.a], VALUES[:, pair.b], tasks=TASKS)
        assert pair.pvalue == pytest.approx(alone.pvalue)
        assert pair.pvalue <= pair.pvalue_adjusted <= 3 * pair.pvalue + 0.01
        assert pair.ci.low < alone.ci.low < alone.ci.high < pair.ci.high
    versus = all_pairs("suite_mean_difference", VALUES, tasks=TASKS, control=2)
    assert [(pair.a, pair.b) for pair in versus.pairs] == [(2, 0), (2, 1)]


@pytest.mark.parametrize("weights", ["tasks", "items", {"a": 1, "b": 2, "c": 3}])
def test_the_other_mean_stands_beside(weights):
    found = suite_mean_difference(VALUES[:, 0], VALUES[:, 1], tasks=TASKS, weights=weights)
    other = "items" if weights == "tasks" else "tasks"
    beside = suite_mean_difference(VALUES[:, 0], VALUES[:, 1], tasks=TASKS, weights=other)
    assert found.details["other"]["estimate"] == pytest.approx(beside.estimate)


def test_losses_are_turned():
    found = suite_mean_difference(VALUES[:, 0], VALUES[:, 1], tasks=TASKS)
    turned = suite_mean_difference(
        -VALUES[:, 0], -VALUES[:, 1], tasks=TASKS, greater_is_better=False
    )
    assert turned.estimate == pytest.approx(found.estimate)
    assert turned.details["value_a"] == pytest.approx(-found.details["value_a"])


def test_a_task_within_one_group_does_not_seem_to_be_known_exactly():
    # its influences sum up to 0 in the group; groups of whole tasks had a p-value of .001
    rng = np.random.default_rng(4)
    tasks = np.repeat(np.arange(6), 60)
    a, b = rng.integers(0, 2, (2, 360))
    found = suite_mean_difference(a, b, tasks=tasks, groups=tasks // 2)
    assert (found.status, math.isnan(found.pvalue), found.ci) == (Status.TOO_FEW, True, None)
    crossed = suite_mean_difference(a, b, tasks=tasks, groups=np.arange(360) % 20)
    assert crossed.status is Status.OK


def test_pairs_of_many_models_are_flipped_together():
    scores = np.random.default_rng(3).normal(size=(9, 32))
    of_leader = all_pairs("wilcoxon_signed_rank", scores, correction="sign-flips", leader_only=True)
    everything = all_pairs("wilcoxon_signed_rank", scores, correction="sign-flips")
    by_pair = {frozenset((pair.a, pair.b)): pair.pvalue_adjusted for pair in everything.pairs}
    assert len(of_leader.pairs) == 31
    for pair in of_leader.pairs:
        assert pair.pvalue_adjusted == by_pair[frozenset((pair.a, pair.b))]


def test_equal_differences_are_tested_by_welch():
    rng = np.random.default_rng(8)
    sizes = [12, 30, 7, 50]
    values = rng.normal(0, np.repeat([1, 2, 0.5, 1], sizes))
    tasks = np.repeat(list("abcd"), sizes)
    found = stats.suite_mean_difference(values, 0 * values, tasks=tasks)
    parts = [values[tasks == task] for task in "abcd"]
    weights = np.array([len(part) / part.var(ddof=1) for part in parts])
    means = np.array([part.mean() for part in parts])
    shares = weights / weights.sum()
    spread = np.sum((1 - shares) ** 2 / (np.array(sizes) - 1))
    between = np.sum(weights * (means - shares @ means) ** 2) / 3
    welch = scipy_stats.f.sf(between / (1 + 2 * 2 / 15 * spread), 3, 15 / (3 * spread))
    assert found.details["heterogeneity"] == pytest.approx(welch)


def test_equal_differences_of_many_small_tasks_are_rarely_called_unequal():
    rng = np.random.default_rng(2)
    tasks = np.repeat(np.arange(57).astype(str), 20)
    called = 0
    for _ in range(100):
        a, b = rng.normal(size=(2, len(tasks)))
        found = stats.suite_mean_difference(a, b, tasks=tasks)
        called += found.details["heterogeneity"] < 0.05
    assert called <= 11

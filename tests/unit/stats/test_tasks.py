"""The difference of two models in the mean over fixed tasks."""

import numpy as np
import pytest
from scipy import stats

from bakeoff.stats import ArgumentError, Status, macro_difference, macro_limits


def drawn(seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=60), rng.normal(size=60), np.repeat(["x", "y"], [20, 40])


def test_of_two_tasks_it_is_welchs_t():
    a, b, tasks = drawn()
    d = a - b
    found = macro_difference(a, b, tasks)
    welch = stats.ttest_ind(d[:20], -d[20:], equal_var=False)
    assert found.estimate == pytest.approx((d[:20].mean() + d[20:].mean()) / 2)
    assert found.df == pytest.approx(welch.df)
    assert found.estimate / found.se == pytest.approx(welch.statistic)
    low, high = stats.t.interval(0.9, found.df, found.estimate, found.se)
    limits = macro_limits(found)  # each the wider one of t and Hall's
    assert limits.low <= low + 1e-12
    assert limits.high >= high - 1e-12
    assert min(low - limits.low, limits.high - high) == pytest.approx(0, abs=1e-12)


def test_formula_of_three_tasks_and_direction():
    rng = np.random.default_rng(0)
    sizes = [30, 50, 400]
    tasks = np.repeat([0, 1, 2], sizes)
    a = rng.gamma(1, size=480)
    b = rng.gamma(1, size=480)
    found = macro_difference(a, b, tasks)
    parts = np.split(a - b, np.cumsum(sizes)[:-1])
    assert found.se == pytest.approx(np.sqrt(sum(p.var(ddof=1) / len(p) for p in parts)) / 3)
    assert found.rows == (30, 50, 400)
    other = macro_difference(a, b, tasks, greater_is_better=False)
    assert (other.estimate, other.se) == pytest.approx((-found.estimate, found.se))
    order = rng.permutation(480)
    again = macro_difference(a[order], b[order], tasks[order])
    assert macro_limits(again) == macro_limits(found) or again.se == pytest.approx(
        found.se, rel=1e-12
    )


def test_groups_within_tasks_are_their_sums():
    a, b, tasks = drawn()
    twice = [np.repeat(one, 2) for one in (a, b, tasks)]
    groups = np.repeat(np.arange(60), 2)
    alone = macro_difference(a, b, tasks)
    doubled = macro_difference(*twice, groups=groups)
    assert (doubled.se, doubled.df) == pytest.approx((alone.se, alone.df))
    assert macro_limits(doubled).low == pytest.approx(macro_limits(alone).low)
    # groups with rows of several tasks: one sum for each, over all tasks
    across = macro_difference(a, b, tasks, groups=np.arange(60) % 30)
    residuals = (a - b) - np.where(tasks == "x", (a - b)[:20].mean(), (a - b)[20:].mean())
    parts = residuals / np.where(tasks == "x", 20, 40) / 2
    sums = np.bincount(np.arange(60) % 30, parts)
    assert across.se == pytest.approx(np.sqrt(30 / 29 * np.sum(sums**2)))
    assert across.df == pytest.approx(29)


def test_right_and_wrong_rows_without_a_difference_are_not_known_exactly():
    same = np.tile([1, 0], 50)
    found = macro_difference(same, same, np.repeat(["x", "y"], 50))
    assert (found.estimate, found.status) == (0, Status.OK)
    # of each task 1/4 of a row to each cell: two halves of rows of difference 1 or −1
    assert found.se == pytest.approx(np.sqrt(2 * (50 / 49) * 0.5 / 51**2) / 2)
    assert macro_limits(found).low < 0 < macro_limits(found).high
    numbers = macro_difference(same * 0.5, same * 0.5, np.repeat(["x", "y"], 50))
    assert numbers.status is Status.IDENTICAL_SCORES
    assert np.isnan(macro_limits(numbers).low)


def test_what_has_no_limits():
    few = macro_difference([0.1, 0.2, 0.4], [0.3, 0.1, 0.2], ["x", "y", "y"])
    assert (few.status, np.isnan(few.se)) == (Status.TOO_FEW, True)
    small = macro_difference(np.arange(10) ** 0.5, np.arange(10) / 3, np.arange(10) % 2)
    assert small.status is Status.TOO_FEW
    with pytest.raises(ArgumentError, match="found 1 task, expected two"):
        macro_difference([1, 0], [0, 1], ["x", "x"])
    with pytest.raises(ValueError, match="tasks"):
        macro_difference([1, 0], [0, 1], ["x"])


@pytest.mark.parametrize("shift", [0, -0.8])
def test_a_candidate_at_the_limit_is_rarely_above_it(shift):
    rng = np.random.default_rng(11)
    worse = 0.1 * (1 - shift) / 2
    better = 0.1 * (1 + shift) / 2
    tasks = np.repeat([0, 1, 2], [60, 100, 200])
    above = 0
    for _ in range(600):
        draws = rng.random(360)
        a = (draws >= worse).astype(int)
        b = ((draws < worse) | (draws >= worse + better)).astype(int)
        above += macro_limits(macro_difference(a, b, tasks)).low > better - worse
    assert above / 600 < 0.075

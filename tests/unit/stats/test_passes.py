"""Several tries at an item: at least one of k is right, or all of them."""

from itertools import combinations

import numpy as np
import pytest

import bakeoff
from bakeoff import stats
from benchmarks import few_rows


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_shares_of_all_draws(k):
    for c in range(6):
        draws = list(combinations([1] * c + [0] * (5 - c), k))
        assert stats.pass_at([c], [5], k)[0] == pytest.approx(np.mean([max(d) for d in draws]))
        assert stats.pass_hat([c], [5], k)[0] == pytest.approx(np.mean([min(d) for d in draws]))
    assert stats.pass_at([1, 3000], [3000, 3000], 1500).tolist() == [0.5, 1.0]


def test_compare_takes_one_value_of_each_item():
    rng = np.random.default_rng(1)
    items = rng.permutation(np.arange(200) % 50)
    runs = rng.integers(0, 2, (2, 200))
    marks = {"a": runs[0], "b": np.maximum(*runs)}
    half = items % 10 == 1
    found = bakeoff.compare(
        None, marks, values="right", groups=items, metrics="pass^2", subgroups={"half": half}
    )
    right = [np.bincount(items, passed) for passed in marks.values()]
    expected = stats.mean_difference(*(stats.pass_hat(each, np.full(50, 4), 2) for each in right))
    pair = found.to_frame().iloc[0]
    assert (pair["estimate"], pair["pvalue"]) == pytest.approx((expected.estimate, expected.pvalue))
    assert (pair["n"], pair["metric"]) == (50, "pass_hat_2")
    assert set(found.subgroups["n"]) == {50, 5, 45}


def test_gate_takes_one_value_of_each_item():
    rng = np.random.default_rng(2)
    items = np.tile(np.arange(60), 4)
    runs = rng.integers(0, 2, (2, 240))
    base = runs[0]
    candidate = np.maximum(*runs)
    asked = {"values": "right", "groups": items, "margin": 0.02}
    found = bakeoff.gate(None, base, candidate, **asked, metrics="pass@2")
    right = [np.bincount(items, passed) for passed in (candidate, base)]
    expected = stats.mean_difference(*(stats.pass_at(each, np.full(60, 4), 2) for each in right))
    assert found.overall.limits.estimate == pytest.approx(expected.estimate)
    assert (found.overall.limits.n, str(found.decision)) == (60, "ship")
    assert found.label == "pass@2"
    with pytest.raises(bakeoff.UserError, match=r"metrics: .*expected a number"):
        bakeoff.gate(None, base, candidate, **asked, metrics="pass^0")


TOGETHER = ("accuracy", "pass@1", "pass@3", "pass^3")


def _shares(right, runs):
    """Return the share of each item by each of the metrics that are asked for together."""
    return {
        "mean_accuracy": right / runs,
        "pass_at_1": right / runs,
        "pass_at_3": stats.pass_at(right, runs, 3),
        "pass_hat_3": stats.pass_hat(right, runs, 3),
    }


@pytest.mark.parametrize("tasks", [1, 3])
def test_accuracy_and_passes_are_compared_together_each_by_its_own_shares(tasks):
    rng = np.random.default_rng(4)
    items = rng.permutation(np.repeat(np.arange(60), rng.integers(3, 7, 60)))
    marks = {name: rng.integers(0, 2, len(items)) for name in "abc"}
    marks["c"] |= marks["a"]
    task = np.array(["t", "u", "v"])[np.arange(60) % tasks]
    options = {}
    if tasks > 1:
        options["tasks"] = task[items]
    asked = {"values": "right", "groups": items, **options}
    table = bakeoff.compare(None, marks, metrics=TOGETHER, **asked).comparisons
    runs = np.bincount(items)
    shares = [_shares(np.bincount(items, passed), runs) for passed in marks.values()]
    assert list(dict.fromkeys(table["metric"])) == list(shares[0])
    exact, drawn = ["estimate", "pvalue"], ["ci_low", "ci_high", "pvalue_adjusted"]
    for name, metric in zip(shares[0], ("pass@1", *TOGETHER[1:]), strict=True):
        lines = table[table["metric"] == name]
        alone = bakeoff.compare(None, marks, metrics=metric, **asked).comparisons
        assert lines[exact].to_numpy() == pytest.approx(alone[exact].to_numpy())
        assert lines[drawn].to_numpy() == pytest.approx(alone[drawn].to_numpy(), abs=0.005)
        means = []
        for of_model in shares:
            by_task = [of_model[name][task == one].mean() for one in np.unique(task)]
            means.append(np.mean(by_task))
        estimates = [first - second for first, second in combinations(means, 2)]
        assert lines["estimate"].tolist() == pytest.approx(estimates)


def test_gate_by_several_passes():
    rng = np.random.default_rng(2)
    items = np.tile(np.arange(60), 6)
    base, candidate = rng.integers(0, 2, (2, 360))
    asked = {"values": "right", "groups": items, "metrics": {"pass@1": 0.2, "pass^2": 0.1}}
    found = bakeoff.gate(None, base, candidate, **asked)
    assert [one.label for one in found.each] == ["pass@1", "pass^2"]
    for one, metric in zip(found.each, asked["metrics"], strict=True):
        alone = bakeoff.gate(
            None,
            base,
            candidate,
            values="right",
            groups=items,
            metrics=metric,
            margin=asked["metrics"][metric],
        )
        assert one.overall.limits.estimate == alone.overall.limits.estimate
    assert found.against_itself.runs == 6


ITEMS = {"values": "right", "metrics": "pass@2", "groups": [0, 1] * 4}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pass_at": 2}, "^compare: unknown argument 'pass_at' .allowed: "),
        ({"values": "higher", "metrics": "pass@2"}, "metrics: pass@2 is about runs that are right"),
        ({"values": "right", "metrics": "pass@2"}, "groups: found None, expected the items"),
        ({"values": "right", "metrics": ["pass@2", "f1"]}, "metrics: f1 is not about runs"),
        ({**ITEMS, "metrics": "pass^9"}, "pass.9 wants 9 runs of each"),
        ({**ITEMS, "subgroups": {"g": [0, 1, 1, 0] * 2}}, "'g' differs between runs of an item"),
    ],
)
def test_mistakes_are_told(options, said):
    with pytest.raises(bakeoff.UserError, match=said):
        bakeoff.compare(None, {"a": [0, 1] * 4, "b": [1, 1, 0, 0] * 2}, **options)


@pytest.mark.parametrize(
    ("beta", "items", "k", "runs"),
    [(60, 50, 1, (1, 20)), (30, 20, 3, (3, 30)), (60, 20, 5, (5, 50))],
)
def test_rare_passes_of_unequal_numbers_of_runs_are_told(beta, items, k, runs):
    found = few_rows.of_rare_passes(beta, items, k, runs, 300)
    assert found["rejected"] > 30
    assert found["silent"] <= 6


@pytest.mark.parametrize("better", [True, False])
@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_items_that_are_all_passed_or_failed_are_right_or_wrong(better, side):
    for only_a, only_b in ((5, 0), (3, 8), (0, 0)):
        a = np.arange(20) < only_a
        b = np.arange(20) >= 20 - only_b
        found = stats.mean_difference(a * 1.0, b * 1.0, greater_is_better=better, alternative=side)
        known = stats.mcnemar(a == better, b == better, alternative=side)
        assert (found.pvalue, found.estimate) == (known.pvalue, known.estimate)
        assert (*found.ci,) == (*known.ci,)
    assert stats.mean_difference(a * 1.0, np.arange(20) < 2, df="rows").df == 19
    assert 0.3 < stats.mean_limits(np.ones(40), np.arange(40) < 20).low < 0.5


def test_no_item_passed_has_an_interval():
    items = np.repeat(np.arange(20), 3)
    passed = np.tile([True, False, False], 20)
    marks = {"none": np.zeros(60, dtype=int), "some": (passed & (items < 5)).astype(int)}
    found = bakeoff.compare(None, marks, values="right", groups=items, metrics="pass@3")
    for passed_items, row in ((0, "none"), (5, "some")):
        low, high = stats.proportion_ci(passed_items, 20)
        (line,) = (text for text in found.to_markdown("models").splitlines() if f"| {row}" in text)
        assert f"[{low:.2f}, {high:.2f}" in line.replace("\\", "")
    assert found.to_frame().loc[0, "pvalue"] == stats.mcnemar([1] * 5 + [0] * 15, [0] * 20).pvalue

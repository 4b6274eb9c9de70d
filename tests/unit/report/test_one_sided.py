"""One-sided tests: what they would have missed, what they asked, how they are drawn."""

import math

import pytest
from studies import experiment, ran

from bakeoff.report.exhibits import draw, exhibits
from bakeoff.report.family import detectable
from bakeoff.spec import load_experiment

MEANS = {"a": 0.9, "b": 0.88, "c": 0.87}
COSTS = {"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]}
TESTS = ["mcnemar", "cost_sensitive", "cv5x2_t", "proportion_difference"]


def one_sided(alternative, tests=TESTS, names="abc"):
    plain = experiment(list(names)).resolved() | {"costs": COSTS}
    spec = load_experiment(plain | {"tests": {"run": list(tests), "alternative": alternative}})
    return ran(spec, MEANS, accuracies=MEANS)


@pytest.fixture(scope="module")
def studies():
    return {side: one_sided(side) for side in ("two-sided", "greater", "less")}


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("side", ["greater", "less"])
def test_a_one_sided_test_sees_a_little_less_than_a_two_sided_one_needs(studies, test, side):
    """The end of what a difference can be, 1 or the largest cost, is no noise."""
    found = {
        key: [detectable(f, row) for f in one.families if f.entry.name == test for row in f.rows]
        for key, one in studies.items()
    }
    assert all(map(math.isfinite, found[side]))
    for one, two in zip(found[side], found["two-sided"], strict=True):
        assert 0.8 * two < one < two


def test_the_level_of_a_likelihood_ratio_is_no_students_t(studies):
    """Its one degree of freedom is that of a χ²: the detectable size is that of a normal."""
    one = studies["two-sided"]
    family = next(f for f in one.families if f.entry.name == "cost_sensitive")
    row = family.rows[0]
    half = (row.ci_high - row.ci_low) / 2
    assert detectable(family, row) == pytest.approx(half * (2.394 + 0.8416) / 2.394, rel=1e-3)


@pytest.mark.parametrize("side", ["greater", "less"])
def test_an_axis_ends_with_what_is_known(studies, side):
    one = studies[side]
    for test in ("mcnemar", "cost_sensitive"):
        items = exhibits(one)
        item = next(item for item in items if item.name == f"forest.{test}")
        low, high = draw(item, one).figure.axes[0].get_xlim()
        assert high - low < 0.8
        assert low < 0 < high

"""No advice names a test that would be refused, or whose smallest p-value is above its level."""

import itertools
import re

import numpy as np
import pytest

from bakeoff.comparisons.advice import FEW, RowCounts, remedies, smallest_pvalue
from bakeoff.comparisons.evidence import DatasetScores
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.comparisons.run_tests import Context, run_test
from bakeoff.comparisons.settings import form_of, planned
from bakeoff.stats import Evidence, catalogue
from tests.unit.comparisons import conftest

CATALOGUE = catalogue()
PLANS = {"holdout": {"test_size": 0.3}, "kfold": {"folds": 5}}


def experiment(models=2, datasets=1, plans=("holdout",), dataset=(), **tests):
    resampling = {name: PLANS[name] for name in plans}
    facts = {"resampling": resampling, "metrics": ["accuracy"], "tests": tests}
    return conftest.experiment(models, datasets, dataset, **facts)


def smallest(name, spec, size=None):
    return smallest_pvalue(planned(CATALOGUE[name], spec.tests), spec, size)


def can_tell(name, spec, size):
    return smallest(name, spec, size) <= spec.tests.alpha


def helping(name, spec, size):
    return remedies(planned(CATALOGUE[name], spec.tests), spec, size)


@pytest.mark.parametrize(
    ("models", "datasets"), list(itertools.product((2, 3, 20), (1, 2, 5, 6, 30)))
)
@pytest.mark.parametrize("alpha", [0.05, 0.001])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_recommended_tests_can_reach_the_level(models, datasets, alpha, alternative):
    plans = ("holdout", "kfold")
    spec = experiment(models, datasets, plans, alpha=alpha, alternative=alternative)
    problems, chosen = plan_tests(spec)
    if alternative == "two-sided":
        assert not problems
    for test in chosen:
        assert smallest_pvalue(test, spec) <= alpha, test


@pytest.mark.parametrize("rows", [1, 4, 5, 6, 20, FEW])
def test_rows_of_a_test_set_set_a_limit(rows):
    found = smallest("mcnemar", experiment(), RowCounts(rows))
    assert found == (0.0 if rows == FEW else pytest.approx(0.5**rows))


@pytest.mark.parametrize("models", [2, 4])
@pytest.mark.parametrize("name", ["metric_difference", "delong", "cost_sensitive", "mcnemar"])
def test_few_groups_are_too_few_for_every_metric_and_advice_comes_true(name, models):
    spec = experiment(models, dataset={"groups": "id"})
    test = form_of(CATALOGUE[name], spec)[0].name
    assert smallest(test, spec, RowCounts(200, groups=2)) > 0.05
    told = re.match(r"at least (\d+) groups", helping(test, spec, RowCounts(200, groups=2)))
    assert told
    enough = int(told.group(1))
    assert can_tell(test, spec, RowCounts(200, groups=enough))
    assert not can_tell(test, spec, RowCounts(200, groups=enough - 1))


@pytest.mark.parametrize(
    "name", [n for n, e in CATALOGUE.items() if e.evidence is Evidence.DATASETS]
)
@pytest.mark.parametrize("n", [2, 3, 5])
def test_no_evidence_goes_below_the_smallest_p(name, n):
    spec, rng = experiment(3, n), np.random.default_rng(n)
    least = smallest(name, spec)
    test = planned(CATALOGUE[name], spec.tests)
    for _ in range(8):
        data = DatasetScores(tuple(spec.models), tuple(spec.datasets), rng.random((n, 3)))
        rows = run_test(test, data, Context("", "accuracy", True))
        pairs = [row for row in rows if row.role == "pair"] or rows
        assert all(not row.pvalue_adjusted < least - 1e-12 for row in pairs)


@pytest.mark.parametrize(
    ("name", "models", "size", "least"),
    [
        # 2^(1-K), with Holm times the pairs, where the exact p keeps the test from answering
        ("mcnemar", 2, RowCounts(400, groups=5), 0.5**4),
        ("mcnemar", 6, RowCounts(400, groups=4), 1.0),
        ("mcnemar", 6, RowCounts(400, groups=7), 15 * 0.5**6),
        ("mcnemar", 6, RowCounts(400, groups=10), 15 * 0.5**10),
        ("mcnemar", 6, RowCounts(400, groups=FEW), 0.0),
        ("mcnemar", 6, RowCounts(10_000, times=5_000), 15 * 0.5**7),
        ("diebold_mariano", 2, RowCounts(200, times=20), 1.0),  # too few, with no exact p
        # a family by the largest statistic is as clear as one pair, and t has no smallest p
        ("mean_difference", 3, RowCounts(400, groups=5), 0.5**5),
        ("metric_difference", 3, RowCounts(400, groups=4), 1.0),
        ("recipe_mean_difference", 6, RowCounts(400, groups=5), 0.0),
    ],
)
def test_groups_set_a_limit_that_more_rows_do_not_lift(name, models, size, least):
    column = {"time": "day"} if size.times else {"groups": "patient"}
    found = smallest(name, experiment(models, dataset=column), size)
    assert found == pytest.approx(least)


@pytest.mark.parametrize("models", [2, 20])
def test_recommended_tests_in_time_can_tell_any_number_of_models(models):
    spec = experiment(models, dataset={"time": "day"})
    problems, (test,) = plan_tests(spec)
    assert not problems
    assert can_tell(test.name, spec, RowCounts(128, times=32))
    assert not can_tell(test.name, spec, RowCounts(128, times=31))


def test_what_helps_would_help():
    name, size, grouped = "mcnemar", RowCounts(700, groups=7), {"groups": "patient"}
    told = helping(name, experiment(6, dataset=grouped), size)
    assert told == "at least 10 groups or at most 3 models"
    for models, groups, enough in ((6, 7, 0), (6, 9, 0), (6, 10, 1), (3, 7, 1), (4, 7, 0)):
        counted = RowCounts(700, groups=groups)
        assert can_tell(name, experiment(models, dataset=grouped), counted) == bool(enough)
    eight = RowCounts(700, groups=8)
    assert "with one baseline" in helping(name, experiment(6, dataset=grouped), eight)
    assert can_tell(name, experiment(6, dataset=grouped, versus="m0"), eight)

"""No advice names a test that would be refused, or whose smallest p-value is above its level."""

import itertools
import re

import numpy as np
import pytest

from bakeoff.comparisons.advice import RowCounts, remedies, smallest_pvalue
from bakeoff.comparisons.evidence import DatasetScores, PairedPredictions
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.comparisons.run_tests import Context, run_test
from bakeoff.comparisons.settings import compares_pairs, form_of, planned
from bakeoff.spec import Costs
from bakeoff.stats import catalogue
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


def told(name, *variants, **options):
    """Return what `tests:` may say of one test: of its sides, its pairs and its options."""
    every = [{}, {"correction": "none"}]
    if "alternative" in CATALOGUE[name].all_options:
        every += [{"alternative": side} for side in ("greater", "less")]
    if compares_pairs(CATALOGUE[name]):
        every.append({"versus": "m1", "correction": "sidak"})
    chosen = [{"variant": variant} for variant in variants] + ([options] if options else [])
    return [(name, one) for one in every] + [(name, {"options": {name: one}}) for one in chosen]


ASYMPTOTIC = {"method": "asymptotic"}
COUNTED = [
    *told("mcnemar", "exact", "asymptotic", "corrected"),
    *told("binomial_test", "normal", rate="error", p0=0.3),
    *told("proportion_difference", "yates", "unpooled"),
]
FLIPPED = [
    *told("mcnemar", "sign_flip_exact"),
    *told("mean_difference", "influence_t", "t_and_flips"),
    *((name, {}) for name in ("cochran_q", "metric_difference", "cost_sensitive")),
]
RANKED = [
    *(one for name in ("conover_friedman", "friedman_posthoc") for one in told(name)),
    *((name, {}) for name in ("friedman", "nemenyi", "quade")),
    *told("wilcoxon_signed_rank", **ASYMPTOTIC),
    *told("wilcoxon_signed_rank", **ASYMPTOTIC, continuity=False)[-1:],
]
# what relates rows, how many of it there are, and the tests
SETS = [
    ("rows", "", (1, 2, 5, 9), COUNTED),
    ("groups", "groups", (1, 2, 4, 5, 6, 7, 11), FLIPPED),
    ("times", "time", (1, 7, 8, 30), FLIPPED),
    ("data sets", "", (1, 2, 5), RANKED),
]


def clearest(entry, what, n, spec, order):
    """Return evidence in which one model is best on each row or data set."""
    names, rng = tuple(spec.models), np.random.default_rng(n)
    if what == "data sets":
        values = np.tile(-np.argsort(order) + 0.0, (n, 1))
        if entry.name == "conover_friedman":  # of ranks without variance it has no answer
            two = order[min(1, len(order) - 2) :][:2]
            values[0, two] = values[0, two].mean()
        return DatasetScores(names, tuple(spec.datasets), values)
    rows = n if what == "rows" else 4 * n
    related, truth = {} if what == "rows" else {what: np.arange(rows) // 4}, np.arange(rows) % 2
    best = np.arange(len(order)) == np.full((rows, 1), order[0])
    best[0] |= "unpooled" in str(spec.tests.options)  # no variance where B is never right
    if entry.reads == "values":
        values = best * rng.normal(1, 0.01, (rows, 1))
        return PairedPredictions.from_values(names, values, **related)
    said = np.where(best, truth[:, None], 1 - truth[:, None])
    return PairedPredictions(names, ("no", "yes"), truth, said, metric="accuracy", **related)


@pytest.mark.parametrize("models", [2, 4])
@pytest.mark.parametrize(
    ("what", "key", "numbers", "name", "tests"),
    [(*one, *test) for *one, tests in SETS for test in tests],
)
def test_smallest_p_is_that_of_the_clearest_evidence(what, key, numbers, name, tests, models):
    order, costs = [*range(models)], {"classes": ["no", "yes"], "matrix": [[0, 1], [1, 0]]}
    if "versus" in tests:
        order[:2] = 1, 0
    if tests.get("alternative") == "less":
        order.reverse()
    where = Context("d", "accuracy", True, costs=Costs.model_validate(costs))
    for n in numbers:
        related, datasets = {key: "c"} if key else {}, n if what == "data sets" else 1
        spec = experiment(models, datasets, dataset=related, **tests)
        test = planned(CATALOGUE[name], spec.tests, models, related=bool(key))
        size = RowCounts(900, **{what: n}) if key else RowCounts(n) if what == "rows" else None
        least = smallest_pvalue(test, spec, size)
        evidence = clearest(CATALOGUE[name], what, n, spec, order)
        rows = run_test(test.on("holdout", ("accuracy",)), evidence, where)
        rows = [r for r in rows if not r.model_b or f"m{order[0]}" in (r.model_a, r.model_b)]
        found = [r.pvalue_adjusted for r in rows if r.model_a and r.decision != "undecided"]
        assert least == pytest.approx(min(found), abs=1e-9) if found else least > 0.05


@pytest.mark.parametrize("name", ["conover_friedman", "friedman_posthoc", "nemenyi", "quade"])
@pytest.mark.parametrize("models", [2, 4])
def test_no_evidence_goes_below_the_smallest_p(name, models):
    rng = np.random.default_rng(models)
    for n in (2, 4):
        spec = experiment(models, n)
        test = planned(CATALOGUE[name], spec.tests)
        for _ in range(3):
            values = np.arange(models) + rng.choice([0, 0, 0, 0.5, 1, 3], (n, models))
            data = DatasetScores(tuple(spec.models), tuple(spec.datasets), values)
            rows = run_test(test, data, Context("", "accuracy", True))
            pairs = [row for row in rows if row.role == "pair"] or rows
            least = smallest(name, spec) - 1e-12
            assert all(not row.pvalue_adjusted < least for row in pairs)


@pytest.mark.parametrize(
    ("name", "models", "size", "least"),
    [
        ("mcnemar", 2, RowCounts(39), 0.5**39),
        ("mcnemar", 2, RowCounts(40), 0.0),
        ("mcnemar", 6, RowCounts(400, groups=39), 15 * 0.5**39),
        ("mcnemar", 6, RowCounts(400, groups=40), 0.0),
        ("mcnemar", 6, RowCounts(10_000, times=5_000), 15 * 0.5**7),
        ("diebold_mariano", 2, RowCounts(200, times=31), 1.0),  # too few, with no exact p
        ("diebold_mariano", 2, RowCounts(200, times=32), 0.0),
        ("recipe_mean_difference", 6, RowCounts(400, groups=4), 1.0),
        ("recipe_mean_difference", 6, RowCounts(400, groups=5), 0.0),
        ("tost_paired", 6, RowCounts(4), 0.0),
        ("bayes_correlated_t", 6, RowCounts(4), 0.0),
        ("corrected_kfold_t", 6, None, 0.0),
    ],
)
def test_more_rows_or_groups_set_no_limit(name, models, size, least):
    related = "time" if size and size.times else "groups" if size and size.groups else ""
    spec = experiment(models, dataset={related: "c"} if related else {})
    assert smallest(name, spec, size) == pytest.approx(least, rel=1e-6, abs=0)


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

"""No advice names a test that would be refused, or whose smallest p-value is above its level."""

import itertools

import numpy as np
import pytest

from bakeoff.comparisons.advice import RowCounts, remedies, smallest_pvalue
from bakeoff.comparisons.evidence import DatasetScores, PairedPredictions
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.comparisons.run_tests import Context, run_test
from bakeoff.comparisons.settings import compares_pairs, planned
from bakeoff.spec import Costs
from bakeoff.stats import catalogue
from tests.unit.comparisons import conftest

CATALOGUE = catalogue()
PLANS = {"holdout": {"test_size": 0.3}, "kfold": {"folds": 5}}


def analysis(models=2, datasets=1, plans=("holdout",), dataset=(), **tests):
    resampling = {name: PLANS[name] for name in plans}
    facts = {"resampling": resampling, "metrics": ["accuracy"], "tests": tests}
    return conftest.analysis(models, datasets, dataset, **facts)


def smallest(name, spec, size=None):
    return smallest_pvalue(planned(CATALOGUE[name], spec.tests), spec, size)


def columns(size):
    """Return the columns that relate rows of a test set of a size."""
    _, groups, times = size or (0, 0, 0)
    return {"groups": "c"} if groups else {"time": "c"} if times else {}


@pytest.mark.parametrize(
    ("models", "datasets"), list(itertools.product((2, 3, 20), (1, 2, 5, 6, 30)))
)
@pytest.mark.parametrize("alpha", [0.05, 0.001])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_recommended_tests_can_reach_the_level(models, datasets, alpha, alternative):
    plans = ("holdout", "kfold")
    spec = analysis(models, datasets, plans, alpha=alpha, alternative=alternative)
    problems, chosen = plan_tests(spec)
    if alternative == "two-sided":
        assert not problems
    for test in chosen:
        assert smallest_pvalue(test, spec) <= alpha, test


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
        spec = analysis(models, datasets, dataset=related, **tests)
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
        spec = analysis(models, n)
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
    spec = analysis(models, dataset=columns(size))
    assert smallest(name, spec, size) == pytest.approx(least, rel=1e-6, abs=0)


@pytest.mark.parametrize(
    ("variant", "enough"),
    [({}, 32), ({"variant": "hln"}, 2), ({"variant": "hln", "horizon": 3}, 4)],
)
@pytest.mark.parametrize("models", [2, 20])
def test_recommended_tests_in_time_can_tell_any_number_of_models(models, variant, enough):
    options = {"diebold_mariano": variant}
    spec = analysis(models, dataset={"time": "day"}, options=options)
    problems, (test,) = plan_tests(spec)
    assert not problems
    assert smallest(test.name, spec, RowCounts(128, times=enough - 1)) == 1
    assert smallest(test.name, spec, RowCounts(128, times=enough)) == 0


BASELINE = "or a comparison of each model with one baseline (versus)"
HELPING = [
    ("mcnemar", 2, RowCounts(4), {}, "at least 5 rows"),
    ("mcnemar", 3, RowCounts(5), {}, "at least 6 rows or at most 2 models"),
    ("mcnemar", 3, RowCounts(38), {"alpha": 1e-13}, ""),
    ("mcnemar", 3, RowCounts(38), {"alpha": 6e-12}, "at least 39 rows or at most 2 models"),
    ("mcnemar", 6, RowCounts(700, groups=7), {}, "at least 10 groups or at most 3 models"),
    (
        "mcnemar",
        6,
        RowCounts(700, groups=8),
        {},
        f"at least 10 groups, at most 4 models {BASELINE}",
    ),
    ("mcnemar", 6, RowCounts(700, groups=6), {"versus": "m0"}, "at least 8 groups"),
    ("mcnemar", 20, RowCounts(700, times=40), {}, "at most 4 models"),
    ("metric_difference", 4, RowCounts(700, groups=4), {}, "at least 5 groups"),
    ("delong", 4, RowCounts(700, groups=2), {}, "at least 7 groups"),
    ("cost_sensitive", 4, RowCounts(700, groups=2), {}, "at least 8 groups"),
    ("diebold_mariano", 3, RowCounts(700, times=3), {}, "at least 32 times"),
    ("binomial_test", 6, RowCounts(7), {}, "at least 8 rows or at most 3 models"),
    ("cochran_q", 3, RowCounts(5), {}, "at least 6 rows"),  # it is for three models or more
    ("cochran_q", 4, RowCounts(6), {}, "at least 7 rows or at most 3 models"),
    ("wilcoxon_signed_rank", 6, 8, {}, f"at least 10 data sets, at most 4 models {BASELINE}"),
    ("wilcoxon_signed_rank", 3, 4, {}, "at least 7 data sets"),
    ("friedman_posthoc", 6, 2, {}, f"at least 3 data sets {BASELINE}"),
    ("nemenyi", 6, 2, {}, "at least 3 data sets"),
]


@pytest.mark.parametrize(("name", "models", "size", "tests", "helping"), HELPING)
def test_the_least_change_with_which_a_test_can_tell_is_advised(name, models, size, tests, helping):
    size, datasets = (None, size) if isinstance(size, int) else (size, 1)
    spec = analysis(models, datasets, dataset=columns(size), **tests)
    assert smallest(name, spec, size) > spec.tests.alpha
    assert remedies(planned(CATALOGUE[name], spec.tests), spec, size) == helping

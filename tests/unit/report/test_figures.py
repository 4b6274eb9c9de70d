"""Figures agree with the numbers they show, whatever the number of models."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from scipy import special
from studies import experiment, pair, ran, study

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.exhibits import draw, exhibits
from bakeoff.report.exhibits.pairs import joined, rows_of
from bakeoff.report.family import detectable
from bakeoff.report.ranking import dataset_means, ranks_of

RANK_TESTS = ("nemenyi", "friedman_posthoc", "wilcoxon_signed_rank")


def over(k, n=12, tests=RANK_TESTS):
    rng = np.random.default_rng(4)
    names = [f"model_{i}" for i in range(k)]
    means = {m: list(0.9 - 0.012 * i + rng.normal(0, 0.02, n)) for i, m in enumerate(names)}
    spec = experiment(names, datasets=[f"data_{i}" for i in range(n)], tests=tests)
    return ran(spec, means)


@pytest.mark.parametrize("test", RANK_TESTS)
@pytest.mark.parametrize("k", [3, 8])
def test_bars_join_exactly_what_the_p_values_do_not_tell_apart(test, k):
    one = over(k)
    family = next(f for f in one.families if f.entry.name == test and f.role == "pair")
    means = dataset_means(one, "accuracy", "cv_5x2")
    average = {m: float(r) for m, r in ranks_of(means, one.metric).mean().items()}
    assert family.ranks == pytest.approx(average)
    groups = joined(family)
    for row in family.rows:
        together = any({row.model_a, row.model_b} <= set(group) for group in groups)
        if together:
            assert row.pvalue_adjusted > one.alpha
    best = sorted(one.models, key=average.get)
    for a, b in itertools.pairwise(best):
        differs = family.between(a, b).pvalue_adjusted <= one.alpha
        assert differs != any({a, b} <= set(group) for group in groups)


def test_a_figure_says_why_there_is_none():
    spec = experiment(("a", "b"), tests=("cv5x2_f",))
    one = dataclasses.replace(ran(spec, {"a": 0.9, "b": 0.8}), comparisons=())
    forest = next(e for e in exhibits(one) if e.kind == "forest")
    assert "no result" in draw(forest, one).alt


def test_detectable_difference_shrinks_with_more_rows():
    means = {"a": 0.9, "b": 0.88}
    one = ran(experiment(("a", "b"), tests=("mcnemar",)), means, accuracies=means)
    family = one.ranking_families("mcnemar")[0]
    row = family.rows[0]
    counts = {k: 10 * v for k, v in row.result["details"].items() if k.startswith("only")}
    more = dataclasses.replace(row, n=10 * row.n, result={"details": counts})
    assert 0 < detectable(family, more) < detectable(family, row) < 0.3


def test_pairs_are_those_of_the_leader_seen_from_the_better_model_whatever_the_order():
    means = {f"m{i}": 0.82 + 0.01 * i for i in range(9)}
    one = ran(experiment(list(means), tests=("cv5x2_f",)), means)
    rows = rows_of(one, one.ranking_families("cv5x2_f"))
    assert [(row.comparison.model_a, row.turned) for row in rows] == [("m8", True)] * 8
    assert rows[0].comparison.estimate == pytest.approx(0.01)


def test_detectable_difference_of_groups_does_not_count_their_rows():
    spec = experiment(("a", "b"), tests=("mcnemar",))
    details = {"only_a_correct": 12, "only_b_correct": 8}
    found = [
        pair("a", "b", 0.1, 0.02, test="mcnemar", variant=variant, ci_low=-0.2, ci_high=0.24,
             confidence=0.95, result={"details": details})
        for variant in ("midp", "sign_flip")
    ]  # fmt: skip
    (family,) = study(spec, found, dict.fromkeys("ab", 0.9)).families
    by_rows, by_groups = (detectable(family, row) for row in found)
    assert by_rows < 0.1 < 0.22 < by_groups


def test_detectable_difference_is_that_of_the_very_test():
    """The 5×2cv t and F tests share their folds, not their power."""
    means = {"a": 0.9, "b": 0.893}
    one = ran(experiment(("a", "b"), tests=("cv5x2_f", "cv5x2_t")), means)
    sizes = {f.entry.name: detectable(f, f.rows[0]) for f in one.families}
    row = next(f.rows[0] for f in one.families if f.entry.name == "cv5x2_t")
    half = (row.ci_high - row.ci_low) / 2
    level, power = special.stdtrit(5, 0.975), special.stdtrit(5, 0.8)
    assert sizes["cv5x2_t"] == pytest.approx(half * (level + power) / level)
    assert sizes["cv5x2_f"] != pytest.approx(sizes["cv5x2_t"], rel=0.01)


def fitted(rows, models=("a", "b")):
    spec = experiment(
        models,
        tests=("metric_difference",),
        estimator="sklearn.dummy.DummyRegressor",
        task="regression",
        metrics=["rmse"],
        resampling={"holdout": {}},
    )
    means = {model: 1.0 + i / 10 for i, model in enumerate(models)}
    one = dataclasses.replace(study(spec, [], means, metric="rmse"), test_sets={"d": rows})
    return draw(next(item for item in exhibits(one) if item.name == "fitted"), one)


def numbers(n, models=2, seed=1):
    rng = np.random.default_rng(seed)
    truth = rng.normal(50, 10, n)
    predicted = truth[:, None] + rng.normal(0, 1 + np.arange(models), (n, models))
    names = tuple("abcdefghijklmnop"[:models])
    return PairedPredictions(names, (), truth, predicted)


@pytest.mark.parametrize(("n", "panels"), [(40, 2), (2_500, 2), (700, 14)])
def test_fitted_has_a_panel_for_each_of_twelve_models_and_counts_many_rows(n, panels):
    models = tuple("abcdefghijklmnop"[:panels])
    drawing = fitted(numbers(n, panels), models)
    axes = drawing.figure.axes
    assert len(axes) == min(panels, 12)
    assert bool(axes[0].collections) == (n > 40)
    assert ("hexagon" in drawing.legend) == (n > 40)
    assert (drawing.shows == "the 12 best of 14 models") == (panels == 14)


def test_one_row_and_constant_or_perfect_predictions_are_drawn():
    truth = np.arange(30.0)
    perfect = PairedPredictions(("a", "b"), (), truth, np.column_stack([truth, np.full(30, 7.0)]))
    for rows in (numbers(1), perfect):
        assert fitted(rows).figure.axes


SIDED = {"a": 0.9, "b": 0.88, "c": 0.87}
COSTS = {"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]}
TESTS = ["mcnemar", "cost_sensitive", "cv5x2_t", "proportion_difference"]


@pytest.fixture(scope="module")
def studies():
    made = {}
    for side in ("two-sided", "greater", "less"):
        spec = experiment("abc", tests={"run": TESTS, "alternative": side}, costs=COSTS)
        made[side] = ran(spec, SIDED, accuracies=SIDED)
    return made


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
        item = next(item for item in exhibits(one) if item.name == f"forest.{test}")
        low, high = draw(item, one).figure.axes[0].get_xlim()
        assert high - low < 0.8
        assert low < 0 < high

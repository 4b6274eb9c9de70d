"""Figures agree with the numbers they show, whatever the number of models."""

import dataclasses
import itertools

import numpy as np
import pytest
from studies import experiment, ran, study

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.exhibits import draw, exhibits
from bakeoff.report.exhibits.pairs import joined, rows_of
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


def test_pairs_are_those_of_the_leader_seen_from_the_better_model_whatever_the_order():
    means = {f"m{i}": 0.82 + 0.01 * i for i in range(9)}
    one = ran(experiment(list(means), tests=("cv5x2_f",)), means)
    rows = rows_of(one, one.ranking_families("cv5x2_f"))
    assert [(row.comparison.model_a, row.turned) for row in rows] == [("m8", True)] * 8
    assert rows[0].comparison.estimate == pytest.approx(0.01)


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


@pytest.mark.parametrize("side", ["greater", "less"])
def test_an_axis_ends_with_what_is_known(side):
    tests = {"run": ["mcnemar", "cost_sensitive"], "alternative": side}
    one = ran(experiment("abc", tests=tests, costs=COSTS), SIDED, accuracies=SIDED)
    for test in tests["run"]:
        item = next(item for item in exhibits(one) if item.name == f"forest.{test}")
        low, high = draw(item, one).figure.axes[0].get_xlim()
        assert high - low < 0.8
        assert low < 0 < high

"""Predicted numbers against observed ones, their errors, and the rows that decide."""

import dataclasses

import numpy as np
import pytest
from studies import experiment, study

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.exhibits import build, draw, exhibits
from bakeoff.report.page import Page
from bakeoff.report.panels import _apart
from bakeoff.stats import metric_difference


def made(rows=None, *, metrics=("rmse",), models=("a", "b"), datasets=("d",)):
    spec = experiment(
        models,
        datasets=datasets,
        tests=("metric_difference",),
        estimator="sklearn.dummy.DummyRegressor",
        task="regression",
        metrics=list(metrics),
        resampling={"holdout": {}},
    )
    one = study(
        spec, [], {model: 1.0 + i / 10 for i, model in enumerate(models)}, metric=metrics[0]
    )
    if rows is not None:
        one = dataclasses.replace(one, test_sets=dict.fromkeys(datasets, rows))
    return one, {item.name: item for item in exhibits(one)}


def rows_of(n, models=2, seed=1):
    rng = np.random.default_rng(seed)
    truth = rng.normal(50, 10, n)
    predicted = truth[:, None] + rng.normal(0, 1 + np.arange(models), (n, models))
    names = tuple("abcdefghijklmnop"[:models])
    return PairedPredictions(names, (), truth, predicted, ids=np.arange(n) + 1_000)


def test_spread_is_that_of_predicted_less_observed():
    rows = rows_of(300)
    one, items = made(rows)
    table = build(items["error_spread"], one)
    errors = rows.predicted[:, 0] - rows.truth
    shown = dict(zip([c.key for c in table.columns], table.rows[0], strict=True))
    assert shown["mean"].value == pytest.approx(errors.mean())
    assert shown["q05"].value == pytest.approx(np.quantile(errors, 0.05))
    worst = np.sort(errors**2)[-3:].sum() / (errors**2).sum()
    assert shown["worst"].value == pytest.approx(worst)


@pytest.mark.parametrize("metric", ["rmse", "mae", "r2"])
def test_rows_apart_have_the_p_value_of_the_others(metric):
    rows = rows_of(80)
    rows.predicted[7, 1] += 30  # speaks for a
    one, items = made(rows, metrics=(metric,))
    table = build(items["apart"], one)
    assert len(table.rows) == 10
    first = dict(zip([c.key for c in table.columns], table.rows[0], strict=True))
    kept = np.delete(np.arange(80), 7)
    truth, a, b = rows.truth[kept], *rows.predicted[kept].T
    assert first["row"].text == "1,007"
    assert first["favours"].text == "a"
    assert first["pvalue"].value == metric_difference(truth, a, b, metric=metric).pvalue


def test_rows_apart_keep_groups_together():
    rows = dataclasses.replace(rows_of(80), groups=np.arange(80) // 4)
    one, items = made(rows)
    first = build(items["apart"], one).rows[0]
    kept = np.delete(np.arange(80), first[0].value - 1_000)
    truth, a, b = rows.truth[kept], *rows.predicted[kept].T
    grouped = metric_difference(truth, a, b, metric="rmse", groups=rows.groups[kept])
    assert first[-1].value == grouped.pvalue


@pytest.mark.parametrize(("n", "panels"), [(40, 2), (2_500, 2), (700, 14)])
def test_fitted_has_a_panel_for_each_of_twelve_models_and_counts_many_rows(n, panels):
    models = tuple("abcdefghijklmnop"[:panels])
    one, items = made(rows_of(n, panels), models=models)
    drawing = draw(items["fitted"], one)
    axes = drawing.figure.axes
    assert len(axes) == min(panels, 12)
    assert bool(axes[0].collections) == (n > 40)
    assert ("hexagon" in drawing.legend) == (n > 40)
    assert (drawing.shows == "the 12 best of 14 models") == (panels == 14)


def test_size_is_that_of_the_mean_prediction_and_not_of_the_truth():
    rng = np.random.default_rng(3)
    truth = rng.normal(0, 1, 1000)
    flat = PairedPredictions(
        ("a", "b"), (), truth, np.column_stack([rng.normal(0, 0.01, 1000) for _ in "ab"])
    )
    one, items = made(flat, metrics=("mae",))
    lines = list(draw(items["error_by_size"], one).figure.axes[0].lines)
    for line in lines:
        y = line.get_ydata()
        assert len(y) == 10
        assert y.max() < 1.6 * y.min()  # by the truth it would be about 20 times


@pytest.mark.parametrize("n", [1, 9, 12])
def test_few_rows_make_no_figure_or_fewer_parts(n):
    one, items = made(rows_of(n))
    drawing = draw(items["error_by_size"], one)
    assert (not drawing.figure.axes) == (n < 10)
    assert draw(items["fitted"], one).figure.axes
    assert len(build(items["apart"], one).rows) == min(n, 10)


def test_constant_predictions_and_perfect_ones_are_drawn():
    truth = np.arange(30.0)
    rows = PairedPredictions(("a", "b"), (), truth, np.column_stack([truth, np.full(30, 7.0)]))
    one, items = made(rows)
    assert build(items["error_spread"], one).rows[0][-1].text == "–"
    for name in ("fitted", "error_by_size"):
        assert draw(items[name], one).figure.axes


def test_rows_apart_of_an_undefined_metric_say_why():
    rows = dataclasses.replace(rows_of(30), truth=np.r_[0.0, np.arange(1.0, 30.0)])
    one, items = made(rows, metrics=("mape",))
    table = build(items["apart"], one)
    assert not table.rows
    assert "1 true number(s) are 0" in table.note


def test_exhibits_of_numbers_need_numbers_and_those_of_two_models_need_two():
    _, items = made(models=("a",))
    assert "fitted" in items
    assert "apart" not in items
    spec = experiment(("a", "b"))
    names = {item.name for item in exhibits(study(spec, [], {"a": 0.8, "b": 0.9}))}
    assert not names & {"fitted", "error_spread", "error_by_size", "apart"}
    _, items = made(metrics=("max_error",))
    assert "apart" not in items
    _, items = made(datasets=("d", "e"))
    assert {"fitted.d", "fitted.e", "apart.e", "error_spread.d"} <= set(items)


def test_names_at_the_ends_of_lines_keep_their_distance():
    a, b, c = _apart([0.50, 0.51, 0.99], 0.1)
    assert b - a >= 0.1 - 1e-12
    assert c <= 1


def test_exhibits_of_a_data_set_stand_together():
    one, _ = made(datasets=("d", "e"))
    blocks = [b for b in Page(one).sections["Models"] if b.items[0].dataset]
    assert [[item.name for item in block.items] for block in blocks] == [
        [f"{kind}.{name}" for name in "de" for kind in ("fitted", "error_spread", "error_by_size")]
    ]
    page = Page(one).html
    assert page.count("Errors, data set by data set") == 1
    assert "<h3>, " not in page
    assert page.count("<summary>d</summary>") == page.count("<summary>e</summary>")

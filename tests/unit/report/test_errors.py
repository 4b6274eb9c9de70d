"""Predicted numbers against observed ones."""

import dataclasses

import numpy as np
import pytest
from studies import experiment, study

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.exhibits import draw, exhibits


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


def test_one_row_and_constant_or_perfect_predictions_are_drawn():
    truth = np.arange(30.0)
    perfect = PairedPredictions(("a", "b"), (), truth, np.column_stack([truth, np.full(30, 7.0)]))
    for rows in (rows_of(1), perfect):
        one, items = made(rows)
        assert draw(items["fitted"], one).figure.axes

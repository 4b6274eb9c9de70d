"""Predicted numbers row by row: their losses as values, their order in time."""

import dataclasses

import numpy as np
import pytest

from bakeoff import stats
from bakeoff.comparisons import Context, plan_tests, run_test
from bakeoff.comparisons.evidence import PairedPredictions, block_checks
from bakeoff.comparisons.settings import planned
from bakeoff.errors import Problem
from bakeoff.spec import HypothesisTests, load_experiment

N = 240


def rows(metric, lasting=False):
    """Draw predictions of two models, the first of which may have long good and bad spells."""
    rng = np.random.default_rng(3)
    truth = rng.normal(size=N)
    spells = 1.0 + 0.9 * np.sin(np.arange(N) / 20) if lasting else np.ones(N)
    errors = rng.normal(size=(N, 2)) * np.column_stack([spells, np.ones(N)])
    predicted = truth[:, None] + errors
    times = np.arange(N)
    return PairedPredictions(("a", "b"), (), truth, predicted, metric=metric, times=times)


def run(name, found, **options):
    settings = HypothesisTests.model_validate(options)
    test = planned(stats.catalogue()[name], settings).on("holdout", (found.metric,))
    (row,) = run_test(test, found, Context("d", found.metric, found.metric == "r2"))
    return row


def regression(**keys):
    return {
        "experiment": "e",
        "task": "regression",
        "datasets": {"d": {"source": "sklearn", "name": "diabetes", "time": "age"}},
        "models": {
            "ridge": {"estimator": "sklearn.linear_model.Ridge"},
            "tree": {"estimator": "sklearn.tree.DecisionTreeRegressor"},
        },
        "resampling": {"holdout": {}},
        "metrics": ["rmse", "r2", "mae"],
        **keys,
    }


@pytest.mark.parametrize("lasting", [True, False])
def test_metric_without_a_formula_is_checked_in_time_by_squared_errors(lasting):
    """Of classes it is by right and wrong rows; numbers have none."""
    found, entry = rows("median_absolute_error", lasting), stats.catalogue()["metric_difference"]
    (check,) = block_checks(found, entry, None, [0, 1])
    by_formula = block_checks(dataclasses.replace(found, metric="mse"), entry, None, [0, 1])
    assert check == by_formula[0]
    assert (check.holds is False) is lasting


@pytest.mark.parametrize("metric", ["mae", "mse", "r2"])
def test_test_of_values_gets_the_losses_of_predicted_numbers(metric):
    found = rows(metric)
    errors = found.predicted - found.truth[:, None]
    losses = {"mae": np.abs(errors), "mse": errors**2}.get(metric)
    serial = run("diebold_mariano_means", found)
    if losses is not None:
        expected = stats.diebold_mariano_means(*losses.T, greater_is_better=False)
        assert (serial.pvalue, serial.estimate) == pytest.approx(
            (expected.pvalue, expected.estimate)
        )
        plain = run("mean_difference", dataclasses.replace(found, times=None))
        expected = stats.mean_difference(*losses.T, greater_is_better=False)
        assert (plain.pvalue, plain.estimate) == pytest.approx((expected.pvalue, expected.estimate))
    difference = stats.metric_difference(found.truth, *found.predicted.T, metric=metric)
    assert serial.estimate == pytest.approx(difference.estimate)


def plans(config):
    found, tests = plan_tests(load_experiment(config))
    if found:
        raise found[0]
    return {test.name: test.metrics for test in tests}


def test_numbers_in_time_are_compared_by_a_long_run_variance():
    config = regression(metrics=["rmse", "mae", "median_absolute_error"])
    assert plans(config) == {
        "diebold_mariano_means": ("rmse", "mae"),
        "metric_difference": ("median_absolute_error",),
    }
    config["datasets"]["d"].pop("time")
    assert plans(config) == {"metric_difference": ("rmse", "mae", "median_absolute_error")}


def test_test_of_means_takes_the_metrics_that_are_means_of_losses():
    asked = {"tests": {"run": ["mean_difference"]}}
    config = regression(**asked)
    config["datasets"]["d"].pop("time")
    assert plans(config) == {"mean_difference": ("mae",)}
    with pytest.raises(Problem, match=r"no standard error for `rmse` and `r2`; add one of mae"):
        plans({**config, "metrics": ["rmse", "r2"]})


def test_equivalence_takes_the_first_metric_with_its_margin():
    asked = {"tests": {"run": ["metric_equivalence"], "margin": 2.5}}
    config = regression(**asked)
    with pytest.raises(Problem, match="takes rows in the order of time as 8 blocks"):
        plans(config)
    config["datasets"]["d"].pop("time")
    assert plans(config) == {"metric_equivalence": ("rmse",)}
    found = dataclasses.replace(rows("rmse"), times=None)
    row = run("metric_equivalence", found, margin=0.5)
    expected = stats.metric_equivalence(found.truth, *found.predicted.T, metric="rmse", margin=0.5)
    assert (row.pvalue, row.decision) == (pytest.approx(expected.pvalue), expected.verdict)

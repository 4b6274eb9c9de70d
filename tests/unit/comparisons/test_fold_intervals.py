"""Intervals of each model over folds: what is read for them, and what is said of them."""

import numpy as np
import pandas as pd
import pytest

from bakeoff.comparisons.collected import read_fold_predictions
from bakeoff.comparisons.fold_intervals import fold_intervals
from bakeoff.stats import fold_rows, fold_rows_score
from tests.unit.comparisons.conftest import analysis

N = 80
MODELS = "shrunken", "labels", "moved", "scores"


@pytest.fixture
def collected(tmp_path):
    """Write what five by two folds predict: classes, with probabilities, scores or nothing."""
    rng = np.random.default_rng(3)
    truth = np.arange(N) % 2
    lines = []
    for repeat in range(1, 6):
        p = np.clip(0.5 + 0.03 * (2 * truth - 1) + 0.05 * rng.standard_normal(N), 0.01, 0.99)
        part = pd.DataFrame({":repeat": repeat, ":fold": rng.permutation(np.arange(N) % 2) + 1})
        part[":row_id"] = np.arange(N)
        part[":y_true"] = names(truth)
        for model in MODELS:
            part[model] = names(p > (0.47 if model == "moved" else 0.5))
        for model in ("shrunken", "moved"):
            part[f"{model}:no"] = 1 - p
            part[f"{model}:yes"] = p
        part["scores:yes"] = 10 * p - 5
        lines.append(part)
    path = tmp_path / "folds.parquet"
    pd.concat(lines).to_parquet(path)
    return path


def names(positive):
    """Name the classes."""
    return pd.Categorical.from_codes(np.asarray(positive, dtype=int), ["no", "yes"])


@pytest.fixture
def lines(collected):
    """Return the intervals of all models by all metrics."""
    models = {name: {"estimator": "sklearn.naive_bayes.GaussianNB"} for name in MODELS}
    metrics = ["balanced_accuracy", "f1", "accuracy"]
    spec = analysis(models, resampling={"cv_5x2": {}}, metrics=metrics)
    table = fold_intervals(spec, {("d0", "cv_5x2"): collected})
    return table.set_index(["metric", "model"])


@pytest.mark.parametrize("metric", ["balanced_accuracy", "f1"])
def test_probabilities_behind_the_classes_widen_intervals(lines, collected, metric):
    frame = pd.read_parquet(collected)
    shape = 5, N
    y = np.asarray(frame[":y_true"][:N] == "yes", dtype=int)
    predicted = np.asarray(frame["shrunken"] == "yes", dtype=int).reshape(shape)
    p = frame["shrunken:yes"].to_numpy().reshape(shape)
    options = {"metric": metric, "labels": [0, 1], "probabilities": p}
    expected = fold_rows_score(
        fold_rows(y, frame[":fold"].to_numpy().reshape(shape), predicted, **options)
    )
    own = lines.loc[metric, "shrunken"]
    assert (own["ci_low"], own["ci_high"]) == pytest.approx(tuple(expected.ci))
    assert own["se"] > 1.3 * lines.loc[metric, "labels"]["se"]
    assert own["note"] == ""


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("labels", "gives no probabilities"),
        ("scores", "gives no probabilities"),
        ("moved", "does not predict the most probable class"),
    ],
)
def test_it_is_said_where_class_shares_are_not_seen(lines, model, told):
    assert told in lines.loc["balanced_accuracy", model]["note"]
    assert lines.loc["accuracy", model]["note"] == ""


def test_comparison_with_the_baseline_has_the_part_of_the_model(lines):
    wide, narrow = (lines.loc["f1", model] for model in ("shrunken", "labels"))
    assert wide["difference"] == narrow["difference"]
    assert wide["difference_low"] < narrow["difference_low"]
    assert wide["difference_pvalue"] > narrow["difference_pvalue"]


def test_probabilities_are_read_for_metrics_of_the_table_of_classes(collected):
    by_mcc = read_fold_predictions(collected, list(MODELS), ["mcc"])
    assert by_mcc.probabilities.shape == (5, N, 4, 2)
    assert read_fold_predictions(collected, list(MODELS), ["accuracy"]).probabilities is None

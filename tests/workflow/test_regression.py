"""The real workflow with `task: regression`: numbers instead of classes, all else as it is."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score, root_mean_squared_error

from bakeoff import compare
from bakeoff.files import read_json
from bakeoff.fit.keep import read_model
from bakeoff.fit.predictions import Predictions
from bakeoff.stats import metric_difference
from tests.conftest import Runner, once

DIABETES = {
    "experiment": "progression",
    "task": "regression",
    "seed": 2,
    "datasets": {
        "diabetes": {"source": "sklearn", "name": "diabetes", "unit": "points"}
        | {"subgroups": [{"column": "age", "bins": [0]}]}
    },
    "models": {
        "ridge": {
            "estimator": "sklearn.linear_model.Ridge",
            "tune": {"space": {"alpha": [0.1, 10]}, "cv": 3},
            "keep": True,
        },
        "boosting": {
            "estimator": "xgboost.XGBRegressor",
            "params": {"n_estimators": 60},
            "early_stopping": {"rounds": 3},
        },
        "logged": {
            "estimator": "sklearn.compose.TransformedTargetRegressor",
            "params": {
                "regressor": {"estimator": "sklearn.linear_model.LinearRegression"},
                "transformer": {"estimator": "sklearn.preprocessing.PowerTransformer"},
            },
        },
        "forest": {
            "estimator": "sklearn.ensemble.RandomForestRegressor",
            "params": {"n_estimators": 5},
        },
    },
    "resampling": {"halves": {"repeats": 2, "folds": 3, "full_repeats": 1}, "holdout": {}},
    "metrics": ["rmse", "mae", "r2", "max_error"],
    "importance": {"repeats": 2},
}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Return the results of one regression."""

    def run(folder):
        made = Runner(folder)(DIABETES)
        assert made.returncode == 0, made.stderr

    return Runner(once(tmp_path_factory, "regression", run)).results("progression")


def test_scores_are_scikit_learns_of_the_predictions_which_kept_models_repeat(done):
    scores = pd.read_csv(done / "scores.csv").query("model == 'ridge' and plan == 'holdout'")
    one = Predictions.read(done / "predictions/diabetes/ridge/holdout.parquet")
    assert one.classes == ()
    held = scores.set_index("metric")["value"]
    assert held["rmse"] == pytest.approx(root_mean_squared_error(one.y_true, one.y_pred))
    assert held["r2"] == pytest.approx(r2_score(one.y_true, one.y_pred))
    assert held["max_error"] == pytest.approx(np.abs(one.y_true - one.y_pred).max())
    kept = read_model(done / "predictions/diabetes/ridge/holdout.skops", trusted=["numpy.dtype"])
    rows = pd.read_parquet(done / "data/diabetes.parquet").set_index("__row_id__").loc[one.row_id]
    np.testing.assert_allclose(kept.predict(rows), one.y_pred, rtol=1e-5)


def test_one_of_the_metrics_of_squared_errors_is_tested(done):
    pairs = pd.read_csv(done / "comparisons.csv")
    assert set(pairs["test"]) == {"half_sample_t", "metric_difference"}
    held = pairs[pairs["test"] == "metric_difference"]
    assert set(held["metric"]) == {"rmse", "mae"}  # max_error has no standard error
    files = [done / f"predictions/diabetes/{m}/holdout.parquet" for m in ("ridge", "boosting")]
    a, b = map(Predictions.read, files)
    expected = metric_difference(a.y_true, a.y_pred, b.y_pred, metric="rmse")
    pair = "metric == 'rmse' and model_a == 'ridge' and model_b == 'boosting'"
    (row,) = held.query(pair).to_dict("records")
    assert row["pvalue"] == pytest.approx(expected.pvalue)
    assert row["estimate"] == pytest.approx(expected.estimate)
    parts = pd.read_csv(done / "subgroups.csv")
    assert set(parts["metric"]) >= {"rmse", "mae"}
    assert parts["estimate"].notna().any()


def test_constant_answer_is_that_of_a_dummy_regressor(done):
    table = pd.read_parquet(done / "data/diabetes.parquet").set_index("__row_id__")["__target__"]
    tested = Predictions.read(done / "predictions/diabetes/ridge/holdout.parquet").row_id
    rest = table.drop(tested)
    models = pd.read_csv(done / "tables/models.csv")
    (constant,) = models[models["model"].str.startswith("(constant")].to_dict("records")
    truth = table.loc[tested]
    expected = root_mean_squared_error(truth, np.full(len(truth), rest.mean()))
    assert constant["holdout"] == pytest.approx(expected)
    # by absolute errors the best constant is the median of the training rows of each fold
    (split,) = (done / "splits").glob("*.halves.json")
    parts = read_json(split)["parts"]
    inside = [one for one in parts if one["unused"]]
    known = [one["test"]["off_median"]["mean"] for one in inside]
    assert constant["mean_mae"] == pytest.approx(np.mean(known))
    assert "mean of the training rows" in (done / "verdict.txt").read_text(encoding="utf-8")


def test_given_numbers_are_compared_as_fitted_ones_are(done, tmp_path):
    found = pd.read_parquet(done / "collected/diabetes.holdout.predictions.parquet")
    models = ["ridge", "boosting", "logged", "forest"]
    fitted = pytest.approx(_pairs(pd.read_csv(done / "comparisons.csv")))
    in_python = compare(found.y_true, found[models], metrics=["rmse", "mae"], unit="points")
    assert _pairs(in_python.comparisons) == fitted
    for model in models:
        own = {"id": found.row_id, "y_true": found.y_true, "y_pred": found[model]}
        pd.DataFrame(own).sample(frac=1, random_state=1).to_csv(tmp_path / f"{model}.csv")
    given = {model: {"predictions": f"{model}.csv"} for model in models}
    config = {"experiment": "given", "task": "regression", "models": given}
    made = Runner(tmp_path)({**config, "metrics": ["rmse", "mae"]})
    assert made.returncode == 0, made.stderr
    results = Runner(tmp_path).results("given")
    assert _pairs(pd.read_csv(results / "comparisons.csv")) == fitted
    scores, theirs = (pd.read_csv(folder / "scores.csv") for folder in (results, done))
    theirs = theirs[(theirs.plan == "holdout") & theirs.metric.isin(["rmse", "mae"])]
    assert scores["value"].tolist() == pytest.approx(theirs["value"].tolist())
    assert "numbers" in read_json(results / "data/given.json")


def _pairs(found):
    """Return what the test of fitted models says of each pair by two metrics."""
    own = found[(found.test == "metric_difference") & found.metric.isin(["rmse", "mae"])]
    return {
        f"{row.metric} {row.model_a} {row.model_b} {what}": getattr(row, what)
        for row in own.itertuples()
        for what in ("estimate", "pvalue")
    }

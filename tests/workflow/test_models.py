"""The real workflow with all that a model may say, with failing models, and with numbers."""

import copy
import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.metrics import r2_score, root_mean_squared_error

from bakeoff import compare
from bakeoff.files import read_json
from bakeoff.fit.predictions import Predictions
from bakeoff.report.numbers import pvalue
from bakeoff.stats import metric_difference
from tests.conftest import ROOT, Runner
from tests.workflow.test_run import succeed

CHOOSING = yaml.safe_load("""
experiment: choosing
seed: 3
datasets:
  cancer: {source: sklearn, name: breast_cancer, positive: malignant}
models:
  logistic:
    estimator: sklearn.linear_model.LogisticRegression
    tune: {search: random, space: {C: {loguniform: [1e-3, 10]}}, n_iter: 3, cv: 3}
    threshold: {choose: f1, cv: 3}
  forest: {estimator: sklearn.ensemble.RandomForestClassifier, params: {n_estimators: 5}, seeds: 3}
  boosting:
    estimator: xgboost.XGBClassifier
    params: {n_estimators: 20, learning_rate: 0.3}
    tune: {space: {max_depth: [2, 3]}, validation: 0.25}
    keep: true
    importance: true
    class_weight: {malignant: 2}
    features: [mean radius, mean texture, worst area]
resampling: {kfold: {folds: 2}, holdout: {}}
metrics: [accuracy]
tests: {run: [corrected_kfold_t]}
""")


@pytest.mark.slow
def test_choices_of_every_fit_are_told(snakemake):
    succeed(snakemake, CHOOSING)
    results = snakemake.results("choosing")
    table = pd.read_csv(results / "choices.csv")
    assert list(table.columns) == [
        *("dataset", "model", "plan", "repeat", "fold", "seed"),
        *("parameter", "value", "inner_score"),
    ]
    counts = table.groupby(["model", "parameter"]).size().to_dict()
    wanted = {("logistic", "C"): 3, ("logistic", "threshold"): 3, ("boosting", "max_depth"): 3}
    assert counts == wanted
    tuned = table[table["parameter"] == "C"]
    assert tuned["value"].astype(float).between(1e-3, 10).all()
    assert tuned["inner_score"].between(0.8, 1).all()
    facts = Predictions.read(results / "predictions/cancer/logistic/holdout.parquet").facts
    row = table.query("model == 'logistic' and plan == 'holdout' and parameter == 'threshold'")
    assert float(row["value"].iloc[0]) == facts["chosen"]["threshold"]
    kept = sorted(path.parent.name for path in results.rglob("*.joblib"))
    assert kept == ["boosting"] * 3
    importance = pd.read_csv(results / "importance.csv")
    assert importance.groupby("plan")["fits"].agg(list).to_dict() == {
        "holdout": [1, 1, 1],
        "kfold": [2, 2, 2],
    }
    assert importance.groupby("feature")["mean"].mean().idxmax() == "worst area"
    assert (results / "figures/importance_bars.svg").is_file()


FAILING = """
import os, time
import numpy as np
from sklearn.tree import DecisionTreeClassifier
from limits import LONG

class Sometimes(DecisionTreeClassifier):
    "Fails on one of the two data sets, each in its own way."

    def __init__(self, how="raises"):
        super().__init__()
        self.how = how

    def fit(self, X, y, sample_weight=None):
        if X.shape[1] > 4:
            if self.how == "raises":
                raise RuntimeError("no luck today")
            if self.how == "sleeps" and len(y) > 100:
                time.sleep(LONG)
            if self.how == "dies" and len(y) > 100:
                os.kill(os.getpid(), 9)
            if self.how == "is_shot" and not os.path.exists("shot"):
                open("shot", "w").close()
                os.kill(os.getpid(), 9)
        return super().fit(X, y)

    def predict_proba(self, X):
        diverges = self.how == "diverges" and X.shape[1] > 4
        return super().predict_proba(X) * (np.nan if diverges else 1)
"""


EXCLUDING = """
experiment: excluding
on_error: exclude
datasets: {iris: {source: sklearn, name: iris}, wine: {source: sklearn, name: wine}}
models: {tree: {estimator: sklearn.tree.DecisionTreeClassifier}}
resampling: {kfold: {folds: 2}, holdout: {}}
tests: {run: [kfold_t, cochran_q]}
"""


@pytest.fixture(scope="module")
def excluding(tmp_path_factory):
    """Return the folder in which an experiment with failing models has run once."""
    runner = Runner(tmp_path_factory.mktemp("excluding"))
    beside = runner.folder / "beside"  # the experiment's folder is not the one snakemake runs in
    beside.mkdir()
    (beside / "mine.py").write_text(FAILING)
    (beside / "limits.py").write_text("LONG = 3600\n")
    experiment = yaml.safe_load(EXCLUDING)
    for how in ("raises", "sleeps", "dies", "is_shot", "diverges"):
        experiment["models"][how] = {"estimator": "mine.Sometimes", "params": {"how": how}}
    experiment["models"]["sleeps"]["timeout"] = 30
    done = succeed(run_beside, runner, experiment)
    assert "no luck today" in done.stderr
    assert "on_error: exclude leaves raises out here" in done.stderr
    return runner, experiment


def run_beside(runner, experiment, *options):
    """Run an experiment that lies in another folder than the one snakemake runs in."""
    file = runner.folder / "beside/e.yaml"
    file.write_text(yaml.safe_dump(experiment, sort_keys=False))
    return runner(experiment, "--configfile", str(file), *options, cores=2)


@pytest.mark.slow
@pytest.mark.xdist_group("excluding")
def test_who_failed_is_excluded_there_and_told(excluding):
    results = excluding[0].results("excluding")
    table = pd.read_csv(results / "excluded.csv")
    assert set(table["dataset"]) == {"wine"}
    why = table.groupby("model")["why"].first()
    assert why["raises"] == "RuntimeError: no luck today"
    assert why["sleeps"] == "it took more than 30 s (`timeout`) and was ended"
    assert why["dies"].startswith("the worker process was killed by signal 9, SIGKILL")
    assert why["diverges"].startswith("it diverged: probabilities of ")
    assert table.groupby("model").size().to_dict() == {
        "raises": 3,
        "diverges": 3,
        "sleeps": 1,
        "dies": 1,  # in the holdout alone, and yet excluded from all plans
    }
    answer = (results / "report.md").read_text().partition("**Models, ranked**")[0]
    assert "dies was excluded on wine, where 1 fit failed" in answer
    scores = pd.read_csv(results / "scores.csv")
    assert scores["value"].notna().all()
    models = {name: set(rows["model"]) for name, rows in scores.groupby("dataset")}
    # who dies once and not again was killed by another
    assert models == {"iris": set(excluding[1]["models"]), "wine": {"tree", "is_shot"}}
    collected = pd.read_parquet(results / "collected/wine.holdout.predictions.parquet")
    assert {"raises", "tree"} & set(collected) == {"tree"}
    rows = json.loads((results / "comparisons.json").read_text())
    (omnibus,) = [
        row
        for row in rows
        if (row["dataset"], row["test"], row["role"]) == ("wine", "cochran_q", "omnibus")
    ]
    assert omnibus["decision"] == "undecided", "two models are left, it needs three"
    assert [row for row in rows if row["dataset"] == "iris" and row["status"] == "ok"]


@pytest.mark.slow
@pytest.mark.xdist_group("excluding")
def test_second_run_does_nothing_and_an_edit_retries_what_it_concerns(excluding):
    runner, experiment = excluding

    def planned(**edits):
        run = run_beside(runner, {**experiment, **edits}, "-n")
        return int(re.search(r"^fit +(\d+)$", run.stdout, re.MULTILINE)[1])

    again = run_beside(runner, experiment)
    assert "Nothing to be done" in again.stdout + again.stderr
    models = experiment["models"]
    patient = {**models, "sleeps": {**models["sleeps"], "timeout": 90}}
    assert planned(models=patient) == 1, "only what failed is tried again"
    assert planned(on_error="stop") == 8, "no failure is passed over now"
    helper = runner.folder / "beside/limits.py"  # code of the user
    before = helper.read_text()
    helper.write_text(before + "# a comment changes nothing\n")
    assert "Nothing to be done" in run_beside(runner, experiment, "-n").stdout
    helper.write_text("LONG = 3601\n")
    assert planned() == 30


DIABETES = yaml.safe_load("""
experiment: progression
task: regression
seed: 2
datasets:
  diabetes:
    source: sklearn
    name: diabetes
    unit: points
    subgroups: [{column: age, bins: [0]}]
models:
  ridge:
    estimator: sklearn.linear_model.Ridge
    tune: {space: {alpha: [0.1, 10]}, cv: 3}
  boosting: {estimator: xgboost.XGBRegressor, params: {n_estimators: 20}}
  logged:
    estimator: sklearn.compose.TransformedTargetRegressor
    params:
      regressor: {estimator: sklearn.linear_model.LinearRegression}
      transformer: {estimator: sklearn.preprocessing.PowerTransformer}
  forest: {estimator: sklearn.ensemble.RandomForestRegressor, params: {n_estimators: 5}}
resampling: {halves: {repeats: 2, folds: 3, full_repeats: 1}, holdout: {}}
metrics: [rmse, mae, r2, max_error]
""")


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Return the results of one regression."""
    runner = Runner(tmp_path_factory.mktemp("regression"))
    succeed(runner, DIABETES)
    return runner.results("progression")


@pytest.mark.xdist_group("regression")
def test_scores_and_one_of_the_tests_of_squared_errors_are_those_of_the_predictions(done):
    folder = done / "predictions/diabetes"
    ridge, boosting = (
        Predictions.read(folder / f"{model}/holdout.parquet") for model in ("ridge", "boosting")
    )
    assert ridge.classes == ()
    truth, said = ridge.y_true, ridge.y_pred
    scores = pd.read_csv(done / "scores.csv").query("model == 'ridge' and plan == 'holdout'")
    expected = {"rmse": root_mean_squared_error(truth, said), "r2": r2_score(truth, said)}
    expected |= {"max_error": np.abs(truth - said).max()}
    values = scores.set_index("metric")["value"]
    assert values[list(expected)].to_dict() == pytest.approx(expected)
    pairs = pd.read_csv(done / "comparisons.csv")
    assert set(pairs["test"]) == {"half_sample_t", "metric_difference"}
    held = pairs[pairs["test"] == "metric_difference"]
    assert set(held["metric"]) == {"rmse", "mae"}  # max_error has no standard error
    expected = metric_difference(truth, said, boosting.y_pred, metric="rmse")
    pair = "metric == 'rmse' and model_a == 'ridge' and model_b == 'boosting'"
    ((estimate, p),) = held.query(pair)[["estimate", "pvalue"]].to_numpy()
    assert (estimate, p) == pytest.approx((expected.estimate, expected.pvalue))
    parts = pd.read_csv(done / "subgroups.csv")
    assert set(parts["metric"]) >= {"rmse", "mae"}
    assert parts["estimate"].notna().any()


@pytest.mark.xdist_group("regression")
def test_constant_answer_is_that_of_a_dummy_regressor(done):
    table = pd.read_parquet(done / "data/diabetes.parquet").set_index("__row_id__")["__target__"]
    tested = Predictions.read(done / "predictions/diabetes/ridge/holdout.parquet").row_id
    rest = table.drop(tested)
    metrics = pd.read_csv(done / "tables/metrics.csv")
    baselines = metrics[metrics["model"].str.startswith("(baseline")].set_index("model")
    of_means = baselines.loc["(baseline: mean of the training rows)"]
    of_medians = baselines.loc["(baseline: median of the training rows)"]
    truth = table.loc[tested]
    expected = root_mean_squared_error(truth, np.full(len(truth), rest.mean()))
    assert of_means["holdout"] == pytest.approx(expected)
    # by absolute errors the best constant is the median of the training rows of each fold
    (split,) = (done / "splits").glob("*.halves.json")
    parts = read_json(split)["parts"]
    inside = [one for one in parts if one["unused"]]
    known = [one["test"]["off_median"]["mean"] for one in inside]
    assert of_medians["mean_mae"] == pytest.approx(np.mean(known))
    assert "mean of the training rows" in (done / "verdict.txt").read_text(encoding="utf-8")


@pytest.mark.xdist_group("regression")
def test_given_numbers_are_compared_as_fitted_ones_are(done, tmp_path):
    found = pd.read_parquet(done / "collected/diabetes.holdout.predictions.parquet")
    models = list(DIABETES["models"])
    fitted = pytest.approx(_pairs(pd.read_csv(done / "comparisons.csv")))
    in_python = compare(found[":y_true"], found[models], metrics=["rmse", "mae"], unit="points")
    assert _pairs(in_python.comparisons) == fitted
    for model in models:
        own = {"id": found[":row_id"], "y_true": found[":y_true"], "y_pred": found[model]}
        pd.DataFrame(own).sample(frac=1, random_state=1).to_csv(tmp_path / f"{model}.csv")
    given = {model: {"predictions": f"{model}.csv"} for model in models}
    config = {"experiment": "given", "task": "regression", "models": given}
    succeed(Runner(tmp_path), {**config, "metrics": ["rmse", "mae"]})
    results = Runner(tmp_path).results("given")
    assert _pairs(pd.read_csv(results / "comparisons.csv")) == fitted
    theirs = pd.read_csv(done / "scores.csv").query("plan == 'holdout'")
    theirs = theirs[theirs.metric.isin(["rmse", "mae"])]["value"].tolist()
    assert pd.read_csv(results / "scores.csv")["value"].tolist() == pytest.approx(theirs)
    assert "numbers" in read_json(results / "data/given.json")


def _pairs(found):
    """Return what the test of fitted models says of each pair by two metrics."""
    own = found[(found.test == "metric_difference") & found.metric.isin(["rmse", "mae"])]
    return {
        f"{row.metric} {row.model_a} {row.model_b} {what}": getattr(row, what)
        for row in own.itertuples()
        for what in ("estimate", "pvalue")
    }


PAGE = (ROOT / "docs/dependent-rows.md").read_text(encoding="utf-8")
SHIPPED = yaml.safe_load((ROOT / "config/concrete.yaml").read_text("utf-8"))
BARE, SPLIT, WHOLE = "concrete", "random", "whole"


def variant(name, *, grouped):
    """Return the experiment with ten folds in place of halves, its mixtures whole or divided."""
    config = copy.deepcopy(SHIPPED) | {"experiment": name}
    data = config["datasets"]["concrete"]
    if not grouped:
        data["drop"] = [data.pop("groups")]
    config["resampling"] = {"kfold": {"folds": 10}, "holdout": {"test_size": 0.3}}
    config["tests"]["run"] = ["kfold_t", "corrected_kfold_t", "metric_difference"]
    return config


def lines(results):
    """Write the rows of the page's two tables."""
    for name, said in ((SPLIT, "rows at random"), (WHOLE, "mixtures whole")):
        scores = pd.read_csv(results[name] / "scores.csv").query("metric == 'rmse'")
        means = scores[scores["plan"] == "kfold"].groupby("model")["value"].mean()
        cells = " | ".join(f"{means[model]:.2f}" for model in ("boosting", "forest", "ridge"))
        yield f"| {said} | {cells} |"
    told = (
        (SPLIT, "kfold_t", "10 folds, rows at random", "paired t"),
        (SPLIT, "corrected_kfold_t", "10 folds, rows at random", "corrected t"),
        (SPLIT, "metric_difference", "holdout, rows at random", "t on rows"),
        (WHOLE, "kfold_t", "10 folds, mixtures whole", "paired t"),
        (WHOLE, "corrected_kfold_t", "10 folds, mixtures whole", "corrected t"),
        (BARE, "half_sample_t", "**halves, mixtures whole**", "half-sample t"),
        (BARE, "metric_difference", "**holdout, mixtures whole**", "t on mixtures"),
    )
    for name, test, evidence, how in told:
        found = pd.read_csv(results[name] / "comparisons.csv")
        found = found[(found["test"] == test) & (found["metric"] == "rmse")]
        (row,) = found.query("model_a == 'boosting' and model_b == 'forest'").to_dict("records")
        yield f"| {evidence} | {how} | {row['estimate']:.2f} | {pvalue(row['pvalue'])} |"


@pytest.mark.slow
def test_page_has_the_numbers_of_real_runs(tmp_path):
    (tmp_path / "config/data").mkdir(parents=True)
    shutil.copy(ROOT / "config/data/concrete.csv", tmp_path / "config/data")
    results = {}
    for config in (SHIPPED, variant(SPLIT, grouped=False), variant(WHOLE, grouped=True)):
        made = Runner(tmp_path)(config, cores=2)
        assert made.returncode == 0, made.stderr
        name = config["experiment"]
        results[name] = Runner(tmp_path).results(name)
    for line in lines(results):
        assert line in PAGE

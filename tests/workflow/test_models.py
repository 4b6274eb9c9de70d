"""The real workflow with all that a model may say: tuning, thresholds, seeds, code of one's own."""

import json
import re

import pandas as pd
import pytest

from bakeoff.fit.predictions import Predictions
from tests.conftest import Runner, once

FOREST = "sklearn.ensemble.RandomForestClassifier"

CHOOSING = {
    "experiment": "choosing",
    "seed": 3,
    "datasets": {"cancer": {"source": "sklearn", "name": "breast_cancer", "positive": "malignant"}},
    "models": {
        "logistic": {
            "estimator": "sklearn.linear_model.LogisticRegression",
            "tune": {
                "search": "random",
                "space": {"C": {"loguniform": ["1e-3", 10]}},
                "n_iter": 3,
                "cv": 3,
            },
            "threshold": {"choose": "f1", "cv": 3},
        },
        "forest": {"estimator": FOREST, "params": {"n_estimators": 5}, "seeds": 3},
        "boosting": {
            "estimator": "xgboost.XGBClassifier",
            "params": {"n_estimators": 60},
            "early_stopping": {"rounds": 3},
            "class_weight": {"malignant": 2},
            "features": ["mean radius", "mean texture", "worst area"],
        },
    },
    "resampling": {"kfold": {"folds": 2}, "holdout": {}},
    "metrics": ["accuracy"],
    "tests": {"run": ["corrected_kfold_t"]},
}


@pytest.fixture(scope="module")
def chosen(tmp_path_factory):
    """Return the folder in which models that choose have run once."""

    def run(folder):
        done = Runner(folder)(CHOOSING)
        assert done.returncode == 0, done.stderr

    return Runner(once(tmp_path_factory, "choosing", run))


def predictions(runner, model, split):
    folder = runner.results("choosing") / "predictions/cancer"
    return Predictions.read(folder / model / f"{split}.parquet")


def test_choices_of_every_fit_are_told(chosen):
    table = pd.read_csv(chosen.results("choosing") / "choices.csv")
    assert list(table.columns) == [
        *("dataset", "model", "plan", "repeat", "fold", "seed"),
        *("parameter", "value", "inner_score"),
    ]
    counts = table.groupby(["model", "parameter"]).size().to_dict()
    assert counts == {
        ("logistic", "C"): 3,
        ("logistic", "threshold"): 3,
        ("boosting", "iterations"): 3,
    }
    tuned = table[table["parameter"] == "C"]
    assert tuned["value"].astype(float).between(1e-3, 10).all()
    assert tuned["inner_score"].between(0.8, 1).all()
    facts = predictions(chosen, "logistic", "holdout").facts
    row = table.query("model == 'logistic' and plan == 'holdout' and parameter == 'threshold'")
    assert float(row["value"].iloc[0]) == facts["chosen"]["threshold"]


FAILING = """
import os, time
import numpy as np
from sklearn.tree import DecisionTreeClassifier
from limits import LONG

class Sometimes(DecisionTreeClassifier):
    "Fails on one of the two data sets, each in its own way."
    how = "raises"

    def fit(self, X, y, sample_weight=None):
        if X.shape[1] > 4:
            if self.how == "raises":
                raise RuntimeError("no luck today")
            if self.how == "sleeps" and len(y) > 100:
                time.sleep(LONG)
            if self.how == "dies" and len(y) > 100:
                os.kill(os.getpid(), 9)
            if self.how == "is shot" and not os.path.exists("shot"):
                open("shot", "w").close()
                os.kill(os.getpid(), 9)
        return super().fit(X, y)

class Sleeps(Sometimes):
    how = "sleeps"

class Dies(Sometimes):
    how = "dies"

class IsShot(Sometimes):
    how = "is shot"

class Diverges(Sometimes):
    how = "diverges"

    def predict_proba(self, X):
        return super().predict_proba(X) * (np.nan if X.shape[1] > 4 else 1)
"""


@pytest.fixture(scope="module")
def excluding(tmp_path_factory):
    """Return the folder in which an experiment with failing models has run once."""
    runner = Runner(tmp_path_factory.mktemp("excluding"))
    beside = runner.folder / "beside"  # the experiment's folder is not the one snakemake runs in
    beside.mkdir()
    (beside / "mine.py").write_text(FAILING)
    (beside / "limits.py").write_text("LONG = 3600\n")
    experiment = {
        "experiment": "excluding",
        "on_error": "exclude",
        "datasets": {
            "iris": {"source": "sklearn", "name": "iris"},
            "wine": {"source": "sklearn", "name": "wine"},
        },
        "models": {
            "tree": {"estimator": "sklearn.tree.DecisionTreeClassifier"},
            "raises": {"estimator": "mine.Sometimes"},
            "sleeps": {"estimator": "mine.Sleeps", "timeout": 30},
            "dies": {"estimator": "mine.Dies"},
            "is_shot": {"estimator": "mine.IsShot"},
            "diverges": {"estimator": "mine.Diverges"},
        },
        "resampling": {"kfold": {"folds": 2}, "holdout": {}},
        "tests": {"run": ["kfold_t", "cochran_q"]},
    }
    done = run_beside(runner, experiment)
    assert done.returncode == 0, done.stderr
    assert "no luck today" in done.stderr
    assert "on_error: exclude leaves raises out here" in done.stderr
    return runner, experiment


def run_beside(runner, experiment, *options):
    """Run an experiment that lies in another folder than the one snakemake runs in."""
    import yaml

    file = runner.folder / "beside/e.yaml"
    file.write_text(yaml.safe_dump(experiment, sort_keys=False))
    return runner(experiment, "--configfile", str(file), *options, cores=2)


def planned(run):
    return {name: int(n) for name, n in re.findall(r"^(\w+) +(\d+)$", run.stdout, re.MULTILINE)}


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
    lines = (results / "report.md").read_text().splitlines()[:12]
    assert any("dies was excluded on wine, where 1 fit failed" in line for line in lines)
    scores = pd.read_csv(results / "scores.csv")
    # who dies once and not again was killed by another
    assert set(scores.query("dataset == 'wine'")["model"]) == {"tree", "is_shot"}
    assert scores.query("dataset == 'iris'")["model"].nunique() == 6
    assert scores["value"].notna().all()
    collected = pd.read_parquet(results / "collected/wine.holdout.predictions.parquet")
    assert "raises" not in collected
    assert "tree" in collected


@pytest.mark.slow
@pytest.mark.xdist_group("excluding")
def test_tests_without_models_are_undecided(excluding):
    rows = json.loads((excluding[0].results("excluding") / "comparisons.json").read_text())
    wine = [row for row in rows if row["dataset"] == "wine"]
    (omnibus,) = [r for r in wine if r["test"] == "cochran_q" and r["role"] == "omnibus"]
    assert omnibus["decision"] == "undecided", "two models are left, it needs three"
    assert [row for row in rows if row["dataset"] == "iris" and row["status"] == "ok"]


@pytest.mark.slow
@pytest.mark.xdist_group("excluding")
def test_second_run_does_nothing_and_an_edit_retries(excluding):
    runner, experiment = excluding
    again = run_beside(runner, experiment)
    assert "Nothing to be done" in again.stdout + again.stderr
    models = experiment["models"]
    patient = {**models, "sleeps": {**models["sleeps"], "timeout": 90}}
    fits = planned(run_beside(runner, {**experiment, "models": patient}, "-n"))
    assert fits["fit"] == 1, "only what failed is tried again"
    fits = planned(run_beside(runner, {**experiment, "on_error": "stop"}, "-n"))
    assert fits["fit"] == 8, "no failure is passed over now"


@pytest.mark.slow
@pytest.mark.xdist_group("excluding")
def test_edited_code_of_the_user_refits_what_it_makes(excluding):
    runner, experiment = excluding
    helper = runner.folder / "beside/limits.py"
    before = helper.read_text()
    helper.write_text(before + "# a comment changes nothing\n")
    assert "Nothing to be done" in run_beside(runner, experiment, "-n").stdout
    helper.write_text("LONG = 3601\n")
    fits = planned(run_beside(runner, experiment, "-n"))
    helper.write_text(before)
    assert fits["fit"] == 30

"""A model of another run is paired on the folds of this one, or refused with what differs."""

import copy
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from bakeoff.execution import steps
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.fit.fit_task import FitTask
from bakeoff.fit.predictions import Predictions, no_predictions
from bakeoff.paths import Paths
from bakeoff.spec import AnalysisPlan, Fit, load_experiment
from tests.conftest import GONE, change, messages

MARCH = {
    "experiment": "march",
    "seed": 4,
    "datasets": {
        "d": {"source": "generator", "name": "make_classification", "params": {"n_samples": 60}}
    },
    "models": {
        "tree": {"estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 2}},
        "svm": {"estimator": "sklearn.svm.LinearSVC"},
    },
    "resampling": {"kfold": {"folds": 3}, "holdout": {}},
    "metrics": ["accuracy", "roc_auc"],
    "tests": {"run": ["kfold_t", "mcnemar"]},
}
APRIL = {
    **MARCH,
    "experiment": "april",
    "models": {
        "bayes": {"estimator": "sklearn.naive_bayes.GaussianNB"},
        "old": {"results": "results/march", "model": "svm"},
    },
}


def divide(config):
    e = load_experiment(config)
    paths = Paths.of(e.experiment)
    steps.load_dataset(e, "d", paths.data("d"), paths.card("d"))
    for plan in e.resampling.plans():
        made = paths.splits("d", plan), paths.split_quality("d", plan)
        steps.split_dataset(e, "d", plan, paths.data("d"), *made)
    names = "comparisons.csv", "comparisons.json", "experiment.yaml", "tests.json"
    steps.compare(e, AnalysisPlan(), [], *map(paths.top, names))


@pytest.fixture(scope="module")
def march(tmp_path_factory):
    """Return the folder of a run that was made once; not to be changed."""
    folder, before = tmp_path_factory.mktemp("march"), Path.cwd()
    os.chdir(folder)
    try:
        divide(MARCH)
        e = load_experiment(MARCH)
        paths, needs = Paths.of("march"), RuleInputs(e)
        for fit in e.fits():
            places = paths.data("d"), paths.splits("d", fit.plan), needs.prediction(fit)
            steps.fit(FitTask(fit, e.fitted[fit.model], e.seed, *places))
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def april(march, tmp_path, monkeypatch):
    """Return an experiment beside a copy of that run, to be changed."""
    shutil.copytree(march, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return copy.deepcopy(APRIL)


@pytest.mark.parametrize("plan", ["kfold", "holdout"])
def test_model_of_another_run_leaves_what_it_left_there(april, plan):
    assert messages(april) == ""
    divide(april)
    e, paths = load_experiment(april), Paths.of("april")
    assert load_experiment(e.resolved()) == e
    for repeat, fold in e.resampling.plans()[plan].splits():
        fit = Fit("d", "old", plan, repeat, fold)
        places = paths.data("d"), paths.splits("d", plan), RuleInputs(e).prediction(fit)
        steps.take_predictions(e, fit, *places)
        made = Predictions.read(places[-1])
        known = Predictions.read(Paths("results/march").prediction("d", "svm", fit.split))
        for name in ("row_id", "y_true", "y_pred", "decision"):
            np.testing.assert_array_equal(getattr(made, name), getattr(known, name))
        assert {made.facts[k] for k in ("dataset", "model", "plan")} == {"d", "old", plan}
        assert (made.facts["repeat"], made.facts["fold"]) == (repeat, fold)
        assert made.facts["n_train"] == known.facts["n_train"]


def test_what_is_read_of_another_run_is_waited_for(april):
    e = load_experiment(april)
    folds = [f"predictions/d/svm/kfold.repeat-1.fold-{fold}.parquet" for fold in (1, 2, 3)]
    behind = {*folds, "predictions/d/svm/holdout.parquet", "data/d.parquet"}
    expected = {f"results/march/{name}" for name in {*behind, "splits/d.kfold.parquet"}}
    assert set(RuleInputs(e).given("d")) == expected
    assert all(Path(path).is_file() for path in expected)


DIFFERENT = {
    "divides the rows otherwise": {"resampling.kfold.folds": 4},
    "`resampling.kfold` is {'stratify': True, 'repeats': 1, 'folds': 3} there and": {
        "resampling.kfold.stratify": False
    },
    "the column": {"seed": 5},
    "'results/march/data/d.parquet' holds other data than d here: 60 rows there, 50 here": {
        "datasets.d.params.n_samples": 50
    },
    "column(s) there alone: x1": {"datasets.d.drop": ["x1"]},
    "classes 0, 1 there, 1, 0 here, in this order": {"datasets.d.positive": "0"},
    "no file at 'results/march/splits/d.cv_5x2.parquet'": {"resampling.cv_5x2": {}},
    "models.old.results: no file": {"models.old.model": "sv"},
    "is where the results of this": {"experiment": "march"},
    "`results` wants a folder of results, and `model` the id of a": {"models.old.model": GONE},
    "`results` wants a folder of results": {"models.old.model": "../x"},
    "`results` stands in place of `predictions`": {"models.old.predictions": "a.csv"},
    "c brings predictions on one test set, which feed the plan `holdout` alone": {
        "models.c": {"predictions": "c.csv"}
    },
    "datasets.d.source: the folds of kfold are divisions of the data": {
        "datasets.d": {"source": "given"},
        "models.bayes": GONE,
    },
}


@pytest.mark.parametrize("expected", DIFFERENT)
def test_what_differs_is_told(april, expected):
    change(april, DIFFERENT[expected])
    assert expected in messages(april)


def test_divisions_of_another_seed_are_told(april):
    rows = "\n".join(f"{i},{i % 7},{'ab'[i % 2]}" for i in range(60))
    Path("d.csv").write_text(f"i,x,y\n{rows}\n")
    source = {"source": "file", "path": "d.csv", "target": "y", "id": "i"}
    divide({**MARCH, "datasets": {"d": source}})
    april |= {"datasets": {"d": source}, "seed": 5}
    said = messages(april)
    assert "models.old.results: 'results/march/splits/d.kfold.parquet' divides the rows" in said
    assert "`seed` is 4 there and 5 here" in said


def test_stale_and_failed_fits_of_another_run_are_told(april):
    path = Path("results/march/predictions/d/svm/kfold.repeat-1.fold-2.parquet")
    one = Predictions.read(path)
    no_predictions({**one.facts, "failure": "it did not converge"}).write(path)
    assert "fold-2.parquet' is of a fit that failed: it did not converge" in messages(april)
    stale = {**one.facts, "inputs": "0+0"}
    Predictions(one.row_id, one.y_true, one.y_pred, one.classes, None, one.decision, stale).write(
        path
    )
    assert "was not made from the data and the divisions that lie beside it" in messages(april)
    path.write_bytes(b"PAR1")
    assert "fold-2.parquet is damaged" in messages(april)
    path.unlink()
    assert f"no file at {str(path)!r}" in messages(april)

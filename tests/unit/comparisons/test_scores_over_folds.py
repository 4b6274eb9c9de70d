"""The score of each model over the folds, its interval, and its comparison with the baseline."""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

import bakeoff
from bakeoff.report.ranking import ranking

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)
X, Y = X.iloc[::3, :4], Y.iloc[::3]
MODELS = {"bayes": GaussianNB(), "logistic": LogisticRegression(C=0.1, max_iter=1000)}
PATIENT = np.arange(len(X)) // 5
METRICS = ["accuracy", "balanced_accuracy", "log_loss", "roc_auc"]
PLANS = {
    "cv_5x2": {"cv_5x2": {}},
    "kfold": {"kfold": {"folds": 4, "repeats": 2}},
    "resampled": {"resampled": {"repeats": 6, "test_size": 0.3}},
}


@cache
def compared(plan, in_groups=False):
    """Compare the models once on a plan."""
    groups = PATIENT if in_groups else None
    return bakeoff.compare_estimators(MODELS, X, Y, cv=PLANS[plan], metrics=METRICS, groups=groups)


def lines(found, model):
    """Return what is known of a model over the folds, by metric."""
    return {key[2]: line for key, line in found._study.over_folds.items() if key[3] == model}


@pytest.mark.parametrize("plan", PLANS)
def test_scores_and_baselines_are_the_means_of_the_folds(plan):
    found = compared(plan)
    study = found._study
    for model in MODELS:
        for metric, line in lines(found, model).items():
            of_folds = found.scores.query("model == @model and metric == @metric")["value"]
            assert line["estimate"] == pytest.approx(of_folds.mean(), abs=0.01)
            assert line["ci_low"] < line["estimate"] < line["ci_high"]
            sign = 1 if metric != "log_loss" else -1
            gain = sign * (line["estimate"] - line["baseline"])
            assert line["difference"] == pytest.approx(gain)
    ranked = {line.model: line for line in ranking(study)}
    assert ranked["bayes"].ci.low == pytest.approx(lines(found, "bayes")["accuracy"]["ci_low"])
    dummy = cross_val_score(DummyClassifier(), X, Y, cv=5).mean()
    assert lines(found, "bayes")["accuracy"]["baseline"] == pytest.approx(dummy, abs=0.02)


def test_rows_in_groups_are_as_many_as_their_groups():
    wide = lines(compared("kfold", in_groups=True), "logistic")
    narrow = lines(compared("kfold"), "logistic")
    assert all(wide[metric]["df"] < narrow[metric]["df"] for metric in METRICS)
    copies = np.repeat(np.arange(len(X)), 3)
    of_copies = bakeoff.compare_estimators(
        {"bayes": GaussianNB(), "bayes too": GaussianNB(var_smoothing=0.1)},
        X.iloc[copies].reset_index(drop=True),
        Y.iloc[copies].to_numpy(),
        cv=PLANS["kfold"],
        metrics=["accuracy", "roc_auc"],
        groups=copies,
    )
    alone = lines(compared("kfold"), "bayes")
    for metric, line in lines(of_copies, "bayes").items():
        assert 0.8 < line["se"] / alone[metric]["se"] < 1.25, "rows alone would make it 0.58"


def test_a_row_that_no_fold_tests_has_no_part():
    found = bakeoff.compare_estimators(
        MODELS, X, Y, cv={"resampled": {"repeats": 2, "test_size": 0.1}}, metrics=["accuracy"]
    )
    for model in MODELS:
        (line,) = lines(found, model).values()
        assert 0.5 < line["estimate"] < 1
        assert line["se"] > 0.3 / np.sqrt(len(X)), "a tenth of the rows is tested, twice"

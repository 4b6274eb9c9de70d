"""Predictions of all folds, as scikit-learn or a table brings them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import bakeoff

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:200], np.where(Y[:200] == 1, "benign", "malign")
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=1, random_state=0)}
CV, FOUR = StratifiedKFold(5), StratifiedKFold(4)
FITTED = {"return_estimator": True, "return_indices": True}


def fitted(cv=CV, models=MODELS):
    return {name: cross_validate(model, X, Y, cv=cv, **FITTED) for name, model in models.items()}


def tables():
    fold = np.zeros(len(Y), dtype=int)
    for k, (_, test) in enumerate(CV.split(X, Y)):
        fold[test] = k
    said = {name: cross_val_predict(model, X, Y, cv=CV) for name, model in MODELS.items()}
    return {name: pd.DataFrame({"fold": fold, "y_pred": own}) for name, own in said.items()}


def mixed(one, other):
    return {"a": one["bayes"], "b": other["tree"]}


def short():
    return {name: table.iloc[:-1] for name, table in tables().items()}


def changed(**columns):
    return lambda: {name: own.assign(**columns) for name, own in tables().items()}


def test_folds_have_the_numbers_of_their_scores():
    results = fitted()
    scores = {name: one["test_score"] for name, one in results.items()}
    known = bakeoff.compare_folds(scores, cv=CV, n=len(Y), metric="accuracy")
    for found in (
        bakeoff.compare_folds(results, X=X, y=Y),
        bakeoff.compare_folds(tables(), y=Y),
    ):
        assert "/" not in str(found._study.cards), "nothing of a temporary file is told"
        pair, expected = found.to_frame().iloc[0], known.to_frame().iloc[0]
        assert pair["test"] == expected["test"] == "corrected_kfold_t"
        columns = ["estimate", "pvalue", "ci_low", "ci_high"]
        assert pair[columns].tolist() == pytest.approx(expected[columns].tolist())


def test_tests_on_rows_take_five_by_two_folds_with_probabilities_or_without():
    cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)
    results = fitted(cv, MODELS | {"ridge": RidgeClassifier()})
    found = bakeoff.compare_folds(results, X=X, y=Y, versus="tree")
    assert set(found.to_frame()["test"]) == {"cv5x2_z"}
    assert set(found.to_frame()["model_a"]) | set(found.to_frame()["model_b"]) == set(results)
    two = {name: results[name] for name in MODELS}
    areas = bakeoff.compare_folds(two, X=X, y=Y, metrics=["roc_auc"], positive="malign")
    assert areas.to_frame().iloc[0]["metric"] == "roc_auc"


@pytest.mark.parametrize(
    ("results", "options", "said"),
    [
        (tables, {}, r"results\['bayes'\]: found no column y_true, and no y"),
        (tables, {"y": Y[:99]}, "y: 101 rows have no value, the first is 99"),
        (tables, {"y": Y, "groups": Y[:9]}, "groups: 191 rows have no value, the first is 9"),
        (tables, {"y": Y, "versus": "x"}, "versus: unknown model 'x'"),
        (tables, {"y": Y, "metric": "acc"}, "unknown metric 'acc'"),
        (tables, {"y": Y, "tests": ["cv5x2_z"]}, "needs the plan `cv_5x2`"),
        (tables, {"y": Y, "options": {"x": {}}}, "options.x: unknown test 'x'"),
        (changed(fold=1), {"y": Y}, "results: all rows are of one fold.*`bakeoff.compare`"),
        (lambda: {"": tables()["bayes"], "b": tables()["tree"]}, {"y": Y}, "'.: expect"),
        (changed(y_pred=None), {"y": Y}, r"results\['bayes'\]: 200 of 200 rows have no prediction"),
        (fitted, {"y": Y}, r"results\['bayes'\]: found `fit_time`.*return_estimator=True"),
        (fitted, {"X": X}, "X: it is for predictions of folds, with y"),
        (fitted, {"X": X, "y": Y[:99]}, "cv: split 0 trains on 160 and tests 40 of 99 rows"),
        (lambda: fitted(TimeSeriesSplit(3)), {"X": X, "y": Y}, "all others to be trained on"),
        (
            lambda: mixed(fitted(), fitted(FOUR)),
            {"X": X, "y": Y},
            r"'b'.: split 0 has other rows t",
        ),
        (
            lambda: mixed(tables(), short()),
            {"y": Y},
            r"'b'\] has 199 rows, results\['a'\] 200; ids",
        ),
        (changed(y_pred="x"), {"y": Y}, r"'bayes'\] predicts classes that the data do not have"),
    ],
)
def test_mistakes_are_told(results, options, said):
    with pytest.raises(bakeoff.UserError, match=said):
        bakeoff.compare_folds(results(), **options)

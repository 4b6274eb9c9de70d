"""Kinds of learners are known by class, wherever in a model the class stands."""

import pytest

from bakeoff.spec.learners import LEARNERS, learners
from bakeoff.spec.models import Model

KNN = "sklearn.neighbors.KNeighborsClassifier"
LOGISTIC = "sklearn.linear_model.LogisticRegression"
TREE = "sklearn.tree.DecisionTreeClassifier"
RIDGE = "sklearn.linear_model.RidgeClassifier"
SVC = "sklearn.svm.SVC"
SCALER = "sklearn.preprocessing.StandardScaler"
SELECTION = "sklearn.feature_selection.SelectKBest"
LINEAR, NEAR, SHRUNK = "logistic regression", "k-nearest neighbours", "strong shrinkage"
SELECT = "feature selection"


def of(path, /, **params):
    return {"estimator": path, "params": params}


def calibrated(estimator):
    return of("sklearn.calibration.CalibratedClassifierCV", estimator=of(estimator))


def voting(*estimators):
    named = [[name, of(one)] for name, one in zip("ab", estimators, strict=False)]
    return of("sklearn.ensemble.VotingClassifier", estimators=named)


def tuned(model, **space):
    return {**model, "tune": {"search": "grid", "cv": 3, "space": space}}


@pytest.mark.parametrize(
    ("model", "kinds", "simulated"),
    [
        (of(LOGISTIC), {LINEAR}, True),
        (of(KNN), {NEAR}, True),
        (of(TREE), {"decision trees"}, True),
        (of("sklearn.ensemble.RandomForestClassifier"), {"random forests"}, True),
        (of("xgboost.XGBClassifier"), {"gradient boosting"}, True),
        (of("sklearn.dummy.DummyClassifier"), set(), True),
        (of(SVC), {"support vector machines"}, True),
        (of(SVC, kernel="linear"), set(), False),
        (of("sklearn.ensemble.ExtraTreesClassifier"), set(), False),
        (of("mine.KNeighborsClassifier"), set(), False),
        (of(RIDGE), set(), False),
        (of(RIDGE, alpha=1000), {SHRUNK}, True),
        ({"steps": [SCALER, KNN]}, {NEAR}, True),
        ({"steps": [of(SELECTION, k=1), KNN]}, {NEAR, SELECT}, True),
        ({"estimator": LOGISTIC, "preprocessing": [SELECTION]}, {LINEAR, SELECT}, True),
        (calibrated(KNN), {NEAR}, True),
        (calibrated("sklearn.svm.LinearSVC"), set(), False),
        (voting(LOGISTIC, KNN), {LINEAR, NEAR}, False),
        (of(LOGISTIC, C=0.001), {LINEAR, SHRUNK}, True),
        (of(LOGISTIC, C=1.0), {LINEAR}, True),
        (
            tuned({"steps": [SCALER, LOGISTIC]}, logisticregression__C=[1e-4]),
            {LINEAR, SHRUNK},
            True,
        ),
        (tuned(of(LOGISTIC, C=1e-4), C=[1e-4, 1.0]), {LINEAR}, True),
    ],
)
def test_kind_is_known_by_class_and_never_guessed(model, kinds, simulated):
    assert learners(Model.model_validate(model)) == (kinds, simulated)
    assert kinds <= set(LEARNERS)


@pytest.mark.parametrize(
    ("model", "kinds"),
    [
        (of("sklearn.linear_model.LinearRegression"), {"linear models"}),
        (of("sklearn.linear_model.Ridge", alpha=1.0), {"linear models"}),
        (of("sklearn.linear_model.Ridge", alpha=100), {"linear models", SHRUNK}),
        (of("sklearn.linear_model.ElasticNet", alpha=0.001), {SHRUNK}),
        (of("sklearn.svm.SVR"), {SHRUNK}),
        (of("sklearn.neighbors.KNeighborsRegressor"), {NEAR}),
        (of("lightgbm.LGBMRegressor"), {"gradient boosting"}),
        (of("sklearn.neural_network.MLPRegressor"), set()),
    ],
)
def test_kinds_of_regressors_are_their_own(model, kinds):
    for one in (model, of("sklearn.compose.TransformedTargetRegressor", regressor=model)):
        names = {f"{kind} (regression)" for kind in kinds}
        assert learners(Model.model_validate(one), numbers=True) == (names, bool(kinds))
        assert names <= set(LEARNERS)

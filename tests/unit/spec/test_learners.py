"""Kinds of learners are known by class, wherever in a model the class stands."""

import pytest

from bakeoff.spec.learners import LEARNERS, learners
from bakeoff.spec.models import Model

KNN = "sklearn.neighbors.KNeighborsClassifier"
LOGISTIC = "sklearn.linear_model.LogisticRegression"
TREE = "sklearn.tree.DecisionTreeClassifier"
SELECTION = "sklearn.feature_selection.SelectKBest"
LINEAR, NEAR, SHRUNK = "logistic regression", "k-nearest neighbours", "strong shrinkage"


def calibrated(estimator):
    calibration = "sklearn.calibration.CalibratedClassifierCV"
    return {"estimator": calibration, "params": {"estimator": {"estimator": estimator}}}


def voting(*estimators):
    named = [[name, {"estimator": one}] for name, one in zip("ab", estimators, strict=False)]
    return {"estimator": "sklearn.ensemble.VotingClassifier", "params": {"estimators": named}}


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ({"estimator": LOGISTIC}, {LINEAR}),
        ({"estimator": KNN}, {NEAR}),
        ({"estimator": TREE}, {"decision trees"}),
        ({"steps": ["sklearn.preprocessing.StandardScaler", KNN]}, {NEAR}),
        ({"steps": [{"estimator": SELECTION, "params": {"k": 1}}, KNN]}, None),
        ({"estimator": LOGISTIC, "preprocessing": [SELECTION]}, {LINEAR, "feature selection"}),
        (calibrated(KNN), {NEAR}),
        (voting(LOGISTIC, KNN), {LINEAR, NEAR}),
        ({"estimator": "sklearn.ensemble.RandomForestClassifier"}, {"random forests"}),
        ({"estimator": LOGISTIC, "params": {"C": 0.001}}, {LINEAR, SHRUNK}),
        ({"estimator": LOGISTIC, "params": {"C": 1.0}}, {LINEAR}),
        (
            {"estimator": "sklearn.linear_model.RidgeClassifier", "params": {"alpha": 1000}},
            {SHRUNK},
        ),
        (
            {"steps": ["sklearn.preprocessing.StandardScaler", LOGISTIC], "C": [1e-4]},
            {LINEAR, SHRUNK},
        ),
        ({"estimator": LOGISTIC, "params": {"C": 1e-4}, "C": [1e-4, 1.0]}, {LINEAR}),
    ],
)
def test_kind_is_known_by_class(model, expected):
    values = model.pop("C", None)
    if values is not None:
        name = "logisticregression__C" if "steps" in model else "C"
        model["tune"] = {"search": "grid", "cv": 3, "space": {name: values}}
    wanted = {"k-nearest neighbours", "feature selection"} if expected is None else expected
    found = learners(Model.model_validate(model))
    assert found.kinds == wanted
    assert wanted <= set(LEARNERS)


@pytest.mark.parametrize(
    ("model", "simulated"),
    [
        ({"estimator": KNN}, True),
        ({"steps": ["sklearn.preprocessing.StandardScaler", KNN]}, True),
        ({"estimator": "sklearn.dummy.DummyClassifier"}, True),
        ({"estimator": "sklearn.svm.SVC"}, True),
        ({"estimator": "sklearn.svm.SVC", "params": {"kernel": "linear"}}, False),
        ({"estimator": "sklearn.ensemble.ExtraTreesClassifier"}, False),
        ({"estimator": "xgboost.XGBClassifier"}, True),
        ({"estimator": "mine.KNeighborsClassifier"}, False),
        ({"estimator": "sklearn.linear_model.RidgeClassifier"}, False),
        (voting(KNN), False),
        (calibrated(KNN), True),
        (calibrated("sklearn.svm.LinearSVC"), False),
    ],
)
def test_learners_that_nobody_simulated_are_not_guessed(model, simulated):
    assert learners(Model.model_validate(model)).simulated is simulated


@pytest.mark.parametrize(
    ("estimator", "params", "kinds"),
    [
        ("sklearn.linear_model.LinearRegression", {}, {"linear models"}),
        ("sklearn.linear_model.Ridge", {"alpha": 1.0}, {"linear models"}),
        ("sklearn.linear_model.Ridge", {"alpha": 100}, {"linear models", "strong shrinkage"}),
        ("sklearn.linear_model.ElasticNet", {"alpha": 0.001}, {"strong shrinkage"}),
        ("sklearn.svm.SVR", {}, {"strong shrinkage"}),
        ("sklearn.neighbors.KNeighborsRegressor", {}, {"k-nearest neighbours"}),
        ("lightgbm.LGBMRegressor", {}, {"gradient boosting"}),
        ("sklearn.neural_network.MLPRegressor", {}, set()),
    ],
)
def test_kinds_of_regressors_are_their_own(estimator, params, kinds):
    alone = {"estimator": estimator, "params": params}
    wrapped = {
        "estimator": "sklearn.compose.TransformedTargetRegressor",
        "params": {"regressor": dict(alone)},
    }
    for model in (alone, wrapped):
        found = learners(Model.model_validate(model), numbers=True)
        assert found.kinds == {f"{kind} (regression)" for kind in kinds}
        assert found.simulated is bool(kinds)
        assert found.kinds <= set(LEARNERS)

"""Families of learners are known by class, wherever in a model the class stands."""

from __future__ import annotations

from typing import Any

import pytest

from bakeoff.spec.learners import families
from bakeoff.spec.models import Model

KNN = "sklearn.neighbors.KNeighborsClassifier"
LOGISTIC = "sklearn.linear_model.LogisticRegression"
TREE = "sklearn.tree.DecisionTreeClassifier"
VOTING = "sklearn.ensemble.VotingClassifier"
SELECTION = "sklearn.feature_selection.SelectKBest"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ({"estimator": LOGISTIC}, {"linear"}),
        ({"estimator": KNN}, {"neighbours"}),
        ({"estimator": TREE}, {"trees and selection"}),
        ({"steps": ["sklearn.preprocessing.StandardScaler", KNN]}, {"neighbours"}),
        ({"steps": [{"estimator": SELECTION, "params": {"k": 1}}, KNN]}, None),
        ({"estimator": LOGISTIC, "preprocessing": [SELECTION]}, {"linear", "trees and selection"}),
        (
            {
                "estimator": "sklearn.calibration.CalibratedClassifierCV",
                "params": {"estimator": {"estimator": KNN}},
            },
            {"neighbours"},
        ),
        (
            {
                "estimator": VOTING,
                "params": {
                    "estimators": [["a", {"estimator": LOGISTIC}], ["b", {"estimator": KNN}]]
                },
            },
            {"linear", "neighbours"},
        ),
        ({"estimator": "sklearn.ensemble.RandomForestClassifier"}, {"trees and selection"}),
        ({"estimator": LOGISTIC, "params": {"C": 0.001}}, {"linear", "shrunken"}),
        ({"estimator": LOGISTIC, "params": {"C": 1.0}}, {"linear"}),
        (
            {"estimator": "sklearn.linear_model.RidgeClassifier", "params": {"alpha": 1000}},
            {"linear", "shrunken"},
        ),
        (
            {"steps": ["sklearn.preprocessing.StandardScaler", LOGISTIC], "C": [1e-4]},
            {"linear", "shrunken"},
        ),
        ({"estimator": LOGISTIC, "params": {"C": 1e-4}, "C": [1e-4, 1.0]}, {"linear"}),
    ],
)
def test_family_is_known_by_class(model: dict[str, Any], expected: set[str] | None) -> None:
    values = model.pop("C", None)
    if values is not None:
        name = "logisticregression__C" if "steps" in model else "C"
        model["tune"] = {"search": "grid", "cv": 3, "space": {name: values}}
    wanted = {"neighbours", "trees and selection"} if expected is None else expected
    assert families(Model.model_validate(model)) == wanted

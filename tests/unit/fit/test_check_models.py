"""What can be known of an estimator is told before anything is fitted."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from bakeoff.data import Table
from bakeoff.data.table import VALIDATION
from bakeoff.data.target import Classes
from bakeoff.errors import Problem
from bakeoff.fit.check_models import (
    check_model,
    check_neighbours,
)
from bakeoff.fit.estimator import build, has_method
from bakeoff.spec.models import Model

KNN = "sklearn.neighbors.KNeighborsClassifier"


class NoParams:
    """It has fit and predict, and nothing else of scikit-learn's interface."""

    def fit(self, X: Any, y: Any) -> NoParams:
        return self

    def predict(self, X: Any) -> Any:
        return [0] * len(X)


class NoTags(NoParams):
    """Its parameters it tells, not what it is."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def set_params(self, **params: Any) -> NoTags:
        return self


class Changes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """It keeps another value than it was given."""

    def __init__(self, size: Any = None) -> None:
        self.size = [size]

    def fit(self, X: Any, y: Any) -> Changes:
        return self

    def predict(self, X: Any) -> Any:
        return [0] * len(X)


class Fails(NoParams):
    """It cannot be made."""

    def __init__(self) -> None:
        raise RuntimeError("no licence found")


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a module that holds the classes above."""
    module = ModuleType("ownmodels")
    for made in (NoParams, NoTags, Changes, Fails):
        monkeypatch.setattr(made, "__module__", "ownmodels")
        setattr(module, made.__name__, made)
    monkeypatch.setitem(sys.modules, "ownmodels", module)
    return "ownmodels"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NoParams", "ownmodels.NoParams has no get_params: derive the class from"),
        ("NoTags", "ownmodels.NoTags does not say what it is"),
        ("Changes", "ownmodels.Changes cannot be copied: Cannot clone object"),
        ("Fails", "ownmodels.Fails cannot be made: no licence found"),
    ],
)
def test_class_that_is_no_estimator_is_told(own: str, name: str, message: str) -> None:
    with pytest.raises(Problem, match=rf"^models\.m\.(params|estimator): {message}"):
        check_model("m", Model.model_validate({"estimator": f"{own}.{name}"}))


NESTED = {"estimator": {"estimator": KNN}}


@pytest.mark.parametrize(
    ("estimator", "params", "methods"),
    [
        ("sklearn.linear_model.Perceptron", {}, ["decision_function"]),
        ("sklearn.svm.SVC", {}, ["decision_function"]),
        ("sklearn.multiclass.OutputCodeClassifier", NESTED, []),
        (
            "sklearn.ensemble.StackingClassifier",
            {"estimators": [["a", {"estimator": KNN}]]},
            ["predict_proba", "decision_function"],
        ),
        (KNN, {}, ["predict_proba"]),
    ],
    ids=str,
)
def test_methods_of_a_fitted_estimator_are_known_before(
    estimator: str, params: dict[str, Any], methods: list[str]
) -> None:
    made = build(estimator, params)
    assert [m for m in ("predict_proba", "decision_function") if has_method(made, m)] == methods


TABLE = Table(pd.DataFrame({VALIDATION: ["train", "validation"] * 20}), Classes(("a", "b")))


def forty() -> list[Any]:
    """Return one training part of forty rows."""
    return [np.arange(40)]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"params": {"n_neighbors": 41}},
            "models.m.params: 41 neighbours are more than the 40 rows of the smallest training",
        ),
        (
            {"tune": {"space": {"n_neighbors": [5, 33]}, "cv": 5}},
            "models.m.tune.space.n_neighbors: 33 neighbours are more than the 32 rows that an",
        ),
        (
            {"tune": {"space": {"n_neighbors": [5, 21]}, "validation": {"column": "part"}}},
            "models.m.tune.space.n_neighbors: 21 neighbours are more than the 20 rows that an",
        ),
        ({"params": {"n_neighbors": 40}}, None),
        ({"tune": {"space": {"n_neighbors": [5, 32]}, "cv": 5}}, None),
    ],
    ids=str,
)
def test_more_neighbours_than_rows_are_told(keys: dict[str, Any], message: str | None) -> None:
    own = Model.model_validate({"estimator": KNN, **keys})
    problems = [str(problem) for problem in check_neighbours("m", own, "d", TABLE, forty)]
    assert [p[: len(message or "")] for p in problems] == ([message] if message else [])


def test_neighbours_within_another_estimator_are_told() -> None:
    nested = {"estimator": KNN, "params": {"n_neighbors": 99}}
    bagging = "sklearn.ensemble.BaggingClassifier"
    for depth in range(3):
        own = Model.model_validate({"estimator": bagging, "params": {"estimator": nested}})
        assert len(list(check_neighbours("m", own, "d", TABLE, forty))) == 1, depth
        nested = {"estimator": bagging, "params": {"estimator": nested}}


@pytest.mark.parametrize(
    "params",
    [
        {"estimators": [{"estimator": KNN}]},
        {"estimators": [[{"estimator": KNN}]]},
        {"estimators": [["a", {"estimator": KNN}], {"estimator": KNN}]},
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_parts_of_a_composition_have_names(params: dict[str, Any], inside: bool) -> None:
    voting = {"estimator": "sklearn.ensemble.VotingClassifier", "params": params}
    bagging = {"estimator": "sklearn.ensemble.BaggingClassifier", "params": {"estimator": voting}}
    with pytest.raises(Problem, match=r"models\.m\.params: estimators\[[01]\]: .* expected a name"):
        check_model("m", Model.model_validate(bagging if inside else voting))
    good = {"estimators": [["a", {"estimator": KNN}], ["b", {"estimator": KNN}]]}
    check_model("m", Model.model_validate(voting | {"params": good}))

"""Every meta-estimator of scikit-learn is checked and fitted from an experiment's entry."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.utils import all_estimators

from bakeoff.data.target import Classes
from bakeoff.errors import Problem
from bakeoff.fit.check_models import check_model
from bakeoff.fit.train import TrainingPart, train
from bakeoff.seeds import derive
from bakeoff.spec.models import Model

TREE = {"estimator": "sklearn.tree.DecisionTreeClassifier"}
LOGISTIC = {"estimator": "sklearn.linear_model.LogisticRegression"}
NESTED = {
    "estimator": LOGISTIC,
    "estimators": [["a", LOGISTIC], ["b", TREE]],
    "steps": [["scale", {"estimator": "sklearn.preprocessing.StandardScaler"}], ["last", LOGISTIC]],
    "transformers": [["scaled", {"estimator": "sklearn.preprocessing.StandardScaler"}, ["a", "b"]]],
    "transformer_list": [["scaled", {"estimator": "sklearn.preprocessing.StandardScaler"}]],
    "param_grid": {"C": [0.1, 1]},
    "param_distributions": {"C": [0.1, 1]},
}
OTHERS = {
    "AdaBoostClassifier": {"estimator": TREE},  # and no other key
    "RandomizedSearchCV": {"n_iter": 2},
    "SequentialFeatureSelector": {"n_features_to_select": 2, "cv": 2},
    "SelfTrainingClassifier": {"estimator": {"estimator": "sklearn.naive_bayes.GaussianNB"}},
}
REFUSED = "is not a classifier|several targets|no fit and predict|as it was fitted"


def metas():
    """Return scikit-learn's classes that have estimators among their parameters."""
    names = {"estimator", "estimators", "steps", "transformers", "transformer_list"}
    return {
        name: made
        for name, made in all_estimators()
        if names & set(inspect.signature(made).parameters)
    }


def entry(name):
    """Write an experiment's entry with the estimators that a class wants and nothing else."""
    made = metas()[name]
    wanted = inspect.signature(made).parameters
    params = {key: value for key, value in NESTED.items() if key in wanted}
    path = f"{made.__module__}.{name}"
    return {"estimator": path, "params": {**params, **OTHERS.get(name, {})}}


def part():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = pd.DataFrame(rng.normal(size=(60, 3)) + y[:, None], columns=list("abc"))
    return TrainingPart(X, Classes(("no", "yes")).encoded(y.astype(np.intp)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", metas())
def test_meta_estimator_is_fitted_or_refused_before(name):
    own = Model.model_validate(entry(name))
    assert own.imports[1:], "what is nested is imported before the threads are limited"
    refused = name.endswith("Regressor") or name in {
        *("ColumnTransformer", "FeatureUnion", "SelectFromModel", "SequentialFeatureSelector"),
        *("ClassifierChain", "MultiOutputClassifier", "FrozenEstimator", "RegressorChain"),
    }
    if refused:
        with pytest.raises(Problem, match=REFUSED):
            check_model("m", own)
        return
    check_model("m", own)
    found = train(own, part(), derive(1, "fit")).predict(part().X)
    assert (found == part().y).mean() > 0.7


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [n for n, made in metas().items() if hasattr(made, "transform")])
def test_meta_transformer_stands_before_a_classifier(name):
    step = entry(name)
    if name == "Pipeline":
        step["params"]["steps"] = NESTED["steps"][:1]
    own = Model.model_validate({**LOGISTIC, "preprocessing": [step]})
    if name.endswith(("SearchCV", "Regressor")):
        return  # they transform as the estimator they found does, or are for other targets
    check_model("m", own)
    found = train(own, part(), derive(1, "fit")).predict(part().X)
    assert (found == part().y).mean() > 0.6


def test_grid_over_estimators_is_no_estimator():
    grid = {"estimator": [LOGISTIC, {**TREE, "params": {"max_depth": 1}}]}
    bagging = {"estimator": "sklearn.ensemble.BaggingClassifier", "params": {"n_estimators": 2}}
    keys = {"estimator": bagging, "param_grid": grid, "cv": 2}
    own = Model.model_validate(
        {"estimator": "sklearn.model_selection.GridSearchCV", "params": keys}
    )
    assert {path.rpartition(".")[2] for path in own.imports} == {
        *("GridSearchCV", "BaggingClassifier", "LogisticRegression", "DecisionTreeClassifier")
    }
    check_model("m", own)
    assert train(own, part(), derive(1, "fit")).predict(part().X).mean() > 0


def test_stacking_without_final_estimator_has_what_its_default_has():
    own = Model.model_validate({**entry("StackingClassifier"), "threshold": {"choose": "f1"}})
    check_model("m", own)
    assert 0 < train(own, part(), derive(1, "fit")).chosen["threshold"] < 1

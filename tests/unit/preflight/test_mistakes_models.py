"""Mistakes in a model's entry, each told in one message before any fit starts."""

import pytest

from tests.conftest import hold, messages

LOGISTIC = "sklearn.linear_model.LogisticRegression"
KNN = "sklearn.neighbors.KNeighborsClassifier"
XGBOOST = "xgboost.XGBClassifier"
TREE = "sklearn.tree.DecisionTreeClassifier"
SCALER = "sklearn.preprocessing.StandardScaler"
STEPS = {"steps": [SCALER, {"estimator": LOGISTIC}]}
GRID = {"space": {"C": [0.1, 1]}}


def model(estimator, **keys):
    return {"estimator": estimator, **keys}


def tuned(**keys):
    return model(LOGISTIC, tune={**GRID, **keys})


BAGGING = "sklearn.ensemble.BaggingClassifier"

MISTAKES = {
    ": expected `estimator:` … found neither": {"params": {}},
    ": expected `estimator:` … found both": {"estimator": TREE, **STEPS},
    ".steps: found 0 entries": {"steps": []},
    " … each step has its own `params:`": {**STEPS, "params": {"C": 1}},
    ".steps[1]: found 'logistic'": {"steps": [SCALER, "logistic"]},
    ".steps[0].params … did you mean 'with_mean'?": {
        "steps": [{"estimator": SCALER, "params": {"with_men": False}}, LOGISTIC]
    },
    ".steps[0].estimator … transformer": {"steps": [TREE, LOGISTIC]},
    ".steps[0].estimator … no fit and predict": {"steps": [SCALER]},
    ".params: The 'max_depth' parameter … Got -3 instead": model(TREE, params={"max_depth": -3}),
    ".preprocessing.estimator … it is no transformer": model(TREE, preprocessing=TREE),
    ".preprocessing[0].estimator … StandardScal": model(
        TREE, preprocessing=["sklearn.preprocessing.StandardScalr"]
    ),
    ".features[1]: unknown feature 'petal' … in data set iris": model(
        TREE, features=["petal length (cm)", "petal"]
    ),
    ".drop[0] … did you mean 'petal length (cm)'? … in data set iris": model(
        TREE, drop=["petal lenght (cm)"]
    ),
    ".drop: no feature is left": model(
        TREE, features=["petal length (cm)"], drop=["petal length (cm)"]
    ),
    ".threshold … 'f1'": model(TREE, threshold="f1"),
    ".threshold: found 1.5, expected a probability between 0 and 1": model(TREE, threshold=1.5),
    ".threshold: a threshold is for two classes, iris has 3": model(TREE, threshold=0.3),
    ".threshold.choose: unknown value 'f2' … youden": model(TREE, threshold={"choose": "f2"}),
    ".threshold.choose: needs `costs:": model(TREE, threshold={"choose": "cost"}),
    " … a threshold is for two classes": model(
        "sklearn.linear_model.RidgeClassifierCV", threshold={"choose": "f1"}
    ),
    ".class_weight: unknown value 'balancd'; did you mean 'balanced'?": model(
        TREE, class_weight="balancd"
    ),
    ".class_weight.setoza … iris … did you mean 'setosa'?": model(TREE, class_weight={"setoza": 2}),
    ".class_weight: given twice": model(
        TREE, params={"class_weight": "balanced"}, class_weight="balanced"
    ),
    ".class_weight: KNeighborsClassifier takes neither class weights nor": model(
        KNN, class_weight="balanced"
    ),
    ".seeds … greater than or equal to 1": model(TREE, seeds=0),
    ".seeds: `params: {random_state: 0}` makes all 3 seeds the same": model(
        TREE, params={"random_state": 0}, seeds=3
    ),
    ".timeout … '5 s'": model(TREE, timeout="5 s"),
    ".memory … found 1": model(TREE, memory=1),
    ".tune.search … did you mean 'grid'?": tuned(search="gird"),
    ".tune.space: found 0 entries": tuned(space={}),
    ".tune.cv … greater than or equal to 2": tuned(cv=1),
    ".tune: unknown scoring 'acuracy'; did you mean 'accuracy'?": tuned(scoring="acuracy"),
    ".tune: `n_iter` is for `search: random`": tuned(n_iter=3),
    ".tune: unknown parameter of LogisticRegression: 'c'": tuned(space={"c": [1]}),
    ".tune: unknown parameter of XGBClassifier: … did you mean 'max_depth'?": model(
        XGBOOST, tune={"space": {"max_dept": [1]}}
    ),
    ".tune.space.C: The 'C' parameter of LogisticRegression … Got -1 instead": tuned(
        space={"C": [1, -1]}
    ),
    ".tune.space.pca__n_components: The 'n_components' parameter of PCA … 'two'": {
        "steps": ["sklearn.decomposition.PCA", "sklearn.naive_bayes.GaussianNB"],
        "tune": {"space": {"pca__n_components": ["two"]}},
    },
    ".params: The 'max_depth' parameter of DecisionTreeClassifier … Got 'x'": model(
        BAGGING, params={"estimator": {"estimator": TREE, "params": {"max_depth": "x"}}}
    ),
    ".params: found '../tree', expected an import path": model(
        BAGGING, params={"estimator": {"estimator": "../tree"}}
    ),
    ".params: found ['max_depth'], expected the parameters of sklearn.tree": model(
        BAGGING, params={"estimator": {"estimator": TREE, "params": ["max_depth"]}}
    ),
    ".tune: a grid needs lists of values, C has none: use `search: random`": tuned(
        space={"C": {"uniform": [0, 1]}}
    ),
    ".tune.space.C: unknown key 'logunifrm'; did you mean 'loguniform'?": tuned(
        space={"C": {"logunifrm": [1, 2]}}, search="random"
    ),
    ".tune.space.C: found loguniform: [0, 2] … 0 < low < high": tuned(
        space={"C": {"loguniform": [0, 2]}}, search="random"
    ),
    ".tune.space.C: found uniform: [2, 1] … low < high": tuned(
        space={"C": {"uniform": [2, 1]}}, search="random"
    ),
    ".tune.space.C.uniform": tuned(space={"C": {"uniform": [1, 2, 3]}}, search="random"),
    ".tune.space.C: expected a list of values or one of uniform": tuned(
        space={"C": {"uniform": [1, 2], "loguniform": [1, 2]}}, search="random"
    ),
    ".tune.space.max_iter.randint[1] … found 2.5": tuned(
        space={"max_iter": {"randint": [1, 2.5]}}, search="random"
    ),
    ".tune.space.C: expected a list like [a, b], found 3": tuned(space={"C": 3}),
    ".estimator:  … not installed … pip install lightgbmm … lightgbmm.py": {
        "estimator": "lightgbmm.LGBMClassifier"
    },
}


@pytest.mark.parametrize("expected", MISTAKES)
def test_mistake_in_a_model_is_told(tiny, expected):
    tiny["models"]["m"] = MISTAKES[expected]
    tiny |= {"metrics": ["accuracy"], "tests": {"run": ["cv5x2_f"]}}
    message = messages(tiny)
    assert len(message.splitlines()) == 1, message
    hold(message, f"models.m{expected}")


def test_weights_that_a_model_cannot_take_are_told(tiny, write_csv):
    path = write_csv("a,w,y\n" + "1,1,u\n2,2,v\n" * 20)
    source = {"source": "file", "path": path, "target": "y", "weights": "w"}
    tiny["datasets"] = {"d": source}
    tiny["models"]["knn"] = {"estimator": KNN}
    message = messages(tiny)
    assert "models.knn: KNeighborsClassifier takes no sample weights, and data set d" in message
    assert "models.tree" not in message


@pytest.mark.parametrize(
    "entry",
    [
        {"estimator": LOGISTIC, "params": {"tol": "1e-3"}},
        {"estimator": LOGISTIC, "tune": {"space": {"C": ["1e-3", 1]}}},
        {**STEPS, "tune": {"space": {"C": [1], "standardscaler__with_mean": [True, False]}}},
        {"estimator": TREE, "preprocessing": {"estimator": SCALER, "params": {"with_std": False}}},
        {"estimator": TREE, "class_weight": {"setosa": 2}, "timeout": 5, "memory": 4000},
        {"estimator": XGBOOST, "class_weight": "balanced", "seeds": 2},
        {"estimator": TREE, "features": ["petal length (cm)"]},
    ],
)
def test_what_is_right_is_let_through(tiny, entry):
    """YAML reads 1e-3 as a text; people mean a number."""
    tiny["models"]["m"], tiny["tests"]["run"] = entry, ["cv5x2_f"]
    assert messages(tiny) == ""

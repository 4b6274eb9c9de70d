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
    "models.m: expected `estimator:` … found neither": {"params": {}},
    "models.m: expected `estimator:` … found both": {"estimator": TREE, **STEPS},
    "models.m.steps: found 0 entries": {"steps": []},
    "each step has its own `params:`": {**STEPS, "params": {"C": 1}},
    "models.m.steps[1]: found 'logistic'": {"steps": [SCALER, "logistic"]},
    "models.m.steps[0].params … did you mean 'with_mean'?": {
        "steps": [{"estimator": SCALER, "params": {"with_men": False}}, LOGISTIC]
    },
    "models.m.steps[0].estimator … transformer": {"steps": [TREE, LOGISTIC]},
    "models.m.steps[0].estimator … no fit and predict": {"steps": [SCALER]},
    "models.m.params: The 'max_depth' parameter … Got -3 instead": model(
        TREE, params={"max_depth": -3}
    ),
    "models.m.preprocessing.estimator … it is no transformer": model(TREE, preprocessing=TREE),
    "models.m.preprocessing[0].estimator … StandardScal": model(
        TREE, preprocessing=["sklearn.preprocessing.StandardScalr"]
    ),
    "models.m.features[1]: unknown feature 'petal' … in data set iris": model(
        TREE, features=["petal length (cm)", "petal"]
    ),
    "models.m.drop[0] … did you mean 'petal length (cm)'? … in data set iris": model(
        TREE, drop=["petal lenght (cm)"]
    ),
    "models.m.drop: no feature is left": model(
        TREE, features=["petal length (cm)"], drop=["petal length (cm)"]
    ),
    "models.m.threshold … 'f1'": model(TREE, threshold="f1"),
    "models.m.threshold: found 1.5, expected a probability between 0 and 1": model(
        TREE, threshold=1.5
    ),
    "models.m.threshold: a threshold is for two classes, iris has 3": model(TREE, threshold=0.3),
    "models.m.threshold.choose: unknown value 'f2' … youden": model(
        TREE, threshold={"choose": "f2"}
    ),
    "models.m.threshold.choose: needs `costs:": model(TREE, threshold={"choose": "cost"}),
    "a threshold is for two classes": model(
        "sklearn.linear_model.RidgeClassifierCV", threshold={"choose": "f1"}
    ),
    "models.m.class_weight: unknown value 'balancd'; did you mean 'balanced'?": model(
        TREE, class_weight="balancd"
    ),
    "models.m.class_weight.setoza … iris … did you mean 'setosa'?": model(
        TREE, class_weight={"setoza": 2}
    ),
    "models.m.class_weight: given twice": model(
        TREE, params={"class_weight": "balanced"}, class_weight="balanced"
    ),
    "models.m.class_weight: KNeighborsClassifier takes neither class weights nor": model(
        KNN, class_weight="balanced"
    ),
    "models.m.early_stopping: KNeighborsClassifier cannot stop early; XGBoost": model(
        KNN, early_stopping={}
    ),
    "models.m.early_stopping: expected keys (fraction, rounds), found True": model(
        XGBOOST, early_stopping=True
    ),
    "models.m.seeds … greater than or equal to 1": model(TREE, seeds=0),
    "models.m.seeds: KNeighborsClassifier has no random part": model(KNN, seeds=3),
    "models.m.seeds: `params: {random_state: 0}` makes all 3 seeds the same": model(
        TREE, params={"random_state": 0}, seeds=3
    ),
    "models.m.timeout … '5 s'": model(TREE, timeout="5 s"),
    "models.m.memory … found 1": model(TREE, memory=1),
    "models.m.tune.search … did you mean 'grid'?": tuned(search="gird"),
    "models.m.tune.space: found 0 entries": tuned(space={}),
    "models.m.tune.cv … greater than or equal to 2": tuned(cv=1),
    "models.m.tune: unknown scoring 'acuracy'; did you mean 'accuracy'?": tuned(scoring="acuracy"),
    "models.m.tune.scoring: roc_auc is for two classes, iris has 3": tuned(scoring="roc_auc"),
    "models.m.tune: `n_iter` is for `search: random`": tuned(n_iter=3),
    "models.m.tune: unknown parameter of LogisticRegression: 'c'": tuned(space={"c": [1]}),
    "models.m.tune: unknown parameter of XGBClassifier: … did you mean 'max_depth'?": model(
        XGBOOST, tune={"space": {"max_dept": [1]}}
    ),
    "models.m.tune.space.C: The 'C' parameter of LogisticRegression … Got -1 instead": tuned(
        space={"C": [1, -1]}
    ),
    "models.m.tune.space.pca__n_components: The 'n_components' parameter of PCA … 'two'": {
        "steps": ["sklearn.decomposition.PCA", "sklearn.naive_bayes.GaussianNB"],
        "tune": {"space": {"pca__n_components": ["two"]}},
    },
    "models.m.params: The 'max_depth' parameter of DecisionTreeClassifier … Got 'x'": model(
        BAGGING, params={"estimator": {"estimator": TREE, "params": {"max_depth": "x"}}}
    ),
    "models.m.params: found '../tree', expected an import path": model(
        BAGGING, params={"estimator": {"estimator": "../tree"}}
    ),
    "models.m.params: found ['max_depth'], expected the parameters of sklearn.tree": model(
        BAGGING, params={"estimator": {"estimator": TREE, "params": ["max_depth"]}}
    ),
    "models.m.tune: a grid needs lists of values, C has none: use `search: random`": tuned(
        space={"C": {"uniform": [0, 1]}}
    ),
    "models.m.tune.space.C: unknown key 'logunifrm'; did you mean 'loguniform'?": tuned(
        space={"C": {"logunifrm": [1, 2]}}, search="random"
    ),
    "models.m.tune.space.C: found loguniform: [0, 2] … 0 < low < high": tuned(
        space={"C": {"loguniform": [0, 2]}}, search="random"
    ),
    "models.m.tune.space.C: found uniform: [2, 1] … low < high": tuned(
        space={"C": {"uniform": [2, 1]}}, search="random"
    ),
    "models.m.tune.space.C.uniform": tuned(space={"C": {"uniform": [1, 2, 3]}}, search="random"),
    "models.m.tune.space.C: expected a list of values or one of uniform": tuned(
        space={"C": {"uniform": [1, 2], "loguniform": [1, 2]}}, search="random"
    ),
    "models.m.tune.space.max_iter.randint[1] … found 2.5": tuned(
        space={"max_iter": {"randint": [1, 2.5]}}, search="random"
    ),
    "models.m.tune.space.C: expected a list like [a, b], found 3": tuned(space={"C": 3}),
    "models.m.estimator:  … not installed … pip install lightgbmm … lightgbmm.py": {
        "estimator": "lightgbmm.LGBMClassifier"
    },
}


@pytest.mark.parametrize("expected", MISTAKES)
def test_mistake_in_a_model_is_told(tiny, expected):
    tiny["models"]["m"] = MISTAKES[expected]
    tiny |= {"metrics": ["accuracy"], "tests": {"run": ["cv5x2_f"]}}
    message = messages(tiny)
    assert len(message.splitlines()) == 1, message
    hold(message, expected)


def test_weights_that_a_model_cannot_take_are_told(tiny, write_csv):
    path = write_csv("a,w,y\n" + "1,1,u\n2,2,v\n" * 20)
    source = {"source": "file", "path": path, "target": "y", "weights": "w"}
    tiny["datasets"] = {"d": source}
    tiny["models"]["knn"] = {"estimator": KNN}
    message = messages(tiny)
    assert "models.knn: KNeighborsClassifier takes no sample weights, and data set d" in message
    assert "models.tree" not in message


VALIDATION = {
    "models.m.tune.validation.column: unknown column 'prt'; did you mean 'part'?": {
        "column": "prt"
    },
    "models.m.tune.validation.values: unknown value in 'part' of data set d: 'valid'": {
        "column": "part",
        "values": ["valid"],
    },
    (
        "models.m.tune.validation: 60 of 60 training rows are for validation: some must be, "
        "and not all (in a training part of data set d)"
    ): {"column": "part", "values": ["validation", "train"]},
    "models.m.tune.validation: 0 of 60 training rows are for validation": {
        "column": "part",
        "values": ["test"],
    },
    "models.m.tune.validation: a class has rows for validation only, none for training": {
        "column": "odd",
        "values": ["r"],
    },
    "models.m.tune.validation: the key 'column' is missing": {"values": ["validation"]},
    "models.m.tune.validation: expected less than 1, found 1": 1,
}


@pytest.mark.parametrize("expected", VALIDATION)
def test_mistake_in_the_rows_of_a_search_is_told(tiny, write_csv, expected):
    lines = "1,train,{0},{0}\n2,train,{0},{0}\n3,validation,{0},{0}\n4,test,{0},{0}\n"
    path = write_csv("a,part,odd,y\n" + (lines.format("r") + lines.format("s")) * 10)
    tiny["datasets"] = {"d": {"source": "file", "path": path, "target": "y", "drop": ["odd"]}}
    holdout = {"column": "part", "train": ["train", "validation"]}
    tiny |= {"resampling": {"holdout": holdout}, "metrics": ["accuracy"]}
    tiny["tests"] = {"run": ["mcnemar"]}
    search = {"space": {"C": [1, 2]}, "validation": {"column": "part"}}
    tiny["models"] = {name: {"estimator": LOGISTIC, "tune": dict(search)} for name in "km"}
    assert messages(tiny) == ""
    tiny["models"]["m"]["tune"]["validation"] = VALIDATION[expected]
    del tiny["models"]["k"]["tune"]
    assert expected in messages(tiny)


def test_searches_go_by_one_column(tiny):
    for name in ("tree", "stump"):
        rows = {"column": f"of {name}"}
        tiny["models"][name]["tune"] = {"space": {"max_depth": [1]}, "validation": rows}
    found = (
        "models.stump.tune.validation.column: found 'of stump', tree goes by 'of tree': name one"
    )
    assert found in messages(tiny)


@pytest.mark.parametrize(
    "entry",
    [
        {"estimator": LOGISTIC, "params": {"tol": "1e-3"}},
        {"estimator": LOGISTIC, "tune": {"space": {"C": ["1e-3", 1]}}},
        {**STEPS, "tune": {"space": {"C": [1], "standardscaler__with_mean": [True, False]}}},
        {"estimator": TREE, "preprocessing": {"estimator": SCALER, "params": {"with_std": False}}},
        {"estimator": TREE, "class_weight": {"setosa": 2}, "timeout": 5, "memory": 4000},
        {"estimator": XGBOOST, "class_weight": "balanced", "seeds": 2, "early_stopping": {}},
        {"estimator": TREE, "features": ["petal length (cm)"]},
    ],
)
def test_what_is_right_is_let_through(tiny, entry):
    """YAML reads 1e-3 as a text; people mean a number."""
    tiny["models"]["m"], tiny["tests"]["run"] = entry, ["cv5x2_f"]
    assert messages(tiny) == ""

"""Mistakes in a model's entry, each told in one message before any fit starts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.preflight.test_mistakes import all_problems

LOGISTIC = "sklearn.linear_model.LogisticRegression"
KNN = "sklearn.neighbors.KNeighborsClassifier"
XGBOOST = "xgboost.XGBClassifier"
TREE = "sklearn.tree.DecisionTreeClassifier"
SCALER = "sklearn.preprocessing.StandardScaler"
STEPS = {"steps": [SCALER, {"estimator": LOGISTIC}]}
GRID = {"space": {"C": [0.1, 1]}}


def tuned(**keys: Any) -> dict[str, Any]:
    return {"estimator": LOGISTIC, "tune": {**GRID, **keys}}


BAGGING = "sklearn.ensemble.BaggingClassifier"

MISTAKES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("no estimator", {"params": {}}, ["models.m: expected `estimator:`", "found neither"]),
    ("two kinds", {"estimator": TREE, **STEPS}, ["models.m: expected `estimator:`", "found both"]),
    ("no steps", {"steps": []}, ["models.m.steps: found 0 entries"]),
    ("params of steps", {**STEPS, "params": {"C": 1}}, ["each step has its own `params:`"]),
    ("step no path", {"steps": [SCALER, "logistic"]}, ["models.m.steps[1]: found 'logistic'"]),
    (
        "unknown key of a step",
        {"steps": [{"estimator": SCALER, "parms": {}}, LOGISTIC]},
        ["models.m.steps[0]: unknown key 'parms'; did you mean 'params'?"],
    ),
    (
        "step's parameter",
        {"steps": [{"estimator": SCALER, "params": {"with_men": False}}, LOGISTIC]},
        ["models.m.steps[0].params", "did you mean 'with_mean'?"],
    ),
    ("no transformer", {"steps": [TREE, LOGISTIC]}, ["models.m.steps[0].estimator", "transformer"]),
    ("no classifier", {"steps": [SCALER]}, ["models.m.steps[0].estimator", "no fit and predict"]),
    (
        "value of a parameter",
        {"estimator": TREE, "params": {"max_depth": -3}},
        ["models.m.params: The 'max_depth' parameter", "Got -3 instead"],
    ),
    (
        "unknown preprocessing",
        {"estimator": TREE, "preprocessing": "atuo"},
        ["models.m.preprocessing: unknown value 'atuo'; did you mean 'auto'?"],
    ),
    (
        "preprocessing that is none",
        {"estimator": TREE, "preprocessing": TREE},
        ["models.m.preprocessing.estimator", "it is no transformer"],
    ),
    (
        "preprocessing's class",
        {"estimator": TREE, "preprocessing": ["sklearn.preprocessing.StandardScalr"]},
        ["models.m.preprocessing[0].estimator", "StandardScal"],
    ),
    (
        "unknown feature",
        {"estimator": TREE, "features": ["petal length (cm)", "petal"]},
        ["models.m.features[1]: unknown feature 'petal'", "in data set iris"],
    ),
    (
        "unknown drop",
        {"estimator": TREE, "drop": ["petal lenght (cm)"]},
        ["models.m.drop[0]", "did you mean 'petal length (cm)'?", "in data set iris"],
    ),
    (
        "no feature left",
        {
            "estimator": TREE,
            "features": ["petal length (cm)"],
            "drop": ["petal length (cm)"],
        },
        ["models.m.drop: no feature is left"],
    ),
    ("threshold text", {"estimator": TREE, "threshold": "f1"}, ["models.m.threshold", "'f1'"]),
    (
        "threshold beyond 1",
        {"estimator": TREE, "threshold": 1.5},
        ["models.m.threshold: found 1.5, expected a probability between 0 and 1"],
    ),
    (
        "threshold for three classes",
        {"estimator": TREE, "threshold": 0.3},
        ["models.m.threshold: a threshold is for two classes, iris has 3"],
    ),
    (
        "threshold by what",
        {"estimator": TREE, "threshold": {"choose": "f2"}},
        ["models.m.threshold.choose: unknown value 'f2'", "youden"],
    ),
    (
        "threshold's key",
        {"estimator": TREE, "threshold": {"chose": "f1"}},
        ["models.m.threshold: unknown key 'chose'; did you mean 'choose'?"],
    ),
    (
        "threshold's folds",
        {"estimator": TREE, "threshold": {"choose": "f1", "cv": 1}},
        ["models.m.threshold.cv", "greater than or equal to 2"],
    ),
    (
        "threshold by cost without costs",
        {"estimator": TREE, "threshold": {"choose": "cost"}},
        ["models.m.threshold.choose: needs `costs:"],
    ),
    (
        "threshold of bare labels",
        {"estimator": "sklearn.linear_model.RidgeClassifierCV", "threshold": {"choose": "f1"}},
        ["a threshold is for two classes"],
    ),
    (
        "unknown class weight",
        {"estimator": TREE, "class_weight": "balancd"},
        ["models.m.class_weight: unknown value 'balancd'; did you mean 'balanced'?"],
    ),
    (
        "weight of an unknown class",
        {"estimator": TREE, "class_weight": {"setoza": 2}},
        ["models.m.class_weight.setoza", "iris", "did you mean 'setosa'?"],
    ),
    (
        "negative class weight",
        {"estimator": TREE, "class_weight": {"setosa": -2}},
        ["models.m.class_weight.setosa", "greater than or equal to 0"],
    ),
    (
        "class weights twice",
        {"estimator": TREE, "params": {"class_weight": "balanced"}, "class_weight": "balanced"},
        ["models.m.class_weight: given twice"],
    ),
    (
        "class weights for the weightless",
        {"estimator": KNN, "class_weight": "balanced"},
        ["models.m.class_weight: KNeighborsClassifier takes neither class weights nor"],
    ),
    (
        "early stopping of what has no rounds",
        {"estimator": KNN, "early_stopping": {}},
        ["models.m.early_stopping: KNeighborsClassifier cannot stop early; XGBoost"],
    ),
    (
        "early stopping's key",
        {"estimator": XGBOOST, "early_stopping": {"round": 3}},
        ["models.m.early_stopping: unknown key 'round'; did you mean 'rounds'?"],
    ),
    (
        "early stopping's fraction",
        {"estimator": XGBOOST, "early_stopping": {"fraction": 1}},
        ["models.m.early_stopping.fraction", "less than 1"],
    ),
    (
        "early stopping, yes",
        {"estimator": XGBOOST, "early_stopping": True},
        ["models.m.early_stopping: expected keys (fraction, rounds), found True"],
    ),
    ("no seed", {"estimator": TREE, "seeds": 0}, ["models.m.seeds", "greater than or equal to 1"]),
    (
        "seeds without chance",
        {"estimator": KNN, "seeds": 3},
        ["models.m.seeds: KNeighborsClassifier has no random part"],
    ),
    (
        "seeds that are fixed",
        {"estimator": TREE, "params": {"random_state": 0}, "seeds": 3},
        ["models.m.seeds: `params: {random_state: 0}` makes all 3 seeds the same"],
    ),
    ("timeout text", {"estimator": TREE, "timeout": "5 s"}, ["models.m.timeout", "'5 s'"]),
    (
        "no memory",
        {"estimator": TREE, "memory": 0},
        ["models.m.memory", "equal to 100"],
    ),
    ("memory for nothing", {"estimator": TREE, "memory": 1}, ["models.m.memory", "found 1"]),
    ("unknown search", tuned(search="gird"), ["models.m.tune.search", "did you mean 'grid'?"]),
    ("empty space", tuned(space={}), ["models.m.tune.space: found 0 entries"]),
    ("one inner fold", tuned(cv=1), ["models.m.tune.cv", "greater than or equal to 2"]),
    (
        "unknown scoring",
        tuned(scoring="acuracy"),
        ["models.m.tune: unknown scoring 'acuracy'; did you mean 'accuracy'?"],
    ),
    (
        "scoring for two classes",
        tuned(scoring="roc_auc"),
        ["models.m.tune.scoring: roc_auc is for two classes, iris has 3"],
    ),
    ("iterations of a grid", tuned(n_iter=3), ["models.m.tune: `n_iter` is for `search: random`"]),
    (
        "no such parameter",
        tuned(space={"c": [1]}),
        ["models.m.tune: unknown parameter of LogisticRegression: 'c'"],
    ),
    (
        "no such parameter of XGBoost",
        {"estimator": XGBOOST, "tune": {"space": {"max_dept": [1]}}},
        ["models.m.tune: unknown parameter of XGBClassifier:", "did you mean 'max_depth'?"],
    ),
    (
        "no such value",
        tuned(space={"C": [1, -1]}),
        ["models.m.tune.space.C: The 'C' parameter of LogisticRegression", "Got -1 instead"],
    ),
    (
        "no such value in a step before",
        {
            "steps": ["sklearn.decomposition.PCA", "sklearn.naive_bayes.GaussianNB"],
            "tune": {"space": {"pca__n_components": ["two"]}},
        },
        ["models.m.tune.space.pca__n_components: The 'n_components' parameter of PCA", "'two'"],
    ),
    (
        "no such value of an estimator inside",
        {
            "estimator": BAGGING,
            "params": {"estimator": {"estimator": TREE, "params": {"max_depth": "x"}}},
        },
        ["models.m.params: The 'max_depth' parameter of DecisionTreeClassifier", "Got 'x'"],
    ),
    (
        "no import path inside",
        {"estimator": BAGGING, "params": {"estimator": {"estimator": "../tree"}}},
        ["models.m.params: found '../tree', expected an import path"],
    ),
    (
        "no parameters inside",
        {
            "estimator": BAGGING,
            "params": {"estimator": {"estimator": TREE, "params": ["max_depth"]}},
        },
        ["models.m.params: found ['max_depth'], expected the parameters of sklearn.tree"],
    ),
    (
        "a grid of distributions",
        tuned(space={"C": {"uniform": [0, 1]}}),
        ["models.m.tune: a grid needs lists of values, C has none: use `search: random`"],
    ),
    (
        "unknown distribution",
        tuned(space={"C": {"logunifrm": [1, 2]}}, search="random"),
        ["models.m.tune.space.C: unknown key 'logunifrm'; did you mean 'loguniform'?"],
    ),
    (
        "logarithm of zero",
        tuned(space={"C": {"loguniform": [0, 2]}}, search="random"),
        ["models.m.tune.space.C: found loguniform: [0, 2]", "0 < low < high"],
    ),
    (
        "high below low",
        tuned(space={"C": {"uniform": [2, 1]}}, search="random"),
        ["models.m.tune.space.C: found uniform: [2, 1]", "low < high"],
    ),
    (
        "three numbers",
        tuned(space={"C": {"uniform": [1, 2, 3]}}, search="random"),
        ["models.m.tune.space.C.uniform"],
    ),
    (
        "two distributions",
        tuned(space={"C": {"uniform": [1, 2], "loguniform": [1, 2]}}, search="random"),
        ["models.m.tune.space.C: expected a list of values or one of uniform"],
    ),
    (
        "parts of whole numbers",
        tuned(space={"max_iter": {"randint": [1, 2.5]}}, search="random"),
        ["models.m.tune.space.max_iter.randint[1]", "found 2.5"],
    ),
    (
        "a bare value",
        tuned(space={"C": 3}),
        ["models.m.tune.space.C: expected a list like [a, b], found 3"],
    ),
    (
        "package of nobody",
        {"estimator": "lightgbmm.LGBMClassifier"},
        ["models.m.estimator: ", "not installed", "pip install lightgbmm", "lightgbmm.py"],
    ),
]


@pytest.mark.parametrize(
    ("entry", "expected"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES]
)
def test_mistake_in_a_model_is_told(
    tiny: dict[str, Any], entry: dict[str, Any], expected: list[str]
) -> None:
    tiny["models"]["m"] = entry
    tiny["metrics"] = ["accuracy"]
    message = all_problems(tiny)
    assert len(message.splitlines()) == 1, message
    for part in expected:
        assert part in message


TOP: list[tuple[str, Callable[[dict[str, Any]], Any], list[str]]] = [
    ("unknown policy", lambda c: c.update(on_error="skip"), ["on_error: unknown value 'skip'"]),
    ("timeout zero", lambda c: c.update(timeout=0), ["timeout", "greater than 0"]),
    ("memory text", lambda c: c.update(memory="2 GB"), ["memory", "'2 GB'"]),
]


@pytest.mark.parametrize(("change", "expected"), [t[1:] for t in TOP], ids=[t[0] for t in TOP])
def test_mistake_in_limits_is_told(
    tiny: dict[str, Any], change: Callable[[dict[str, Any]], Any], expected: list[str]
) -> None:
    change(tiny)
    message = all_problems(tiny)
    for part in expected:
        assert part in message


def test_weights_that_a_model_cannot_take_are_told(
    tiny: dict[str, Any], write_csv: Callable[[str], str]
) -> None:
    path = write_csv("a,w,y\n" + "1,1,u\n2,2,v\n" * 20)
    source = {"source": "file", "path": path, "target": "y", "weights": "w"}
    tiny["datasets"] = {"d": source}
    tiny["models"]["knn"] = {"estimator": KNN}
    message = all_problems(tiny)
    assert "models.knn: KNeighborsClassifier takes no sample weights, and data set d" in message
    assert "models.tree" not in message


VALIDATION: list[tuple[str, Any, str]] = [
    (
        "unknown column",
        {"column": "prt"},
        "models.m.tune.validation.column: unknown column 'prt'; did you mean 'part'?",
    ),
    (
        "unknown value",
        {"column": "part", "values": ["valid"]},
        "models.m.tune.validation.values: unknown value in 'part' of data set d: 'valid'",
    ),
    (
        "all rows",
        {"column": "part", "values": ["validation", "train"]},
        "models.m.tune.validation: 60 of 60 training rows are for validation: some must be, and "
        "not all (in a training part of data set d)",
    ),
    (
        "no row",
        {"column": "part", "values": ["test"]},
        "models.m.tune.validation: 0 of 60 training rows are for validation",
    ),
    (
        "a class alone",
        {"column": "odd", "values": ["r"]},
        "models.m.tune.validation: a class has rows for validation only, none for training",
    ),
    (
        "no column",
        {"values": ["validation"]},
        "models.m.tune.validation: the key 'column' is missing",
    ),
    ("a share of all", 1, "models.m.tune.validation: expected less than 1, found 1"),
]


@pytest.mark.parametrize(
    ("rows", "expected"), [v[1:] for v in VALIDATION], ids=[v[0] for v in VALIDATION]
)
def test_mistake_in_the_rows_of_a_search_is_told(
    tiny: dict[str, Any], write_csv: Callable[[str], str], rows: Any, expected: str
) -> None:
    lines = "1,train,{0},{0}\n2,train,{0},{0}\n3,validation,{0},{0}\n4,test,{0},{0}\n"
    path = write_csv("a,part,odd,y\n" + (lines.format("r") + lines.format("s")) * 10)
    tiny["datasets"] = {"d": {"source": "file", "path": path, "target": "y", "drop": ["odd"]}}
    holdout = {"column": "part", "train": ["train", "validation"]}
    tiny |= {"resampling": {"holdout": holdout}, "metrics": ["accuracy"]}
    tiny["tests"] = {"run": ["mcnemar"]}
    search = {"space": {"C": [1, 2]}, "validation": {"column": "part"}}
    tiny["models"] = {name: {"estimator": LOGISTIC, "tune": dict(search)} for name in "km"}
    assert all_problems(tiny) == ""
    tiny["models"]["m"]["tune"]["validation"] = rows
    del tiny["models"]["k"]["tune"]
    assert expected in all_problems(tiny)


def test_searches_go_by_one_column(tiny: dict[str, Any]) -> None:
    for name in ("tree", "stump"):
        rows = {"column": f"of {name}"}
        tiny["models"][name]["tune"] = {"space": {"max_depth": [1]}, "validation": rows}
    found = (
        "models.stump.tune.validation.column: found 'of stump', tree goes by 'of tree': name one"
    )
    assert found in all_problems(tiny)


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
def test_what_is_right_is_let_through(tiny: dict[str, Any], entry: dict[str, Any]) -> None:
    """YAML reads 1e-3 as a text; people mean a number."""
    tiny["models"]["m"] = entry
    assert all_problems(tiny) == ""


def test_example_of_the_docs_is_right() -> None:
    page = Path(__file__).parents[3] / "docs/models.md"
    found = re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    example, *parts = map(yaml.safe_load, found)
    assert all_problems(example) == ""
    assert len(parts) == 2
    for part in parts:
        models = {"models": {**example["models"], **part.get("models", {})}}
        assert all_problems(example | part | models) == ""

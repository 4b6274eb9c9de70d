"""`task: regression`: what follows from it, and what means nothing with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.errors import UserError
from bakeoff.preflight import check_experiment
from bakeoff.spec import load_experiment

RIDGE = {"estimator": "sklearn.linear_model.Ridge"}
TREE = {"estimator": "sklearn.tree.DecisionTreeRegressor"}


def experiment(**keys: Any) -> dict[str, Any]:
    return {
        "experiment": "e",
        "task": "regression",
        "datasets": {"d": {"source": "sklearn", "name": "diabetes"}},
        "models": {"ridge": dict(RIDGE), "tree": dict(TREE)},
        **keys,
    }


def problems(config: dict[str, Any]) -> str:
    return "\n".join(map(str, check_experiment(load_experiment(config))[0]))


def test_defaults_of_a_regression() -> None:
    loaded = load_experiment(experiment())
    assert loaded.metrics == ["rmse"]
    assert list(loaded.resampling.plans()) == ["halves", "holdout"]
    assert loaded.resampling.halves is not None
    assert loaded.resampling.halves.repeats == 10
    assert not any(plan.stratify for plan in loaded.resampling.plans().values())
    assert problems(experiment()) == ""


def test_several_data_sets_are_compared_without_a_unit() -> None:
    source = {"source": "sklearn", "name": "diabetes"}
    assert load_experiment(experiment(datasets={"d": source, "e": source})).metrics == ["r2"]


def test_searches_go_by_the_root_mean_squared_error() -> None:
    tuned = {**RIDGE, "tune": {"space": {"alpha": [1, 2]}}}
    loaded = load_experiment(experiment(models={"a": tuned, "b": TREE}, importance={}))
    assert loaded.fitted["a"].tune.scoring == "rmse"  # type: ignore[union-attr]
    assert loaded.importance.scoring == "rmse"  # type: ignore[union-attr]


def test_classification_says_nothing_of_its_task() -> None:
    config = experiment(models={"t": {"estimator": "sklearn.tree.DecisionTreeClassifier"}})
    config.pop("task")
    config["datasets"]["d"]["name"] = "iris"
    assert "task" not in load_experiment(config).resolved()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"metrics": ["accuracy"]}, "metrics[0]: accuracy compares classes"),
        (
            {"costs": {"classes": ["a", "b"], "matrix": [[0, 1], [1, 0]]}},
            "costs: are of errors between classes",
        ),
        (
            {"resampling": {"holdout": {"stratify": True}}},
            "resampling.holdout.stratify: numbers have no classes",
        ),
        ({"tests": {"run": ["mcnemar"]}}, "mcnemar compares right and wrong rows"),
        ({"tests": {"run": ["delong"]}}, "delong compares areas under the ROC curve"),
        ({"task": "ranking"}, "task: expected 'classification' or 'regression', found 'ranking'"),
    ],
)
def test_what_means_nothing_for_numbers_is_refused(change: dict[str, Any], said: str) -> None:
    try:
        found = problems(experiment(**change))
    except UserError as error:
        found = str(error)
    assert said in found


@pytest.mark.parametrize("key", ["positive", "classes", "merge"])
def test_keys_of_classes_are_refused_where_they_are_written(key: str) -> None:
    value: Any = {"positive": "a", "classes": ["a", "b"], "merge": {"c": ["a"]}}[key]
    config = experiment()
    config["datasets"]["d"][key] = value
    assert f"datasets.d.{key}: means nothing with `task: regression`" in problems(config)


@pytest.mark.parametrize("key", ["class_weight", "threshold"])
def test_keys_of_classifiers_are_refused_where_they_are_written(key: str) -> None:
    config = experiment()
    config["models"]["ridge"][key] = {"class_weight": "balanced", "threshold": 0.3}[key]
    assert f"models.ridge.{key}: means nothing with `task: regression`" in problems(config)


def test_estimator_of_the_other_task_is_refused_with_what_to_write() -> None:
    config = experiment(models={"c": {"estimator": "sklearn.svm.SVC"}, "r": RIDGE})
    assert (
        "models.c.estimator: sklearn.svm.SVC is not a regressor (scikit-learn's is_regressor says "
        "so); it is a classifier, for experiments of `task: classification`" in problems(config)
    )
    config["task"] = "classification"
    found = problems(config)
    assert "sklearn.linear_model.Ridge is not a classifier" in found
    assert "it is a regressor, for experiments of `task: regression`" in found


def test_quantity_as_target_of_a_classification_names_the_task(
    write_csv: Callable[[str], str],
) -> None:
    path = write_csv("x,y\n" + "".join(f"{i},{i / 7}\n" for i in range(40)))
    config = experiment(models={"c": {"estimator": "sklearn.svm.SVC"}}, task="classification")
    config["datasets"] = {"d": {"source": "file", "path": path, "target": "y"}}
    assert "write `task: regression`" in problems(config)


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ("much", "1 of 41 values of 'y' are no numbers, first 'much'"),
        ("inf", "1 of 41 values of 'y' are infinite"),
    ],
)
def test_target_that_is_no_number_is_refused(
    write_csv: Callable[[str], str], last: str, said: str
) -> None:
    path = write_csv("x,y\n" + "".join(f"{i},{i / 7}\n" for i in range(40)) + f"41,{last}\n")
    config = experiment(datasets={"d": {"source": "file", "path": path, "target": "y"}})
    assert f"datasets.d.target: {said}" in problems(config)


def test_constant_target_is_refused(write_csv: Callable[[str], str]) -> None:
    path = write_csv("x,y\n" + "".join(f"{i},2.5\n" for i in range(40)))
    config = experiment(datasets={"d": {"source": "file", "path": path, "target": "y"}})
    assert "datasets.d.target: the target is 2.5 in every row" in problems(config)


def test_unit_is_for_numbers() -> None:
    config = experiment(models={"c": {"estimator": "sklearn.svm.SVC"}}, task="classification")
    config["datasets"]["d"] = {"source": "sklearn", "name": "iris", "unit": "cm"}
    assert "datasets.d.unit: classes have no unit" in problems(config)


def test_given_predictions_have_no_probabilities() -> None:
    model = {"predictions": "a.csv", "columns": {"probabilities": "p_{class}"}}
    found = problems(experiment(models={"a": model, "b": {"predictions": "b.csv"}}))
    assert "models.a.columns.probabilities: means nothing with `task: regression`" in found


def test_shares_of_the_variance_need_two_rows_in_every_fold(tmp_path: Path) -> None:
    alone = problems(experiment(metrics=["r2", "mae"], resampling={"kfold": {"folds": 442}}))
    assert "r2 needs two rows in every fold: 221 folds of d at most" in alone
    assert "mae" in alone
    assert "accuracy" not in alone
    rows = "\n".join(f"{x},{x * 1.5 + (x % 3)},{'c' if x == 7 else 'ab'[x % 2]}" for x in range(40))
    (tmp_path / "d.csv").write_text(f"x,y,part\n{rows}\n")
    table = {"source": "file", "path": str(tmp_path / "d.csv"), "target": "y"}
    own = {"kfold": {"column": "part", "folds": 3}}
    told = problems(experiment(datasets={"d": table}, metrics=["r2"], resampling=own))
    assert "r2 needs two rows in every fold: fold 'c' of 'part' has 1 of d" in told
    assert problems(experiment(datasets={"d": table}, metrics=["mae"], resampling=own)) == ""

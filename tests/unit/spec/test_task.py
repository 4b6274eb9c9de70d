"""`task: regression`: what follows from it, and what means nothing with it."""

import pytest

from bakeoff.spec import load_experiment
from tests.conftest import change, hold, messages

RIDGE = {"estimator": "sklearn.linear_model.Ridge"}
TREE = {"estimator": "sklearn.tree.DecisionTreeRegressor"}


def experiment(**keys):
    return {
        "experiment": "e",
        "task": "regression",
        "datasets": {"d": {"source": "sklearn", "name": "diabetes"}},
        "models": {"ridge": dict(RIDGE), "tree": dict(TREE)},
        **keys,
    }


def test_defaults_of_a_regression():
    loaded = load_experiment(experiment())
    assert loaded.metrics == ["rmse"]
    assert list(loaded.resampling.plans()) == ["halves", "holdout"]
    assert loaded.resampling.halves.repeats == 10
    assert not any(plan.stratify for plan in loaded.resampling.plans().values())
    assert messages(experiment()) == ""
    source = {"source": "sklearn", "name": "diabetes"}
    several = load_experiment(experiment(datasets={"d": source, "e": source}))
    assert several.metrics == ["r2"], "several data sets are compared without a unit"


SVC = {"estimator": "sklearn.svm.SVC"}
REFUSED = {
    "metrics[0]: accuracy compares classes": {"metrics": ["accuracy"]},
    "costs: are of errors between classes": {
        "costs": {"classes": ["a", "b"], "matrix": [[0, 1], [1, 0]]}
    },
    "resampling.holdout.stratify: numbers have no classes": {
        "resampling": {"holdout": {"stratify": True}}
    },
    "mcnemar looks at correctness of each row, the models bring predicted numbers": {
        "tests": {"run": ["mcnemar"]}
    },
    "delong looks at ranking of each row": {"tests": {"run": ["delong"]}},
    "task: expected 'classification' or 'regression', found 'ranking'": {"task": "ranking"},
    "models.tree.estimator: sklearn.svm.SVC is not a regressor (scikit-learn's is_regressor says "
    "so); it is a classifier, for experiments of `task: classification`": {"models.tree": SVC},
    "sklearn.linear_model.Ridge is not a classifier … "
    "it is a regressor, for experiments of `task: regression`": {
        "task": "classification",
        "models.tree": SVC,
    },
    "datasets.d.unit: classes have no unit": {
        "task": "classification",
        "models": {"c": SVC},
        "datasets.d": {"source": "sklearn", "name": "iris", "unit": "cm"},
    },
}

GIVEN = {"predictions": "a.csv", "columns": {"probabilities": "p_{class}"}}
MEANS_NOTHING = {
    "datasets.d.positive": "a",
    "datasets.d.classes": ["a", "b"],
    "datasets.d.merge": {"c": ["a"]},
    "models.ridge.class_weight": "balanced",
    "models.ridge.threshold": 0.3,
}
for place, value in MEANS_NOTHING.items():
    REFUSED[f"{place}: means nothing with `task: regression`"] = {place: value}
REFUSED["models.a.columns.probabilities: means nothing with `task: regression`"] = {
    "models": {"a": GIVEN, "b": {"predictions": "b.csv"}}
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_means_nothing_for_the_task_is_refused(said):
    config = experiment()
    change(config, REFUSED[said])
    hold(messages(config), said)


QUANTITY, CLASSES = [i / 7 for i in range(40)], {"models": {"c": SVC}, "task": "classification"}


@pytest.mark.parametrize(
    ("values", "keys", "said"),
    [
        (QUANTITY, CLASSES, " … write `task: regression`"),
        ([*range(40), "much"], {}, ": 1 of 41 values of 'y' are no numbers, first 'much'"),
        ([*range(40), "inf"], {}, ": 1 of 41 values of 'y' are infinite"),
        ([2.5] * 40, {}, ": the target is 2.5 in every row"),
    ],
)
def test_target_that_does_not_fit_the_task_is_refused(write_csv, values, keys, said):
    path = write_csv("x,y\n" + "".join(f"{i},{value}\n" for i, value in enumerate(values)))
    data = {"d": {"source": "file", "path": path, "target": "y"}}
    hold(messages(experiment(datasets=data, **keys)), f"datasets.d.target{said}")


def test_shares_of_the_variance_need_two_rows_in_every_fold(tmp_path):
    alone = messages(experiment(metrics=["r2", "mae"], resampling={"kfold": {"folds": 442}}))
    assert "r2 needs two rows in every fold: 221 folds of d at most" in alone
    assert "accuracy" not in alone
    rows = "\n".join(f"{x},{x * 1.5 + (x % 3)},{'c' if x == 7 else 'ab'[x % 2]}" for x in range(40))
    (tmp_path / "d.csv").write_text(f"x,y,part\n{rows}\n")
    table = {"source": "file", "path": str(tmp_path / "d.csv"), "target": "y"}
    own = {"kfold": {"column": "part", "folds": 3}}
    told = messages(experiment(datasets={"d": table}, metrics=["r2"], resampling=own))
    assert "r2 needs two rows in every fold: fold 'c' of 'part' has 1 of d" in told
    assert messages(experiment(datasets={"d": table}, metrics=["mae"], resampling=own)) == ""

"""Estimators compared by one call, and the experiment that is written of them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import randint
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import bakeoff
from bakeoff.errors import UserError

X, Y = load_iris(return_X_y=True)
TWO = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}


def same_results(one, other):
    columns = ["test", "metric", "estimate", "statistic", "pvalue", "ci_low", "ci_high", "n"]
    pd.testing.assert_frame_equal(
        one.comparisons[columns], other.comparisons[columns], check_exact=True
    )


def test_workflow_of_the_written_experiment_finds_the_same(tmp_path, in_folder):
    groups = np.arange(150) // 3
    x = pd.DataFrame(X, columns=list("abcd")).assign(wide=X[:, 1] > 3, size=pd.cut(X[:, 2], 3))
    columns = [("n", StandardScaler(), make_column_selector(dtype_include="number"))]
    columns.append(("k", OneHotEncoder(), make_column_selector(dtype_include=["bool", "category"])))
    draws = {"max_depth": randint(1, 4)}
    search = RandomizedSearchCV(DecisionTreeClassifier(), draws, n_iter=2, cv=2)
    models = {
        name: make_pipeline(ColumnTransformer(columns), last)
        for name, last in (("tree", search), ("stump", TWO["stump"]))
    }
    given = {"cv": {"cv_5x2": {}, "holdout": {}}, "metrics": ["f1_macro"]}
    with pytest.raises(bakeoff.UserError, match=r"^estimators\['tree'\]: .* one group .* both"):
        bakeoff.compare_estimators(models, x, Y, groups=groups, **given)
    found = bakeoff.compare_estimators(models, x, Y, **given)
    file = found.to_yaml(tmp_path / "iris.yaml")
    same_results(bakeoff.run(file, cores=1, options=["--quiet", "all"]), found)


def test_workers_change_nothing_and_a_bar_counts_the_fits(capsys):
    splitter = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    with pytest.raises(bakeoff.UserError, match=r"^cv: .* 2 divisions .*'folds': 3, 'repeats': 2"):
        bakeoff.compare_estimators(TWO, X, Y, cv=splitter)
    plan = {"kfold": {"folds": 3, "repeats": 2}}
    alone = bakeoff.compare_estimators(TWO, X, Y, cv=plan, progress=True)
    assert capsys.readouterr().err.endswith("] 12/12\n")
    same_results(bakeoff.compare_estimators(TWO, X, Y, cv=plan, n_jobs=2), alone)
    assert capsys.readouterr().err == ""
    assert set(alone.comparisons["test"]) == {"corrected_repeated_kfold_t"}


def test_regressors_and_names_that_are_no_ids():
    x, y = load_diabetes(return_X_y=True, as_frame=True)
    models = {"ridge, α = 1": Ridge(), "a tree": DecisionTreeRegressor(max_depth=2)}
    found = bakeoff.compare_estimators(models, x, y, cv="holdout", unit="points")
    assert "ridge, α = 1" in found.verdict
    assert "points" in found.verdict
    assert set(found.comparisons["metric"]) == {"rmse"}


def test_time_and_a_column_of_the_table():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(day=np.arange(150))
    order = np.random.default_rng(0).permutation(150)
    found = bakeoff.compare_estimators(TWO, frame, Y[order], cv="holdout", time="day")
    assert "follow each other in time by day" in found.methods


def test_large_tables_are_divided_once_by_default():
    x = np.arange(50_000)[:, None]
    y = (x[:, 0] + np.random.default_rng(0).normal(size=50_000) * 9000 > 25_000).astype(int)
    found = bakeoff.compare_estimators(TWO, x, y)
    assert set(found.scores["plan"]) == {"holdout"}


class Local(GaussianNB):
    """A class that no other process could import by this name."""


Local.__module__ = "__main__"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (({"a": GaussianNB()}, X, Y), "estimators: expected two at least"),
        (({"a": GaussianNB, "b": GaussianNB()}, X, Y), r"estimators\['a'\]: found the class Gau"),
        (({"a": Ridge(), "b": GaussianNB()}, X, Y), "a is a regressor, b is a classifier"),
        (({"a": Local(), "b": GaussianNB()}, X, Y), "your session has another Local by now"),
        ((TWO, X, Y[:9]), "y: found 9 values for the 150 rows of X"),
        ((TWO, X, np.where(Y == 0, np.nan, Y)), "y: 50 of its 150 values are missing"),
        ((TWO, [1, 2], Y), r"X: found list of shape \(2,\)"),
        ((TWO, pd.DataFrame(X, columns=["a", 1, 2, 3]), Y), "X: found the column 1, expected te"),
        ((TWO, X, pd.Series(Y, index=np.arange(150) + 1)), "y: its index is not that of X"),
        ({"cv": ShuffleSplit(3)}, "cv: found ShuffleSplit, expected a number of folds"),
        ({"cv": "kfolds"}, "cv: unknown plan 'kfolds'; did you mean 'kfold'"),
        ({"cv": StratifiedKFold(99)}, "cv: StratifiedKFold cannot split these rows"),
        ({"versus": "x"}, "versus: unknown estimator 'x'"),
        ({"groups": "day"}, "groups: unknown column of X 'day'"),
        ({"metrics": ["rmse"]}, "metrics.*rmse compares numbers"),
        ({"alpha": 3}, "alpha: expected less than 1, found 3"),
        ({"n_jobs": 0}, "n_jobs: found 0, expected a number of processes"),
        ({"preprocessing": "all"}, r"estimators\['bayes'\].preprocessing"),
    ],
)
def test_mistakes_are_told(given, told):
    arguments, options = ((TWO, X, Y), given) if isinstance(given, dict) else (given, {})
    with pytest.raises(UserError, match=told):
        bakeoff.compare_estimators(*arguments, **options)


def test_fit_that_fails_names_the_estimator():
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.loc[3, "a"] = np.nan
    models = {"tree": DecisionTreeClassifier(), "bayes": GaussianNB()}
    with pytest.raises(UserError, match=r"estimators\['bayes'\], holdout: .*contains NaN"):
        bakeoff.compare_estimators(models, frame, Y, cv="holdout", preprocessing="none")


def test_path_of_another_kind(tmp_path):
    found = bakeoff.compare_estimators(TWO, X, Y, cv="holdout")
    with pytest.raises(UserError, match=r"path: found .* expected a name with .yaml"):
        found.to_yaml(tmp_path / "x.json")
    assert not list(tmp_path.glob("x*"))
    for fixed, other in (("x.yaml", "x.parquet"), ("y.parquet", "y.yaml")):
        (tmp_path / fixed).touch(0o444)
        with pytest.raises(UserError, match=f"{fixed} cannot be written: its mode is 0444"):
            found.to_yaml(tmp_path / f"{fixed[0]}.yaml")
        assert not (tmp_path / other).exists()

"""Arguments as people type them: one table for every door, near matches, calls of scikit-learn."""

import inspect
import tomllib

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import bakeoff
from bakeoff.cli import COMMANDS
from bakeoff.options import OPTIONS
from tests.conftest import ROOT

X, Y = load_iris(return_X_y=True)
A, B = GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0)
FUNCTIONS = [one for name in bakeoff.__all__ if inspect.isfunction(one := getattr(bakeoff, name))]
HOLDOUT = {"cv": "holdout"}
FOLDS = KFold(3, shuffle=True, random_state=0)


def test_options_are_few():
    names = [name for spec in COMMANDS.values() for name in spec.names]
    assert len(names) <= 68, "not counting --set"
    assert len(set(names)) <= 38
    assert {*names, *(key for spec in COMMANDS.values() for key in spec.rare.split())} <= {*OPTIONS}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_a_signature_is_short_and_says_what_it_takes(function):
    parameters = inspect.signature(function).parameters.values()
    assert sum(one.kind is one.KEYWORD_ONLY for one in parameters) <= 10
    assert not [one.name for one in parameters if "Any" in str(one.annotation)]
    named = [one.name for one in parameters if "VAR" not in one.kind.name]
    assert not [name for name in named if name not in function.__doc__]


def pvalue(*args, **options):
    return bakeoff.compare_estimators(*args, **options).comparisons["pvalue"].tolist()


def test_estimators_are_taken_in_any_form():
    expected = pvalue({"a": A, "b": B}, X, Y, **HOLDOUT)
    for given in ((A, B, X, Y), ([A, B], X, Y), ([("a", A), ("b", B)], X, Y)):
        assert pvalue(*given, **HOLDOUT) == expected
    found = bakeoff.compare_estimators(A, A, B, X, Y, **HOLDOUT)
    assert set(found.scores["model"]) == {"GaussianNB-1", "GaussianNB-2", "DecisionTreeClassifier"}


def test_folds_and_metrics_are_named_as_in_scikit_learn():
    expected = pvalue(A, B, X, Y, plan={"kfold": {"folds": 5}}, metrics=["mcc"])
    assert pvalue(A, B, X, Y, cv=np.int64(5), scoring="matthews_corrcoef") == expected
    found = bakeoff.compare_estimators(A, B, X, Y, cv=FOLDS, scoring=["accuracy", "neg_log_loss"])
    assert set(found.scores["metric"]) == {"accuracy", "log_loss"}


def test_columns_are_encoded_but_for_those_of_pipelines():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(t=np.where(X[:, 0] > 5.5, "u", "v"))
    assert pvalue(A, B, frame, Y, **HOLDOUT)
    with pytest.raises(bakeoff.UserError, match='preprocessing="auto" encodes columns of texts'):
        bakeoff.compare_estimators(A, B, frame, Y, **HOLDOUT, preprocessing="none")
    scaled = LogisticRegression(C=1e-3)
    own = [make_pipeline(StandardScaler(), scaled), make_pipeline(B)]
    raw = pvalue(make_pipeline(scaled), make_pipeline(B), X * 100, Y, **HOLDOUT)
    assert pvalue(scaled, B, X * 100, Y, **HOLDOUT) == pvalue(*own, X * 100, Y, **HOLDOUT) != raw


NEAREST = r"^tests\.run\[0\]: unknown test 'mcnemr'; did you mean 'mcnemar'\? .* and \d+ more"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: bakeoff.compare(Y, {}, metrix="f1"), "unknown argument 'metrix'; did you mean"),
        (lambda: bakeoff.gate(Y, Y, Y, margin=0.1, foo=1), "gate: unknown argument 'foo'"),
        (lambda: bakeoff.compare_estimators(A, B, X, Y, cv=True), "cv: found bool, expected a nu"),
        (lambda: bakeoff.compare_estimators(A, B, X, Y, cv=1), "^resampling.kfold.folds: expect"),
        (lambda: bakeoff.compare_estimators(A, B, X, Y, cv=3, plan=3), "plan, cv: these are one"),
        (lambda: bakeoff.compare_estimators(A, B, X, Y, tests=["mcnemr"]), NEAREST),
    ],
)
def test_mistakes_name_the_argument(call, said):
    with pytest.raises(bakeoff.UserError, match=said):
        call()


def test_public_names_are_there_and_documented():
    for name in bakeoff.__all__:
        assert name in dir(bakeoff)
        assert getattr(bakeoff, name).__doc__
    with pytest.raises(AttributeError, match="module 'bakeoff' has no attribute 'comparee'"):
        bakeoff.comparee  # noqa: B018


def test_version_is_that_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert bakeoff.__version__ == project["version"]

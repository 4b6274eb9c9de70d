"""The examples of the pages on tests and costs are valid, and their links lead somewhere."""

import copy
import re
from pathlib import Path

import pytest

from bakeoff.comparisons import plan_tests
from bakeoff.comparisons.advice import CASES, recommended
from bakeoff.spec import load_experiment

DOCS = Path(__file__).parents[3] / "docs"
AROUND = {
    "experiment": "e",
    "datasets": {f"d{i}": {"source": "sklearn", "name": "breast_cancer"} for i in range(6)},
    "models": {
        m: {"estimator": "sklearn.dummy.DummyClassifier"} for m in ("tree", "forest", "knn")
    },
    "resampling": {"cv_5x2": {}, "holdout": {}},
}


def test_the_message_shown_is_the_one_given():
    config = copy.deepcopy(AROUND) | {
        "resampling": {"kfold": {"repeats": 5}},
        "tests": {"run": ["corrected_kfold_t"]},
    }
    (problem,), _ = plan_tests(load_experiment(config))
    shown = re.sub(r"\s+", " ", (DOCS / "choosing-tests.md").read_text(encoding="utf-8"))
    assert str(problem) in shown


ONE, ROWS = {"d": AROUND["datasets"]["d0"]}, {"resampling": {"holdout": {}}}
TIMED = {"source": "file", "path": "d.csv", "target": "y", "time": "t"}
MATRIX = {"classes": ["malignant", "benign"], "matrix": [[0, 5], [1, 0]]}
FOREST = {"estimator": "sklearn.ensemble.RandomForestClassifier", "seeds": 3}
# a case of the table, and an experiment that it is about
OFFERS = {
    "right rows": ROWS | {"metrics": ["accuracy"]},
    "areas": ROWS | {"metrics": ["roc_auc"]},
    "costs": ROWS | {"metrics": ["cost"], "costs": MATRIX},
    "metric": ROWS | {"metrics": ["mcc"]},
    "losses in time": ROWS
    | {"task": "regression", "datasets": {"d": TIMED}, "metrics": ["mae"]}
    | {"models": {m: {"estimator": "sklearn.dummy.DummyRegressor"} for m in AROUND["models"]}},
    "runs": ROWS | {"models": dict.fromkeys(AROUND["models"], FOREST)},
    "rows of cv_5x2": {"resampling": {"cv_5x2": {}}, "metrics": ["accuracy"]},
    "cv_5x2": {"resampling": {"cv_5x2": {}}, "metrics": ["log_loss"]},
    "halves": {"resampling": {"halves": {}, "kfold": {}}},
    "kfold": {"resampling": {"kfold": {}}},
    "repeated kfold": {"resampling": {"kfold": {"repeats": 5}}},
    "resampled": {"resampling": {"resampled": {}}},
    "data sets": {"datasets": {f"d{i}": ONE["d"] for i in range(60)}},
}
ELSEWHERE = {"values", "runs of values", "few data sets"}
"""Cases of given values and scores, whose files tests of `bakeoff compare` write."""


def test_every_case_is_tried():
    assert set(CASES) == {*OFFERS, *ELSEWHERE}


@pytest.mark.parametrize("models", [2, 3])
@pytest.mark.parametrize("case", OFFERS)
def test_what_the_table_says_is_recommended(case, models):
    own = {"datasets": ONE} | OFFERS[case]
    own["models"] = dict(list(own.get("models", AROUND["models"]).items())[:models])
    experiment = load_experiment(copy.deepcopy(AROUND | own))
    (one,) = recommended(experiment)
    assert one.name == CASES[case].test(models)
    assert plan_tests(experiment)[0] == []
    asked = copy.deepcopy(AROUND | own | {"tests": {"run": ["recommended", one.name]}})
    _, tests = plan_tests(load_experiment(asked))
    assert [test.name for test in tests] == [one.name]

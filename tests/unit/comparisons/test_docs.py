"""The examples of the pages on tests and costs are valid, and their links lead somewhere."""

import copy
import re
from pathlib import Path

import pytest

from bakeoff.comparisons import plan_tests
from bakeoff.comparisons.recommend import recommended
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


# the first cell of a row of the table, and the experiment that it is about
SEEDS = "a holdout, and a model with several `seeds`"
OFFERS = {
    "a `holdout`, by accuracy": {"resampling": {"holdout": {}}, "metrics": ["accuracy"]},
    "a `holdout`, by `roc_auc` or `cost`": {
        "resampling": {"holdout": {}},
        "metrics": ["roc_auc"],
    },
    "a `holdout`, by any other metric": {"resampling": {"holdout": {}}, "metrics": ["mcc"]},
    "`cv_5x2`, by accuracy": {"resampling": {"cv_5x2": {}}, "metrics": ["accuracy"]},
    "`cv_5x2`, by another metric, or of rows in groups": {
        "resampling": {"cv_5x2": {}},
        "metrics": ["log_loss"],
    },
    "`halves`": {"resampling": {"halves": {}, "kfold": {}}},
    "`kfold`": {"resampling": {"kfold": {}}},
    "`resampled`": {"resampling": {"resampled": {}}},
    "six or more data sets": {"datasets": AROUND["datasets"]},
}


def _rows_of_the_table():
    text = (DOCS / "choosing-tests.md").read_text(encoding="utf-8")
    table = text.split("| the experiment has |")[1].split("\n\n")[0]
    cells = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    return {first: rest for first, *rest in cells}


def test_every_row_of_the_table_is_tried():
    elsewhere = {first for first in _rows_of_the_table() if "`values:`" in first}
    assert set(_rows_of_the_table()) == {*OFFERS, *elsewhere, SEEDS}


def test_seeds_have_the_test_that_the_table_says():
    forest = {"estimator": "sklearn.ensemble.RandomForestClassifier", "seeds": 3}
    models = {"forest": forest, "bayes": {"estimator": "sklearn.naive_bayes.GaussianNB"}}
    own = {"datasets": {"d": AROUND["datasets"]["d0"]}, "models": models}
    own |= {"resampling": {"holdout": {}}}
    names = [one.name for one in recommended(load_experiment(copy.deepcopy(AROUND | own)))]
    assert names == ["recipe_difference"]
    assert f"`{names[0]}`" in _rows_of_the_table()[SEEDS][0]


@pytest.mark.parametrize("models", [2, 3])
@pytest.mark.parametrize("row", OFFERS)
def test_table_says_what_runs(row, models):
    chosen = dict(list(AROUND["models"].items())[:models])
    own = {"datasets": {"d": AROUND["datasets"]["d0"]}, "models": chosen} | OFFERS[row]
    names = [one.name for one in recommended(load_experiment(copy.deepcopy(AROUND | own)))]
    two, more = _rows_of_the_table()[row]
    said = two if models == 2 or "the same for" in more else more
    assert len(names) == 1
    assert f"`{names[0]}`" in said


def test_repeated_folds_have_the_test_that_the_table_says():
    own = {"datasets": {"d": AROUND["datasets"]["d0"]}, "resampling": {"kfold": {"repeats": 5}}}
    names = [one.name for one in recommended(load_experiment(copy.deepcopy(AROUND | own)))]
    assert names == ["corrected_repeated_kfold_t"]
    assert f"with repeats `{names[0]}`" in _rows_of_the_table()["`kfold`"][0]

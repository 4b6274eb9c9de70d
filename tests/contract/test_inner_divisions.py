"""Every inner division of a fit obeys the groups and times of the data, or is refused.

scikit-learn's ways to divide rows at random are switched off: whatever divides the training rows of
such data by itself fails here.
"""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from sklearn import feature_selection, model_selection
from sklearn.base import RegressorMixin
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.utils import all_estimators
from xgboost import XGBClassifier

from bakeoff.data import Table
from bakeoff.data.table import GROUP, ROW_ID, TARGET, TIME
from bakeoff.data.target import Target
from bakeoff.fit import check_models
from bakeoff.fit.check_models import check_inner_divisions, check_model
from bakeoff.fit.train import TrainingPart, train
from bakeoff.seeds import derive
from bakeoff.spec.experiment import Task
from bakeoff.spec.models import Model


class Stopped(XGBClassifier):
    """Sets rows apart in a way of its own."""

    def __init__(self, early_stopping_rounds=5, **params):
        super().__init__(early_stopping_rounds=early_stopping_rounds, **params)

    def fit(self, X, y):
        watched = [(X[::3], y[::3])] if self.early_stopping_rounds else None
        return super().fit(X, y, eval_set=watched, verbose=False)


AT_RANDOM = ("KFold", "StratifiedKFold", "ShuffleSplit", "StratifiedShuffleSplit", "LeaveOneOut")
GROUPS, EACH = 40, 6
SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")
N = GROUPS * EACH
LOGISTIC = {"estimator": "sklearn.linear_model.LogisticRegression"}
RIDGE = {"estimator": "sklearn.linear_model.Ridge"}
XGBOOST = "xgboost.XGBClassifier"
HISTOGRAM = "sklearn.ensemble.HistGradientBoostingClassifier"
MLP = "sklearn.neural_network.MLPClassifier"
SWITCHES = {"early_stopping": True, "probability": True, "n_iter_no_change": 3}


def _data(dependence, *, numbers=False):
    """Return rows whose first feature is their group or their time."""
    rng = np.random.default_rng(0)
    kin = np.repeat(np.arange(GROUPS), EACH)
    shuffled = rng.permutation(N)
    kin = kin[shuffled]
    y = (kin * 7919 % 11 + rng.normal(size=N) * 2 > 5).astype(np.intp)
    X = pd.DataFrame({"kin": kin.astype(float), "a": rng.normal(size=N) + y})
    target = Target(("no", "yes"))
    stored = np.array(["no", "yes"], dtype=object)[y]
    if numbers:
        target, y = Target(numbers=True), y + rng.normal(size=N)
        stored = y
    key, values = (GROUP, kin.astype(str)) if dependence == "groups" else (TIME, kin)
    frame = pd.DataFrame({ROW_ID: np.arange(N), TARGET: stored, key: values})
    table = Table(pd.concat([frame, X], axis=1), target)
    part = TrainingPart(X, target.encoded(y), **{dependence.replace("time", "times"): values})
    return table, part


def _outcome(keys, dependence):
    """Fit a model where nothing refuses it; return why it is refused, or nothing."""
    task = Task.REGRESSION if keys.get("numbers") else Task.CLASSIFICATION
    own = Model.model_validate({k: v for k, v in keys.items() if k != "numbers"})
    check_model("m", own, task=task)
    table, part = _data(dependence, numbers=task.numbers)
    found = list(check_inner_divisions("m", own, "d", table))
    if found:
        return str(found[0])
    train(own, part, derive(1, "fit"))
    return ""


@pytest.fixture
def at_random(monkeypatch):
    """Switch off what divides rows without regard to groups and times."""
    for name in AT_RANDOM:

        def split(self, X, y=None, groups=None):
            raise AssertionError(f"{type(self).__name__} divided rows that depend on each other")

        monkeypatch.setattr(getattr(model_selection, name), "split", split)


def _dividing():
    """Return entries of all estimators of scikit-learn that divide their rows, or may."""
    learners = [made for _, made in all_estimators(type_filter=["classifier", "regressor"])]
    searches = [getattr(model_selection, name) for name in SEARCHES]
    found = {}
    for made in (*learners, *searches, feature_selection.RFECV):
        wanted, name = inspect.signature(made).parameters, made.__name__
        if not {"cv", *SWITCHES} & set(wanted) or name.startswith("MultiTask") or "Chain" in name:
            continue
        numbers = issubclass(made, RegressorMixin)
        base = RIDGE if numbers else LOGISTIC
        usual = {
            "estimator": base,
            "estimators": [["a", base], ["b", base]],
            "param_grid": {"C": [0.1, 1]},
            "param_distributions": {"C": [0.1, 1]},
            **SWITCHES,
        }
        params = {key: value for key, value in usual.items() if key in wanted}
        params |= {"n_iter": 2} if name == "RandomizedSearchCV" else {}
        path = f"{made.__module__}.{name}"
        found[name] = {"estimator": path, "params": params, "numbers": numbers}
    return found


DIVIDING = _dividing()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("at_random")
@pytest.mark.parametrize("dependence", ["groups", "time"])
@pytest.mark.parametrize("name", DIVIDING)
def test_estimator_that_divides_is_refused(name, dependence):
    refused = _outcome(DIVIDING[name], dependence)
    assert "divides its training rows itself" in refused
    assert f"`{dependence}:`" in refused


KEYS = {
    "tune": {**LOGISTIC, "tune": {"space": {"C": [0.1, 1]}}},
    "validation": {**LOGISTIC, "tune": {"space": {"C": [0.1, 1]}, "validation": 0.2}},
    "threshold": {**LOGISTIC, "threshold": {"choose": "f1"}},
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("at_random")
@pytest.mark.parametrize("dependence", ["groups", "time"])
@pytest.mark.parametrize("case", KEYS)
def test_no_group_is_on_both_sides_and_the_past_comes_first(case, dependence, monkeypatch):
    """Look at the rows themselves, not at how they were divided."""
    seen = []
    _, part = _data(dependence)
    first = part.X["kin"].to_numpy()

    divide, set_apart = TrainingPart.folds, TrainingPart.validation

    def spied(part, count, seed):
        folds = divide(part, count, seed)
        if len(part.target.y) == N:
            seen.extend((set(first[a]), set(first[b])) for a, b in folds)
        return folds

    def spied_validation(part, share, seed):
        fold = set_apart(part, share, seed)
        seen.append(tuple(set(first[rows]) for rows in fold))
        return fold

    monkeypatch.setattr(TrainingPart, "folds", spied)
    monkeypatch.setattr(TrainingPart, "validation", spied_validation)
    assert _outcome(KEYS[case], dependence) == ""
    assert seen
    for learned, tested in seen:
        assert not learned & tested
        assert dependence == "groups" or max(learned) < min(tested)


def bagged(**keys):
    """Return the keys of a model that has another one as a parameter."""
    path = "sklearn.ensemble.BaggingClassifier"
    return {"estimator": path, "params": {"estimator": keys}}


def histogram(**params):
    return bagged(estimator=HISTOGRAM, params={**params, "max_iter": 5})


EARLY = {"estimator": MLP, "params": {"early_stopping": True}}
FOUND = {
    "own parameter": (EARLY, r"models.m: MLPClassifier .*`early_stopping`: True.* switch it off"),
    "within another": (bagged(**EARLY), r"models.m: MLPClassifier"),
    "preprocessing": (
        {**LOGISTIC, "preprocessing": [{"estimator": "sklearn.preprocessing.TargetEncoder"}]},
        r"models.m: TargetEncoder .*`cv`: 5",
    ),
    "tuned": (
        {"estimator": MLP, "tune": {"space": {"early_stopping": [False, True]}}},
        r"models.m: MLPClassifier",
    ),
    "few rows": ({"estimator": HISTOGRAM}, "^$"),
    "boosting with an own fit": (
        {"estimator": "tests.contract.test_inner_divisions.Stopped"},
        r"Stopped divides its training rows itself \(`early_stopping_rounds`: 5\)",
    ),
    "boosting told not to stop": (
        {
            "estimator": "tests.contract.test_inner_divisions.Stopped",
            "params": {"early_stopping_rounds": None, "n_estimators": 2},
        },
        "^$",
    ),
    "no stopping": (histogram(early_stopping=False), "^$"),
    "no watched rows": (histogram(early_stopping=True, validation_fraction=None), "^$"),
}


@pytest.mark.parametrize("case", FOUND)
def test_what_divides_is_found_wherever_it_is(case):
    keys, expected = FOUND[case]
    assert re.search(expected, _outcome(keys, "groups"))


def test_histogram_boosting_of_many_rows_is_to_stop_late(monkeypatch):
    monkeypatch.setattr(check_models, "_MANY", 100)
    assert "switch it off" in _outcome({"estimator": HISTOGRAM}, "groups")

"""What an estimator says is checked: what is no label and no probability fails the fit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from bakeoff.data import ROW_ID, TARGET, Table
from bakeoff.data.splits import write_splits
from bakeoff.data.target import Classes
from bakeoff.errors import UserError
from bakeoff.fit.estimator import assemble
from bakeoff.fit.fit_task import FitTask
from bakeoff.fit.predictions import Predictions
from bakeoff.fit.run_fit import run_fit
from bakeoff.scores import METRICS, score
from bakeoff.seeds import derive
from bakeoff.spec import Fit
from bakeoff.spec.models import Model

FIT = Fit("d", "m", "holdout", 1, 1)
LABELS = {
    "outlier": lambda y: np.full(len(y), -1),
    "between": lambda y: y + 0.5,
    "beyond": lambda y: y + 2,
    "text": lambda y: np.array(["a"] * len(y)),
    "lost": lambda y: y[:-1],
    "floats": lambda y: y.astype(float),
    "column": lambda y: y[:, None],
}
PROBABILITIES = {
    "nan": lambda p: p * np.nan,
    "sum": lambda p: p * 0.9,
    "negative": lambda p: p + np.array([1, -1]),
    "three": lambda p: np.column_stack([p, p[:, 0] * 0]),
    "rounded": lambda p: p.round(2),
    "one_row": lambda p: np.where(np.arange(len(p))[:, None] == 3, 1.0, p),
}


class Odd(DummyClassifier):
    def __init__(self, way="", strategy="prior"):
        super().__init__(strategy=strategy)
        self.way = way

    def predict(self, X):
        return np.asarray(LABELS.get(self.way, np.asarray)(super().predict(X)))

    def predict_proba(self, X):
        return np.asarray(PROBABILITIES.get(self.way, np.asarray)(super().predict_proba(X)))


LABELLED = np.resize(["u", "u", "v"], 30)
TESTED = np.array([0, 0, 1] * 5 + [1, 0, 0] * 5, dtype=bool)


def learnt(label):
    return ~TESTED & (label == LABELLED)


def write(folder, features):
    """Write a table of 30 rows, 10 of them to be tested."""
    frame = pd.DataFrame(features).add_prefix("x")
    frame.insert(0, TARGET, LABELLED)
    frame.insert(0, ROW_ID, range(30))
    Table(frame, Classes(("u", "v"))).write(folder / "d", folder / "c")
    splits = pd.DataFrame({ROW_ID: range(30), "repeat-1": TESTED.astype(int)})
    write_splits(folder / "s", splits)


def fit(folder, way):
    write(folder, np.arange(30.0)[:, None])
    return fitted(folder, {"estimator": f"{__name__}.Odd", "params": {"way": way}})


def fitted(folder, entry):
    files = (folder / name for name in ("d", "s", "p"))
    run_fit(FitTask(FIT, Model.model_validate(entry), 1, *files))
    return Predictions.read(folder / "p")


WRONG = [
    ("outlier", "it predicts -1 for 10 of 10 rows, the labels that it was trained on are 0 to 1"),
    ("between", "it predicts 0.5 for 10 of 10 rows"),
    ("beyond", "it predicts 2 for 10 of 10 rows"),
    ("text", "it predicts a for 10 of 10 rows"),
    ("lost", "it predicts 9 labels for 10 rows"),
    ("nan", "it diverged: probabilities of 10 of 10 rows are not finite"),
    ("three", r"its probabilities have the shape \(10, 3\), expected \(10, 2\)"),
]


@pytest.mark.parametrize(("way", "message"), WRONG, ids=[w[0] for w in WRONG])
def test_what_is_no_prediction_fails_the_fit(tmp_path, way, message):
    with pytest.raises(UserError, match=message):
        fit(tmp_path, way)


@pytest.mark.parametrize("way", ["floats", "column", "rounded"])
def test_other_ways_to_write_predictions_are_taken(tmp_path, way):
    found, plain = fit(tmp_path, way), fit(tmp_path, "")
    np.testing.assert_array_equal(found.y_pred, plain.y_pred)
    np.testing.assert_allclose(found.probabilities, plain.probabilities, atol=0.006)


@pytest.mark.parametrize("way", ["one_row", "sum", "negative"])
def test_odd_probabilities_are_undefined_where_they_are_needed_alone(tmp_path, way):
    found, plain = fit(tmp_path, way), fit(tmp_path, "")
    assert found.probabilities is None
    assert score(METRICS["accuracy"], found) == score(METRICS["accuracy"], plain)
    rows = 1 if way == "one_row" else 10
    for metric in ("log_loss", "brier", "roc_auc"):
        value, why = score(METRICS[metric], found)
        assert np.isnan(value)
        assert why.startswith(f"its outputs for {rows} of 10 rows are no probabilities")


def test_naive_bayes_far_from_all_it_knows_keeps_its_labels(tmp_path):
    """GaussianNB returns [1, 1] where both log densities are too large to differ."""
    x = np.empty((30, 1))
    x[learnt("u"), 0], x[learnt("v"), 0] = np.tile([-1, -1, 0, 1, 1], 3), [-1, -1, 0, 1, 1]
    x[TESTED], x[27] = 0, 1e10
    write(tmp_path, x)
    bayes = {"estimator": "sklearn.naive_bayes.GaussianNB", "preprocessing": "none"}
    found = fitted(tmp_path, bayes)
    assert 0 <= score(METRICS["accuracy"], found)[0] <= 1
    assert score(METRICS["log_loss"], found)[1].endswith("(first: 1, 1)")


def test_seeds_that_the_parts_got_are_recorded(tmp_path):
    write(tmp_path, np.arange(60.0).reshape(30, 2))
    forest = "sklearn.ensemble.RandomForestClassifier"
    nested = {"estimator": forest, "params": {"n_estimators": 2, "random_state": 7}}
    own = {
        "estimator": "sklearn.ensemble.BaggingClassifier",
        "params": {"estimator": nested, "n_estimators": 2},
    }
    seeds = fitted(tmp_path, own).facts["random_states"]
    made = assemble(
        Model.model_validate(own), pd.DataFrame({"x": [1.0]}), derive(1, "fit", *FIT[:5])
    )
    assert seeds == {"estimator__random_state": 7, "random_state": made.random_state}

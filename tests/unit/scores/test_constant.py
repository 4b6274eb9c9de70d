"""The score of a constant answer is that of scikit-learn's DummyClassifier."""

import dataclasses

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.dummy import DummyClassifier

from bakeoff.scores import METRICS
from bakeoff.scores.constant import constant_answer
from bakeoff.sources.common.base import Costs

TRAIN, TEST = (60, 25), (30, 20)
THEIRS = {
    "accuracy": lambda y, said, p: sk.accuracy_score(y, said),
    "balanced_accuracy": lambda y, said, p: sk.balanced_accuracy_score(y, said),
    "mcc": lambda y, said, p: sk.matthews_corrcoef(y, said),
    "roc_auc": lambda y, said, p: sk.roc_auc_score(y, p[:, 1]),
    "average_precision": lambda y, said, p: sk.average_precision_score(y, p[:, 1]),
    "log_loss": lambda y, said, p: sk.log_loss(y, p),
    "brier": lambda y, said, p: sk.brier_score_loss(y, p[:, 1]),
    "net_benefit@0.2": lambda y, said, p: y.mean() - (1 - y.mean()) * 0.2 / 0.8,
}


@pytest.mark.parametrize("name", THEIRS)
def test_it_is_what_a_dummy_classifier_scores(name):
    train, test = (np.repeat([0, 1], counts) for counts in (TRAIN, TEST))
    dummy = DummyClassifier(strategy="prior").fit(np.zeros((len(train), 1)), train)
    rows = np.zeros((len(test), 1))
    wanted = THEIRS[name](test, dummy.predict(rows), dummy.predict_proba(rows))
    found = constant_answer(METRICS[name], ("no", "yes"), TRAIN, TEST)
    assert found.answer == 0
    assert found.score == pytest.approx(wanted, abs=1e-12)


def test_what_is_given_has_no_constant_answer():
    given = dataclasses.replace(METRICS["accuracy"], computed=False)
    assert constant_answer(given, ("no", "yes"), TRAIN, TEST) is None


def test_by_costs_it_is_the_cheapest_class():
    costs = Costs.model_validate({"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]})
    found = constant_answer(METRICS["cost"], ("no", "yes"), TRAIN, TEST, costs)
    assert found == (1, pytest.approx(30 / 50))


@pytest.mark.parametrize(
    ("name", "answer", "scored"),
    [
        ("f1", 1, 4 / 7),  # predicting 'no' for every row has an F1 of 0
        ("recall", 1, 1.0),
        ("precision", 1, 0.4),  # predicting 'no' for every row has none
        ("specificity", 0, 1.0),
        ("accuracy", 0, 0.6),
        ("balanced_accuracy", 0, 0.5),
        ("mcc", 0, 0.0),
    ],
)
def test_it_is_the_best_constant_by_the_metric(name, answer, scored):
    found = constant_answer(METRICS[name], ("no", "yes"), TRAIN, TEST)
    assert found == (answer, pytest.approx(scored))

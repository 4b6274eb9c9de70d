"""Our metrics agree with scikit-learn's, and say why where they have no value."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from bakeoff.fit.predictions import Predictions
from bakeoff.scores import METRICS, score
from bakeoff.spec import Costs
from bakeoff.stats import Status, metric_ci


def predictions(y, predicted, probabilities, k):
    y, predicted = np.asarray(y), np.asarray(predicted)
    classes = tuple("abcdef"[:k])
    return Predictions(np.arange(len(y)), y, predicted, classes, probabilities, None, {})


def draw(k, seed, n=60):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    p = rng.dirichlet(np.ones(k), n).round(1 if seed % 2 else 6) + 1e-3  # odd seeds: many ties
    p /= p.sum(axis=1, keepdims=True)
    return y, p.argmax(axis=1), p


def top(y, p, k):
    rows = zip(p, y, strict=True)
    return float(np.mean([sum(other > row[c] for other in row) < k for row, c in rows]))


BINARY = {
    "precision": lambda y, t, p: sk.precision_score(y, t),
    "recall": lambda y, t, p: sk.recall_score(y, t),
    "f1": lambda y, t, p: sk.f1_score(y, t),
    "f2": lambda y, t, p: sk.fbeta_score(y, t, beta=2),
    "f05": lambda y, t, p: sk.fbeta_score(y, t, beta=0.5),
    "jaccard": lambda y, t, p: sk.jaccard_score(y, t),
    "npv": lambda y, t, p: sk.precision_score(y, t, pos_label=0),
    "specificity": lambda y, t, p: sk.recall_score(y, t, pos_label=0),
    "youden": lambda y, t, p: sk.balanced_accuracy_score(y, t, adjusted=True),
    "roc_auc": lambda y, t, p: sk.roc_auc_score(y, p[:, 1]),
    "average_precision": lambda y, t, p: sk.average_precision_score(y, p[:, 1]),
    "brier": lambda y, t, p: sk.brier_score_loss(y, p[:, 1]),
}
ANY = {
    "accuracy": lambda y, t, p: sk.accuracy_score(y, t),
    "error": lambda y, t, p: sk.zero_one_loss(y, t),
    "balanced_accuracy": lambda y, t, p: sk.balanced_accuracy_score(y, t),
    "f1_macro": lambda y, t, p: sk.f1_score(y, t, average="macro"),
    "f1_weighted": lambda y, t, p: sk.f1_score(y, t, average="weighted"),
    "mcc": lambda y, t, p: sk.matthews_corrcoef(y, t),
    "kappa": lambda y, t, p: sk.cohen_kappa_score(y, t),
    "log_loss": lambda y, t, p: sk.log_loss(y, p),
    "precision_macro": lambda y, t, p: sk.precision_score(y, t, average="macro"),
    "precision_weighted": lambda y, t, p: sk.precision_score(y, t, average="weighted"),
    "recall_macro": lambda y, t, p: sk.recall_score(y, t, average="macro"),
    "gmean": lambda y, t, p: math.prod(sk.recall_score(y, t, average=None)) ** (1 / p.shape[1]),
    "brier_root": lambda y, t, p: math.sqrt(
        (BINARY if p.shape[1] == 2 else MULTI)["brier"](y, t, p)
    ),
    "top_2_accuracy": lambda y, t, p: top(y, p, 2),
    "top_3_accuracy": lambda y, t, p: top(y, p, 3),
    "recall_weighted": lambda y, t, p: sk.recall_score(y, t, average="weighted"),
    "average_precision_macro": lambda y, t, p: sk.average_precision_score(
        np.eye(p.shape[1])[y], p, average="macro"
    ),
}
MULTI = {
    "roc_auc_ovr": lambda y, t, p: sk.roc_auc_score(y, p, multi_class="ovr"),
    "roc_auc_ovo": lambda y, t, p: sk.roc_auc_score(y, p, multi_class="ovo"),
    "brier": lambda y, t, p: float(np.mean(((p - np.eye(p.shape[1])[y]) ** 2).sum(axis=1))),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("name", "oracle", "k"),
    [(n, o, 2) for n, o in (BINARY | ANY).items()] + [(n, o, 4) for n, o in (ANY | MULTI).items()],
)
def test_metric_agrees_with_scikit_learn(name, oracle, k, seed):
    y, predicted, p = draw(k, seed)
    value, reason = score(METRICS[name], predictions(y, predicted, p, k))
    assert value == pytest.approx(oracle(y, predicted, p), abs=1e-12)
    assert reason == ""


@pytest.mark.parametrize(
    ("name", "y", "predicted", "word"),
    [
        ("precision", [0, 1], [0, 0], "no row is predicted 'b'"),
        ("recall", [0, 0], [0, 1], "no row is 'b'"),
        ("f1", [0, 0], [0, 0], "no row is or is predicted 'b'"),
        ("roc_auc", [1, 1], [1, 0], "all of one class"),
        ("average_precision", [0, 0], [0, 0], "no row is positive"),
        ("kappa", [1, 1], [1, 1], "one and the same class"),
        ("precision_macro", [0, 1], [0, 0], "no row is predicted 'b'"),
        ("precision_weighted", [0, 1], [0, 0], "no row is predicted 'b'"),
        ("recall_macro", [0, 0], [0, 1], "no row is 'b'"),
        ("average_precision_macro", [0, 0], [0, 0], "no row is positive"),
        ("cost", [0, 1], [0, 1], "the experiment has no `costs:`"),
    ],
)
def test_undefined_metric_says_why(name, y, predicted, word):
    probabilities = np.array([[0.4, 0.6], [0.7, 0.3]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, reason = score(METRICS[name], predictions(y, predicted, probabilities, 2))
    assert math.isnan(value)
    assert word in reason


def test_direction():
    lower = {name for name in (*BINARY, *ANY, *MULTI) if not METRICS[name].greater_is_better}
    assert lower == {"error", "log_loss", "brier", "brier_root"}


COSTS = Costs.model_validate(
    {"classes": ["c", "a", "b"], "matrix": [[0, 2, 4], [1, 0, 9], [5, 3, 0]]}
)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000))
def test_cost_is_the_mean_of_the_matrix_by_class_names(seed):
    y, predicted, p = draw(3, seed)
    price = {(t, q): COSTS.matrix[i][j] for i, t in enumerate("cab") for j, q in enumerate("cab")}
    pairs = zip(y, predicted, strict=True)
    expected = np.mean([price["abc"[t], "abc"[q]] for t, q in pairs])
    found = score(METRICS["cost"], predictions(y, predicted, p, 3), COSTS)
    assert found == (pytest.approx(expected), "")


def test_several_criteria_have_a_name_and_no_value():
    joined = METRICS["accuracy+log_loss"]
    assert joined.title == "accuracy and log loss"
    assert joined.greater_is_better  # tests of several criteria turn each one so
    value, reason = score(joined, predictions([0, 1], [0, 1], None, 2))
    assert math.isnan(value)
    assert "no single value" in reason
    with pytest.raises(KeyError):
        METRICS["acuracy"]


def test_expected_cost_weighs_classes_by_their_priors():
    y, predicted = [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 0, 1]
    made = predictions(y, predicted, None, 2)
    costs = Costs(classes=["b", "a"], matrix=[[0.0, 5.0], [1.0, 0.0]], priors=[1.0, 9.0])
    # of the rows of a one in four costs 1, of those of b one in two costs 5
    assert score(METRICS["expected_cost"], made, costs)[0] == pytest.approx(0.9 / 4 + 0.1 * 5 / 2)
    as_tested = costs.model_copy(update={"priors": [2.0, 4.0]})
    assert score(METRICS["expected_cost"], made, as_tested)[0] == pytest.approx(
        score(METRICS["cost"], made, costs)[0]
    )
    one_class = predictions([0, 0], [0, 1], None, 2)
    assert "no row is 'b'" in score(METRICS["expected_cost"], one_class, costs)[1]


@pytest.mark.parametrize("name", ["roc_auc_ovr", "roc_auc_ovo", "average_precision_macro"])
@pytest.mark.parametrize("absent", ["a", "b", "c"])
def test_an_absent_class_of_three_is_named(name, absent):
    y = [one for one in "abc" * 10 if one != absent]
    p = np.random.default_rng(0).dirichlet([1, 1, 1], len(y))
    found = metric_ci(y, p, metric=name, labels=["a", "b", "c"])
    assert found.status is Status.UNDEFINED
    assert found.assumptions[0].detail == f"no tested row is of the class {absent}"
    found = metric_ci(["a"] * 9, p[:9], metric=name, labels=["a", "b", "c"])
    assert "no tested row" not in found.assumptions[0].detail

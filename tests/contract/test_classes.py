"""One set of classes for all models of a comparison: scores, intervals and tests are about it.

A class may have no tested row, be predicted by one model alone, or be the only one of the truth,
and probabilities may be tied. Whatever metric is asked for, the scores that are shown are those
that are tested, an interval holds its estimate, and the headline names the model that leads.
"""

import math

import numpy as np
import pytest
from sklearn import metrics as sk

import bakeoff
from bakeoff import stats
from bakeoff.scores import METRICS, Need

NAMES = (*METRICS, "fbeta@3", "top_k_accuracy@2", "net_benefit@0.3")
OF_CLASSES = [name for name in NAMES if METRICS[name].needs is not Need.NUMBERS]
ROWS = 90
MODELS = ("good", "poor", "odd")
NAMED = np.array(["x", "y", "z"], dtype=object)


def towards(y, k, weights, seed=0):
    """Return the probabilities of three models, the better the larger their weights."""
    rng = np.random.default_rng(seed)
    noise = rng.dirichlet(np.ones(k), (len(weights), len(y)))
    return {
        model: (part + weight * np.eye(k)[y]) / (1 + weight)
        for model, part, weight in zip(MODELS, noise, weights, strict=True)
    }


def without_last(p):
    """Give the last class no probability."""
    kept = p * (np.arange(p.shape[1]) < p.shape[1] - 1)
    return kept / kept.sum(axis=1, keepdims=True)


def absent():
    """No tested row is of the last class, and no model predicts it."""
    y = np.arange(ROWS) % 2
    return y, {m: without_last(p) for m, p in towards(y, 3, (1.5, 0.4, 0.1)).items()}


def only_predicted():
    """One model alone predicts the class that no tested row has, in four rows."""
    y, p = absent()
    p["good"][:4] = [0.1, 0.1, 0.8]
    return y, p


def tied():
    """Probabilities are multiples of a quarter, and one model says the same of all classes."""
    y = np.arange(ROWS) % 3
    p = {m: np.round(4 * one) + 0.5 for m, one in towards(y, 3, (1.5, 0.4, 0.1)).items()}
    p = {m: one / one.sum(axis=1, keepdims=True) for m, one in p.items()}
    p["odd"] = np.full((ROWS, 3), 1 / 3)
    return y, p


def single():
    """All tested rows are of one class."""
    y = np.zeros(ROWS, dtype=int)
    return y, towards(y, 3, (1.5, 0.4, 0.1))


def of_two(make):
    """Drop the last of three classes."""
    y, p = make()
    two = {m: one[:, :2] / one[:, :2].sum(axis=1, keepdims=True) for m, one in p.items()}
    return y % 2, two


CASES = {
    "absent": absent,
    "only predicted": only_predicted,
    "tied": tied,
    "single": single,
    "tied, two classes": lambda: of_two(tied),
    "single of two classes": lambda: of_two(single),
}


def compared(case, metrics, **how):
    """Compare the models of a case by metrics, from labels with their probabilities."""
    y, p = CASES[case]()
    classes = NAMED[: next(iter(p.values())).shape[1]].tolist()
    k = len(classes)
    costs = {"classes": classes, "matrix": (1 - np.eye(k)).tolist(), "priors": [1.0] * k}
    priced = any(METRICS[name].priced for name in metrics)
    how |= {"classes": classes, "costs": costs if priced else None, "metrics": list(metrics)}
    return bakeoff.compare(NAMED[y], p, **how)


def usable(case):
    """List the metrics for as many classes as a case has."""
    two = next(iter(CASES[case]()[1].values())).shape[1] == 2
    return [name for name in OF_CLASSES if two or not METRICS[name].binary]


@pytest.mark.parametrize("groups", [None, np.arange(ROWS) // 3], ids=["rows", "groups"])
@pytest.mark.parametrize("case", CASES)
def test_scores_that_are_shown_are_those_that_are_tested(case, groups):
    found = compared(case, usable(case), groups=groups)
    scores = found.scores.set_index(["model", "metric"])["value"]
    pairs = found.comparisons[found.comparisons["model_b"] != ""]
    assert set(pairs["metric"]) <= set(OF_CLASSES)
    answered = pairs[pairs["estimate"].notna()]
    assert len(answered) >= len(pairs) / 2
    for row in answered.itertuples():
        sign = 1 if METRICS[row.metric].greater_is_better else -1
        shown = sign * (scores[row.model_a, row.metric] - scores[row.model_b, row.metric])
        assert row.estimate == pytest.approx(shown, abs=1e-9), row
        if not math.isnan(row.ci_low):
            assert row.ci_low - 1e-9 <= row.estimate <= row.ci_high + 1e-9, row
        better = {"a_better": 1, "b_better": -1}.get(row.decision, 0)
        assert better * row.estimate >= 0, row


@pytest.mark.parametrize("case", CASES)
def test_interval_of_each_model_holds_its_score(case):
    y, p = CASES[case]()
    classes = list(range(next(iter(p.values())).shape[1]))
    cost = 1 - np.eye(len(classes))
    for name in usable(case):
        metric = METRICS[name]
        how = {"metric": name, "labels": classes}
        how |= {"cost": cost, "priors": np.ones(len(classes))} if metric.priced else {}
        for one in p.values():
            said = one if metric.by_order else one.argmax(axis=1)
            found = stats.metric_ci(y, said, **how)
            if found.ci is not None:
                assert found.ci.low - 1e-9 <= found.estimate <= found.ci.high + 1e-9, name


@pytest.mark.parametrize("name", [name for name in OF_CLASSES if not METRICS[name].binary])
def test_headline_names_the_model_with_the_better_score(name):
    found = compared("only predicted", [name])
    scores = found.scores.set_index("model")["value"]
    order = scores.sort_values(ascending=not METRICS[name].greater_is_better).index
    headline = found.verdict.splitlines()[0]
    if "better than" in headline and "baseline" not in headline:
        ahead, behind = headline.split(" is better than ")
        assert list(order).index(ahead) < list(order).index(behind.split(" by ")[0])


A, B = NAMED[np.arange(60) // 30], NAMED[np.arange(60) // 30]
Y = A.copy()
A[:4] = "z"
B[:9], B[30:35] = "y", "x"


@pytest.mark.parametrize("classes", [["x", "y", "z"], ["z", "y", "x"]])
@pytest.mark.parametrize(
    ("name", "reference"),
    [("f1_macro", sk.f1_score), ("precision_macro", sk.precision_score)],
)
def test_means_over_classes_are_over_those_of_the_truth_for_every_model(name, reference, classes):
    found = bakeoff.compare(Y, {"a": A, "b": B}, metrics=[name], classes=classes)
    expected = [reference(Y, said, labels=["x", "y"], average="macro") for said in (A, B)]
    assert found.scores["value"].tolist() == pytest.approx(expected)
    (row,) = found.comparisons.itertuples()
    assert row.estimate == pytest.approx(expected[0] - expected[1])
    assert row.ci_low < row.estimate < row.ci_high
    assert found.verdict.splitlines()[0].startswith("a is better than b by macro")
    by_stats = stats.metric_difference(Y, A, B, metric=name)
    assert (by_stats.estimate, by_stats.pvalue) == pytest.approx((row.estimate, row.pvalue))


def test_top_k_accuracy_shares_the_places_of_ties():
    y = np.arange(80) % 4
    even = np.full((80, 4), 0.25)
    rounded = np.tile([0.1 + 0.2, 0.3, 0.3, 0.1], (80, 1))  # 0.1 + 0.2 > 0.3 by rounding alone
    found = bakeoff.compare(y, {"even": even, "rounded": rounded}, metrics=["top_k_accuracy@2"])
    # of `rounded` three classes share two places, and the last is never among them
    assert found.scores["value"].tolist() == pytest.approx([0.5, 0.5])
    one = stats.metric_ci(y, rounded, metric="top_k_accuracy@2", labels=range(4))
    rows = np.where(y < 3, 2 / 3, 0.0)
    assert one.details["se"] == pytest.approx(rows.std(ddof=1) / math.sqrt(80))

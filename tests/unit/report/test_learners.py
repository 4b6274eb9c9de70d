"""The report says what tests on folds assume of the learners, and who breaks it here."""

import pytest
from studies import experiment, ran

from bakeoff.report.exhibits import build, exhibits
from bakeoff.report.learners import KINDS, assumed
from bakeoff.report.leniency import leniency
from bakeoff.spec import load_experiment
from bakeoff.spec.learners import FAMILIES
from bakeoff.stats import catalogue

MEANS = {"a": 0.8, "b": 0.9}
KNN = {"estimator": "sklearn.neighbors.KNeighborsClassifier"}
SHRUNKEN = {"estimator": "sklearn.linear_model.LogisticRegression", "params": {"C": 0.001}}


def made(test, **models):
    """Run a test on made-up scores of two models, `b` being another than usual."""
    config = experiment(("a", "b"), tests=(test,)).resolved()
    config["models"] |= models
    return ran(load_experiment(config), MEANS, accuracies=MEANS)


def said(one):
    (family,) = one.families
    return assumed(one, family)


def test_assumption_is_told_whoever_is_compared():
    text = said(made("cv5x2_f"))
    assert text.startswith("The combined 5×2cv F test assumes that the folds know nothing of")
    assert "nearest neighbours" in text
    assert text.endswith("no model here is known to be one.")
    assert said(made("mcnemar")) == ""


@pytest.mark.parametrize(
    ("model", "instead"),
    [
        (KNN, "the half-sample t test on the plan `halves`, or from these fits the 5×2cv McNemar"),
        (
            {"steps": [KNN["estimator"]]},
            "the half-sample t test on the plan `halves`, or from these",
        ),
        (SHRUNKEN, "the half-sample t test on the plan `halves`."),
    ],
)
def test_model_that_breaks_it_is_named_with_what_answers_instead(model, instead):
    one = made("cv5x2_f", b=model)
    assert f"here b. Instead: {instead}" in said(one)
    for name in ("tests", "pairs.cv5x2_f"):
        item = next(e for e in exhibits(one.experiment, one.tests) if e.name == name)
        assert said(one) in build(item, one).note


def test_every_family_has_plain_words_and_every_such_test_an_answer():
    for entry in catalogue().values():
        learners = {f for f in entry.liberal_for if f.removesuffix(" by AUC") in FAMILIES}
        assert learners <= set(KINDS)
        assert not entry.instead or entry.instead in catalogue()


def test_families_by_auc_concern_findings_by_auc_alone():
    config = experiment(("a", "b"), tests=("cv5x2_f",)).resolved()
    logistic = {"estimator": "sklearn.linear_model.LogisticRegression"}
    config |= {"metrics": ["accuracy", "roc_auc"], "models": {"a": logistic, "b": logistic}}
    one, entry = load_experiment(config), catalogue()["cv5x2_f"]
    assert "linear by AUC" in entry.liberal_for
    assert leniency(entry, one, metric="accuracy").models == ()
    assert leniency(entry, one, metric="roc_auc").models == ("a", "b")

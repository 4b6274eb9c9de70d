"""The report says what tests on folds assume of the learners, and who breaks it here."""

import pytest
from studies import experiment, ran

from bakeoff.comparisons import plan_tests
from bakeoff.comparisons.advice import cautions
from bakeoff.comparisons.settings import planned
from bakeoff.report.exhibits import build, exhibits
from bakeoff.report.page import Page
from bakeoff.report.prose import assumed
from bakeoff.report.verdict import take_care
from bakeoff.spec import load_experiment
from bakeoff.stats import catalogue

MEANS = {"a": 0.8, "b": 0.9}
OF_RELATED_ROWS = {"groups of unlike size", "autocorrelation", "strong autocorrelation"}
OF_RUNS = {
    "rare failures, one model deterministic",
    "skewed runs, unequal numbers",
    "few errors",
}
"""More runs, or as many of both, help; no other test does."""
KNN = {"estimator": "sklearn.neighbors.KNeighborsClassifier"}
QDA = {"estimator": "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"}


def made(test, **models):
    """Run a test on made-up scores of two models, `b` being another than usual."""
    config = experiment(("a", "b"), tests=(test,)).resolved()
    config["models"] |= models
    return ran(load_experiment(config), MEANS, accuracies=MEANS)


def line(one):
    (family,) = one.families
    return assumed(family)


def care(one):
    return list(take_care(one, one.families))


def shown(one):
    """Return the page of the tables alone, as HTML and as Markdown."""
    page = Page(one)
    page.__dict__["items"] = [item for item in exhibits(one) if item.form == "table"]
    return page.html, page.document


def test_assumption_is_told_in_one_line_whoever_is_compared():
    one = made("cv5x2_f")
    text = line(one)
    assert text.startswith("In simulations the type I error of the combined 5×2cv F test at the")
    assert "k-nearest neighbours (up to ." in text
    assert "quadratic discriminant analysis (up to ." in text
    assert line(made("mcnemar")) == ""
    assert care(one) == []
    for name in ("tests", "pairs.cv5x2_f"):
        item = next(e for e in exhibits(one) if e.name == name)
        assert text in build(item, one).note


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        (KNN, "k-nearest neighbours"),
        ({"steps": [KNN["estimator"]]}, "k-nearest neighbours"),
        (QDA, "quadratic discriminant analysis"),
    ],
)
def test_model_that_breaks_it_is_named_with_what_answers_instead(model, kind):
    one = made("cv5x2_f", b=model)
    (said,) = care(one)
    assert said.startswith(
        "Caution: the combined 5×2cv F test has an inflated type I error "
        f"with {kind} (here: b): up to ."
    )
    instead = "the half-sample t test (plan halves) or the 5×2cv z test (plan cv_5x2)"
    assert said.endswith(f" at the .05 level in simulations. Use {instead} instead.")
    page, text = shown(one)
    assert f'<p class="care">{said}</p>' in page
    assert "> " + said.partition(" Use")[0] in text


def test_every_liberal_test_has_an_answer():
    for entry in catalogue().values():
        # of errors that hardly occur no test can tell
        alone = OF_RELATED_ROWS | OF_RUNS | {"rare large errors (regression)"}
        # of one model the interval of its score answers, which the caution names
        assert entry.better_test or set(entry.liberal_for) <= alone or "interval" in entry.caution
        if entry.better_test:
            assert set(catalogue()[entry.better_test].liberal_for) <= OF_RELATED_ROWS


def test_families_by_auc_concern_findings_by_auc_alone():
    config = experiment(("a", "b"), tests=("cv5x2_f",)).resolved()
    logistic = {"estimator": "sklearn.linear_model.LogisticRegression"}
    config |= {"metrics": ["accuracy", "roc_auc"], "models": {"a": logistic, "b": logistic}}
    one, entry = load_experiment(config), catalogue()["cv5x2_f"]
    assert "logistic regression by AUC" in entry.liberal_for
    test = planned(entry, one.tests)
    assert not cautions(test, one, metric="accuracy")
    (found,) = cautions(test, one, metric="roc_auc").inflated
    assert found.models == ("a", "b")


def test_regressors_are_named_by_what_was_simulated_of_them():
    config = experiment(("a", "b"), tests=("cv5x2_f",)).resolved()
    lasso = {"estimator": "sklearn.linear_model.Lasso"}
    network = {"estimator": "sklearn.neural_network.MLPRegressor"}
    config |= {"task": "regression", "models": {"a": lasso, "b": network}, "metrics": ["rmse"]}
    config["resampling"] = {"cv_5x2": {}}
    config["datasets"] = {"d": {"source": "sklearn", "name": "diabetes"}}
    loaded = load_experiment(config)
    _, plan = plan_tests(loaded)
    known = cautions(plan["cv5x2_f"], loaded)
    assert [(one.where, one.models) for one in known.inflated] == [
        ("with strong shrinkage", ("a",))
    ]
    assert known.unknown == ("b",)
    assert [entry.name for entry in known.instead] == ["half_sample_t"]
    assert known.inflated[0].rate.rate > 0.5

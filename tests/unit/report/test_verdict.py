"""The verdict: what it goes by, what it warns of, and what it advises."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import signal
from studies import experiment, pair, ran
from studies import study as made_up

from bakeoff import compare
from bakeoff.comparisons import plan_tests
from bakeoff.comparisons.advice import cautions
from bakeoff.comparisons.settings import planned
from bakeoff.report.exhibits import exhibits
from bakeoff.report.page import Page
from bakeoff.report.prose import p_name, take_care
from bakeoff.report.verdict import answer
from bakeoff.spec import load_experiment
from bakeoff.stats import Arity, catalogue

ON_ROWS = [
    entry.name
    for entry in catalogue().values()
    if entry.evidence.on_rows and entry.arity is Arity.PAIR and "margin" not in entry.options
]


@pytest.mark.parametrize("test", ON_ROWS)
def test_every_test_of_rows_is_told_beside_one_of_folds(test):
    spec = experiment(("a", "b"), tests=("cv5x2_f", "mcnemar"))
    beside = pair("a", "b", 0.01, 0.05, test=test, plan="holdout", n=200)
    found = answer(made_up(spec, [pair("a", "b", 0.01, 0.05), beside], {"a": 0.95, "b": 0.9}))
    assert any("held-out rows" in sentence for sentence in found.sentences)


@pytest.mark.parametrize("first", [True, False])
def test_the_omnibus_test_of_the_verdict_licenses_its_pairs(first):
    """Kruskal and Wallis ignore the blocks: whoever is named first, Friedman's test is told."""
    names = ["kruskal_wallis", "friedman"][:: 1 if first else -1]
    datasets = [f"d{i}" for i in range(12)]
    spec = experiment(("a", "b", "c"), datasets=datasets, tests=(*names, "friedman_posthoc"))
    hard = [0.5 + 0.03 * i for i in range(12)]
    means = {m: [h + gap for h in hard] for m, gap in (("a", 0.02), ("b", 0.01), ("c", 0.0))}
    one = ran(spec, means)
    family = one.mains[0]
    assert one.omnibus(family).test == "friedman"


@pytest.mark.parametrize(
    ("models", "n", "said"),
    [
        ("ab", 3, "needs at least 6 data sets to reach the 5% level; there are 3"),
        ("ab", 6, "test over these data sets is wilcoxon_signed_rank"),
        ("abc", 3, "needs at least 6 data sets to reach the 5% level; there are 3"),
        ("abc", 12, "test over these data sets is friedman"),
        ("abc", 60, "test over these data sets is iman_davenport"),
    ],
)
def test_advice_is_what_is_recommended_for_so_many_data_sets(models, n, said):
    spec = experiment(list(models), datasets=[f"d{i}" for i in range(n)], tests=("cv5x2_f",))
    one = ran(spec, {m: [0.9 - 0.1 * i] * n for i, m in enumerate(models)})
    assert said in answer(one).main[-1]


@pytest.mark.parametrize(
    ("size", "correction", "called"),
    [(1, "holm", "p"), (2, "holm", "adjusted p"), (2, "none", "p")],
)
def test_p_values_of_two_comparisons_are_called_adjusted(size, correction, called):
    row = pair("a", "b", 0.01, 0.05)
    assert p_name(dataclasses.replace(row, family_size=size, correction=correction)) == called


def verdict(right, **related):
    """Compare models that are right where `right` (N, M) says so."""
    truth = np.arange(len(right)) % 2
    models = {f"m{m}": np.where(column, truth, 1 - truth) for m, column in enumerate(right.T)}
    frame = pd.DataFrame(models).map({0: "no", 1: "yes"}.get)
    labels = pd.Series(truth).map({0: "no", 1: "yes"}.get)
    return " ".join(compare(labels, frame, **related).verdict.split())


def better(n, models, seed=0):
    """Draw models of which the first is better, of independent rows."""
    rates = np.full(models, 0.6)
    rates[0] = 0.85
    return np.random.default_rng(seed).random((n, models)) < rates


@pytest.mark.parametrize("models", [2, 3, 6, 10])
def test_clear_win_in_time_is_a_win_without_a_warning(models):
    said = verdict(better(600, models), time=np.arange(600))
    which = "better than m1" if models == 2 else f"the best of the {models} models"
    assert said.startswith(f"m0 is {which}")
    assert "Diebold-Mariano test" in said
    assert "aution" not in said


def test_dependence_that_is_measured_is_warned_of():
    rng = np.random.default_rng(5)
    tilt = signal.lfilter([1.0], [1.0, -0.97], rng.normal(size=400)) / 4
    right = np.stack([tilt + rng.normal(size=400) * 0.5 > -2, tilt < -1], axis=1)
    said = verdict(right, time=np.arange(400))
    assert said.startswith("m0 seems better than m1")
    assert "Caution: the Diebold-Mariano test has an inflated type I error here:" in said
    assert "above 0.7 the test rejects too often" in said
    third = np.stack([np.ones(400, bool), tilt < -1, rng.random(400) < 0.5], axis=1)
    assert "inflated type I error here in 2 of 3 comparisons" in verdict(third, time=np.arange(400))


def test_too_few_groups_for_so_many_models_say_what_would_help():
    groups = np.arange(700) // 100
    said = verdict(better(700, 6), groups=groups)
    assert (
        "No result could have been significant, because the smallest possible adjusted p-value is "
        ".234, above 0.05; at least 10 groups or at most 3 models would be needed." in said
    )
    assert "more data would be needed" not in said
    assert "fewer observations than the test needs" not in said
    said = verdict(better(1000, 6), groups=np.arange(1000) // 100)
    assert "No result could" not in said
    assert said.startswith("m0 is the best of the 6 models")


def scores_in_time(models, lasting, **more):
    """Compare scores of the positive class, the first model's with long good spells or better."""
    rng, n = np.random.default_rng(6), 800
    truth, shift = rng.integers(0, 2, n), np.full((n, models), 0.6)
    shift[:, 0] = 1.4
    if lasting:
        shift[:, 0] += np.sin(np.arange(n) / 40)
    scores = (2 * truth[:, None] - 1) * shift + rng.normal(size=(n, models))
    chances = pd.DataFrame(1 / (1 + np.exp(-scores)), columns=[f"m{m}" for m in range(models)])
    found = compare(truth, chances, time=np.arange(n), metrics="roc_auc", **more)
    return " ".join(found.verdict.split())


@pytest.mark.parametrize("lasting", [False, True])
def test_blocks_of_time_warn_where_their_dependence_is_measured(lasting):
    said = scores_in_time(2, lasting)
    assert "8 blocks of time" in said
    assert said.startswith("m0 seems better" if lasting else "m0 is better")
    assert ("times that of independent blocks" in said) is lasting


def test_blocks_of_time_that_cannot_tell_so_many_models_apart_are_called_so():
    said = scores_in_time(6, lasting=False, correction="holm")
    assert "the smallest possible adjusted p-value is" in said


def test_numbers_in_time_are_compared_by_their_long_run_variance():
    rng = np.random.default_rng(1)
    losses = pd.DataFrame(rng.gamma(2, size=(300, 6)), columns=[f"m{m}" for m in range(6)])
    losses["m0"] *= 0.5
    said = compare(None, losses, values="lower", time=np.arange(300)).verdict
    assert said.startswith("m0 is the best of the 6 models")
    assert "Diebold-Mariano test of a value per row" in said
    assert catalogue()["mean_difference"].in_time == "diebold_mariano_means"


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
    (said,) = take_care(one, one.families)
    assert said.startswith(
        "Caution: the combined 5×2cv F test has an inflated type I error "
        f"with {kind} (here: b): up to ."
    )
    instead = "the half-sample t test (plan halves) or the 5×2cv z test (plan cv_5x2)"
    assert said.endswith(f" at the .05 level in simulations. Use {instead} instead.")
    page = Page(one)
    page.__dict__["items"] = [item for item in exhibits(one) if item.form == "table"]
    assert f'<p class="care">{said}</p>' in page.html
    assert "> " + said.partition(" Use")[0] in page.document


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
    assert [*known.unknown] == ["b"]
    assert [entry.name for entry in known.instead] == ["half_sample_t"]
    assert known.inflated[0].rate.rate > 0.5

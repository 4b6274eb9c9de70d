"""The verdict: what it goes by, what it warns of, and what it advises."""

import json
import math
from pathlib import Path

import jsonschema
import pytest

import bakeoff.report
from bakeoff.comparisons.advice import cautions
from bakeoff.comparisons.analysis import analysis_of
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.report.answers.answer import Kind
from bakeoff.report.exhibits import exhibits
from bakeoff.report.family import seen_from
from bakeoff.report.page import Page
from bakeoff.report.prose import decision, take_care
from bakeoff.report.verdict import answer
from bakeoff.report.verdict_data import CAUTIONS, verdict_data
from bakeoff.spec import load_experiment
from bakeoff.stats import Arity, catalogue
from tests.unit.report.cases import CASES, made, verdict_of
from tests.unit.report.studies import experiment, pair, ran, study

ON_ROWS = [
    entry.name
    for entry in catalogue().values()
    if entry.evidence.on_rows and entry.arity is Arity.PAIR and "margin" not in entry.options
]


@pytest.mark.parametrize("test", ON_ROWS)
def test_every_test_of_rows_is_told_beside_one_of_folds(test):
    spec = experiment(("a", "b"), tests=("cv5x2_f", "mcnemar"))
    beside = pair("a", "b", 0.01, 0.05, test=test, plan="holdout", n=200)
    found = answer(study(spec, [pair("a", "b", 0.01, 0.05), beside], {"a": 0.95, "b": 0.9}))
    assert any("held-out rows" in sentence for sentence in found.sentences)


@pytest.mark.parametrize("first", [True, False])
def test_the_omnibus_test_of_the_verdict_licenses_its_pairs(first):
    """Kruskal and Wallis ignore the blocks: whoever is named first, Friedman's test is told."""
    tests = [*["kruskal_wallis", "friedman"][:: 1 if first else -1], "friedman_posthoc"]
    means = {m: [0.5 + 0.03 * d + 0.01 * i for d in range(6)] for i, m in enumerate("cba")}
    one = ran(experiment("abc", datasets="defghi", tests=tests), means)
    assert one.omnibus(one.mains[0]).test == "friedman"


def test_the_model_that_is_no_worse_is_the_same_whichever_stands_first():
    one = CASES["not inferior"]()
    row = next(f.rows[0] for f in one.families if f.entry.name == "noninferiority")
    assert {decision(one, seen_from(row, model)) for model in "ab"} == {"a not worse"}


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        # 0.03 · (t.975 + t.8)/t.975 with ten degrees of freedom, and without
        ({"df": 10.0}, "a true difference of about 4.2 percentage points"),
        ({}, "a true difference of about 4.3 percentage points"),
        # 0.03 · (z.95 + z.8)/z.95
        (
            {"alternative": "greater", "ci_high": 1.0},
            "a true difference of about 4.5 percentage points",
        ),
        ({"df1": 10.0, "df2": 5.0}, ""),
        ({"ci_low": math.nan, "ci_high": math.nan}, ""),
        ({"ci_low": -0.99, "ci_high": 1.0}, ""),
    ],
)
def test_verdict_says_which_true_difference_the_interval_would_find(facts, said):
    interval = {"ci_low": -0.02, "ci_high": 0.04, "confidence": 0.95}
    row = pair("a", "b", 0.4, 0.01, test="mcnemar", **interval | facts)
    sentences = answer(study(experiment("ab", tests=["mcnemar"]), [row], MEANS)).sentences
    (unproven,) = (one for one in sentences if "does not prove" in one)
    assert unproven.startswith("A p-value above 0.05 does not prove that the models are equal")
    assert unproven.partition(": ")[2].partition(" would be found")[0] == said


AB, MEANS = ("a", "b"), {"a": 0.8, "b": 0.9}
OF_RELATED_ROWS = {"groups of unlike size", "autocorrelation", "strong autocorrelation"}
OF_RUNS = {"rare failures, one model deterministic", "skewed runs, unequal numbers", "few errors"}
"""More runs, or as many of both, help; no other test does."""
KNN = {"estimator": "sklearn.neighbors.KNeighborsClassifier"}
QDA = {"estimator": "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"}


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        (KNN, "k-nearest neighbours"),
        ({"steps": [KNN["estimator"]]}, "k-nearest neighbours"),
        (QDA, "quadratic discriminant analysis"),
    ],
)
def test_model_that_breaks_it_is_named_with_what_answers_instead(model, kind):
    config = experiment(AB, tests=("cv5x2_f",)).resolved()
    config["models"]["b"] = model
    one = ran(load_experiment(config), MEANS, accuracies=MEANS)
    (said,) = take_care(one, one.families)
    assert said.startswith(
        "Caution: the combined 5×2cv F test has an inflated type I error "
        f"with {kind} (here: b): up to ."
    )
    instead = "the row-wise t test on 5 × 2-fold cross-validation"
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
        better = entry
        while better.better_test:
            better = catalogue()[better.better_test]
        assert better is entry or set(better.liberal_for) <= alone


@pytest.mark.parametrize(
    ("estimator", "metric", "inflated", "unknown"),
    [
        ("linear_model.LogisticRegression", "accuracy", {}, []),
        ("linear_model.LogisticRegression", "roc_auc", {"with logistic regression": AB}, []),
        ("linear_model.Lasso", "rmse", {"with strong shrinkage": AB}, []),
        ("neural_network.MLPRegressor", "rmse", {}, ["a", "b"]),
    ],
)
def test_learners_are_named_by_what_was_simulated_of_them(estimator, metric, inflated, unknown):
    more = {"metrics": [metric]} | ({"task": "regression"} if metric == "rmse" else {})
    spec = analysis_of(experiment(AB, tests=("cv5x2_f",), estimator=f"sklearn.{estimator}", **more))
    known = cautions(plan_tests(spec)[1].by_name["cv5x2_f"], spec, metric=metric)
    assert {one.where: one.models for one in known.inflated} == inflated
    assert [*known.unknown] == unknown
    if estimator.endswith("Lasso"):
        assert [entry.name for entry in known.instead] == ["half_sample_t"]
        assert known.inflated[0].rate.rate > 0.5


@pytest.mark.xdist_group("cases")
@pytest.mark.parametrize("name", CASES)
def test_verdict_as_data_keeps_to_its_schema(name):
    schema = json.loads((Path(bakeoff.report.__file__).parent / "verdict.schema.json").read_text())
    verdict = verdict_of(name)
    found = json.loads(json.dumps(verdict_data(made(name), verdict), allow_nan=False))
    jsonschema.validate(found, schema)
    assert [*found["cautions"], *found["findings"]] or not (verdict.main or verdict.folded)
    kinds = schema["properties"]["kind"]["enum"]
    assert kinds == [kind.value for kind in Kind]


def test_verdict_as_data_has_the_comparison_of_the_evidence():
    row = pair("a", "b", 0.001, -0.05, test="mcnemar", ci_low=-0.08, ci_high=-0.02)
    one = study(experiment("ab", tests=["mcnemar"]), [row], MEANS, accuracies=MEANS)
    found = verdict_data(one, answer(one))
    assert (found["kind"], found["leader"]) == ("winner", "b")
    compared = found["comparison"]
    assert (compared["model_a"], compared["model_b"]) == ("b", "a")
    assert (compared["estimate"], compared["ci_low"], compared["ci_high"]) == (0.05, 0.02, 0.08)
    assert (compared["test"], compared["n"], compared["decision"]) == ("mcnemar", 200, "a_better")


@pytest.mark.xdist_group("cases")
def test_cautions_have_codes_that_stay():
    coded = set()
    for name in CASES:
        verdict = verdict_of(name)
        coded |= {sentence.code for sentence in (*verdict.main, *verdict.folded)}
    # the cases have no training runs, no logs, and no test that its interval contradicts
    assert CAUTIONS - coded == {"runs", "results", "disagreement", "not_exchangeable"}

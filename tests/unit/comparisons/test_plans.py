"""Experiments, and the tests that are planned for them or the problems that are told."""

import itertools
import re
from pathlib import Path

import pytest

from bakeoff.comparisons.advice import CASES, recommended
from bakeoff.comparisons.plan_tests import described, plan_tests
from bakeoff.comparisons.settings import corrects, planned
from bakeoff.spec.tests import HypothesisTests
from bakeoff.stats import Evidence, catalogue
from tests.conftest import hold
from tests.unit.comparisons.conftest import experiment


def plan(**facts):
    problems, tests = plan_tests(experiment(**facts))
    assert problems == []
    return tests


def problems(**facts):
    return "\n".join(map(str, plan_tests(experiment(**facts))[0]))


def run(*names, options=None, **more):
    return {"tests": {"run": list(names), "options": options or {}, **more}}


def asked(name, **options):
    """Return `tests:` that run one test with options."""
    return run(name, options={name: options})


def of_rows(**columns):
    """Return what makes an experiment of given predictions."""
    given = {"predictions": "p.csv", "columns": columns}
    return ROWS | {"datasets": {"rows": {"source": "given"}}, "models": {"a": given, "b": given}}


def of_runs(**models):
    return ROWS | {"datasets": CANCER, "models": models}


def by(*metrics):
    """Return what makes an experiment of two models on one test set, with costs."""
    return HELD_OUT | {"models": 2, "costs": COSTS, "metrics": list(metrics)}


def of_numbers(*metrics, **data):
    diabetes = {"source": "sklearn", "name": "diabetes", **data}
    facts = {
        "task": "regression",
        "datasets": {"d": diabetes},
        "models": dict.fromkeys("ab", REGRESSOR),
    }
    return HELD_OUT | facts | {"metrics": list(metrics)}


REGRESSOR = {"estimator": "sklearn.dummy.DummyRegressor"}
HELD_OUT, FIVE, KFOLD = ({"resampling": {name: {}}} for name in ("holdout", "cv_5x2", "kfold"))
BOTH = {"resampling": {"cv_5x2": {}, "holdout": {}}}
ROWS = HELD_OUT | {"metrics": ["accuracy"]}
CANCER = {"d": {"source": "sklearn", "name": "breast_cancer"}}
IN_TIME = {"d": CANCER["d"] | {"time": "mean radius"}}
FILE = {"source": "file", "path": "x.csv", "target": "y", "positive": "1"}
KFOLD_IN_TIME = KFOLD | {"datasets": {"d": {**FILE, "time": "t"}}}
REPEATS, THIRDS = ({"resampling": {"kfold": {key: n}}} for key, n in (("repeats", 5), ("folds", 3)))
COSTS = {"classes": ["a", "b"], "matrix": [[0, 1], [5, 0]], "priors": [0.9, 0.1]}
NET = {"estimator": "sklearn.neural_network.MLPClassifier", "seeds": 4}
FOREST = {"estimator": "sklearn.ensemble.RandomForestClassifier", "seeds": 3}
BAYES = {"estimator": "sklearn.naive_bayes.GaussianNB"}
SINGLE = {**FOREST, "seeds": 1}
THREE = ["accuracy", "log_loss", "mcc"]
ONE, REST, REPEATED = THREE[:1], THREE[1:], "corrected_repeated_kfold_t"
PLAIN, VERSUS, ALL_PAIRS = {"independent_rows": True}, {"versus": "m0"}, {"versus": None}
OF_FOLDS = FIVE | {"models": 2, "metrics": ["accuracy"], "datasets": {"d": {**FILE, "groups": "g"}}}
OF_ONE_FIT = (
    "looks at the rows of a single fit of each model, and a and b have several training runs"
)
BY_MARGIN = run("metric_equivalence", margin=2.5)

# an experiment, and the tests that are planned for it, or these with their metrics
PLANNED = [
    (HELD_OUT | {"models": 2}, ["mcnemar", "metric_difference"]),
    (HELD_OUT, ["cochran_q", "metric_difference"]),
    (BOTH, ["cv5x2_z", REPEATED, "cochran_q", "metric_difference"]),
    ({"models": 2, "resampling": {"cv_5x2": {}, "kfold": {}}}, ["cv5x2_z", "corrected_kfold_t"]),
    (FIVE | {"models": 2, "datasets": 5}, ["cv5x2_z", REPEATED]),
    (BOTH | {"models": 2, "datasets": 6}, ["wilcoxon_signed_rank"]),
    (FIVE | {"datasets": 6}, ["friedman"]),
    (FIVE | {"models": 1}, []),
    # one-sided questions get tests with sides
    (BOTH | {"metrics": ONE, "tests": {"alternative": "greater"}}, ["cv5x2_z", "cochran_q"]),
    # tests can be named beside the recommended ones
    (FIVE | run("recommended", "cv5x2_f"), {"cv5x2_z": ONE, REPEATED: REST, "cv5x2_f": THREE}),
    (FIVE | run("cv5x2_f", "recommended"), {"cv5x2_f": THREE, "cv5x2_z": ONE, REPEATED: REST}),
    (FIVE | run("recommended", REPEATED), {"cv5x2_z": ONE, REPEATED: THREE}),
    (FIVE | {"datasets": 3} | run("recommended", "nemenyi"), ["cv5x2_z", REPEATED, "nemenyi"]),
    # tests on rows follow the metrics
    (by("cost", "accuracy"), {"cost_sensitive": ["cost"], "mcnemar": ONE}),
    (by("accuracy", "roc_auc"), {"mcnemar": ONE, "delong": ["roc_auc"]}),
    (by("f1", "error", "mcc"), {"metric_difference": ["f1", "mcc"], "mcnemar": ONE}),
    (by("error", "accuracy"), {"mcnemar": ONE}),
    (by("expected_cost"), {"metric_difference": ["expected_cost"]}),
    (
        HELD_OUT | {"tests": {"options": {"metric_difference": {"metrics": ONE}}}},
        {"cochran_q": ONE, "metric_difference": ONE},
    ),
    # a value in a unit is for the first metric
    (run("bayes_correlated_t", "cv5x2_f", rope=0.1), {"bayes_correlated_t": ONE, "cv5x2_f": THREE}),
    # one test may compare all pairs where others have a control
    (
        {"datasets": 2, **run("nemenyi", "friedman", **VERSUS, options={"nemenyi": ALL_PAIRS})},
        ["nemenyi", "friedman"],
    ),
    # forward chaining is no cross-validation
    (KFOLD_IN_TIME, [REPEATED]),
    # tests that know no groups or times give way
    (of_rows(groups="patient"), ["mcnemar"]),
    (of_rows(runs="run") | run("mcnemar", "proportion_difference"), ["mcnemar"]),
    (of_rows(time="day") | run("mcnemar"), ["diebold_mariano"]),
    (of_rows(time="day") | run("proportion_difference"), ["diebold_mariano"]),
    (of_rows() | run("mcnemar"), ["mcnemar"]),
    (of_rows(groups="patient") | asked("mcnemar", **PLAIN), ["mcnemar"]),
    (of_rows(time="day") | asked("binomial_test", variant="rao_scott"), ["binomial_test"]),
    (of_rows() | asked("binomial_test", variant="exact"), ["binomial_test"]),
    (OF_FOLDS, [REPEATED]),
    (OF_FOLDS | asked("cv5x2_z", **PLAIN), ["cv5x2_z"]),
    (OF_FOLDS | asked("cv5x2_mcnemar", **PLAIN), ["cv5x2_mcnemar"]),
    # with several runs tests of recipes, and none of single fits
    *(
        (of_runs(net=NET, other=other), ["recipe_difference"])
        for other in (FOREST, BAYES, SINGLE, {**SINGLE, "deterministic": True})
    ),
    (of_runs(bayes=BAYES, forest=SINGLE), ["mcnemar"]),
    (of_runs(net=NET, forest=FOREST) | {"datasets": IN_TIME}, []),
    (of_runs(net=NET, forest=FOREST) | BOTH, {REPEATED: ONE, "recipe_difference": ONE}),
    # numbers in time are compared by a long-run variance
    (
        of_numbers("rmse", "mae", "median_absolute_error", time="age"),
        {"diebold_mariano_means": ["rmse", "mae"], "metric_difference": ["median_absolute_error"]},
    ),
    (of_numbers("rmse", "mae"), {"metric_difference": ["rmse", "mae"]}),
    (of_numbers("rmse", "r2"), {"metric_difference": ["rmse"]}),  # equal by one, equal by both
    (of_numbers("rmse", "r2", "mae") | run("mean_difference"), {"mean_difference": ["mae"]}),
    (of_numbers("rmse", "r2") | BY_MARGIN, {"metric_equivalence": ["rmse"]}),
]


@pytest.mark.parametrize(("facts", "expected"), PLANNED)
def test_planned(facts, expected):
    tests = plan(**facts)
    if isinstance(expected, dict):
        assert {test.name: test.metrics for test in tests} == {
            name: tuple(metrics) for name, metrics in expected.items()
        }
    assert [test.name for test in tests] == list(expected)


FOLDS = {"cv_5x2": "five replications", "kfold": "10 folds"}
FOLDS |= {"resampled": "random divisions", "halves": "random halves"}


@pytest.mark.parametrize("related", [{}, {"groups": "g"}], ids=["independent", "groups"])
@pytest.mark.parametrize(
    "plans", [names for n in (1, 2, 3) for names in itertools.combinations(FOLDS, n)], ids="+".join
)
def test_recommended_test_runs_on_the_plan_that_its_reason_names(plans, related):
    resampling = {name: {"folds": 10} if name == "kfold" else {} for name in plans}
    facts = {"datasets": {"d": {**FILE, **related}}, "metrics": ["accuracy", "f1"]}
    tests = plan(resampling=resampling, **facts)
    assert tests
    for test in tests:
        named = {plan for plan, words in FOLDS.items() if words in test.why.lower()}
        assert named == {test.plan}, test.why


def test_a_plan_among_the_options_is_the_reason():
    options = {"corrected_resampled_t": {"plan": "kfold"}}
    tests = plan(resampling={"kfold": {}, "resampled": {}}, tests={"options": options})
    test = tests.by_name["corrected_resampled_t"]
    assert (test.plan, "random divisions" in test.why) == ("kfold", False)
    assert "tests.options.corrected_resampled_t.plan" in test.why


def test_the_list_of_tests_says_how_and_why():
    tests = {"correction": "holm", "versus": "m1"}
    listed, by_metric = described(plan(**HELD_OUT, tests=tests))
    assert by_metric["metrics"] == ["log_loss", "mcc"]
    assert listed["test"] == "cochran_q"
    assert "comparisons of m1 with each other model, corrected by holm" in listed["why"]
    assert listed["posthoc"]["correction"] == "holm"
    assert listed["posthoc"]["versus"] == "m1"


@pytest.mark.parametrize("related", [False, True])
def test_default_corrections_are_those_that_the_documentation_names(related):
    always = {Evidence.DATASETS, Evidence.RUNS}
    by_margin, in_time = {"noninferiority", "metric_equivalence"}, "diebold_mariano"
    for name, entry in catalogue().items():
        stepwise = entry.evidence in always or name in by_margin or name.startswith(in_time)
        stepwise |= related and entry.evidence.on_rows
        wanted = "holm" if stepwise else "bonferroni"
        if name in ("metric_difference", "mean_difference"):
            wanted = "max-t"
        found = planned(entry, HypothesisTests(), related=related).correction
        assert found == (wanted if corrects(entry) else None), name


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_a_test_without_its_plan_names_one(name):
    entry = catalogue()[name]
    others = [p for p in ("holdout", "cv_5x2", "kfold", "resampled") if p not in entry.plans]
    if not others:
        found = problems(**run(name))
        assert f"tests.run[0]: {name} compares models over several data sets, found one" in found
        return
    found = problems(resampling={others[0]: {}}, **run(name))
    assert f"tests.run[0]: {name} needs the plan `{entry.plans[0]}`" in found


FAILED, EXAT = {"missing_cells": "failed"}, {"mcnemar": {"variant": "exat"}}
RELATED = of_rows(groups="ward")
RETRAINED = of_runs(a=NET, b=NET)
# what is told, and the experiment
REFUSED = [
    ("tests.run[1]: mcnemar appears twice", run("mcnemar", "mcnemar")),
    ("friedman … 3 models at least, found 2", {"models": 2, "datasets": 8} | run("friedman")),
    ("quade looks at … ranks a failure last", {"datasets": 8} | run("quade", **FAILED)),
    ("use `conover_friedman`, `friedman`,", {"models": 2, "datasets": 8, "tests": FAILED}),
    ("is for one cross-validation: `kfold` has repeats", REPEATS | run("corrected_kfold_t")),
    ("with `time:` the training sets grow", KFOLD_IN_TIME | run("corrected_kfold_t")),
    ("compares several metrics at once, found one", {"metrics": ["accuracy"]} | run("manova")),
    ("cannot take accuracy and error", {"metrics": ["accuracy", "error"]} | run("manova")),
    ("manova of 3 metrics needs 4 folds at least, found 3", THIRDS | run("manova")),
    ("cost_sensitive needs `costs:`; if every error costs 1 use mcnemar", run("cost_sensitive")),
    ("tests.margin: tost_paired needs it", run("tost_paired")),
    ("tests.options.one_sample_t.mu0: one_sample_t needs it", run("one_sample_t")),
    ("cv5x2_f.metrics[1]: mcc appears twice", asked("cv5x2_f", metrics=["mcc", "mcc"])),
    ("found 'mcc', expected a list of metrics", asked("cv5x2_f", metrics="mcc")),
    ("tests.versus: unknown model 'bb'", {"tests": {"versus": "bb"}}),
    ("delong does not run (the tests are mcnemar)", run("mcnemar", options={"delong": {}})),
    ("options.mcnemer: … did you mean 'mcnemar'?", {"tests": {"options": {"mcnemer": {}}}}),
    ("mcnemar.varient: … did you mean 'variant'?", asked("mcnemar", varient=1)),
    ("binomial_test.p0: found 'half', must be a number", asked("binomial_test", p0="half")),
    ("mcnemar.alpha: found 5, must lie strictly between 0 and 1", asked("mcnemar", alpha=5)),
    ("it follows from `alpha` and the corr", asked("mcnemar", confidence_level=0.9)),
    ("mcnemar is about accuracy and no other", asked("mcnemar", metrics=["mcc"])),
    ("metrics[0]: unknown metric 'f1_macro'", asked("cv5x2_f", metrics=["f1_macro"])),
    ("cv5x2_f.plan: cv5x2_f is not valid on `holdout`", asked("cv5x2_f", plan="holdout")),
    ("mcnemar.correction: … did you mean 'holm'?", asked("mcnemar", correction="holms")),
    ("correction: unknown option", asked("bayes_correlated_t", correction="holm")),
    ("found 1, must be below 1: accuracy lies between 0", asked("metric_equivalence", margin=1)),
    ("mcnemar.variant: … did you mean 'exact'?", run("cochran_q", options=EXAT)),
    ("set `options: {nemenyi: {versus: null}}`", {"datasets": 8} | run("nemenyi", **VERSUS)),
    ("alternative: cv5x2_f is two-sided only", run("cv5x2_f", "mcnemar", alternative="greater")),
    ("none of the tests that run takes it", run("mcnemar", missing_cells="drop_dataset")),
    ("for two-sided tests of all pairs", run("mcnemar", correction="shaffer", versus="m0")),
    ("another hypothesis; use 'holm'", run("tost_paired", correction="shaffer", margin=0.1)),
    ("mcnemar tests each pair by itself; use 'holm'", run("mcnemar", correction="max-t")),
    ("tests.margin: tost_paired: found 1.5, must be below 1", run("tost_paired", margin=1.5)),
    # forms for rows that belong together
    ("which is for independent rows", RELATED | asked("mcnemar", variant="exact")),
    ("(the tests are diebold_mariano)", of_rows(time="day") | asked("mcnemar", variant="exact")),
    ("nothing to assume", of_rows() | asked("mcnemar", **PLAIN)),
    ("must be true or false", RELATED | asked("mcnemar", independent_rows="yes")),
    ("`groups:` of the data set", RELATED | asked("mcnemar", groups="ward")),
    ("which is for rows in groups; all", of_rows() | asked("binomial_test", variant="rao_scott")),
    *(
        (f"{name} counts rows one by one, d has `groups: g`: use a test of", OF_FOLDS | run(name))
        for name in ("cv5x2_z", "cv5x2_mcnemar")
    ),
    # training runs
    ("several seeds, and no model has", of_runs(a=BAYES, b=BAYES) | run("recipe_difference")),
    ("hold its level there", RETRAINED | run("recipe_difference") | {"datasets": IN_TIME}),
    (f"mcnemar {OF_ONE_FIT}: use recipe_difference or set `seeds: 1`", RETRAINED | run("mcnemar")),
    (f"cv5x2_mcnemar {OF_ONE_FIT}: use {REPEATED}", RETRAINED | FIVE | run("cv5x2_mcnemar")),
    # numbers
    ("for `rmse` and `r2`; add one of mae", of_numbers("rmse", "r2") | run("mean_difference")),
    ("takes rows in the order of time as 8 blocks", of_numbers("rmse", time="age") | BY_MARGIN),
]


@pytest.mark.parametrize(("message", "facts"), REFUSED)
def test_refused(message, facts):
    hold(problems(**facts), message)


def test_the_message_shown_is_the_one_given():
    page = Path(__file__).parents[3] / "docs/choosing-tests.md"
    told = problems(**REPEATS, **run("corrected_kfold_t"))
    assert told in re.sub(r"\s+", " ", page.read_text(encoding="utf-8"))


MATRIX = {"classes": ["malignant", "benign"], "matrix": [[0, 5], [1, 0]]}
# a case of the table, and an experiment that it is about
OFFERS = {
    "right rows": ROWS,
    "areas": HELD_OUT | {"metrics": ["roc_auc"]},
    "costs": HELD_OUT | {"metrics": ["cost"], "costs": MATRIX},
    "metric": HELD_OUT | {"metrics": ["mcc"]},
    "losses in time": of_numbers("mae", time="age") | {"models": dict.fromkeys("abc", REGRESSOR)},
    "runs": ROWS | {"models": dict.fromkeys("abc", FOREST)},
    "rows of cv_5x2": FIVE | {"metrics": ["accuracy"]},
    "cv_5x2": FIVE | {"metrics": ["log_loss"]},
    "halves": {"resampling": {"halves": {}, "kfold": {}}},
    "kfold": KFOLD,
    "repeated kfold": REPEATS,
    "resampled": {"resampling": {"resampled": {}}},
    "data sets": {"datasets": 60},
}
ELSEWHERE = {"values", "runs of values", "few data sets"}
"""Cases of given values and scores, whose files tests of `bakeoff compare` write."""


def test_every_case_is_tried():
    assert set(CASES) == {*OFFERS, *ELSEWHERE}


@pytest.mark.parametrize("models", [2, 3])
@pytest.mark.parametrize("case", OFFERS)
def test_what_the_table_says_is_recommended(case, models):
    facts = {"datasets": CANCER} | OFFERS[case]
    every = facts.get("models", dict.fromkeys("abc", BAYES))
    facts["models"] = dict(list(every.items())[:models])
    (one,) = recommended(experiment(**facts))
    assert one.name == CASES[case].test(models)
    for more in ({}, run("recommended", one.name)):
        assert [test.name for test in plan(**facts, **more)] == [one.name]

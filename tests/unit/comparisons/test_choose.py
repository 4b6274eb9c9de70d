"""What is recommended and why; what an experiment cannot feed is refused, and says what would."""

import copy
import itertools

import pytest

from bakeoff.comparisons import check_classes, described, plan_tests
from bakeoff.comparisons.settings import corrects, planned
from bakeoff.spec import load_experiment
from bakeoff.spec.tests import HypothesisTests
from bakeoff.stats import Evidence, catalogue

BASE = {
    "experiment": "e",
    "datasets": {"iris": {"source": "sklearn", "name": "iris"}},
    "models": {m: {"estimator": "sklearn.dummy.DummyClassifier"} for m in ("a", "b", "c")},
    "resampling": {"cv_5x2": {}, "kfold": {"folds": 10}, "resampled": {}, "holdout": {}},
    "metrics": ["accuracy", "log_loss", "mcc"],
}


def experiment(*, models=3, datasets=1, **changes):
    config = copy.deepcopy(BASE) | changes
    config["models"] = dict(list(config["models"].items())[:models])
    config["datasets"] = {f"d{i}": {"source": "sklearn", "name": "iris"} for i in range(datasets)}
    return load_experiment(config)


def chosen(**facts):
    """Return the plan of each chosen test."""
    problems, tests = plan_tests(experiment(**facts))
    assert problems == []
    return {test.name: test.plan for test in tests}


def problems(**facts):
    return "\n".join(map(str, plan_tests(experiment(**facts))[0]))


@pytest.mark.parametrize(
    ("models", "datasets", "plans", "expected"),
    [
        (2, 1, {"holdout": {}}, ["mcnemar", "metric_difference"]),
        (3, 1, {"holdout": {}}, ["cochran_q", "metric_difference"]),
        (
            3,
            1,
            {"cv_5x2": {}, "holdout": {}},
            ["cv5x2_z", "corrected_repeated_kfold_t", "cochran_q", "metric_difference"],
        ),
        (2, 1, {"cv_5x2": {}, "kfold": {}}, ["cv5x2_z", "corrected_kfold_t"]),
        (2, 5, {"cv_5x2": {}}, ["cv5x2_z", "corrected_repeated_kfold_t"]),
        (2, 6, {"cv_5x2": {}, "holdout": {}}, ["wilcoxon_signed_rank"]),
        (3, 6, {"cv_5x2": {}}, ["friedman"]),
        (1, 1, {"cv_5x2": {}}, []),
    ],
)
def test_recommended(models, datasets, plans, expected):
    assert list(chosen(models=models, datasets=datasets, resampling=plans)) == expected


def test_one_sided_questions_get_tests_with_sides():
    facts = {"resampling": {"cv_5x2": {}, "holdout": {}}, "metrics": ["accuracy"]}
    assert list(chosen(tests={"alternative": "greater"}, **facts)) == ["cv5x2_z", "cochran_q"]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (["recommended", "cv5x2_f"], {"cv5x2_z": 1, "cv5x2_f": 3}),
        (["cv5x2_f", "recommended"], {"cv5x2_f": 3, "cv5x2_z": 1}),
        (["recommended", "corrected_repeated_kfold_t"], {"corrected_repeated_kfold_t": 3}),
        (["recommended", "friedman_posthoc"], {"friedman_posthoc": 3}),
    ],
)
def test_tests_can_be_named_beside_the_recommended_ones(run, expected):
    datasets = 3 if "friedman_posthoc" in run else 1
    _, tests = plan_tests(
        experiment(datasets=datasets, resampling={"cv_5x2": {}}, tests={"run": run})
    )
    found = {test.name: len(test.metrics) for test in tests}
    assert found.items() >= expected.items()
    assert [name for name in found if name in expected] == list(expected)
    assert "cv5x2_z" in found


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        (["cost", "accuracy"], {"cost_sensitive": ("cost",), "mcnemar": ("accuracy",)}),
        (["accuracy", "roc_auc"], {"mcnemar": ("accuracy",), "delong": ("roc_auc",)}),
        (["f1", "error", "mcc"], {"metric_difference": ("f1", "mcc"), "mcnemar": ("accuracy",)}),
        (["error", "accuracy"], {"mcnemar": ("accuracy",)}),
        (["expected_cost"], {"metric_difference": ("expected_cost",)}),
    ],
)
def test_recommended_tests_on_rows_follow_the_metrics(metrics, expected):
    costs = {"classes": ["a", "b"], "matrix": [[0, 1], [5, 0]], "priors": [0.9, 0.1]}
    facts = {"metrics": metrics, "costs": costs, "resampling": {"holdout": {}}}
    problems, tests = plan_tests(experiment(models=2, **facts))
    assert problems == []
    assert {test.name: test.metrics for test in tests} == expected


def test_metrics_among_the_options_are_those_of_the_test():
    options = {"metric_difference": {"metrics": ["accuracy"]}}
    facts = {"resampling": {"holdout": {}}, "tests": {"options": options}}
    _, (_, test) = plan_tests(experiment(models=2, **facts))
    assert (test.name, test.metrics) == ("metric_difference", ("accuracy",))


FOLDS = {"cv_5x2": "five replications", "kfold": "10 folds"}
FOLDS |= {"resampled": "random divisions", "halves": "random halves"}


@pytest.mark.parametrize("related", [{}, {"groups": "g"}], ids=["independent", "groups"])
@pytest.mark.parametrize(
    "plans", [names for n in (1, 2, 3) for names in itertools.combinations(FOLDS, n)], ids="+".join
)
def test_recommended_test_runs_on_the_plan_that_its_reason_names(plans, related):
    data = {"source": "file", "path": "x.csv", "target": "y", "positive": "1", **related}
    resampling = {name: {"folds": 10} if name == "kfold" else {} for name in plans}
    changes = {"datasets": {"d": data}, "resampling": resampling, "metrics": ["accuracy", "f1"]}
    problems, tests = plan_tests(load_experiment(copy.deepcopy(BASE) | changes))
    assert problems == []
    assert tests
    for test in tests:
        named = {plan for plan, words in FOLDS.items() if words in test.why.lower()}
        assert named == {test.plan}, test.why


def test_a_plan_among_the_options_is_the_reason():
    options = {"corrected_resampled_t": {"plan": "kfold"}}
    config = {"resampling": {"kfold": {}, "resampled": {}}, "tests": {"options": options}}
    _, tests = plan_tests(experiment(**config))
    (test,) = (test for test in tests if test.name == "corrected_resampled_t")
    assert test.plan == "kfold"
    assert "random divisions" not in test.why
    assert "tests.options.corrected_resampled_t.plan" in test.why


def test_forward_chaining_is_no_cross_validation():
    timed = {"source": "file", "path": "x.csv", "target": "y", "time": "t"}
    config = copy.deepcopy(BASE) | {"datasets": {"d": timed}, "resampling": {"kfold": {}}}
    _, tests = plan_tests(load_experiment(config))
    assert [test.name for test in tests] == ["corrected_repeated_kfold_t"]
    config["tests"] = {"run": ["corrected_kfold_t"]}
    (problem,), _ = plan_tests(load_experiment(config))
    assert "with `time:` the training sets grow" in str(problem)


def test_the_list_of_tests_says_how_and_why():
    e = experiment(resampling={"holdout": {}}, tests={"correction": "holm", "versus": "b"})
    listed, by_metric = described(plan_tests(e)[1])
    assert by_metric["metrics"] == ["log_loss", "mcc"]
    assert listed["test"] == "cochran_q"
    assert "comparisons of b with each other model, corrected by holm" in listed["why"]
    assert listed["posthoc"]["correction"] == "holm"
    assert listed["posthoc"]["versus"] == "b"


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
    tests = {"run": [name]}
    if not others:
        found = problems(datasets=1, tests=tests)
        assert f"tests.run[0]: {name} compares models over several data sets, found one" in found
        return
    found = problems(resampling={others[0]: {}}, tests=tests)
    assert f"tests.run[0]: {name} needs the plan `{entry.plans[0]}`" in found


def asked(name, **options):
    """Return an experiment's `tests:` that run one test, with options if there are any."""
    return {"tests": {"run": [name], "options": {name: options} if options else {}}}


KFOLD = {"kfold": {"folds": 3}}
REFUSED = {
    "tests.run[1]: mcnemar appears twice": {"tests": {"run": ["mcnemar", "mcnemar"]}},
    "friedman compares 3 models at least, found 2; `recommended` chooses tests that fit": {
        "models": 2,
        "datasets": 8,
        "tests": {"run": ["friedman"]},
    },
    "quade looks at the size of scores, and `missing_cells: failed` ranks a failure last": {
        "datasets": 8,
        "tests": {"run": ["quade"], "missing_cells": "failed"},
    },
    "and gives it none; use `conover_friedman`, `friedman`,": {
        "models": 2,
        "datasets": 8,
        "tests": {"missing_cells": "failed"},
    },
    "corrected_kfold_t is for one cross-validation: `kfold` has repeats": {
        "resampling": {"kfold": {"repeats": 2}},
        "tests": {"run": ["corrected_kfold_t"]},
    },
    "compares several metrics at once, found one": {
        "metrics": ["accuracy"],
        "tests": {"run": ["manova"]},
    },
    "manova cannot take accuracy and error together": {
        "metrics": ["accuracy", "error"],
        "tests": {"run": ["manova"]},
    },
    "manova of 3 metrics needs 4 folds at least, found 3": {
        "resampling": KFOLD,
        "tests": {"run": ["manova"]},
    },
    "cost_sensitive needs `costs:`; if every error costs 1 use mcnemar": asked("cost_sensitive"),
    "tests.margin: tost_paired needs it": asked("tost_paired"),
    "tests.options.one_sample_t.mu0: one_sample_t needs it": asked("one_sample_t"),
    "cv5x2_f.metrics[1]: mcc appears twice": asked("cv5x2_f", metrics=["mcc", "mcc"]),
    "found 'mcc', expected a list of metrics": asked("cv5x2_f", metrics="mcc"),
    "tests.versus: unknown model 'bb'": {"tests": {"versus": "bb"}},
    "tests.options.delong: delong does not run (the tests are mcnemar)": {
        "tests": {"run": ["mcnemar"], "options": {"delong": {"alpha": 0.1}}}
    },
    "tests.options.mcnemer: unknown test 'mcnemer'; did you mean 'mcnemar'?": {
        "tests": {"options": {"mcnemer": {}}}
    },
    "tests.options.mcnemar.varient: unknown option 'varient'; did you mean 'variant'?": asked(
        "mcnemar", varient="exact"
    ),
    "tests.options.binomial_test.p0: found 'half', must be a number": asked(
        "binomial_test", p0="half"
    ),
    "tests.options.mcnemar.alpha: found 5, must lie strictly between 0 and 1": asked(
        "mcnemar", alpha=5
    ),
    "confidence_level: is not set here: it follows from `alpha` and the correction": asked(
        "mcnemar", confidence_level=0.9
    ),
    "tests.options.mcnemar.metrics: mcnemar is about accuracy and no other metric": asked(
        "mcnemar", metrics=["mcc"]
    ),
    "tests.options.cv5x2_f.metrics[0]: unknown metric 'f1_macro'": asked(
        "cv5x2_f", metrics=["f1_macro"]
    ),
    "tests.options.cv5x2_f.plan: cv5x2_f is not valid on `holdout`": asked(
        "cv5x2_f", plan="holdout"
    ),
    "tests.versus: nemenyi compares all pairs: set `options: {nemenyi: {versus: null}}`": {
        "datasets": 8,
        "tests": {"run": ["nemenyi", "friedman"], "versus": "a"},
    },
    "tests.alternative: cv5x2_f is two-sided only": {
        "tests": {"run": ["cv5x2_f", "mcnemar"], "alternative": "greater"}
    },
    "tests.missing_cells: none of the tests that run takes it": {
        "tests": {"run": ["mcnemar"], "missing_cells": "drop_dataset"}
    },
    "tests.correction: mcnemar: 'shaffer' is for two-sided tests of all pairs": {
        "tests": {"run": ["mcnemar"], "correction": "shaffer", "versus": "a"}
    },
    "tost_paired tests another hypothesis; use 'holm'": {
        "tests": {"run": ["tost_paired"], "correction": "shaffer", "margin": 0.1}
    },
    "options of a single pair, mcnemar tests each pair by itself; use 'holm'": {
        "tests": {"run": ["mcnemar"], "correction": "max-t"}
    },
    "tests.options.mcnemar.correction: unknown correction 'holms'; did you mean 'holm'?": asked(
        "mcnemar", correction="holms"
    ),
    "tests.options.bayes_correlated_t.correction: unknown option 'correction'": asked(
        "bayes_correlated_t", correction="holm"
    ),
    "tests.margin: tost_paired: found 1.5, must be below 1: accuracy lies between 0 and 1": {
        "tests": {"run": ["tost_paired"], "margin": 1.5}
    },
    "metric_equivalence.margin: found 1, must be below 1: accuracy lies between 0 and 1": asked(
        "metric_equivalence", margin=1
    ),
}


@pytest.mark.parametrize(("message", "facts"), REFUSED.items())
def test_refused(message, facts):
    assert message in problems(**facts)


def test_options_reach_the_post_hoc_test():
    tests = {"run": ["cochran_q"], "options": {"mcnemar": {"variant": "exat"}}}
    assert "tests.options.mcnemar.variant: unknown value 'exat'; did you mean 'exact'?" in problems(
        tests=tests
    )


def test_a_value_in_a_unit_is_for_the_first_metric():
    _, tests = plan_tests(experiment(tests={"run": ["bayes_correlated_t", "cv5x2_f"], "rope": 0.1}))
    found = {test.name: test.metrics for test in tests}
    assert found == {
        "bayes_correlated_t": ("accuracy",),
        "cv5x2_f": ("accuracy", "log_loss", "mcc"),
    }


def test_one_test_may_compare_all_pairs_where_others_have_a_control():
    tests = {
        "run": ["nemenyi", "friedman"],
        "versus": "a",
        "options": {"nemenyi": {"versus": None}},
    }
    assert problems(datasets=2, tests=tests) == ""


def test_classes_are_checked():
    costs = {"classes": ["setosa", "versicolour"], "matrix": [[0, 1], [1, 0]]}
    e = experiment(costs=costs, tests={"run": ["mcnemar", "delong"]})
    found = "\n".join(map(str, check_classes(e, "d0", ("setosa", "versicolor", "virginica"))))
    assert "tests.run[1]: delong is for two classes, d0 has 3" in found
    assert "costs.classes[1]: d0: unknown class 'versicolour'; did you mean 'versicolor'?" in found
    assert "costs.classes: the class 'versicolor' of d0 has no row and column" in found

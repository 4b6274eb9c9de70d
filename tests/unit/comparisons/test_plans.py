"""Experiments, and the tests that are planned for them or the problems that are told.

planned.txt holds both for many small experiments, each written with the names below. After a change
that is wanted, `python -m tests.unit.comparisons.test_plans` plans them anew.
"""

import itertools
import re
from pathlib import Path

import pytest

from bakeoff.comparisons.choose import CASES, recommended
from bakeoff.comparisons.plan_tests import described, notes, plan_tests
from bakeoff.comparisons.settings import corrects, planned
from bakeoff.spec.tests import HypothesisTests, PlannedTest
from bakeoff.stats import Evidence, catalogue
from tests.conftest import recorded
from tests.unit.comparisons.conftest import analysis


def plan(**facts):
    problems, tests = plan_tests(analysis(**facts))
    assert problems == []
    return tests


def problems(**facts):
    return "\n".join(map(str, plan_tests(analysis(**facts))[0]))


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
# no row has an influence on a metric that jumps when it is left out
JUMPS = of_numbers("median_absolute_error") | {"models": dict.fromkeys("abc", REGRESSOR)}
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

FAILED, EXAT = {"missing_cells": "failed"}, {"mcnemar": {"variant": "exat"}}
RELATED = of_rows(groups="ward")
RETRAINED = of_runs(a=NET, b=NET)
FILED = Path(__file__).with_name("planned.txt")
ANEW = "if this change is wanted: python -m tests.unit.comparisons.test_plans"


def planning(facts):
    """Yield the problems with an experiment, or the settings of each test that is planned."""
    spec = analysis(**eval(facts))
    found, tests = plan_tests(spec)
    # a list of names is cut after ten, and a new test of the catalogue is one more of the rest
    yield from (re.sub(r"and \d+ more", "and more", str(problem)) for problem in found)
    yield from (f"note: {note}" for note in notes(spec))
    for test in () if found else tests.by_name.values():
        usual, told = PlannedTest(name=test.name).to_dict(), test.to_dict()
        told["posthoc"] = told["posthoc"] and told["posthoc"]["test"]
        shown = [
            k for k in told if told[k] != usual[k] and k not in ("plan", "metrics", "evidence")
        ]
        yield f"{test.name} on {test.plan} by {', '.join(test.metrics)}"
        yield from (f"  {key}: {told[key]}" for key in shown)


RECORDED = recorded(FILED)
"""What is planned for experiments, line by line, and the comments between."""


@pytest.mark.parametrize("facts", [facts for facts in RECORDED if not facts.startswith("#")])
def test_planned_or_refused_as_recorded(facts):
    assert list(planning(facts)) == RECORDED[facts], ANEW


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
    tests = plan(
        **JUMPS | {"resampling": {"kfold": {}, "resampled": {}}}, tests={"options": options}
    )
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
        if "tasks" in entry.options or name in ("metric_difference", "mean_difference"):
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
    "rows of folds": FIVE | {"metrics": ["log_loss", "accuracy"]},
    "cv_5x2": JUMPS | FIVE,
    "halves": {"resampling": {"halves": {}, "kfold": {}}},
    "kfold": JUMPS | KFOLD,
    "repeated kfold": JUMPS | REPEATS,
    "resampled": JUMPS | {"resampling": {"resampled": {}}},
    "data sets, exact": {"datasets": 6},
    "data sets": {"datasets": 60},
}
ELSEWHERE = {
    "values",
    "runs of values",
    "few data sets",
    "few data sets, many models",
    "seeds",
    "tasks",
    "tasks of values",
}
"""Cases of given values and scores, whose files tests of `bakeoff compare` write."""


def test_every_case_is_tried():
    assert set(CASES) == {*OFFERS, *ELSEWHERE}


@pytest.mark.parametrize("models", [2, 3])
@pytest.mark.parametrize("case", OFFERS)
def test_what_the_table_says_is_recommended(case, models):
    facts = {"datasets": CANCER} | OFFERS[case]
    names = [CASES[case].test(models)]
    if models == 2 and CASES[case].beside:
        names.append(CASES[case].beside)
    every = facts.get("models", dict.fromkeys("abc", BAYES))
    facts["models"] = dict(list(every.items())[:models])
    assert [one.name for one in recommended(analysis(**facts))] == names
    for more in ({}, run("recommended", names[0])):
        assert [test.name for test in plan(**facts, **more)] == names


if __name__ == "__main__":
    anew = ("\n".join([one, *(() if one[0] == "#" else planning(one))]) for one in RECORDED)
    FILED.write_text("\n\n".join(anew) + "\n", encoding="utf-8")

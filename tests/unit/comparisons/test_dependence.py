import dataclasses

import numpy as np
import pandas as pd
import pytest

from bakeoff.comparisons import Context, run_test
from bakeoff.comparisons.evidence import FoldPredictions, PairedPredictions
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.comparisons.run_tests import run_planned
from bakeoff.comparisons.settings import planned
from bakeoff.errors import UserError
from bakeoff.spec import load_experiment
from bakeoff.stats import catalogue, mcnemar, tost_paired
from bakeoff.stats.core import registry


def experiment(tests=None, **columns):
    given = {"predictions": "p.csv", "columns": columns}
    return load_experiment(
        {
            "experiment": "wards",
            "datasets": {"rows": {"source": "given"}},
            "models": {"a": given, "b": given},
            "metrics": ["accuracy"],
            "tests": tests or {},
        }
    )


def run(name, rows, spec):
    """Run a test on rows under the settings of an experiment."""
    test = planned(catalogue()[name], spec.tests)
    return run_test(test, rows, Context("rows", "accuracy", True))


def names(tests=None, **columns):
    problems, chosen = plan_tests(experiment(tests, **columns))
    assert problems == []
    return [test.name for test in chosen]


def messages(tests, **columns):
    problems, _ = plan_tests(experiment(tests, **columns))
    return "\n".join(map(str, problems))


def evidence():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 10)
    tilt = rng.normal(size=12)[groups]
    right = np.stack([tilt + rng.normal(size=120) > -1, -tilt + rng.normal(size=120) > -1], axis=1)
    return PairedPredictions(
        ("a", "b"), ("no", "yes"), np.ones(120, int), right.astype(int), groups=groups
    )


def test_tests_that_know_no_groups_or_times_give_way():
    assert names(groups="patient") == ["mcnemar"]
    assert names({"run": ["mcnemar", "proportion_difference"]}, runs="run") == ["mcnemar"]
    assert names({"run": ["mcnemar"]}, time="day") == ["diebold_mariano"]
    assert names({"run": ["proportion_difference"]}, time="day") == ["diebold_mariano"]
    assert names({"run": ["mcnemar"]}) == ["mcnemar"]


def test_every_test_that_takes_rows_for_independent_has_a_form_for_related_ones():
    known = catalogue()
    for entry in known.values():
        if entry.evidence.on_rows and entry.knows_no_relation:
            groups = known[entry.better_test]
            time = known[groups.in_time]
            assert groups.evidence is time.evidence is entry.evidence
            assert "groups" in groups.options
            assert "time" in time.options


def test_a_test_of_rows_without_another_to_take_its_place_is_refused(monkeypatch):
    alone = dataclasses.replace(catalogue()["proportion_difference"], better_test="")
    monkeypatch.setitem(registry._entries, alone.name, alone)
    said = messages({"run": [alone.name]}, groups="ward")
    assert "counts rows one by one, rows has `groups: ward`: use a test that takes" in said
    options = {alone.name: {"independent_rows": True}}
    assert names({"run": [alone.name], "options": options}, groups="ward") == [alone.name]


def test_the_plain_form_is_kept_when_asked_for_by_name():
    tests = {"run": ["mcnemar"], "options": {"mcnemar": {"independent_rows": True}}}
    assert names(tests, groups="patient") == ["mcnemar"]
    (row,) = run("mcnemar", evidence(), experiment(tests))
    assert row.pvalue == mcnemar(*evidence().correct.T).pvalue
    assert row.result["independent_rows"] is True
    assumed = {one["name"]: one for one in row.result["assumptions"]}["independent rows"]
    assert assumed["holds"] is False
    assert "120 rows of 12 groups" in assumed["detail"]


@pytest.mark.parametrize(
    ("options", "columns", "said"),
    [
        ({"mcnemar": {"variant": "exact"}}, {"groups": "ward"}, "which is for independent rows"),
        ({"mcnemar": {"variant": "exact"}}, {"time": "day"}, "(the tests are diebold_mariano)"),
        ({"mcnemar": {"independent_rows": True}}, {}, "nothing to assume"),
        ({"mcnemar": {"independent_rows": "yes"}}, {"groups": "ward"}, "must be true or false"),
        ({"mcnemar": {"groups": "ward"}}, {"groups": "ward"}, "`groups:` of the data set"),
        (
            {"binomial_test": {"variant": "rao_scott"}},
            {},
            "'rao_scott', which is for rows in groups; allowed for independent",
        ),
        ({"binomial_test": {"variant": "rao_scott"}}, {"time": "day"}, ""),
        ({"binomial_test": {"variant": "exact"}}, {}, ""),
    ],
)
def test_options_that_cannot_be_followed_are_refused(options, columns, said):
    found = messages({"run": list(options), "options": options}, **columns)
    assert said in found if said else not found


def test_predictions_that_lost_their_groups_are_refused(tmp_path):
    rows = pd.DataFrame({"row_id": range(4), "y_true": list("abab"), "a": list("abba")})
    file = tmp_path / "rows.holdout.predictions.parquet"
    rows.assign(b=list("abab")).to_parquet(file)
    spec = experiment({"run": ["mcnemar"]}, groups="patient")
    (chosen,) = plan_tests(spec)[1]
    with pytest.raises(
        UserError, match=r"does not say which rows of rows belong together.*patient"
    ):
        run_planned(chosen, spec, {"rows": str(file)})


def test_tests_of_rows_of_all_folds_give_way_to_tests_of_fold_scores(tmp_path):
    content = {
        "experiment": "folds",
        "datasets": {"d": {"source": "file", "path": "d.csv", "target": "y", "groups": "patient"}},
        "models": {
            "a": {"estimator": "sklearn.naive_bayes.GaussianNB"},
            "b": {"estimator": "sklearn.dummy.DummyClassifier"},
        },
        "resampling": {"cv_5x2": {}},
        "metrics": ["accuracy"],
    }
    problems, (chosen,) = plan_tests(load_experiment(content))
    assert not problems
    assert chosen.name == "corrected_repeated_kfold_t"
    assert "rows in groups" in chosen.why
    for name in ("cv5x2_z", "cv5x2_mcnemar"):
        (problem,), _ = plan_tests(load_experiment(content | {"tests": {"run": [name]}}))
        assert f"{name} counts rows one by one, d has `groups: patient`" in str(problem)
        options = {name: {"independent_rows": True}}
        asked = load_experiment(content | {"tests": {"run": [name], "options": options}})
        problems, (chosen,) = plan_tests(asked)
        assert not problems
        assert chosen.name == name
    one = FoldPredictions(
        ("a", "b"),
        np.array([np.arange(40) // 2**r % 2 + 1 for r in range(5)]),
        np.arange(400).reshape(5, 40, 2) % 3 > 0,
    )
    (row,) = run("cv5x2_mcnemar", one, asked)
    assert row.n == one.n == 40
    assumed = {a["name"]: a["holds"] for a in row.result["assumptions"]}
    assert assumed["independent rows"] is False


def test_a_test_with_a_form_for_groups_keeps_its_name_and_says_its_form():
    labels = np.resize([0, 1], 120)
    rows = dataclasses.replace(evidence(), truth=labels)
    tests = {"run": ["tost_paired"], "margin": 0.1}
    problems, (chosen,) = plan_tests(experiment(tests, groups="patient"))
    assert not problems
    assert chosen.name == "tost_paired"
    assert "in its form for groups of rows: rows of one `patient`" in chosen.why
    (row,) = run("tost_paired", rows, experiment(tests))
    wanted = tost_paired(*rows.correct.T, margin=0.1, groups=rows.groups)
    assert (row.variant, row.pvalue) == ("score_effective", wanted.pvalue)
    asked = {**tests, "options": {"tost_paired": {"independent_rows": True}}}
    (row,) = run("tost_paired", rows, experiment(asked, groups="patient"))
    assert (row.variant, row.pvalue) == ("score", tost_paired(*rows.correct.T, margin=0.1).pvalue)
    assert row.result["independent_rows"] is True

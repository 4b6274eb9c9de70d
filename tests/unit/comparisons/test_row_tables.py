"""Every metric of single models on held-out rows with its interval, and pairs in subgroups."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

from bakeoff.comparisons.evidence import PairedPredictions, has_interval, has_test
from bakeoff.comparisons.row_tables import (
    INTERVALS,
    SUBGROUPS,
    alone,
    intervals_of,
    subgroups_of,
    tabulate,
)
from bakeoff.report.ranking import contenders
from bakeoff.scores import METRICS
from bakeoff.spec import Costs
from bakeoff.stats import binomial_test, metric_ci, metric_difference, metric_interaction
from bakeoff.stats.metrics.metric import Form
from tests.unit.comparisons.conftest import experiment
from tests.unit.report.studies import labelled

LEVEL = 0.95


def rows(metric, positives=80, n=200):
    rng = np.random.default_rng(1)
    truth = (np.arange(n) < positives).astype(int)
    score = truth * 1.5 + rng.normal(size=n)
    p = 1 / (1 + np.exp(-score))
    return PairedPredictions(
        ("a", "b"),
        ("no", "yes"),
        truth,
        np.stack([score > 0.7, score > 1.2], axis=1).astype(int),
        np.stack([p, np.full(n, np.nan)], axis=1),
        probabilities=np.stack([np.stack([1 - p, p], axis=1), np.full((n, 2), np.nan)], axis=1),
        metric=metric,
    )


@pytest.mark.parametrize("metric", ["f1", "roc_auc", "log_loss"])
def test_interval_is_that_of_the_engine(metric):
    data = rows(metric)
    said = {"f1": data.predicted[:, 0]}.get(metric, data.scores[:, 0])
    expected = metric_ci(data.truth, said, metric=metric)
    line, _ = intervals_of("d", data, None, LEVEL)
    assert line["estimate"] == pytest.approx(expected.estimate)
    assert line["se"] == pytest.approx(expected.details["se"])
    assert (line["ci_low"], line["ci_high"]) == pytest.approx(tuple(expected.ci))
    assert (line["status"], line["note"]) == ("ok", "")


@pytest.mark.parametrize("metric", ["accuracy", "error"])
def test_shares_of_rows_have_wilsons_interval(metric):
    data = rows(metric)
    right = data.correct[:, 0] if metric == "accuracy" else ~data.correct[:, 0]
    found = alone(data, 0, None, LEVEL)
    assert tuple(found.ci) == pytest.approx(tuple(binomial_test(right).ci))
    assert found.details["se"] > 0
    grouped = alone(dataclasses.replace(data, groups=np.arange(200) // 10), 0, None, LEVEL)
    assert grouped.ci.method == "wilson_effective"


@pytest.mark.parametrize("metric", ["recall", "log_loss", "roc_auc"])
def test_metric_that_says_nothing_of_its_influence_values_has_an_interval(metric, monkeypatch):
    new = dataclasses.replace(METRICS[metric], name="new", form=Form.LEFT_OUT)
    monkeypatch.setitem(METRICS, "new", new)
    assert has_interval("new")
    assert has_test("new")
    known, left_out = (next(intervals_of("d", rows(m), None, LEVEL)) for m in (metric, "new"))
    assert left_out["estimate"] == pytest.approx(known["estimate"])
    data = rows(metric)
    said = data.predicted[:, 0] if metric == "recall" else data.scores[:, 0]
    plain = metric_ci(data.truth, said, metric=metric).details["se_plain"]
    assert left_out["se"] == pytest.approx(plain, rel=0.02)  # without pseudo-rows
    assert left_out["ci_low"] < left_out["estimate"] < left_out["ci_high"]
    monkeypatch.setitem(METRICS, "new", dataclasses.replace(new, smooth=False))
    assert has_interval("new")
    assert not has_test("new")


def test_model_without_what_the_metric_wants_has_a_reason_and_no_number():
    _, line = intervals_of("d", rows("log_loss"), None, LEVEL)
    assert line["status"] == "undefined_metric"
    assert line["note"] == "b give(s) no probabilities"
    table = tabulate([line], INTERVALS)
    assert math.isnan(table["estimate"][0])


@pytest.mark.parametrize(("positives", "status"), [(3, "too_few"), (12, "ok"), (80, "ok")])
def test_too_few_rows_of_a_class_are_told(positives, status):
    line, _ = intervals_of("d", rows("f1", positives), None, LEVEL)
    assert line["status"] == status
    assert math.isnan(line["ci_low"]) == (status == "too_few")
    assert bool(line["note"]) == (positives < 20)
    assert line["estimate"] > 0


def test_expected_cost_goes_by_the_priors():
    costs = Costs(classes=["yes", "no"], matrix=[[0, 5], [1, 0]], priors=[1, 9])
    data = rows("expected_cost")
    line, _ = intervals_of("d", data, costs, LEVEL)
    missed = (data.predicted[:, 0] == 0)[data.truth == 1].mean()
    alarms = (data.predicted[:, 0] == 1)[data.truth == 0].mean()
    assert line["estimate"] == pytest.approx(0.1 * 5 * missed + 0.9 * alarms)
    assert line["ci_low"] < line["estimate"] < line["ci_high"]


def test_the_interval_of_an_accuracy_tells_nothing_of_a_test_against_one_half():
    right = np.arange(21) < 15  # exact p .078, and Wilson's interval lies above .5
    data = labelled(["a"], np.ones(21), [right.astype(float)])
    (line,) = intervals_of("d", dataclasses.replace(data, metric="accuracy"), None, LEVEL)
    assert line["ci_low"] > 0.5
    assert line["note"] == ""


def test_intervals_of_numbers_end_where_numbers_end():
    numbers = np.array([[1.0, 0.0]] * 9 + [[0.4, 0.5]])
    data = PairedPredictions.from_values(("a", "b"), numbers, metric="marks", range=(0.0, 1.0))
    a, b = intervals_of("d", data, None, LEVEL)
    assert (a["ci_high"], b["ci_low"]) == (1.0, 0.0)
    found = contenders(data, None, 0.05, 1)
    assert found.models[0].ci.high == 1.0


N = 600


def lines_of(data, **tests):
    models = {m: {"estimator": "sklearn.naive_bayes.GaussianNB"} for m in "abc"}
    return subgroups_of("d0", data, experiment(models, tests=tests))


def parted(metric="f1", effect=1.0, models=("a", "b")):
    """Return models of which the first is better in subgroup f alone."""
    rng = np.random.default_rng(0)
    truth, sex = rng.integers(0, 2, N), rng.choice(["f", "m"], N)
    right = np.stack([rng.random(N) < 0.7 for _ in models], axis=1)
    right[:, 0] |= (sex == "f") & (rng.random(N) < effect)
    predicted = np.where(right, truth[:, None], 1 - truth[:, None])
    site = pd.Categorical(rng.choice(["n", "s", "w"], N), ["w", "n", "s", "(missing)"])
    return PairedPredictions(
        models,
        ("no", "yes"),
        truth,
        predicted,
        metric=metric,
        subgroups={"sex": pd.Categorical(sex), "site": site},
    )


def test_lines_are_the_interaction_and_the_difference_in_each_subgroup():
    data = parted()
    lines = lines_of(data)
    assert [(x["column"], x["role"], x["subgroup"]) for x in lines] == [
        ("sex", "interaction", ""), ("sex", "subgroup", "f"), ("sex", "subgroup", "m"),
        ("site", "interaction", ""), ("site", "subgroup", "w"), ("site", "subgroup", "n"),
        ("site", "subgroup", "s"),
    ]  # fmt: skip
    assert set().union(*lines) <= set(SUBGROUPS)
    sex = np.asarray(data.subgroups["sex"])
    whole = metric_interaction(data.truth, *data.predicted.T, sex, metric="f1")
    assert lines[0]["pvalue"] == pytest.approx(whole.pvalue)
    at = sex == "m"
    alone = metric_difference(data.truth[at], *data.predicted[at].T, metric="f1")
    assert lines[2]["estimate"] == pytest.approx(alone.estimate)
    assert lines[2]["pvalue"] == pytest.approx(alone.pvalue)


def test_pvalues_are_adjusted_over_columns_and_over_subgroups():
    lines = lines_of(parted(models=("a", "b", "c")))
    sizes = {(x["column"], x["role"]): x["family_size"] for x in lines}
    assert sizes == {
        ("sex", "interaction"): 6, ("site", "interaction"): 6,
        ("sex", "subgroup"): 6, ("site", "subgroup"): 9,
    }  # fmt: skip
    assert all(x["pvalue_adjusted"] >= x["pvalue"] for x in lines)
    first = lines[0]
    assert (first["decision"], lines[1]["decision"]) == ("different", "a_better")
    assert first["pvalue_adjusted"] == pytest.approx(6 * first["pvalue"])
    of_b = lines_of(parted(models=("a", "b", "c")), versus="b")
    assert {(x["model_a"], x["model_b"]) for x in of_b} == {("b", "a"), ("b", "c")}


def test_subgroup_with_too_few_rows_has_a_status_and_no_pvalue():
    data = parted()
    small = np.where(np.arange(N) < 4, "rare", np.asarray(data.subgroups["sex"]))
    lines = lines_of(dataclasses.replace(data, subgroups={"sex": pd.Categorical(small)}))
    rare = next(x for x in lines if x["subgroup"] == "rare")
    assert (rare["n"], rare["decision"]) == (4, "undecided")
    assert rare["status"] in ("too_few", "undefined")
    assert np.isnan(rare["pvalue"])
    assert lines[0]["status"] == "ok"


def test_groups_of_rows_come_along():
    data = parted()
    grouped = dataclasses.replace(data, groups=np.arange(N) // 30)
    lines = lines_of(grouped)
    codes = data.subgroups["sex"].codes
    whole = metric_interaction(
        data.truth, *data.predicted.T, codes, metric="f1", groups=grouped.groups
    )
    assert whole.method == "hothorn2008"
    assert lines[0]["pvalue"] == pytest.approx(whole.pvalue)


def test_model_without_probabilities_has_a_reason():
    silent = dataclasses.replace(parted("log_loss"), probabilities=np.full((N, 2, 2), np.nan))
    lines = lines_of(silent)
    assert {x["status"] for x in lines} == {"undefined_metric"}
    assert {x["decision"] for x in lines} == {"undecided"}

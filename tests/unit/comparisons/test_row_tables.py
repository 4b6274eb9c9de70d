"""Every metric of single models on held-out rows with its interval, and pairs in subgroups."""

import dataclasses
import itertools
import math

import numpy as np
import pandas as pd
import pytest

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.held_out import held_out_by
from bakeoff.comparisons.row_tables import score_intervals, subgroup_table
from bakeoff.comparisons.settings import has_interval, has_test
from bakeoff.report.ranking import contenders
from bakeoff.scores import METRICS
from bakeoff.stats import binomial_test, mean_ci, metric_ci, metric_difference, metric_interaction
from bakeoff.stats.core.result import AGREE
from bakeoff.stats.metrics.metric import Form
from tests.unit.comparisons.conftest import analysis
from tests.unit.report.studies import labelled


def alone(rows, model, costs, level):
    """Return the metric of one model with its interval."""
    return held_out_by(rows, costs).interval(model, level)


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


def lines(table, data, **changes):
    """Return the lines of a table of these rows by their metric."""
    return table(analysis(metrics=[data.metric], **changes), {"d0": data}).to_dict("records")


@pytest.mark.parametrize("metric", ["f1", "roc_auc", "log_loss"])
def test_interval_is_that_of_the_engine(metric):
    data = rows(metric)
    said = data.predicted[:, 0] if metric == "f1" else data.scores[:, 0]
    expected = metric_ci(data.truth, said, metric=metric)
    line, _ = lines(score_intervals, data)
    wanted = expected.estimate, expected.details["se"], *expected.ci
    assert [line[k] for k in ("estimate", "se", "ci_low", "ci_high")] == pytest.approx(wanted)
    assert (line["status"], line["note"]) == ("ok", "")


@pytest.mark.parametrize("metric", ["accuracy", "error"])
def test_shares_of_rows_have_wilsons_interval(metric):
    data = rows(metric)
    right = data.correct[:, 0] if metric == "accuracy" else ~data.correct[:, 0]
    found = alone(data, 0, None, 0.95)
    assert tuple(found.ci) == pytest.approx(tuple(binomial_test(right).ci))
    marks = PairedPredictions.from_values(("a",), right[:, None] * 1.0, range=(0.0, 1.0))
    assert alone(marks, 0, None, 0.95).ci == found.ci  # with what is assumed of their mean
    for table, checks in (data, binomial_test(right)), (marks, mean_ci(right * 1.0)):
        expected = tuple(check for check in checks.assumptions if check.name != AGREE)
        assert alone(table, 0, None, 0.95).assumptions == expected
    wide = dataclasses.replace(marks, range=(0.0, 2.0))
    assert alone(wide, 0, None, 0.95).ci != found.ci
    assert found.details["se"] > 0
    grouped = alone(dataclasses.replace(data, groups=np.arange(200) // 10), 0, None, 0.95)
    assert grouped.ci.method == "wilson_effective"


@pytest.mark.parametrize("metric", ["recall", "log_loss", "roc_auc"])
def test_metric_that_says_nothing_of_its_influence_values_has_an_interval(metric, monkeypatch):
    new = dataclasses.replace(METRICS[metric], name="new", form=Form.LEFT_OUT)
    monkeypatch.setitem(METRICS, "new", new)
    assert has_test("new")
    known, left_out = (lines(score_intervals, rows(m))[0] for m in (metric, "new"))
    assert left_out["estimate"] == pytest.approx(known["estimate"])
    data = rows(metric)
    said = data.predicted[:, 0] if metric == "recall" else data.scores[:, 0]
    plain = metric_ci(data.truth, said, metric=metric).details["se_plain"]
    assert left_out["se"] == pytest.approx(plain, rel=0.02)  # without pseudo-rows
    assert left_out["ci_low"] < left_out["estimate"] < left_out["ci_high"]
    monkeypatch.setitem(METRICS, "new", dataclasses.replace(new, smooth=False))
    assert (has_interval("new"), has_test("new")) == (True, False)


def test_model_without_what_the_metric_wants_has_a_reason_and_no_number():
    _, line = lines(score_intervals, rows("log_loss"))
    assert (line["status"], line["note"]) == ("undefined_metric", "b give(s) no probabilities")
    assert math.isnan(line["estimate"])


@pytest.mark.parametrize(("positives", "status"), [(3, "too_few"), (12, "ok"), (80, "ok")])
def test_too_few_rows_of_a_class_are_told(positives, status):
    line, _ = lines(score_intervals, rows("f1", positives))
    assert line["status"] == status
    assert math.isnan(line["ci_low"]) == (status == "too_few")
    assert bool(line["note"]) == (positives < 20)
    assert line["estimate"] > 0


def test_expected_cost_goes_by_the_priors():
    costs = {"classes": ["yes", "no"], "matrix": [[0, 5], [1, 0]], "priors": [1, 9]}
    data = rows("expected_cost")
    line, _ = lines(score_intervals, data, costs=costs)
    missed = (data.predicted[:, 0] == 0)[data.truth == 1].mean()
    alarms = (data.predicted[:, 0] == 1)[data.truth == 0].mean()
    assert line["estimate"] == pytest.approx(0.1 * 5 * missed + 0.9 * alarms)
    assert line["ci_low"] < line["estimate"] < line["ci_high"]


def test_the_interval_of_an_accuracy_tells_nothing_of_a_test_against_one_half():
    right = np.arange(21) < 15  # exact p .078, and Wilson's interval lies above .5
    data = labelled(["a"], np.ones(21), [right.astype(float)])
    (line,) = lines(score_intervals, dataclasses.replace(data, metric="accuracy"))
    assert line["ci_low"] > 0.5
    assert line["note"] == ""


def test_intervals_of_numbers_end_where_numbers_end():
    numbers = np.array([[1.0, 0.0]] * 9 + [[0.4, 0.5]])
    data = PairedPredictions.from_values(("a", "b"), numbers, metric="marks", range=(0.0, 1.0))
    a, b = (alone(data, m, None, 0.95).ci for m in (0, 1))
    assert (a.high, b.low) == (1.0, 0.0)
    assert contenders(data, None, 0.05, 1).models[0].ci.high == 1.0


N = 600


def parted(metric="f1", models=("a", "b"), **changes):
    """Return models of which the first is better in subgroup f alone."""
    rng = np.random.default_rng(0)
    truth, sex = rng.integers(0, 2, N), rng.choice(["f", "m"], N)
    right = np.stack([rng.random(N) < 0.7 for _ in models], axis=1)
    right[:, 0] |= sex == "f"
    predicted = np.where(right, truth[:, None], 1 - truth[:, None])
    site = pd.Categorical(rng.choice(["n", "s", "w"], N), ["w", "n", "s", "(missing)"])
    parts = {"sex": pd.Categorical(sex), "site": site}
    made = PairedPredictions(models, ("no", "yes"), truth, predicted, metric=metric)
    return dataclasses.replace(made, **({"subgroups": parts} | changes))


def test_lines_are_the_interaction_and_the_difference_in_each_subgroup():
    data = parted()
    found = lines(subgroup_table, data)
    parts = [("sex", ""), ("sex", "f"), ("sex", "m"), *(("site", part) for part in ("", *"wns"))]
    assert [(x["column"], x["subgroup"]) for x in found] == parts
    assert all((x["role"] == "interaction") == (x["subgroup"] == "") for x in found)
    sex = np.asarray(data.subgroups["sex"])
    at, groups = sex == "m", np.arange(N) // 30
    of_m = metric_difference(data.truth[at], *data.predicted[at].T, metric="f1")
    assert (found[2]["estimate"], found[2]["pvalue"]) == pytest.approx((of_m.estimate, of_m.pvalue))
    for related in ({}, {"groups": groups}):
        whole = metric_interaction(data.truth, *data.predicted.T, sex, metric="f1", **related)
        line, *_ = lines(subgroup_table, dataclasses.replace(data, **related))
        assert line["pvalue"] == pytest.approx(whole.pvalue)


def test_pvalues_are_adjusted_over_columns_and_over_subgroups():
    found = lines(subgroup_table, parted(models=("a", "b", "c")))
    sizes = {(x["column"], x["role"]): x["family_size"] for x in found}
    assert [*sizes] == [*itertools.product(("sex", "site"), ("interaction", "subgroup"))]
    assert [*sizes.values()] == [6, 6, 6, 9]
    assert all(x["pvalue_adjusted"] >= x["pvalue"] for x in found)
    first = found[0]
    assert (first["decision"], found[1]["decision"]) == ("different", "a_better")
    assert first["pvalue_adjusted"] == pytest.approx(6 * first["pvalue"])
    of_m1 = lines(subgroup_table, parted(models=("m0", "m1", "m2")), tests={"versus": "m1"})
    assert {(x["model_a"], x["model_b"]) for x in of_m1} == {("m1", "m0"), ("m1", "m2")}


def test_subgroup_with_too_few_rows_and_model_without_probabilities_have_a_status():
    small = np.where(np.arange(N) < 4, "rare", np.asarray(parted().subgroups["sex"]))
    whole, *parts = lines(subgroup_table, parted(subgroups={"sex": pd.Categorical(small)}))
    rare = next(x for x in parts if x["subgroup"] == "rare")
    assert (rare["n"], rare["decision"], whole["status"]) == (4, "undecided", "ok")
    assert rare["status"] in ("too_few", "undefined")
    assert np.isnan(rare["pvalue"])
    found = lines(subgroup_table, parted("log_loss", probabilities=np.full((N, 2, 2), np.nan)))
    assert {(x["status"], x["decision"]) for x in found} == {("undefined_metric", "undecided")}

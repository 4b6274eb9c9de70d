"""Every metric of single models on held-out rows, with standard errors and intervals."""

import dataclasses
import math

import numpy as np
import pytest

from bakeoff.comparisons.evidence import PairedPredictions, has_interval, has_test
from bakeoff.comparisons.row_tables import INTERVALS, alone, intervals_of, tabulate
from bakeoff.report.ranking import contenders
from bakeoff.scores import METRICS
from bakeoff.spec import Costs
from bakeoff.stats import binomial_test, metric_ci
from bakeoff.stats.metrics.metric import Form
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

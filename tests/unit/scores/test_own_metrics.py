"""Metrics of the user's own: named by import path, called with what they ask for, watched."""

import dataclasses
import math
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.row_tables import score_intervals, subgroup_table
from bakeoff.comparisons.settings import has_interval, has_test
from bakeoff.errors import UserError
from bakeoff.fit.predictions import Predictions
from bakeoff.report.written import unit_of, varies
from bakeoff.scores import METRICS, score
from bakeoff.scores import own_metrics as module
from bakeoff.scores.own_metrics import enter_own
from bakeoff.spec import load_experiment
from bakeoff.spec.metrics import OwnMetric
from tests.conftest import hold, messages

CODE = """
import time
import numpy as np

LIST = [1]

def hits(y_true, y_pred):
    return np.mean(y_true == y_pred)

def f1_yes(y_true, y_pred):
    both = ((y_true == "yes") & (y_pred == "yes")).sum()
    called = (y_true == "yes").sum() + (y_pred == "yes").sum()
    if not called:
        raise ValueError("nobody is ill")
    return 2 * both / called

def profit(y_true, y_pred, amount):
    return float(np.mean(np.where((y_true == "yes") & (y_pred == "yes"), amount, 0)))

def certainty(y_true, p):
    return np.mean(np.abs(p - 0.5))

def noisy(y_true, y_pred):
    return np.mean(y_true == y_pred) + np.random.random()

def words(y_true, y_pred):
    return "good"

def nothing(y_true, y_pred):
    return float("nan")

def broken(y_true, y_pred):
    return {}["no such key"]

def endless(y_true, y_pred):
    time.sleep(60)

def leaves(y_true, y_pred):
    raise SystemExit(2)
"""


@pytest.fixture
def code(tmp_path, monkeypatch):
    (tmp_path / "ownmetrics.py").write_text(textwrap.dedent(CODE))
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("ownmetrics", None)
    enter_own({})


def entered(**facts):
    for name, more in facts.items():
        given = {"function": f"ownmetrics.{name}", "greater_is_better": True, **more}
        facts[name] = OwnMetric.model_validate(given)
    enter_own(facts)


def predictions(n=80):
    rng = np.random.default_rng(0)
    y = (np.arange(n) % 3 == 0).astype(int)
    said = np.where(rng.random(n) < 0.8, y, 1 - y)
    p = np.clip(0.2 + 0.6 * said + 0.05 * rng.normal(size=n), 0.01, 0.99)
    return Predictions(np.arange(n), y, said, ("no", "yes"), np.stack([1 - p, p], axis=1), None, {})


def rows(metric, n=80):
    one, rng = predictions(n), np.random.default_rng(2)
    other = np.where(rng.random(n) < 0.6, one.y_true, 1 - one.y_true)
    p = np.stack([one.probabilities, one.probabilities[::-1]], axis=1)
    return PairedPredictions(
        ("a", "b"), ("no", "yes"), one.y_true, np.stack([one.y_pred, other], axis=1),
        p[..., 1], probabilities=p, metric=metric, columns={"amount": np.arange(n) / 10},
    )  # fmt: skip


def test_function_gets_names_of_classes_and_what_it_asks_for(code):
    profit, certainty = {"columns": ["amount"]}, {"needs": "probabilities"}
    entered(f1_yes={}, profit=profit, certainty=certainty, noisy={})
    one, amount = predictions(), {"amount": np.arange(80.0)}
    assert score(METRICS["f1_yes"], one) == (pytest.approx(f1_score(one.y_true, one.y_pred)), "")
    earned = ((one.y_true == 1) & (one.y_pred == 1)) * np.arange(80)
    assert score(METRICS["profit"], one, None, amount)[0] == pytest.approx(earned.mean())
    certainty = np.abs(one.probabilities[:, 1] - 0.5).mean()
    assert score(METRICS["certainty"], one)[0] == pytest.approx(certainty)
    assert score(METRICS["noisy"], one) == score(METRICS["noisy"], one), "draws are seeded"


@pytest.mark.parametrize(("name", "reason"), [("nothing", "is nan"), ("f1_yes", "nobody is ill")])
def test_metric_without_a_value_is_undefined(code, name, reason):
    entered(**{name: {}})
    nobody = dataclasses.replace(predictions(), y_true=np.zeros(80, int), y_pred=np.zeros(80, int))
    value, why = score(METRICS[name], nobody)
    assert math.isnan(value)
    assert reason in why


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("words", "returned a str, expected one number"),
        ("broken", r"failed: KeyError: 'no such key' \(.*ownmetrics.py, line \d+\)"),
        ("endless", "takes more than 0.2 s a call"),
        ("leaves", "failed: SystemExit"),
    ],
)
def test_function_that_fails_is_named(code, monkeypatch, name, message):
    monkeypatch.setattr(module, "CALL_SECONDS", 0.2)
    entered(**{name: {}})
    with pytest.raises(UserError, match=f"^ownmetrics.{name} {message}"):
        score(METRICS[name], predictions())


def test_own_metrics_of_one_experiment_leave_with_the_next(code):
    entered(hits={})
    assert has_interval("hits")
    entered(f1_yes={"smooth": False})
    assert "hits" not in METRICS
    assert has_interval("f1_yes")
    assert not has_test("f1_yes")


def test_columns_come_along_into_subgroups(tiny, code):
    entered(profit={"columns": ["amount"]})
    women = np.arange(80) % 2 == 1
    sex = pd.Categorical(np.where(women, "f", "m"))
    data = dataclasses.replace(rows("profit"), subgroups={"sex": sex})
    spec = load_experiment(tiny | {"metrics": ["profit"]})
    lines = subgroup_table(spec, {"iris": data}).to_dict("records")
    right = (data.truth == 1)[:, None] & (data.predicted == 1)
    a, b = (right * data.columns["amount"][:, None])[women].mean(axis=0)
    assert lines[1]["estimate"] == pytest.approx(a - b)
    assert lines[0]["status"] == "ok"


HITS = {"function": "ownmetrics.hits", "greater_is_better": True}
WRONG = {"function": "ownmetrics.profit", "greater_is_better": True, "columns": ["a"]}


@pytest.mark.parametrize(
    ("metrics", "own", "message"),
    [
        (["ownmetrics.hit:higher"], {}, "metrics[0]: … did you mean 'hits'"),
        (["nomodule.hits:higher"], {}, "metrics[0]: … 'nomodule' is not installed"),
        (["accuracy", "ownmetrics.LIST:higher"], {}, "metrics[1]: … is a list, not a function"),
        (["ownmetrics.profit:higher"], {}, "metrics[0]: … cannot be called with (y_true, y_pred)"),
        (["accuracy"], {"accuracy": HITS}, "metrics[0]: … accuracy is a metric already"),
        (["accuracy"], {"hits": HITS}, "own_metrics.hits: … add hits to `metrics:`"),
        (["profit"], {"profit": WRONG}, "metrics[0]: … cannot be called"),
        (["ownmetrics.hits"], {}, "metrics[0]: … a higher or a lower value better? Write ownmetri"),
        (["ownmetrics.hits:smaller"], {}, "metrics[0]: … unknown word 'smaller'"),
        (["hits"], {"hits": {"function": "ownmetrics.hits"}}, "'greater_is_better' is missing"),
        (["a.hits:higher", "b.hits:higher"], {}, "metrics[1]: b.hits would be called 'hits'"),
    ],
)
def test_mistakes_are_found_before_the_first_fit(tiny, code, metrics, own, message):
    hold(messages(tiny | {"metrics": metrics, "own_metrics": own}), message)


def test_differences_are_in_the_metrics_unit_and_few_rows_that_carry_it_are_flagged(tiny, code):
    entered(profit={"columns": ["amount"], "unit": "euros"})
    assert unit_of(METRICS["profit"]) == "euros"
    assert (varies(METRICS["profit"]), varies(METRICS["accuracy"])) == (True, False)
    steep = dataclasses.replace(rows("profit"), columns={"amount": np.exp(np.arange(80) / 3)})
    for data, said in ((rows("profit"), ""), (steep, "few rows dominate the metric")):
        found = score_intervals(load_experiment(tiny), {"iris": data}, ["profit"])
        assert said in found["note"][0] if said else not found["note"][0]

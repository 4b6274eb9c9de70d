"""Own metrics by file or import path, and costs, in `compare` and `gate`."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from bakeoff import compare, gate
from bakeoff.stats import metric_difference, own_metric
from tests.conftest import called

MODULE = """
import atexit, os, subprocess
from fractions import Fraction
import numpy as np

def share(y_true, y_pred):
    return np.mean(y_true == y_pred)

def distance(y_true, p):
    return np.mean(np.abs((y_true == "yes") - p))

def needy(y_true, y_pred, amount):
    return 1.0

accuracy = share

def left(y_true, y_pred):
    os._exit(0)

def left_later(y_true, y_pred):
    atexit.register(os._exit, 0)
    return np.mean(y_true == y_pred)

def closed(y_true, y_pred):
    raise GeneratorExit

def stopped(y_true, y_pred):
    raise type("Stopped", (BaseException,), {})("no more")

def huge(y_true, y_pred):
    return 10**400

def fraction(y_true, y_pred):
    return Fraction(10**400)

def talkative(y_true, y_pred):
    print("said")
    subprocess.run(["echo", "said"])
    return np.mean(y_true == y_pred)
"""
COSTS = "classes: [yes, no]\nmatrix: [[0, 5], [1, 0]]\n"


@pytest.fixture
def rows(tmp_path, monkeypatch, in_folder):
    monkeypatch.delitem(sys.modules, "measures_of_rows", raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    rng = np.random.default_rng(0)
    p = rng.uniform(0.02, 0.98, 150)
    y = rng.random(150) < p
    models = {"old": np.sqrt(p), "new": p}
    columns = {"id": range(150), "y": np.where(y, "yes", "no")}
    for model, q in models.items():
        columns |= {f"{model}:yes": q.round(6), f"{model}:no": (1 - q).round(6)}
    pd.DataFrame(columns).to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "measures_of_rows.py").write_text(MODULE)
    (tmp_path / "costs.yaml").write_text(COSTS.replace("yes", "'yes'").replace("no", "'no'"))
    return y, models


PLACE = "./measures_of_rows.py:distance:lower:probabilities"
READ = ("rows.csv", "--truth", "y", "--id", "id", "--positive", "yes")
ASKED = {"compare": ("compare", *READ)}
ASKED["gate"] = "gate", *READ, "--models", "old,new", "--margin", "0.1"


def test_a_function_is_compared_as_in_python(rows, answered):
    y, models = rows
    (found,) = answered("compare", *READ, "--metric", PLACE)["comparisons"]
    distance = own_metric(
        "distance",
        lambda y, p: float(np.mean(np.abs(y - p))),
        greater_is_better=False,
        predictions="probabilities",
    )
    expected = metric_difference(y.astype(int), *models.values(), metric=distance)
    assert found["pvalue"] == pytest.approx(expected.pvalue, rel=1e-3)
    of_arrays = compare(np.where(y, "yes", "no"), models, positive="yes", metric=PLACE).comparisons
    assert of_arrays["pvalue"][0] == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("command", ["compare", "gate"])
@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("./nowhere.py:f", "no file ./nowhere.py"),
        ("measures_of_rows:nothing:lower", "nothing"),
        ("./measures_of_rows.py:needy:higher", "cannot be called with (y_true, y_pred)"),
        ("./measures_of_rows.py:accuracy:higher", "rename the function"),
        ("./measures_of_rows.py:share:sideways", "unknown word 'sideways'"),
        ("./measures_of_rows.py:share", "is a higher or a lower value better? Write"),
        ("./measures_of_rows.py:distance:probabilities", "measures_of_rows.py:distance:lower"),
        ("a b:c", "expected package.module:function"),
        ("os:rename:higher", "is of Python's own library"),
    ],
)
def test_a_wrong_place_is_refused(rows, refused, command, place, why):
    refused(*ASKED[command], "--metric", place, said=why, code=3 if command == "gate" else 2)


def test_gate_decides_by_functions_and_by_costs(rows, bakeoff, answered):
    y, models = rows
    asked = "gate", *READ, "--models", "old,new", "--margin", "0.02"
    assert answered(*asked, "--metric", PLACE)["decision"] == "ship"
    _, out, _ = bakeoff(*asked, "--json", "--metric", "cost", "--set", "costs=costs.yaml")
    said = [np.where(p > 0.5, "yes", "no") for p in models.values()]
    truth = np.where(y, "yes", "no")
    costs = {"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]}
    same = gate(truth, *said, margin=0.02, metric="cost", costs=costs, positive="yes")
    mean = [5 * np.mean(y & (s == "no")) + np.mean(~y & (s == "yes")) for s in said]
    assert json.loads(out)["overall"]["estimate"] == pytest.approx(mean[0] - mean[1])
    assert same.overall.limits.estimate == pytest.approx(mean[0] - mean[1])


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("closed", "closed failed: GeneratorExit"),
        ("stopped", "stopped failed: Stopped: no more"),
        ("huge", "huge returned a int, expected one number"),
        ("fraction", "fraction returned a Fraction, expected one number"),
    ],
)
def test_whatever_a_function_raises_or_returns_is_no_decision(rows, refused, name, why):
    refused(*ASKED["gate"], "--metric", f"./measures_of_rows.py:{name}:higher", said=why, code=3)


LATER = ("gate", *READ, "--models", "old,new", "--superior", "--margin", "0.5")


@pytest.mark.parametrize(
    ("line", "name", "code", "out", "err"),
    [
        (ASKED["gate"], "left", 3, "", "ended before it had an answer (exit code 0)"),
        (ASKED["compare"], "left", 2, "", "ended before it had an answer (exit code 0)"),
        (LATER, "left_later", 1, "Block", ""),
        ((*ASKED["compare"], "--json"), "talkative", 0, "{", "said"),
    ],
)
def test_a_function_that_ends_the_process_or_prints_changes_no_answer(
    rows, line, name, code, out, err
):
    line = (*line, "--metric", f"./measures_of_rows.py:{name}:higher")
    found = called(sys.executable, "-m", "bakeoff", *line, cwd=None, code=code)
    assert found.stdout.strip().startswith(out)
    assert err in found.stderr
    assert out != "{" or json.loads(found.stdout)["comparisons"]

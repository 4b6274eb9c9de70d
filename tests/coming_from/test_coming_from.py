"""Every row of docs/coming-from.md gives the number of the other program, or the one it says.

`rows.json` holds the rows and the numbers of the other programs. A row's call in Python, its YAML
and its command are run on the row's data; a call of a program that is installed is run too.
"""

import json
import math
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from bakeoff.api.findings import Findings
from bakeoff.cli import main
from bakeoff.comparisons.evidence import DatasetScores, FoldScores, PairedPredictions
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.comparisons.run_tests import Comparison, Context, run_test
from bakeoff.scores import metrics_of
from bakeoff.spec import load_experiment
from bakeoff.stats import Evidence, adjust_pvalues, catalogue
from tests.coming_from import given as made

FILE = Path(__file__).with_name("rows.json")
STORED = json.loads(FILE.read_text())
ROWS = STORED["rows"]
REL = 1e-6
INSTALLED = ("mlxtend", "statsmodels", "scipy")


def named(row):
    return f"{row['program']}: {row['theirs']}"


def data_of(row):
    return made.names(STORED["data"][row["data"]])


def numbers(row, takes, of):
    """Return the numbers that are compared, by name, from what a call returned."""
    wanted = row["numbers"] or takes or ["pvalue"]
    return {name: eval(takes.get(name, f"{next(iter(of))}.{name}"), dict(of)) for name in wanted}


def agrees(found, expected, rel):
    return all(
        np.shape(found[name]) == np.shape(value) and np.allclose(found[name], value, rel, atol=0)
        for name, value in expected.items()
    )


def check(row, found):
    """Hold our numbers to those of the other program, or to what the row says they are."""
    rel = row.get("rel", REL)
    if row["numbers"] is None:
        assert all(np.isfinite(value).all() for value in found.values())
    elif row["same"]:
        assert agrees(found, row["numbers"], rel), found
    else:
        assert agrees(found, row["ours"], rel), found
        differing = {name: row["numbers"][name] for name in row["ours"]}
        assert not agrees(found, differing, rel), "the row says that the number is another"


def running(key):
    own = [row for row in ROWS if key in row]
    return pytest.mark.parametrize("row", own, ids=named)


@running("python")
def test_python_call(row):
    result = eval(row["python"], made.ours(data_of(row)))
    check(row, numbers(row, row.get("take", {}), {"r": result}))


@running("api")
def test_call_of_the_package(row):
    found = eval(row["api"], made.ours(data_of(row)))
    assert isinstance(found, Findings)
    table = found.comparisons
    check(row, numbers(row, row.get("api_take", {}), {"c": table.iloc[0], "f": table}))


@running("yaml")
def test_experiment(row):
    block = yaml.safe_load(row["yaml"])
    given = data_of(row)
    if "p" in given:  # of an experiment: the correction of its families
        tests = load_experiment(_config(made.names(STORED["data"]["stata"]), block)).tests
        check(row, {"pvalue": adjust_pvalues(given["p"], tests.correction).tolist()})
        return
    found = _compared(given, block)
    # the test that is asked for comes first; an omnibus test brings its pairs
    takes = row.get("yaml_take", {})
    check(row, numbers(row, takes, {"c": found[0], "cs": found}))


def _config(given, block):
    """Complete what the page shows to an experiment on the data of the row."""
    rows = made.predictions(given) if "y" in given else {}
    models = range(given["s"].shape[1]) if "s" in given else (rows or "ab")
    datasets = range(len(given["s"])) if "s" in given and "folds" not in given else (0,)
    brings = "predictions" if rows else "scores"
    return {
        "experiment": "moved",
        "datasets": {f"d{i}": {"source": "given"} for i in datasets},
        "models": {f"m{i}": {brings: "table.csv"} for i in models},
        "metrics": ["accuracy"],
        **block,
    }


def _compared(given, block):
    """Run the tests of an experiment on the data, as the rule that compares does."""
    config = _config(given, block)
    drawn = config.get("resampling", {})
    if "y" in given and "holdout" in drawn:  # predictions of rows that were drawn elsewhere
        assert load_experiment({**config, "datasets": IRIS, "models": TREES})
        del config["resampling"]
    experiment = load_experiment(config)
    problems, chosen = plan_tests(experiment)
    assert problems == []
    (test,) = chosen
    (metric,) = test.metrics
    better = metrics_of(experiment)[metric].greater_is_better
    costs = experiment.costs_on("d0") if "y" in given else None
    context = Context("d0", metric, better, 0, costs)
    entry, evidence = catalogue()[test.name], made.evidence(given)
    assert entry.evidence in FED[type(evidence)], "the workflow feeds this test with something else"
    return run_test(test, evidence, context)


FED = {
    FoldScores: {Evidence.FOLD_SCORES},
    DatasetScores: {Evidence.DATASETS},
    PairedPredictions: {Evidence.ROWS},
}
"""What tests are fed with, by what the workflow makes of it."""


@running("setting")
def test_setting_is_taken(row):
    block = yaml.safe_load(row["setting"])
    plain = {"experiment": "moved", "datasets": IRIS, "models": TREES}
    taken = load_experiment(plain | block).resolved()
    assert {key: taken[key] for key in block} != {
        key: load_experiment(plain).resolved()[key] for key in block
    }, "the setting changes nothing"


IRIS = {"d0": {"source": "sklearn", "name": "iris"}}
TREES = {model: {"estimator": "sklearn.tree.DecisionTreeClassifier"} for model in "ab"}


@running("command")
def test_command(row, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    given = data_of(row)
    table = {"y_true": given["y"], **made.predictions(given)}
    pd.DataFrame(table).replace({0: "no", 1: "yes"}).to_csv("predictions.csv", index=False)
    _, *arguments = shlex.split(row["command"])
    assert main([*arguments, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["comparisons"][0]
    takes = row.get("yaml_take", {})
    check(row, numbers(row, takes, {"c": Comparison.from_dict(first)}))


@running("live")
def test_stored_number_is_what_the_program_gives(row):
    result = eval(row["live"], made.theirs(row["program"], data_of(row)))
    pair = isinstance(result, tuple) and len(result) == 2
    found = dict(zip(("statistic", "pvalue"), result, strict=True)) if pair else {}
    found |= {
        name: eval(row.get("read", {}).get(name, f"r.{name}"), {"r": result})
        for name in row["numbers"]
        if name not in found
    }
    assert agrees(found, row["numbers"], REL), found


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_row_is_complete(row):
    assert [named(one) for one in ROWS].count(named(row)) == 1
    assert {"python", "api", "setting"} & set(row), "a row is run"
    if row["numbers"] is None:
        assert row["same"] is None
        assert row["why"], "a row without a number says why"
        return
    assert {"python", "api"} & set(row), "a row with a number is run"
    assert row["source"]
    assert row["numbers"]
    values = [v for value in row["numbers"].values() for v in np.ravel(value)]
    assert all(math.isfinite(v) for v in values)
    assert row["same"] or (row["why"] and set(row["ours"]) <= set(row["numbers"]))
    if row["source"].startswith(INSTALLED):
        assert "live" in row, "the program is installed: call it"


def test_all_data_are_used():
    assert {row["data"] for row in ROWS if "data" in row} == set(STORED["data"])

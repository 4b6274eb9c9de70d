"""`bakeoff check` after a run: the differences that its test rows find by the noise of the run."""

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml

from bakeoff.cli import main
from bakeoff.comparisons import Comparison, Decision
from bakeoff.stats import MetricPower, metric_difference

EXPERIMENT = {
    "experiment": "done",
    "datasets": {"d": {"source": "sklearn", "name": "iris"}},
    "models": {
        "a": {"estimator": "sklearn.naive_bayes.GaussianNB"},
        "b": {"estimator": "sklearn.tree.DecisionTreeClassifier"},
    },
    "resampling": {"kfold": {}},
}


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "e.yaml"
    path.write_text(yaml.safe_dump(EXPERIMENT))
    return path


PAIR = {"role": "pair", "dataset": "d", "plan": "holdout", "model_a": "a", "model_b": "b"}
PAIR |= {"correction": "none", "family_size": 1, "alpha": 0.05, "decision": Decision.NOT_SHOWN}


def finished(rows):
    results = Path("results/done")
    results.mkdir(parents=True)
    (results / "comparisons.json").write_text(json.dumps([row.to_dict() for row in rows]))


def test_what_rows_find_by_any_metric_is_that_of_a_pilot(file, capsys):
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=200)
    said = [np.where(rng.random(200) < right, y, 1 - y) for right in (0.85, 0.8)]
    pilot = metric_difference(y, *said, metric="f1")
    row = Comparison(
        **{k: v for k, v in pilot.to_row().items() if k in Comparison.columns()},
        **PAIR,
        metric="f1",
        pvalue_adjusted=pilot.pvalue,
        result=pilot.to_dict(),
    )
    finished([row])
    assert main(["check", str(file)]) == 0
    said_of_rows = capsys.readouterr().out.split("Test rows, by the noise of the last run")[1]
    found = MetricPower.from_pilot(pilot).solve(n=200, power=0.8)
    assert f"{found.difference:.3f}" in said_of_rows


@pytest.mark.parametrize(
    "change",
    [
        {"test": "metric_equivalence", "margin": 0.05},  # its null is no difference of 0
        {"test": "mcnemar"},  # planned by its discordant rows
        {"role": "omnibus"},
        {"result": {"details": {"se": 0.0}}},
    ],
)
def test_rows_are_planned_for_differences_of_a_metric_alone(file, capsys, change):
    known = {"test": "metric_difference", "metric": "accuracy", "pvalue_adjusted": 0.3, "n": 200}
    known |= {"statistic": 1.0, "df": 9.0, "pvalue": 0.3, "estimate": 0.01, "status": "ok"}
    known |= {"ci_low": -0.01, "ci_high": 0.03, "confidence": 0.95}
    row = Comparison(**PAIR, **known, result={"details": {"se": 0.02}})
    for one, shown in ((row, True), (dataclasses.replace(row, **change), False)):
        shutil.rmtree("results", ignore_errors=True)
        finished([one])
        assert main(["check", str(file)]) == 0
        assert ("Test rows" in capsys.readouterr().out) == shown

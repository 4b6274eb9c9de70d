"""`bakeoff power`: the power that a run's intervals imply."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from bakeoff.cli import main
from bakeoff.cli.planned_rows import show_rows_needed
from bakeoff.comparisons import Comparison, Decision
from bakeoff.spec import read_experiment
from bakeoff.stats import IntervalPower, MetricPower, metric_difference

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
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "e.yaml"
    path.write_text(yaml.safe_dump(EXPERIMENT))
    return path


def pair(test: str = "corrected_kfold_t", plan: str = "kfold") -> Comparison:
    return Comparison(
        test=test,
        role="pair",
        dataset="d",
        plan=plan,
        metric="accuracy",
        model_a="a",
        model_b="b",
        statistic=1.0,
        df=9.0,
        pvalue=0.3,
        pvalue_adjusted=0.3,
        correction="none",
        family_size=1,
        estimate=0.01,
        ci_low=-0.01,
        ci_high=0.03,
        confidence=0.95,
        n=10,
        status="ok",
        alpha=0.05,
        decision=Decision.NOT_SHOWN,
    )


def finished(rows: list[Comparison]) -> None:
    results = Path("results/done")
    results.mkdir(parents=True)
    (results / "comparisons.json").write_text(json.dumps([row.to_dict() for row in rows]))


def test_without_a_run_it_says_what_to_do(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power", str(file)]) == 2
    assert "run the experiment first" in capsys.readouterr().err


def test_power_is_that_of_the_interval(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finished([pair()])
    assert main(["power", str(file), "--differences", ".02,.05"]) == 0
    out = capsys.readouterr().out
    test = IntervalPower(half=0.02, confidence=0.95, df=9)
    for difference in (0.02, 0.05):
        assert f"{100 * test.solve(n=1, difference=difference).power:.0f} %" in out
    assert f"{test.solve(difference=0.02, power=0.8).n:.1f}" in out
    assert "halves" in out


@pytest.mark.parametrize("given", ["x", "0", ".01,-1", "inf"])
def test_differences_are_checked(
    file: Path, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    finished([])
    assert main(["power", str(file), f"--differences={given}"]) == 2
    assert "--differences: found" in capsys.readouterr().err


def test_rows_needed_by_any_metric_are_those_of_the_pilot(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=200)
    said = [np.where(rng.random(200) < right, y, 1 - y) for right in (0.85, 0.8)]
    pilot = metric_difference(y, *said, metric="f1")
    row = Comparison(
        **{k: v for k, v in pilot.to_row().items() if k in Comparison.columns()},
        role="pair",
        dataset="d",
        plan="holdout",
        metric="f1",
        model_a="a",
        model_b="b",
        pvalue_adjusted=pilot.pvalue,
        correction="none",
        family_size=1,
        alpha=0.05,
        decision=Decision.NOT_SHOWN,
        result=pilot.to_dict(),
    )
    finished([row])
    assert main(["power", str(file), "--differences", ".05"]) == 0
    said_of_rows = capsys.readouterr().out.split("Test rows, by the noise of the last run")[1]
    test = MetricPower.from_pilot(pilot)
    assert f"{test.solve(difference=0.05, power=0.8).n:,.0f}" in said_of_rows
    assert f"{test.solve(n=200, power=0.8).difference:.3f}" in said_of_rows


@pytest.mark.parametrize(
    "change",
    [
        {"test": "metric_equivalence", "margin": 0.05},  # its null is no difference of 0
        {"test": "mcnemar"},  # planned by its discordant rows
        {"role": "omnibus"},
        {"result": {"details": {"se": 0.0}}},
    ],
)
def test_rows_are_planned_for_differences_of_a_metric_alone(
    file: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any]
) -> None:
    row = dataclasses.replace(pair("metric_difference", "holdout"), n=200)
    row = dataclasses.replace(row, result={"details": {"se": 0.02}})
    spec = read_experiment(file)
    for one, shown in ((row, True), (dataclasses.replace(row, **change), False)):
        shutil.rmtree("results", ignore_errors=True)
        finished([one])
        show_rows_needed(spec, [0.05])
        assert ("Test rows" in capsys.readouterr().out) == shown


@pytest.mark.parametrize(("repeats", "few"), [(9, True), (10, False)])
def test_more_halvings_are_advised_where_they_are_few(
    file: Path, capsys: pytest.CaptureFixture[str], repeats: int, few: bool
) -> None:
    halves = {"resampling": {"halves": {"repeats": repeats}}}
    file.write_text(yaml.safe_dump(EXPERIMENT | halves))
    finished([pair("half_sample_t", "halves")])
    assert main(["power", str(file), "--differences", ".05"]) == 0
    out = capsys.readouterr().out
    assert ("the t distribution has heavy tails" in out) == few
    assert "The plan `halves`" not in out  # it is there


def test_equivalence_is_not_planned_from_the_interval_of_a_difference(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finished([dataclasses.replace(pair(), margin=0.05)])
    assert main(["power", str(file)]) == 2
    assert "no comparison of two models has an interval to plan from" in capsys.readouterr().err

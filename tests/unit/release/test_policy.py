"""The policy of a gate: the mean over tasks with a guard, each task, guardrails, JUnit."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.cli import main
from tests.unit.api.test_suites import write_logs

SHIP, BLOCK, UNDECIDED, MISTAKE = 0, 1, 2, 3


@pytest.fixture
def logs(tmp_path):
    write_logs(tmp_path / "logs")
    return tmp_path / "logs"


def gate(*arguments):
    return main(["gate", *map(str, arguments)])


def test_the_mean_over_tasks_blocks_what_the_mean_over_items_would_ship(logs, capsys):
    assert gate(logs / "a", logs / "b", "--margin", "0.02", "--values", "right") == BLOCK
    told = capsys.readouterr().out
    assert "worse than a by more than 0.02 of accuracy in the mean over 3 tasks" in told
    assert "Tasks: 1 not worse by the margin" in told


def test_each_task_has_to_be_shown(logs, capsys, tmp_path):
    how = ["--margin", "0.02", "--values", "right", "--each-task", "0.07"]
    xml = tmp_path / "rules.xml"
    assert gate(logs / "b", logs / "a", *how, "--junit", xml) == UNDECIDED
    assert "1 of 3 tasks is not shown to be within 0.07" in " ".join(
        capsys.readouterr().out.split()
    )
    suite = ElementTree.parse(xml).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("4", "1")
    (failed,) = [case.get("name") for case in suite if len(case)]
    assert "big" in failed
    assert gate(logs / "b", logs / "a", *how[:-1], "0.2") == SHIP


def test_a_rule_that_fails_names_the_change_in_its_unit(tmp_path):
    rng = np.random.default_rng(3)
    truth = rng.normal(size=200)
    for name, spread in (("old", 0.5), ("new", 0.9)):
        predicted = truth + rng.normal(scale=spread, size=200)
        table = {"id": np.arange(200), "y_true": truth, "y_pred": predicted}
        pd.DataFrame(table).to_csv(tmp_path / f"{name}.csv", index=False)
    xml = tmp_path / "rules.xml"
    how = ["--task", "regression", "--margin", "0.1", "--set", "unit=kg", "--junit", xml]
    assert gate(tmp_path / "old.csv", tmp_path / "new.csv", *how) == BLOCK
    ((case,),) = ElementTree.parse(xml).getroot()
    assert case.get("message").endswith(" kg; the line is at 0.1")


def test_each_task_is_for_tasks(tmp_path, capsys):
    frame = pd.DataFrame({"y": [0, 1] * 50, "a": [0, 1] * 50, "b": [0, 1] * 50})
    frame.to_csv(tmp_path / "one.csv", index=False)
    how = ["--models", "a,b", "--truth", "y", "--margin", "0.1", "--each-task", "0.1"]
    assert gate(tmp_path / "one.csv", *how) == MISTAKE
    assert "each_task: is for rows of several tasks" in capsys.readouterr().err


@pytest.mark.parametrize(("slower", "code"), [(1.02, SHIP), (1.5, BLOCK)])
def test_a_guardrail_in_percent(slower, code, tmp_path, capsys):
    rng = np.random.default_rng(2)
    right = rng.uniform(size=400) < 0.8
    seconds = rng.gamma(20, 0.05, size=400)
    for name, factor in (("old", 1.0), ("new", slower)):
        table = {"id": np.arange(400), "value": right * 1, "latency": seconds * factor}
        pd.DataFrame(table).to_csv(tmp_path / f"{name}.csv", index=False)
    files = [tmp_path / "old.csv", tmp_path / "new.csv"]
    how = ["--values", "right", "--margin", "0.02", "--metric", "latency:10%:lower"]
    assert gate(*files, *how) == code
    told = " ".join(capsys.readouterr().out.split())
    assert ("worse than old by more than" in told) == (code == BLOCK)
    assert "latency" in told


def test_parts_without_limits_are_named_with_the_reason():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 200)
    part = np.where(np.arange(400) < 100, "healthy", "mixed")
    old, new = (np.clip(0.3 + 0.4 * y + rng.normal(scale=0.2, size=400), 0, 1) for _ in range(2))
    verdict = bakeoff.gate(y, old, new, margin=0.05, metrics="roc_auc", subgroups=part)
    assert "There are no limits for healthy, because " in str(verdict)
    assert "no limits for mixed" not in str(verdict)

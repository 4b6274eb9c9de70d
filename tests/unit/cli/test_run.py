"""`bakeoff run` and `bakeoff new`: what is handed to snakemake, and a folder that works."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from bakeoff import __version__
from bakeoff.cli import main
from bakeoff.cli import run as command
from bakeoff.data.given_predictions import divide, load
from bakeoff.execution import locks
from bakeoff.execution.locks import Holder
from bakeoff.preflight import check_experiment
from bakeoff.spec import read_experiment
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def _file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("study.yaml").touch()


def started(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> list[str]:
    """Return what would be executed, after the Snakefile."""
    lines: list[list[str]] = []
    monkeypatch.setattr(command.os, "execv", lambda _, line: lines.append(line))
    main(["run", *arguments])
    return lines[0][5:]


TREE = "{a: {estimator: sklearn.tree.DecisionTreeClassifier}}"
FILE = ["--configfile", "study.yaml"]


@pytest.mark.parametrize(
    ("given", "handed"),
    [
        (["study.yaml"], []),
        (["study.yaml", "--cores", "2"], ["--cores", "2"]),
        (["-c", "3", "study.yaml", "-n"], ["--cores", "3", "--dry-run"]),
        (["study.yaml", "--jobs", "4"], ["--jobs", "4"]),
        (["study.yaml", "--forcerun", "compare"], ["--forcerun", "compare"]),
        (["study.yaml", "-d", "there"], ["--directory", "there"]),
        (["study.yaml", "--dry"], ["--dry"]),
    ],
)
def test_unknown_options_go_to_snakemake_unchanged(
    monkeypatch: pytest.MonkeyPatch, given: list[str], handed: list[str]
) -> None:
    assert started(monkeypatch, *given) == [*handed, *FILE]


def test_profile_says_how_many_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    line = started(monkeypatch, "study.yaml", "--profile", "slurm")
    assert line[0] == "--profile"
    assert line[1].endswith("profiles/slurm")
    assert "--cores" not in line


def test_removed_lock_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(locks, "release", lambda _: [Holder("here", 12, 0.0, [])])
    started(monkeypatch, "study.yaml")
    assert "removed the lock of a run that was killed (process 12" in capsys.readouterr().err


def test_missing_file_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "no.yaml"]) == 2
    assert "no.yaml is not there" in capsys.readouterr().err


def test_other_commands_take_no_unknown_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["check", "study.yaml", "--forcerun", "x"])
    assert stop.value.code == 2
    assert "unrecognized arguments: --forcerun x" in capsys.readouterr().err


def test_new_folder_holds_a_study_that_is_ready(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "mine"]) == 0
    assert "mine/ is ready: cd mine && bakeoff run experiment.yaml" in capsys.readouterr().out
    found = {p.relative_to("mine").as_posix() for p in Path("mine").rglob("*") if p.is_file()}
    assert found == {
        *(".gitignore", "README.md", "data/.gitkeep", "experiment.yaml"),
        "predictions.csv",
    }
    assert (
        Path("mine/predictions.csv").read_bytes()
        == (ROOT / "config/data/predictions.csv").read_bytes()
    )
    assert f"bakeoff=={__version__}" in Path("mine/README.md").read_text()
    problems, chosen = check_experiment(read_experiment("mine/experiment.yaml"))
    assert not problems
    assert chosen


def test_folder_that_holds_something_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "."]) == 2
    assert ". is not empty; give a folder" in capsys.readouterr().err
    assert main(["new", "study.yaml"]) == 2
    assert "study.yaml cannot be made" in capsys.readouterr().err


def test_split_writes_the_divisions_of_the_run_before_any_prediction(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = """
experiment: pets
datasets: {iris: {source: sklearn, name: iris}}
models:
  tree: {estimator: sklearn.tree.DecisionTreeClassifier}
  net: {predictions: not-there-yet.csv}
resampling: {holdout: {test_size: 0.4}}
"""
    Path("study.yaml").write_text(text)
    assert main(["split", "study.yaml", "-o", "parts"]) == 0
    assert "parts/iris.holdout.csv: 150 rows" in capsys.readouterr().out
    frame = pd.read_csv("parts/iris.holdout.csv")
    assert frame["repeat-1"].value_counts().to_dict() == {0: 90, 1: 60}
    experiment = read_experiment("study.yaml")
    made = divide("iris", experiment, load("iris", experiment), "holdout")
    assert frame["repeat-1"].tolist() == made["repeat-1"].tolist()
    tested = frame.loc[frame["repeat-1"] == 1, "id"]
    tested.to_frame().assign(y_pred="setosa").to_csv("not-there-yet.csv", index=False)
    problems, _ = check_experiment(read_experiment("study.yaml"))
    assert not problems


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models: {a: {predictions: a.csv}, b: {predictions: b.csv}}", "no data set has a source"),
        ("datasets: {d: {source: file, path: n.csv, target: y}}\nmodels: " + TREE, "n.csv"),
    ],
)
def test_split_says_what_it_lacks(text: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("study.yaml").write_text(f"experiment: x\n{text}\n")
    assert main(["split", "study.yaml"]) == 2
    assert said in capsys.readouterr().err
    assert not Path("splits").exists()

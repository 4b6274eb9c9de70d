"""What a user sees when something is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner

BROKEN = """
import os, signal
from sklearn.tree import DecisionTreeClassifier

class Raises(DecisionTreeClassifier):
    def fit(self, X, y):
        raise RuntimeError("no luck today")

class Dies(DecisionTreeClassifier):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda c: c.update(metrics=["acuracy"]), "did you mean 'accuracy'?"),
        pytest.param(
            *(lambda c: c.pop("models"), "the key 'models' is missing"), marks=pytest.mark.slow
        ),
        pytest.param(
            lambda c: c["models"]["tree"].update(estimator="sklearn.svm.SVR", params={}),
            "not a classifier",
            marks=pytest.mark.slow,
        ),
        (
            lambda c: c["datasets"].update(f={"source": "file", "path": "no.csv", "target": "y"}),
            "no file at 'no.csv'",
        ),
    ],
)
def test_mistake_ends_the_run_before_it_begins(
    snakemake: Runner, tiny: dict[str, Any], change: Any, expected: str
) -> None:
    change(tiny)
    run = snakemake(tiny)
    assert run.returncode == 1
    assert expected in run.stderr
    assert "experiment.yaml" in run.stderr
    assert "Traceback" not in run.stderr
    assert 'File "' not in run.stderr
    assert not (snakemake.folder / "results").exists()


def test_repeated_key_ends_the_run(snakemake: Runner) -> None:
    run = snakemake("experiment: e\nmodels:\n  a: {estimator: x.Y}\n  a: {estimator: x.Z}\n")
    assert run.returncode == 1
    assert "experiment.yaml:4: models.a: appears twice" in run.stderr


def test_syntax_error_ends_the_run(snakemake: Runner) -> None:
    run = snakemake("models: {a: [\n")
    assert run.returncode == 1
    assert "experiment.yaml:2:1: not valid YAML: " in run.stderr
    assert "Traceback" not in run.stderr


def test_missing_file_ends_the_run(snakemake: Runner, tiny: dict[str, Any]) -> None:
    run = snakemake(tiny, "--configfile", "nosuch.yaml")
    assert run.returncode == 1
    assert "nosuch.yaml: cannot be read (No such file or directory)" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("estimator", "reason", "in_log"),
    [
        ("broken.Raises", "RuntimeError: no luck today", "Traceback"),
        ("broken.Dies", "the worker process was killed by signal 9, SIGKILL", "SIGKILL"),
    ],
)
def test_failing_fit_is_named_with_its_log(
    snakemake: Runner, tiny: dict[str, Any], estimator: str, reason: str, in_log: str
) -> None:
    (snakemake.folder / "broken.py").write_text(BROKEN)
    tiny["models"]["tree"] = {"estimator": estimator}
    run = snakemake(tiny, "--keep-going")
    assert run.returncode == 1
    log = "results/tiny/logs/fit/iris/tree/cv_5x2.repeat-3.fold-1.log"
    assert (
        f"the fit of model tree on data set iris, cv_5x2, repeat 3, fold 1, failed: {reason}"
        in run.stderr
    )
    assert f"log: {log}" in run.stderr
    assert in_log in (snakemake.folder / log).read_text()
    predictions = snakemake.results() / "predictions/iris"
    assert len(list((predictions / "bayes").iterdir())) == 11, "the others must not suffer"
    assert not list(Path(predictions).rglob("*.part"))
    assert not (predictions / "tree").exists() or not list((predictions / "tree").iterdir())

"""What a user sees when something is wrong."""

from pathlib import Path

import pytest

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
        (
            lambda c: c["datasets"].update(f={"source": "file", "path": "no.csv", "target": "y"}),
            "no file at 'no.csv'",
        ),
    ],
)
def test_mistake_ends_the_run_before_it_begins(snakemake, tiny, change, expected):
    change(tiny)
    run = snakemake(tiny)
    assert run.returncode == 1
    assert expected in run.stderr
    assert "experiment.yaml" in run.stderr
    assert "Traceback" not in run.stderr
    assert 'File "' not in run.stderr
    assert not (snakemake.folder / "results").exists()


def test_options_that_only_tell_are_heard(finished_copy, tiny):
    said = {
        option: (run := finished_copy(tiny, *option.split())).stdout + run.stderr
        for option in ("--unlock", "--delete-all-output -n", "--forcerun compare -n")
    }
    assert "Unlocked working directory." in said["--unlock"]
    assert "Would delete results/tiny/scores.csv" in said["--delete-all-output -n"]
    assert "output: results/tiny/comparisons.csv" in said["--forcerun compare -n"]


def test_failing_fits_are_named_with_their_logs(snakemake, tiny):
    (snakemake.folder / "broken.py").write_text(BROKEN)
    tiny["models"] |= {
        "tree": {"estimator": "broken.Raises"},
        "stump": {"estimator": "broken.Dies"},
    }
    tiny |= {"resampling": {"kfold": {"folds": 2}}, "tests": {"run": ["corrected_kfold_t"]}}
    run = snakemake(tiny, "--keep-going", cores=2)
    assert run.returncode == 1
    for model, reason, in_log in (
        ("tree", "RuntimeError: no luck today", "Traceback"),
        ("stump", "the worker process was killed by signal 9, SIGKILL", "SIGKILL"),
    ):
        log = f"results/tiny/logs/fit/iris/{model}/kfold.repeat-1.fold-2.log"
        assert (
            f"the fit of model {model} on data set iris, kfold, repeat 1, fold 2, failed: {reason}"
            in (run.stderr)
        )
        assert f"log: {log}" in run.stderr
        assert in_log in (snakemake.folder / log).read_text()
    predictions = snakemake.results() / "predictions/iris"
    assert len(list((predictions / "bayes").glob("*.parquet"))) == 2, "the others must not suffer"
    assert not list(Path(predictions).rglob("*.part"))
    for model in ("tree", "stump"):
        assert not (predictions / model).exists() or not list((predictions / model).iterdir())

"""Many fits in one job: the same files, nothing lost, nothing done twice."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner
from tests.workflow.test_run import tables

RAISES = """
from sklearn.tree import DecisionTreeClassifier

class Raises(DecisionTreeClassifier):
    def fit(self, X, y):
        raise RuntimeError("no luck today")
"""


def per(what: str) -> tuple[str, ...]:
    """Return the options that set how many fits one job does, up to the scores."""
    return "--until", "all_scores", "--config", f"execution={{jobs_per: {what}}}"


def written(runner: Runner) -> dict[str, int]:
    """Return when each file of predictions was written."""
    files = runner.results().glob("predictions/*/*/*.parquet")
    return {f"{p.parent.name}/{p.name}": p.stat().st_mtime_ns for p in files}


def changed(before: dict[str, int], runner: Runner) -> set[str]:
    after = written(runner)
    return {Path(name).parent.name for name in after if after[name] != before.get(name)}


@pytest.fixture
def again(finished: Runner, tmp_path: Path) -> Runner:
    """Return a copy of the finished run, to be changed."""
    shutil.copytree(finished.folder, tmp_path, dirs_exist_ok=True)
    return Runner(tmp_path)


def test_same_bytes_in_batches(finished: Runner, snakemake: Runner, tiny: dict[str, Any]) -> None:
    tiny["execution"] = {"jobs_per": "dataset"}
    assert snakemake(tiny, "--set-threads", "fit_batch=2").returncode == 0
    assert tables(snakemake.results()) == tables(finished.results())
    second = snakemake(tiny)
    assert "Nothing to be done" in second.stderr


def test_another_granularity_refits_what_changed_and_nothing_else(
    again: Runner, tiny: dict[str, Any]
) -> None:
    for what in ("model", "dataset", "fold"):
        before = written(again)
        assert again(tiny, *per(what)).returncode == 0
        assert changed(before, again) == set(), what
    before = written(again)
    tiny["models"]["tree"]["params"] = {"max_depth": 3}
    assert again(tiny, *per("model")).returncode == 0
    assert changed(before, again) == {"tree"}
    # Snakemake's records of single jobs and those of batches both tell of an older state now
    before = written(again)
    assert again(tiny, *per("fold")).returncode == 0
    assert changed(before, again) == set()
    tiny["models"]["tree"]["params"] = {"max_depth": 2}
    assert again(tiny, *per("fold")).returncode == 0
    assert changed(before, again) == {"tree"}
    before = written(again)
    tiny["models"]["tree"]["params"] = {"max_depth": 3}
    assert again(tiny, *per("model")).returncode == 0
    assert changed(before, again) == {"tree"}


def test_failing_fit_does_not_lose_its_siblings(snakemake: Runner, tiny: dict[str, Any]) -> None:
    (snakemake.folder / "raises.py").write_text(RAISES)
    broken = {**tiny, "models": {**tiny["models"], "tree": {"estimator": "raises.Raises"}}}
    run = snakemake(broken, *per("dataset"))
    assert run.returncode == 1
    assert "11 of 33 fits failed" in run.stderr
    assert "the fit of model tree on data set iris, cv_5x2, repeat 1, fold 1, failed" in run.stderr
    kept = written(snakemake)
    assert len(kept) == 22
    (snakemake.results() / "predictions/iris/bayes/holdout.parquet").unlink()
    assert snakemake(tiny, *per("dataset")).returncode == 0
    after = written(snakemake)
    assert len(after) == 33
    assert {name for name in kept if kept[name] != after[name]} == {"bayes/holdout.parquet"}

"""Many fits in one job: the same files, nothing lost, nothing done twice."""

import shutil
from pathlib import Path

import pytest

from tests.workflow.test_run import tables

RAISES = """
from sklearn.tree import DecisionTreeClassifier

class Raises(DecisionTreeClassifier):
    def fit(self, X, y):
        raise RuntimeError("no luck today")
"""


def per(what):
    """Return the options that set how many fits one job does, up to the scores."""
    return "--until", "all_scores", "--config", f"execution={{jobs_per: {what}}}"


def written(runner):
    """Return when each file of predictions was written."""
    files = runner.results().glob("predictions/*/*/*.parquet")
    return {f"{p.parent.name}/{p.name}": p.stat().st_mtime_ns for p in files}


def changed(before, runner):
    after = written(runner)
    return {Path(name).parent.name for name in after if after[name] != before.get(name)}


def test_same_bytes_in_batches_on_two_cores_as_in_single_jobs_on_one(finished, snakemake, tiny):
    tiny["execution"] = {"jobs_per": "dataset"}
    assert snakemake(tiny, "--set-threads", "fit_dataset=2", cores=2).returncode == 0
    batches, single = tables(snakemake.results()), tables(finished.results())
    assert sorted(batches) == sorted(single)
    for name, content in batches.items():
        assert content == single[name], name
    second = snakemake(tiny)
    assert "Nothing to be done" in second.stderr


@pytest.mark.slow
def test_changes_of_granularity_refit_what_changed_and_nothing_else(finished_copy, tiny):
    for what in ("model", "dataset", "fold"):
        before = written(finished_copy)
        assert finished_copy(tiny, *per(what)).returncode == 0
        assert changed(before, finished_copy) == set(), what
    before = written(finished_copy)
    tiny["models"]["tree"]["params"] = {"max_depth": 3}
    assert finished_copy(tiny, *per("model")).returncode == 0
    assert changed(before, finished_copy) == {"tree"}
    # Snakemake's records of single jobs and those of batches both tell of an older state now
    assert finished_copy(tiny, *per("fold")).returncode == 0
    tiny["models"]["tree"]["params"] = {"max_depth": 2}
    assert finished_copy(tiny, *per("fold")).returncode == 0
    assert changed(before, finished_copy) == {"tree"}
    before = written(finished_copy)
    tiny["models"]["tree"]["params"] = {"max_depth": 3}
    assert finished_copy(tiny, *per("model")).returncode == 0
    assert changed(before, finished_copy) == {"tree"}


@pytest.mark.slow
def test_failing_fit_does_not_lose_its_siblings(snakemake, tiny):
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


@pytest.mark.slow
def test_importance_is_measured_in_batches_and_single_jobs_alike(snakemake, tiny):
    """Asking for it does the fits on the holdout anew, and no other."""
    del tiny["models"]["stump"]
    tiny |= {"resampling": {"kfold": {"folds": 2}, "holdout": {}}, "tests": {"run": ["mcnemar"]}}
    tiny["execution"] = {"jobs_per": "model"}
    assert snakemake(tiny, "--until", "all_scores").returncode == 0
    before = written(snakemake)
    run = snakemake(tiny | {"importance": {"repeats": 2}})
    assert run.returncode == 0, run.stderr
    after = written(snakemake)
    assert {name for name in before if before[name] != after[name]} == {
        "tree/holdout.parquet",
        "bayes/holdout.parquet",
    }
    in_batches = (snakemake.results() / "importance.csv").read_bytes()
    assert in_batches.count(b"\n") == 1 + 2 * 4
    assert (snakemake.results() / "figures/importance_bars.svg").is_file()

    shutil.rmtree(snakemake.results())
    tiny |= {"importance": {"repeats": 2}, "execution": {}}
    assert snakemake(tiny, "--until", "list_fits").returncode == 0
    assert (snakemake.results() / "importance.csv").read_bytes() == in_batches
    before = written(snakemake)
    tiny["importance"]["repeats"] = 3
    assert snakemake(tiny, "--until", "list_fits").returncode == 0
    after = written(snakemake)
    redone = {Path(name).name for name in before if before[name] != after[name]}
    assert redone == {"holdout.parquet"}

"""Interrupted anywhere, finished right."""

import os
import random
import signal
import subprocess
import sys
import time

import psutil
import pytest
import yaml

from tests.conftest import ROOT, Runner
from tests.workflow.test_run import succeed, tables

pytestmark = pytest.mark.slow

SLEEPER = """
import resource, time
from sklearn.naive_bayes import GaussianNB

class Sleeper(GaussianNB):
    def __init__(self, seconds=0.2):
        super().__init__()
        self.seconds = seconds

    def fit(self, X, y):
        open("begun", "w").close()
        time.sleep(self.seconds)
        return super().fit(X, y)

class FullDisk(GaussianNB):
    def fit(self, X, y):
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, most))
        return super().fit(X, y)
"""


@pytest.fixture
def sleepy(tiny, snakemake):
    """Return an experiment of three models, each fit of which takes a moment."""
    (snakemake.folder / "sleeper.py").write_text(SLEEPER)
    for name in ("tree", "bayes"):
        tiny["models"][name] = {"estimator": "sleeper.Sleeper", "params": {"seconds": 0.2}}
    return tiny


def descendants(pid):
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


class Started:
    """A run in the background, in a process group of its own."""

    def __init__(self, runner, experiment, *options):
        file = runner.folder / "experiment.yaml"
        file.write_text(yaml.safe_dump(experiment, sort_keys=False), encoding="utf-8")
        with (runner.folder / "stderr").open("w") as stderr:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    *("-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
                    *("--directory", str(runner.folder), "--configfile", str(file)),
                    *("--cores", "2", "--keep-going", *options),
                ],
                cwd=runner.folder,
                env=runner.environment,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                start_new_session=True,
            )

    def wait_for_processes(self, count):
        self.wait_for(lambda: len(descendants(self.process.pid)) >= count)

    def wait_for(self, condition, seconds=600):
        end = time.monotonic() + seconds
        while not condition() and self.process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.05)


def kill(process):
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return


def fits(runner):
    return list(runner.results().glob("predictions/*/*/*.parquet"))


def test_killed_twenty_times_gives_the_same_bytes(snakemake, sleepy, tmp_path_factory):
    chance = random.Random(20)
    plain = tmp_path_factory.mktemp("profile") / "config.yaml"
    plain.write_text("scheduler: greedy\nrerun-incomplete: true\n")
    # warm workers, Snakemake's own job processes, batches in workers
    ways = [
        ("--workflow-profile", str(ROOT / "profiles/default")),
        ("--workflow-profile", str(plain.parent)),
        (
            *("--workflow-profile", str(ROOT / "profiles/default")),
            *("--config", "execution={jobs_per: model}"),
        ),
    ]
    hit = set()
    for number in range(20):
        # some of what is there gets lost, so that there is always work left
        for path in [p for p in snakemake.results().rglob("*") if p.is_file()]:
            if chance.random() < 0.3:
                path.unlink()
        run = Started(snakemake, sleepy, *ways[number % 3])
        run.wait_for_processes(2)
        time.sleep(chance.uniform(0.5, 4))
        below = descendants(run.process.pid)
        victim = chance.choice(["main", "child", "all"])
        hit.add((number % 3, victim))
        if victim == "child" and below:
            kill(chance.choice(below))
            run.process.send_signal(signal.SIGINT)
            time.sleep(0.3)
        if victim == "all":
            for process in below:
                kill(process)
        kill(psutil.Process(run.process.pid))
        run.process.wait()
        # workers and jobs end with their parent; a lock stays behind
        psutil.wait_procs(below, timeout=30)
        for lock in (snakemake.folder / ".snakemake/locks").glob("*"):
            lock.unlink()
    assert len(hit) > 5
    succeed(snakemake, sleepy)
    untouched = Runner(tmp_path_factory.mktemp("untouched"))
    (untouched.folder / "sleeper.py").write_text(SLEEPER)
    succeed(untouched, sleepy)
    assert tables(snakemake.results()) == tables(untouched.results())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("per", ["fold", "model"])
def test_signal_ends_a_run_at_once_and_leaves_no_process(snakemake, sleepy, number, per):
    sleepy["models"]["tree"]["params"] = {"seconds": 3600.0}
    sleepy["execution"] = {"jobs_per": per}
    default = "--workflow-profile", str(ROOT / "profiles/default")
    run = Started(snakemake, sleepy, *default, "--set-threads", "fit_model=2")
    run.wait_for((snakemake.folder / "begun").exists)
    below = descendants(run.process.pid)
    assert below
    os.kill(run.process.pid, number)
    assert run.process.wait(timeout=300) == 1
    assert psutil.wait_procs(below, timeout=300)[1] == []
    sleepy["models"]["tree"]["params"] = {"seconds": 0.0}
    succeed(snakemake, sleepy, "--until", "all_scores")


def test_interrupt_before_the_first_job_is_told_in_a_line(snakemake, sleepy):
    begun = snakemake.folder / "begun"
    (snakemake.folder / "slow.py").write_text(
        f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\ntime.sleep(3600)\n"
    )
    sleepy["models"]["tree"] = {"estimator": "slow.Tree"}
    run = Started(snakemake, sleepy)
    run.wait_for(begun.exists)
    below = descendants(run.process.pid)
    os.kill(run.process.pid, signal.SIGINT)
    assert run.process.wait(timeout=300) == 1
    assert psutil.wait_procs(below, timeout=300)[1] == []
    told = (snakemake.folder / "stderr").read_text()
    assert told.splitlines()[-1] == "interrupted before the first job; no result has changed"
    assert "Traceback" not in told


def test_full_disk_is_told_and_what_is_finished_is_kept(snakemake, sleepy):
    fine = sleepy["models"]["tree"]
    sleepy["models"]["tree"] = {"estimator": "sleeper.FullDisk"}
    run = snakemake(sleepy, "--keep-going")
    assert run.returncode == 1
    assert "holdout.parquet cannot be written: File too large; make room" in run.stderr
    assert "Traceback" not in run.stderr
    assert not list(snakemake.results().rglob("*.part"))
    sleepy["models"]["tree"] = fine
    succeed(snakemake, sleepy, "--until", "all_scores")
    assert len(fits(snakemake)) == 33

"""Interrupted anywhere, finished right."""

import os
import random
import signal
import time
from contextlib import suppress

import psutil
import pytest

from tests.conftest import Runner, until
from tests.workflow.test_run import differing, succeed

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


def wait_for(run, condition):
    """Wait for something true, or for the end of a run."""
    until(lambda: condition() or run.poll() is not None)


def kill(process):
    with suppress(psutil.NoSuchProcess):
        process.kill()


def test_killed_twenty_times_gives_the_same_bytes(snakemake, sleepy, tmp_path_factory):
    chance = random.Random(20)
    plain = tmp_path_factory.mktemp("profile")
    (plain / "config.yaml").write_text("scheduler: greedy\nrerun-incomplete: true\n")
    # warm workers, Snakemake's own job processes, batches in workers
    batches = ("--config", "execution={jobs_per: model}")
    ways = [(), ("--workflow-profile", str(plain)), batches]
    hit = set()
    for number in range(20):
        # some of what is there gets lost, so that there is always work left
        for path in [p for p in snakemake.results().rglob("*") if p.is_file()]:
            if chance.random() < 0.3:
                path.unlink()
        run = snakemake.start(sleepy, "--keep-going", *ways[number % 3])
        wait_for(run, lambda run=run: len(descendants(run.pid)) >= 2)
        time.sleep(chance.uniform(0.5, 4))
        below = descendants(run.pid)
        victim = chance.choice(["main", "child", "all"])
        hit.add((number % 3, victim))
        if victim == "child" and below:
            kill(chance.choice(below))
            run.send_signal(signal.SIGINT)
            time.sleep(0.3)
        if victim == "all":
            for process in below:
                kill(process)
        kill(psutil.Process(run.pid))
        run.wait()
        # workers and jobs end with their parent; a lock stays behind
        psutil.wait_procs(below, timeout=30)
        for lock in (snakemake.folder / ".snakemake/locks").glob("*"):
            lock.unlink()
    assert len(hit) > 5
    succeed(snakemake, sleepy)
    untouched = Runner(tmp_path_factory.mktemp("untouched"))
    (untouched.folder / "sleeper.py").write_text(SLEEPER)
    succeed(untouched, sleepy)
    assert differing(snakemake.results(), untouched.results()) == set()


def interrupted(run, begun, number=signal.SIGINT):
    """Send a signal to a run that has begun, which ends it and leaves no process."""
    wait_for(run, begun.exists)
    below = descendants(run.pid)
    assert below
    os.kill(run.pid, number)
    assert run.wait(timeout=300) == 1
    assert psutil.wait_procs(below, timeout=300)[1] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("per", ["fold", "model"])
def test_signal_ends_a_run_at_once_and_leaves_no_process(snakemake, sleepy, number, per):
    sleepy["models"]["tree"]["params"] = {"seconds": 3600.0}
    sleepy["execution"] = {"jobs_per": per}
    run = snakemake.start(sleepy, "--keep-going", "--set-threads", "fit_model=2")
    interrupted(run, snakemake.folder / "begun", number)
    sleepy["models"]["tree"]["params"] = {"seconds": 0.0}
    succeed(snakemake, sleepy, "--until", "all_scores")


def test_interrupt_before_the_first_job_is_told_in_a_line(snakemake, sleepy):
    begun = snakemake.folder / "begun"
    (snakemake.folder / "slow.py").write_text(
        f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\ntime.sleep(3600)\n"
    )
    sleepy["models"]["tree"] = {"estimator": "slow.Tree"}
    interrupted(snakemake.start(sleepy), begun)
    last = snakemake.output().splitlines()[-1]
    assert last == "interrupted before the first job; no result has changed"
    assert "Traceback" not in snakemake.output()


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
    assert len(list(snakemake.results().glob("predictions/*/*/*.parquet"))) == 33

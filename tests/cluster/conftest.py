"""A real Slurm on this machine, started for these tests unless it runs already."""

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT, Runner, called, until

SLURM = ROOT / "tests/cluster/slurm.sh"
SLEEPER = """
import os, pathlib, time
from sklearn.dummy import DummyClassifier

class Sleeper(DummyClassifier):
    def __init__(self, seconds=1.0, strategy="prior", random_state=None, constant=None):
        super().__init__(strategy=strategy, random_state=random_state, constant=constant)
        self.seconds = seconds

    def fit(self, X, y):
        pathlib.Path(f"started.{os.environ.get('SLURM_JOB_ID', 0)}").touch()
        time.sleep(self.seconds)
        return super().fit(X, y)

class Glutton(DummyClassifier):
    def fit(self, X, y):
        self.ballast_ = b"x" * (600 * 2**20)
        time.sleep(5)
        del self.ballast_
        return super().fit(X, y)
"""


def slurm(*command):
    """Start or stop a part of the cluster."""
    called(SLURM, *command)


def queue(*options):
    """Return what Slurm says of the jobs in its queue."""
    return called("squeue", "--noheader", *options, code=None).stdout


class Cluster(Runner):
    """Runs `snakemake` on Slurm in a folder of its own."""

    state = Path(os.environ.get("BAKEOFF_SLURM", "/tmp/bakeoff-slurm"))

    def __init__(self, folder):
        super().__init__(folder)
        self.known = len(self._ended())
        (folder / "sleeper.py").write_text(SLEEPER)

    def start(self, experiment, *options):
        profile = "--profile", str(ROOT / "profiles/slurm"), "--jobs", "20"
        seconds = "--slurm-init-seconds-before-status-checks", "1"
        return super().start(experiment, *profile, *seconds, *options, cores=None)

    def run(self, experiment, *options):
        """Run to the end, which must be a good one."""
        self.finish(self.start(experiment, *options))

    def finish(self, run):
        """Wait for a run, which must end well."""
        try:
            code = run.wait(timeout=1200)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            code = None
        assert code == 0, self.output()

    def jobs(self):
        """Return what Slurm says of the jobs that ended since the test began."""
        return self._ended()[self.known :]

    def _ended(self):
        file = self.state / "log/jobs.txt"
        lines = file.read_text().splitlines() if file.exists() else []
        return [dict(re.findall(r"(\w+)=(\S*)", line)) for line in lines]

    def running(self):
        """Return the ids of the jobs in Slurm's queue."""
        return queue("--format=%i").split()

    def first_fit(self):
        """Wait until a fit has begun; return its Slurm job."""
        return until(lambda: next(iter(self.folder.glob("started.*")), None)).suffix[1:]


@pytest.fixture(scope="session")
def running_slurm():
    """Start Slurm, and stop it unless it ran before."""
    missing = [c for c in ("slurmctld", "slurmd", "sbatch", "munged") if not shutil.which(c)]
    if missing or os.geteuid():
        pytest.skip(f"no Slurm here: it needs root and {', '.join(missing)}")
    before = called(SLURM, "ready", code=None).returncode == 0
    started = called(SLURM, "start", code=None)
    if started.returncode:
        pytest.skip(f"Slurm does not start here: {started.stderr.strip()[-300:]}")
    yield
    if not before:
        slurm("stop")


@pytest.fixture
def cluster(running_slurm, tmp_path):
    """Return a cluster with an empty folder and an empty queue."""
    made = Cluster(tmp_path)
    yield made
    called("scancel", "--user=root", code=None)
    until(lambda: not made.running(), 300)

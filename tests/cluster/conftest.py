"""A real Slurm on this machine, started for these tests unless it runs already."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

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


def why_not():
    """Say what keeps Slurm from running here."""
    missing = [c for c in ("slurmctld", "slurmd", "sbatch", "munged") if not shutil.which(c)]
    if missing:
        return f"no Slurm here ({', '.join(missing)} not found)"
    return None if os.geteuid() == 0 else "starting Slurm needs root"


def slurm(*command):
    """Start or stop a part of the cluster."""
    done = subprocess.run([str(SLURM), *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class Cluster:
    """Runs `snakemake` on Slurm in a folder of its own."""

    state = Path(os.environ.get("BAKEOFF_SLURM", "/tmp/bakeoff-slurm"))

    def __init__(self, folder):
        self.folder = folder
        self.known = len(self._ended())
        (folder / "sleeper.py").write_text(SLEEPER)

    def start(self, experiment, *options):
        """Start a run; its output goes to the file `output`."""
        file = self.folder / "experiment.yaml"
        file.write_text(yaml.safe_dump(experiment, sort_keys=False), encoding="utf-8")
        command = [
            *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
            *("--workflow-profile", str(ROOT / "profiles/default")),
            *("--profile", str(ROOT / "profiles/slurm"), "--configfile", str(file)),
            *("--slurm-init-seconds-before-status-checks", "1", "--jobs", "20", *options),
        ]
        paths = os.pathsep.join([str(self.folder), os.environ.get("PYTHONPATH", "")])
        with (self.folder / "output").open("a") as output:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": paths},
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )

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

    def output(self):
        return (self.folder / "output").read_text()

    def jobs(self):
        """Return what Slurm says of the jobs that ended since the test began."""
        return self._ended()[self.known :]

    def _ended(self):
        file = self.state / "log/jobs.txt"
        lines = file.read_text().splitlines() if file.exists() else []
        return [dict(re.findall(r"(\w+)=(\S*)", line)) for line in lines]

    def running(self):
        """Return the ids of the jobs in Slurm's queue."""
        listed = subprocess.run(
            ["squeue", "--noheader", "--format=%i"], capture_output=True, text=True, check=False
        )
        return listed.stdout.split()

    def node_of(self, job):
        """Return the node that runs a job."""
        listed = subprocess.run(
            ["squeue", "--noheader", "--format=%N", "--jobs", job],
            capture_output=True,
            text=True,
            check=True,
        )
        return listed.stdout.strip()

    def first_fit(self):
        """Wait until a fit has begun; return its Slurm job."""
        return until(lambda: next(iter(self.folder.glob("started.*")), None), 600).suffix[1:]


def until(found, seconds):
    """Wait for something true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.2)
    raise AssertionError(f"nothing after {seconds} s")


@pytest.fixture(scope="session")
def running_slurm():
    """Start Slurm, and stop it unless it ran before."""
    if reason := why_not():
        pytest.skip(reason)
    before = subprocess.run([str(SLURM), "ready"], capture_output=True, check=False).returncode == 0
    started = subprocess.run([str(SLURM), "start"], capture_output=True, text=True, check=False)
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
    subprocess.run(["scancel", "--user=root"], capture_output=True, check=False)
    until(lambda: not made.running(), 300)

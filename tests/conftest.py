"""What the tests share: a tiny experiment, and the real workflow run in a folder of its own."""

import copy
import fcntl
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from bakeoff.errors import UserError
from bakeoff.preflight import check_experiment
from bakeoff.spec import load_experiment

ROOT = Path(__file__).parents[1]

TINY = {
    "experiment": "tiny",
    "seed": 7,
    "datasets": {"iris": {"source": "sklearn", "name": "iris"}},
    "models": {
        "tree": {"estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 2}},
        "bayes": {"estimator": "sklearn.naive_bayes.GaussianNB"},
        "stump": {"estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 1}},
    },
    "resampling": {"cv_5x2": {}, "holdout": {"test_size": 0.4}},
    "metrics": ["accuracy", "log_loss"],
    "tests": {"run": ["cv5x2_f", "mcnemar", "cochran_q"]},
}


@pytest.fixture(scope="session", autouse=True)
def _same_however_started():
    """Undo what a shell, a terminal or a job scheduler hands down to the processes they start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "1000")  # as if the output went to a file
        # without bytecode each process would compile the package anew
        terminal = ("LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")
        for name in (*terminal, "PYTHONDONTWRITEBYTECODE"):
            patch.delenv(name, raising=False)
        # background jobs ignore SIGINT, and their children inherit that
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
        yield


@pytest.fixture
def tiny():
    """Return a small experiment to be changed at will."""
    return copy.deepcopy(TINY)


def messages(config):
    """Return what is told of an experiment before it runs; empty when nothing is wrong."""
    try:
        problems, _ = check_experiment(load_experiment(config))
    except UserError as error:
        return str(error)
    return "\n".join(map(str, problems))


GONE = object()
"""In place of a value: the key is not there."""


def change(config, places):
    """Put values at places of an experiment, which are keys joined by dots."""
    for place, value in places.items():
        *keys, last = place.split(".")
        here = config
        for key in keys:
            here = here[key]
        if value is GONE:
            del here[last]
        else:
            here[last] = value


def hold(message, parts):
    """Hold a message to what it must say: parts of it, with … between them."""
    for part in parts.split(" … "):
        assert part in message


NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


def agree(line, other, relative=1e-10, absolute=1e-10):
    """Tell whether texts are equal but for their numbers, which may differ by so much."""
    if NUMBER.sub("#", line) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(line), NUMBER.findall(other), strict=True)
    return all(
        a == b or math.isclose(float(a), float(b), abs_tol=absolute, rel_tol=relative)
        for a, b in pairs
    )


agree_to_six_digits = partial(agree, relative=2e-5, absolute=1e-9)


def recorded(file):
    """Return the lines below each first line of the paragraphs of a file."""
    blocks = file.read_text(encoding="utf-8").split("\n\n")
    return {first: lines for first, *lines in map(str.splitlines, blocks)}


def called(*line, cwd=ROOT, code=0, **environment):
    """Run a program to its end, which must have this exit code unless that is None."""
    done = subprocess.run(
        [str(part) for part in line],
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert code in (None, done.returncode), done.stdout + done.stderr
    return done


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args): ...


@contextmanager
def served(folder):
    """Serve a folder on the loopback interface."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Runner:
    """Runs the real `snakemake` on experiments in one folder, on one core unless asked for more.

    Each core costs a worker its imports; test_run asks for two. With None the
    command line names none.
    """

    def __init__(self, folder):
        self.folder = folder

    def _line(self, experiment, *options, cores):
        file = self.folder / "experiment.yaml"
        text = yaml.safe_dump(experiment, sort_keys=False)
        file.write_text(text, encoding="utf-8")
        return [
            *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
            *("--directory", str(self.folder), "--configfile", str(file)),
            *("--workflow-profile", str(ROOT / "profiles/default")),
            *(("--cores", str(cores)) if cores else ()),
            *options,
        ]

    def __call__(self, experiment, *options, cores=1):
        line = self._line(experiment, *options, cores=cores)
        return called(*line, cwd=self.folder, code=None, **self.environment)

    def start(self, experiment, *options, cores=2):
        """Begin a run in a process group of its own; what it says goes to the file `output`."""
        with (self.folder / "output").open("a") as output:
            return subprocess.Popen(
                self._line(experiment, *options, cores=cores),
                cwd=self.folder,
                env={**os.environ, **self.environment},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def output(self):
        return (self.folder / "output").read_text()

    @property
    def environment(self):
        """Return what lets a run import modules of the folder."""
        return {"PYTHONPATH": f"{self.folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}

    def results(self, experiment="tiny"):
        """Return the folder of an experiment's results."""
        return self.folder / "results" / experiment


def once(factory, name, fill):
    """Return a folder that the first process to ask for it fills, and all others share."""
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, filled = shared / name, shared / f"{name}.filled"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not filled.exists():
            folder.mkdir()
            fill(folder)
            filled.touch()
    return folder


def until(found, seconds=600):
    """Wait for something true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.05)
    raise AssertionError(f"nothing after {seconds} s")


@pytest.fixture
def snakemake(tmp_path):
    """Return a runner of the workflow in an empty folder."""
    return Runner(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """Return the folder in which the tiny experiment has run once; not to be changed."""

    def run(folder):
        done = Runner(folder)(TINY)
        assert done.returncode == 0, done.stderr

    return Runner(once(tmp_path_factory, "finished", run))


@pytest.fixture
def finished_copy(finished, tmp_path):
    """Return a copy of the finished run, to be changed."""
    shutil.copytree(finished.folder, tmp_path, dirs_exist_ok=True)
    return Runner(tmp_path)


@pytest.fixture
def write_csv(tmp_path):
    """Return a writer of small CSV files."""

    def write(text):
        path = tmp_path / "data.csv"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write

"""Time and memory of the commands that people wait for: python -m benchmarks.speed [TASK ...].

Each command is a process of its own from a cold start. With `--beside CHECKOUT` the commands of
another checkout, which has its own .venv, run in turn with those of this one, and the ratios are
printed; quote ratios, because machines are shared. Without it the medians go to speed.csv and from
there into docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import psutil
import yaml

from benchmarks.harness import markdown, publish, read, write

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_suffix(".csv")
CORES = 2
COLUMNS = ("task", "seconds", "cpu_seconds", "peak_mib")
DUMMY = {"estimator": "sklearn.dummy.DummyClassifier", "preprocessing": "none"}
QUICK = {
    name: {"estimator": f"sklearn.{path}"}
    for name, path in {
        "bayes": "naive_bayes.GaussianNB",
        "tree": "tree.DecisionTreeClassifier",
        "lda": "discriminant_analysis.LinearDiscriminantAnalysis",
        "ridge": "linear_model.RidgeClassifier",
        "centroid": "neighbors.NearestCentroid",
    }.items()
}
MCNEMAR_LOOP = """
import itertools, sys
import pandas as pd
from mlxtend.evaluate import mcnemar, mcnemar_table
said = pd.read_csv(sys.argv[1])
truth = said.pop("y_true").to_numpy()
for a, b in itertools.combinations(said, 2):
    mcnemar(mcnemar_table(truth, said[a].to_numpy(), said[b].to_numpy()))
"""
CALL = """
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
X, y = load_breast_cancer(return_X_y=True, as_frame=True)
models = {"forest": RandomForestClassifier(random_state=0)}
models["logistic"] = make_pipeline(StandardScaler(), LogisticRegression())
"""
OURS = "from bakeoff import compare_estimators\nprint(compare_estimators(models, X, y))"
BARE = """
cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)
for model in models.values():
    cross_validate(model, X, y, cv=cv)
"""
REPORT = """
import sys, tempfile
sys.path.insert(0, "tests/unit/report")
import numpy as np
from studies import experiment, ran
from bakeoff.report.page import Page
rng, names = np.random.default_rng(0), [f"m{i:03}" for i in range(100)]
means = {m: list(0.7 + 0.02 * rng.normal(size=100)) for m in names}
spec = experiment(names, datasets=[f"d{i:03}" for i in range(100)], tests=("nemenyi",))
Page(ran(spec, means, accuracies=dict.fromkeys(names, 0.7))).write(tempfile.mkdtemp())
"""


class Checkout(NamedTuple):
    """A checkout of the project with its own environment."""

    root: Path

    @property
    def python(self) -> str:
        """The Python of its environment; this one's where it is this checkout."""
        return sys.executable if self.root == ROOT else str(self.root / ".venv/bin/python")

    def workflow(self, *options: str) -> list[str]:
        """Return the command of an experiment in the current folder."""
        return [
            *(self.python, "-m", "snakemake", "--snakefile", str(self.root / "Snakefile")),
            *("--workflow-profile", str(self.root / "profiles/default"), "--cores", str(CORES)),
            *("--configfile", "experiment.yaml", *options),
        ]


class Task(NamedTuple):
    """A command that is timed."""

    title: str
    command: Callable[[Checkout], list[str]]
    prepare: Callable[[Path], None] = lambda folder: None
    again: bool = False  # on the results of an earlier run
    at_root: bool = False  # in the folder of the checkout


def experiment(folder: Path, models: dict[str, Any], **changes: Any) -> None:
    """Write an experiment on the breast cancer data, by default with 5x2cv and its F test."""
    spec = {
        "experiment": "bench",
        "seed": 1,
        "datasets": {"d": {"source": "sklearn", "name": "breast_cancer"}},
        "models": models,
        "resampling": {"cv_5x2": {}},
        "tests": {"run": ["cv5x2_f"]},
        **changes,
    }
    (folder / "experiment.yaml").write_text(yaml.safe_dump(spec, sort_keys=False))


def default(folder: Path) -> None:
    """Write the default experiment."""
    shutil.copy(ROOT / "config/config.yaml", folder / "experiment.yaml")


def jobs(folder: Path) -> None:
    """Write an experiment of 1,000 jobs, each a fit of no work."""
    plan = {"resampled": {"repeats": 500, "test_size": 0.5}}
    tests = {"run": ["corrected_resampled_t"]}
    experiment(folder, {"m": DUMMY, "n": DUMMY}, resampling=plan, tests=tests)


def labels(rows: int, models: int) -> Callable[[Path], None]:
    """Return a function that writes a table of labels that models of unequal skill predict."""

    def write(folder: Path) -> None:
        rng = np.random.default_rng(0)
        names = np.array(["aardvarks.", "butterfly.", "crocodiles", "dragonfly.", "elephants."])
        truth = rng.integers(5, size=rows)
        frame = pd.DataFrame({"y_true": names[truth]})
        for m in range(models):
            right = rng.random(rows) < 0.8 + 0.1 * m / models
            frame[f"model_{m}"] = names[np.where(right, truth, rng.integers(5, size=rows))]
        frame.to_csv(folder / "labels.csv", index=False)

    return write


TASKS = {
    "version": Task(
        "`snakemake --version`, which does nothing",
        lambda of: [of.python, "-m", "snakemake", "--version"],
    ),
    "import": Task(
        "`from bakeoff import compare_estimators`",
        lambda of: [of.python, "-c", "from bakeoff import compare_estimators"],
    ),
    "default": Task("the default experiment", Checkout.workflow, default),
    "nothing": Task(
        "the default experiment, nothing to do", Checkout.workflow, default, again=True
    ),
    "quick": Task(
        "50 fits of milliseconds, a job each, tests and report",
        Checkout.workflow,
        lambda folder: experiment(folder, QUICK),
    ),
    "jobs": Task("1,000 fits of no work, a job each, and report", Checkout.workflow, jobs),
    "compare": Task(
        "`bakeoff compare` of 100,000 rows × 5 models",
        lambda of: [of.python, "-m", "bakeoff", "compare", "labels.csv"],
        labels(100_000, 5),
    ),
    "mlxtend": Task(
        "the same 10 McNemar tests by pandas and mlxtend",
        lambda of: [of.python, "-c", MCNEMAR_LOOP, "labels.csv"],
        labels(100_000, 5),
    ),
    "call": Task(
        "`compare_estimators` of a forest and a logistic regression, 569 rows, 5x2cv",
        lambda of: [of.python, "-c", CALL + OURS],
    ),
    "cross_validate": Task(
        "the `cross_validate` calls that it contains",
        lambda of: [of.python, "-c", CALL + BARE],
    ),
    "page": Task(
        "the report of 100 models × 100 data sets",
        lambda of: [of.python, "-c", REPORT],
        at_root=True,
    ),
}


def measured(task: Task, of: Checkout, folder: Path) -> dict[str, float]:
    """Run a command and return its seconds, CPU seconds and the peak memory of its processes."""
    place = of.root if task.at_root else folder
    if not task.again:
        for made in ("results", ".snakemake"):
            shutil.rmtree(folder / made, ignore_errors=True)
    before, start, peak = os.times(), time.perf_counter(), 0
    with (folder / "output").open("w") as output:
        process = psutil.Popen(task.command(of), cwd=place, stdout=output, stderr=subprocess.STDOUT)
        while process.poll() is None:
            peak = max(peak, sum(map(resident, [process, *children(process)])))
            time.sleep(0.05)
    after = os.times()
    if process.returncode:
        sys.exit(f"{task.title} failed:\n{(folder / 'output').read_text()[-3000:]}")
    used = after.children_user + after.children_system
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": used - before.children_user - before.children_system,
        "peak_mib": peak / 2**20,
    }


def children(process: psutil.Process) -> list[psutil.Process]:
    """Return the processes below one; none once it has ended."""
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def resident(process: psutil.Process) -> int:
    """Return the bytes that a process holds; 0 once it has ended."""
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def measure(
    name: str, checkouts: list[Checkout], runs: int
) -> Iterator[tuple[str, Checkout, dict[str, float]]]:
    """Run a task of each checkout in turn and yield the medians of the runs."""
    task = TASKS[name]
    found: dict[Checkout, list[dict[str, float]]] = {of: [] for of in checkouts}
    folders = {of: Path(tempfile.mkdtemp(prefix="bakeoff-speed-")) for of in checkouts}
    for of, folder in folders.items():
        task.prepare(folder)
        measured(task, of, folder)  # what is compiled once, is
    for _ in range(runs):
        for of, folder in folders.items():
            found[of].append(measured(task, of, folder))
    for of, folder in folders.items():
        shutil.rmtree(folder)
        medians = {key: statistics.median(row[key] for row in found[of]) for key in COLUMNS[1:]}
        yield name, of, medians


def table() -> str:
    """Return the figures of speed.csv."""
    rows = {row["task"]: row for row in read(TABLE)}
    lines = []
    for name, task in TASKS.items():
        if name in rows:
            seconds, cpu, peak = (float(rows[name][key]) for key in COLUMNS[1:])
            lines.append((task.title, f"{seconds:,.1f}", f"{cpu:,.1f}", f"{peak:,.0f} MiB"))
    return markdown(("", "seconds", "CPU seconds", "peak memory"), lines, 1)


PAGES = {"performance.md": {"speed": table}}


def main() -> None:
    """Measure tasks, all of them by default, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"of {', '.join(TASKS)}")
    parser.add_argument("--beside", metavar="CHECKOUT", help="time another checkout in turn")
    parser.add_argument("--runs", type=int, default=3, help="counted runs of each command")
    options = parser.parse_args()
    checkouts = [Checkout(ROOT)]
    checkouts += [Checkout(Path(options.beside).resolve())] if options.beside else []
    rows = {row["task"]: row for row in read(TABLE)}
    for name in options.tasks or TASKS:
        first, *other = [row for _, _, row in measure(name, checkouts, options.runs)]
        told = ", ".join(f"{key} {value:.2f}" for key, value in first.items())
        ratios = [f"{key} {first[key] / row[key]:.2f}" for row in other for key in first]
        print(f"{name}: {told}" + (f"; ratios {', '.join(ratios)}" if ratios else ""), flush=True)
        if not other:
            rows[name] = {"task": name} | {key: f"{value:.2f}" for key, value in first.items()}
            write(TABLE, [rows[known] for known in TASKS if known in rows], COLUMNS)
    publish(PAGES)


if __name__ == "__main__":
    main()

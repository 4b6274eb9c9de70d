"""Time and memory of the commands that people wait for: `python -m benchmarks speed`.

Each command is a process of its own from a cold start; the medians go to speed.csv.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import psutil

from benchmarks.harness import markdown, read, write

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_suffix(".csv")
COLUMNS = ("task", "seconds", "cpu_seconds", "peak_mib")
RUN = [
    *("-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "2"),
    *("--workflow-profile", str(ROOT / "profiles/default"), "--configfile", "experiment.yaml"),
]
LOOP = str(Path(__file__).with_name("loop.py"))
FITS = """
experiment: quick-fits
seed: 19
datasets: {iris: {source: sklearn, name: iris}}
models:
  tree: {estimator: sklearn.tree.DecisionTreeClassifier}
  bayes: {estimator: sklearn.naive_bayes.GaussianNB}
resampling: {kfold: {folds: 10, repeats: 50, stratify: true}}
metrics: [accuracy]
"""
CALL = """
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
X, y = load_breast_cancer(return_X_y=True, as_frame=True)
models = {"forest": RandomForestClassifier(random_state=0)}
models["logistic"] = make_pipeline(StandardScaler(), LogisticRegression())
from bakeoff import compare_estimators
print(compare_estimators(models, X, y))
"""


class Task(NamedTuple):
    """A command that is timed, and what it needs in its folder."""

    title: str
    command: list[str]
    prepare: Callable[[Path], None] = lambda folder: None
    again: bool = False  # on the results of an earlier run


def default(folder: Path) -> None:
    """Write the default experiment."""
    shutil.copy(ROOT / "config/config.yaml", folder / "experiment.yaml")


def quick_fits(folder: Path) -> None:
    """Write an experiment with 1,000 fits of some milliseconds."""
    (folder / "experiment.yaml").write_text(FITS, encoding="utf-8")


def quick_fits_in_batches(folder: Path) -> None:
    """Write the same experiment with one job for all fits of a model."""
    text = FITS + "execution: {jobs_per: model}\n"
    (folder / "experiment.yaml").write_text(text, encoding="utf-8")


def labels(folder: Path, rows: int = 100_000, models: int = 5) -> None:
    """Write a table of labels that models of unequal skill predict."""
    rng = np.random.default_rng(0)
    names = np.array(["aardvarks.", "butterfly.", "crocodiles", "dragonfly.", "elephants."])
    truth = rng.integers(5, size=rows)
    frame = pd.DataFrame({"y_true": names[truth]})
    for m in range(models):
        right = rng.random(rows) < 0.8 + 0.1 * m / models
        frame[f"model_{m}"] = names[np.where(right, truth, rng.integers(5, size=rows))]
    frame.to_csv(folder / "labels.csv", index=False)


def suite(folder: Path, tasks: int = 57, items: int = 12_752) -> None:
    """Write logs of lm-evaluation-harness as of MMLU: many tasks of unequal size, three models."""
    rng = np.random.default_rng(0)
    sizes = 100 + rng.multinomial(items - 100 * tasks, rng.dirichlet(np.ones(tasks)))
    when = "2026-01-01T00-00-00.000000"
    for model, share in (("large", 0.72), ("medium", 0.70), ("small", 0.60)):
        place = folder / "logs" / model
        place.mkdir(parents=True)
        for task, size in enumerate(sizes):
            lines = []
            for item, right in enumerate(rng.random(size) < share):
                question = f"Question {item} of task {task}: which of these four answers is right?"
                record = {
                    "doc_id": item,
                    "doc": {"question": question, "choices": ["one", "two", "three", "four"]},
                    "target": "1",
                    "arguments": {"gen_args_0": {"arg_0": question, "arg_1": " one"}},
                    "resps": [],
                    "filtered_resps": [],
                    "doc_hash": f"d{task}-{item}",
                    "prompt_hash": f"p{task}-{item}",
                    "metrics": ["acc"],
                    "acc": float(right),
                }
                lines.append(json.dumps(record))
            samples = place / f"samples_task_{task:02}_{when}.jsonl"
            samples.write_text("\n".join(lines), encoding="utf-8")


TASKS = {
    "version": Task("`snakemake --version`, which does nothing", ["-m", "snakemake", "--version"]),
    "import": Task(
        "`from bakeoff import compare_estimators`",
        ["-c", "from bakeoff import compare_estimators"],
    ),
    "default": Task("the default experiment", RUN, default),
    "loop": Task("the same fits in a joblib loop, tests by hand", [LOOP, "default"]),
    "nothing": Task("the default experiment, nothing to do", RUN, default, again=True),
    "fits": Task("1,000 quick fits", RUN, quick_fits),
    "fits_in_batches": Task("1,000 quick fits, `jobs_per: model`", RUN, quick_fits_in_batches),
    "loop_fits": Task("1,000 quick fits in a joblib loop", [LOOP, "fits"]),
    "compare": Task(
        "`bakeoff compare` of 100,000 rows × 5 models",
        ["-m", "bakeoff", "compare", "labels.csv"],
        labels,
    ),
    "suite": Task(
        "`bakeoff compare` of a folder of logs, 57 tasks × 3 models, 12,752 items each",
        ["-m", "bakeoff", "compare", "logs", "--values", "right"],
        suite,
    ),
    "call": Task(
        "`compare_estimators` of a forest and a logistic regression, 569 rows, 5x2cv",
        ["-c", CALL],
    ),
}


def measured(task: Task, folder: Path) -> dict[str, float]:
    """Run a command and return its seconds, CPU seconds and the peak memory of its processes."""
    if not task.again:
        for made in ("results", ".snakemake"):
            shutil.rmtree(folder / made, ignore_errors=True)
    start = time.perf_counter()
    peak = 0
    cpu_seconds: dict[int, float] = {}
    with (folder / "output").open("w") as output:
        process = psutil.Popen(
            [sys.executable, *task.command], cwd=folder, stdout=output, stderr=subprocess.STDOUT
        )
        while process.poll() is None:
            held, seconds_by_pid = looked_at(process)
            peak = max(peak, held)
            cpu_seconds |= seconds_by_pid
            time.sleep(0.02)
    if process.returncode:
        sys.exit(f"{task.title} failed:\n{(folder / 'output').read_text()[-3000:]}")
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": sum(cpu_seconds.values()),
        "peak_mib": peak / 2**20,
    }


def looked_at(process: psutil.Process) -> tuple[int, dict[int, float]]:
    """Return the bytes that a process and those below it hold, and the CPU seconds of each.

    Workers are no children of the command, which could not be waited for, but of one of these.
    """
    held = 0
    seconds = {}
    with suppress(psutil.Error):
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):  # of what ends meanwhile
                held += int(each.memory_info().rss)
                times = each.cpu_times()
                seconds[each.pid] = times.user + times.system
    return held, seconds


def simulate(runs: int) -> Iterator[str]:
    """Measure every task and write the medians."""
    rows = []
    for name, task in TASKS.items():
        with tempfile.TemporaryDirectory(prefix="bakeoff-speed-") as made:
            task.prepare(Path(made))
            measured(task, Path(made))  # what is compiled once, is
            found = [measured(task, Path(made)) for _ in range(runs)]
        medians = {key: statistics.median(row[key] for row in found) for key in COLUMNS[1:]}
        rows.append({"task": name} | {key: f"{value:.2f}" for key, value in medians.items()})
        write(TABLE, rows, COLUMNS)
        yield name


def table() -> str:
    """Return the figures of speed.csv."""
    rows = {row["task"]: row for row in read(TABLE)}
    lines = []
    for name, task in TASKS.items():
        if name in rows:
            seconds, cpu, peak = (float(rows[name][key]) for key in COLUMNS[1:])
            lines.append((task.title, f"{seconds:,.1f}", f"{cpu:,.1f}", f"{peak:,.0f} MiB"))
    return markdown(("command", "seconds", "CPU seconds", "peak memory"), lines, 1)

"""Time predictions that are given: 5 models × a million rows, by `python -m benchmarks.rows`.

Machines differ, so every time is also told as a ratio: to the time that reading the same five CSV
files takes with pyarrow, measured in the same run, and what it took of the processors. Results go
to rows.csv.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.csv

HERE = Path(__file__).parent
CSV = HERE / "rows.csv"
BIN = Path(sys.executable).parent
MODELS = ("a", "b", "c", "d", "e")
EXPERIMENT = """
experiment: rows
datasets: {rows: {source: given}}
models: {MODELS}
metrics: [accuracy, log_loss, roc_auc]
tests: {run: [delong]}
"""


def write(folder: Path, rows: int) -> None:
    """Write one CSV file per model, one with all labels side by side, and an experiment."""
    rng = np.random.default_rng(0)
    names = np.array(["no", "yes"])
    truth = rng.integers(0, 2, rows)
    wide = {"y_true": names[truth]}
    for model in MODELS:
        p = 1 / (1 + np.exp(1.2 - 2.4 * truth - 2 * rng.normal(size=rows)))
        wide[model] = names[(p > 0.5).astype(int)]
        own = {"y_true": wide["y_true"], "y_pred": wide[model], "p_yes": p.round(6)}
        pd.DataFrame({"id": np.arange(rows), **own}).to_csv(folder / f"{model}.csv", index=False)
    pd.DataFrame(wide).to_csv(folder / "wide.csv", index=False)
    models = ", ".join(f"{m}: {{predictions: {m}.csv}}" for m in MODELS)
    text = EXPERIMENT.replace("{MODELS}", f"{{{models}}}")
    (folder / "rows.yaml").write_text(text, encoding="utf-8")


def seconds(task: Callable[[], object]) -> tuple[float, float]:
    """Return how long a task takes, and how much of the processors, its processes included."""
    start, used = time.perf_counter(), sum(os.times()[:4])
    task()
    return time.perf_counter() - start, sum(os.times()[:4]) - used


def measure(folder: Path) -> dict[str, tuple[float, float]]:
    """Time reading, comparing, checking and running."""
    files = [f"{model}.csv" for model in MODELS]

    def command(*words: str) -> Callable[[], object]:
        return lambda: subprocess.run(words, cwd=folder, check=True, capture_output=True)

    bakeoff, workflow = str(BIN / "bakeoff"), str(HERE.parent / "Snakefile")
    snakemake = (str(BIN / "snakemake"), "--snakefile", workflow, "--cores", "2")
    tasks: dict[str, Callable[[], object]] = {
        "read five files with pyarrow": lambda: [
            pyarrow.csv.read_csv(folder / file) for file in files
        ],
        "bakeoff compare, five files": command(bakeoff, "compare", *files),
        "bakeoff compare, one wide file": command(bakeoff, "compare", "wide.csv"),
        "bakeoff check": command(bakeoff, "check", "rows.yaml"),
        "snakemake": command(*snakemake, "--configfile", "rows.yaml"),
    }
    return {name: seconds(task) for name, task in tasks.items()}


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), options.rows)
        found = measure(Path(folder))
    reading, _ = next(iter(found.values()))
    with CSV.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["rows", "models", "step", "seconds", "cpu_seconds", "times_reading"])
        for step, (took, used) in found.items():
            times = f"{took:.1f}", f"{used:.1f}", f"{took / reading:.1f}"
            row = [options.rows, len(MODELS), step, *times]
            writer.writerow(row)
            print(*row)


if __name__ == "__main__":
    main()

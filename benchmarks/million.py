"""What a table of a million rows takes: seconds to load and divide it, and memory of a worker.

A million rows × 30 numbers, three models, a holdout and 5x2cv, on two cores.

    python -m benchmarks.million        # measure, minutes; then `python -m benchmarks.pages`

Results go to benchmarks/million.csv: of each step the seconds and CPU seconds of the whole command,
and of the worker that held the most, the MiB that are its own and those with what it shares.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import yaml

from benchmarks import tables
from benchmarks.overhead import cpu_seconds
from benchmarks.pages import renewed

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_name("million.csv")
PAGE = ROOT / "docs/performance.md"
ROWS, FEATURES, CORES = 1_000_000, 30, 2
STEPS = {"load and divide": "split_dataset", "33 fits and their scores": "all_scores"}
EXPERIMENT = {
    "experiment": "million",
    "seed": 1,
    "datasets": {"d": {"source": "file", "path": "rows.parquet", "target": "y"}},
    "models": {
        "bayes": {"estimator": "sklearn.naive_bayes.GaussianNB"},
        "ridge": {"estimator": "sklearn.linear_model.RidgeClassifier"},
        "centroid": {"estimator": "sklearn.neighbors.NearestCentroid"},
    },
    "resampling": {"cv_5x2": {}, "holdout": {}},
    "metrics": ["accuracy"],
    "tests": {"run": ["cv5x2_f"]},
}


def write(folder: Path) -> None:
    """Write the table and the experiment."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((ROWS, FEATURES))
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(FEATURES)])
    frame["y"] = np.where(X[:, 0] + X[:, 1] + rng.standard_normal(ROWS) > 0, "yes", "no")
    frame.to_parquet(folder / "rows.parquet", index=False)
    (folder / "experiment.yaml").write_text(yaml.safe_dump(EXPERIMENT), encoding="utf-8")


def measure(folder: Path, step: str) -> dict[str, Any]:
    """Run the workflow until a step."""
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
        *("--workflow-profile", str(ROOT / "profiles/default"), "--cores", str(CORES)),
        *("--configfile", "experiment.yaml", "--until", STEPS[step]),
    ]
    start, used = time.perf_counter(), cpu_seconds()
    with (folder / "output").open("w") as output:
        process = psutil.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        peaks: dict[str, int] = {"RssAnon": 0, "VmRSS": 0}
        watch = threading.Thread(target=_watch, args=(process, peaks), daemon=True)
        watch.start()
        if process.wait():
            sys.exit((folder / "output").read_text()[-3000:])
    return {
        "step": step,
        "seconds": round(time.perf_counter() - start, 1),
        "cpu_seconds": round(cpu_seconds() - used, 1),
        "own_mib": round(peaks["RssAnon"] / 2**10),
        "resident_mib": round(peaks["VmRSS"] / 2**10),
    }


def _watch(main: psutil.Popen, peaks: dict[str, int]) -> None:
    """Note the most KiB that a worker held, often enough to miss no copy of the table."""
    while main.is_running() and main.status() != psutil.STATUS_ZOMBIE:
        try:
            workers = main.children(recursive=True)
        except psutil.Error:
            continue
        for worker in workers:
            try:
                lines = Path(f"/proc/{worker.pid}/status").read_text().splitlines()
            except OSError:
                continue
            held = dict(line.split(":\t", 1) for line in lines)
            for name in peaks.keys() & held.keys():
                peaks[name] = max(peaks[name], int(held[name].split()[0]))
        time.sleep(0.02)


def page() -> str:
    """Return the page with what was measured."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    size = ROWS * FEATURES * 8 / 2**20
    lines = [
        f"{ROWS:,} rows × {FEATURES} numbers ({size:.0f} MiB), from a Parquet file, on {CORES} "
        "cores; three models, 5x2cv and a\nholdout (`python -m benchmarks.million`). Whole "
        "commands from a cold start; the memory is that of the worker\nthat held the most:",
        "",
        "| | seconds | CPU seconds | its own memory | with what is shared |",
        "|---|---|---|---|---|",
        *(
            f"| {row['step']} | {row['seconds']} | {row['cpu_seconds']} | {row['own_mib']} MiB, "
            f"{int(row['own_mib']) / size:.1f} × the table | {row['resident_mib']} MiB |"
            for row in rows
        ),
        "",
        "A table of 64 MiB or more is mapped into memory: its numbers are there once, however many "
        "workers fit on it.\nA worker's own are what it imports (130 MiB), the rows of one "
        "division, and the copies that scikit-learn's\nimputing and scaling make of them.",
    ]
    return renewed(PAGE, "million", "\n".join(lines))


def main() -> None:
    """Measure both steps and write them down."""
    with tempfile.TemporaryDirectory(prefix="bakeoff-million-") as name:
        folder = Path(name)
        write(folder)
        rows = [measure(folder, step) for step in STEPS]
    tables.write(TABLE, rows)


if __name__ == "__main__":
    main()

"""What a table of a million rows takes: seconds to load and divide it, and memory of a worker.

A million rows × 30 numbers, three models, a holdout and 5x2cv, on two cores; and, for comparison,
what scikit-learn takes by itself to fit the three models on as many rows as the holdout's.

    python -m benchmarks.million        # measure, minutes; then `python -m benchmarks.pages`

Results go to benchmarks/million.csv: of each step the seconds and CPU seconds of the whole command,
and of the process that held the most, the MiB that are its own and those with what it shares.
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
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks import tables
from benchmarks.overhead import cpu_seconds
from benchmarks.pages import renewed

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_name("million.csv")
PAGE = ROOT / "docs/performance.md"
ROWS, FEATURES, CORES = 1_000_000, 30, 2
STEPS = {"load and divide": "split_dataset", "33 fits and their scores": "all_scores"}
BARE = {
    "scikit-learn alone: impute, scale and fit": False,
    "scikit-learn alone: fit on rows that are scaled": True,
}
"""Whether the rows need no preparing any more."""
NOTHING = "`snakemake --version`"
TRAINED = ROWS * 4 // 5
"""Rows that the holdout trains on."""
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
    """Run the workflow until a step, or scikit-learn without it."""
    if step in BARE:
        command = [sys.executable, "-m", "benchmarks.million", "--bare", step]
    elif step == NOTHING:
        command = [sys.executable, "-m", "snakemake", "--version"]
    else:
        command = [
            *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
            *("--workflow-profile", str(ROOT / "profiles/default"), "--cores", str(CORES)),
            *("--configfile", "experiment.yaml", "--until", STEPS[step]),
        ]
    start, used = time.perf_counter(), cpu_seconds()
    with (folder / "output").open("w") as output:
        process = psutil.Popen(
            command,
            cwd=ROOT if step in BARE else folder,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
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


def fit_bare(scaled: bool) -> None:
    """Fit the models on as many rows as the holdout's, as a script would."""
    X = np.random.default_rng(1).standard_normal((TRAINED, FEATURES))
    y = (X[:, 0] + X[:, 1] > 0).astype(np.intp)
    for model in (GaussianNB(), RidgeClassifier(), NearestCentroid()):
        steps = [SimpleImputer(strategy="median", add_indicator=True), StandardScaler(), model]
        make_pipeline(*steps[2 * scaled :]).fit(X, y)


def _watch(main: psutil.Popen, peaks: dict[str, int]) -> None:
    """Note the most KiB that a process held, often enough to miss no copy of the table."""
    while main.is_running() and main.status() != psutil.STATUS_ZOMBIE:
        try:
            workers = [main, *main.children(recursive=True)]
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
        "commands from a cold start; the memory is that of the process\nthat held the most. Below, "
        f"a script that fits the three models on {TRAINED:,} random rows, as many as the\nholdout "
        "trains on, and predicts nothing; and how quick the machine was at that hour.",
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
        "workers fit on it.\nA worker's own are what it imports (130 MiB), the rows that a model "
        "learns from, and what the model's `fit`\nmakes of them: RidgeClassifier and "
        "NearestCentroid hold two copies more, which leaves no room below three times\nthe table. "
        "Imputing and scaling add none, for medians, means and deviations are learnt from a few "
        "columns at a\ntime, and the rows as they came are gone while the model learns.",
    ]
    return renewed(PAGE, "million", "\n".join(lines))


def main() -> None:
    """Measure both steps and write them down."""
    with tempfile.TemporaryDirectory(prefix="bakeoff-million-") as name:
        folder = Path(name)
        write(folder)
        rows = [measure(folder, step) for step in (*STEPS, *BARE, NOTHING)]
    tables.write(TABLE, rows)


if __name__ == "__main__":
    fit_bare(BARE[sys.argv[2]]) if sys.argv[1:2] == ["--bare"] else main()

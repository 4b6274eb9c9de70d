"""What a job of its own costs each fit, and what the main process holds.

    python -m benchmarks.jobs            # minutes; then `python -m benchmarks.pages`

Fits of no work, one job each: seconds, and CPU seconds of all processes; beside them what
`snakemake --version` takes, which does nothing. Results go to benchmarks/jobs.csv.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import tables
from benchmarks.overhead import ROOT, Folder, cpu_seconds, experiment
from benchmarks.pages import renewed

TABLE = Path(__file__).with_name("jobs.csv")
PAGE = ROOT / "docs/performance.md"
SIZES = (100, 1_000, 5_000, 10_000)


def measure(fits: int) -> dict[str, int | float]:
    """Run a study of so many fits from nothing."""
    dummy = {"estimator": "sklearn.dummy.DummyClassifier"}
    plan = {"resampled": {"repeats": fits // 2, "test_size": 0.5}}
    tests = {"run": ["corrected_resampled_t"]}
    spec = experiment({"m": dummy, "n": dummy}, resampling=plan, tests=tests)
    nothing, used = _seconds_of_nothing(), cpu_seconds()
    seconds, peak = Folder(spec).snakemake()
    used = cpu_seconds() - used
    return {
        "jobs": fits,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(used, 1),
        "main_mib": round(peak),
        "nothing_seconds": round(nothing, 1),
    }


def _seconds_of_nothing() -> float:
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "snakemake", "--version"], check=True, capture_output=True
    )
    return time.perf_counter() - start


def page() -> str:
    """Return the page with what was measured."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    first, lines = rows[0], []
    for row in rows:
        more = row["jobs"] - first["jobs"]
        took, each = ("seconds", "cpu_seconds"), ""
        if more:
            each = "{:.1f} ms ({:.1f} ms)".format(
                *(1000 * (row[k] - first[k]) / more for k in took)
            )
        lines.append(
            f"| {row['jobs']:,.0f} | {row['seconds']:.0f} s ({row['cpu_seconds']:.0f} s) | {each} "
            f"| {row['main_mib']:.0f} MiB | {row['nothing_seconds']:.1f} s |"
        )
    head = (
        "| jobs | all of it (CPU) | a job beyond the first 100 (CPU) | main process "
        "| `snakemake --version` |"
    )
    return renewed(PAGE, "jobs", "\n".join((head, "|---|---|---|---|---|", *lines)))


def main() -> None:
    """Measure each size and write them down."""
    rows = []
    for size in SIZES:
        rows.append(measure(size))
        print(rows[-1], flush=True)
        tables.write(TABLE, rows)


if __name__ == "__main__":
    main()

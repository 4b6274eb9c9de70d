"""How the cost of a study grows with its size, over three decades.

Each study has n data sets of 100 rows, n models that learn next to nothing, and 11 fits of each
model on each data set (5x2cv and a holdout): what is measured is the workflow. One job does all
fits on a data set.

    python -m benchmarks.scale                  # 99, 1,100, 11,264 and 110,000 fits
    python -m benchmarks.scale 10 32            # n = 10 and 32 only

Results are added to benchmarks/scale.csv: seconds, CPU seconds, peak memory in MiB of the main
process and of all processes together. `python -m benchmarks.pages` draws docs/performance.svg.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
import yaml

from benchmarks import tables
from benchmarks.memory import Watched
from benchmarks.overhead import cpu_seconds
from benchmarks.pages import renewed

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "benchmarks/scale.csv"
PAGE, PLOT = ROOT / "docs/performance.md", ROOT / "docs/performance.svg"
SIZES = (3, 10, 32, 100)
CORES = 2
STEPS = {
    "plan": ("-n",),
    "fits": ("--until", "fit_batch"),
    "results": (),
    "plan again": ("-n",),
    "nothing": ("--version",),
}


def study(n: int) -> dict[str, Any]:
    """Return a study of n data sets and n models."""
    data = {"source": "generator", "name": "make_classification", "params": {"n_samples": 100}}
    model = {"estimator": "sklearn.dummy.DummyClassifier", "preprocessing": "none"}
    return {
        "experiment": "scale",
        "seed": 1,
        "datasets": {f"d{i:03}": dict(data) for i in range(n)},
        "models": {
            f"m{i:03}": {**model, "params": {"strategy": "stratified", "random_state": i}}
            for i in range(n)
        },
        "resampling": {"cv_5x2": {}, "holdout": {}},
        "metrics": ["accuracy"],
        "tests": {"run": ["friedman"]},
        "execution": {"jobs_per": "dataset"},
    }


class Measured:
    """A command, its seconds and its peak memory."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [
            *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
            *("--workflow-profile", str(ROOT / "profiles/default"), "--cores", str(CORES)),
            *("--configfile", "experiment.yaml", "--quiet", "all", *options),
        ]
        start, used = time.perf_counter(), cpu_seconds()
        with (folder / "output").open("w") as output:
            process = psutil.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
            self.memory = Watched(process)
            code = process.wait()
        self.seconds, self.cpu = time.perf_counter() - start, cpu_seconds() - used
        if code:
            sys.exit((folder / "output").read_text()[-3000:])


def measure(n: int) -> list[dict[str, Any]]:
    """Plan, fit, evaluate and plan again; last, what starting Snakemake takes on this machine."""
    folder = Path(tempfile.mkdtemp(prefix="bakeoff-scale-"))
    (folder / "experiment.yaml").write_text(yaml.safe_dump(study(n), sort_keys=False))
    fits = 11 * n * n
    rows = []
    for step, options in STEPS.items():
        done = Measured(folder, *options)
        rows.append(
            {
                "fits": fits,
                "step": step,
                "seconds": round(done.seconds, 1),
                "cpu_seconds": round(done.cpu, 1),
                "main_mib": round(done.memory.main),
                "all_mib": round(done.memory.all),
            }
        )
        print(rows[-1], flush=True)
    shutil.rmtree(folder)
    return rows


def write(rows: list[dict[str, Any]]) -> None:
    """Put the measurements of new sizes in the place of old ones."""
    known = list(csv.DictReader(TABLE.open())) if TABLE.exists() else []
    sizes = {str(row["fits"]) for row in rows}
    kept = [row for row in known if row["fits"] not in sizes]
    place = list(STEPS).index
    ordered = sorted([*kept, *rows], key=lambda row: (int(row["fits"]), place(row["step"])))
    tables.write(TABLE, ordered)


def page() -> str:
    """Return the page with the table of what was measured, and draw it."""
    rows: dict[int, dict[str, dict[str, str]]] = {}
    with TABLE.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows.setdefault(int(row["fits"]), {})[row["step"]] = row
    plot(rows)
    lines = [
        "| fits | plan (`snakemake -n`) | fits | scores, tests, report | plan again | `snakemake "
        "--version` | a fit | main process |",
        "|---|---|---|---|---|---|---|---|",
        *(_line(fits, steps) for fits, steps in rows.items()),
        "",
        "![CPU seconds and memory against the number of fits](performance.svg)",
    ]
    return renewed(PAGE, "scale", "\n".join(lines))


def _line(fits: int, steps: dict[str, dict[str, str]]) -> str:
    """Return the line of one size; what a command costs alone does not count for a fit."""
    n = round((fits / 11) ** 0.5)
    cells = map(_cell, steps.values())
    alone, fitting = (float(steps[step]["cpu_seconds"]) for step in ("plan again", "fits"))
    each, main = (fitting - alone) / fits, max(int(step["main_mib"]) for step in steps.values())
    size = f"{fits:,} ({n} × {n} × 11)"
    return f"| {size} | {' | '.join(cells)} | {1000 * each:.1f} ms | {main} MiB |"


def _cell(step: dict[str, str]) -> str:
    took, used = float(step["seconds"]), float(step["cpu_seconds"])
    if step["step"] == "nothing":
        return f"{took:.1f} s"
    return f"{took:,.0f} s ({used:,.0f} s), {int(step['all_mib']):,} MiB"


def plot(rows: dict[int, dict[str, dict[str, str]]]) -> None:
    """Draw CPU seconds and memory against the number of fits."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "scale"
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for step in list(STEPS)[:3]:
        seconds, memory = (
            [float(steps[step][key]) for steps in rows.values()]
            for key in ("cpu_seconds", "all_mib")
        )
        left.loglog(list(rows), seconds, "o-", label=step)
        right.semilogx(list(rows), memory, "o-", label=step)
    left.set(xlabel="fits", ylabel="CPU seconds")
    right.set(xlabel="fits", ylabel="peak memory of all processes, MiB", ylim=(0, None))
    left.legend(frameon=False)
    figure.savefig(PLOT, metadata={"Date": None})


if __name__ == "__main__":
    for size in map(int, sys.argv[1:] or SIZES):
        write(measure(size))

"""How the cost of a study grows with its size, over three decades.

Each study has n data sets of 100 rows, n models that learn next to nothing, and 11 fits of each
model on each data set (5x2cv and a holdout): what is measured is the workflow. One job does all
fits on a data set.

    python -m benchmarks.scale                  # 99, 1,100, 11,264 and 110,000 fits
    python -m benchmarks.scale 10 32            # n = 10 and 32 only
    python -m benchmarks.scale --plot           # draw docs/performance.svg from what was measured

Results are added to benchmarks/scale.csv: seconds, peak memory in MiB of the main process and of
all processes together.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import yaml

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "benchmarks/scale.csv"
PLOT = ROOT / "docs/performance.svg"
SIZES = (3, 10, 32, 100)
CORES = 2
STEPS = ("plan", "fits", "results", "plan again")


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
        self.main = self.all = 0.0
        start = time.perf_counter()
        with (folder / "output").open("w") as output:
            process = psutil.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
            watch = threading.Thread(target=self._watch, args=(process,), daemon=True)
            watch.start()
            code = process.wait()
        self.seconds = time.perf_counter() - start
        if code:
            sys.exit((folder / "output").read_text()[-3000:])

    def _watch(self, process: psutil.Popen) -> None:
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            try:
                own = process.memory_info().rss
                others = sum(_resident(child) for child in process.children(recursive=True))
            except psutil.Error:
                continue
            self.main = max(self.main, own / 2**20)
            self.all = max(self.all, (own + others) / 2**20)
            time.sleep(0.2)


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def measure(n: int) -> list[dict[str, Any]]:
    """Plan, fit, evaluate and plan again."""
    folder = Path(tempfile.mkdtemp(prefix="bakeoff-scale-"))
    (folder / "experiment.yaml").write_text(yaml.safe_dump(study(n), sort_keys=False))
    fits = 11 * n * n
    rows = []
    for step, options in zip(STEPS, (["-n"], ["--until", "fit_batch"], [], ["-n"]), strict=True):
        done = Measured(folder, *options)
        rows.append(
            {
                "fits": fits,
                "step": step,
                "seconds": round(done.seconds, 1),
                "ms_per_fit": round(1000 * done.seconds / fits, 2),
                "main_mib": round(done.main),
                "all_mib": round(done.all),
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
    ordered = sorted([*kept, *rows], key=lambda row: (int(row["fits"]), STEPS.index(row["step"])))
    with TABLE.open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(ordered)


def plot() -> None:
    """Draw seconds and memory against the number of fits."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "scale"
    rows = list(csv.DictReader(TABLE.open()))
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for step in STEPS[:3]:
        own = [row for row in rows if row["step"] == step]
        fits = [int(row["fits"]) for row in own]
        left.loglog(fits, [float(row["seconds"]) for row in own], "o-", label=step)
        right.semilogx(fits, [float(row["all_mib"]) for row in own], "o-", label=step)
    left.set(xlabel="fits", ylabel="seconds")
    right.set(xlabel="fits", ylabel="peak memory of all processes, MiB", ylim=(0, None))
    left.legend(frameon=False)
    figure.savefig(PLOT, metadata={"Date": None})


if __name__ == "__main__":
    if sys.argv[1:] == ["--plot"]:
        plot()
    else:
        for size in map(int, sys.argv[1:] or SIZES):
            write(measure(size))

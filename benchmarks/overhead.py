"""What a fit of the plan `halves` costs beyond the fit, in CPU time: python -m benchmarks.overhead.

What the whole command costs is measured by `benchmarks.beside`.
"""

from __future__ import annotations

import csv
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import yaml

from benchmarks import tables
from benchmarks.pages import renewed

ROOT = Path(__file__).resolve().parents[1]
CORES = 2
PAGE = ROOT / "docs/performance.md"
HALVES_CSV = Path(__file__).with_name("overhead_halves.csv")

# the estimators with all that stands before them, as the workflow makes them
SAME = """
from functools import partial
from pathlib import Path
import yaml
from threadpoolctl import threadpool_limits
from bakeoff.data import Table, read_split
from bakeoff.fit.assemble import assemble
from bakeoff.seeds import derive
from bakeoff.spec import load_experiment

experiment = load_experiment(yaml.safe_load(Path("experiment.yaml").read_text()))
table = Table.read("results/bench/data/d.parquet")
X, y = table.features, table.codes

def one(model, fit):
    split = read_split("results/bench/splits/d.halves.parquet", fit.repeat, fit.fold)
    estimator = assemble(model, X, derive(experiment.seed, "fit", *fit[:5]), table.classes)
    estimator.fit(X.iloc[split.train], y[split.train])
    tested = X.iloc[split.test]
    return estimator.predict(tested), estimator.predict_proba(tested)

with threadpool_limits(1):
    for fit in experiment.fits():
        one(experiment.fitted[fit.model], fit)
"""


def experiment(models: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return the benchmark's experiment."""
    return {
        "experiment": "bench",
        "seed": 1,
        "datasets": {"d": {"source": "sklearn", "name": "breast_cancer"}},
        "models": models,
        "resampling": {"cv_5x2": {}},
        "tests": {"run": ["cv5x2_f"]},
        **changes,
    }


class Folder:
    """A folder in which the measured commands run."""

    def __init__(self, spec: dict[str, Any], **modules: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="bakeoff-bench-"))
        self.write(spec)
        for name, code in modules.items():
            (self.path / f"{name}.py").write_text(code)

    def write(self, spec: dict[str, Any]) -> None:
        """Write the experiment, in place of the one that is there."""
        (self.path / "experiment.yaml").write_text(yaml.safe_dump(spec, sort_keys=False))

    def run(self, *command: str) -> tuple[float, float]:
        """Return wall seconds and the peak memory in MiB of the command's own process."""
        env = {**os.environ, "PYTHONPATH": str(self.path)}
        start, peak = time.perf_counter(), 0
        with (self.path / "output").open("w") as output:
            process = psutil.Popen(
                command, cwd=self.path, env=env, stdout=output, stderr=subprocess.STDOUT
            )
            while process.poll() is None:
                peak = max(peak, _memory(process))
                time.sleep(0.05)
        if process.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{(self.path / 'output').read_text()[-3000:]}")
        return time.perf_counter() - start, peak / 2**20

    def snakemake(self, cores: int = CORES) -> tuple[float, float]:
        """Run the workflow from nothing."""
        shutil.rmtree(self.path / "results", ignore_errors=True)
        shutil.rmtree(self.path / ".snakemake", ignore_errors=True)
        return self.again(cores)

    def again(self, cores: int = CORES) -> tuple[float, float]:
        """Run the workflow on what is there."""
        return self.run(
            *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
            *("--workflow-profile", str(ROOT / "profiles/default"), "--cores", str(cores)),
            *("--configfile", "experiment.yaml"),
        )

    def same_fits(self) -> float:
        """Run the very fits of the plan `halves`, one after the other, and keep nothing."""
        return self.run(sys.executable, "same.py")[0]


def _memory(process: psutil.Popen) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def halves(repeats: int = 5) -> None:
    """Measure the CPU time that a fit of the plan `halves` takes beyond the fit, and write it down.

    Without the models of 300 trees, whose own time varies by more than what is measured.
    """
    default = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    models = {
        name: model
        for name, model in default["models"].items()
        if "n_estimators" not in model.get("params", {})
    }
    folders = {}
    for halvings in (2, 20):
        plan = {"halves": {"repeats": halvings, "folds": 5, "full_repeats": 3}}
        changes = {"resampling": plan, "execution": {"jobs_per": "model"}}
        tests = {"run": ["half_sample_t"]}
        spec = {**default, **changes, "experiment": "bench", "tests": tests, "models": models}
        spec["datasets"] = {"d": default["datasets"]["breast_cancer"]}
        folders[len(models) * (2 * halvings + 3) * 5] = Folder(spec, same=SAME)
    rows = []
    for _ in range(repeats):
        for fits, folder in folders.items():
            workflow, loop = _cpu_of(partial(folder.snakemake, 1)), _cpu_of(folder.same_fits)
            rows.append({"fits": fits, "workflow": f"{workflow:.2f}", "loop": f"{loop:.2f}"})
            print(f"  {fits} fits: {workflow:.1f} s, the loop {loop:.1f} s", flush=True)
    tables.write(HALVES_CSV, rows)


def page() -> str:
    """Return the page with what `halves` measured.

    The slope between two sizes of the plan, for start-up does not count; of the least of each
    column, for what else the machine does can only add.
    """
    with HALVES_CSV.open(newline="") as file:
        rows = list(csv.DictReader(file))
    few, many = sorted({int(row["fits"]) for row in rows})

    def slope(column: str) -> float:
        last, first = (
            min(float(row[column]) for row in rows if int(row["fits"]) == fits)
            for fits in (many, few)
        )
        return 1000 * (last - first) / (many - few)

    workflow, loop = slope("workflow"), slope("loop")
    said = (
        "The default experiment on the plan `halves` (M = 20, K = 5, R = 3) with `jobs_per: model`,"
        "\nwithout its two models of 300 trees, in CPU time: a fit more costs "
        f"{workflow:.1f} ms, its predictions\non disk and its scores included. The bare loop over "
        f"the same fits, preprocessing included, takes\n{loop:.1f} ms; {workflow - loop:.1f} ms "
        f"are the workflow's. (Slope from {few} to {many} fits, the least of {len(rows) // 2} runs "
        "each;\n`python -m benchmarks.overhead`.)"
    )
    return renewed(PAGE, "halves", said)


def _cpu_of(run: Callable[[], object]) -> float:
    """Return the CPU seconds of a command and all that it started."""
    before = cpu_seconds()
    run()
    return cpu_seconds() - before


def cpu_seconds() -> float:
    """Return the CPU seconds of all that was started so far and has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    halves()

"""What the workflow costs beyond its fits.

Runs, in one go and on the same splits,

(a) a bare joblib loop over the same fits, as a process from a cold start,
(b) the whole `snakemake` command from a cold start,
(c) a loop of mlxtend's `combined_ftest_5x2cv` over all pairs of models, likewise;

then (a) and (b) again with fits of two seconds.

    python -m benchmarks.overhead            # everything, about 10 minutes
    python -m benchmarks.overhead short      # (a), (b), (c) on seven models: about a minute
    python -m benchmarks.overhead long       # the other part
    python -m benchmarks.overhead halves     # CPU time beyond a fit of the plan `halves`
"""

from __future__ import annotations

import csv
import os
import resource
import shutil
import statistics
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

from benchmarks.pages import renewed

ROOT = Path(__file__).resolve().parents[1]
CORES = 2
PAGE = ROOT / "docs/performance.md"
HALVES_CSV = Path(__file__).with_name("overhead_halves.csv")

# the default experiment's settings, and more families of the field
SEVEN: dict[str, Any] = {
    "logistic": {
        "estimator": "sklearn.linear_model.LogisticRegression",
        "params": {"max_iter": 2000},
    },
    "knn": {"estimator": "sklearn.neighbors.KNeighborsClassifier", "params": {"n_neighbors": 7}},
    "svm": {"estimator": "sklearn.svm.SVC"},
    "forest": {
        "estimator": "sklearn.ensemble.RandomForestClassifier",
        "params": {"n_estimators": 300},
    },
    "extra_trees": {
        "estimator": "sklearn.ensemble.ExtraTreesClassifier",
        "params": {"n_estimators": 300},
    },
    "boosting": {"estimator": "sklearn.ensemble.GradientBoostingClassifier"},
    "xgboost": {
        "estimator": "xgboost.XGBClassifier",
        "params": {"n_estimators": 300, "learning_rate": 0.1},
    },
}
# sleeps for its fit time: what is measured is the workflow, not the machine's arithmetic
SLEEPER = """
import time
from sklearn.dummy import DummyClassifier

class Sleeper(DummyClassifier):
    def __init__(self, seconds=2.0, strategy="prior", random_state=None, constant=None):
        super().__init__(strategy=strategy, random_state=random_state, constant=constant)
        self.seconds = seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
        return super().fit(X, y)
"""
BARE = """
import sys
from functools import partial
from pathlib import Path
import yaml
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer
from bakeoff.data import read_split
from bakeoff.fit.estimator import build

experiment = yaml.safe_load(Path("experiment.yaml").read_text())
X, y = load_breast_cancer(return_X_y=True)

def one(spec, split):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    params = dict(spec.get("params", {}))
    if "xgboost" in spec["estimator"]:
        params["n_jobs"] = 1
    model = make_pipeline(StandardScaler(), build(spec["estimator"], params))
    model.fit(X[split.train], y[split.train])
    return (model.predict(X[split.test]) == y[split.test]).mean()

splits = [read_split(sys.argv[1], r, f) for r in range(1, 6) for f in (1, 2)]
jobs = [delayed(one)(spec, split) for spec in experiment["models"].values() for split in splits]
scores = Parallel(n_jobs=2)(jobs)
print(sum(scores) / len(scores))
"""
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
PAIRS = """
from itertools import combinations
from functools import partial
from pathlib import Path
import yaml
from mlxtend.evaluate import combined_ftest_5x2cv
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from bakeoff.fit.estimator import build

X, y = load_breast_cancer(return_X_y=True)
models = yaml.safe_load(Path("experiment.yaml").read_text())["models"]

for a, b in combinations(models.values(), 2):
    made = (build(s["estimator"], s.get("params", {})) for s in (a, b))
    made = [make_pipeline(StandardScaler(), model) for model in made]
    combined_ftest_5x2cv(*made, X, y, random_seed=1)
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

    def __init__(self, spec: dict[str, Any]) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="bakeoff-bench-"))
        (self.path / "experiment.yaml").write_text(yaml.safe_dump(spec, sort_keys=False))
        (self.path / "sleeper.py").write_text(SLEEPER)
        (self.path / "bare.py").write_text(BARE)
        (self.path / "pairs.py").write_text(PAIRS)
        (self.path / "same.py").write_text(SAME)

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
        """Run the workflow from nothing; keep the splits for the bare loop."""
        shutil.rmtree(self.path / "results", ignore_errors=True)
        shutil.rmtree(self.path / ".snakemake", ignore_errors=True)
        return self.run(
            *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
            *("--workflow-profile", str(ROOT / "profiles/default"), "--cores", str(cores)),
            *("--configfile", "experiment.yaml"),
        )

    def bare(self) -> float:
        """Run the joblib loop on the splits of the last workflow run."""
        return self.run(sys.executable, "bare.py", "results/bench/splits/d.cv_5x2.parquet")[0]

    def same_fits(self) -> float:
        """Run the very fits of the plan `halves`, one after the other, and keep nothing."""
        return self.run(sys.executable, "same.py")[0]

    def pairs(self) -> float:
        """Run mlxtend's test on all pairs."""
        return self.run(sys.executable, "pairs.py")[0]


def _memory(process: psutil.Popen) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def short(repeats: int = 5) -> None:
    """Seven models, 70 fits: (a), (b) and (c), in turn, several times."""
    folder = Folder(experiment(SEVEN))
    folder.snakemake()
    rows = [(folder.bare(), folder.snakemake()[0]) for _ in range(repeats)]
    a, b = (statistics.median(column) for column in zip(*rows, strict=True))
    c = folder.pairs()
    print(f"\nSeven models, breast cancer, 70 fits, {CORES} cores (medians of {repeats})")
    print(f"  (a) bare joblib loop            {a:6.2f} s")
    print(f"  (b) snakemake, all of it        {b:6.2f} s   limit 2a + 2.5 = {2 * a + 2.5:.2f} s")
    print(f"  (c) mlxtend, all pairs          {c:6.2f} s   b/c = {b / c:.2f}, limit 0.25")


def long() -> None:
    """Fits of two seconds: the workflow must vanish beside them."""
    models = {f"m{i}": {"estimator": "sleeper.Sleeper"} for i in range(12)}
    folder = Folder(experiment(models))
    b, _ = folder.snakemake()
    a = folder.bare()
    print(f"\n120 fits of 2 s, {CORES} cores")
    print(f"  (a) {a:.1f} s   (b) {b:.1f} s   b/a = {b / a:.3f}, limit 1.05")


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
        folders[len(models) * (2 * halvings + 3) * 5] = Folder(spec)
    rows = []
    for _ in range(repeats):
        for fits, folder in folders.items():
            workflow, loop = _cpu_of(partial(folder.snakemake, 1)), _cpu_of(folder.same_fits)
            rows.append({"fits": fits, "workflow": f"{workflow:.2f}", "loop": f"{loop:.2f}"})
            print(f"  {fits} fits: {workflow:.1f} s, the loop {loop:.1f} s", flush=True)
    with HALVES_CSV.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


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
        "each;\n`python -m benchmarks.overhead halves`.)"
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
    for part in sys.argv[1:] or ["short", "long"]:
        {"short": short, "long": long, "halves": halves}[part]()

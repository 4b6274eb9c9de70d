"""What the whole command takes beside a loop that only fits.

Runs in turn, on the same splits and each as a process from a cold start,

(a) a bare joblib loop over the same fits,
(b) the whole `snakemake` command,
(c) mlxtend's `combined_ftest_5x2cv` over all pairs of models,

for seven models with the default experiment's settings and for seven that learn in milliseconds,
(a) and (b) for fits of two seconds; then what edits cost, and the floor: what importing takes.

    python -m benchmarks.beside                     # everything, about 15 minutes
    python -m benchmarks.beside seven quick         # only some of: seven, quick, long
    python -m benchmarks.beside --page              # only the page

Results go to benchmarks/beside.csv, a line per command and run, in place of those of that study.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benchmarks import tables
from benchmarks.overhead import CORES, ROOT, Folder, cpu_seconds, experiment
from benchmarks.pages import renewed

TABLE = ROOT / "benchmarks/beside.csv"
PAGE = ROOT / "docs/performance.md"

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
QUICK = {
    name: {"estimator": f"sklearn.{path}"}
    for name, path in {
        "bayes": "naive_bayes.GaussianNB",
        "dummy": "dummy.DummyClassifier",
        "tree": "tree.DecisionTreeClassifier",
        "lda": "discriminant_analysis.LinearDiscriminantAnalysis",
        "ridge": "linear_model.RidgeClassifier",
        "centroid": "neighbors.NearestCentroid",
        "perceptron": "linear_model.Perceptron",
    }.items()
}
SLEEPERS = {f"m{i}": {"estimator": "sleeper.Sleeper"} for i in range(12)}
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
PAIRS = """
from itertools import combinations
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
    one = [{"n_jobs": 1} if "xgboost" in s["estimator"] else {} for s in (a, b)]
    made = (build(s["estimator"], s.get("params", {}) | n) for s, n in zip((a, b), one))
    made = [make_pipeline(StandardScaler(), model) for model in made]
    combined_ftest_5x2cv(*made, X, y, random_seed=1)
"""
FIT_IMPORTS = "from bakeoff.execution import planning; planning.prepare_fits()"
REPORT_IMPORTS = "from bakeoff.execution import planning; planning.prepare_report()"


class Study(NamedTuple):
    """One set of models, how often it is measured, and what of it."""

    models: dict[str, Any]
    repeats: int
    pairs: bool = False
    edits: bool = False


STUDIES = {
    "seven": Study(SEVEN, 3, pairs=True),
    "quick": Study(QUICK, 4, pairs=True, edits=True),
    "long": Study(SLEEPERS, 1),
}


def measure(name: str) -> Iterator[dict[str, Any]]:
    """Run the commands of a study in turn, and yield what each took."""
    study = STUDIES[name]
    folder = Folder(experiment(study.models), sleeper=SLEEPER, bare=BARE, pairs=PAIRS)
    splits = "results/bench/splits/d.cv_5x2.parquet"

    def took(what: str, run: Callable[[], tuple[float, float]]) -> dict[str, Any]:
        before = cpu_seconds()
        seconds, _ = run()
        row = {"study": name, "command": what, "seconds": f"{seconds:.2f}"}
        row["cpu_seconds"] = f"{cpu_seconds() - before:.2f}"
        print(*row.values(), flush=True)
        return row

    folder.snakemake()  # what is compiled once, is
    for _ in range(study.repeats):
        yield took("loop", lambda: folder.run(sys.executable, "bare.py", splits))
        yield took("workflow", folder.snakemake)
        if study.edits:
            yield from _edits(folder, took)
    if study.pairs:
        yield took("mlxtend", lambda: folder.run(sys.executable, "pairs.py"))


def _edits(
    folder: Folder, took: Callable[[str, Callable[[], tuple[float, float]]], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    spec = experiment(QUICK)
    yield took("version", lambda: folder.run(sys.executable, "-m", "snakemake", "--version"))
    yield took("nothing", folder.again)
    folder.write(spec | {"label": "Called otherwise"})
    yield took("label", folder.again)
    folder.write(spec | {"tests": {"run": ["cv5x2_t"]}})
    yield took("tests", folder.again)
    folder.write(spec)
    for what, code in (("imports to fit", FIT_IMPORTS), ("imports to report", REPORT_IMPORTS)):
        yield took(what, lambda code=code: folder.run(sys.executable, "-c", code))


def page() -> str:
    """Return the page with what was measured."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    def least(study: str, command: str, column: str = "seconds") -> float:
        own = [r for r in rows if (r["study"], r["command"]) == (study, command)]
        return min(float(r[column]) for r in own)

    def both(study: str, command: str) -> str:
        seconds = least(study, command), least(study, command, "cpu_seconds")
        return "{:.1f} ({:.1f})".format(*seconds)

    loop, whole = ({s: least(s, c) for s in STUDIES} for c in ("loop", "workflow"))
    loops, workflows = (" | ".join(both(s, c) for s in STUDIES) for c in ("loop", "workflow"))
    limits = " | ".join(f"{1.1 * loop[s] + 1.5:.1f}" for s in STUDIES)
    pairs = " | ".join(both(s, "mlxtend") for s in STUDIES if STUDIES[s].pairs)
    version, fitting, reporting = (
        least("quick", c) for c in ("version", "imports to fit", "imports to report")
    )
    text = f"""
Breast cancer data, 5x2cv, on {CORES} cores; each command from a cold start. Seconds on the clock,
and in brackets of computing on all cores: the least of {STUDIES["seven"].repeats} runs in turn (of
the long one, and of mlxtend: of one; `python -m benchmarks.beside`).

| | seven models, 70 fits | fits of milliseconds, 70 | fits of two seconds, 120 |
|---|---|---|---|
| (a) a bare joblib loop over the fits | {loops} |
| (b) `snakemake`: predictions and scores on disk, tests, report and figures | {workflows} |
| what (b) is to stay below: 1.1 × (a) + 1.5 s | {limits} |
| (c) mlxtend's `combined_ftest_5x2cv` of all pairs, which fits for each pair | {pairs} | |

With fits of two seconds (b) takes {whole["long"] / loop["long"]:.3f} times as long as (a). The
models are scikit-learn's and XGBoost's with the default experiment's settings; the quick ones are
naive Bayes, a dummy, a tree, linear discriminants, ridge, centroids and a perceptron; those of two
seconds sleep.

What an edit of the quick study takes:

| | seconds |
|---|---|
| `snakemake --version`, which does nothing | {both("quick", "version")} |
| nothing to do | {both("quick", "nothing")} |
| another label: the report is made again | {both("quick", "label")} |
| other tests: they run, and the report is made again | {both("quick", "tests")} |

The floor is importing: Snakemake's own start takes {version:.1f} s, scikit-learn and pandas in a
process that fits {fitting:.1f} s, SciPy and matplotlib in one that reports {reporting:.1f} s.
Workers import while the experiment is checked, and one of them for the report when scores are
collected. What is left between (a) and (b) is a job's start and its records for each fit, and the
drawing of the figures.
"""
    return renewed(PAGE, "beside", text)


def main() -> None:
    """Measure some studies, or all of them, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("studies", nargs="*", help=f"default: {' '.join(STUDIES)}")
    parser.add_argument("--page", action="store_true", help="only write the page")
    arguments = parser.parse_args()
    wanted = [] if arguments.page else arguments.studies or list(STUDIES)
    for name in wanted:
        made = list(measure(name))
        kept: list[dict[str, Any]] = []
        if TABLE.is_file():
            with TABLE.open(newline="", encoding="utf-8") as file:
                kept = [row for row in csv.DictReader(file) if row["study"] != name]
        tables.write(TABLE, [*kept, *made])
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

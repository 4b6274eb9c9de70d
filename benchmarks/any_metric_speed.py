"""Time of all pairs of models by F1, beside other packages: `benchmarks.any_metric_speed`.

    python -m benchmarks.any_metric_speed --others OTHER/bin/python

Every task runs in a process of its own: CPU seconds and peak memory, imports included. The other
packages (stambo, confidenceinterval, SciPy) live in an environment of their own, whose Python is
`--others`. They compute the metric anew for each draw: their time is measured on few draws of one
pair, less that of fewer, and scaled to all. Figures go to any_metric_speed.csv; `--page` writes
the paragraph into docs/stats/any-metric.md.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import tables
from benchmarks.pages import renewed

HERE = Path(__file__).parent
TABLE = HERE / "any_metric_speed.csv"
PAGE = HERE.parent / "docs" / "stats" / "any-metric.md"
DRAWS, FEW, FEWER = 9_999, 24, 8


def data(models: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return truth, a fifth of it positive, and what models of unequal skill predict."""
    rng = np.random.default_rng(0)
    y = (rng.random(rows) < 0.2).astype(int)
    scores = y[:, None] * np.linspace(1.0, 1.6, models) + rng.normal(size=(rows, models))
    return y, (scores > 0.9).astype(int)


def bakeoff(models: int, rows: int) -> dict[str, float]:
    """Compare all pairs."""
    from bakeoff.stats.metrics.all_pairs import compare_models

    y, said = data(models, rows)
    start = cpu()
    compare_models(y, said, metric="f1", n_resamples=DRAWS)
    return {"seconds": cpu() - start, "pairs": models * (models - 1) / 2}


def stambo(models: int, rows: int) -> dict[str, float]:
    """Bootstrap one pair."""
    import stambo as package

    def compare(draws: int) -> None:
        y, said = data(2, rows)
        package.compare_models(
            y, said[:, 0], said[:, 1], metrics=("F1Score",), n_bootstrap=draws, silent=True, seed=1
        )

    return scaled(compare, models)


def scipy(models: int, rows: int) -> dict[str, float]:
    """Bootstrap the difference of one pair with SciPy and scikit-learn's F1."""
    from scipy.stats import bootstrap
    from sklearn.metrics import f1_score

    def difference(y: Any, a: Any, b: Any) -> float:
        return float(f1_score(y, a) - f1_score(y, b))

    def compare(draws: int) -> None:
        y, said = data(2, rows)
        samples = (y, said[:, 0], said[:, 1])
        bootstrap(
            samples,
            difference,
            paired=True,
            vectorized=False,
            n_resamples=draws,
            method="percentile",
        )

    return scaled(compare, models)


def confidenceinterval(models: int, rows: int) -> dict[str, float]:
    """Find the interval of each model alone: this package compares none."""
    from confidenceinterval import f1_score

    y, said = data(models, rows)
    start = cpu()
    for column in said.T:
        f1_score(y.tolist(), column.tolist(), average="macro")
    return {"seconds": cpu() - start, "pairs": 0}


def scaled(compare: Callable[[int], None], models: int) -> dict[str, float]:
    """Time few draws of one pair and scale to all draws of all pairs."""
    times = []
    for draws in (FEWER, FEWER, FEW):  # the first one warms up
        start = cpu()
        compare(draws)
        times.append(cpu() - start)
    pairs = models * (models - 1) / 2
    return {"seconds": (times[2] - times[1]) / (FEW - FEWER) * DRAWS * pairs, "pairs": pairs}


def cpu() -> float:
    """Return the CPU seconds of this process so far."""
    return time.process_time()


TASKS: dict[str, tuple[Callable[[int, int], dict[str, float]], int, int, tuple[str, ...]]] = {
    "bakeoff": (bakeoff, 10, 100_000, ("numpy", "scipy")),
    "bakeoff, 100 models": (bakeoff, 100, 10_000, ("numpy", "scipy")),
    "stambo": (stambo, 10, 100_000, ("stambo", "scikit-learn")),
    "scipy.stats.bootstrap": (scipy, 10, 100_000, ("scipy", "scikit-learn")),
    "confidenceinterval": (confidenceinterval, 10, 100_000, ("confidenceinterval",)),
}


def run(name: str) -> None:
    """Do one task in this process and print what it took."""
    function, models, rows, packages = TASKS[name]
    found = function(models, rows)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    versions = "; ".join(f"{package} {version(package)}" for package in packages)
    facts = {"task": name, "models": models, "rows": rows, "draws": DRAWS}
    print(
        json.dumps(
            {
                **facts,
                "pairs": int(found["pairs"]),
                "cpu_seconds": round(found["seconds"], 2),
                "peak_mib": round(memory),
                "measured": "scaled" if name in ("stambo", "scipy.stats.bootstrap") else "whole",
                "versions": versions,
            }
        )
    )


def measure(others: str) -> None:
    """Run every task in a process of its own and write the table."""
    rows = []
    for name in TASKS:
        python = sys.executable if name.startswith("bakeoff") else others
        done = subprocess.run(
            [python, "-m", "benchmarks.any_metric_speed", "--task", name],
            cwd=HERE.parent,
            capture_output=True,
            text=True,
            check=True,
        )
        rows.append(json.loads(done.stdout.splitlines()[-1]))
        print(rows[-1], flush=True)
    tables.write(TABLE, rows)


def paragraph() -> str:
    """Return what the page says."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = {row["task"]: row for row in csv.DictReader(file)}
    lines = [
        "| | models × rows | pairs | CPU seconds | peak memory | versions |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        seconds = float(row["cpu_seconds"])
        text = f"{seconds:,.1f}" if seconds < 100 else f"about {seconds:,.0f}"
        lines.append(
            f"| {name} | {row['models']} × {int(row['rows']):,} | {row['pairs']} | {text} | "
            f"{int(row['peak_mib']):,} MiB | {row['versions']} |"
        )
    note = (
        f"F1, all pairs, {DRAWS:,} draws, one run of `benchmarks/any_metric_speed.py`; imports "
        "count for memory and not for time. The draws come from the covariance of the influence "
        "values, so that the metric is computed once; stambo and SciPy compute it anew for each "
        f"draw (measured on {FEW - FEWER} draws of one pair, and scaled). `confidenceinterval` "
        "gives intervals of single models (macro F1) and compares none."
    )
    return "\n".join([*lines, "", note])


def page() -> str:
    """Return the page with the paragraph of today's results."""
    return renewed(PAGE, "speed", paragraph())


def main() -> None:
    """Measure, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--others", default=sys.executable, help="the Python of other packages")
    parser.add_argument("--task", choices=list(TASKS), help="do one task in this process")
    parser.add_argument("--page", action="store_true", help="only write the page's paragraph")
    arguments = parser.parse_args()
    if arguments.task:
        run(arguments.task)
        return
    if not arguments.page:
        measure(arguments.others)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

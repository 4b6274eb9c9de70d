"""What `bakeoff.compare_estimators` takes beside the `cross_validate` calls that it contains.

    python -m benchmarks.one_call      # seconds; then `python -m benchmarks.pages`

Two estimators, the breast cancer data (569 rows), 5x2cv. The two are timed in turn in one process,
and the least of five rounds counts. Results go to benchmarks/one_call.csv.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bakeoff
from benchmarks import tables
from benchmarks.pages import renewed

CSV = Path(__file__).with_suffix(".csv")
PAGE = Path(__file__).parents[1] / "docs/performance.md"
ROUNDS = 5


def seconds(call: Callable[[], Any]) -> float:
    """Time one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def imports() -> float:
    """Return how long the import of the function takes in a process of its own."""
    code = "import time; t = time.perf_counter(); from bakeoff import compare_estimators; "
    ran = subprocess.run(
        [sys.executable, "-c", code + "print(time.perf_counter() - t)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(ran.stdout)


def measure() -> dict[str, float]:
    """Time both in turn."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    models = {
        "forest": RandomForestClassifier(random_state=0),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    }
    cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)

    def bare() -> None:
        for model in models.values():
            cross_validate(model, X, y, cv=cv)

    def ours() -> None:
        print(bakeoff.compare_estimators(models, X, y, plan="cv_5x2"), file=sys.stderr)

    found = [(seconds(bare), seconds(ours), imports()) for _ in range(ROUNDS)]
    least = [min(column) for column in zip(*found, strict=True)]
    names = ("cross_validate", "compare_estimators", "import")
    return {name: round(value, 2) for name, value in zip(names, least, strict=True)}


def page() -> str:
    """Return docs/performance.md with today's figures."""
    with CSV.open(encoding="utf-8", newline="") as lines:
        row = {name: float(value) for name, value in next(csv.DictReader(lines)).items()}
    ratio = row["compare_estimators"] / row["cross_validate"]
    text = (
        "A random forest and a logistic regression, 5x2cv of the breast cancer data (569 rows), in "
        "one process: `bakeoff.compare_estimators` with its answer takes "
        f"{row['compare_estimators']:.1f} s, the two `cross_validate` calls that it contains take "
        f"{row['cross_validate']:.1f} s ({ratio:.2f} times as long); importing it takes "
        f"{row['import']:.1f} s (`python -m benchmarks.one_call`)."
    )
    return renewed(PAGE, "one-call", text)


if __name__ == "__main__":
    tables.write(CSV, [measure()])
    PAGE.write_text(page(), encoding="utf-8")

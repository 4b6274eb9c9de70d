"""Measure tests on rows in groups: `python -m benchmarks.clustered_speed`, clustered_speed.csv.

All pairs of models with sign flips by convolution, intervals and Holm's correction. Seconds are
CPU seconds of one process, so that they do not depend on what else runs; memory is the most that
the call holds beyond its input, beside that of one array of rows × models × models.
"""

from __future__ import annotations

import math
import time
import tracemalloc
from pathlib import Path

import numpy as np

from bakeoff import stats
from benchmarks import tables

CSV = Path(__file__).with_suffix(".csv")
SIZES = ((10, 10_000, 200), (30, 100_000, 2_000), (100, 100_000, 2_000))
GOAL = 5.0
"""CPU seconds for 100 models, 100,000 rows, 2,000 groups."""


def rows(models: int, n: int, groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw right/wrong values that models share in part, alike inside groups of uneven sizes."""
    rng = np.random.default_rng(0)
    codes = np.sort(rng.integers(0, groups, n))
    ease = rng.normal(size=(n, 1)) + rng.normal(size=(groups, models))[codes]
    return ease + rng.normal(size=(n, models)) > np.linspace(-1.3, -1.1, models), codes


def seconds(models: int, n: int, groups: int) -> float:
    """Time one call, in CPU seconds."""
    right, codes = rows(models, n, groups)
    start = time.process_time()
    result = stats.all_pairs("mcnemar", right, groups=codes)
    taken = time.process_time() - start
    assert all(pair.ci is not None and pair.pvalue is not None for pair in result.pairs)
    return taken


def peak(models: int, n: int, groups: int) -> float:
    """Return the most that one call holds beyond its input, in MB."""
    right, codes = rows(models, n, groups)
    tracemalloc.start()
    stats.all_pairs("mcnemar", right, groups=codes)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 2**20


def measure() -> list[dict[str, float | int]]:
    """Measure every size: first all times, which following memory would slow."""
    taken = [seconds(*size) for size in SIZES]
    return [
        {
            "models": models,
            "rows": n,
            "groups": groups,
            "pairs": math.comb(models, 2),
            "cpu_seconds": round(spent, 2),
            "peak_mb": round(peak(models, n, groups)),
            "rows_models_models_mb": round(n * models**2 / 2**20),
        }
        for (models, n, groups), spent in zip(SIZES, taken, strict=True)
    ]


def main() -> None:
    """Measure every size, and write the CSV."""
    found = measure()
    tables.write(CSV, found)
    for row in found:
        print(row)
    slowest = max(row["cpu_seconds"] for row in found)
    raise SystemExit(slowest > GOAL)


if __name__ == "__main__":
    main()

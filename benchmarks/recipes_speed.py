"""Time and memory of recipes on a million rows: `python -m benchmarks.recipes_speed`.

30 runs of each of two models; every case is computed in a process of its own. Its processor time
and largest memory, the runs themselves included, go to recipes_speed.csv, and into
docs/stats/recipes.md by `--page`.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from bakeoff.stats import recipe_difference, recipe_mean_difference
from benchmarks import tables
from benchmarks.pages import renewed

TABLE = Path(__file__).with_name("recipes_speed.csv")
PAGE = Path(__file__).parents[1] / "docs/stats/recipes.md"
ROWS, RUNS = 1_000_000, 30
CASES = ("accuracy", "a value per row", "a value per row, 100,000 groups")


def measured(case: str) -> dict[str, object]:
    """Compare two models in this process."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS).astype(np.int8)
    if case == "accuracy":
        runs = [[np.where(rng.random(ROWS) < p, y, 1 - y) for _ in range(RUNS)] for p in (0.9, 0.8)]
        start = time.process_time()
        recipe_difference(y, *runs)
    else:
        runs = [[rng.normal(size=ROWS) for _ in range(RUNS)] for _ in range(2)]
        groups = np.arange(ROWS) // 10 if "groups" in case else None
        start = time.process_time()
        recipe_mean_difference(*runs, groups=groups)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    seconds = round(time.process_time() - start, 2)
    return {"case": case, "seconds": seconds, "gib": round(peak, 2)}


def page() -> str:
    """Return the page with what was measured."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        found = "; ".join(
            f"{row['case']}: {float(row['seconds']):.1f} s and {float(row['gib']):.2f} GiB"
            for row in csv.DictReader(file)
        )
    return renewed(
        PAGE,
        "speed",
        f"**Cost.** {RUNS} runs of each of two models on {ROWS:,} rows, in one pass on one core, "
        f"the runs themselves included in the memory ({Path(__file__).name}): {found}.",
    )


def main() -> None:
    """Measure each case in a process of its own, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument("--case", help="measure one case in this process")
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(measured(arguments.case)))
        return
    if not arguments.page:
        command = [sys.executable, "-m", "benchmarks.recipes_speed", "--case"]
        outputs = [subprocess.check_output([*command, case], text=True) for case in CASES]
        tables.write(TABLE, [json.loads(output) for output in outputs])
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

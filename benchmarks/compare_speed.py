"""Time and memory of `bakeoff compare` on large tables, beside a loop over all pairs.

    python -m benchmarks.compare_speed            # 100,000 rows × 5 models, 1,000,000 × 50
    python -m benchmarks.compare_speed --page     # only write the page's table

Each command is a process of its own, imports included, on the same CSV file of labels of ten
letters, one after the other. The loop is what one would write with pandas and mlxtend: read the
file, McNemar's test of every pair, Cochran's Q. Figures go to compare_speed.csv and from there
into docs/performance.md. Nothing else should run on the machine.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from benchmarks import tables
from benchmarks.pages import renewed

HERE = Path(__file__).parent
TABLE = HERE / "compare_speed.csv"
PAGE = HERE.parent / "docs" / "performance.md"
SIZES = ((100_000, 5), (1_000_000, 50))
LABELS = ("aardvarks.", "butterfly.", "crocodiles", "dragonfly.", "elephants.")
HEAD = """\
## Large tables of predictions

`bakeoff compare` beside a loop with pandas and mlxtend (read the file, McNemar's test of every
pair) on the same file: one table, labels of ten letters, each from a cold start
(`benchmarks/compare_speed.py`). Beyond these tests the command gives Cochran's Q, intervals,
corrected p-values and a look at the order of the rows; the loop does not. Of 1,225 pairs the loop
compares 20; the others are counted at the same time each.
"""
FOOT = """\
Labels become codes of one byte as the file is read, and what all pairs of models need is counted 64
rows at once."""
MOST_PAIRS = 20
"""Pairs that the loop compares; the others are taken to cost as much each."""
LEFT = "seconds for the other pairs:"
COMMANDS = {
    "bakeoff compare": ("-m", "bakeoff", "compare"),
    "pandas and mlxtend": ("-m", "benchmarks.compare_speed", "--loop"),
}


def write_table(path: Path, rows: int, models: int) -> None:
    """Write labels of models of unequal skill."""
    rng = np.random.default_rng(0)
    names = pa.array(LABELS)
    truth = rng.integers(len(LABELS), size=rows)
    columns = {"y_true": names.take(pa.array(truth))}
    for m in range(models):
        guess = rng.integers(len(LABELS), size=rows)
        said = np.where(rng.random(rows) < 0.8 + 0.1 * m / models, truth, guess)
        columns[f"model_{m}"] = names.take(pa.array(said))
    pa.csv.write_csv(pa.table(columns), path)


def loop(path: str) -> None:
    """Compare as one would without this package."""
    import pandas as pd
    from mlxtend.evaluate import mcnemar, mcnemar_table

    said = pd.read_csv(path)
    truth = said.pop("y_true").to_numpy()
    pairs = list(combinations(said, 2))
    start = time.perf_counter()
    for a, b in pairs[:MOST_PAIRS]:
        print(a, b, mcnemar(mcnemar_table(truth, said[a].to_numpy(), said[b].to_numpy())))
    each = (time.perf_counter() - start) / len(pairs[:MOST_PAIRS])
    print(f"{LEFT} {each * len(pairs[MOST_PAIRS:])}")


def measured(command: tuple[str, ...], path: Path) -> dict[str, float]:
    """Run a command to its end and return what it took."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        words = [sys.executable, *command, str(path)]
        process = subprocess.Popen(words, cwd=HERE.parent, stdout=output)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            sys.exit(f"{command} failed")
        output.seek(0)
        *_, last = output.read().splitlines()
    # the loop runs on one core: what its other pairs would take is the same by either clock
    left = float(last.removeprefix(LEFT)) if last.startswith(LEFT) else 0.0
    return {
        "seconds": round(seconds + left, 2),
        "cpu_seconds": round(used.ru_utime + used.ru_stime + left, 2),
        "peak_mib": round(used.ru_maxrss / 1024),
    }


def measure() -> None:
    """Run both commands on files of all sizes and write the table."""
    rows = []
    for n, models in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "predictions.csv")
            write_table(path, n, models)
            for name, command in COMMANDS.items():
                facts = {"command": name, "rows": n, "models": models}
                facts |= {"file_mib": round(path.stat().st_size / 2**20)}
                rows.append(facts | measured(command, path))
                print(rows[-1], flush=True)
    versions = "; ".join(f"{name} {version(name)}" for name in ("pandas", "mlxtend", "pyarrow"))
    tables.write(TABLE, ({**row, "versions": versions} for row in rows))


def text() -> str:
    """Return what the page says."""
    if not TABLE.exists():
        return "*Not measured for this version.*"
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    lines = [
        "| | rows × models | CSV | seconds | CPU seconds | peak memory |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['command']} | {int(row['rows']):,} × {row['models']} | {int(row['file_mib']):,} "
        f"MiB | {float(row['seconds']):,.1f} | {float(row['cpu_seconds']):,.1f} | "
        f"{int(row['peak_mib']):,} MiB |"
        for row in rows
    ]
    table = "\n".join(lines)
    return f"{HEAD}\n{table}\n\n{FOOT} Versions: {rows[0]['versions']}."


def page() -> str:
    """Return the page with the table of today's results."""
    return renewed(PAGE, "compare", text())


def main() -> None:
    """Measure, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loop", metavar="FILE", help="run the loop on a file")
    parser.add_argument("--page", action="store_true", help="only write the page's table")
    arguments = parser.parse_args()
    if arguments.loop:
        loop(arguments.loop)
        return
    if not arguments.page:
        measure()
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Time and memory of `bakeoff compare --datasets` on small and large tables of scores.

    python -m benchmarks.score_tables_speed            # two minutes
    python -m benchmarks.score_tables_speed --page     # only write the page's table

Each command is a process of its own, imports included. Processor time counts, user and system, so
that other work on the machine changes little; of three runs of the small table the least. Figures
go to score_tables_speed.csv and from there into docs/score-tables.md.
"""

from __future__ import annotations

import csv
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks import tables
from benchmarks.pages import renewed, study

HERE = Path(__file__).parent
TABLE = HERE / "score_tables_speed.csv"
PAGE = HERE.parent / "docs/score-tables.md"
SMALL = HERE.parent / "docs/gallery/demsar-2006.csv"


class Size(NamedTuple):
    """A table, and how often it is run."""

    datasets: int
    models: int
    runs: int = 1


SIZES = (
    Size(14, 4, runs=3),
    Size(100, 30),
    Size(100, 200),
    Size(1000, 500),
    Size(500, 1000),
)


def write_table(path: Path, size: Size) -> None:
    """Write scores of models of unequal strength, the one of Demšar (2006) for the small one."""
    if size.datasets == SIZES[0].datasets:
        path.write_bytes(SMALL.read_bytes())
        return
    rng = np.random.default_rng(1)
    shape = size.datasets, size.models
    scores = rng.normal(size=(size.datasets, 1)) + 0.3 * rng.normal(size=size.models)
    scores = scores + rng.normal(size=shape)
    frame = pd.DataFrame(scores.round(6), columns=[f"m{j}" for j in range(size.models)])
    frame.insert(0, "dataset", [f"d{i}" for i in range(size.datasets)])
    frame.to_csv(path, index=False)


def measured(path: Path, size: Size) -> tuple[float, float]:
    """Run the command and return its processor time in s and its memory in MiB."""
    words = [sys.executable, "-m", "bakeoff", "compare", str(path), "--datasets", "dataset"]
    words += ["--values", "higher"]
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(words[0], words, os.environ, file_actions=quiet)
    _, status, used = os.wait4(child, 0)
    if status:
        raise RuntimeError(f"{' '.join(words)} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def rows() -> Iterator[dict[str, Any]]:
    """Measure every size."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        for size in SIZES:
            write_table(path, size)
            seconds, memory = min(measured(path, size) for _ in range(size.runs))
            known = {"datasets": size.datasets, "models": size.models}
            yield known | {"seconds": round(seconds, 1), "mebibytes": round(memory)}


def simulate(_: int) -> None:
    """Measure everything."""
    tables.write(TABLE, rows())


def page() -> str:
    """Return the page with the table."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        found = list(csv.DictReader(lines))
    head = "| data sets | models | processor time | memory |\n|---|---|---|---|\n"
    text = head + "\n".join(
        f"| {int(row['datasets']):,} | {int(row['models']):,} | "
        f"{float(row['seconds']):.1f} s | {int(row['mebibytes']):,} MiB |"
        for row in found
    )
    return renewed(PAGE, "speed", text)


if __name__ == "__main__":
    study(__doc__, 1, simulate, PAGE, page)

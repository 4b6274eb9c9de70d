"""Measure the speed claims of `bakeoff.stats` against mlxtend and statsmodels, in one run.

    python -m benchmarks.stats            # everything, about a minute
    python -m benchmarks.stats --quick    # smaller tables, a few seconds

Each line says what was measured, how long bakeoff took (the best of several calls), how long
the other package took on the same data, and the ratio. Loops of the other package that would
take minutes are run on a part of the work and scaled; the table says so.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import statsmodels.stats.contingency_tables as sm
from mlxtend import evaluate as mlxtend

from bakeoff import stats


class Line(NamedTuple):
    """One measurement; `goal` is the most seconds (or the least ratio) it may take."""

    what: str
    ours: float
    other: str
    theirs: float | None
    goal: str
    met: bool


def timed(function: Callable[[], object], repeats: int = 5) -> float:
    """Return the seconds of the fastest call."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def correctness(n: int, models: int) -> np.ndarray:
    """Right/wrong values of models that share most of their errors."""
    rng = np.random.default_rng(0)
    difficulty = rng.random(size=(n, 1), dtype=np.float32)
    own = rng.random(size=(n, models), dtype=np.float32)
    return 0.6 * difficulty + 0.4 * own < np.linspace(0.7, 0.75, models, dtype=np.float32)


def all_pairs(n: int, models: int, sample: int) -> list[Line]:
    """All-pairs McNemar with intervals and adjusted p-values in one call."""
    x = correctness(n, models)
    ours = timed(lambda: stats.all_pairs("mcnemar", x, correction="holm"))
    pairs = list(itertools.combinations(range(models), 2))
    part = pairs[:: max(1, len(pairs) // sample)]
    truth = np.ones(n, dtype=int)
    predictions = [np.ascontiguousarray(column).astype(int) for column in x.T]

    def loop() -> None:
        for a, b in part:
            table = mlxtend.mcnemar_table(truth, predictions[a], predictions[b])
            mlxtend.mcnemar(table, exact=True)

    def loop_statsmodels() -> None:
        for a, b in part:
            table = np.bincount(2 * predictions[a] + predictions[b], minlength=4)
            sm.mcnemar(table.reshape(2, 2), exact=True)

    scale = len(pairs) / len(part)
    what = f"all {len(pairs)} pairs of {models} models x {n:,} rows, McNemar"
    scaled = f" ({len(part)} pairs, scaled)" if len(part) < len(pairs) else ""
    theirs = timed(loop, 1) * scale
    other = timed(loop_statsmodels, 1) * scale
    met = ours < 2 and theirs / ours >= 50
    return [
        Line(f"{what}, CIs, Holm", ours, f"mlxtend, p only{scaled}", theirs, "< 2 s, >= 50x", met),
        Line(f"{what}, CIs, Holm", ours, f"statsmodels, p only{scaled}", other, "", True),
    ]


def omnibus(n: int) -> list[Line]:
    """Cochran's Q and Looney's F: cost against rows and models."""
    lines = []
    few = correctness(n, 12)
    truth = np.ones(n, dtype=int)
    columns = [column.astype(int) for column in few.T]
    for name, ours, theirs in (
        ("Cochran's Q", stats.cochran_q, mlxtend.cochrans_q),
        ("Looney's F", stats.looney_f, mlxtend.ftest),
    ):
        mine = timed(lambda test=ours: test(few))
        other = timed(lambda test=theirs: test(truth, *columns), 1)
        what = f"{name}, 12 models x {n:,} rows"
        lines.append(Line(what, mine, "mlxtend (2^12 patterns)", other, "> 1x", other > mine))
        seconds = {}
        for rows, models in ((n, 15), (n, 30), (n, 60), (10 * n, 30)):
            x = correctness(rows, models)
            seconds[rows, models] = timed(lambda test=ours, x=x: test(x))
            q = timed(lambda x=x: sm.cochrans_q(x), 1) if name == "Cochran's Q" else None
            # linear: no more than twice what the size explains, and a millisecond of overhead
            size = rows * models / (n * 15)
            met = seconds[rows, models] < 2 * size * seconds[n, 15] + 1e-3
            what = f"{name}, {models} models x {rows:,} rows"
            other_name = "statsmodels" if q else "mlxtend: 2^M patterns, out of reach"
            lines.append(Line(what, seconds[rows, models], other_name, q, "linear in n M", met))
    return lines


def discordant() -> list[Line]:
    """Exact McNemar with a million discordant pairs."""
    counts = {
        "both_correct": 0,
        "only_a_correct": 501_000,
        "only_b_correct": 499_000,
        "both_wrong": 0,
    }
    table = np.array([[0, 501_000], [499_000, 0]])
    lines = []
    for variant in ("exact", "midp"):
        ours = timed(lambda v=variant: stats.mcnemar_from_counts(**counts, variant=v))
        what = f"McNemar {variant}, 10^6 discordant pairs, both CIs"
        theirs = timed(lambda: mlxtend.mcnemar(table, exact=True))
        other = timed(lambda: sm.mcnemar(table, exact=True))
        lines += [
            Line(what, ours, "mlxtend exact, p only", theirs, "< 10 ms", ours < 0.01),
            Line(what, ours, "statsmodels exact, p only", other, "< 10 ms", ours < 0.01),
        ]
    return lines


def data_sets() -> list[Line]:
    """Post hoc tests over data sets."""
    scores = np.random.default_rng(0).normal(size=(100, 10)) + np.linspace(0, 0.5, 10)
    lines = []
    for correction in ("holm", "hommel", "shaffer"):
        ours = timed(lambda c=correction: stats.friedman_posthoc(scores, correction=c))
        what = f"z post hoc, {correction}, 10 models x 100 data sets"
        lines.append(Line(what, ours, "", None, "< 1 s", ours < 1))
    ours = timed(lambda: stats.nemenyi(scores))
    lines.append(Line("Nemenyi, 10 models x 100 data sets", ours, "", None, "< 1 s", ours < 1))
    return lines


def report(lines: list[Line]) -> None:
    """Print the table."""
    print(f"{os.cpu_count()} cores, numpy {np.__version__}, python {sys.version.split()[0]}\n")
    print("| measured | bakeoff | other package | its time | ratio | goal | met |")
    print("|---|---:|---|---:|---:|---|---|")
    for line in lines:
        theirs = f"{1e3 * line.theirs:.4g} ms" if line.theirs is not None else ""
        ratio = f"{line.theirs / line.ours:.3g}x" if line.theirs is not None else ""
        met = ("yes" if line.met else "NO") if line.goal else ""
        print(
            f"| {line.what} | {1e3 * line.ours:.4g} ms | {line.other} | {theirs} | {ratio} "
            f"| {line.goal} | {met} |"
        )


def main() -> int:
    """Run the benchmark; the exit code is 1 if a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="smaller tables")
    quick = parser.parse_args().quick
    lines = [
        *(all_pairs(10_000, 30, 30) if quick else all_pairs(100_000, 100, 500)),
        *omnibus(1_000 if quick else 10_000),
        *discordant(),
        *data_sets(),
    ]
    report(lines)
    return 0 if all(line.met for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())

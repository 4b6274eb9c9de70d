"""How strong the tests are: the share of small faults in `src` that make one of them fail.

A mutant is the code with one point changed: a comparison, an operator, a number, a truth value, or
what a function returns. Of all points 300 are drawn (`--seed`), from each room in proportion to its
points and at least 15. Each is tried on a copy of the tree: the tests that run the mutated
function go, those of the mirrored file first, until one fails. A mutant whose tests all pass has
survived: a fault there would go unnoticed.

    python -m benchmarks.mutants                      # all rooms, one process per core
    python -m benchmarks.mutants --rooms stats fit    # only these; the others' rows stay
    python -m benchmarks.mutants --far 1              # only tests of the room itself: quick
    python -m benchmarks.mutants --survivors          # then what survived, or has not been tried
    python -m benchmarks.mutants --list               # show the mutants, run nothing
    python -m benchmarks.mutants --page               # write the table into docs/testing.md

Each file of tests runs once without a mutation, to learn which functions each test runs and how
long it takes; tests that fail then are left out. A fork server keeps the libraries imported, so a
mutant costs what its tests cost. The tests are those of one process (`tests/unit`, `contract`,
`reference` and the examples in docstrings): what only runs of Snakemake would notice survives.
Results are in benchmarks/mutants.csv; benchmarks/mutants_equivalent.csv says of survivors why
nobody could tell them from the code as it is.
"""

from __future__ import annotations

import argparse
import csv
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields
from pathlib import Path
from queue import Queue

from benchmarks.mutant_points import ROOT, Mutant, draw, hash_of
from benchmarks.mutant_runs import Copy, Known, attempt
from benchmarks.pages import renewed

TABLE = ROOT / "benchmarks/mutants.csv"
EQUIVALENT = ROOT / "benchmarks/mutants_equivalent.csv"
PAGE = ROOT / "docs/testing.md"
COUNT = 300
TARGETS = dict.fromkeys(("stats", "comparisons", "scores", "data", "fit"), 0.9)

COLUMNS = (*(field.name for field in fields(Mutant)), "outcome", "by")


def read(file: Path) -> list[dict[str, str]]:
    """Read a CSV, if it is there."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def keep(mutants: list[Mutant], outcomes: dict[Mutant, tuple[str, str]]) -> None:
    """Write outcomes; those of mutants that were not tried this time stay."""
    before = {_key(row): (row["outcome"], row["by"]) for row in read(TABLE)}
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for mutant in mutants:
            outcome = outcomes.get(mutant) or before.get(mutant.key)
            if outcome:
                table.writerow([*asdict(mutant).values(), *outcome])


def _key(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in ("file", "function", "kind", "before", "after", "number"))


def page() -> str:
    """Return docs/testing.md with the table of today's results."""
    reasons = {_key(row): row["reason"] for row in read(EQUIVALENT)}
    rows = read(TABLE)
    lines = [
        "| room | mutants | killed | equivalent | survived | share killed | wanted |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    alive = []
    for name in sorted({row["room"] for row in rows}):
        own = [row for row in rows if row["room"] == name]
        killed = sum(row["outcome"] == "killed" for row in own)
        same = sum(row["outcome"] == "survived" and _key(row) in reasons for row in own)
        left = len(own) - killed - same
        share = killed / (killed + left) if killed + left else 1.0
        wanted = TARGETS.get(name, 0.8)
        lines.append(
            f"| {name} | {len(own)} | {killed} | {same} | {left} | {share:.0%} | {wanted:.0%} |"
        )
        alive += [row for row in own if row["outcome"] == "survived"]
    lines += ["", "What survived:", "", "| where | was | became | why |", "|---|---|---|---|"]
    for row in alive:
        place = f"{row['file'].removeprefix('src/')}, {row['function'] or 'module'}"
        cells = (f"`{_short(row[name])}`" for name in ("before", "after"))
        why = reasons.get(_key(row), "no test runs it" if row["by"] else "not noticed")
        lines.append(f"| {place} | {' | '.join(cells)} | {why} |")
    if not rows:
        lines = ["*Not measured for this version.*"]
    return renewed(PAGE, "mutants", "\n".join(lines))


def _short(code: str) -> str:
    line = " ".join(code.split()).replace("|", "\\|").replace("`", "'")
    return line if len(line) <= 60 else line[:59] + "…"


def main() -> None:
    """Try mutants and write down what became of them."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=COUNT)
    options.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options.add_argument("--far", type=int, default=3, choices=range(4))
    options.add_argument("--rooms", nargs="+", default=[])
    options.add_argument("--survivors", action="store_true")
    options.add_argument("--list", action="store_true")
    options.add_argument("--page", action="store_true")
    given = options.parse_args()
    drawn = draw(given.seed, given.count)
    done = {_key(row) for row in read(TABLE) if row["outcome"] == "killed"}
    todo = [
        mutant
        for mutant in drawn
        if (not given.rooms or mutant.room in given.rooms)
        and not (given.survivors and mutant.key in done)
    ]
    if given.list:
        for m in todo:
            print(f"{m.file}:{m.line} {m.function}: {m.before}  →  {m.after}")
    elif not given.page:
        try_all(drawn, todo, given.jobs, given.far)
    if not given.list:
        PAGE.write_text(page(), encoding="utf-8")


def try_all(drawn: list[Mutant], todo: list[Mutant], jobs: int, far: int) -> None:
    """Try mutants, several at once, each worker on a copy of its own."""
    outcomes: dict[Mutant, tuple[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        copies: Queue[Copy] = Queue()
        for i in range(jobs):
            copies.put(Copy(Path(folder) / str(i)))
        known = Known()

        def one(mutant: Mutant) -> None:
            copy = copies.get()
            try:
                outcomes[mutant] = attempt(copy, mutant, known, far)
            finally:
                copies.put(copy)
            outcome, by = outcomes[mutant]
            print(
                f"{len(outcomes)}/{len(todo)} {outcome}: {mutant.file}:{mutant.line} {by}",
                flush=True,
            )
            keep(drawn, outcomes)

        with ThreadPoolExecutor(jobs) as threads:  # in an order that makes any beginning a sample
            list(threads.map(one, sorted(todo, key=lambda m: hash_of(0, m))))
        for _ in range(jobs):
            copies.get().close()


if __name__ == "__main__":
    main()

"""How strong the tests are: the share of small faults in `src` that make one of them fail.

A mutant is the code with one point changed: a comparison, an operator, a number, a truth value, or
what a function returns. Of all points 300 are drawn (`--seed`), from each room in proportion to its
points and at least 15. Each is tried on a copy of the tree: the tests of the mirrored file go, then
those of the room, the contracts and all others, until one fails. A mutant whose tests all pass has
survived: a fault there would go unnoticed.

    python -m benchmarks.mutants                      # all rooms, one process per core
    python -m benchmarks.mutants --rooms stats fit    # only these; the others' rows stay
    python -m benchmarks.mutants --survivors          # then what survived, or has not been tried

What only runs of Snakemake would notice survives. Results are in benchmarks/mutants.csv, and
benchmarks/mutants_equivalent.csv says of survivors why nobody could tell them from the code.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from benchmarks.harness import Row, markdown, publish, read, write

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "benchmarks/mutants.csv"
EQUIVALENT = ROOT / "benchmarks/mutants_equivalent.csv"
COUNT, LEAST = 300, 15
TARGETS = dict.fromkeys(("stats", "comparisons", "scores", "data", "fit"), 0.9)
ALL = ["tests/unit", "tests/contract", "tests/reference", "src"]

Point = ast.expr | ast.stmt
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """One changed point; `number` tells apart what looks the same within a function."""

    room: str
    file: str
    function: str
    line: int
    kind: str
    before: str
    after: str
    number: int

    @property
    def key(self) -> tuple[str, ...]:
        """Return what names the mutant as long as its function stays as it is."""
        return self.file, self.function, self.kind, self.before, self.after, str(self.number)


def _walk(node: ast.AST, scope: tuple[str, ...] = ()) -> Iterator[tuple[str, str, Point, str]]:
    """Yield function, kind, node and what would stand there, of all below a node."""
    below: Iterable[ast.AST | None] = ast.iter_child_nodes(node)
    match node:
        case ast.JoinedStr():  # Python 3.11 does not say where what is inside texts stands
            return
        case ast.AnnAssign():
            below = [node.value]
        case ast.FunctionDef():
            scope += (node.name,)
            defaults = *node.args.defaults, *node.args.kw_defaults
            below = [*node.decorator_list, *defaults, *node.body]
        case ast.ClassDef():
            scope += (node.name,)
    if isinstance(node, ast.expr | ast.stmt):
        for kind, after in _changes(node):
            yield ".".join(scope), kind, node, after
    for part in below:
        if part is not None:
            yield from _walk(part, scope)


def _changes(node: Point) -> Iterator[tuple[str, str]]:
    """Yield the kinds of change a node allows, with what it becomes."""
    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                yield "comparison", _with(node, ops=[*ops[:i], COMPARED[type(op)](), *ops[i + 1 :]])
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in COMPUTED:
            # joined texts look like arithmetic; that their difference fails at once is no merit
            if not any(map(_is_text, ast.iter_child_nodes(node))):
                yield "arithmetic", _with(node, op=COMPUTED[type(op)]())
        case ast.Constant(value=bool(value)):
            yield "boolean", _with(node, value=not value)
        case ast.Constant(value=int(value)):
            yield "constant", _with(node, value=value + 1)
        case ast.Constant(value=float(value)):
            yield "constant", _with(node, value=value * 1.5 + (value == 0))
        case ast.BoolOp(op=op):
            yield "boolean", _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "boolean", f"bool({ast.unparse(operand)})"
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield "return", _with(node, value=ast.Constant(None))


def _with(node: Point, **change: Any) -> str:
    """Return the text of a node with other fields."""
    before = {name: getattr(node, name) for name in change}
    vars(node).update(change)
    text = ast.unparse(node)
    vars(node).update(before)
    return text


def _is_text(node: ast.AST) -> bool:
    texts = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return texts or isinstance(node, ast.JoinedStr)


def points(file: str) -> Iterator[tuple[Mutant, Point]]:
    """Yield every mutant of a file, with the node it replaces."""
    seen: Counter[tuple[str, ...]] = Counter()
    for function, kind, node, after in _walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        before = ast.unparse(node)
        same = function, kind, before, after
        seen[same] += 1
        yield Mutant(room(file), file, function, node.lineno, kind, before, after, seen[same]), node


def room(file: str) -> str:
    """Return the part of the package that a file belongs to."""
    folders = Path(file).parts[1:-1]
    return folders[1] if len(folders) > 1 else folders[0]


def mutated(mutant: Mutant) -> str:
    """Return the text of a file with its one change, line by line where it was."""
    node = next(node for other, node in points(mutant.file) if other == mutant)
    source = (ROOT / mutant.file).read_text(encoding="utf-8")
    lines = [line.encode() for line in source.splitlines(keepends=True)]
    assert node.end_lineno is not None
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + (node.end_col_offset or 0)
    rest = "\n" * (node.end_lineno - node.lineno)
    text = mutant.after + rest if isinstance(node, ast.stmt) else f"({mutant.after}{rest})"
    whole = source.encode()
    return (whole[:start] + text.encode() + whole[end:]).decode()


def draw(seed: int) -> list[Mutant]:
    """Draw mutants; which ones does not depend on what else is in the package."""
    by_room: dict[str, list[Mutant]] = defaultdict(list)
    for path in sorted((ROOT / "src").rglob("*.py")):
        for mutant, _ in points(path.relative_to(ROOT).as_posix()):
            by_room[mutant.room].append(mutant)
    total = sum(map(len, by_room.values()))
    return [
        mutant
        for _, mutants in sorted(by_room.items())
        for mutant in sorted(mutants, key=lambda m: hash_of(seed, m))[
            : max(LEAST, round(COUNT * len(mutants) / total))
        ]
    ]


def hash_of(seed: int, mutant: Mutant) -> bytes:
    """Return a random place in a line, always the same."""
    return hashlib.sha256(repr((seed, mutant.key)).encode()).digest()


# Tests ------------------------------------------------------------------------------------------


def attempt(folder: Path, mutant: Mutant) -> tuple[str, str]:
    """Try a mutant, by the tests nearest to it first; return the outcome and what noticed it."""
    mirror = f"test_{Path(mutant.file).stem.lstrip('_')}.py"
    near = [file.relative_to(ROOT).as_posix() for file in (ROOT / "tests/unit").rglob(mirror)]
    room = f"tests/unit/{mutant.room}"
    stages = (
        ([*near, mutant.file], 300),
        ([room] if (ROOT / room).is_dir() else [], 1800),
        (["tests/contract", "tests/reference"], 1800),
        (ALL, 7200),
    )
    place = folder / mutant.file
    original = place.read_bytes()
    place.write_text(mutated(mutant), encoding="utf-8")
    try:
        for tests, seconds in stages:
            if tests and (by := first_failure(folder, tests, seconds)):
                return "killed", by
    finally:
        place.write_bytes(original)
    return "survived", ""


def first_failure(folder: Path, tests: list[str], seconds: int) -> str:
    """Run tests of a copy of the tree until one fails; return which, or "" if none does."""
    paths = os.pathsep.join([str(folder / "src"), str(folder)])
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    options = ["-x", "-q", "-n0", "-m", "not slow", "-p", "no:cacheprovider", "--tb=no"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=folder,
        env={**os.environ, **one, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        told, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "no end"
    failed = re.search(r"(?m)^(?:FAILED|ERROR) (\S.*?)(?: - |$)", told)
    if process.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return ""
    return failed[1] if failed else "pytest cannot start"


# Results ----------------------------------------------------------------------------------------


def keep(mutants: list[Mutant], outcomes: dict[Mutant, tuple[str, str]]) -> None:
    """Write outcomes; those of mutants that were not tried this time stay."""
    known = {_key(row): (row["outcome"], row["by"]) for row in read(TABLE)}
    known |= {mutant.key: outcome for mutant, outcome in outcomes.items()}
    rows = ((mutant, known[mutant.key]) for mutant in mutants if mutant.key in known)
    write(TABLE, [asdict(m) | {"outcome": outcome, "by": by} for m, (outcome, by) in rows])


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in ("file", "function", "kind", "before", "after", "number"))


def table() -> str:
    """Return the shares killed, and what survived, or why there is no sample."""
    reasons = {_key(row): row["reason"] for row in read(EQUIVALENT)}
    rows = read(TABLE)
    lines, alive = [], []
    for name in sorted({row["room"] for row in rows}):
        own = [row for row in rows if row["room"] == name]
        killed = sum(row["outcome"] == "killed" for row in own)
        same = sum(row["outcome"] == "survived" and _key(row) in reasons for row in own)
        left = len(own) - killed - same
        share = killed / (killed + left) if killed + left else 1.0
        counts = name, len(own), killed, same, left
        lines.append((*counts, f"{share:.0%}", f"{TARGETS.get(name, 0.8):.0%}"))
        for row in own:
            if row["outcome"] == "survived":
                place = f"{row['file'].removeprefix('src/')}, {row['function'] or 'module'}"
                codes = (f"`{_short(row[key])}`" for key in ("before", "after"))
                alive.append((place, *codes, reasons.get(_key(row), "not noticed")))
    heads = "room", "mutants", "killed", "equivalent", "survived", "share killed", "wanted"
    survivors = markdown(("where", "was", "became", "why"), alive)
    return f"{markdown(heads, lines, 1)}\n\nWhat survived:\n\n{survivors}"


PAGES = {"testing.md": {"mutants": table}}


def _short(code: str) -> str:
    line = " ".join(code.split()).replace("|", "\\|").replace("`", "'")
    return line if len(line) <= 60 else line[:59] + "…"


def main() -> None:
    """Try mutants, several at once, and write down what became of them."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options.add_argument("--rooms", nargs="+", default=[])
    options.add_argument("--survivors", action="store_true")
    given = options.parse_args()
    drawn = draw(given.seed)
    done = {_key(row) for row in read(TABLE) if row["outcome"] == "killed"}
    todo = [
        mutant
        for mutant in drawn
        if (not given.rooms or mutant.room in given.rooms)
        and not (given.survivors and mutant.key in done)
    ]
    outcomes: dict[Mutant, tuple[str, str]] = {}
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(given.jobs) as threads:
        copies: Queue[Path] = Queue()
        for i in range(given.jobs):
            left_out = shutil.ignore_patterns(".git", ".venv", ".snakemake", ".*_cache")
            copies.put(Path(shutil.copytree(ROOT, Path(place) / str(i), ignore=left_out)))

        if failing := first_failure(copies.queue[0], ALL, 7200):
            sys.exit(f"{failing} fails without a mutation")

        def one(mutant: Mutant) -> None:
            folder = copies.get()
            try:
                outcomes[mutant] = attempt(folder, mutant)
            finally:
                copies.put(folder)
            done, (outcome, by) = f"{len(outcomes)}/{len(todo)}", outcomes[mutant]
            print(f"{done} {outcome}: {mutant.file}:{mutant.line} {by}", flush=True)
            keep(drawn, outcomes)

        # in an order that makes any beginning a sample
        list(threads.map(one, sorted(todo, key=lambda m: hash_of(0, m))))
    publish(PAGES)


if __name__ == "__main__":
    main()

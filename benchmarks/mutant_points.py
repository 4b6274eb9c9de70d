"""The points of the code where a mutant differs from it."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LEAST = 15

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


def draw(seed: int, count: int) -> list[Mutant]:
    """Draw mutants; which ones does not depend on what else is in the package."""
    by_room: dict[str, list[Mutant]] = defaultdict(list)
    for path in sorted((ROOT / "src").rglob("*.py")):
        for mutant, _ in points(path.relative_to(ROOT).as_posix()):
            by_room[mutant.room].append(mutant)
    total = sum(map(len, by_room.values()))
    drawn = []
    for _, mutants in sorted(by_room.items()):
        share = max(LEAST, round(count * len(mutants) / total))
        mutants.sort(key=lambda m: hash_of(seed, m))
        drawn += mutants[:share]
    return drawn


def hash_of(seed: int, mutant: Mutant) -> bytes:
    """Return a random place in a line, always the same."""
    return hashlib.sha256(repr((seed, mutant.key)).encode()).digest()

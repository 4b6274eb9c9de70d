"""What every study shares: its CSV file, what a count of rejections says, and tables."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff.spec.learners import LEARNERS
from bakeoff.stats import Result, TypeOneError, proportion_ci

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
Array = np.ndarray[Any, np.dtype[Any]]
Row = dict[str, str]


# CSV -------------------------------------------------------------------------------------------


def write(file: Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> None:
    """Write rows, in place of what is there; the columns are those of the first row by default."""
    found = list(rows)
    lines = io.StringIO()
    table = csv.DictWriter(lines, columns or list(found[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(found)
    partial = file.with_suffix(".partial")
    partial.write_text(lines.getvalue(), encoding="utf-8")
    partial.replace(file)


def read(file: Path) -> list[Row]:
    """Read the rows of a file; none if it is not there."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


Cell = tuple[Mapping[str, Any], Callable[[], Mapping[str, Any] | Sequence[Mapping[str, Any]]]]
"""What a cell is, and what simulates the rest of its row, or of its rows."""


def fill(file: Path, cells: Iterable[Cell], columns: Sequence[str] = ()) -> Iterator[object]:
    """Simulate the cells that a file does not hold yet; write and yield each when it is done."""
    rows = read(file)
    for cell, simulate in cells:
        facts = {key: str(value) for key, value in cell.items()}
        if not any(facts.items() <= row.items() for row in rows):
            found = simulate()
            for one in [found] if isinstance(found, Mapping) else found:
                rows.append(facts | {key: str(value) for key, value in one.items()})
            write(file, rows, columns)
            yield cell


def named(names: Sequence[str], cell: Sequence[object]) -> dict[str, object]:
    """Return what a cell is, by name."""
    return dict(zip(names, cell, strict=True))


# Rejections ------------------------------------------------------------------------------------


class Rejections:
    """A count of rejections in a number of runs; an undecided test does not reject."""

    runs: int
    rejected: int

    @property
    def rate(self) -> float:
        """The share of rejections."""
        return self.rejected / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the rate."""
        low, high = proportion_ci(self.rejected, self.runs)
        return low, high

    def verdict(self, among: int = 1) -> TypeOneError:
        """Liberal: surely above .06; conservative: surely below .03; else it holds.

        Surely: by Wilson's interval, at 95 % for `among` such rates together (Bonferroni).
        """
        low, high = proportion_ci(self.rejected, self.runs, confidence_level=1 - 0.05 / among)
        if low > 0.06:
            return TypeOneError.LIBERAL
        return TypeOneError.CONSERVATIVE if high < 0.03 else TypeOneError.HOLDS


def liberal(rates: Iterable[Any]) -> list[Any]:
    """Keep the rates of one test, each of a family, that are surely above .06.

    A kind of learner stands for many settings of it, sizes and kinds of classes, and the highest of
    many rates is above its true value: it is judged by all its regimes together. A situation is
    judged by each of its own.
    """
    known = list(rates)
    regimes = Counter(rate.family for rate in known)

    def among(family: str) -> int:
        return regimes[family] if family.partition(" by ")[0] in LEARNERS else 1

    return [r for r in known if r.verdict(among(r.family)) is TypeOneError.LIBERAL]


def flagged(result: Result) -> bool:
    """Whether a result says that one of its assumptions fails."""
    return any(assumption.holds is False for assumption in result.assumptions)


# Pages -----------------------------------------------------------------------------------------


def markdown(
    heads: Sequence[object], rows: Iterable[Sequence[object]], left: int | None = None
) -> str:
    """Return a table; all columns but the first `left` are aligned to the right."""
    left = len(heads) if left is None else left
    rule = "|---" * left + "|---:" * (len(heads) - left) + "|"
    first, *others = (f"| {' | '.join(map(str, cells))} |" for cells in (heads, *rows))
    return "\n".join([first, rule, *others])


def renewed(page: Path, parts: Mapping[str, str]) -> str:
    """Return a page with what stands between marks replaced, by the names in the marks."""
    found = page.read_text(encoding="utf-8") if set(parts) != {""} else parts[""]
    for part, text in parts.items():
        if not part:
            continue
        begin, end = f"<!-- {part}: begin -->\n", f"<!-- {part}: end -->"
        if (found.count(begin), found.count(end)) != (1, 1):
            raise ValueError(f"{page} needs {begin.strip()} and {end}, once each")
        before, rest = found.split(begin)
        _, after = rest.split(end)
        found = f"{before}{begin}\n{text.strip()}\n\n{end}{after}"
    return found

"""What benchmarks measured, as CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any


def write(file: Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> None:
    """Write rows, in place of what is there; the columns are those of the first row by default."""
    found = list(rows)
    partial = file.with_suffix(".partial")
    with partial.open("w", encoding="utf-8", newline="") as lines:
        table = csv.DictWriter(lines, columns or list(found[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(found)
    partial.replace(file)


def read(file: Path) -> list[dict[str, str]]:
    """Read the rows of a file; none if it is not there."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def fill(
    file: Path,
    cells: Iterable[tuple[Mapping[str, Any], Callable[[], Mapping[str, Any]]]],
    columns: Sequence[str] = (),
) -> None:
    """Simulate the cells that a file does not hold yet, and write each when it is done."""
    rows = read(file)
    for cell, simulate in cells:
        facts = {key: str(value) for key, value in cell.items()}
        if not any(facts.items() <= row.items() for row in rows):
            rows.append(facts | {key: str(value) for key, value in simulate().items()})
            write(file, rows, columns)

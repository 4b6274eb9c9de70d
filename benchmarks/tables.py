"""What benchmarks measured, as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
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

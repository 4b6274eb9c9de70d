"""What the data say of the assumptions of a test, over all of its comparisons."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from bakeoff.comparisons import Comparison
from bakeoff.report.numbers import MINUS
from bakeoff.report.study_design import clean

_MINUS = re.compile(r"(?<![\w.])-(?=\d)")


@dataclasses.dataclass(frozen=True)
class Check:
    """One assumption over several comparisons."""

    name: str
    fails: int
    unknown: int
    of: int
    """The comparisons where it does not hold, where that cannot be checked, and all of them."""
    detail: str
    """Of the first where it fails, or else cannot be checked, or else of the first."""


def checked(rows: Iterable[Comparison]) -> Iterator[Check]:
    """Sum up the assumptions of comparisons, in the order in which they are named."""
    found: dict[str, list[tuple[bool | None, str]]] = {}
    for row in rows:
        for a in row.result.get("assumptions", ()):
            found.setdefault(a["name"], []).append((a["holds"], a["detail"]))
    for name, checks in found.items():
        fails = [detail for holds, detail in checks if holds is False]
        unknown = [detail for holds, detail in checks if holds is None]
        detail = (fails or unknown or [checks[0][1]])[0]
        text = clean(_MINUS.sub(MINUS, detail))
        yield Check(clean(name), len(fails), len(unknown), len(checks), text)

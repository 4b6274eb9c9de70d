"""Write the tables of coming-from.md from the tested rows: `python docs/coming_from.py`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE / "coming-from.md"
ROWS = HERE.parent / "tests/coming_from/rows.json"
BLOCK = re.compile(r"(<!-- rows: (.+?): begin -->\n).*?(<!-- rows: \2: end -->\n)", re.DOTALL)
HEAD = "| there | YAML | here | their number | the same? |\n|---|---|---|---|---|\n"
NAMES = {
    "pvalue": "p",
    "cd": "CD",
    "p_a_better": "A better",
    "p_equivalent": "equivalent",
    "p_b_better": "B better",
}


def text() -> str:
    """Return the page with its tables renewed.

    Raises
    ------
    ValueError
        A program has rows and no place on the page, or a place and no rows.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in json.loads(ROWS.read_text())["rows"]:
        rows.setdefault(row["program"], []).append(row)
    page = PAGE.read_text()
    places = [found[2] for found in BLOCK.finditer(page)]
    if sorted(places) != sorted(rows):
        raise ValueError(f"places: {sorted(places)}, programs with rows: {sorted(rows)}")
    return BLOCK.sub(lambda m: m[1] + "\n" + table(rows[m[2]]) + "\n" + m[3], page)


def table(rows: list[dict[str, Any]]) -> str:
    """Return the table of one program."""
    return HEAD + "".join(map(line, rows))


def line(row: Mapping[str, Any]) -> str:
    """Return one row."""
    calls = [row[key] for key in ("python", "api", "command") if key in row]
    cells = (
        code(row["theirs"]),
        "<br>".join(map(code, row.get("yaml", row.get("setting", "")).splitlines())),
        "<br>".join(map(code, calls)),
        f"{values(row['numbers'])}<br>{row['source']}" if row["numbers"] else "not compared here",
        answer(row),
    )
    return f"| {' | '.join(cells)} |\n"


def code(call: str) -> str:
    """Return a call as code; one with code in it is left as it is."""
    return call.replace("|", "\\|") if "`" in call else f"`{call}`".replace("|", "\\|")


def values(numbers: Mapping[str, Any]) -> str:
    """Return numbers with their names; of many the first ones."""
    return ", ".join(f"{NAMES.get(name, name)} {shown(value)}" for name, value in numbers.items())


def shown(value: Any) -> str:
    """Return a number with five digits."""
    if isinstance(value, list):
        return " ".join(map(shown, value[:3])) + (" …" if len(value) > 3 else "")
    return f"{value:.5g}"


def answer(row: Mapping[str, Any]) -> str:
    """Return whether our number is the same, and why not."""
    why = row.get("why", "")
    if row["numbers"] is None:
        return why
    if row["same"]:
        return f"= ({why})" if why else "="
    return f"no, {values(row['ours'])}: {why}"


if __name__ == "__main__":
    PAGE.write_text(text())

"""Pages of the documentation with a part that a benchmark writes: `python -m benchmarks.pages`."""

from __future__ import annotations

import importlib
from pathlib import Path

STUDIES = (
    "any_metric",
    "any_metric_families",
    "any_metric_speed",
    "any_metric_subgroups",
    "clustered_forms",
    "compare_speed",
    "gate",
    "mutants",
    "overhead",
)
"""Modules with a `PAGE` and what is to stand there, `page()`."""


def renewed(page: Path, part: str, text: str) -> str:
    """Return a page with one of its parts replaced.

    Parameters
    ----------
    page : Path
        The page.
    part : str
        Its name in the marks around it: ``<!-- part: begin -->`` and ``<!-- part: end -->``.
    text : str
        What is to stand there.

    Raises
    ------
    ValueError
        The page does not have both marks once.
    """
    begin, end = f"<!-- {part}: begin -->\n", f"<!-- {part}: end -->"
    found = page.read_text(encoding="utf-8")
    if (found.count(begin), found.count(end)) != (1, 1):
        raise ValueError(f"{page} needs {begin.strip()} and {end}, once each")
    before, rest = found.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n{text.strip()}\n\n{end}{after}"


def main() -> None:
    """Write every part anew from the figures that are there."""
    for name in STUDIES:
        study = importlib.import_module(f"benchmarks.{name}")
        study.PAGE.write_text(study.page(), encoding="utf-8")


if __name__ == "__main__":
    main()

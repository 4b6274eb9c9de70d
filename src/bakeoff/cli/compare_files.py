"""Files that `bakeoff compare` writes on request: the report page and its tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bakeoff.files import write_texts
from bakeoff.report.page import Page
from bakeoff.report.study import Study
from bakeoff.report.tables import to_csv


def write(places: Mapping[str, Path], study: Study) -> None:
    """Write the page and the tables, when all of them are made."""
    page = Page(study, alone=True)
    written: dict[Path, str] = {}
    if "html" in places:
        written[places["html"]] = page.html
    if "markdown" in places:
        written[places["markdown"]] = page.brief
    if "latex" in places:
        written[places["latex"]] = page.latex
    if "csv" in places:
        written |= {places["csv"] / f"{name}.csv": to_csv(one) for name, one in page.tables.items()}
    write_texts(written)

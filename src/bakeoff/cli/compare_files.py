"""What `bakeoff compare` writes where it is asked: the page, and its tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bakeoff.files import write_text
from bakeoff.report.make import items_of, make_latex, make_markdown, make_page, make_tables
from bakeoff.report.study import Study
from bakeoff.report.tables import to_csv
from bakeoff.report.verdict import Verdict


def write(places: Mapping[str, Path], study: Study, verdict: Verdict) -> None:
    """Write the page and the tables, when all of them are made.

    Parameters
    ----------
    places : Mapping of option to path
        Where to: files of ``html``, ``markdown`` and ``latex``, the folder of ``csv``.
    study, verdict
        What was found, by which command.
    """
    items = items_of(study)
    tables = make_tables(study, items)
    written: dict[Path, str] = {}
    if "html" in places:
        written[places["html"]] = make_page(study, verdict, items, tables)
    if "markdown" in places:
        written[places["markdown"]] = make_markdown(verdict, tables)
    if "latex" in places:
        written[places["latex"]] = make_latex(tables)
    if "csv" in places:
        written |= {places["csv"] / f"{name}.csv": to_csv(one) for name, one in tables.items()}
    for path, text in written.items():
        write_text(path, text)

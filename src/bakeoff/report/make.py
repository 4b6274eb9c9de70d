"""Make the whole report of a study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bakeoff.files import write_text
from bakeoff.report import page
from bakeoff.report.drawing import save, svg
from bakeoff.report.exhibit import Drawing
from bakeoff.report.exhibits import build, draw, exhibits, records
from bakeoff.report.item import Item
from bakeoff.report.study import Study
from bakeoff.report.tables import PageTable, markdown, to_csv, to_latex, to_markdown
from bakeoff.report.verdict import Verdict, answer

PRINTED = ("pdf", "png")


def make_report(study: Study, folder: str | Path) -> None:
    """Write the page, the verdict and the methods paragraph, figures as SVG, tables and captions.

    Parameters
    ----------
    study : Study
        What to report.
    folder : path
        Where to; it may hold other files.
    """
    root = Path(folder)
    items = exhibits(study)
    verdict, tables = answer(study), make_tables(study, items)
    drawings, pictures = _drawn(study, items)
    bound = page.Page(study, verdict, items, drawings, tables, pictures)
    write_text(root / "report.html", page.html(bound))
    write_text(root / "report.md", page.document(bound))
    write_text(root / "verdict.txt", "\n".join((verdict.headline, *verdict.sentences)) + "\n")
    write_text(root / "methods.txt", bound.methods.text + "\n")
    write_text(root / "methods.tex", bound.methods.latex + "\n")
    write_text(root / "references.bib", bound.bibtex)
    for name, picture in pictures.items():
        write_text(root / "figures" / f"{name}.svg", picture)
    for name, table in tables.items():
        write_text(root / "tables" / f"{name}.csv", to_csv(table))
        write_text(root / "tables" / f"{name}.tex", to_latex(table, name))
    for item in items:
        write_text(root / "captions" / f"{item.kind}.rst", f"{item.caption}\n")


def items_of(study: Study) -> list[Item]:
    """List the tables and figures of a study; of one at hand none about what it does not know."""
    found = exhibits(study)
    if not study.command:
        return found
    rows, known = any(card["rows"] for card in study.cards.values()), records()
    told = [item for item in found if not known[item.kind].of_fits]
    return [item for item in told if rows or not known[item.kind].of_rows]


def make_tables(study: Study, items: Iterable[Item]) -> dict[str, PageTable]:
    """Build the tables among some exhibits, by their names."""
    return {item.name: build(item, study) for item in items if item.form == "table"}


def make_page(
    study: Study, verdict: Verdict, items: Sequence[Item], tables: Mapping[str, PageTable]
) -> str:
    """Return the page of some exhibits as HTML that needs no other file."""
    drawings, pictures = _drawn(study, items)
    return page.html(page.Page(study, verdict, items, drawings, tables, pictures, alone=True))


def make_markdown(verdict: Verdict, tables: Mapping[str, PageTable]) -> str:
    """Return the answer and tables as one text."""
    parts = [f"**{markdown(verdict.headline)}**", *map(markdown, verdict.sentences)]
    for table in tables.values():
        parts += [f"**{markdown(table.title)}**", *([to_markdown(table)] if table.rows else [])]
        parts += [markdown(table.note)] if table.note else []
    return "\n\n".join(parts) + "\n"


def make_latex(tables: Mapping[str, PageTable]) -> str:
    """Return tables for a paper, one after the other."""
    return "\n".join(to_latex(table, name) for name, table in tables.items())


def _drawn(study: Study, items: Iterable[Item]) -> tuple[dict[str, Drawing], dict[str, str]]:
    """Draw the figures among some exhibits; return them also as SVG."""
    drawings = {item.name: draw(item, study) for item in items if item.form == "figure"}
    return drawings, {name: svg(drawing.figure) for name, drawing in drawings.items()}


def make_prints(study: Study, folder: str | Path) -> None:
    """Write the figures as PDF and PNG; apart, for embedding fonts takes longer than the page."""
    for item in exhibits(study):
        if item.form == "figure":
            drawing = draw(item, study)
            for kind in PRINTED:
                save(drawing.figure, Path(folder) / "figures" / f"{item.name}.{kind}")

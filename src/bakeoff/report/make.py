"""Write the whole report of a study."""

from __future__ import annotations

from pathlib import Path

from bakeoff.files import write_text
from bakeoff.report.drawing import save
from bakeoff.report.exhibits import draw, exhibits
from bakeoff.report.page import Page
from bakeoff.report.study import Study
from bakeoff.report.tables import to_csv, to_latex

PRINTED = ("pdf", "png")


def make_report(study: Study, folder: str | Path) -> None:
    """Write page, verdict, methods paragraph, figures as SVG, tables and captions to a folder."""
    root, page = Path(folder), Page(study)
    write_text(root / "report.html", page.html)
    write_text(root / "report.md", page.document)
    write_text(root / "verdict.txt", "\n".join(page.verdict.lines) + "\n")
    write_text(root / "methods.txt", page.methods.text + "\n")
    write_text(root / "methods.tex", page.methods.latex + "\n")
    write_text(root / "references.bib", page.bibtex)
    for name, picture in page.pictures.items():
        write_text(root / "figures" / f"{name}.svg", picture)
    for name, table in page.tables.items():
        write_text(root / "tables" / f"{name}.csv", to_csv(table))
        write_text(root / "tables" / f"{name}.tex", to_latex(table, name))
    for item in page.items:
        write_text(root / "captions" / f"{item.kind}.rst", f"{item.caption}\n")


def make_prints(study: Study, folder: str | Path) -> None:
    """Write the figures as PDF and PNG; apart, for embedding fonts takes longer than the page."""
    for item in exhibits(study):
        if item.form == "figure":
            drawing = draw(item, study)
            for kind in PRINTED:
                save(drawing.figure, Path(folder) / "figures" / f"{item.name}.{kind}")

"""Make the whole report of a study."""

from __future__ import annotations

from pathlib import Path

from bakeoff.files import write_text
from bakeoff.report import page
from bakeoff.report.content import build
from bakeoff.report.exhibits import exhibits
from bakeoff.report.figures import draw
from bakeoff.report.figures.style import save, svg
from bakeoff.report.study import Study
from bakeoff.report.tables import to_csv, to_latex
from bakeoff.report.verdict import answer

PRINTED = ("pdf", "png")


def make_report(study: Study, folder: str | Path) -> None:
    """Write report.html, report.md, verdict.txt, the figures as SVG, and the tables.

    Parameters
    ----------
    study : Study
        What to report.
    folder : path
        Where to; it may hold other files.
    """
    root = Path(folder)
    listed = exhibits(study.experiment)
    verdict = answer(study)
    tables = {e.name: build(e, study) for e in listed if e.form == "table"}
    drawings = {e.name: draw(e, study) for e in listed if e.form == "figure"}
    pictures = {name: svg(drawing.figure) for name, drawing in drawings.items()}
    write_text(root / "report.html", page.html(study, verdict, listed, drawings, tables, pictures))
    write_text(root / "report.md", page.document(study, verdict, listed, drawings, tables))
    write_text(root / "verdict.txt", "\n".join((verdict.headline, *verdict.sentences)) + "\n")
    for name, picture in pictures.items():
        write_text(root / "figures" / f"{name}.svg", picture)
    for name, table in tables.items():
        write_text(root / "tables" / f"{name}.csv", to_csv(table))
        write_text(root / "tables" / f"{name}.tex", to_latex(table, name))


def make_prints(study: Study, folder: str | Path) -> None:
    """Write the figures as PDF and PNG; apart, for embedding fonts takes longer than the page."""
    for exhibit in exhibits(study.experiment):
        if exhibit.form == "figure":
            drawing = draw(exhibit, study)
            for kind in PRINTED:
                save(drawing.figure, Path(folder) / "figures" / f"{exhibit.name}.{kind}")

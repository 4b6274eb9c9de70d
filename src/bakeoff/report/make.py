"""Make the whole report of a study."""

from __future__ import annotations

from pathlib import Path

from bakeoff.files import write_text
from bakeoff.report import page
from bakeoff.report.content import build
from bakeoff.report.exhibits import Exhibit, exhibits
from bakeoff.report.figures import Drawing, draw
from bakeoff.report.figures.style import save
from bakeoff.report.study import Study
from bakeoff.report.tables import Table, to_csv, to_latex
from bakeoff.report.verdict import answer

FIGURE_FILES = ("svg", "pdf", "png")
TABLE_FILES = ("csv", "tex")


def make_report(study: Study, folder: str | Path) -> None:
    """Write report.html, report.md, figures/ and tables/ of a study.

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
    write_text(root / "report.html", page.html(study, verdict, listed, drawings, tables))
    write_text(root / "report.md", page.document(study, verdict, listed, drawings, tables))
    write_text(root / "verdict.txt", "\n".join((verdict.headline, *verdict.sentences)) + "\n")
    _write_files(root, drawings, tables)


def _write_files(root: Path, drawings: dict[str, Drawing], tables: dict[str, Table]) -> None:
    for name, drawing in drawings.items():
        for kind in FIGURE_FILES:
            save(drawing.figure, root / "figures" / f"{name}.{kind}")
    for name, table in tables.items():
        write_text(root / "tables" / f"{name}.csv", to_csv(table))
        write_text(root / "tables" / f"{name}.tex", to_latex(table, name))


__all__ = ["Exhibit", "make_report"]

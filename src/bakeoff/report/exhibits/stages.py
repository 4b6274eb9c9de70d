"""What fitting and predicting cost, by plan."""

from __future__ import annotations

from bakeoff.report import prose
from bakeoff.report.cells import capital, count_cell
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import seconds
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text

COLUMNS = (
    Column("plan", "Stage"),
    Column("fits", "Fits", True),
    Column("fit_seconds", "Fitting", True),
    Column("predict_seconds", "Predicting", True),
    Column("total_seconds", "Both", True),
)


def build(item: Item, study: Study) -> PageTable:
    """Tell what fitting and predicting cost, by plan."""
    rows = []
    for plan in study.experiment.resampling.plans():
        own = study.timings[study.timings["plan"] == plan]
        sums = {name: float(own[name].sum()) for name in ("fit_seconds", "predict_seconds")}
        sums["total_seconds"] = sum(sums.values())
        cells = {name: Cell(seconds(value), value) for name, value in sums.items()}
        plain = {"plan": text(capital(prose.PLANS[plan])), "fits": count_cell(len(own))}
        rows.append(plain | cells)
    note = "Sums of computing time over all models and data sets, on however many cores."
    return tabulate(item, COLUMNS, rows, note)


EXHIBIT = TableExhibit(
    section=Section.MADE,
    place=10,
    title="Time by stage",
    caption="The computing time that fitting and predicting took, by resampling plan, summed over "
    "models and data sets. It differs from run to run; everything else of the report does not.",
    timed=True,
    of_fits=True,
    build=build,
)

"""The fits that failed, whose models were left out."""

from __future__ import annotations

from bakeoff.report import prose
from bakeoff.report.cells import count_cell
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Column, PageTable, tabulate, text

COLUMNS = (
    Column("model", "Model"),
    Column("dataset", "Data set"),
    Column("plan", "Plan"),
    Column("fits", "Failed fits", True),
    Column("why", "Why"),
)


def build(item: Item, study: Study) -> PageTable:
    """Count the fits that failed, whose models were left out, by reason."""
    if study.failed.empty:
        return tabulate(item, COLUMNS, (), "No fit failed, no model was left out.")
    rows = []
    for key, own in study.failed.groupby(["model", "dataset", "plan", "why"], sort=False):
        model, dataset, plan, why = map(str, key)
        rows.append(
            {
                "model": text(study.label(model)),
                "dataset": text(study.dataset_label(dataset)),
                "plan": text(prose.PLANS[plan]),
                "fits": count_cell(len(own)),
                "why": text(clean(why)),
            }
        )
    note = (
        "A model of which one fit failed is left out on that data set altogether; excluded.csv "
        "lists every failed fit."
    )
    return tabulate(item, COLUMNS, rows, note)


def _excluding(asked: Asked) -> bool:
    return asked.experiment.on_error == "exclude" and bool(asked.experiment.fitted)


EXHIBIT = TableExhibit(
    section=Section.TRUST,
    place=40,
    title="Fits that failed",
    caption="The fits that failed. A model of which one fit failed on a data set is left out there "
    "altogether, for scores on different rows cannot be compared; what is said of the other models "
    "does not depend on it.",
    when=_excluding,
    build=build,
)

"""Which rows the halves of two replications have in common."""

from __future__ import annotations

from bakeoff.report.cells import share
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text


def build(item: Item, study: Study) -> PageTable:
    """Show which share of their rows the first halves of two replications have in common."""
    measured = [known for known in study.divisions if known["overlap"]]
    pairs = [tuple(pair["repeats"]) for pair in measured[0]["overlap"]["pairs"]] if measured else []
    columns = (
        Column("dataset", "Data set"),
        *(Column(f"share_{i}_{j}", f"{i} and {j}", True) for i, j in pairs),
        Column("mean", "Mean", True),
    )
    rows = []
    for known in measured:
        found = known["overlap"]
        shares = [*(pair["share"] for pair in found["pairs"]), found["mean"]]
        cells = (Cell(share(value), value) for value in shares)
        named = dict(zip((column.key for column in columns[1:]), cells, strict=True))
        rows.append({"dataset": text(study.dataset_label(known["dataset"])), **named})
    note = (
        "The share of the rows of one replication's first half that are in another's first half; "
        "50% is expected of independent halves."
    )
    return tabulate(item, columns, rows, note)


def _in_halves(asked: Asked) -> bool:
    return "cv_5x2" in asked.divided


EXHIBIT = TableExhibit(
    section=Section.TRUST,
    place=80,
    title="Overlap of the halves",
    caption="For 5 × 2-fold cross-validation: the share of the rows of one replication's first "
    "half that are in another's first half. Independent halves share 50% on average; near 0% or "
    "100% two replications are nearly the same division, and their differences nearly the same "
    "evidence counted twice.",
    when=_in_halves,
    folded="Overlap of the halves",
    of_fits=True,
    build=build,
)

"""How many rows either, both or none of two models has right."""

from __future__ import annotations

from bakeoff.report.cells import capital, count_cell, p_cell
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import pvalue
from bakeoff.report.pairs_shown import COUNTED, MOST_PAIRS, chosen_pairs, families_of
from bakeoff.report.prose import not_independent
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.stats import Entry

COLUMNS = (
    Column("dataset", "Data set"),
    Column("model_a", "A"),
    Column("model_b", "B"),
    *(Column(key, capital(title), True) for key, title in COUNTED.items()),
    Column("pvalue", "p", True),
    Column("pvalue_adjusted", "Adjusted p", True),
)


def build(item: Item, study: Study) -> PageTable:
    """Count the rows that either, both or none of two models has right."""
    families = families_of(study, item.test)
    chosen, which = chosen_pairs(study, len(families), MOST_PAIRS)
    rows = []
    for family in families:
        where = text(study.dataset_label(family.dataset))
        for a, b in chosen:
            row = family.between(a, b)
            found = row.result.get("details", {}) if row else {}
            if row is None or not set(COUNTED) <= set(found):
                continue
            rows.append(
                {
                    **({"dataset": where} if len(study.datasets) > 1 else {}),
                    "model_a": text(study.label(a)),
                    "model_b": text(study.label(b)),
                    **{key: count_cell(int(found[key])) for key in COUNTED},
                    "pvalue": Cell(pvalue(row.pvalue), row.pvalue),
                    "pvalue_adjusted": p_cell(row.pvalue_adjusted, row.alpha),
                }
            )
    note = (
        f"Test rows, {which}. Only the two counts where exactly one model is right bear on the "
        "question."
    )
    note += "".join(dict.fromkeys(not_independent(study, f.dataset) for f in families))
    return tabulate(item, COLUMNS, rows, note)


def _counts_alone(asked: Asked, entry: Entry) -> bool:
    return asked.pairs(entry) and entry.counts


EXHIBIT = TableExhibit(
    section=Section.COMPARISONS,
    place=27,
    title="right and wrong rows",
    caption="How many test rows both models have right, exactly one of them, or none. Only the two "
    "counts of rows on which exactly one model is right bear on the question whether one is right "
    "more often; of the other rows there may be any number.",
    each="test",
    when=_counts_alone,
    folded="Right and wrong rows",
    build=build,
)

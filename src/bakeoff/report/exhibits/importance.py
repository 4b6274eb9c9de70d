"""What each column is worth to each model on the held-out rows, in numbers."""

from __future__ import annotations

from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.important import columns_that_matter, losses, what_is_lost
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, score
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text

MOST_COLUMNS = 30


def build(item: Item, study: Study) -> PageTable:
    """Give the mean loss of each column's shuffles, with their standard deviation."""
    found = losses(study, item.dataset)
    models = list(found)
    names = columns_that_matter(found)
    columns = (
        Column("feature", "Column"),
        *(Column(f"loss_{m}", study.label(m), True) for m in models),
    )
    rows = []
    for name in names[:MOST_COLUMNS]:
        cells = {}
        for model in models:
            known = found[model].get(name)
            shown = f"{score(known.mean)} ± {score(known.sd)}" if known else NONE
            cells[f"loss_{model}"] = Cell(shown, known.mean if known else None)
        rows.append({"feature": text(clean(name)), **cells})
    note = (
        f"{what_is_lost(study)}: mean ± standard deviation over the shuffles; a dash where the "
        "model did not get the column. Columns that tell the same share what they matter, or seem "
        "not to matter at all. It describes these fitted models, not causes."
    )
    if len(names) > MOST_COLUMNS:
        note += (
            f" The {MOST_COLUMNS} of {len(names):,} that matter most; all are in importance.csv."
        )
    return tabulate(item, columns, rows, note)


def wanted(asked: Asked) -> bool:
    """Tell whether the importance of columns was asked for."""
    return asked.experiment.importance is not None


EXHIBIT = TableExhibit(
    section=Section.MODELS,
    place=61,
    title="What the columns are worth, in numbers",
    caption="Permutation importance on the held-out rows (Breiman 2001): what the score of each "
    "fitted model loses when one column is shuffled among these rows. It says what a model made of "
    "a column, not what the column causes, and columns that tell the same share it.",
    each="dataset",
    when=wanted,
    folded="What every column is worth, in numbers",
    build=build,
)

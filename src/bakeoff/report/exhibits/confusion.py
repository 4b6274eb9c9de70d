"""Which classes each model takes for which."""

from __future__ import annotations

from bakeoff.report.cells import count_cell, score_cell
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE
from bakeoff.report.pairs_shown import order
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Column, PageTable, tabulate, text

MOST_CLASSES = 12
"""With more classes, the table names the most frequent error of each instead of counting all."""


def build(item: Item, study: Study) -> PageTable:
    """Count true against predicted classes of every model, with the errors of each class."""
    tested = study.test_sets[item.dataset or study.datasets[0]]
    names = [clean(name) for name in tested.classes]
    few = len(names) <= MOST_CLASSES
    columns = (
        Column("model", "Model"),
        Column("class", "True class"),
        Column("rows", "Rows", True),
        *(Column(f"as_{name}", f"Taken for {name}", True) for name in names if few),
        Column("recall", "Share right", True),
        Column("error", "Most often taken for"),
    )
    rows = []
    for model in (m for m in order(study) if m in tested.models):
        counts = tested.confusion(model)
        for true, (name, own) in enumerate(zip(names, counts, strict=True)):
            if not own.sum():
                continue
            wrong = own.copy()
            wrong[true] = 0
            worst = int(wrong.argmax())
            named = f"{names[worst]} ({wrong[worst]:,})" if wrong[worst] else NONE
            taken = {
                f"as_{k}": count_cell(n) for k, n in zip(names, own.tolist(), strict=True) if few
            }
            rows.append(
                {
                    "model": text(study.label(model)),
                    "class": text(name),
                    "rows": count_cell(int(own.sum())),
                    **taken,
                    "recall": score_cell(float(own[true] / own.sum())),
                    "error": text(named),
                }
            )
    note = "Held-out rows; models from best to worst."
    return tabulate(item, columns, rows, note)


def _with_rows(asked: Asked) -> bool:
    return asked.rows


EXHIBIT = TableExhibit(
    section=Section.COMPARISONS,
    place=60,
    title="Errors, class by class",
    caption="The confusion matrix of every model on the held-out rows: how many rows of each true "
    "class it takes for which class, the share it has right, and its most frequent error. It "
    "describes these rows; small classes make shares that another sample would change much.",
    each="dataset",
    when=_with_rows,
    heading="Errors, class by class",
    folded="Every class of every model",
    build=build,
)

"""How often the two best models say what of rows of each class."""

from __future__ import annotations

import numpy as np

from bakeoff.report.cells import count_cell
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.pairs_shown import order, oriented
from bakeoff.report.patterns import row_patterns
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Column, PageTable, tabulate, text

MOST_ROWS = 60
COLUMNS = (
    Column("true", "True class"),
    Column("model_a", "A"),
    Column("a", "A says"),
    Column("model_b", "B"),
    Column("b", "B says"),
    Column("rows", "Rows", True),
    Column("right", "Right"),
)


def build(item: Item, study: Study) -> PageTable:
    """Count truth × A × B for the two best models, the most frequent first."""
    tested = study.test_sets[item.dataset or study.datasets[0]]
    known = [m for m in order(study) if m in tested.models][:2]
    if len(known) < 2:
        return tabulate(item, COLUMNS, (), "There are no two models to cross.")
    known = list(oriented(study, *known))
    said = [tested.predicted[:, tested.models.index(m)] for m in known]
    found, n = row_patterns(np.column_stack([tested.truth, *said]))
    by_count = np.argsort(-n, kind="stable")
    names = [clean(name) for name in tested.classes]
    a, b = (study.label(model) for model in known)
    right = {(True, True): "both", (True, False): a, (False, True): b, (False, False): "none"}
    rows = [
        {
            **{k: text(names[c]) for k, c in zip(("true", "a", "b"), found[i], strict=True)},
            "model_a": text(a),
            "model_b": text(b),
            "rows": count_cell(int(n[i])),
            "right": text(right[found[i][1] == found[i][0], found[i][2] == found[i][0]]),
        }
        for i in by_count[:MOST_ROWS]
    ]
    rarer = f" {len(n) - MOST_ROWS:,} rarer ones are not shown." if len(n) > MOST_ROWS else ""
    note = f"Held-out rows of the two best models.{rarer}"
    return tabulate(item, COLUMNS, rows, note)


def _two_models(asked: Asked) -> bool:
    return asked.rows and len(asked.experiment.models) > 1


EXHIBIT = TableExhibit(
    section=Section.COMPARISONS,
    place=70,
    title="Truth and the two best models, crossed",
    caption="How many held-out rows of each true class the two best models take for which classes. "
    "Rows on which both say the same, right or wrong, tell nothing of which one is better.",
    each="dataset",
    when=_two_models,
    heading="Truth and the two best models, crossed",
    folded="Every combination",
    build=build,
)

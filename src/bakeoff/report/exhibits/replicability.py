"""On how many data sets, and on which, one model is better than another."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bakeoff.comparisons import Comparison
from bakeoff.report.cells import count_cell
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.family import seen_from
from bakeoff.report.item import Item
from bakeoff.report.numbers import percent, words
from bakeoff.report.pairs_shown import MOST_PAIRS, chosen_pairs, families_of
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.stats import Entry, Evidence, Replicability, TypeOneError, replicability_count

TWO_SIDED = "two-sided"


def build(item: Item, study: Study) -> PageTable:
    """Count for each pair the data sets on which one model is better, and name them."""
    families = families_of(study, item.test)
    if not families:
        return tabulate(item, (Column("pair", "Pair"),), (), "There is no result.")
    first = families[0].rows[0]
    pairs, which = chosen_pairs(study, 1, MOST_PAIRS)
    lines = []
    for a, b in pairs:
        rows = [row for family in families if (row := family.between(a, b)) is not None]
        if rows:
            lines.append(
                {"model_a": text(study.label(a)), "model_b": text(study.label(b))}
                | _side(study, "a", rows)
                | _side(study, "b", [seen_from(row, b) for row in rows])
            )
    columns = (
        Column("model_a", "A"),
        Column("model_b", "B"),
        Column("a_better", "A better on", True),
        Column("a_better_on", "namely"),
        Column("b_better", "B better on", True),
        Column("b_better_on", "namely"),
    )
    sides = "" if first.alternative != TWO_SIDED else ", half of it for either side"
    note = (
        f"Of {len(families)} data sets, by {families[0].measure.title}: on how many a model is "
        f"better, and on which; the chance that a pair has a number too high, or a wrong name, is "
        f"{percent(first.alpha)} at most{sides} (Dror et al. 2017, by Holm's procedure), whatever "
        "relates the data sets. No number says that the models are alike on the others. Pairs are "
        f"each for itself, not adjusted for their number; shown: {which}."
    )
    return tabulate(item, columns, lines, note)


def _side(study: Study, side: str, rows: Sequence[Comparison]) -> dict[str, Cell]:
    found = better_on(rows)
    names = [study.dataset_label(name) for name in found.names]
    return {
        f"{side}_better": count_cell(found.count),
        f"{side}_better_on": text(words(names, len(names)) if names else ""),
    }


def better_on(rows: Sequence[Comparison]) -> Replicability:
    """Count the data sets on which A is better, from one comparison on each.

    A test with two sides spends half of its level on either, so that both answers hold together.
    """
    level = rows[0].alpha / (2 if rows[0].alternative == TWO_SIDED else 1)
    return replicability_count(
        [_one_sided(row) for row in rows], [row.dataset for row in rows], alpha=level
    )


def _one_sided(row: Comparison) -> float:
    """Return the p-value for A being better; 1 where the test cannot tell, or does not ask."""
    if math.isnan(row.pvalue) or row.alternative == "less":
        return 1.0
    if row.alternative == "greater":
        return row.pvalue
    return row.pvalue / 2 if row.estimate > 0 else 1 - row.pvalue / 2


def _on_each_dataset(asked: Asked, entry: Entry) -> bool:
    settles = "margin" not in entry.options and entry.type1 is not TypeOneError.BAYESIAN
    alone = entry.evidence not in (Evidence.DATASET_SCORES, Evidence.FOLD_CRITERIA)
    return asked.several and asked.pairs(entry) and settles and alone


EXHIBIT = TableExhibit(
    section=Section.COMPARISONS,
    place=26,
    title="better on which data sets",
    caption="On how many data sets one model is better than another, and on which, so that the "
    "number is too high with at most the level's probability, whatever relates the data sets "
    "(Dror et al. 2017). More data sets tested by themselves would find some differences by "
    "chance.",
    each="test",
    when=_on_each_dataset,
    folded="Better on which data sets",
    citation="dror2017",
    build=build,
)

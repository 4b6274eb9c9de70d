"""The held-out rows that decide between the two best models."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from bakeoff.comparisons.evidence import has_test
from bakeoff.comparisons.run_tests import difference_options
from bakeoff.report.cells import SCORE, P
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import capital, p_equals
from bakeoff.report.pairs_shown import order
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, Kind, PageTable, tabulate
from bakeoff.report.written import of_target
from bakeoff.stats import catalogue, influence
from bakeoff.stats.metrics.view import NoValue
from bakeoff.threads import on_one_thread

MOST = 10
ROW = Kind(lambda study, row: Cell(f"{row:,}", row))


@on_one_thread
def build_apart(item: Item, study: Study) -> PageTable:
    """List the rows with the largest influence on the difference of the two best models."""
    dataset, metric = item.dataset or study.datasets[0], study.metric
    rows = study.test_sets[dataset]
    names = [m for m in order(study) if m in rows.models][:2]
    columns = (
        Column("row", "Row", ROW),
        Column("observed", "Observed", SCORE),
        *(Column(f"predicted_{m}", study.label(m), SCORE, "model") for m in names),
        Column("favours", "Speaks for"),
        Column("pvalue", "p without it", P),
    )
    if len(names) < 2:
        return tabulate(item, study, columns, (), "Fewer than two models have predictions here.")
    both = rows.only([rows.models.index(m) for m in names])
    pair = dataclasses.replace(both, metric=metric.name)
    entry = catalogue()[pair.difference]

    def pvalue(kept: Any) -> float:
        if len(kept) < 2:
            return math.nan
        some = pair.take(kept)
        options = difference_options(some, study.experiment.costs_on(dataset))
        return float(entry.function(*some.arguments(entry, [0, 1]), **options).pvalue)

    truth, *said = pair.arguments(entry, [0, 1])
    try:
        a, b = (influence(truth, one, metric=pair.engine_metric).psi for one in said)
    except NoValue as reason:
        return tabulate(
            item, study, columns, (), f"{capital(metric.title)} is undefined: {reason}."
        )
    moves = (a - b) if metric.greater_is_better else (b - a)
    largest = np.argsort(-np.abs(moves), kind="stable")[:MOST]
    everyone = np.arange(pair.n)
    found = [
        {
            "written": of_target(study, dataset, pair.predicted - pair.truth[:, None]),
            "row": int(row if pair.ids is None else pair.ids[row]),
            "observed": float(pair.truth[row]),
            **{f"predicted_{m}": float(pair.predicted[row, i]) for i, m in enumerate(names)},
            "favours": study.label(names[int(moves[row] < 0)]),
            "pvalue": pvalue(np.delete(everyone, row)),
        }
        for row in largest
    ]
    note = (
        f"{capital(metric.title)}; with all {pair.n:,} rows {p_equals(pvalue(everyone))}, not "
        f"adjusted ({entry.title})."
    )
    return tabulate(item, study, columns, found, note)


EXHIBITS = {
    "apart": TableExhibit(
        section=Section.COMPARISONS,
        place=40,
        title="Rows that decide",
        caption="The ten held-out rows with the largest influence on the difference between the "
        "two best models, with the observed value, both predictions, the model that the row speaks "
        "for, and the p-value of the difference without this row. “Row” is the row_id in the files "
        "of predictions. If a single row turns the result, the evidence rests on it: look at its "
        "measurement. A row must not be left out because of its influence.",
        each="dataset",
        when=lambda design: (
            design.has_numbers and len(design.models) > 1 and has_test(design.experiment.metrics[0])
        ),
        heading="Rows that decide",
        folded="Rows that decide",
        build=build_apart,
    ),
}

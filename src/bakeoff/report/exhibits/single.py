"""A test of each model by itself."""

from __future__ import annotations

import math

from bakeoff.comparisons import Decision
from bakeoff.report import prose
from bakeoff.report.cells import capital, ci_cell, p_cell, score_cell
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import number, pvalue
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.stats import Arity, Entry

COLUMNS = (
    Column("model", "Model"),
    Column("dataset", "On"),
    Column("metric", "Metric"),
    Column("estimate", "Estimate", True),
    Column("ci_low", "CI", True),
    Column("null_value", "Tested against", True),
    Column("statistic", "Statistic", True),
    Column("pvalue", "p", True),
    Column("pvalue_adjusted", "Adjusted p", True),
    Column("decision", "Says"),
)


def build(item: Item, study: Study) -> PageTable:
    """Show a test of each model by itself."""
    found = [f for f in study.families if f.role == "single" and f.entry.name == item.test]
    rows = [
        {
            "model": text(study.label(row.model_a)),
            "dataset": text(study.dataset_label(row.dataset)),
            "metric": text(study.metrics[row.metric].title),
            "estimate": score_cell(row.estimate),
            "ci_low": ci_cell(row.ci_low, row.ci_high),
            "null_value": Cell(number(value := prose.tested_value(row)), value),
            "statistic": Cell(number(row.statistic), row.statistic),
            "pvalue": Cell(pvalue(row.pvalue), row.pvalue),
            "pvalue_adjusted": p_cell(row.pvalue_adjusted, row.alpha),
            "decision": Cell(
                prose.decision(study, row),
                tone="good" if row.decision is Decision.DIFFERENT else "open",
            ),
        }
        for family in found
        for row in family.rows
    ]
    if not rows:
        return tabulate(item, COLUMNS, rows, "There is no result.")
    first = found[0].rows[0]
    level = f"{prose.level_of(first)}; " if not math.isnan(first.confidence) else ""
    asks = {"greater": "above", "less": "below"}.get(first.alternative)
    side = f"; one-sided: whether it is {asks} the value" if asks else ""
    note = f"{level}{prose.correction(first)}{side}."
    return tabulate(item, COLUMNS, rows, capital(note))


def _of_one(asked: Asked, entry: Entry) -> bool:
    return entry.arity is Arity.ONE


EXHIBIT = TableExhibit(
    section=Section.COMPARISONS,
    place=25,
    title="",
    caption="A test of each model by itself against a fixed value. It does not compare models; the "
    "adjusted p-values are for the family of all models.",
    each="test",
    when=_of_one,
    folded="All numbers",
    build=build,
)

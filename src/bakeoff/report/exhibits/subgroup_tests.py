"""Every number of the comparison in subgroups."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bakeoff.comparisons import Decision
from bakeoff.comparisons.subgroups import INTERACTION
from bakeoff.report.cells import TONES, capital, ci_cell, count_cell, p_cell, score_cell
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.exhibits.subgroups import when
from bakeoff.report.item import Item
from bakeoff.report.numbers import degrees, number, pvalue
from bakeoff.report.prose import DECISIONS, WHY_UNDECIDED, advantage, lower_is_better
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text

COLUMNS = (
    Column("dataset", "Data set"),
    Column("metric", "Metric"),
    Column("column", "By"),
    Column("subgroup", "Subgroup"),
    Column("model_a", "A"),
    Column("model_b", "B"),
    Column("n", "Rows", True),
    Column("estimate", "A − B", True),
    Column("ci_low", "CI", True),
    Column("statistic", "F or t", True),
    Column("df", "df", True),
    Column("pvalue", "p", True),
    Column("pvalue_adjusted", "Adjusted p", True),
    Column("says", "Says"),
)


def build(item: Item, study: Study) -> PageTable:
    """List the interaction of every column and the difference in every subgroup."""
    several = len(study.datasets) > 1
    rows = [
        ({"dataset": text(study.dataset_label(line["dataset"]))} if several else {})
        | _cells(line, study)
        for line in study.subgroups.to_dict("records")
    ]
    note = (
        "“All” is the interaction: whether the difference is the same in all subgroups of the "
        "column (Welch 1951; where groups of rows reach into several subgroups, the largest t of "
        "all pairs of them). P-values of interactions are adjusted over columns and pairs, those "
        "of subgroups over the subgroups and pairs of a column (Holm 1979), for each metric; "
        "intervals hold together likewise. All of it is in subgroups.csv."
    )
    summary = f"{len(rows)} lines" if rows else ""
    shown = [study.metrics[name] for name in dict.fromkeys(study.subgroups["metric"])]
    head = Column("estimate", advantage(shown), True)
    columns = [head if column.key == "estimate" else column for column in COLUMNS]
    return tabulate(item, columns, rows, note + lower_is_better(shown), summary=summary)


def _cells(line: dict[Any, Any], study: Study) -> dict[str, Cell]:
    interaction = line["role"] == INTERACTION
    return {
        "metric": text(capital(study.metrics[line["metric"]].title)),
        "column": text(line["column"]),
        "subgroup": text("All" if interaction else line["subgroup"]),
        "model_a": text(study.label(line["model_a"])),
        "model_b": text(study.label(line["model_b"])),
        "n": count_cell(line["n"]),
        "estimate": Cell(""),
        "ci_low": Cell(""),
        "statistic": Cell(""),
        "df": Cell(""),
        "pvalue": Cell(pvalue(line["pvalue"]), line["pvalue"]),
        "pvalue_adjusted": p_cell(line["pvalue_adjusted"], study.alpha),
        "says": says(line, study),
    } | (_test(line) if interaction else _difference(line))


def _test(line: dict[Any, Any]) -> dict[str, Cell]:
    return {
        "statistic": Cell(number(line["statistic"]), line["statistic"]),
        "df": text(degrees(*(_or_none(line[key]) for key in ("df", "df1", "df2")))),
    }


def _difference(line: dict[Any, Any]) -> dict[str, Cell]:
    return {
        "estimate": score_cell(line["estimate"]),
        "ci_low": ci_cell(line["ci_low"], line["ci_high"]),
    }


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def says(line: Mapping[Any, Any], study: Study) -> Cell:
    """Say what a line shows."""
    decision = Decision(line["decision"])
    if decision is Decision.UNDECIDED:
        why = WHY_UNDECIDED.get(line["status"], str(line["status"]).replace("_", " "))
        return Cell(why, tone="open")
    if decision in (Decision.A_BETTER, Decision.B_BETTER):
        winner = line["model_a" if decision is Decision.A_BETTER else "model_b"]
        return Cell(f"{study.label(winner)} better", tone=TONES[decision])
    if line["role"] == INTERACTION and decision is Decision.DIFFERENT:
        return Cell("it differs", tone="bad")
    return Cell(DECISIONS[decision], tone="open")


EXHIBIT = TableExhibit(
    section=Section.COMPARISONS,
    place=31,
    title="Differences by subgroup, all numbers",
    caption="The difference between two models in each subgroup of the held-out rows, by every "
    "metric, and for each column the test of the interaction. Where a subgroup has too few rows "
    "it has no p-value, and the interaction is about the others.",
    when=when,
    folded="All subgroups",
    citation="hothorn2008",
    build=build,
)

"""Differences between pairs of models in subgroups of the held-out rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bakeoff.comparisons import Decision
from bakeoff.comparisons.evidence import has_test
from bakeoff.comparisons.subgroups import INTERACTION
from bakeoff.report.cells import TONES, capital, ci_cell, count_cell, p_cell, score_cell
from bakeoff.report.drawing import (
    IntervalLine,
    interval_plot,
    message,
    name_of,
)
from bakeoff.report.exhibit import Asked, Drawing, FigureExhibit, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import degrees, interval, number, p_equals, percent, pvalue, score
from bakeoff.report.pairs_shown import order
from bakeoff.report.prose import DECISIONS, WHY_UNDECIDED, advantage, lower_is_better
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.spec.row_columns import row_columns

MOST_LINES = 36


def draw_subgroups(item: Item, study: Study) -> Drawing:
    """Draw the difference in each subgroup with its interval, column by column."""
    lines = _lines(item, study)
    if not any(math.isfinite(line["estimate"]) for line in lines):
        return message("no subgroup has enough rows for a difference", _legend(study))
    shown = lines[:MOST_LINES]
    better = "higher" if study.metric.greater_is_better else "lower"
    difference = f"{advantage([study.metric])} in {study.metric.title}"
    axis = f"{difference} (to the right: A is {better} and better)"
    figure, _ = interval_plot([_interval(line, study) for line in shown], axis)
    return Drawing(figure, _alt(shown, study), _legend(study), _shows(lines, shown))


def _interval(line: dict[str, Any], study: Study) -> IntervalLine:
    told = _label(line, study), _note(line)
    if line["role"] == INTERACTION:
        return IntervalLine(*told, heading=True)
    ci = line["ci_low"], line["ci_high"]
    return IntervalLine(*told, line["estimate"], ci, Decision(line["decision"]))


def _lines(item: Item, study: Study) -> list[dict[str, Any]]:
    """Take the first metric's lines of a data set, pair by pair in the order of the ranking."""
    dataset, found = item.dataset or study.datasets[0], study.subgroups
    own = found[(found["dataset"] == dataset) & (found["metric"] == study.metric.name)]
    place = {model: i for i, model in enumerate(order(study))}

    def first(line: dict[str, Any]) -> tuple[int, ...]:
        return tuple(sorted((place[line["model_a"]], place[line["model_b"]])))

    return sorted(own.to_dict("records"), key=first)  # type: ignore[arg-type]


def _label(line: dict[str, Any], study: Study) -> str:
    if line["role"] == INTERACTION:
        pair = " − ".join(name_of(study.label(line[m]), 16) for m in ("model_a", "model_b"))
        return f"{pair}, by {name_of(line['column'], 16)}"
    return f"{name_of(line['subgroup'], 24)} ({line['n']:,})"


def _note(line: dict[str, Any]) -> str:
    called = "adj. p" if line["family_size"] > 1 else "p"
    p = p_equals(line["pvalue_adjusted"], called)
    if line["role"] == INTERACTION:
        return f"does it differ? {p}" if math.isfinite(line["pvalue"]) else "too few rows"
    if not math.isfinite(line["pvalue"]):
        return str(line["status"]).replace("_", " ")
    return f"{score(line['estimate'])} {interval(line['ci_low'], line['ci_high'])}  {p}"


def _legend(study: Study) -> str:
    return (
        "Each square is the difference in one subgroup (in brackets its rows), the line its "
        f"{percent(1 - study.alpha)} interval, which holds together with the others of its column. "
        "Filled: shown to differ in that subgroup. That one subgroup shows a difference and "
        "another does not is no sign that they differ: the p-value beside the name of the column "
        "asks that."
    )


def _shows(lines: list[dict[str, Any]], shown: list[dict[str, Any]]) -> str:
    if len(shown) == len(lines):
        return ""
    return f"the first {len(shown)} of {len(lines)} lines; all are in subgroups.csv"


def _alt(lines: list[dict[str, Any]], study: Study) -> str:
    told = "; ".join(f"{_label(line, study)}: {_note(line)}" for line in lines[:8])
    return f"Differences in {study.metric.title} by subgroup. {told}."


def _compared(asked: Asked) -> bool:
    """Show it where a data set has subgroups and the models are ranked by what rows have."""
    experiment = asked.experiment
    there = any(row_columns(experiment, name).subgroups for name in experiment.datasets)
    several = len(experiment.models) > 1
    ranked = asked.rows and has_test(experiment.metrics[0])
    return there and several and (ranked or experiment.by_values)


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


def build_subgroup_tests(item: Item, study: Study) -> PageTable:
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
    found = (line[key] for key in ("df", "df1", "df2"))
    return {
        "statistic": Cell(number(line["statistic"]), line["statistic"]),
        "df": text(degrees(*(None if math.isnan(n) else n for n in found))),
    }


def _difference(line: dict[Any, Any]) -> dict[str, Cell]:
    return {
        "estimate": score_cell(line["estimate"]),
        "ci_low": ci_cell(line["ci_low"], line["ci_high"]),
    }


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


EXHIBITS = {
    "subgroups": FigureExhibit(
        section=Section.COMPARISONS,
        place=30,
        title="Differences by subgroup",
        heading="In subgroups",
        caption="The difference between two models in each subgroup of the held-out rows with its "
        "interval, and for each column of subgroups the p-value of the interaction: whether the "
        "difference is the same in all of them. P-values are adjusted over columns, subgroups and "
        "pairs by Holm's method.",
        each="dataset",
        when=_compared,
        draw=draw_subgroups,
    ),
    "subgroup_tests": TableExhibit(
        section=Section.COMPARISONS,
        place=31,
        title="Differences by subgroup, all numbers",
        caption="The difference between two models in each subgroup of the held-out rows, by "
        "every metric, and for each column the test of the interaction. Where a subgroup has too "
        "few rows it has no p-value, and the interaction is about the others.",
        when=_compared,
        folded="All subgroups",
        citation="hothorn2008",
        build=build_subgroup_tests,
    ),
}

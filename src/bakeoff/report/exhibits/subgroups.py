"""Differences between pairs of models in subgroups of the held-out rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bakeoff.comparisons import Decision
from bakeoff.comparisons.evidence import has_test
from bakeoff.comparisons.subgroups import INTERACTION
from bakeoff.report import cells
from bakeoff.report.drawing import IntervalLine, interval_plot, message, name_of
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import enumerated, p_equals, percent
from bakeoff.report.pairs_shown import order
from bakeoff.report.prose import DECISIONS, WHY_UNDECIDED, advantage, lower_is_better
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.tables import Cell, Column, PageTable, tabulate
from bakeoff.spec.row_columns import row_columns

EMPTY = Cell("")
MOST_LINES = 36


def draw_subgroups(item: Item, study: Study) -> Drawing:
    """Draw the difference in each subgroup with its interval, column by column."""
    lines = _lines(item, study)
    if not any(math.isfinite(line["estimate"]) for line in lines):
        return message("no subgroup has enough rows for a difference")
    shown = lines[:MOST_LINES]
    better = "higher" if study.metric.greater_is_better else "lower"
    measured = study.written(dataset=item.dataset).label
    difference = f"{advantage([study.metric])} in {measured}"
    axis = f"{difference} (to the right: A is {better} and better)"
    figure, _ = interval_plot([_interval(line, study) for line in shown], axis)
    told = enumerated(f"{_label(line, study)}: {_note(line, study)}" for line in shown)
    shows = f"the first {len(shown)} of {len(lines)} lines; all are in subgroups.csv"
    return Drawing(
        figure,
        f"Differences in {study.metric.title} by subgroup. {told}.",
        f"Intervals are simultaneous {percent(1 - study.alpha)} intervals for each column.",
        shows if len(shown) < len(lines) else "",
    )


def _interval(line: dict[str, Any], study: Study) -> IntervalLine:
    told = _label(line, study), _note(line, study)
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


def _note(line: dict[str, Any], study: Study) -> str:
    called = "adj. p" if line["family_size"] > 1 else "p"
    p = p_equals(line["pvalue_adjusted"], called)
    if line["role"] == INTERACTION:
        return f"interaction: {p}" if math.isfinite(line["pvalue"]) else "too few rows"
    if not math.isfinite(line["pvalue"]):
        return str(line["status"]).replace("_", " ")
    shown = study.written(dataset=line["dataset"])
    return f"{shown.score(line['estimate'])} {shown.interval(line['ci_low'], line['ci_high'])}  {p}"


def _compared(design: StudyDesign) -> bool:
    """Show it where a data set has subgroups and the models are ranked by what rows have."""
    experiment = design.experiment
    there = any(row_columns(experiment, name).subgroups for name in experiment.datasets)
    several = len(experiment.models) > 1
    ranked = design.has_rows and has_test(experiment.metrics[0])
    return there and several and (ranked or (experiment.by_values and not design.has_runs))


def build_subgroup_tests(item: Item, study: Study) -> PageTable:
    """List the interaction of every column and the difference in every subgroup."""
    rows = [_values(line, study) for line in study.subgroups.to_dict("records")]
    shown = [study.metrics[name] for name in dict.fromkeys(study.subgroups["metric"])]
    columns = (
        cells.DATASET,
        cells.METRIC,
        Column("column", "By"),
        Column("subgroup", "Subgroup"),
        cells.A,
        cells.B,
        Column("n", "Rows", cells.COUNT),
        Column("estimate", advantage(shown), cells.SCORE),
        Column("ci_low", "CI", cells.INTERVAL),
        Column("statistic", "F or t", cells.NUMBER),
        cells.DF,
        cells.PVALUE,
        cells.ADJUSTED,
        Column("says", "Result"),
    )
    note = f"subgroups.csv has all columns.{lower_is_better(shown)}"
    return tabulate(item, study, columns, rows, note)


def _values(line: dict[Any, Any], study: Study) -> dict[Any, Any]:
    """Return a line with what its role has: a statistic, or a difference with its interval."""
    told = line | {"says": says(line, study)}
    if line["role"] == INTERACTION:
        found = (line[key] for key in ("df", "df1", "df2"))
        df = (None if math.isnan(n) else n for n in found)
        return told | {"subgroup": "All", "df": tuple(df), "estimate": EMPTY, "ci_low": EMPTY}
    ends = line["ci_low"], line["ci_high"]
    return told | {"ci_low": ends, "statistic": EMPTY, "df": EMPTY}


def says(line: Mapping[Any, Any], study: Study) -> Cell:
    """Say what a line shows."""
    decision = Decision(line["decision"])
    if decision is Decision.UNDECIDED:
        why = WHY_UNDECIDED.get(line["status"], str(line["status"]).replace("_", " "))
        return Cell(why, tone="open")
    if decision in (Decision.A_BETTER, Decision.B_BETTER):
        winner = line["model_a" if decision is Decision.A_BETTER else "model_b"]
        return Cell(f"{study.label(winner)} better", tone=cells.TONES[decision])
    if line["role"] == INTERACTION and decision is Decision.DIFFERENT:
        return Cell("it differs", tone="bad")
    return Cell(DECISIONS[decision], tone="open")


EXHIBITS = {
    "subgroups": FigureExhibit(
        section=Section.COMPARISONS,
        place=30,
        title="Differences by subgroup",
        heading="Subgroups",
        caption="The difference between two models in each subgroup of the held-out rows (square; "
        "number of rows in brackets) with its interval; filled squares differ significantly from "
        "zero. A significant difference in one subgroup but not in another is not evidence that "
        "the two subgroups differ: the interaction test beside the name of the column answers "
        "this. P-values are adjusted by Holm's method over columns, subgroups and pairs.",
        each="dataset",
        when=_compared,
        draw=draw_subgroups,
    ),
    "subgroup_tests": TableExhibit(
        section=Section.COMPARISONS,
        place=31,
        title="Differences by subgroup, all numbers",
        caption="Rows of the subgroup “All” hold the test of the interaction: whether the "
        "difference is the same in all subgroups of the column (Welch 1951; if groups of rows "
        "spread over several subgroups, the largest t of all pairs of subgroups). P-values of "
        "interactions are adjusted over columns and pairs, those of subgroups over the subgroups "
        "and pairs of a column (Holm 1979), for each metric; intervals are simultaneous likewise. "
        "Subgroups with too few rows have no p-value and are left out of the interaction.",
        when=_compared,
        folded="All subgroups",
        citation="hothorn2008",
        build=build_subgroup_tests,
    ),
}

"""Differences between pairs of models in subgroups of the held-out rows."""

from __future__ import annotations

import math
from typing import Any

from bakeoff.comparisons import Decision
from bakeoff.comparisons.evidence import has_test
from bakeoff.comparisons.subgroups import INTERACTION
from bakeoff.report.drawing import IntervalLine, interval_plot, message, name_of
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.numbers import enumerated, p_equals, percent
from bakeoff.report.pairs_shown import order
from bakeoff.report.prose import advantage
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.spec.row_columns import row_columns

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
}

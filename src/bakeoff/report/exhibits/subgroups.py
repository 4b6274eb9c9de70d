"""Differences between pairs of models in subgroups of the held-out rows."""

from __future__ import annotations

import math
from typing import Any

from bakeoff.comparisons import Decision
from bakeoff.comparisons.evidence import has_test
from bakeoff.comparisons.subgroups import INTERACTION
from bakeoff.report.drawing import (
    INK,
    MUTED,
    PAPER,
    SAYS,
    SIZE,
    grid,
    message,
    name_of,
    name_rows,
    panel,
    text_width,
)
from bakeoff.report.exhibit import Asked, Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.numbers import interval, p_equals, percent, score
from bakeoff.report.pairs_shown import order
from bakeoff.report.prose import advantage
from bakeoff.report.study import Study
from bakeoff.spec.row_columns import row_columns

MOST_LINES = 36


def draw(item: Item, study: Study) -> Drawing:
    """Draw the difference in each subgroup with its interval, column by column."""
    lines = _lines(item, study)
    if not any(math.isfinite(line["estimate"]) for line in lines):
        return message("no subgroup has enough rows for a difference", _legend(study))
    shown = lines[:MOST_LINES]
    labels = [_label(line, study) for line in shown]
    notes = [_note(line) for line in shown]
    right = max(text_width(note, SIZE - 0.5) for note in notes) + 0.15
    figure, axes = panel(len(shown), labels, right=right, row=0.26)
    axes.axvline(0, color=MUTED, linewidth=0.9)
    for place, line in enumerate(shown):
        decision = Decision(line["decision"])
        colour = SAYS.get(decision, MUTED)
        if line["role"] == INTERACTION:
            colour = INK
        elif math.isfinite(line["ci_low"]):
            axes.plot([line["ci_low"], line["ci_high"]], [place] * 2, color=colour, linewidth=1.6)
        if line["role"] != INTERACTION and math.isfinite(line["estimate"]):
            filled = colour if decision in SAYS else PAPER
            axes.plot(
                line["estimate"], place, "s", markersize=5, color=colour, markerfacecolor=filled,
                zorder=3,
            )  # fmt: skip
        axes.text(
            1.015, place, notes[place], transform=axes.get_yaxis_transform(), va="center",
            fontsize=SIZE - 0.5, color=colour,
        )  # fmt: skip
    name_rows(axes, labels)
    grid(axes)
    better = "higher" if study.metric.greater_is_better else "lower"
    difference = f"{advantage([study.metric])} in {study.metric.title}"
    axes.set_xlabel(f"{difference} (to the right: A is {better} and better)")
    return Drawing(figure, _alt(shown, study), _legend(study), _shows(lines, shown))


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


def when(asked: Asked) -> bool:
    """Show it where a data set has subgroups and the models are ranked by what rows have."""
    experiment = asked.experiment
    there = any(row_columns(experiment, name).subgroups for name in experiment.datasets)
    several = len(experiment.models) > 1
    ranked = asked.rows and has_test(experiment.metrics[0])
    return there and several and (ranked or experiment.by_values)


EXHIBIT = FigureExhibit(
    section=Section.COMPARISONS,
    place=30,
    title="Differences by subgroup",
    heading="In subgroups",
    caption="The difference between two models in each subgroup of the held-out rows with its "
    "interval, and for each column of subgroups the p-value of the interaction: whether the "
    "difference is the same in all of them. P-values are adjusted over columns, subgroups and "
    "pairs by Holm's method.",
    each="dataset",
    when=when,
    draw=draw,
)

"""Differences between pairs of models with their intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bakeoff.compare import Comparison
from bakeoff.report.drawing import (
    GREEN,
    INK,
    MUTED,
    PAPER,
    SAYS,
    SIZE,
    grid,
    message,
    name_rows,
    panel,
    text_width,
)
from bakeoff.report.exhibit import Asked, Drawing, FigureExhibit, Item, Section
from bakeoff.report.family import Family, as_float
from bakeoff.report.numbers import interval, p_equals, score
from bakeoff.report.pairs_shown import Row, difference_name, families_of, rows_of, what_is_shown
from bakeoff.report.study import Study
from bakeoff.stats import Entry, TypeOneError

LEGEND = (
    "The square is the difference, the line its interval; where the test gives no interval, the "
    "ticks are the differences on single folds. Filled and coloured: shown to differ, or in green "
    "shown to be equivalent within the green band."
)


def draw(item: Item, study: Study) -> Drawing:
    """Draw differences with their intervals, and where there is none the folds' differences."""
    families = families_of(study, item.test)
    rows = rows_of(study, families)
    if not any(math.isfinite(row.comparison.estimate) for row in rows):
        return message("no difference could be estimated", LEGEND)
    labels = [row.label for row in rows]
    notes = [_note(row.comparison) for row in rows]
    figure, axes = panel(
        len(rows), labels, right=max(text_width(n, SIZE - 0.5) for n in notes) + 0.15,
        row=0.3 if len(rows) < 16 else 0.24,
    )  # fmt: skip
    axes.axvline(0, color=MUTED, linewidth=0.9)
    margin = rows[0].comparison.margin
    if margin > 0:
        axes.axvspan(-margin, margin, color=GREEN, alpha=0.12, linewidth=0)
    for place, row in enumerate(rows):
        c = row.comparison
        colour = SAYS.get(c.decision, MUTED)
        differences = _differences(row)
        if math.isfinite(c.ci_low) and math.isfinite(c.ci_high):
            axes.plot([c.ci_low, c.ci_high], [place] * 2, color=colour, linewidth=1.6)
        elif len(differences):
            axes.plot(
                differences, [place] * len(differences), "|", color=colour, markersize=7, alpha=0.7
            )
        filled = colour if c.decision in SAYS else PAPER
        if math.isfinite(c.estimate):
            axes.plot(
                c.estimate, place, "s", markersize=5, color=colour, markerfacecolor=filled, zorder=3
            )
        axes.text(
            1.015, place, notes[place], transform=axes.get_yaxis_transform(), va="center",
            fontsize=SIZE - 0.5, color=INK if c.decision in SAYS else MUTED,
        )  # fmt: skip
    name_rows(axes, labels)
    grid(axes)
    axes.set_xlabel(difference_name(families[0]))
    shows = what_is_shown(study, families, rows)
    return Drawing(figure, _alt(families[0], rows), LEGEND, shows)


def _note(c: Comparison) -> str:
    ci = f" {interval(c.ci_low, c.ci_high)}" if math.isfinite(c.ci_low) else ""
    return f"{score(c.estimate)}{ci}  {p_equals(c.pvalue_adjusted)}"


def _alt(family: Family, rows: list[Row]) -> str:
    parts = [
        f"{row.label}: {score(row.comparison.estimate)}, {p_equals(row.comparison.pvalue_adjusted)}"
        for row in rows[:6]
    ]
    more = f"; and {len(rows) - 6} more" if len(rows) > 6 else ""
    return f"{family.entry.title}, differences with intervals. {'; '.join(parts)}{more}."


def _differences(row: Row) -> NDArray[np.float64]:
    found = row.comparison.result.get("details", {}).get("differences", [])
    values = np.array([as_float(v) for v in np.ravel(np.array(found, dtype=object))])
    return -values if row.turned else values


def _with_p_values(asked: Asked, entry: Entry) -> bool:
    return asked.pairs(entry) and entry.type1 is not TypeOneError.BAYESIAN


EXHIBIT = FigureExhibit(
    section=Section.COMPARISONS,
    place=22,
    title="differences",
    caption="Differences between pairs of models with confidence intervals, simultaneous where "
    "the correction bounds the chance of any false finding. Where a test gives no interval, ticks "
    "show the differences on single folds. A filled square marks a pair that the adjusted p-value "
    "calls different; a green band is the margin of equivalence.",
    each="test",
    when=_with_p_values,
    draw=draw,
)

"""Differences between pairs of models with their intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import prose
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
from bakeoff.report.exhibit import Asked, Drawing, FigureExhibit, Section
from bakeoff.report.family import Family, as_float
from bakeoff.report.item import Item
from bakeoff.report.numbers import interval, p_equals, score
from bakeoff.report.pairs_shown import Row, difference_name, families_of, rows_of, what_is_shown
from bakeoff.report.study import Study
from bakeoff.stats import Entry, Evidence, TypeOneError


def draw(item: Item, study: Study) -> Drawing:
    """Draw differences with their intervals, and where there is none the folds' differences."""
    families = families_of(study, item.test)
    rows = rows_of(study, families)
    if not any(math.isfinite(row.comparison.estimate) for row in rows):
        return message("no difference could be estimated")
    labels = [row.label for row in rows]
    notes = [_note(row.comparison) for row in rows]
    figure, axes = panel(
        len(rows), labels, right=max(text_width(n, SIZE - 0.5) for n in notes) + 0.15,
        row=0.3 if len(rows) < 16 else 0.24,
    )  # fmt: skip
    axes.axvline(0, color=MUTED, linewidth=0.9)
    margin = rows[0].comparison.margin
    edges = _edges([row.comparison for row in rows])
    if margin > 0:
        axes.axvspan(-margin, margin, color=GREEN, alpha=0.12, linewidth=0)
    for place, row in enumerate(rows):
        c = row.comparison
        colour = SAYS.get(c.decision, MUTED)
        differences = _differences(row)
        if not math.isnan(c.ci_low):
            low = edges[0] if c.alternative == "less" else c.ci_low
            high = edges[1] if c.alternative == "greater" else c.ci_high
            axes.plot([low, high], [place] * 2, color=colour, linewidth=1.6)
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
    if any(row.comparison.alternative != "two-sided" for row in rows):
        axes.set_xlim(*edges)
    grid(axes)
    axes.set_xlabel(difference_name(families[0]))
    shows = what_is_shown(study, families, rows)
    return Drawing(figure, _alt(families[0], rows), _legend(rows), shows)


def _legend(rows: list[Row]) -> str:
    """Explain what is drawn, and nothing else."""
    found = [row.comparison for row in rows]
    lined = [not math.isnan(c.ci_low) for c in found]
    parts = ["The square is the difference" + (", the line its interval" if any(lined) else "")]
    if any(len(_differences(row)) for row, line in zip(rows, lined, strict=True) if not line):
        parts.append("The ticks are the differences on single folds")
    if any(c.decision in SAYS and c.decision is not Decision.EQUIVALENT for c in found):
        parts.append("A filled square marks a pair that is shown to differ")
    if found[0].margin > 0:
        green = "; green squares are shown to be equivalent"
        parts.append(
            "The green band is the margin of equivalence"
            + green * any(c.decision is Decision.EQUIVALENT for c in found)
        )
    if any(c.alternative != "two-sided" for c in found):
        parts.append("The interval of a one-sided test is unbounded on its other side")
    return ". ".join(parts) + "."


def _edges(found: list[Comparison]) -> tuple[float, float]:
    """Return where the axis ends that shows everything but the open ends of one-sided intervals."""
    ends = [0.0, *(c.estimate for c in found), *(s * c.margin for c in found for s in (-1, 1))]
    ends += [c.ci_low for c in found if c.alternative != "less"]
    ends += [c.ci_high for c in found if c.alternative != "greater"]
    known = [end for end in ends if math.isfinite(end)]
    room = 0.06 * (max(known) - min(known)) or 0.01
    return min(known) - room, max(known) + room


def _note(c: Comparison) -> str:
    ci = "" if math.isnan(c.ci_low) else f" {interval(c.ci_low, c.ci_high)}"
    adjusted = "adj. p" if prose.p_name(c) != "p" else "p"
    return f"{score(c.estimate)}{ci}  {p_equals(c.pvalue_adjusted, adjusted)}"


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


def _with_differences(asked: Asked, entry: Entry) -> bool:
    # several criteria at once have no single difference
    single = entry.evidence is not Evidence.FOLD_CRITERIA
    return asked.pairs(entry) and entry.type1 is not TypeOneError.BAYESIAN and single


EXHIBIT = FigureExhibit(
    section=Section.COMPARISONS,
    place=22,
    title="differences",
    caption="Differences between pairs of models with confidence intervals, simultaneous where "
    "the correction bounds the chance of any false finding. A filled square marks a pair that the "
    "adjusted p-value calls different.",
    each="test",
    when=_with_differences,
    draw=draw,
)

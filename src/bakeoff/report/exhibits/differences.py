"""Differences between pairs of models, and what tests on folds make of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.drawing import SAYS, Colour, IntervalLine, interval_plot, message
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section
from bakeoff.report.family import Family, as_float
from bakeoff.report.item import Item
from bakeoff.report.numbers import enumerated, p_equals
from bakeoff.report.pairs_shown import Row, difference_name, families_of, rows_of, what_is_shown
from bakeoff.report.study import Study
from bakeoff.stats import Evidence, TypeOneError


def draw_forest(item: Item, study: Study) -> Drawing:
    """Draw differences with their intervals, and where there is none the folds' differences."""
    families = families_of(study, item.test)
    rows = rows_of(study, families)
    if not any(math.isfinite(row.comparison.estimate) for row in rows):
        return message("no difference could be estimated")
    edges = _edges([row.comparison for row in rows])
    units = len({row.written.unit for row in rows}) > 1
    lines = [_interval(row, edges, units=units) for row in rows]
    axis = difference_name(families)
    figure, axes = interval_plot(lines, axis, band=rows[0].comparison.margin)
    for place, row in enumerate(rows):
        differences = _differences(row)
        if math.isnan(row.comparison.ci_low) and len(differences):
            colour = SAYS.get(row.comparison.decision, Colour.MUTED)
            places = [place] * len(differences)
            axes.plot(differences, places, "|", color=colour, markersize=7, alpha=0.7)
    if any(row.comparison.alternative != "two-sided" for row in rows):
        axes.set_xlim(*edges)
    shows = what_is_shown(study, families, rows)
    return Drawing(figure, _alt(families[0], rows), _legend(rows), shows)


def _legend(rows: list[Row]) -> str:
    """Explain what is drawn, and nothing else."""
    found = [row.comparison for row in rows]
    lined = [not math.isnan(c.ci_low) for c in found]
    parts = []
    if any(lined):
        parts.append(f"The line is the {prose.levels_of(found)}")
    if any(len(_differences(row)) for row, line in zip(rows, lined, strict=True) if not line):
        parts.append("Ticks are the differences on single folds")
    if found[0].margin > 0:
        shown = "not worse" if any(map(prose.one_sided, found)) else "equivalent"
        green = f"; green squares are significantly {shown}"
        parts.append(
            "The green band is the equivalence margin"
            + green * any(c.decision is Decision.EQUIVALENT for c in found)
        )
    if any(c.alternative != "two-sided" for c in found):
        parts.append("The interval of a one-sided test is unbounded on the other side")
    return "".join(f"{part}. " for part in parts).rstrip()


def _edges(found: list[Comparison]) -> tuple[float, float]:
    """Return where the axis ends that shows everything but the open ends of one-sided intervals."""
    ends = [0.0, *(c.estimate for c in found), *(s * c.margin for c in found for s in (-1, 1))]
    ends += [c.ci_low for c in found if c.alternative != "less"]
    ends += [c.ci_high for c in found if c.alternative != "greater"]
    known = [end for end in ends if math.isfinite(end)]
    room = 0.06 * (max(known) - min(known)) or 0.01
    return min(known) - room, max(known) + room


def _interval(row: Row, edges: tuple[float, float], *, units: bool) -> IntervalLine:
    c, size = row.comparison, row.written.told if units else row.written.score
    low, high, ci = math.nan, math.nan, ""
    if not math.isnan(c.ci_low):
        low = edges[0] if c.alternative == "less" else c.ci_low
        high = edges[1] if c.alternative == "greater" else c.ci_high
        ci = f" {row.written.interval(c.ci_low, c.ci_high)}"
    p = p_equals(c.pvalue_adjusted, "adj. p" if prose.p_name(c) != "p" else "p")
    note = f"{size(c.estimate)}{ci}  {p}"
    return IntervalLine(row.label, note, c.estimate, (low, high), c.decision)


def _alt(family: Family, rows: list[Row]) -> str:
    told = (
        f"{row.label}: {row.written.told(row.comparison.estimate)}, "
        f"{p_equals(row.comparison.pvalue_adjusted)}"
        for row in rows
    )
    return f"{family.entry.title}, differences with intervals. {enumerated(told)}."


def _differences(row: Row) -> NDArray[np.float64]:
    found = row.comparison.result.get("details", {}).get("differences", [])
    values = np.array([as_float(v) for v in np.ravel(np.array(found, dtype=object))])
    return -values if row.turned else values


EXHIBITS = {
    "forest": FigureExhibit(
        section=Section.COMPARISONS,
        place=22,
        title="differences",
        caption="Differences between pairs of models. A filled square marks a significant "
        "difference (by the adjusted p-value).",
        each="test",
        # several criteria at once have no single difference
        when=lambda design, entry: (
            design.pairs(entry)
            and entry.type1 is not TypeOneError.BAYESIAN
            and entry.evidence is not Evidence.FOLD_CRITERIA
        ),
        draw=draw_forest,
    ),
}

"""Pairs of models: matrix of p-values, forest of differences, t values."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from scipy import special

from bakeoff.compare import Comparison, Decision
from bakeoff.report.family import Family, as_float
from bakeoff.report.figures.style import (
    BLUE,
    GREEN,
    GRID,
    INK,
    MUTED,
    ORANGE,
    PAPER,
    SIZE,
    SOFT,
    grid,
    message,
    name_of,
    name_rows,
    panel,
    text_width,
)
from bakeoff.report.numbers import fixed, interval, p_equals, pvalue, score
from bakeoff.report.selection import Row
from bakeoff.report.study import Study

SAYS = {Decision.A_BETTER: BLUE, Decision.B_BETTER: ORANGE, Decision.EQUIVALENT: GREEN}


def matrix(study: Study, families: list[Family], order: list[str]) -> tuple[Figure, str]:
    """Draw all pairs: the difference below the diagonal, the adjusted p-value above it.

    With several data sets a cell counts those on which the row's model is better.
    """
    labels = [name_of(study.label(m), 30) for m in order]
    k = len(order)
    side = 0.62 if k <= 6 else 0.5 if k <= 12 else 0.4
    left = max(text_width(label) for label in labels) + 0.15
    top = max(text_width(label) * 0.72 for label in labels) + 0.2
    right = max(0.2, top - side / 2)  # the last name leans over the edge
    width, height = left + k * side + right, top + k * side + 0.1
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((left / width, 0.1 / height, k * side / width, k * side / height))
    size = SIZE if k <= 6 else SIZE - 1.5 if k <= 12 else SIZE - 2.7
    for i, a in enumerate(order):
        for j, b in enumerate(order):
            if i == j:
                axes.add_patch(Rectangle((j, i), 1, 1, facecolor=GRID, edgecolor=PAPER))
                continue
            rows = [row for f in families if (row := f.between(a, b)) is not None]
            if rows:
                _cell(axes, i, j, rows, size, len(families) > 1)
    axes.set_xlim(0, k)
    axes.set_ylim(k, 0)
    axes.set_xticks([i + 0.5 for i in range(k)])
    axes.set_xticklabels(labels, rotation=45, ha="left", rotation_mode="anchor")
    axes.xaxis.tick_top()
    axes.set_yticks([i + 0.5 for i in range(k)], labels)
    axes.tick_params(length=0, labelcolor=INK)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure, _matrix_alt(study, families, order)


def _cell(axes: Axes, i: int, j: int, rows: list[Comparison], size: float, many: bool) -> None:
    if many:
        equal = sum(row.decision is Decision.EQUIVALENT for row in rows)
        won = equal or sum(row.decision is Decision.A_BETTER for row in rows)
        colour, strength = GREEN if equal else BLUE, 0.75 * won / len(rows)
        text, strong = str(won), won > 0
    else:
        row = rows[0]
        colour = SAYS.get(row.decision, SOFT)
        strong = row.decision in SAYS
        strength = 0.3 if strong else 0.12
        text = score(row.estimate) if i > j else pvalue(row.pvalue_adjusted)
        text = "?" if text == "undecided" else text.replace(" ", "")
    axes.add_patch(Rectangle((j, i), 1, 1, facecolor=colour, alpha=strength, linewidth=0))
    axes.add_patch(Rectangle((j, i), 1, 1, facecolor="none", edgecolor=PAPER, linewidth=1.2))
    axes.text(
        j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=size,
        color=INK if strong else MUTED, fontweight="bold" if strong else "normal",
    )  # fmt: skip


def _matrix_alt(study: Study, families: list[Family], order: list[str]) -> str:
    title = families[0].entry.title
    called = "equivalent" if families[0].equivalence else "different"
    if len(families) > 1:
        says = (
            "both are equivalent" if families[0].equivalence else "the model of the row is better"
        )
        return (
            f"{title}: for each pair of {len(order)} models, the number of {len(families)} data "
            f"sets on which {says}."
        )
    shown = sum(row.decision in SAYS for row in families[0].rows)
    return (
        f"{title}: differences and adjusted p-values of {len(families[0].rows)} pairs of models; "
        f"{shown} of them are called {called}."
    )


def forest(rows: list[Row], family: Family, what: str) -> tuple[Figure, str]:
    """Draw differences with their intervals, and where there is none the folds' differences."""
    if not any(math.isfinite(row.comparison.estimate) for row in rows):
        return message("no difference could be estimated"), "No difference could be estimated."
    labels = [row.label for row in rows]
    notes = [_forest_note(row.comparison) for row in rows]
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
    axes.set_xlabel(what)
    return figure, _forest_alt(family, rows)


def _forest_note(c: Comparison) -> str:
    ci = f" {interval(c.ci_low, c.ci_high)}" if math.isfinite(c.ci_low) else ""
    return f"{score(c.estimate)}{ci}  {p_equals(c.pvalue_adjusted)}"


def _forest_alt(family: Family, rows: list[Row]) -> str:
    parts = [
        f"{row.label}: {score(row.comparison.estimate)}, {p_equals(row.comparison.pvalue_adjusted)}"
        for row in rows[:6]
    ]
    more = f"; and {len(rows) - 6} more" if len(rows) > 6 else ""
    return f"{family.entry.title}, differences with intervals. {'; '.join(parts)}{more}."


def _differences(row: Row) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    found = row.comparison.result.get("details", {}).get("differences", [])
    values: np.ndarray[tuple[int], np.dtype[np.float64]]
    values = np.array([as_float(v) for v in np.ravel(np.array(found, dtype=object))])
    return -values if row.turned else values


def ten_t(rows: list[Row]) -> tuple[Figure, str]:
    """Draw the ten t values that ten orders of the folds could have given, with F beside."""
    found = [(row, values) for row in rows if len(values := ten_t_values(row)) == 10]
    if not found:
        return message("no t value exists: the folds do not vary"), "No t value exists."
    labels = [row.label for row, _ in found]
    notes = [_statistic_note(row) for row, _ in found]
    figure, axes = panel(
        len(found), labels, right=max(text_width(n, SIZE - 0.5) for n in notes) + 0.15
    )
    alpha = found[0][0].comparison.alpha
    critical = float(special.stdtrit(5, 1 - alpha / 2))
    axes.axvspan(-critical, critical, color=SOFT, alpha=0.18, linewidth=0)
    axes.axvline(0, color=MUTED, linewidth=0.9)
    for place, (_, values) in enumerate(found):
        for t in values:
            outside = abs(t) > critical
            axes.plot(t, place, "o", markersize=4.5, color=BLUE if t > 0 else ORANGE,
                      markerfacecolor=None if outside else PAPER, alpha=0.9)  # fmt: skip
        axes.text(
            1.015, place, notes[place], transform=axes.get_yaxis_transform(), va="center",
            fontsize=SIZE - 0.5, color=MUTED,
        )  # fmt: skip
    name_rows(axes, labels)
    grid(axes)
    axes.set_xlabel(
        f"the ten possible t values; shaded: |t| < {fixed(critical, 2)}, p > {alpha:g} each"
    )
    counts = [int(sum(abs(t) > critical for t in values)) for _, values in found]
    alt = "; ".join(
        f"{label}: {c} of 10 beyond" for label, c in list(zip(labels, counts, strict=True))[:8]
    )
    return figure, f"Ten t values for each pair, critical value {critical:.2f}. {alt}."


def ten_t_values(row: Row) -> list[float]:
    """Return the t values with each of the ten differences as the numerator."""
    details = row.comparison.result.get("details", {})
    if not {"differences", "variances"} <= set(details):
        return []
    scale = math.sqrt(sum(as_float(v) for v in details["variances"]) / 5)
    if not scale > 1e-12:
        return []
    sign = -1 if row.turned else 1
    return [sign * as_float(d) / scale for pair in details["differences"] for d in pair]


def _statistic_note(row: Row) -> str:
    """Write the statistic with its letter; t has a sign, which turns with the pair."""
    c = row.comparison
    signed = c.df1 is None
    value = -c.statistic if signed and row.turned else c.statistic
    return f"{'t' if signed else 'F'} = {fixed(value, 2)}, {p_equals(c.pvalue)}"

"""The ten t values that ten orders of the folds could have given."""

from __future__ import annotations

import math

from scipy import special

from bakeoff.report import prose
from bakeoff.report.drawing import (
    BLUE,
    MUTED,
    ORANGE,
    PAPER,
    SIZE,
    SOFT,
    grid,
    message,
    name_rows,
    panel,
    text_width,
)
from bakeoff.report.exhibit import Asked, Drawing, FigureExhibit, Section
from bakeoff.report.family import as_float
from bakeoff.report.item import Item
from bakeoff.report.numbers import fixed, p_equals
from bakeoff.report.pairs_shown import Row, families_of, rows_of, what_is_shown
from bakeoff.report.study import Study
from bakeoff.stats import Entry, Evidence

LEGEND = (
    "Ten orders of the folds would have given ten t tests; one statistic for all of them does not "
    "depend on the order."
)


def draw(item: Item, study: Study) -> Drawing:
    """Draw the ten t values that ten orders of the folds could have given, with F beside."""
    families = families_of(study, item.test)
    rows = rows_of(study, families)
    found = [(row, values) for row in rows if len(values := ten_t_values(row)) == 10]
    if not found:
        return message("no t value exists: the folds do not vary", LEGEND)
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
    alt = f"Ten t values for each pair, critical value {critical:.2f}. {alt}."
    return Drawing(figure, alt, LEGEND, what_is_shown(study, families, rows))


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
    raw = " not adjusted" if prose.p_name(c) != "p" else ""
    return f"{'t' if signed else 'F'} = {fixed(value, 2)}, {p_equals(c.pvalue)}{raw}"


def _on_halves(asked: Asked, entry: Entry) -> bool:
    of_folds = entry.evidence is Evidence.FOLD_SCORES
    return asked.pairs(entry) and entry.plans == ("cv_5x2",) and of_folds


EXHIBIT = FigureExhibit(
    section=Section.COMPARISONS,
    place=24,
    title="the ten t values",
    caption="The 5×2cv t test divides the first of ten differences by their noise: another order "
    "of the folds would have made another test. These are the ten t values that were possible; "
    "the shaded band holds those that are not significant one by one. The combined F test uses all "
    "ten at once. With several data sets: the two best models on each of them.",
    each="test",
    when=_on_halves,
    draw=draw,
)

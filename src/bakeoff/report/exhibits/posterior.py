"""Posteriors with their region of practical equivalence: three-part bars and densities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from bakeoff.comparisons import Comparison
from bakeoff.report import prose
from bakeoff.report.drawing import SIZE, WIDTH, Colour, bare, canvas, grid, name_rows, text_width
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section
from bakeoff.report.family import Family, as_float
from bakeoff.report.item import Item
from bakeoff.report.numbers import enumerated, probability
from bakeoff.report.pairs_shown import Row, families_of, rows_of, what_is_shown
from bakeoff.report.study import Study
from bakeoff.stats import TypeOneError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_ROW, _TOP, _BOTTOM, _GAP = 0.42, 0.42, 0.55, 0.3
_POINTS = 121
_REACH = 0.003


def draw_posterior(item: Item, study: Study) -> Drawing:
    """Draw the three probabilities of each pair as one bar, and the density where it is known."""
    families = families_of(study, item.test)
    rows, family = rows_of(study, families), families[0]
    labels = [row.label for row in rows]
    curves = [density(row.comparison) for row in rows]
    drawn = any(curve is not None for curve in curves)
    left = max(text_width(label) for label in labels) + 0.15
    height = len(rows) * _ROW + _TOP + _BOTTOM
    figure = canvas(WIDTH, height)
    room = WIDTH - left - 0.15
    bar = (room - _GAP) * 0.5 if drawn else room
    vertical = _BOTTOM / height, len(rows) * _ROW / height
    axes = figure.add_axes((left / WIDTH, vertical[0], bar / WIDTH, vertical[1]))
    bare(axes)
    for place, row in enumerate(rows):
        _bar(axes, place, row.comparison)
    name_rows(axes, labels)
    axes.set_xlim(0, 1)
    axes.set_xlabel("posterior probability")
    rope = max(row.comparison.rope for row in rows)
    shown = family.written.told(rope) if rope > 0 else ""
    _legend(figure, left, 1 - (_TOP - 0.1) / height, shown)
    if drawn:
        start = (left + bar + _GAP) / WIDTH
        second = figure.add_axes((start, vertical[0], bar / WIDTH, vertical[1]), sharey=axes)
        _densities(second, curves, rope)
        second.set_xlabel(f"advantage of the first ({prose.unit(family)})")
    return Drawing(figure, _alt(rows, family), shows=what_is_shown(study, families, rows))


def _bar(axes: Axes, place: int, row: Comparison) -> None:
    start = 0.0
    for share, colour, ink in (
        (row.p_a_better, Colour.BLUE, Colour.PAPER),
        (row.p_equivalent, Colour.SOFT, Colour.INK),
        (row.p_b_better, Colour.ORANGE, Colour.PAPER),
    ):
        if not math.isfinite(share):
            axes.text(
                0.5, place, "undecided", ha="center", va="center",
                color=Colour.MUTED, fontsize=SIZE - 0.5,
            )  # fmt: skip
            return
        axes.barh(
            place, share, left=start, height=0.62, color=colour, linewidth=0,
            alpha=0.5 if colour == Colour.SOFT else 1,
        )  # fmt: skip
        if share > 0.17:
            axes.text(
                start + share / 2, place, probability(share), ha="center", va="center",
                color=ink, fontsize=SIZE - 0.5, fontweight="bold",
            )  # fmt: skip
        start += share


def _legend(figure: Figure, left: float, y: float, rope: str) -> None:
    """Name the three parts of a bar in their colours, one after the other."""
    parts = [
        ("first better", Colour.BLUE),
        (f"within ±{rope}", Colour.MUTED),
        ("second better", Colour.ORANGE),
    ]
    parts = [part for part in parts if rope or part[1] != Colour.MUTED]
    x = left
    for text, colour in parts:
        figure.text(x / WIDTH, y, text, ha="left", va="bottom", color=colour, fontsize=SIZE - 0.5)
        x += text_width(text) + 0.15


def density(row: Comparison) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the posterior density of A's advantage where it has a closed form.

    That is Student's t of the correlated t test; the tests over data sets have none.
    """
    details = row.result.get("details", {})
    if row.status != "ok" or "posterior_scale" not in details or row.df is None:
        return None
    scale = as_float(details["posterior_scale"])
    reach = float(special.stdtrit(row.df, 1 - _REACH))
    t = np.linspace(-reach, reach, _POINTS)
    half = (row.df + 1) / 2
    constant = math.exp(special.gammaln(half) - special.gammaln(row.df / 2))
    y = constant / math.sqrt(row.df * math.pi) * (1 + t**2 / row.df) ** -half / scale
    # the estimate is the posterior's mean, already turned with the pair
    return row.estimate + t * scale, y


def _densities(axes: Axes, curves: list[tuple[np.ndarray, np.ndarray] | None], rope: float) -> None:
    bare(axes)
    axes.tick_params(axis="y", labelleft=False, left=False)
    if rope > 0:
        axes.axvspan(-rope, rope, color=Colour.SOFT, alpha=0.2, linewidth=0)
    axes.axvline(0, color=Colour.MUTED, linewidth=0.9)
    for place, curve in enumerate(curves):
        if curve is None:
            continue
        x, y = curve
        base = place + 0.31
        top = base - 0.66 * y / y.max()
        for part, colour in (
            (x >= rope, Colour.BLUE),
            (abs(x) <= rope, Colour.SOFT),
            (x <= -rope, Colour.ORANGE),
        ):
            axes.fill_between(x, base, top, where=part, color=colour, alpha=0.35, linewidth=0)
        axes.plot(x, top, color=Colour.INK, linewidth=0.9)
    grid(axes)


def _alt(rows: list[Row], family: Family) -> str:
    found = ((row.label, row.comparison) for row in rows)
    told = enumerated(
        f"{label}: {', '.join(map(probability, (c.p_a_better, c.p_equivalent, c.p_b_better)))}"
        for label, c in found
    )
    return f"{family.entry.title}, probabilities of better, equivalent, worse. {told}."


EXHIBITS = {
    "posterior": FigureExhibit(
        section=Section.COMPARISONS,
        place=21,
        title="posterior",
        caption="Posterior probabilities that the first model is better, that both are "
        "practically equivalent (their difference lies in the region of practical equivalence), "
        "and that the second model is better. They are probabilities of these statements, not "
        "p-values. The correlated t test also has the posterior density of the difference in "
        "closed form, with the region of practical equivalence shaded.",
        each="test",
        when=lambda design, entry: design.pairs(entry) and entry.type1 is TypeOneError.BAYESIAN,
        draw=draw_posterior,
    ),
}

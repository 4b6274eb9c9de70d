"""Pairs of models as a matrix of differences and p-values."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Any

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report.drawing import SAYS, SIZE, Colour, canvas, name_of, text_width
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section
from bakeoff.report.family import Family
from bakeoff.report.item import Item
from bakeoff.report.numbers import letters_for, pvalue
from bakeoff.report.pairs_shown import families_of, order
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.written import Written, with_unit
from bakeoff.stats import Entry, TypeOneError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_NUMBERED = 30
"""With more models, cells have colours and no numbers, which nobody could read."""
LEVELS = 16


def draw_matrix(item: Item, study: Study) -> Drawing:
    """Draw all pairs: the difference below the diagonal, the adjusted p-value above it.

    With several data sets a cell counts those on which the row's model is better. With many
    models cells have their colours alone.
    """
    families, models = families_of(study, item.test), order(study)
    names = list(map(study.label, models))
    labels = [name_of(name, letters_for(names)) for name in names]
    k = len(models)
    numbered = k <= MOST_NUMBERED
    side = 0.62 if k <= 6 else 0.5 if k <= 12 else 0.4 if numbered else 0.16
    left = max(text_width(label) for label in labels) + 0.15
    top = max(text_width(label) * 0.72 for label in labels) + 0.2
    right = max(0.2, top - side / 2)  # the last name leans over the edge
    width, height = left + k * side + right, top + k * side + 0.1
    figure = canvas(width, height)
    axes = figure.add_axes((left / width, 0.1 / height, k * side / width, k * side / height))
    size = SIZE if k <= 6 else SIZE - 1.5 if k <= 12 else SIZE - 2.7
    several = len(families) > 1
    for i, a in enumerate(models):
        seen = [[row for f in families if (row := f.between(a, b))] for b in models]
        if numbered:
            for j, rows in enumerate(seen):
                if rows:
                    _cell(axes, i, j, rows, size, several, families[0].written)
        else:
            _band(axes, i, [_shade(rows, several) if rows else None for rows in seen])
        _square(
            axes, i, i, facecolor=Colour.LINE, edgecolor=Colour.PAPER if numbered else Colour.LINE
        )
    axes.set_xlim(0, k)
    axes.set_ylim(k, 0)
    axes.set_xticks([i + 0.5 for i in range(k)])
    upright = {"rotation": 90} if not numbered else {"rotation": 45, "rotation_mode": "anchor"}
    axes.set_xticklabels(labels, ha="left" if numbered else "center", **upright)
    axes.xaxis.tick_top()
    axes.set_yticks([i + 0.5 for i in range(k)], labels)
    axes.tick_params(length=0, labelcolor=Colour.INK)
    for spine in axes.spines.values():
        spine.set_visible(not numbered)
    return Drawing(figure, _alt(families, k), _legend(families[0], several, numbered))


def _legend(family: Family, several: bool, numbered: bool) -> str:
    if not numbered:
        shades = "The stronger the colour, the more data sets. " if several else ""
        return f"{shades}The table of all pairs has the numbers."
    if several:
        return (
            "Each number counts the data sets on which the model of the row is significantly "
            f"better, or on green {family.within}."
        )
    difference = with_unit("the difference", family.written.unit)
    green = f"On green {family.within}. " if family.noninferiority else ""
    return (
        f"{green}Below the diagonal is {difference}, row minus column; above it is the adjusted "
        "p-value, or a question mark where the comparison is undecided."
    )


def _shade(rows: list[Comparison], several: bool) -> tuple[str, float]:
    """Return the colour of a pair and how strong it is."""
    if not several:
        decision = rows[0].decision
        return SAYS.get(decision, Colour.SOFT), 0.3 if decision in SAYS else 0.12
    equal = _count(rows, Decision.EQUIVALENT)
    won = equal or _count(rows, Decision.A_BETTER)
    return Colour.GREEN if equal else Colour.BLUE, 0.75 * won / len(rows)


def _count(rows: list[Comparison], decision: Decision) -> int:
    return sum(row.decision is decision for row in rows)


def _band(axes: Axes, i: int, shades: list[tuple[str, float] | None]) -> None:
    """Draw a row without numbers; neighbours of like colour are one."""
    start = 0
    for shade, own in groupby(shades, lambda s: s and (s[0], math.ceil(s[1] * LEVELS) / LEVELS)):
        n = len(list(own))
        if shade and shade[1]:
            _square(axes, i, start, n, facecolor=shade[0], alpha=shade[1], linewidth=0)
        start += n


def _cell(
    axes: Axes,
    i: int,
    j: int,
    rows: list[Comparison],
    size: float,
    several: bool,
    written: Written,
) -> None:
    from matplotlib.colors import to_rgba

    colour, strength = _shade(rows, several)
    if several:
        won = _count(rows, Decision.EQUIVALENT) or _count(rows, Decision.A_BETTER)
        text, strong = str(won), won > 0
    else:
        row = rows[0]
        strong = row.decision in SAYS
        text = written.score(row.estimate) if i > j else pvalue(row.pvalue_adjusted)
        text = "?" if text == "undecided" else text.replace(" ", "")
    _square(axes, i, j, facecolor=to_rgba(colour, strength), edgecolor=Colour.PAPER, linewidth=1.2)
    axes.text(
        j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=size,
        color=Colour.INK if strong else Colour.MUTED, fontweight="bold" if strong else "normal",
    )  # fmt: skip


def _square(axes: Axes, i: int, j: int, n: int = 1, **how: Any) -> None:
    from matplotlib.patches import Rectangle

    # the axes have their limits: no patch has to tell its own
    axes.add_artist(Rectangle((j, i), n, 1, **how))


def _alt(families: list[Family], k: int) -> str:
    title = families[0].entry.title
    equivalence = families[0].equivalence
    if len(families) > 1:
        says = families[0].within if equivalence else "the model of the row is better"
        return (
            f"{title}: for each pair of {k} models, the number of {len(families)} data "
            f"sets on which {says}."
        )
    shown = sum(row.decision in SAYS for row in families[0].rows)
    margin = "not inferior" if families[0].noninferiority else "equivalent"
    says = margin if equivalence else "different"
    return (
        f"{title}: differences and adjusted p-values of {len(families[0].rows)} pairs of models; "
        f"{shown} of them are significantly {says}."
    )


def _all_pairs(design: StudyDesign, entry: Entry) -> bool:
    of_all = len(design.models) > 2 and design.analysis[entry.name].versus is None
    return design.pairs(entry) and entry.type1 is not TypeOneError.BAYESIAN and of_all


EXHIBITS = {
    "matrix": FigureExhibit(
        section=Section.COMPARISONS,
        place=23,
        title="matrix",
        caption="All pairs of models. Blue: the model of the row is significantly better; orange: "
        "the model of the column; green: both are equivalent; grey: the test cannot tell.",
        each="test",
        when=_all_pairs,
        draw=draw_matrix,
    ),
}

"""Figures of several models: square panels side by side, and lines with names at their ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.report.drawing import (
    SIZE,
    WIDTH,
    Colour,
    canvas,
    letters_in,
    name_of,
    plainly,
    text_width,
)
from bakeoff.report.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_MODELS, MOST_OF_SEVERAL = 12, 3
"""Lines or panels of a data set, and panels of each of several: fewer keep the page small."""
NAMED = (Colour.BLUE, Colour.ORANGE, Colour.GREEN)
"""The colours of the lines of the best models, which have names."""
_ACROSS = 3


class Squares(NamedTuple):
    """A square panel with a diagonal for each model.

    Attributes
    ----------
    figure : Figure
        With all of them.
    axes : list of Axes
        One for each model.
    middle : float
        Their middle, as a share of the width.
    """

    figure: Figure
    axes: list[Axes]
    middle: float

    def name(self, x: str, y: str) -> None:
        """Name the axes."""
        width, height = self.figure.get_size_inches()
        how = {"fontsize": SIZE, "color": Colour.INK}
        self.figure.supxlabel(x, **how, x=self.middle, y=0.1 / height)
        self.figure.supylabel(y, **how, x=0.08 / width)


def squares(
    study: Study, models: Sequence[str], ends: tuple[float, float], label: float
) -> Squares:
    """Make panels from one end to the other; their labels are so many inches wide."""
    across = min(_ACROSS, len(models))
    down = math.ceil(len(models) / across)
    left, bottom, top, gap = label + 0.45, 0.5, 0.28, 0.14
    side = (WIDTH - left - gap * (_ACROSS - 1) - 0.1) / _ACROSS
    width, height = left + across * (side + gap), bottom + down * (side + top)
    figure, made = canvas(width, height), []
    for place, model in enumerate(models):
        row, column = divmod(place, across)
        corner = left + column * (side + gap), bottom + (down - 1 - row) * (side + top)
        axes = figure.add_axes((corner[0] / width, corner[1] / height, side / width, side / height))
        for edge in ("top", "right"):
            axes.spines[edge].set_visible(False)
        axes.plot(ends, ends, color=Colour.MUTED, linewidth=0.9, zorder=1)
        axes.set_xlim(ends)
        axes.set_ylim(ends)
        axes.locator_params(nbins=max(1, min(4, int(side / (label + 0.3)))))
        plainly(axes, "both")
        below = place + across >= len(models)
        axes.tick_params(labelbottom=below, labelleft=column == 0, left=True, length=2.5)
        name = name_of(study.label(model), letters_in(side))
        axes.set_title(name, fontsize=SIZE, color=Colour.INK)
        made.append(axes)
    return Squares(figure, made, (left + (across * (side + gap) - gap) / 2) / width)


class Line(NamedTuple):
    """A line with a name in its colour; of others without a name the grey is enough."""

    y: ArrayLike
    name: str = ""
    colour: str = Colour.SOFT
    style: str = "-"


def model_lines(study: Study, values: Mapping[str, ArrayLike]) -> list[Line]:
    """Return a line for each model, the best three of them with names."""
    named = [name_of(study.label(model), 24) for model in [*values][: len(NAMED)]]
    blank = [("", Colour.SOFT)] * (len(values) - len(named))
    told = [*zip(named, NAMED, strict=False), *blank]
    return [Line(y, *how) for y, how in zip(values.values(), told, strict=True)]


def line_panel(
    x: ArrayLike, lines: Sequence[Line], limits: tuple[float, float], marker: str = ""
) -> tuple[Figure, Axes]:
    """Draw lines over each other, the first on top, with their names at their ends."""
    left, bottom, top, height = 0.75, 0.55, 0.1, 2.9
    right = max(text_width(line.name) for line in lines) + 0.2
    figure = canvas(WIDTH, height)
    axes = figure.add_axes(
        (
            *(left / WIDTH, bottom / height),
            *(1 - (left + right) / WIDTH, 1 - (bottom + top) / height),
        )
    )
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)
    for line in reversed(lines):
        axes.plot(
            x, line.y, marker=marker or "None", linestyle=line.style, color=line.colour,
            markersize=3.4, linewidth=1.4 if line.name else 0.8, markeredgewidth=0,
        )  # fmt: skip
    axes.set_ylim(limits)
    axes.locator_params(nbins=5)
    axes.grid(axis="y", color=Colour.LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(left=False)
    plainly(axes, "both")
    low, high = axes.get_ylim()
    named = [line for line in lines if line.name]
    ends = [(np.nan_to_num(np.asarray(line.y)[-1], nan=low) - low) / (high - low) for line in named]
    for line, y in zip(named, _apart(ends, SIZE / 72 * 1.3 / (height - bottom - top)), strict=True):
        axes.text(
            1.02, y, line.name, transform=axes.transAxes, va="center", color=line.colour,
        )  # fmt: skip
    return figure, axes


def _apart(ends: Sequence[float], least: float) -> list[float]:
    """Move the names at the ends of lines apart, upwards from the lowest."""
    found = list(ends)
    last = -1.0
    for place in sorted(range(len(ends)), key=lambda place: ends[place]):
        last = found[place] = max(ends[place], last + least)
    over = max(0.0, last - 1)
    return [end - over for end in found]


def unnamed(shown: Sequence[str]) -> str:
    """Say what lines without a name are; empty where there are none."""
    others = len(shown) - len(NAMED)
    if others < 2:
        return "The grey line is another model." if others == 1 else ""
    return f"Grey lines are {others} other models."


def fewer(shown: Sequence[str], known: Sequence[str]) -> str:
    """Say that a figure leaves models out; empty where it shows all."""
    return f"the {len(shown)} best of {len(known)} models" if len(shown) < len(known) else ""

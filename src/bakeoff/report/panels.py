"""Figures of several models: square panels side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bakeoff.report.drawing import (
    SIZE,
    WIDTH,
    Colour,
    canvas,
    letters_in,
    name_of,
    plainly,
)
from bakeoff.report.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_MODELS, MOST_OF_SEVERAL = 12, 3
"""Panels of a data set, and panels of each of several: fewer keep the page small."""
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


def fewer(shown: Sequence[str], known: Sequence[str]) -> str:
    """Say that a figure leaves models out; empty where it shows all."""
    return f"the {len(shown)} best of {len(known)} models" if len(shown) < len(known) else ""

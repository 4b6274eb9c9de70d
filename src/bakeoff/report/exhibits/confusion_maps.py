"""The confusion matrices as maps, a panel for each model."""

from __future__ import annotations

import math
from typing import Any

from bakeoff.report.drawing import (
    BLUE,
    INK,
    MUTED,
    SIZE,
    WIDTH,
    canvas,
    message,
    name_of,
    text_width,
)
from bakeoff.report.exhibit import Asked, Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.pairs_shown import order
from bakeoff.report.study import Study, clean

MOST_MODELS = 12
_ACROSS, _NUMBERED, _NAMED = 3, 6, 20
_ROOM = 1.5  # inches for the names of the classes below a panel, side by side
LEGEND = (
    "Rows are true classes, columns predicted ones; the darker, the larger the share of the true "
    "class. On the diagonal the rows that are right."
)


def draw(item: Item, study: Study) -> Drawing:
    """Draw a map of each model, those of the best models where there are many."""
    from matplotlib.colors import LinearSegmentedColormap

    if not study.test_sets:
        return message("there are no held-out rows", LEGEND)
    (tested,) = study.test_sets.values()
    known = [m for m in order(study) if m in tested.models]
    shown = known[:MOST_MODELS]
    names = [name_of(clean(name), 12) for name in tested.classes]
    k, across = len(names), min(_ACROSS, len(shown))
    down = math.ceil(len(shown) / across)
    side = WIDTH / _ACROSS
    figure = canvas(side * across, (side + 0.25) * down)
    colours = LinearSegmentedColormap.from_list("share", [f"{BLUE}00", BLUE])
    for place, model in enumerate(shown):
        axes = figure.add_subplot(down, across, place + 1)
        counts = tested.confusion(model)
        shares = counts / counts.sum(axis=1, keepdims=True).clip(min=1)
        if k <= _NAMED:
            axes.pcolormesh(shares, cmap=colours, vmin=0, vmax=2)
            axes.invert_yaxis()
        else:  # as a picture: a path for each cell would make a huge file
            axes.imshow(shares, cmap=colours, vmin=0, vmax=2, extent=(0, k, k, 0))
        axes.set_aspect("equal")
        axes.set_title(name_of(study.label(model), 24), fontsize=SIZE, color=INK)
        labels = names if k <= _NAMED else []
        ticks = [i + 0.5 for i in range(len(labels))]
        turned: Any = (
            {"rotation": 45, "ha": "right"} if k * max(map(text_width, names)) > _ROOM else {}
        )
        axes.set_xticks(ticks, labels, fontsize=SIZE - 1.5, **turned)
        axes.set_yticks(ticks, labels if place % across == 0 else [""] * k, fontsize=SIZE - 1.5)
        axes.tick_params(length=0)
        for i, j in ((i, j) for i in range(k) for j in range(k) if k <= _NUMBERED):
            axes.text(
                j + 0.5, i + 0.5, f"{counts[i, j]:,}", ha="center", va="center",
                fontsize=SIZE - 1, color=INK if i == j else MUTED,
            )  # fmt: skip
    height = figure.get_figheight()
    edges = {"top": 1 - 0.3 / height, "bottom": 0.4 / height}
    figure.subplots_adjust(left=0.14, right=0.98, hspace=0.5, wspace=0.12, **edges)
    best = tested.confusion(shown[0])
    alt = (
        f"Maps of true against predicted classes of {len(shown)} models on {tested.n:,} rows of "
        f"{k} classes. {study.label(shown[0])} has {int(best.trace()):,} of them right."
    )
    fewer = f"the {len(shown)} best of {len(known)} models" if len(shown) < len(known) else ""
    return Drawing(figure, alt, LEGEND, fewer)


def _of_one_dataset(asked: Asked) -> bool:
    return asked.rows and not asked.several


EXHIBIT = FigureExhibit(
    section=Section.COMPARISONS,
    place=50,
    title="Confusion matrices",
    caption="The confusion matrix of each model on the held-out rows as a map: rows are true "
    "classes, columns predicted ones, the darker a cell the larger its share of the true class.",
    when=_of_one_dataset,
    heading="Confusion matrices",
    draw=draw,
)

"""Predicted against observed numbers of the held-out rows."""

from __future__ import annotations

import math

import numpy as np

from bakeoff.report.drawing import (
    SIZE,
    WIDTH,
    Colour,
    canvas,
    letters_in,
    message,
    name_of,
    plainly,
    text_width,
)
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.numbers import share
from bakeoff.report.pairs_shown import order
from bakeoff.report.study import Study
from bakeoff.report.written import Written, of_target, with_unit

MOST_MODELS, MOST_OF_SEVERAL = 12, 3
"""Panels of a data set, and of each of several: fewer keep the page small."""
MOST_ROWS, MOST_DOTS = 2_000, 6_000
"""With more rows, or dots in all panels of the page, rows are counted in hexagons."""
_ACROSS, _HEXAGONS = 3, 24


def draw_fitted(item: Item, study: Study) -> Drawing:
    """Draw a panel of each model, those of the best models where there are many."""
    from matplotlib.colors import LinearSegmentedColormap

    dataset = item.dataset or study.datasets[0]
    rows = study.test_sets.get(dataset)
    if rows is None or not rows.n:
        return message("there are no held-out rows")
    known = [m for m in order(study) if m in rows.models]
    shown = known[: MOST_OF_SEVERAL if study.several else MOST_MODELS]
    across = min(_ACROSS, len(shown))
    down = math.ceil(len(shown) / across)
    predicted = rows.predicted[:, [rows.models.index(model) for model in shown]]
    both = rows.truth, predicted
    low, high = float(min(map(np.min, both))), float(max(map(np.max, both)))
    room = 0.04 * (high - low) or 1.0
    ends = low - room, high + room
    label = max(text_width(f"{end:,.3g}") for end in (low, high))
    left, bottom, top, gap = label + 0.45, 0.5, 0.28, 0.14
    side = (WIDTH - left - gap * (_ACROSS - 1) - 0.1) / _ACROSS
    width, height = left + across * (side + gap), bottom + down * (side + top)
    figure = canvas(width, height)
    counted = rows.n > MOST_ROWS or rows.n * len(shown) * len(study.datasets) > MOST_DOTS
    colours = LinearSegmentedColormap.from_list("rows", [f"{Colour.BLUE}26", Colour.BLUE])
    for place, model in enumerate(shown):
        row, column = divmod(place, across)
        corner = left + column * (side + gap), bottom + (down - 1 - row) * (side + top)
        axes = figure.add_axes((corner[0] / width, corner[1] / height, side / width, side / height))
        for edge in ("top", "right"):
            axes.spines[edge].set_visible(False)
        axes.plot(ends, ends, color=Colour.MUTED, linewidth=0.9, zorder=1)
        x, y = rows.truth, predicted[:, place]
        if counted:
            axes.hexbin(
                x, y, gridsize=_HEXAGONS, extent=(*ends, *ends), mincnt=1, bins="log",
                cmap=colours, linewidths=0, zorder=2,
            )  # fmt: skip
        else:
            axes.plot(
                x, y, "o", color=Colour.BLUE, markersize=2.6, alpha=0.45, markeredgewidth=0,
                zorder=2,
            )  # fmt: skip
        axes.set_xlim(ends)
        axes.set_ylim(ends)
        axes.locator_params(nbins=max(1, min(4, int(side / (label + 0.3)))))
        plainly(axes, "both")
        below = place + across >= len(shown)
        axes.tick_params(labelbottom=below, labelleft=column == 0, left=True, length=2.5)
        axes.set_title(
            name_of(study.label(model), letters_in(side)), fontsize=SIZE, color=Colour.INK
        )
    shown_as = of_target(study, dataset, rows.truth - predicted[:, 0])
    middle = (left + (across * (side + gap) - gap) / 2) / width
    figure.supxlabel(
        with_unit("observed", shown_as.unit), fontsize=SIZE, color=Colour.INK, x=middle,
        y=0.1 / height,
    )  # fmt: skip
    figure.supylabel(
        with_unit("predicted", shown_as.unit), fontsize=SIZE, color=Colour.INK, x=0.08 / width
    )
    legend = "The darker a hexagon, the more rows it holds (logarithmic)." if counted else ""
    fewer = f"the {len(shown)} best of {len(known)} models" if len(shown) < len(known) else ""
    return Drawing(figure, _alt(study, shown, rows.truth, predicted, shown_as), legend, fewer)


def _alt(
    study: Study,
    shown: list[str],
    truth: np.ndarray,
    predicted: np.ndarray,
    written: Written,
) -> str:
    ends = (written.told(float(end(truth))) for end in (np.min, np.max))
    high = float((predicted[:, 0] > truth).mean())
    return (
        f"Predicted against observed values of {len(truth):,} held-out rows from "
        f"{' to '.join(ends)}, a panel for each of {len(shown)} models. {study.label(shown[0])} "
        f"predicts too much for {share(high)} of the rows."
    )


EXHIBITS = {
    "fitted": FigureExhibit(
        section=Section.MODELS,
        place=32,
        title="Predicted against observed",
        caption="The prediction of each model for each held-out row against the observed value. On "
        "the diagonal both are equal; above it the prediction is too high. Predictions of a good "
        "model vary less than the observations, so that low observations lie above the diagonal "
        "and high ones below it: this alone is no sign of bias.",
        each="dataset",
        when=lambda design: design.has_numbers,
        heading="Errors",
        draw=draw_fitted,
    ),
}

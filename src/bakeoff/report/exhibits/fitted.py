"""Predicted against observed numbers of the held-out rows."""

from __future__ import annotations

import numpy as np

from bakeoff.report.drawing import Colour, message, text_width
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.numbers import share
from bakeoff.report.pairs_shown import order
from bakeoff.report.panels import MOST_MODELS, MOST_OF_SEVERAL, fewer, squares
from bakeoff.report.study import Study
from bakeoff.report.written import Written, of_target, with_unit

MOST_ROWS, MOST_DOTS = 2_000, 6_000
"""With more rows, or dots in all panels of the page, rows are counted in hexagons."""
_HEXAGONS = 24
_FEW = 300
"""Up to so many rows dots hardly cover one another, and need not be pale."""


def draw_fitted(item: Item, study: Study) -> Drawing:
    """Draw a panel of each model, those of the best models where there are many."""
    from matplotlib.colors import LinearSegmentedColormap

    dataset = item.dataset or study.datasets[0]
    rows = study.test_sets.get(dataset)
    if rows is None or not rows.n:
        return message("there are no held-out rows")
    known = [m for m in order(study) if m in rows.models]
    shown = known[: MOST_OF_SEVERAL if study.several else MOST_MODELS]
    predicted = rows.predicted[:, [rows.models.index(model) for model in shown]]
    both = rows.truth, predicted
    low, high = float(min(map(np.min, both))), float(max(map(np.max, both)))
    room = 0.04 * (high - low) or 1.0
    ends = low - room, high + room
    label = max(text_width(f"{end:,.3g}") for end in (low, high))
    panels = squares(study, shown, ends, label)
    counted = rows.n > MOST_ROWS or rows.n * len(shown) * len(study.datasets) > MOST_DOTS
    colours = LinearSegmentedColormap.from_list("rows", [f"{Colour.BLUE}26", Colour.BLUE])
    for place, axes in enumerate(panels.axes):
        x, y = rows.truth, predicted[:, place]
        if counted:
            axes.hexbin(
                x, y, gridsize=_HEXAGONS, extent=(*ends, *ends), mincnt=1, bins="log",
                cmap=colours, linewidths=0, zorder=2,
            )  # fmt: skip
        else:
            axes.plot(
                x, y, "o", color=Colour.BLUE, markersize=2.6, alpha=0.45 if rows.n > _FEW else 0.8,
                markeredgewidth=0,
                zorder=2,
            )  # fmt: skip
    shown_as = of_target(study, dataset, rows.truth - predicted[:, 0])
    panels.name(with_unit("observed", shown_as.unit), with_unit("predicted", shown_as.unit))
    legend = "The darker a hexagon, the more rows it holds (logarithmic)." if counted else ""
    alt = _alt(study, shown, rows.truth, predicted, shown_as)
    return Drawing(panels.figure, alt, legend, fewer(shown, known))


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

"""How large the errors of predicted numbers are where predictions are low or high."""

from __future__ import annotations

import numpy as np

from bakeoff.report.drawing import (
    SIZE,
    WIDTH,
    Colour,
    canvas,
    message,
    name_of,
    plainly,
    text_width,
)
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.numbers import capital, enumerated
from bakeoff.report.pairs_shown import order
from bakeoff.report.study import Study
from bakeoff.report.written import of_target, with_unit

TENTHS, LEAST_ROWS = 10, 5
"""Parts of the rows, and the rows that each of them has at least."""
MOST_MODELS = 12
_NAMED = (Colour.BLUE, Colour.ORANGE, Colour.GREEN)


def draw_error_by_size(item: Item, study: Study) -> Drawing:
    """Draw a line for each model, the best three of them in colours."""
    dataset = item.dataset or study.datasets[0]
    rows = study.test_sets.get(dataset)
    if rows is None or rows.n < 2 * LEAST_ROWS:
        return message(f"there are fewer than {2 * LEAST_ROWS} held-out rows")
    known = [m for m in order(study) if m in rows.models]
    shown = known[:MOST_MODELS]
    middle = rows.predicted.mean(axis=1)
    ordered = np.argsort(middle, kind="stable")
    parts = np.array_split(ordered, min(TENTHS, rows.n // LEAST_ROWS))
    x = [float(middle[part].mean()) for part in parts]
    errors = rows.predicted - rows.truth[:, None]
    squared = bool(study.metric.null)
    loss = np.square(errors) if squared else np.abs(errors)
    means = np.array([loss[part].mean(axis=0) for part in parts])
    values = np.sqrt(means) if squared else means
    lines = {model: values[:, rows.models.index(model)] for model in shown}
    names = {model: name_of(study.label(model), 24) for model in shown[: len(_NAMED)]}

    left, bottom, top, height = 0.75, 0.55, 0.1, 2.9
    right = max(map(text_width, names.values())) + 0.2
    figure = canvas(WIDTH, height)
    axes = figure.add_axes(
        (
            *(left / WIDTH, bottom / height),
            *(1 - (left + right) / WIDTH, 1 - (bottom + top) / height),
        )
    )
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)
    for place, (model, y) in reversed(list(enumerate(lines.items()))):
        colour = _NAMED[place] if model in names else Colour.SOFT
        axes.plot(
            x, y, "o-", color=colour, markersize=3.4, linewidth=1.4 if model in names else 0.8,
            markeredgewidth=0,
        )  # fmt: skip
    axes.set_ylim(0, 1.06 * max(float(y.max()) for y in lines.values()) or 1.0)
    axes.locator_params(nbins=5)
    axes.grid(axis="y", color=Colour.LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(left=False)
    plainly(axes, "both")
    ends = {model: float(lines[model][-1]) / axes.get_ylim()[1] for model in names}
    line = SIZE / 72 * 1.3 / (height - bottom - top)
    for (model, y), colour in zip(_apart(ends, line), _NAMED, strict=False):
        axes.text(
            1.02, y, names[model], transform=axes.transAxes, va="center", color=colour,
        )  # fmt: skip
    written, title = (
        of_target(study, dataset, errors),
        "root mean squared error" if squared else "mean absolute error",
    )
    axes.set_xlabel(with_unit("mean prediction of all models", written.unit))
    axes.set_ylabel(with_unit(title, written.unit))
    told = (
        f"{study.label(m)}: {written.told(float(lines[m][0]))} where predictions are lowest, "
        f"{written.told(float(lines[m][-1]))} where they are highest"
        for m in names
    )
    others = len(shown) - len(names)
    grey = f"Grey lines are {others} other models." if others > 0 else ""
    fewer = f"the {len(shown)} best of {len(known)} models" if len(shown) < len(known) else ""
    return Drawing(figure, f"{capital(title)} by tenths. {enumerated(told)}.", grey, fewer)


def _apart(ends: dict[str, float], least: float) -> list[tuple[str, float]]:
    """Move the names at the ends of lines apart, upwards from the lowest; in the given order."""
    found: dict[str, float] = {}
    last = -1.0
    for model in sorted(ends, key=lambda model: ends[model]):
        last = found[model] = max(ends[model], last + least)
    over = max(0.0, last - 1)
    return [(model, found[model] - over) for model in ends]


EXHIBITS = {
    "error_by_size": FigureExhibit(
        section=Section.MODELS,
        place=36,
        title="Error by size of the prediction",
        caption="The error of each model in tenths of the held-out rows, ordered by the mean "
        "prediction of all models. Ordered by the observed values, every model that shrinks its "
        "predictions would look bad at both ends. The figure describes these rows; it is no test.",
        each="dataset",
        when=lambda design: design.has_numbers,
        draw=draw_error_by_size,
    ),
}

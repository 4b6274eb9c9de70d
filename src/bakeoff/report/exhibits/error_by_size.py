"""How large the errors of predicted numbers are where predictions are low or high."""

from __future__ import annotations

import numpy as np

from bakeoff.report.drawing import message
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.numbers import capital, enumerated
from bakeoff.report.pairs_shown import order
from bakeoff.report.panels import MOST_MODELS, NAMED, fewer, line_panel, model_lines, unnamed
from bakeoff.report.study import Study
from bakeoff.report.written import of_target, with_unit

TENTHS, LEAST_ROWS = 10, 5
"""Parts of the rows, and the rows that each of them has at least."""


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
    limits = 0, 1.06 * max(float(y.max()) for y in lines.values()) or 1.0
    figure, axes = line_panel(x, model_lines(study, lines), limits, marker="o")
    written, title = (
        of_target(study, dataset, errors),
        "root mean squared error" if squared else "mean absolute error",
    )
    axes.set_xlabel(with_unit("mean prediction of all models", written.unit))
    axes.set_ylabel(with_unit(title, written.unit))
    told = (
        f"{study.label(m)}: {written.told(float(lines[m][0]))} where predictions are lowest, "
        f"{written.told(float(lines[m][-1]))} where they are highest"
        for m in shown[: len(NAMED)]
    )
    alt = f"{capital(title)} by tenths. {enumerated(told)}."
    return Drawing(figure, alt, unnamed(shown), fewer(shown, known))


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

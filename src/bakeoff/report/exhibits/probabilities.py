"""What the predicted probabilities of two classes are worth: calibration curves."""

from __future__ import annotations

import dataclasses

import numpy as np

from bakeoff.comparisons.held_out import difference_options
from bakeoff.report.drawing import Colour, message, text_width
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.numbers import enumerated, percent, score
from bakeoff.report.pairs_shown import order
from bakeoff.report.panels import MOST_MODELS, MOST_OF_SEVERAL, fewer, squares
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.stats import metric_ci
from bakeoff.stats.metrics.calibration import calibration_curve
from bakeoff.stats.metrics.test_rows import read_groups


def _indices(design: StudyDesign) -> list[str]:
    """List the metrics of calibration."""
    return [name for name in design.experiment.metrics if design.metrics[name].calibration]


def draw_calibration(item: Item, study: Study) -> Drawing:
    """Draw a panel for each model: its curve with a band, and where its probabilities lie."""
    dataset = item.dataset or study.datasets[0]
    rows = study.test_sets.get(dataset)
    known = {}
    if rows is not None and len(rows.classes) == 2 and rows.probabilities is not None:
        of_positive = rows.probabilities[:, :, 1]
        every = {m: of_positive[:, rows.models.index(m)] for m in order(study) if m in rows.models}
        known = {m: p for m, p in every.items() if len(p) and not np.isnan(p).any()}
    if rows is None or not known:
        return message("no model gives probabilities of two classes on the held-out rows")
    positive = rows.truth == 1
    shown = [*known][: MOST_OF_SEVERAL if study.several else MOST_MODELS]
    rows = dataclasses.replace(rows, metric=_indices(study)[0])
    options = difference_options(rows, study.experiment.costs_on(dataset))
    options |= {"metric": rows.metric, "labels": [False, True], "positive": True}
    panels = squares(study, shown, (-0.02, 1.02), text_width("0.75"))
    clusters = read_groups(options.get("groups"), len(positive))
    level = 1 - study.alpha
    for axes, model in zip(panels.axes, shown, strict=True):
        curve = calibration_curve(positive, known[model], clusters, level)
        axes.fill_between(
            curve.at, curve.low, curve.high, color=Colour.BLUE, alpha=0.2, linewidth=0
        )
        axes.plot(curve.at, curve.share, color=Colour.BLUE, linewidth=1.4)
        counts, edges = np.histogram(known[model], bins=25, range=(0, 1))
        axes.bar(
            edges[:-1], 0.12 * counts / counts.max(), width=0.036, bottom=-0.02, align="edge",
            color=Colour.MUTED, alpha=0.5, linewidth=0,
        )  # fmt: skip
    panels.name("predicted probability", "observed share")
    indices = {m: metric_ci(positive, known[m], **options).estimate for m in shown}
    told = enumerated(f"{study.label(m)}: ICI {score(index)}" for m, index in indices.items())
    return Drawing(
        panels.figure,
        f"Calibration curves of {len(shown)} models on {len(positive):,} rows. {told}.",
        f"The band is a pointwise {percent(level)} confidence band of the smoothed share.",
        fewer(shown, [*known]),
    )


EXHIBITS = {
    "calibration": FigureExhibit(
        section=Section.MODELS,
        place=37,
        title="Calibration curves",
        caption="The share of positive held-out rows by predicted probability (line, with its "
        "confidence band), smoothed by local linear regression (loess of degree 1 with a span of "
        "0.75 and no robustness steps). On the diagonal probabilities mean what they say; below it "
        "they are too high. Grey bars show where the probabilities of the model lie.",
        each="dataset",
        when=lambda design: design.has_labels and any(_indices(design)),
        heading="Probabilities",
        citation="austin2019",
        draw=draw_calibration,
    ),
}

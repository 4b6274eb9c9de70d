"""What the predicted probabilities of two classes are worth: calibration and decision curves."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from bakeoff.comparisons.run_tests import difference_options
from bakeoff.report.cells import DATASET, MODEL, RATIO, SHARE_OF_ROWS
from bakeoff.report.drawing import Colour, message, text_width
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import enumerated, percent, score
from bakeoff.report.pairs_shown import order
from bakeoff.report.panels import (
    MOST_MODELS,
    MOST_OF_SEVERAL,
    NAMED,
    Line,
    fewer,
    line_panel,
    model_lines,
    squares,
    unnamed,
)
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.tables import Column, PageTable, tabulate
from bakeoff.stats import CALIBRATION_INTERCEPT, CALIBRATION_SLOPE, Metric, Result, metric_ci
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.metrics.calibration import calibration_curve
from bakeoff.stats.metrics.probabilities import net_benefits
from bakeoff.stats.metrics.view import read_groups

_NOTHING = "no model gives probabilities of two classes on the held-out rows"
_BELOW = 0.12
"""How far below 0 the decision curve goes, in shares of its height."""


class Probabilities(NamedTuple):
    """What models that give probabilities say of one test set.

    Attributes
    ----------
    positive : ndarray of bool, shape (n,)
        The truth.
    models : dict of str to ndarray, shape (n,)
        Their probabilities of the positive class, the best model first.
    options : dict
        The arguments of `metric_ci` that say how the rows are related.
    """

    positive: BoolArray
    models: dict[str, FloatArray]
    options: dict[str, Any]

    @classmethod
    def of(cls, study: Study, dataset: str, curve: str) -> Probabilities | None:
        """Return those of a data set, by the first metric that has a curve."""
        rows = study.test_sets.get(dataset)
        if rows is None or len(rows.classes) != 2 or rows.probabilities is None:
            return None
        rows = dataclasses.replace(rows, metric=next(_with_curve(study, curve)).name)
        of_positive = rows.probabilities[:, :, 1]  # type: ignore[index]
        known = {m: of_positive[:, rows.models.index(m)] for m in order(study) if m in rows.models}
        models = {m: p for m, p in known.items() if not np.isnan(p).any()}
        options = difference_options(rows, study.experiment.costs_on(dataset))
        return cls(rows.truth == 1, models, options) if models and rows.n else None

    def measured(self, model: str, metric: str | Metric, level: float) -> Result:
        """Return a metric of a model with its interval."""
        how = self.options | {"metric": metric, "labels": [False, True], "positive": True}
        return metric_ci(self.positive, self.models[model], **how, confidence_level=level)


def _with_curve(design: StudyDesign, curve: str) -> Iterator[Metric]:
    return (m for name in design.experiment.metrics if (m := design.metrics[name]).curve == curve)


def _has(curve: str) -> Callable[[StudyDesign], bool]:
    return lambda design: design.has_labels and any(_with_curve(design, curve))


def draw_calibration(item: Item, study: Study) -> Drawing:
    """Draw a panel for each model: its curve with a band, and where its probabilities lie."""
    found = Probabilities.of(study, item.dataset or study.datasets[0], "calibration")
    if found is None:
        return message(_NOTHING)
    shown = [*found.models][: MOST_OF_SEVERAL if study.several else MOST_MODELS]
    panels = squares(study, shown, (-0.02, 1.02), text_width("0.75"))
    groups = found.options.get("groups")
    clusters = read_groups(groups, len(found.positive))
    level = 1 - study.alpha
    for axes, model in zip(panels.axes, shown, strict=True):
        p = found.models[model]
        curve = calibration_curve(found.positive, p, clusters, level)
        axes.fill_between(
            curve.at, curve.low, curve.high, color=Colour.BLUE, alpha=0.2, linewidth=0
        )
        axes.plot(curve.at, curve.share, color=Colour.BLUE, linewidth=1.4)
        counts, edges = np.histogram(p, bins=25, range=(0, 1))
        axes.bar(
            edges[:-1], 0.12 * counts / counts.max(), width=0.036, bottom=-0.02, align="edge",
            color=Colour.MUTED, alpha=0.5, linewidth=0,
        )  # fmt: skip
    panels.name("predicted probability", "observed share")
    told = enumerated(f"{study.label(m)}: ICI {_ici(found, study, m)}" for m in shown)
    return Drawing(
        panels.figure,
        f"Calibration curves of {len(shown)} models on {len(found.positive):,} rows. {told}.",
        f"The band is a pointwise {percent(level)} confidence band of the smoothed share.",
        fewer(shown, [*found.models]),
    )


def _ici(found: Probabilities, study: Study, model: str) -> str:
    metric = next(_with_curve(study, "calibration")).name
    return score(found.measured(model, metric, 0.95).estimate)


def build_calibration(item: Item, study: Study) -> PageTable:
    """List intercept, slope and index of every model on every data set."""
    columns = (
        DATASET,
        MODEL,
        Column("intercept", "Intercept", SHARE_OF_ROWS),
        Column("intercept_ci", "CI", RATIO),
        Column("slope", "Slope", SHARE_OF_ROWS),
        Column("slope_ci", "CI", RATIO),
        Column("ici", "ICI", SHARE_OF_ROWS),
    )
    rows, notes = [], []
    (index, *_) = _with_curve(study, "calibration")
    for dataset in study.datasets:
        found = Probabilities.of(study, dataset, "calibration")
        for model in found.models if found else ():
            row: dict[str, Any] = {"dataset": dataset, "model": model}
            metrics = {"intercept": CALIBRATION_INTERCEPT, "slope": CALIBRATION_SLOPE, "ici": index}
            for key, metric in metrics.items():
                result = found.measured(model, metric, 1 - study.alpha)  # type: ignore[union-attr]
                ci = (result.ci.low, result.ci.high) if result.ci else (math.nan,) * 2
                row |= {key: result.estimate, f"{key}_ci": ci}
                if math.isnan(result.estimate):
                    said = [a.detail for a in result.assumptions if a.holds is False]
                    notes.append(f"{study.label(model)} has no {metric.title}: {'; '.join(said)}.")
            rows.append(row)
    return tabulate(item, study, columns, rows, " ".join(dict.fromkeys(notes)))


def draw_decision_curve(item: Item, study: Study) -> Drawing:
    """Draw the net benefit of the models, of treating all rows and of treating none."""
    found = Probabilities.of(study, item.dataset or study.datasets[0], "decision")
    if found is None:
        return message(_NOTHING)
    shown = [*found.models][:MOST_MODELS]
    most = max(float(found.models[m].max()) for m in shown)
    thresholds = np.arange(1, max(2, min(99, math.ceil(100 * most))) + 1) / 100
    everyone = np.ones(len(found.positive))

    def benefit(p: FloatArray) -> FloatArray:
        return np.array([net_benefits(found.positive, p, t).mean() for t in thresholds])

    lines = {model: benefit(found.models[model]) for model in shown}
    to_all = benefit(everyone)
    top = 1.06 * max(float(to_all[0]), *(float(y.max()) for y in lines.values()), 1e-3)
    low = -_BELOW * top
    drawn = model_lines(study, {m: np.where(y < low, np.nan, y) for m, y in lines.items()})
    fixed = [
        Line(np.where(to_all < low, np.nan, to_all), "all (dashed)", Colour.MUTED, "--"),
        Line(np.zeros(len(thresholds)), "none", Colour.MUTED),
    ]
    figure, axes = line_panel(thresholds, [*drawn, *fixed], (low, top))
    axes.set_xlim(0, float(thresholds[-1]))
    axes.set_xlabel("threshold probability")
    axes.set_ylabel("net benefit")
    at = sorted({len(thresholds) // 4, len(thresholds) // 2, 3 * len(thresholds) // 4})

    def told(model: str) -> str:
        found = (f"{score(float(lines[model][i]))} at {thresholds[i]:g}" for i in at)
        return f"{study.label(model)} {enumerated(found)}"

    alt = f"Net benefit by threshold. {enumerated(map(told, shown[: len(NAMED)]))}."
    return Drawing(figure, alt, unnamed(shown), fewer(shown, [*found.models]))


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
        when=_has("calibration"),
        heading="Probabilities",
        citation="austin2019",
        draw=draw_calibration,
    ),
    "calibration_table": TableExhibit(
        section=Section.MODELS,
        place=38,
        title="Calibration",
        caption="Calibration on the held-out rows. The intercept is that of a logistic regression "
        "of the class on the logit of the probability at a slope of 1: above 0 probabilities are "
        "too low on average, below 0 too high. The slope is 1 for ideal probabilities and below 1 "
        "for too extreme ones (Cox 1958). The integrated calibration index (ICI) is the mean "
        "distance of the probabilities from the calibration curve. It describes these rows, has no "
        "interval, and is above 0 even for perfect probabilities.",
        when=_has("calibration"),
        citation="cox1958",
        build=build_calibration,
    ),
    "decision_curve": FigureExhibit(
        section=Section.MODELS,
        place=39,
        title="Decision curve",
        caption="The net benefit of calling a row positive from a threshold probability t on: the "
        "share of true positives less that of false positives times t/(1 − t). The threshold says "
        "how many false positives a true one is worth; choose it from the decision, not from this "
        "figure. A model is of use where it is above both treating all rows and treating none. "
        "Differences between lines are tested by the metric net_benefit@t at a threshold that was "
        "chosen before.",
        each="dataset",
        when=_has("decision"),
        citation="vickers2006",
        draw=draw_decision_curve,
    ),
}

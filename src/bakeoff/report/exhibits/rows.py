"""The held-out rows as figures: predictions, probabilities, errors and subgroups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bakeoff.comparisons import Decision
from bakeoff.comparisons.evidence import difference_options, has_test
from bakeoff.comparisons.row_tables import INTERACTION
from bakeoff.report.drawing import (
    SIZE,
    WIDTH,
    Colour,
    IntervalLine,
    canvas,
    interval_plot,
    message,
    name_of,
    text_width,
)
from bakeoff.report.exhibit import Drawing, Section, figure
from bakeoff.report.numbers import enumerated, fixed, p_equals, percent, share
from bakeoff.report.prose import advantage
from bakeoff.report.ranking import order
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign, clean
from bakeoff.report.written import of_target, with_unit
from bakeoff.spec.related import row_columns
from bakeoff.stats import metric_ci
from bakeoff.stats.metrics.library import calibration_curve
from bakeoff.stats.metrics.metric import read_groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_MODELS, MOST_OF_SEVERAL = 12, 3
"""Panels of a data set, and panels of each of several: fewer keep the page small."""
ACROSS = 3
"""Panels side by side."""


def _fewer(shown: Sequence[str], known: Sequence[str]) -> str:
    """Say that a figure leaves models out; empty where it shows all."""
    return f"the {len(shown)} best of {len(known)} models" if len(shown) < len(known) else ""


def _panels(study: Study, models: Sequence[str], x: str, y: str) -> tuple[Figure, list[Axes]]:
    """Make a square panel for each model; the axes have one name and one scale for all."""
    across = min(ACROSS, len(models))
    down = math.ceil(len(models) / across)
    drawn = canvas(0.5 + across * (WIDTH - 0.5) / ACROSS, 0.4 + 1.9 * down)
    drawn.set_layout_engine("constrained")
    grid = list(drawn.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel())
    for place, axes in enumerate(grid):
        axes.set_visible(place < len(models))
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(length=0, labelbottom=place + across >= len(models))
    for axes, model in zip(grid, models, strict=False):
        axes.set_title(name_of(study.label(model), 24), fontsize=SIZE, color=Colour.INK)
    drawn.supxlabel(x, fontsize=SIZE, color=Colour.INK)
    drawn.supylabel(y, fontsize=SIZE, color=Colour.INK)
    return drawn, grid[: len(models)]


@figure(
    Section.METRICS,
    50,
    "Predicted against observed",
    each="dataset",
    when=lambda design: design.has_rows and design.experiment.task.numbers,
)
def fitted(study: Study, dataset: str) -> Drawing:
    """The prediction of each model for each held-out row against the observed value. On the
    diagonal both are equal; above it the prediction is too high. Predictions of a good model vary
    less than the observations, so that low observations lie above the diagonal and high ones below
    it: this alone is no sign of bias.
    """
    from matplotlib.colors import LinearSegmentedColormap

    rows = study.test_sets.get(dataset)
    if rows is None or not rows.n:
        return message("there are no held-out rows")
    known = [m for m in order(study) if m in rows.models]
    shown = known[: MOST_OF_SEVERAL if study.several else MOST_MODELS]
    truth, predicted = rows.truth, rows.predicted[:, [rows.models.index(m) for m in shown]]
    low = float(min(truth.min(), predicted.min()))
    high = float(max(truth.max(), predicted.max()))
    room = 0.04 * (high - low) or 1.0
    ends = low - room, high + room
    # with more rows, or dots in all panels of the page, rows are counted in hexagons
    counted = rows.n > 2_000 or rows.n * len(shown) * len(study.datasets) > 6_000
    colours = LinearSegmentedColormap.from_list("rows", [f"{Colour.BLUE}26", Colour.BLUE])
    written = of_target(study, dataset, truth - predicted[:, 0])
    names = (with_unit(name, written.unit) for name in ("observed", "predicted"))
    drawn, panels = _panels(study, shown, *names)
    for place, axes in enumerate(panels):
        axes.plot(ends, ends, color=Colour.MUTED, linewidth=0.9, zorder=1)
        axes.set(xlim=ends, ylim=ends, aspect="equal")
        axes.locator_params(nbins=4)
        if counted:
            how: dict[str, Any] = {"mincnt": 1, "bins": "log", "cmap": colours, "linewidths": 0}
            axes.hexbin(truth, predicted[:, place], gridsize=24, extent=(*ends, *ends), **how)
        else:
            # a few dots hardly cover one another, and need not be pale
            how = {"markersize": 2.6, "alpha": 0.45 if rows.n > 300 else 0.8, "markeredgewidth": 0}
            axes.plot(truth, predicted[:, place], "o", color=Colour.BLUE, **how)
    legend = "The darker a hexagon, the more rows it holds (logarithmic)." if counted else ""
    alt = (
        f"Predicted against observed values of {rows.n:,} held-out rows from "
        f"{written.told(float(truth.min()))} to {written.told(float(truth.max()))}, a panel for "
        f"each of {len(shown)} models. {study.label(shown[0])} predicts too much for "
        f"{share(float((predicted[:, 0] > truth).mean()))} of the rows."
    )
    return Drawing(drawn, alt, legend, _fewer(shown, known))


def _has_labels(design: StudyDesign) -> bool:
    return design.has_rows and not design.experiment.task.numbers


def _indices(design: StudyDesign) -> list[str]:
    """List the metrics of calibration."""
    return [name for name in design.experiment.metrics if design.metrics[name].calibration]


@figure(
    Section.METRICS,
    40,
    "Calibration curves",
    each="dataset",
    when=lambda design: _has_labels(design) and any(_indices(design)),
    citation="austin2019",
)
def calibration(study: Study, dataset: str) -> Drawing:
    """The share of positive held-out rows by predicted probability (line, with its confidence
    band), smoothed by local linear regression (loess of degree 1 with a span of 0.75 and no
    robustness steps). On the diagonal probabilities mean what they say; below it they are too high.
    Grey bars show where the probabilities of the model lie.
    """
    rows = study.test_sets.get(dataset)
    known = {}
    if rows is not None and len(rows.classes) == 2 and rows.probabilities is not None:
        of_positive = rows.probabilities[:, :, 1]
        every = {m: of_positive[:, rows.models.index(m)] for m in order(study) if m in rows.models}
        known = {m: p for m, p in every.items() if len(p) and not np.isnan(p).any()}
    if rows is None or not known:
        return message("no model gives probabilities of two classes on the held-out rows")
    positive, level = rows.truth == 1, 1 - study.alpha
    shown = [*known][: MOST_OF_SEVERAL if study.several else MOST_MODELS]
    rows = dataclasses.replace(rows, metric=_indices(study)[0])
    options = difference_options(rows, study.experiment.costs_on(dataset))
    options |= {"metric": rows.metric, "labels": [False, True], "positive": True}
    clusters = read_groups(options.get("groups"), len(positive))
    drawn, panels = _panels(study, shown, "predicted probability", "observed share")
    for axes, model in zip(panels, shown, strict=True):
        axes.plot([0, 1], [0, 1], color=Colour.MUTED, linewidth=0.9, zorder=1)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
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
    indices = {m: metric_ci(positive, known[m], **options).estimate for m in shown}
    told = enumerated(f"{study.label(m)}: ICI {fixed(index, 3)}" for m, index in indices.items())
    return Drawing(
        drawn,
        f"Calibration curves of {len(shown)} models on {len(positive):,} rows. {told}.",
        f"The band is a pointwise {percent(level)} confidence band of the smoothed share.",
        _fewer(shown, [*known]),
    )


@figure(
    Section.METRICS,
    60,
    "Confusion matrices",
    when=lambda design: _has_labels(design) and not design.several,
)
def confusion_maps(study: Study) -> Drawing:
    """The confusion matrix of each model on the held-out rows: rows are true classes, columns
    predicted classes. The darker a cell, the larger its share of the true class; correct
    predictions are on the diagonal.
    """
    from matplotlib.colors import LinearSegmentedColormap

    if not study.test_sets:
        return message("there are no held-out rows")
    (tested,) = study.test_sets.values()
    known = [m for m in order(study) if m in tested.models]
    shown = known[:MOST_MODELS]
    names = [name_of(clean(name), 12) for name in tested.classes]
    k = len(names)
    drawn, panels = _panels(study, shown, "predicted class", "true class")
    colours = LinearSegmentedColormap.from_list("share", [f"{Colour.BLUE}00", Colour.BLUE])
    labels = names if k <= 20 else []
    # so many inches have the names of the classes below a panel, side by side
    long = k * max(map(text_width, names)) > 1.5
    turned: Any = {"rotation": 45, "ha": "right"} if long else {}
    for axes, model in zip(panels, shown, strict=True):
        counts = tested.confusion(model)
        shares = counts / counts.sum(axis=1, keepdims=True).clip(min=1)
        axes.imshow(shares, cmap=colours, vmin=0, vmax=2)
        axes.set_xticks(range(len(labels)), labels, fontsize=SIZE - 1.5, **turned)
        axes.set_yticks(range(len(labels)), labels, fontsize=SIZE - 1.5)
        for i, j in np.ndindex(k, k) if k <= 6 else ():
            how: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SIZE - 1}
            axes.text(j, i, f"{counts[i, j]:,}", **how)
    right = int(tested.confusion(shown[0]).trace())
    alt = (
        f"Maps of true against predicted classes of {len(shown)} models on {tested.n:,} rows of "
        f"{k} classes. {study.label(shown[0])} has {right:,} of them right."
    )
    return Drawing(drawn, alt, shows=_fewer(shown, known))


def _in_subgroups(design: StudyDesign) -> bool:
    """Show it where a data set has subgroups and the models are ranked by what rows have."""
    experiment = design.experiment
    there = any(row_columns(experiment, name).subgroups for name in experiment.datasets)
    ranked = design.has_rows and has_test(experiment.metrics[0])
    by_values = experiment.by_values and not design.has_runs
    return there and len(experiment.models) > 1 and (ranked or by_values)


@figure(Section.DATA, 40, "Differences by subgroup", each="dataset", when=_in_subgroups)
def subgroups(study: Study, dataset: str) -> Drawing:
    """The difference between two models in each subgroup of the held-out rows (square; number of
    rows in brackets) with its interval; filled squares differ significantly from zero. A
    significant difference in one subgroup but not in another is not evidence that the two subgroups
    differ: the interaction test beside the name of the column answers this. P-values are adjusted
    by Holm's method over columns, subgroups and pairs.
    """
    found, metric = study.subgroups, study.metric
    own = found[(found["dataset"] == dataset) & (found["metric"] == metric.name)]
    place = {model: i for i, model in enumerate(order(study))}
    lines = sorted(
        own.to_dict("records"),
        key=lambda line: sorted((place[line["model_a"]], place[line["model_b"]])),
    )
    if not any(math.isfinite(line["estimate"]) for line in lines):
        return message("no subgroup has enough rows for a difference")
    made = [_subgroup(study, line) for line in lines[:36]]
    better = "higher" if metric.greater_is_better else "lower"
    measured = study.written(dataset=dataset).label
    axis = f"{advantage([metric])} in {measured} (to the right: A is {better} and better)"
    drawn, _ = interval_plot(made, axis)
    told = enumerated(f"{line.label}: {line.note}" for line in made)
    shows = f"the first {len(made)} of {len(lines)} lines; all are in subgroups.csv"
    return Drawing(
        drawn,
        f"Differences in {metric.title} by subgroup. {told}.",
        f"Intervals are simultaneous {percent(1 - study.alpha)} intervals for each column.",
        shows if len(made) < len(lines) else "",
    )


def _subgroup(study: Study, line: dict[Any, Any]) -> IntervalLine:
    """Make a line of a subgroup's difference, or a heading of the interaction with its column."""
    p = p_equals(line["pvalue_adjusted"], "adj. p" if line["family_size"] > 1 else "p")
    known = math.isfinite(line["pvalue"])
    if line["role"] == INTERACTION:
        pair = " − ".join(name_of(study.label(line[m]), 16) for m in ("model_a", "model_b"))
        label = f"{pair}, by {name_of(line['column'], 16)}"
        return IntervalLine(label, f"interaction: {p}" if known else "too few rows", heading=True)
    note = str(line["status"]).replace("_", " ")
    if known:
        written = study.written(dataset=line["dataset"])
        ends = written.interval(line["ci_low"], line["ci_high"])
        note = f"{written.score(line['estimate'])} {ends}  {p}"
    label = f"{name_of(line['subgroup'], 24)} ({line['n']:,})"
    ci = line["ci_low"], line["ci_high"]
    return IntervalLine(label, note, line["estimate"], ci, Decision(line["decision"]))

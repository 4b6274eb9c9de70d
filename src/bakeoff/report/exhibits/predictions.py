"""What the models say of the held-out rows: errors, probabilities, confusions, subgroups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons.evidence import PairedPredictions, difference_options
from bakeoff.comparisons.flipped_rows import are_marks
from bakeoff.comparisons.row_tables import INTERACTION
from bakeoff.comparisons.run_tests import Decision
from bakeoff.comparisons.settings import has_test
from bakeoff.report import drawing, prose, tables
from bakeoff.report.drawing import SIZE, Colour, IntervalLine, message, name_of
from bakeoff.report.exhibit import Drawing, Section, figure, table
from bakeoff.report.numbers import clean, enumerated, fixed, p_equals, percent
from bakeoff.report.ranking import order
from bakeoff.report.study import Study
from bakeoff.report.tables import Column, Table
from bakeoff.report.written import Written, decimals, with_unit
from bakeoff.stats import metric_ci
from bakeoff.stats.metrics.library import CalibrationCurve, calibration_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_MODELS = 12
"""Panels of a data set."""
MOST_OF_SEVERAL = 3
"""Panels of each of several data sets: fewer keep the page small."""
MOST_DOTS = 2_000
"""Of more rows of a data set, dots would cover one another: they are counted in hexagons."""
MOST_DOTS_OF_PAGE = 6_000
"""So are the rows of a page with more dots in all its panels."""
MOST_NAMED_CLASSES = 20
MOST_COUNTED_CLASSES = 6
"""Classes whose names, and whose counts, a confusion matrix has room for."""
MOST_CLASSES = 6
"""Classes of the table that crosses predictions."""
MOST_CROSSED = 10
"""Its pairs of models."""
MOST_SUBGROUPS = 36
"""Lines of the figure of subgroups."""
_PLOTTED = (
    "model_a",
    "model_b",
    "column",
    "subgroup",
    "role",
    "n",
    "estimate",
    "ci_low",
    "ci_high",
    "pvalue_adjusted",
    "decision",
)
"""Columns of subgroups.csv that the figure of subgroups shows."""


def _has_labels(design: Study) -> bool:
    return design.has_rows and not design.analysis.task.numbers


def _models_of(study: Study, rows: PairedPredictions) -> list[str]:
    """Return the models that predict the rows, best first."""
    return [model for model in order(study) if model in rows.models]


def _most_panels(study: Study) -> int:
    if study.several:
        return MOST_OF_SEVERAL
    return MOST_MODELS


# --- numbers


@figure(
    Section.MODELS,
    30,
    "Predicted against observed",
    each="dataset",
    when=lambda design: design.has_rows and design.analysis.task.numbers,
)
def fitted(study: Study, dataset: str) -> Drawing:
    """The figure shows the prediction of each model for each held-out row against the observed
    value. On the diagonal both are equal; above it the prediction is too high. Predictions of a
    good model vary less than the observations, so that low observations lie above the diagonal and
    high ones below it: this alone is no sign of bias.
    """
    rows = study.test_sets.get(dataset)
    if rows is None or not rows.n:
        return message("there are no held-out rows")
    declared = study.analysis.datasets[dataset].unit
    unit = ""
    if declared:
        unit = clean(declared)
    labels = {model: study.label(model) for model in _models_of(study, rows)}
    drawn, panels = drawing.square_panels(
        labels, _most_panels(study), with_unit("observed", unit), with_unit("predicted", unit)
    )
    shown = list(panels)
    truth = rows.truth
    # predictions have a column for each model, in the order of the rows' models
    predicted = rows.predicted[:, list(map(rows.models.index, shown))]
    low = float(min(truth.min(), predicted.min()))
    high = float(max(truth.max(), predicted.max()))
    room = 0.04 * (high - low) or 1.0
    ends = (low - room, high + room)
    n_dots = rows.n * len(shown) * len(study.datasets)
    counted = rows.n > MOST_DOTS or n_dots > MOST_DOTS_OF_PAGE
    data = []
    for place, (model, axes) in enumerate(panels.items()):
        axes.plot(ends, ends, color=Colour.MUTED, linewidth=0.9, zorder=1)
        axes.set(xlim=ends, ylim=ends, aspect="equal")
        axes.locator_params(nbins=4)
        for dot in _draw_rows(axes, truth, predicted[:, place], ends, counted=counted):
            data.append({"model": labels[model], **dot})
    legend = ""
    if counted:
        legend = "The darker a hexagon, the more rows it holds (logarithmic)."
    errors = truth - predicted[:, 0]
    digits = decimals([errors.std() / math.sqrt(rows.n)], [np.abs(errors).mean()])
    written = Written("error", unit, digits)
    alt = (
        f"Predicted against observed values of {rows.n:,} held-out rows from "
        f"{written.quantity(truth.min())} to {written.quantity(truth.max())}, a panel for "
        f"each of {len(shown)} models. {study.label(shown[0])} predicts too much for "
        f"{100 * (predicted[:, 0] > truth).mean():.1f}% of the rows."
    )
    return Drawing(drawn, alt, legend, drawing.best_of(shown, list(labels)), data)


def _draw_rows(
    axes: Axes,
    truth: NDArray[np.float64],
    predicted: NDArray[np.float64],
    ends: tuple[float, float],
    *,
    counted: bool,
) -> list[dict[str, float]]:
    """Draw a dot for each row, or hexagons that count them; return what each of them shows."""
    if counted:
        hexagons = axes.hexbin(
            truth,
            predicted,
            gridsize=24,
            extent=(*ends, *ends),
            mincnt=1,
            bins="log",
            cmap=drawing.shades(0x26),
            linewidths=0,
        )
        centres: Any = hexagons.get_offsets()
        counts: Any = hexagons.get_array()
        cells = []
        for (x, y), n_rows in zip(centres.tolist(), counts.tolist(), strict=True):
            cells.append({"observed": x, "predicted": y, "rows": int(n_rows)})
        return cells
    # a few dots hardly cover one another, and need not be pale
    alpha = 0.8
    if len(truth) > 300:
        alpha = 0.45
    axes.plot(
        truth, predicted, "o", color=Colour.BLUE, markersize=2.6, alpha=alpha, markeredgewidth=0
    )
    dots = []
    for x, y in zip(truth.tolist(), predicted.tolist(), strict=True):
        dots.append({"observed": x, "predicted": y})
    return dots


# --- probabilities


def _indices(design: Study) -> list[str]:
    """List the metrics of calibration."""
    return [name for name in design.analysis.metrics if design.metrics[name].calibration]


@figure(
    Section.METRICS,
    40,
    "Calibration curves",
    each="dataset",
    when=lambda design: _has_labels(design) and any(_indices(design)),
    citation="austin2019",
)
def calibration(study: Study, dataset: str) -> Drawing:
    """The line shows the share of positive held-out rows by predicted probability, with its
    confidence band; it is smoothed by local linear regression (loess of degree 1 with a span of
    0.75 and no robustness steps). On the diagonal probabilities mean what they say; below it they
    are too high. Grey bars show where the probabilities of the model lie.
    """
    rows = study.test_sets.get(dataset)
    chances = {} if rows is None else _chances(study, rows)
    if rows is None or not chances:
        return message("no model gives probabilities of two classes on the held-out rows")
    # classes are numbered, and the positive one of two is the last
    positive = rows.truth == 1
    level = 1 - study.alpha
    rows = dataclasses.replace(rows, metric=_indices(study)[0])
    options = difference_options(rows, study.analysis.datasets[dataset].costs)
    options |= {"metric": rows.metric, "labels": [False, True], "positive": True}
    labels = {model: study.label(model) for model in chances}
    drawn, panels = drawing.square_panels(
        labels, _most_panels(study), "predicted probability", "observed share"
    )
    texts = []
    data = list[dict[str, Any]]()
    for model, axes in panels.items():
        axes.plot([0, 1], [0, 1], color=Colour.MUTED, linewidth=0.9, zorder=1)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        curve = calibration_curve(positive, chances[model], options.get("groups"), level)
        axes.fill_between(
            curve.at, curve.low, curve.high, color=Colour.BLUE, alpha=0.2, linewidth=0
        )
        axes.plot(curve.at, curve.share, color=Colour.BLUE, linewidth=1.4)
        # the bars stand below the curve and show where it rests on many rows
        counts, edges = np.histogram(chances[model], bins=25, range=(0, 1))
        axes.bar(
            edges[:-1], 0.12 * counts / counts.max(), width=0.036, bottom=-0.02, align="edge",
            color=Colour.MUTED, alpha=0.5, linewidth=0,
        )  # fmt: skip
        data += _numbers_of_curve(labels[model], curve, counts, edges)
        index = metric_ci(positive, chances[model], **options).estimate
        texts.append(f"{study.label(model)}: ICI {fixed(index, 3)}")
    of_rows = f"{len(panels)} models on {len(positive):,} rows"
    return Drawing(
        drawn,
        f"Calibration curves of {of_rows}. {enumerated(texts)}.",
        f"The band is a pointwise {percent(level)} confidence band of the smoothed share.",
        drawing.best_of(list(panels), list(labels)),
        data,
    )


def _numbers_of_curve(
    label: str, curve: CalibrationCurve, counts: NDArray[np.int64], edges: NDArray[np.float64]
) -> list[dict[str, Any]]:
    """Return the points of a calibration curve with its band, and the rows below each bar."""
    rows: list[dict[str, Any]] = []
    points = np.column_stack([curve.at, curve.share, curve.low, curve.high])
    for probability, share, low, high in points.tolist():
        row = {
            "mark": "curve",
            "model": label,
            "probability": probability,
            "share": share,
            "ci_low": low,
            "ci_high": high,
        }
        rows.append(row)
    for i, count in enumerate(counts.tolist()):
        row = {
            "mark": "bar",
            "model": label,
            "probability": float(edges[i]),
            "probability_to": float(edges[i + 1]),
            "rows": count,
        }
        rows.append(row)
    return rows


def _chances(study: Study, rows: PairedPredictions) -> dict[str, NDArray[np.float64]]:
    """Return the probabilities of the second of two classes, by the models that give them."""
    if len(rows.classes) != 2 or rows.probabilities is None or not rows.n:
        return {}
    chances = {}
    for model in _models_of(study, rows):
        of_positive = rows.probabilities[:, rows.models.index(model), 1]
        if not np.isnan(of_positive).any():
            chances[model] = of_positive
    return chances


# --- classes


@figure(
    Section.MODELS,
    20,
    "Confusion matrices",
    when=lambda design: _has_labels(design) and not design.several,
)
def confusion_maps(study: Study) -> Drawing:
    """Each panel is the confusion matrix of a model on the held-out rows: rows are true classes,
    columns predicted classes. The darker a cell, the larger its share of the true class; correct
    predictions are on the diagonal.
    """
    if not study.test_sets:
        return message("there are no held-out rows")
    rows = study.test_sets[study.datasets[0]]
    if are_marks(rows):
        return message("answers are marked as right or wrong, and have no classes")
    labels = {model: study.label(model) for model in _models_of(study, rows)}
    classes = []
    for name in rows.classes:
        classes.append(name_of(clean(name), 12))
    drawn, panels = drawing.square_panels(
        labels, _most_panels(study), "predicted class", "true class"
    )
    data = list[dict[str, Any]]()
    for model, axes in panels.items():
        counts = rows.confusion(model)
        _draw_confusion(axes, counts, classes)
        data += _numbers_of_confusion(labels[model], counts, list(map(clean, rows.classes)))
    best = next(iter(panels))
    right = int(rows.confusion(best).trace())
    alt = (
        f"Maps of true against predicted classes of {len(panels)} models on {rows.n:,} rows of "
        f"{len(classes)} classes. {study.label(best)} has {right:,} of them right."
    )
    return Drawing(drawn, alt, shows=drawing.best_of(list(panels), list(labels)), data=data)


def _numbers_of_confusion(
    label: str, counts: NDArray[np.int64], classes: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the rows of each true and predicted class, and their share of the true class."""
    rows = []
    totals = counts.sum(axis=1)
    for i, j in np.ndindex(counts.shape):
        row = {
            "model": label,
            "true_class": classes[i],
            "predicted_class": classes[j],
            "rows": int(counts[i, j]),
            "share": int(counts[i, j]) / max(int(totals[i]), 1),
        }
        rows.append(row)
    return rows


def _draw_confusion(axes: Axes, counts: NDArray[np.int64], classes: Sequence[str]) -> None:
    """Draw shares of the true classes, with counts and names where there is room for them."""
    # a class may have no row
    shares = counts / counts.sum(axis=1, keepdims=True).clip(min=1)
    # shades end at half of the colour, on which the counts can be read
    axes.imshow(shares, cmap=drawing.shades(0), vmin=0, vmax=2)
    labels = list[str]()
    if len(classes) <= MOST_NAMED_CLASSES:
        labels += classes
    # so many inches have the names of the classes below a panel, side by side
    long = len(classes) * max(map(drawing.text_width, classes)) > 1.5
    turned: dict[str, Any] = {"rotation": 45, "ha": "right"} if long else {}
    axes.set_xticks(range(len(labels)), labels, fontsize=SIZE - 1.5, **turned)
    axes.set_yticks(range(len(labels)), labels, fontsize=SIZE - 1.5)
    if len(classes) <= MOST_COUNTED_CLASSES:
        for i, j in np.ndindex(counts.shape):
            axes.text(j, i, f"{counts[i, j]:,}", ha="center", va="center", fontsize=SIZE - 1)


@table(
    Section.MODELS,
    21,
    "True classes by the predictions of two models",
    when=lambda design: _has_labels(design) and not design.several and len(design.models) > 1,
)
def crossed(study: Study) -> Table:
    """The table counts the held-out rows by their true class and by what two models, A and B,
    predict for them. For two classes McNemar's test compares the rows that A alone has right with
    those that B alone has right; both can be read off this table.
    """
    if not study.test_sets:
        return Table((), (), "There are no held-out rows.")
    tested = study.test_sets[study.datasets[0]]
    n_classes = len(tested.classes)
    if n_classes > MOST_CLASSES:
        note = f"It is shown for {MOST_CLASSES} classes at most, and there are {n_classes}."
        return Table((), (), note)
    # those of the best model come first
    pairs = list(combinations(_models_of(study, tested), 2))
    rows = list[dict[str, Any]]()
    for a, b in pairs[:MOST_CROSSED]:
        rows += _crossed(tested, a, b)
    columns = [
        tables.A,
        tables.B,
        Column("true_class", "True class"),
        Column("a_predicts", "A predicts"),
    ]
    for name in tested.classes:
        columns.append(Column(_b_predicts(name), f"B predicts {clean(name)}", tables.COUNT))
    note = ""
    if len(pairs) > MOST_CROSSED:
        shown = f"The first {MOST_CROSSED} of {len(pairs)} pairs"
        note = f"{shown} in the order of the ranking are shown."
    return Table(columns, rows, note)


def _b_predicts(name: str) -> str:
    return f"b_predicts_{name}"


def _crossed(tested: PairedPredictions, a: str, b: str) -> list[dict[str, Any]]:
    """Count rows by their true class and by what two models predict; of many classes those seen."""
    n_classes = len(tested.classes)
    predicted_a = tested.predicted[:, tested.models.index(a)]
    predicted_b = tested.predicted[:, tested.models.index(b)]
    n_true = np.bincount(tested.truth, minlength=n_classes)
    counts = np.zeros((n_classes, n_classes, n_classes), dtype=np.intp)
    np.add.at(counts, (tested.truth, predicted_a, predicted_b), 1)
    rows = []
    for true, of_a in np.ndindex(n_classes, n_classes):
        of_b = counts[true, of_a]
        # of marks every row has the same truth, which is to be right
        if not n_true[true] or (n_classes > 2 and not of_b.any()):
            continue
        row: dict[str, Any] = {
            "model_a": a,
            "model_b": b,
            "true_class": clean(tested.classes[true]),
            "a_predicts": clean(tested.classes[of_a]),
        }
        for name, n in zip(tested.classes, of_b.tolist(), strict=True):
            row[_b_predicts(name)] = n
        rows.append(row)
    return rows


# --- subgroups


def _in_subgroups(design: Study) -> bool:
    """Show it where a data set has subgroups and the models are ranked by what rows have."""
    analysis = design.analysis
    grouped = any(data.subgroups for data in analysis.datasets.values())
    ranked = design.has_rows and has_test(analysis.metrics[0])
    by_values = analysis.by_values and not design.has_runs
    return grouped and len(analysis.models) > 1 and (ranked or by_values)


@figure(Section.DATA, 40, "Differences by subgroup", each="dataset", when=_in_subgroups)
def subgroups(study: Study, dataset: str) -> Drawing:
    """Each square is the difference between two models in a subgroup of the held-out rows (number
    of rows in brackets), with its interval. Filled squares differ significantly from zero; of open
    ones the data do not show it. A significant difference in one subgroup but not in another is not
    evidence that the two subgroups differ: the interaction test beside the name of the column
    answers this. P-values are adjusted by Holm's method over columns, subgroups and pairs.
    """
    table = study.subgroups
    metric = study.metric
    of_metric = (table["dataset"] == dataset) & (table["metric"] == metric.name)
    differences: list[dict[Any, Any]] = table[of_metric].to_dict("records")
    if not any(math.isfinite(line["estimate"]) for line in differences):
        return message("no subgroup has enough rows for a difference")
    place = order(study).index
    differences.sort(key=lambda line: sorted([place(line["model_a"]), place(line["model_b"])]))
    lines = [_subgroup(study, line) for line in differences[:MOST_SUBGROUPS]]
    better = "lower"
    if metric.greater_is_better:
        better = "higher"
    measured = study.written(dataset=dataset).label
    axis = f"{prose.advantage([metric])} in {measured} (to the right: A is {better} and better)"
    drawn, _ = drawing.interval_plot(lines, axis)
    texts = enumerated(f"{line.label}: {line.note}" for line in lines)
    data = []
    for line in differences[: len(lines)]:
        labels = {"model_a": study.label(line["model_a"]), "model_b": study.label(line["model_b"])}
        data.append({column: line[column] for column in _PLOTTED} | labels)
    shows = ""
    if len(lines) < len(differences):
        shows = f"the first {len(lines)} of {len(differences)} lines (subgroups.csv has all)"
    return Drawing(
        drawn,
        f"Differences in {metric.title} by subgroup. {texts}.",
        f"Intervals are simultaneous {percent(1 - study.alpha)} intervals for each column.",
        shows,
        data,
    )


def _subgroup(study: Study, line: Mapping[Any, Any]) -> IntervalLine:
    """Make a line of a subgroup's difference, or a heading of the interaction with its column."""
    p = p_equals(line["pvalue_adjusted"], "adj. p" if line["family_size"] > 1 else "p")
    tested = math.isfinite(line["pvalue"])
    if line["role"] == INTERACTION:
        a = name_of(study.label(line["model_a"]), 16)
        b = name_of(study.label(line["model_b"]), 16)
        label = f"{a} vs {b}, by {name_of(line['column'], 16)}"
        return IntervalLine(label, f"interaction: {p}" if tested else "too few rows", heading=True)
    note = str(line["status"]).replace("_", " ")
    if tested:
        written = study.written(dataset=line["dataset"])
        ends = written.interval(line["ci_low"], line["ci_high"])
        note = f"{written.score(line['estimate'])} {ends}  {p}"
    return IntervalLine(
        label=f"{name_of(line['subgroup'], 24)} ({line['n']:,})",
        note=note,
        estimate=line["estimate"],
        ci=(line["ci_low"], line["ci_high"]),
        decision=Decision(line["decision"]),
    )

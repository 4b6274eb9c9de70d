"""The held-out rows as figures: predictions, probabilities, errors, subgroups and importances."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons import Decision
from bakeoff.comparisons.evidence import has_test
from bakeoff.comparisons.run_tests import difference_options
from bakeoff.comparisons.subgroups import INTERACTION
from bakeoff.report.drawing import (
    SIZE,
    WIDTH,
    Colour,
    IntervalLine,
    bare,
    canvas,
    interval_plot,
    letters_in,
    message,
    name_of,
    name_rows,
    panel,
    plainly,
    text_width,
)
from bakeoff.report.exhibit import Drawing, Section, figure
from bakeoff.report.numbers import (
    count,
    enumerated,
    letters_for,
    p_equals,
    percent,
    score,
    share,
)
from bakeoff.report.pairs_shown import order
from bakeoff.report.prose import advantage, not_independent
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign, clean
from bakeoff.report.written import Written, decimals, of_target, varies, with_unit
from bakeoff.spec.related import row_columns
from bakeoff.stats import metric_ci
from bakeoff.stats.metrics.library import calibration_curve
from bakeoff.stats.metrics.view import read_groups

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


class Squares(NamedTuple):
    """A square panel with a diagonal for each model."""

    figure: Figure
    axes: list[Axes]
    middle: float
    """Their middle, as a share of the width."""

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
    across = min(ACROSS, len(models))
    down = math.ceil(len(models) / across)
    left, bottom, top, gap = label + 0.45, 0.5, 0.28, 0.14
    side = (WIDTH - left - gap * (ACROSS - 1) - 0.1) / ACROSS
    width, height = left + across * (side + gap), bottom + down * (side + top)
    drawn, made = canvas(width, height), []
    for place, model in enumerate(models):
        row, column = divmod(place, across)
        corner = left + column * (side + gap), bottom + (down - 1 - row) * (side + top)
        axes = drawn.add_axes((corner[0] / width, corner[1] / height, side / width, side / height))
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
    return Squares(drawn, made, (left + (across * (side + gap) - gap) / 2) / width)


# --- predicted numbers and probabilities -----------------------------------------------------


@figure(
    Section.MODELS,
    32,
    "Predicted against observed",
    each="dataset",
    when=lambda design: design.has_numbers,
    heading="Errors",
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
    panels = squares(study, shown, ends, max(text_width(f"{end:,.3g}") for end in (low, high)))
    # with more rows, or dots in all panels of the page, rows are counted in hexagons
    counted = rows.n > 2_000 or rows.n * len(shown) * len(study.datasets) > 6_000
    colours = LinearSegmentedColormap.from_list("rows", [f"{Colour.BLUE}26", Colour.BLUE])
    for place, axes in enumerate(panels.axes):
        x, y = truth, predicted[:, place]
        if counted:
            axes.hexbin(
                x, y, gridsize=24, extent=(*ends, *ends), mincnt=1, bins="log",
                cmap=colours, linewidths=0, zorder=2,
            )  # fmt: skip
        else:
            # a few dots hardly cover one another, and need not be pale
            axes.plot(
                x, y, "o", color=Colour.BLUE, markersize=2.6, alpha=0.45 if rows.n > 300 else 0.8,
                markeredgewidth=0, zorder=2,
            )  # fmt: skip
    written = of_target(study, dataset, truth - predicted[:, 0])
    panels.name(with_unit("observed", written.unit), with_unit("predicted", written.unit))
    legend = "The darker a hexagon, the more rows it holds (logarithmic)." if counted else ""
    alt = (
        f"Predicted against observed values of {rows.n:,} held-out rows from "
        f"{written.told(float(truth.min()))} to {written.told(float(truth.max()))}, a panel for "
        f"each of {len(shown)} models. {study.label(shown[0])} predicts too much for "
        f"{share(float((predicted[:, 0] > truth).mean()))} of the rows."
    )
    return Drawing(panels.figure, alt, legend, _fewer(shown, known))


def _indices(design: StudyDesign) -> list[str]:
    """List the metrics of calibration."""
    return [name for name in design.experiment.metrics if design.metrics[name].calibration]


@figure(
    Section.MODELS,
    37,
    "Calibration curves",
    each="dataset",
    when=lambda design: design.has_labels and any(_indices(design)),
    heading="Probabilities",
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
    panels = squares(study, shown, (-0.02, 1.02), text_width("0.75"))
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
        _fewer(shown, [*known]),
    )


# --- predicted classes -----------------------------------------------------------------------


@figure(
    Section.COMPARISONS,
    40,
    "Disagreement between models",
    each="dataset",
    when=lambda design: design.has_labels and len(design.models) > 1,
    heading="Disagreement between models",
    fourfolds=True,
)
def disagreement(study: Study, dataset: str) -> Drawing:
    """The held-out rows on which some models are right (dot) and others wrong (cross). Each column
    is a pattern of right and wrong models; the bars count its rows. Tests of correctness on the
    held-out rows use only these rows.
    """
    if dataset not in study.test_sets:
        return message("there are no held-out rows")
    rows = study.test_sets[dataset]
    known = [m for m in order(study) if m in rows.models]
    correct = rows.correct[:, [rows.models.index(m) for m in known]]
    n_right = int(correct.all(axis=1).sum())
    n_wrong = int((~correct).all(axis=1).sum())
    mixed = correct[correct.any(axis=1) & ~correct.all(axis=1)]
    if not len(mixed):
        text = f"the models are right on the same {n_right} rows and wrong on the same {n_wrong}"
        return message(text)
    patterns, counts = unique_rows(mixed)
    n_patterns = len(patterns)
    # with several data sets, each has its figure: fewer patterns keep the page small
    first = np.lexsort((*(~patterns).T[::-1], -counts))[: 20 if study.several else 36]
    patterns, counts = patterns[first], counts[first]
    names = list(map(study.label, known))
    labels = [name_of(name, letters_for(names)) for name in names]
    bars = 2.6  # their height in lines of names
    drawn, axes = panel(len(known) + bars, labels, row=0.26, top=0.05, bottom=0.38)
    x = np.arange(len(counts))
    heights = (bars - 0.9) * counts / counts.max()
    axes.bar(x, -heights, bottom=-0.7, width=0.62, color=Colour.MUTED, alpha=0.55)
    for place, height, n in zip(x.tolist(), heights.tolist(), counts, strict=True):
        axes.text(
            place, -0.78 - height, str(n), ha="center", va="bottom", fontsize=SIZE - 1.5,
            color=Colour.MUTED,
        )  # fmt: skip
    right, wrong = np.nonzero(patterns), np.nonzero(~patterns)
    axes.plot(*right, "o", color=Colour.BLUE, markersize=3.2, alpha=0.45)
    axes.plot(*wrong, "X", color=Colour.ORANGE, markersize=6.5, markeredgewidth=0)
    name_rows(axes, labels)
    axes.set_ylim(len(known) - 0.5, -bars - 0.5)
    axes.set_xlim(-0.7, max(len(counts), 8) - 0.3)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.set_xlabel(
        "patterns of right (dot) and wrong (cross) models; number of test rows on top",
        color=Colour.MUTED,
    )
    alt = (
        f"Of {len(correct)} test rows all models are right on {n_right}, all wrong on "
        f"{n_wrong}, and they disagree on {len(mixed)}, in {count(n_patterns, 'pattern')}."
    )
    left_out = len(mixed) - int(counts.sum())
    shows = f"all but the {count(left_out, 'row')} of rarer patterns" if left_out else ""
    return Drawing(drawn, alt, f"{alt}{not_independent(study, dataset)}", shows)


def unique_rows(table: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the different rows of a table, sorted, and how often each occurs.

    The same as ``numpy.unique(table, axis=0, return_counts=True)``, which compares rows as bytes
    and takes twenty times as long over a million of them.

    Examples
    --------
    >>> rows, counts = unique_rows(np.array([[1, 0], [0, 1], [1, 0]]))
    >>> rows.tolist(), counts.tolist()
    ([[0, 1], [1, 0]], [1, 2])
    """
    frame = pd.DataFrame(table)
    counts = frame.groupby(list(frame)).size()
    rows: NDArray[Any] = counts.index.to_frame().to_numpy()
    return rows, np.asarray(counts, dtype=np.int64)


@figure(
    Section.COMPARISONS,
    50,
    "Confusion matrices",
    when=lambda design: design.has_labels and not design.several,
    heading="Confusion matrices",
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
    k, across = len(names), min(ACROSS, len(shown))
    down = math.ceil(len(shown) / across)
    side = WIDTH / ACROSS
    drawn = canvas(side * across, (side + 0.25) * down)
    colours = LinearSegmentedColormap.from_list("share", [f"{Colour.BLUE}00", Colour.BLUE])
    named, numbered = k <= 20, k <= 6
    # so many inches have the names of the classes below a panel, side by side
    long = k * max(map(text_width, names)) > 1.5
    turned: Any = {"rotation": 45, "ha": "right"} if long else {}
    for place, model in enumerate(shown):
        axes = drawn.add_subplot(down, across, place + 1)
        counts = tested.confusion(model)
        shares = counts / counts.sum(axis=1, keepdims=True).clip(min=1)
        if named:
            axes.pcolormesh(shares, cmap=colours, vmin=0, vmax=2)
            axes.invert_yaxis()
        else:  # as a picture: a path for each cell would make a huge file
            axes.imshow(shares, cmap=colours, vmin=0, vmax=2, extent=(0, k, k, 0))
        axes.set_aspect("equal")
        axes.set_title(name_of(study.label(model), 24), fontsize=SIZE, color=Colour.INK)
        labels = names if named else []
        ticks = [i + 0.5 for i in range(len(labels))]
        axes.set_xticks(ticks, labels, fontsize=SIZE - 1.5, **turned)
        axes.set_yticks(ticks, labels if place % across == 0 else [""] * k, fontsize=SIZE - 1.5)
        axes.tick_params(length=0)
        for i, j in np.ndindex(k, k) if numbered else ():
            axes.text(
                j + 0.5, i + 0.5, f"{counts[i, j]:,}", ha="center", va="center",
                fontsize=SIZE - 1, color=Colour.INK if i == j else Colour.MUTED,
            )  # fmt: skip
    height = drawn.get_figheight()
    edges = {"top": 1 - 0.3 / height, "bottom": 0.4 / height}
    drawn.subplots_adjust(left=0.14, right=0.98, hspace=0.5, wspace=0.12, **edges)
    right = int(tested.confusion(shown[0]).trace())
    alt = (
        f"Maps of true against predicted classes of {len(shown)} models on {tested.n:,} rows of "
        f"{k} classes. {study.label(shown[0])} has {right:,} of them right."
    )
    return Drawing(drawn, alt, shows=_fewer(shown, known))


# --- subgroups -------------------------------------------------------------------------------


def _in_subgroups(design: StudyDesign) -> bool:
    """Show it where a data set has subgroups and the models are ranked by what rows have."""
    experiment = design.experiment
    there = any(row_columns(experiment, name).subgroups for name in experiment.datasets)
    ranked = design.has_rows and has_test(experiment.metrics[0])
    by_values = experiment.by_values and not design.has_runs
    return there and len(experiment.models) > 1 and (ranked or by_values)


@figure(
    Section.COMPARISONS,
    30,
    "Differences by subgroup",
    heading="Subgroups",
    each="dataset",
    when=_in_subgroups,
)
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


# --- permutation importance ------------------------------------------------------------------


class Loss(NamedTuple):
    """What the score of a model loses when a column is shuffled: mean and standard deviation."""

    mean: float
    sd: float


@figure(
    Section.MODELS,
    60,
    "Permutation importance",
    each="dataset",
    when=lambda design: design.experiment.importance is not None,
    heading="Permutation importance",
)
def importance_bars(study: Study, dataset: str) -> Drawing:
    """How much worse each model's score on the held-out rows becomes when one column is shuffled
    among these rows. Bars are means over shuffles and training runs, lines one standard deviation
    to either side. The columns are in the order of their largest importance for any model.
    """
    table = study.importance
    losses: dict[str, dict[str, Loss]] = {}
    for line in table.to_dict("records") if len(table) else ():
        if line["dataset"] == dataset:
            loss = Loss(float(line["mean"]), float(line["sd"]))
            losses.setdefault(str(line["model"]), {})[str(line["feature"])] = loss
    found = {model: losses[model] for model in order(study) if model in losses}
    if not found:
        return message("no model has importances here")
    columns = dict.fromkeys(name for known in found.values() for name in known)
    most = {name: max(k[name].mean for k in found.values() if name in k) for name in columns}
    names = sorted(columns, key=lambda name: -most[name])
    shown, models = names[:15], list(found)[:4]
    letters = letters_for(map(clean, shown), 24)
    labels = [name_of(clean(name), letters) for name in shown]
    left, right, top, bottom, gap = max(map(text_width, labels)) + 0.15, 0.12, 0.3, 0.55, 0.15
    height = len(shown) * 0.24 + top + bottom
    each = (WIDTH - left - right - gap * (len(models) - 1)) / len(models)
    drawn = canvas(WIDTH, height)
    bars = [found[m][name] for m in models for name in shown if name in found[m]]
    low, high = min(one.mean - one.sd for one in bars), max(one.mean + one.sd for one in bars)
    for place, model in enumerate(models):
        corner = (left + place * (each + gap)) / WIDTH, bottom / height
        axes = drawn.add_axes((*corner, each / WIDTH, 1 - (top + bottom) / height))
        bare(axes)
        known = [(i, found[model][name]) for i, name in enumerate(shown) if name in found[model]]
        places, means = [i for i, _ in known], [loss.mean for _, loss in known]
        axes.barh(places, means, height=0.62, color=Colour.BLUE)
        sds = [loss.sd for _, loss in known]
        axes.errorbar(means, places, xerr=sds, fmt="none", ecolor=Colour.MUTED, elinewidth=1)
        axes.set_yticks(range(len(shown)), labels if place == 0 else [""] * len(shown))
        axes.set_ylim(len(shown) - 0.45, -0.55)
        axes.set_xlim(1.05 * min(low, 0.0), 1.05 * high if high > 0 else 1e-3)  # one scale for all
        axes.axvline(0, color=Colour.MUTED, linewidth=0.8)
        axes.locator_params(axis="x", nbins=3)
        axes.grid(axis="x", color=Colour.LINE, linewidth=0.8)
        axes.set_axisbelow(True)
        title = name_of(study.label(model), letters_in(each + gap))
        axes.set_title(title, fontsize=SIZE, color=Colour.INK)
    lost = what_is_lost(study, found)
    drawn.supxlabel(lost.title, fontsize=SIZE, color=Colour.INK, y=0.12 / height)
    first = found[models[0]]
    largest = max(first, key=lambda name: first[name].mean)
    alt = (
        f"Permutation importance of {len(shown)} columns for {len(models)} models. For "
        f"{study.label(models[0])} {clean(largest)} has the largest, "
        f"{lost.told(first[largest].mean)}."
    )
    parts = [
        f"{len(part)} of {len(whole)} {kind}"
        for part, whole, kind in ((shown, names, "columns"), (models, found, "models"))
        if len(part) < len(whole)
    ]
    return Drawing(drawn, alt, shows=" and ".join(parts))


def what_is_lost(study: Study, found: dict[str, dict[str, Loss]]) -> Written:
    """Say what is lost when a column is shuffled, and how it is written."""
    wanted = study.experiment.importance
    assert wanted is not None
    scoring, when = wanted.scoring, "when the column is shuffled"
    if scoring not in study.metrics:
        return Written(f"Loss of {scoring} {when}")
    metric, shown = study.metrics[scoring], study.written(scoring)
    known = [loss for of in found.values() for loss in of.values()]
    if varies(metric):
        digits = decimals((loss.sd for loss in known), (loss.mean for loss in known))
        shown = dataclasses.replace(shown, decimals=digits)
    what = f"{'Loss' if metric.greater_is_better else 'Increase'} of {shown.label} {when}"
    return dataclasses.replace(shown, title=what)

"""The models: their scores, ranks and intervals, what they chose, and what they say of rows."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bakeoff.comparisons.evidence import difference_options
from bakeoff.comparisons.row_tables import INTERACTION
from bakeoff.comparisons.run_tests import Decision
from bakeoff.comparisons.settings import has_interval, has_test
from bakeoff.report import drawing, prose, tables
from bakeoff.report.baseline import baselines, named_alike
from bakeoff.report.drawing import MOST_DRAWN, SIZE, Colour, IntervalLine, message, name_of
from bakeoff.report.exhibit import MOST_DATASETS, Drawing, Section, figure, table
from bakeoff.report.numbers import (
    capital,
    clean,
    count,
    enumerated,
    fixed,
    letters_for,
    number,
    p_equals,
    percent,
    words,
)
from bakeoff.report.preparation import preparations
from bakeoff.report.ranking import (
    Ranked,
    cautions,
    dataset_means,
    may_be_best,
    order,
    ranking,
    ranks_of,
    shown_interval,
)
from bakeoff.report.study import BESIDE, Study, Written, decimals, with_unit
from bakeoff.report.tables import SCORE, Best, Cell, Column, Table
from bakeoff.scores import METRICS, Metric
from bakeoff.stats import Status, metric_ci
from bakeoff.stats.metrics.library import calibration_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RANK = tables.numbers(lambda rank: fixed(rank, 2))
MOST_LINES, MOST_DOTS = 120, 3_000
"""With more scores than these, lines between them would be a grey cloud."""
MOST_MARKS = 1_000
"""With more scores the dots are one picture, which is smaller than so many marks."""
MOST_VALUES = 5
MOST_BARS, MOST_PANELS = 15, 4
"""Columns and models of the figure of importance."""
_SPREAD = "mean", "sd"
_SCORING = tables.Kind(lambda study, name: Cell(capital(METRICS[name].title), name), number=False)
MOST_CLASSES, MOST_CROSSED = 6, 10
"""Classes and pairs of models of the table that crosses predictions."""


@figure(
    Section.METRICS,
    20,
    "Single scores",
    when=lambda design: design.averages(design.metric.name),
)
def scores(study: Study) -> Drawing:
    """The diamond is the mean score of a model, the line its confidence interval. The tests, not
    overlapping intervals, show whether two models differ.
    """
    every = ranking(study)
    if not every:
        return message("no model has a complete set of scores")
    ranked = every[:MOST_DRAWN]
    by_dataset = study.values[study.metric.name, study.plan]
    several, means = len(by_dataset) > 1, dataset_means(study, study.metric.name, study.plan)
    scored = means if several else next(iter(by_dataset.values()))
    values = scored[[line.model for line in ranked]].to_numpy()
    names = [study.label(line.model) for line in ranked]
    labels = [name_of(name, letters_for(names)) for name in names]
    drawn, axes = drawing.panel(labels, row=0.34 if len(ranked) < 16 else 0.27)
    dotted = len(values) > 1
    joined = dotted and len(values) <= MOST_LINES and values.size <= MOST_DOTS
    many = values.size > MOST_MARKS
    for row in values if joined else ():
        axes.plot(row, range(len(ranked)), color=Colour.SOFT, linewidth=0.6, alpha=0.6, zorder=1)
    below = 0.26 if dotted else 0  # the mean has its place under the single scores
    for place, line in enumerate(ranked):
        colour = Colour.BLUE if place == 0 else Colour.MUTED
        if dotted:
            how: dict[str, Any] = {"alpha": 0.6, "markeredgewidth": 0, "rasterized": many}
            places = [place] * len(values)
            axes.plot(values[:, place], places, "o", markersize=3.6, color=colour, **how)
        if ci := shown_interval(study, line):
            axes.plot(list(ci), [place + below] * 2, color=colour, linewidth=1.4, zorder=3)
        axes.plot(line.mean, place + below, "D", markersize=4.2, color=Colour.INK, zorder=4)
    axes.set_ylim(len(labels) - 0.35, -0.5)
    drawing.grid(axes)
    unit = "mean on a data set" if several else "on a fold" if dotted else "on the test rows"
    better = "higher" if study.metric.greater_is_better else "lower"
    axes.set_xlabel(f"{study.written().label} {unit} ({better} is better)")
    dots = f"Each dot is {'the mean on one data set' if several else 'the score on one fold'}"
    legend = f"{dots}{'; thin lines join scores on the same rows' if joined else ''}."
    first, last, quantity = ranked[0], ranked[-1], study.written().quantity
    alt = (
        f"{capital(study.metric.title)} of {len(ranked)} models on "
        f"{count(len(values), 'data set' if several else 'fold')}, from {study.label(first.model)} "
        f"(mean {quantity(first.mean)}) to {study.label(last.model)} (mean {quantity(last.mean)})."
    )
    said = legend if dotted else prose.over_runs(study)
    return Drawing(drawn, alt, said, _fewer(ranked, every))


@table(Section.ANSWER, 10, "Models, ranked")
def models(study: Study) -> Table:
    """The tests, not overlapping intervals, show whether two models differ."""
    ranked, several = ranking(study), study.several
    rows: list[dict[str, Any]] = [
        {"rank": line.rank, "model": line.model, "wins": line.wins} for line in ranked
    ]
    if study.averages(study.metric.name):
        for row, line in zip(rows, ranked, strict=True):
            row |= {"mean": line.mean}
            row |= {"ci_low": ci} if (ci := shown_interval(study, line)) else {}
        _mark_best(rows, "mean", study.metric)
    if rows:
        rows += _baseline_rows(study, {"mean": study.metric.name})
    title = capital(study.metric.title)
    repeated = several or any(line.n > 1 for line in ranked)
    columns = (
        tables.MODEL,
        *([Column("rank", "Average rank", RANK)] if several else []),
        Column("mean", f"{title}, mean" if repeated else title, SCORE),
        Column("ci_low", f"{percent(1 - study.alpha)} CI", tables.INTERVAL),
        Column("wins", "Times first", tables.COUNT, several=True),
    )
    return Table(columns, rows, _note_of_models(study, ranked))


@table(
    Section.METRICS,
    10,
    "Every metric",
    when=lambda design: (
        design.several
        or len(design.analysis.metrics) > 1
        or any(len(plan.splits()) > 1 for plan in design.analysis.plans.values())
    ),
)
def metrics(study: Study) -> Table:
    """Mean scores by every metric. The standard deviation describes the spread of single scores; it
    is not a standard error, because folds share training rows.
    """
    ranked, several = ranking(study), study.several
    first, title = study.metric, capital(study.metric.title)
    averaged = study.averages(first.name)
    repeated = several or any(line.n > 1 for line in ranked)
    on_rows = dataset_means(study, first.name, "holdout")
    models = [line.model for line in ranked if line.model in on_rows]
    held_out = {model: float(on_rows[model].mean()) for model in models}
    none = all(map(math.isnan, held_out.values()))
    held = averaged and study.plan != "holdout" and not none
    beside = dataset_means(study, first.name, BESIDE).mean()
    other = {m: study.metrics[m] for m in study.analysis.metrics[1:] if study.averages(m)}
    means = {m: dataset_means(study, m, study.plan).mean() for m in other}
    rows: list[dict[str, Any]] = []
    for line in ranked:
        row: dict[str, Any] = {"model": line.model}
        if repeated:
            row |= {"sd": line.sd, "n": line.n} if averaged else {"n": line.n}
        if study.plan == "halves":
            row["beside"] = float(beside[line.model])
        if held:
            row["holdout"] = held_out[line.model]
        rows.append(row | {f"mean_{m}": float(means[m][line.model]) for m in other})
    for name, metric in (("holdout", first), *((f"mean_{m}", one) for m, one in other.items())):
        _mark_best(rows, name, metric)
    if rows:
        by_column = {f"mean_{m}": m for m in other} | ({"holdout": first.name} if held else {})
        rows += _baseline_rows(study, by_column)
    columns = (
        tables.MODEL,
        *(Column(f"mean_{m}", capital(one.title), SCORE, metric=m) for m, one in other.items()),
        Column("sd", f"{title}, SD over {'data sets' if several else 'folds'}", SCORE),
        Column("n", "Data sets" if several else "Folds", tables.COUNT),
        Column("beside", capital(prose.HALVES[not study.by_full]), SCORE),
        *([Column("holdout", f"{title} on held-out rows", SCORE)] if held or not rows else []),
    )
    return Table(columns, rows)


def _mark_best(rows: list[dict[str, Any]], column: str, metric: Metric) -> None:
    """Set the best scores of a column in bold."""
    marked = [row for row in rows if column in row]
    scores = [row[column] for row in marked]
    best = (max if metric.greater_is_better else min)(scores, default=math.nan)
    for row, score in zip(marked, scores, strict=True):
        row[column] = Best(score, score == best)


def _note_of_models(study: Study, ranked: list[Ranked]) -> str:
    """Say how models were ranked, and what is odd about their scores."""
    metric, plan, dataset = study.metric.name, study.plan, study.datasets[0]
    single = len(study.values[metric, plan].get(dataset, ())) < 2
    facts: dict[str, Any] = {"study": study, "scored": prose.scored(study), "single": single}
    facts["trained"] = "" if study.several else prose.trained_on(study, dataset, plan)
    facts["hidden"] = any(line.ci for line in ranked) and not any(
        shown_interval(study, line) for line in ranked
    )
    known = [study.over_folds.get((dataset, plan, metric, line.model)) for line in ranked]
    facts["by_rows"] = any(known) and not study.several
    facts["by_halves"] = plan == "halves"
    facts["cautions"] = _cautions_of_intervals(study, known) if facts["by_rows"] else []
    facts["unsized"] = not single and study.sizes(dataset, plan) is None
    facts |= {"level": percent(1 - study.alpha), "over_runs": prose.over_runs(study)}
    facts |= {"baseline": baselines(study, metric), "clean": clean}
    facts |= {"prepared": preparations(study), "words": words}
    return " ".join(prose.rendered("models.txt.j2", facts))


def _cautions_of_intervals(
    study: Study, lines: Iterable[Mapping[str, Any] | None]
) -> dict[str, None]:
    """Say of which models the interval over folds may miss too often, and why."""
    names_by_note: dict[str, list[str]] = {}
    for line in lines:
        if line is not None and line["note"]:
            names_by_note.setdefault(clean(str(line["note"])), []).append(line["model"])
    return {f"{study.names(names)}: {note}": None for note, names in names_by_note.items()}


def _baseline_rows(study: Study, metrics: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return a row for each constant prediction that is the baseline of a metric, by columns."""
    rows = dict[str, dict[str, Any]]()
    for column, metric in metrics.items():
        constants = baselines(study, metric)
        if len(constants) < len(study.datasets) or not study.averages(metric):
            continue
        held_out = column == "holdout"
        scores = [one.holdout if held_out else one.score for one in constants]
        name = named_alike(constants)
        model = Cell(f"(baseline: {name})" if name else "(baseline)")
        rows.setdefault(name, {"model": model})[column] = math.fsum(scores) / len(scores)
    return list(rows.values())


def _may_be_best(design: Study) -> bool:
    """Show it for a few test sets of three models or more: of two, the test of the pair says it."""
    few = len(design.datasets) <= MOST_DATASETS and len(design.models) > 2
    by_test = design.has_rows and has_test(design.analysis.metrics[0])
    return few and (by_test or (design.analysis.by_values and not design.has_runs))


@table(Section.PAIRS, 5, "Which models may be the best, on the held-out rows", when=_may_be_best)
def best(study: Study) -> Table:
    """A model is excluded from the models that may be the best if a pairwise test shows another
    model to be better and it is also outside the confidence set for the best model (Hsu 1984); p is
    the larger of the two p-values. Models of one group (same letter) are not shown to differ by the
    pairwise tests.
    """
    by_dataset = may_be_best(study, study.metric.name)
    says = {True: Cell("yes"), False: Cell("no", tone="bad")}
    rows = [
        {"dataset": name, "model": line.model, "stays": says[line.stays]}
        | {"p": line.pvalue, "tier": line.tier}
        for name, each in by_dataset.items()
        for line in each.models
    ]
    columns = (
        tables.DATASET,
        tables.MODEL,
        Column("stays", "May be the best"),
        Column("p", "p", tables.P),
        Column("tier", "Group"),
    )
    notes = [text for each in by_dataset.values() for text in cautions(study, each)]
    return Table(columns, rows, " ".join(notes))


@table(
    Section.METRICS,
    30,
    "Every metric on the held-out rows",
    when=lambda design: (
        (design.has_rows or (design.has_runs and not design.analysis.by_values))
        and any(map(has_interval, design.analysis.metrics))
        and len(design.datasets) <= MOST_DATASETS
    ),
)
def intervals(study: Study) -> Table:
    """Every metric of every model on the held-out rows, with its standard error and confidence
    interval. The standard errors of metrics of right and wrong rows include pseudo-rows;
    shares of a single fit have Wilson intervals. Overlapping intervals do not mean that two models
    do not differ.
    """
    place = {model: i for i, model in enumerate(order(study))}
    rows = []
    for _, part in study.intervals.groupby(["dataset", "metric"], sort=False):
        for line in sorted(part.to_dict("records"), key=lambda line: place[line["model"]]):
            status, said = str(line["status"]), clean(str(line["note"])) if line["note"] else ""
            note = Cell(said, tone="open" if said else "")
            if status != Status.OK:
                why = said or prose.WHY_UNDECIDED.get(status, status.replace("_", " "))
                lacks = isinstance(line["estimate"], float) and math.isnan(line["estimate"])
                note = Cell(f"{'no score' if lacks else 'no interval'}: {why}", tone="bad")
            rows.append(line | {"ci_low": (line["ci_low"], line["ci_high"]), "note": note})
    columns = (
        tables.DATASET,
        tables.METRIC,
        tables.MODEL,
        Column("estimate", "Score", SCORE),
        Column("se", "SE", SCORE),
        Column("ci_low", f"{percent(1 - study.alpha)} CI", tables.INTERVAL),
        Column("note", "Caution"),
    )
    return Table(columns, rows, prose.over_runs(study))


@table(Section.METRICS, 15, "Mean scores by data set", when=lambda design: design.several)
def datasets(study: Study) -> Table:
    """The mean score of each model on each data set; the best score of a data set is in bold, a
    dash marks a missing score.
    """
    ordered = order(study)
    means = dataset_means(study, study.metric.name, study.plan).reindex(columns=ordered)
    ranks = ranks_of(means, study.metric)
    first = ranks.eq(ranks.min(axis=1), axis=0)
    of_models = {m: Column(m, study.label(m), SCORE, "model") for m in ordered}
    rows = []
    for (name, row), (_, top) in zip(means.iterrows(), first.iterrows(), strict=True):
        scores = {m: Best(float(row[m]), bool(top[m])) for m in ordered}
        of_row = {column.place: scores[m] for m, column in of_models.items()}
        rows.append({"dataset": str(name), **of_row})
    note = (
        f"{capital(study.metric.title)}, {prose.scored(study)}. score_matrix.csv has the other "
        "metrics and plans."
    )
    return Table((tables.DATASET, *of_models.values()), rows, note)


@table(
    Section.FITS,
    20,
    "Choices made in training",
    when=lambda design: any(model.chooses for model in design.analysis.fitted.values()),
)
def choices(study: Study) -> Table:
    """Parameters, thresholds and numbers of rounds that each fit chose on its own training rows,
    and how many fits chose each value. The choice is part of the compared algorithm: every fit
    repeats it and no test row is used for it. Choices that differ between folds are not determined
    well by the data.
    """
    by = ["dataset", "model", "plan", "parameter"]
    rows = [
        dict(zip(by, key, strict=True))
        | {"parameter": clean(str(key[-1])), "fits": len(part), "values": _counted(part["value"])}
        for key, part in (study.choices.groupby(by, sort=False) if len(study.choices) else ())
    ]
    columns = (
        tables.DATASET,
        tables.MODEL,
        tables.PLAN,
        Column("parameter", "Parameter"),
        Column("fits", "Fits", tables.COUNT),
        Column("values", "Values"),
    )
    return Table(columns, rows, "choices.csv lists every fit.")


def _has_importance(design: Study) -> bool:
    return any(model.importance for model in design.analysis.fitted.values())


def _importance(study: Study, dataset: str) -> pd.DataFrame:
    """Return the importances on a data set by the first plan that has any."""
    table = study.importance
    if not len(table):
        return table
    of_dataset = table[table["dataset"] == dataset]
    first: pd.DataFrame = of_dataset[of_dataset["plan"] == of_dataset["plan"].iloc[0]]
    return first


@figure(Section.FITS, 30, "Permutation importance", each="dataset", when=_has_importance)
def importance_bars(study: Study, dataset: str) -> Drawing:
    """How much worse the score of a fitted model on its test rows becomes when the values of one
    column are shuffled among these rows. Bars are means over all shuffles and fits, lines one
    standard deviation to either side. Of two columns with the same information neither may appear
    important, and an important column need not be a cause.
    """
    table = _importance(study, dataset)
    if not len(table):
        return message("no model has importances here")
    means, deviations = (table.pivot(index="feature", columns="model", values=v) for v in _SPREAD)
    known = [model for model in order(study) if model in means]
    every = means.max(axis=1).sort_values(ascending=False, kind="stable").index
    columns, models = list(every[:MOST_BARS]), known[:MOST_PANELS]
    labels = [name_of(clean(column), 24) for column in columns]
    drawn = drawing.canvas(drawing.WIDTH, 0.9 + 0.24 * len(columns))
    drawn.set_layout_engine("constrained")
    grid = drawn.subplots(1, len(models), sharex=True, sharey=True, squeeze=False)[0]
    for axes, model in zip(grid, models, strict=True):
        falls, places = means[model][columns], range(len(columns))
        axes.barh(places, falls, height=0.62, color=Colour.BLUE)
        spread = deviations[model][columns]
        axes.errorbar(falls, places, xerr=spread, fmt="none", ecolor=Colour.MUTED, elinewidth=1)
        axes.axvline(0, color=Colour.MUTED, linewidth=0.8)
        axes.set_yticks(places, labels)
        axes.tick_params(length=0)
        axes.locator_params(axis="x", nbins=3)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.set_title(name_of(study.label(model), 16), fontsize=SIZE, color=Colour.INK)
    grid[0].invert_yaxis()
    metric = METRICS[table["scoring"].iloc[0]]
    what = "Loss" if metric.greater_is_better else "Increase"
    title = f"{what} of {metric.title} when the column is shuffled"
    drawn.supxlabel(title, fontsize=SIZE, color=Colour.INK)
    first = means[models[0]]
    alt = (
        f"Permutation importance of {len(columns)} columns for {len(models)} models. For "
        f"{study.label(models[0])} the most important is {clean(str(first.idxmax()))}: "
        f"{what.lower()} of {metric.title} {number(float(first.max()))}."
    )
    parts = [f"{len(columns)} of {len(every)} columns"] if len(columns) < len(every) else []
    parts += [_fewer(models, known)] if len(models) < len(known) else []
    return Drawing(drawn, alt, shows=" and ".join(parts))


@table(Section.FITS, 31, "Permutation importance of every column", when=_has_importance)
def importance(study: Study) -> Table:
    """By how much the score on the test rows becomes worse when a column is shuffled: mean and
    standard deviation over all shuffles and fits. No model is fitted again for it.
    """
    parts = [_importance(study, dataset) for dataset in study.datasets]
    rows = [row | {"feature": clean(row["feature"])} for p in parts for row in p.to_dict("records")]
    columns = (
        tables.DATASET,
        tables.MODEL,
        tables.PLAN,
        Column("feature", "Column"),
        Column("scoring", "Score", _SCORING),
        Column("fits", "Fits", tables.COUNT),
        Column("mean", "Mean", tables.NUMBER),
        Column("sd", "SD", tables.NUMBER),
    )
    return Table(columns, rows, "importance.csv has every plan.")


def _counted(values: Any) -> str:
    """Count values; of many different numbers give the median and the range."""
    counts = Counter(map(clean, values))
    numbers = pd.to_numeric(pd.Series(list(counts.elements()), dtype=object), errors="coerce")
    if len(counts) > MOST_VALUES and numbers.notna().all():
        low, middle, high = numbers.quantile([0, 0.5, 1], interpolation="higher")
        return f"{number(low)} to {number(high)}, median {number(middle)}"
    shown = ", ".join(f"{value} ({n}×)" for value, n in counts.most_common(MOST_VALUES))
    rest = len(counts) - MOST_VALUES
    return shown + (f" and {rest} more" if rest > 0 else "")


MOST_MODELS, MOST_OF_SEVERAL = 12, 3
"""Panels of a data set, and panels of each of several: fewer keep the page small."""
ACROSS = 3
"""Panels side by side."""


def _fewer(shown: Sequence[Any], every: Sequence[Any]) -> str:
    """Say that a figure leaves models out; empty where it shows all."""
    return f"the {len(shown)} best of {len(every)} models" if len(shown) < len(every) else ""


def _panels(
    study: Study, every: Sequence[str], x: str, y: str
) -> tuple[Figure, dict[str, Axes], str]:
    """Make a square panel for each of the best models, in one scale, and say which they are."""
    models = every[: MOST_OF_SEVERAL if study.several else MOST_MODELS]
    across = min(ACROSS, len(models))
    down = math.ceil(len(models) / across)
    drawn = drawing.canvas(0.5 + across * (drawing.WIDTH - 0.5) / ACROSS, 0.4 + 1.9 * down)
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
    return drawn, dict(zip(models, grid, strict=False)), _fewer(models, every)


@figure(
    Section.METRICS,
    50,
    "Predicted against observed",
    each="dataset",
    when=lambda design: design.has_rows and design.analysis.task.numbers,
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
    models = [m for m in order(study) if m in rows.models]
    unit = study.analysis.datasets[dataset].unit
    unit = clean(unit) if unit else ""
    names = (with_unit(name, unit) for name in ("observed", "predicted"))
    drawn, panels, shows = _panels(study, models, *names)
    shown = list(panels)
    truth, predicted = rows.truth, rows.predicted[:, [rows.models.index(m) for m in shown]]
    low = float(min(truth.min(), predicted.min()))
    high = float(max(truth.max(), predicted.max()))
    room = 0.04 * (high - low) or 1.0
    ends = low - room, high + room
    # with more rows, or dots in all panels of the page, rows are counted in hexagons
    counted = rows.n > 2_000 or rows.n * len(shown) * len(study.datasets) > 6_000
    colours = LinearSegmentedColormap.from_list("rows", [f"{Colour.BLUE}26", Colour.BLUE])
    errors = truth - predicted[:, 0]
    digits = decimals([errors.std() / math.sqrt(rows.n)], [np.abs(errors).mean()])
    written = Written("error", unit, digits)
    for place, axes in enumerate(panels.values()):
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
        f"{written.quantity(truth.min())} to {written.quantity(truth.max())}, a panel for "
        f"each of {len(shown)} models. {study.label(shown[0])} predicts too much for "
        f"{100 * (predicted[:, 0] > truth).mean():.1f}% of the rows."
    )
    return Drawing(drawn, alt, legend, shows)


def _has_labels(design: Study) -> bool:
    return design.has_rows and not design.analysis.task.numbers


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
    """The share of positive held-out rows by predicted probability (line, with its confidence
    band), smoothed by local linear regression (loess of degree 1 with a span of 0.75 and no
    robustness steps). On the diagonal probabilities mean what they say; below it they are too high.
    Grey bars show where the probabilities of the model lie.
    """
    rows, chances = study.test_sets.get(dataset), {}
    if rows is not None and len(rows.classes) == 2 and rows.probabilities is not None:
        for m in (m for m in order(study) if m in rows.models):
            of_positive = rows.probabilities[:, rows.models.index(m), 1]
            if rows.n and not np.isnan(of_positive).any():
                chances[m] = of_positive
    if rows is None or not chances:
        return message("no model gives probabilities of two classes on the held-out rows")
    positive, level = rows.truth == 1, 1 - study.alpha
    rows = dataclasses.replace(rows, metric=_indices(study)[0])
    options = difference_options(rows, study.analysis.datasets[dataset].costs)
    options |= {"metric": rows.metric, "labels": [False, True], "positive": True}
    drawn, panels, shows = _panels(study, [*chances], "predicted probability", "observed share")
    for model, axes in panels.items():
        axes.plot([0, 1], [0, 1], color=Colour.MUTED, linewidth=0.9, zorder=1)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        curve = calibration_curve(positive, chances[model], options.get("groups"), level)
        band = curve.at, curve.low, curve.high
        axes.fill_between(*band, color=Colour.BLUE, alpha=0.2, linewidth=0)
        axes.plot(curve.at, curve.share, color=Colour.BLUE, linewidth=1.4)
        counts, edges = np.histogram(chances[model], bins=25, range=(0, 1))
        axes.bar(
            edges[:-1], 0.12 * counts / counts.max(), width=0.036, bottom=-0.02, align="edge",
            color=Colour.MUTED, alpha=0.5, linewidth=0,
        )  # fmt: skip
    indices = {m: metric_ci(positive, chances[m], **options).estimate for m in panels}
    summary = enumerated(f"{study.label(m)}: ICI {fixed(index, 3)}" for m, index in indices.items())
    return Drawing(
        drawn,
        f"Calibration curves of {len(panels)} models on {len(positive):,} rows. {summary}.",
        f"The band is a pointwise {percent(level)} confidence band of the smoothed share.",
        shows,
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
    models = [m for m in order(study) if m in tested.models]
    names = [name_of(clean(name), 12) for name in tested.classes]
    k = len(names)
    drawn, panels, shows = _panels(study, models, "predicted class", "true class")
    colours = LinearSegmentedColormap.from_list("share", [f"{Colour.BLUE}00", Colour.BLUE])
    labels = names if k <= 20 else []
    # so many inches have the names of the classes below a panel, side by side
    long = k * max(map(drawing.text_width, names)) > 1.5
    turned: Any = {"rotation": 45, "ha": "right"} if long else {}
    for model, axes in panels.items():
        counts = tested.confusion(model)
        shares = counts / counts.sum(axis=1, keepdims=True).clip(min=1)
        axes.imshow(shares, cmap=colours, vmin=0, vmax=2)
        axes.set_xticks(range(len(labels)), labels, fontsize=SIZE - 1.5, **turned)
        axes.set_yticks(range(len(labels)), labels, fontsize=SIZE - 1.5)
        for i, j in np.ndindex(k, k) if k <= 6 else ():
            how: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SIZE - 1}
            axes.text(j, i, f"{counts[i, j]:,}", **how)
    right = int(tested.confusion(models[0]).trace())
    alt = (
        f"Maps of true against predicted classes of {len(panels)} models on {tested.n:,} rows of "
        f"{k} classes. {study.label(models[0])} has {right:,} of them right."
    )
    return Drawing(drawn, alt, shows=shows)


@table(
    Section.METRICS,
    61,
    "True classes by the predictions of two models",
    when=lambda design: _has_labels(design) and not design.several and len(design.models) > 1,
)
def crossed(study: Study) -> Table:
    """The held-out rows by their true class and by what two models, A and B, predict for them. For
    two classes McNemar's test compares the rows that A alone has right with those that B alone has
    right; both can be read off this table.
    """
    if not study.test_sets:
        return Table((), (), "There are no held-out rows.")
    (tested,) = study.test_sets.values()
    classes, k = [clean(name) for name in tested.classes], len(tested.classes)
    if k > MOST_CLASSES:
        return Table((), (), f"It is shown for {MOST_CLASSES} classes at most, and there are {k}.")
    keys = [f"b_predicts_{name}" for name in tested.classes]
    ranked = [model for model in order(study) if model in tested.models]
    pairs = list(combinations(ranked, 2))  # those of the best model come first
    rows: list[dict[str, Any]] = []
    for a, b in pairs[:MOST_CROSSED]:
        predicted_a, predicted_b = (tested.predicted[:, tested.models.index(m)] for m in (a, b))
        counts = np.zeros((k, k, k), dtype=np.intp)
        np.add.at(counts, (tested.truth, predicted_a, predicted_b), 1)
        for true, said in np.ndindex(k, k):
            if k > 2 and not counts[true, said].any():
                continue
            row = {"model_a": a, "model_b": b}
            row |= {"true_class": classes[true], "a_predicts": classes[said]}
            rows.append(row | dict(zip(keys, counts[true, said].tolist(), strict=True)))
    columns = (
        tables.A,
        tables.B,
        Column("true_class", "True class"),
        Column("a_predicts", "A predicts"),
        *(
            Column(key, f"B predicts {name}", tables.COUNT)
            for key, name in zip(keys, classes, strict=True)
        ),
    )
    fewer = f"The first {MOST_CROSSED} of {len(pairs)} pairs in the order of the ranking are shown."
    return Table(columns, rows, fewer if len(pairs) > MOST_CROSSED else "")


def _in_subgroups(design: Study) -> bool:
    """Show it where a data set has subgroups and the models are ranked by what rows have."""
    asked = design.analysis
    grouped = any(data.subgroups for data in asked.datasets.values())
    ranked = design.has_rows and has_test(asked.metrics[0])
    by_values = asked.by_values and not design.has_runs
    return grouped and len(asked.models) > 1 and (ranked or by_values)


@figure(Section.DATA, 40, "Differences by subgroup", each="dataset", when=_in_subgroups)
def subgroups(study: Study, dataset: str) -> Drawing:
    """The difference between two models in each subgroup of the held-out rows (square; number of
    rows in brackets) with its interval; filled squares differ significantly from zero. A
    significant difference in one subgroup but not in another is not evidence that the two subgroups
    differ: the interaction test beside the name of the column answers this. P-values are adjusted
    by Holm's method over columns, subgroups and pairs.
    """
    table, metric, place = study.subgroups, study.metric, order(study).index
    shown = table[(table["dataset"] == dataset) & (table["metric"] == metric.name)]
    lines = sorted(
        shown.to_dict("records"),
        key=lambda line: sorted((place(line["model_a"]), place(line["model_b"]))),
    )
    if not any(math.isfinite(line["estimate"]) for line in lines):
        return message("no subgroup has enough rows for a difference")
    made = [_subgroup(study, line) for line in lines[:36]]
    better = "higher" if metric.greater_is_better else "lower"
    measured = study.written(dataset=dataset).label
    axis = f"{prose.advantage([metric])} in {measured} (to the right: A is {better} and better)"
    drawn, _ = drawing.interval_plot(made, axis)
    summary = enumerated(f"{line.label}: {line.note}" for line in made)
    shows = f"the first {len(made)} of {len(lines)} lines; all are in subgroups.csv"
    return Drawing(
        drawn,
        f"Differences in {metric.title} by subgroup. {summary}.",
        f"Intervals are simultaneous {percent(1 - study.alpha)} intervals for each column.",
        shows if len(made) < len(lines) else "",
    )


def _subgroup(study: Study, line: dict[Any, Any]) -> IntervalLine:
    """Make a line of a subgroup's difference, or a heading of the interaction with its column."""
    p = p_equals(line["pvalue_adjusted"], "adj. p" if line["family_size"] > 1 else "p")
    tested = math.isfinite(line["pvalue"])
    if line["role"] == INTERACTION:
        pair = " vs ".join(name_of(study.label(line[m]), 16) for m in ("model_a", "model_b"))
        label = f"{pair}, by {name_of(line['column'], 16)}"
        return IntervalLine(label, f"interaction: {p}" if tested else "too few rows", heading=True)
    note = str(line["status"]).replace("_", " ")
    if tested:
        written = study.written(dataset=line["dataset"])
        ends = written.interval(line["ci_low"], line["ci_high"])
        note = f"{written.score(line['estimate'])} {ends}  {p}"
    label = f"{name_of(line['subgroup'], 24)} ({line['n']:,})"
    ci = line["ci_low"], line["ci_high"]
    return IntervalLine(label, note, line["estimate"], ci, Decision(line["decision"]))

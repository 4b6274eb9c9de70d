"""What models chose in training, and which columns they use."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from bakeoff.report import drawing, tables
from bakeoff.report.drawing import SIZE, Colour, message, name_of
from bakeoff.report.exhibit import Drawing, Section, figure, table
from bakeoff.report.numbers import capital, clean, number
from bakeoff.report.ranking import order
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, Table
from bakeoff.scores import METRICS

MOST_VALUES = 5
"""Values of a parameter that are counted one by one."""
MOST_BARS = 15
"""Columns of the figure of importance."""
MOST_PANELS = 4
"""Its models."""
_SCORING = tables.Kind(lambda study, name: Cell(capital(METRICS[name].title), name), number=False)


# --- choices


@table(
    Section.FITS,
    20,
    "Choices made in training",
    when=lambda design: any(model.chooses for model in design.analysis.fitted.values()),
)
def choices(study: Study) -> Table:
    """The table lists parameters, thresholds and numbers of rounds that each fit chose on its own
    training rows, and how many fits chose each value. The choice is part of the compared algorithm:
    every fit repeats it and no test row is used for it. Choices that differ between folds are not
    determined well by the data.
    """
    rows = []
    if not study.choices.empty:
        by = ["dataset", "model", "plan", "parameter"]
        for key, part in study.choices.groupby(by, sort=False):
            row: dict[str, Any] = dict(zip(by, key, strict=True))
            row["parameter"] = clean(str(row["parameter"]))
            row["fits"] = len(part)
            row["values"] = _counted(part["value"])
            rows.append(row)
    columns = [
        tables.DATASET,
        tables.MODEL,
        tables.PLAN,
        Column("parameter", "Parameter"),
        Column("fits", "Fits", tables.COUNT),
        Column("values", "Values"),
    ]
    return Table(columns, rows, "choices.csv lists every fit.")


def _counted(values: Any) -> str:
    """Count values; of many different numbers give the median and the range."""
    counts = Counter(map(clean, values))
    numbers = pd.to_numeric(pd.Series(list(counts.elements()), dtype=object), errors="coerce")
    if len(counts) > MOST_VALUES and numbers.notna().all():
        # numbers that were chosen, and no means of two of them
        low, middle, high = numbers.quantile([0, 0.5, 1], interpolation="higher")
        return f"{number(low)} to {number(high)}, median {number(middle)}"
    most_frequent = []
    for value, n in counts.most_common(MOST_VALUES):
        most_frequent.append(f"{value} ({n}×)")
    shown = ", ".join(most_frequent)
    if len(counts) > MOST_VALUES:
        shown += f" and {len(counts) - MOST_VALUES} more"
    return shown


# --- importance


def _has_importance(design: Study) -> bool:
    return any(model.importance for model in design.analysis.fitted.values())


def _importance(study: Study, dataset: str) -> pd.DataFrame:
    """Return the importances on a data set by the first plan that has any."""
    table = study.importance
    if table.empty:
        return table
    of_dataset = table[table["dataset"] == dataset]
    first: pd.DataFrame = of_dataset[of_dataset["plan"] == of_dataset["plan"].iloc[0]]
    return first


@figure(Section.FITS, 30, "Permutation importance", each="dataset", when=_has_importance)
def importance_bars(study: Study, dataset: str) -> Drawing:
    """A bar shows how much worse the score of a fitted model on its test rows becomes when the
    values of one column are shuffled among these rows. Bars are means over all shuffles and fits,
    lines one standard deviation to either side. Of two columns with the same information neither
    may appear important, and an important column need not be a cause.
    """
    table = _importance(study, dataset)
    if table.empty:
        return message("no model has importances here")
    means = table.pivot(index="feature", columns="model", values="mean")
    deviations = table.pivot(index="feature", columns="model", values="sd")
    known = [model for model in order(study) if model in means]
    models = known[:MOST_PANELS]
    every = list(means.max(axis=1).sort_values(ascending=False, kind="stable").index)
    columns = every[:MOST_BARS]

    labels = [name_of(clean(column), 24) for column in columns]
    places = range(len(columns))
    drawn = drawing.canvas(drawing.WIDTH, 0.9 + 0.24 * len(columns))
    drawn.set_layout_engine("constrained")
    grid = drawn.subplots(1, len(models), sharex=True, sharey=True, squeeze=False)[0]
    data = []
    for axes, model in zip(grid, models, strict=True):
        falls = means[model][columns]
        spread = deviations[model][columns]
        axes.barh(places, falls, height=0.62, color=Colour.BLUE)
        axes.errorbar(falls, places, xerr=spread, fmt="none", ecolor=Colour.MUTED, elinewidth=1)
        axes.axvline(0, color=Colour.MUTED, linewidth=0.8)
        axes.set_yticks(places, labels)
        axes.tick_params(length=0)
        axes.locator_params(axis="x", nbins=3)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.set_title(name_of(study.label(model), 16), fontsize=SIZE, color=Colour.INK)
        for column in columns:
            row = {
                "model": study.label(model),
                "feature": clean(column),
                "mean": float(falls[column]),
                "sd": float(spread[column]),
            }
            data.append(row)
    grid[0].invert_yaxis()
    metric = METRICS[table["scoring"].iloc[0]]
    change = "Increase"
    if metric.greater_is_better:
        change = "Loss"
    title = f"{change} of {metric.title} when the column is shuffled"
    drawn.supxlabel(title, fontsize=SIZE, color=Colour.INK)
    first = means[models[0]]
    alt = (
        f"Permutation importance of {len(columns)} columns for {len(models)} models. For "
        f"{study.label(models[0])} the most important is {clean(str(first.idxmax()))}: "
        f"{change.lower()} of {metric.title} {number(float(first.max()))}."
    )
    shows = []
    if len(columns) < len(every):
        shows.append(f"{len(columns)} of {len(every)} columns")
    if len(models) < len(known):
        shows.append(drawing.best_of(models, known))
    return Drawing(drawn, alt, shows=" and ".join(shows), data=data)


@table(Section.FITS, 31, "Permutation importance of every column", when=_has_importance)
def importance(study: Study) -> Table:
    """The table says by how much the score on the test rows becomes worse when a column is
    shuffled, as mean and standard deviation over all shuffles and fits. No model is fitted again
    for it.
    """
    rows = []
    for dataset in study.datasets:
        for row in _importance(study, dataset).to_dict("records"):
            rows.append(row | {"feature": clean(row["feature"])})
    columns = [
        tables.DATASET,
        tables.MODEL,
        tables.PLAN,
        Column("feature", "Column"),
        Column("scoring", "Score", _SCORING),
        Column("fits", "Fits", tables.COUNT),
        Column("mean", "Mean", tables.NUMBER),
        Column("sd", "SD", tables.NUMBER),
    ]
    return Table(columns, rows, "importance.csv has every plan.")

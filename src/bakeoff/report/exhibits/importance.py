"""What the columns are worth to each model on the held-out rows."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from bakeoff.report.drawing import (
    SIZE,
    WIDTH,
    Colour,
    bare,
    canvas,
    letters_in,
    message,
    name_of,
    text_width,
)
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.numbers import letters_for
from bakeoff.report.pairs_shown import order
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean
from bakeoff.report.written import Written, decimals, varies


class Loss(NamedTuple):
    """What the score of a model loses when a column is shuffled: mean and standard deviation."""

    mean: float
    sd: float


def losses(study: Study, dataset: str) -> dict[str, dict[str, Loss]]:
    """Map each model on a data set, best first, and each of its columns to what it is worth."""
    table = study.importance
    if not len(table):
        return {}
    own = table[table["dataset"] == (dataset or study.datasets[0])]
    found = {
        str(model): {
            str(name): Loss(float(mean), float(sd))
            for name, mean, sd in rows[["feature", "mean", "sd"]].itertuples(index=False)
        }
        for model, rows in own.groupby("model", sort=False)
    }
    return {model: found[model] for model in order(study) if model in found}


def columns_that_matter(found: dict[str, dict[str, Loss]]) -> list[str]:
    """List the columns by what they are worth to the model that makes most of them."""
    names = dict.fromkeys(name for known in found.values() for name in known)
    worth = {name: max(k[name].mean for k in found.values() if name in k) for name in names}
    return sorted(names, key=lambda name: -worth[name])


def what_is_lost(study: Study, found: dict[str, dict[str, Loss]]) -> Written:
    """Say what is lost, and how it is written."""
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


MOST_COLUMNS, MOST_MODELS = 15, 4


def draw_importance_bars(item: Item, study: Study) -> Drawing:
    """Draw a panel for each model, the columns in the same order in all."""
    found = losses(study, item.dataset)
    if not found:
        return message("no model has importances here")
    names, models = columns_that_matter(found), list(found)[:MOST_MODELS]
    shown = names[:MOST_COLUMNS]
    letters = letters_for(map(clean, shown), 24)
    labels = [name_of(clean(name), letters) for name in shown]
    left, right, top, bottom, gap = max(map(text_width, labels)) + 0.15, 0.12, 0.3, 0.55, 0.15
    height = len(shown) * 0.24 + top + bottom
    each = (WIDTH - left - right - gap * (len(models) - 1)) / len(models)
    figure = canvas(WIDTH, height)
    drawn = [found[m][name] for m in models for name in shown if name in found[m]]
    low, high = min(one.mean - one.sd for one in drawn), max(one.mean + one.sd for one in drawn)
    for place, model in enumerate(models):
        corner = (left + place * (each + gap)) / WIDTH, bottom / height
        size = each / WIDTH, 1 - (top + bottom) / height
        axes = figure.add_axes((*corner, *size))
        bare(axes)
        known = [(i, found[model][name]) for i, name in enumerate(shown) if name in found[model]]
        rows, means = [i for i, _ in known], [loss.mean for _, loss in known]
        axes.barh(rows, means, height=0.62, color=Colour.BLUE)
        errors = [loss.sd for _, loss in known]
        axes.errorbar(means, rows, xerr=errors, fmt="none", ecolor=Colour.MUTED, elinewidth=1)
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
    figure.supxlabel(lost.title, fontsize=SIZE, color=Colour.INK, y=0.12 / height)
    first = models[0]
    best = max(found[first], key=lambda name: found[first][name].mean)
    alt = (
        f"Permutation importance of {len(shown)} columns for {len(models)} models. For "
        f"{study.label(first)} {clean(best)} has the largest, {lost.told(found[first][best].mean)}."
    )
    parts = [
        f"{len(part)} of {len(whole)} {kind}"
        for part, whole, kind in ((shown, names, "columns"), (models, found, "models"))
        if len(part) < len(whole)
    ]
    return Drawing(figure, alt, shows=" and ".join(parts))


EXHIBITS = {
    "importance_bars": FigureExhibit(
        section=Section.MODELS,
        place=60,
        title="Permutation importance",
        caption="How much worse each model's score on the held-out rows becomes when one column is "
        "shuffled among these rows. Bars are means over shuffles and training runs, lines one "
        "standard deviation to either side. The columns are in the order of their largest "
        "importance for any model.",
        each="dataset",
        when=lambda design: design.experiment.importance is not None,
        heading="Permutation importance",
        draw=draw_importance_bars,
    ),
}

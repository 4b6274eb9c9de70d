"""What the columns are worth to each model on the held-out rows."""

from __future__ import annotations

from bakeoff.report.drawing import (
    BLUE,
    GRID,
    INK,
    MUTED,
    SIZE,
    WIDTH,
    bare,
    canvas,
    letters_in,
    message,
    name_of,
    text_width,
)
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section, TableExhibit
from bakeoff.report.important import columns_that_matter, losses, what_is_lost
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, score
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text

MOST_COLUMNS, MOST_MODELS = 15, 4
LEGEND = (
    "The bars are means over the shuffles, the lines one standard deviation to either side; the "
    "columns that matter most to any model come first."
)


def draw_importance_bars(item: Item, study: Study) -> Drawing:
    """Draw a panel for each model, the columns in the same order in all."""
    found = losses(study, item.dataset)
    if not found:
        return message("no model has importances here", LEGEND)
    names, models = columns_that_matter(found), list(found)[:MOST_MODELS]
    shown = names[:MOST_COLUMNS]
    labels = [name_of(clean(name), 24) for name in shown]
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
        axes.barh(rows, means, height=0.62, color=BLUE)
        errors = [loss.sd for _, loss in known]
        axes.errorbar(means, rows, xerr=errors, fmt="none", ecolor=MUTED, elinewidth=1)
        axes.set_yticks(range(len(shown)), labels if place == 0 else [""] * len(shown))
        axes.set_ylim(len(shown) - 0.45, -0.55)
        axes.set_xlim(1.05 * min(low, 0.0), 1.05 * max(high, 1e-3))  # one scale for all
        axes.axvline(0, color=MUTED, linewidth=0.8)
        axes.locator_params(axis="x", nbins=3)
        axes.grid(axis="x", color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        title = name_of(study.label(model), letters_in(each + gap))
        axes.set_title(title, fontsize=SIZE, color=INK)
    figure.supxlabel(what_is_lost(study), fontsize=SIZE, color=INK, y=0.12 / height)
    first = models[0]
    best = max(found[first], key=lambda name: found[first][name].mean)
    alt = (
        f"Bars of what {len(shown)} columns are worth to {len(models)} models. To "
        f"{study.label(first)} {clean(best)} is worth most, {score(found[first][best].mean)}."
    )
    parts = [
        f"{len(part)} of {len(whole)} {kind}"
        for part, whole, kind in ((shown, names, "columns"), (models, found, "models"))
        if len(part) < len(whole)
    ]
    return Drawing(figure, alt, LEGEND, " and ".join(parts))


TABLE_COLUMNS = 30


def build_importance(item: Item, study: Study) -> PageTable:
    """Give the mean loss of each column's shuffles, with their standard deviation."""
    found = losses(study, item.dataset)
    models = list(found)
    names = columns_that_matter(found)
    columns = (
        Column("feature", "Column"),
        *(Column(f"loss_{m}", study.label(m), True) for m in models),
    )
    rows = []
    for name in names[:TABLE_COLUMNS]:
        cells = {}
        for model in models:
            known = found[model].get(name)
            shown = f"{score(known.mean)} ± {score(known.sd)}" if known else NONE
            cells[f"loss_{model}"] = Cell(shown, known.mean if known else None)
        rows.append({"feature": text(clean(name)), **cells})
    note = (
        f"{what_is_lost(study)}: mean ± standard deviation over the shuffles; a dash where the "
        "model did not get the column. Columns that tell the same share what they matter, or seem "
        "not to matter at all. It describes these fitted models, not causes."
    )
    if len(names) > TABLE_COLUMNS:
        note += (
            f" The {TABLE_COLUMNS} of {len(names):,} that matter most; all are in importance.csv."
        )
    return tabulate(item, columns, rows, note)


EXHIBITS = {
    "importance_bars": FigureExhibit(
        section=Section.MODELS,
        place=60,
        title="What the columns are worth",
        caption="Permutation importance on the held-out rows, a panel for each model: what its "
        "score loses when one column is shuffled among these rows, mean and standard deviation "
        "over the shuffles.",
        each="dataset",
        when=lambda asked: asked.experiment.importance is not None,
        heading="What the columns are worth",
        draw=draw_importance_bars,
    ),
    "importance": TableExhibit(
        section=Section.MODELS,
        place=61,
        title="What the columns are worth, in numbers",
        caption="Permutation importance on the held-out rows (Breiman 2001): what the score of "
        "each fitted model loses when one column is shuffled among these rows. It describes how "
        "a model uses a column, not what the column causes, and columns with the same information "
        "share it.",
        each="dataset",
        when=lambda asked: asked.experiment.importance is not None,
        folded="What every column is worth, in numbers",
        build=build_importance,
    ),
}

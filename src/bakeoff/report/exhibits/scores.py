"""The scores, every one of them."""

from __future__ import annotations

from bakeoff.report.drawing import (
    BLUE,
    INK,
    MUTED,
    SOFT,
    grid,
    message,
    name_of,
    name_rows,
    panel,
)
from bakeoff.report.exhibit import Asked, Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.ranking import Ranked, dataset_means, ranking
from bakeoff.report.study import Study

MOST_LINES = 120
MOST_DOTS = 3_000
"""With more scores than these, lines between them would be a grey cloud."""


def draw(item: Item, study: Study) -> Drawing:
    """Draw a line of points per model; thin lines join what was scored on the same rows."""
    ranked = ranking(study)
    tables = study.values(study.metric.name, study.plan)
    if not ranked:
        return message("no model has a complete set of scores", _legend(study, True))
    several = len(tables) > 1
    table = (
        dataset_means(study, study.metric.name, study.plan)
        if several
        else next(iter(tables.values()))
    )
    values = table[[line.model for line in ranked]].to_numpy()
    labels = [name_of(study.label(line.model)) for line in ranked]
    figure, axes = panel(len(ranked), labels, row=0.34 if len(ranked) < 16 else 0.27)
    places = range(len(ranked))
    joined = len(values) <= MOST_LINES and values.size <= MOST_DOTS
    if joined:
        for row in values:
            axes.plot(row, places, color=SOFT, linewidth=0.6, alpha=0.6, zorder=1)
    below = 0.26 if len(values) > 1 else 0  # the mean has its place under the single scores
    for place, line in enumerate(ranked):
        colour = BLUE if place == 0 else MUTED
        if len(values) > 1:
            axes.plot(
                values[:, place], [place] * len(values), "o", markersize=3.6, color=colour,
                alpha=0.6, markeredgewidth=0, zorder=2,
            )  # fmt: skip
        if line.ci is not None:
            axes.plot(list(line.ci), [place + below] * 2, color=colour, linewidth=1.4, zorder=3)
        axes.plot(line.mean, place + below, "D", markersize=4.2, color=INK, zorder=4)
    name_rows(axes, labels)
    axes.set_ylim(len(labels) - 0.35, -0.5)
    grid(axes)
    unit = (
        "mean on a data set" if several else "on a fold" if len(values) > 1 else "on the test rows"
    )
    arrow = "higher is better" if study.metric.greater_is_better else "lower is better"
    axes.set_xlabel(f"{study.metric.title} {unit} ({arrow})")
    return Drawing(figure, _alt(study, ranked, len(values), several), _legend(study, joined))


def _alt(study: Study, ranked: list[Ranked], n: int, several: bool) -> str:
    each = "data set" if several else "fold"
    best, last = ranked[0], ranked[-1]
    return (
        f"{study.metric.title} of {len(ranked)} models on {n} {each}{'s' if n != 1 else ''}, from "
        f"{study.label(best.model)} (mean {best.mean:.3f}) to {study.label(last.model)} "
        f"(mean {last.mean:.3f})."
    )


def _legend(study: Study, joined: bool) -> str:
    ends = "The diamond is the mean, the bar its interval."
    several = len(study.datasets) > 1
    if study.plan == "holdout" and not several:
        return "Each diamond is a model's score on the held-out rows, the bar its interval."
    each, together = (
        ("data set", "the scores on one data set")
        if several
        else ("fold", "what was scored on the same rows")
    )
    lines = f"; thin lines join {together}" if joined else ""
    return f"Each dot is one {each}{lines}. {ends}"


def _title(asked: Asked) -> str:
    if asked.several:
        return "Scores, every data set"
    plans = asked.experiment.resampling.plans().values()
    folds = any(len(plan.splits()) > 1 for plan in plans)
    return "Scores, every fold" if folds else "Scores, on the test rows"


EXHIBIT = FigureExhibit(
    section=Section.MODELS,
    place=10,
    title=_title,
    caption="Every score that ranks the models. A dot is one fold (with several data sets: the "
    "mean on one data set); thin lines join what was scored on the same rows, for the differences "
    "between models are judged within rows, folds or data sets, not between them. The diamond is "
    "the mean and the bar its confidence interval. Overlapping intervals do not mean that two "
    "models do not differ; the tests tell.",
    draw=draw,
)

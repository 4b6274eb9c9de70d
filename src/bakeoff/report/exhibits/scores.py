"""The scores of the models on folds, on held-out rows and on data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bakeoff.comparisons.evidence import has_interval
from bakeoff.report import prose
from bakeoff.report.cells import capital, ci_cell, score_cell
from bakeoff.report.drawing import BLUE, INK, MUTED, SOFT, grid, message, name_of, name_rows, panel
from bakeoff.report.exhibit import (
    MOST_DATASETS,
    Asked,
    Drawing,
    FigureExhibit,
    Section,
    TableExhibit,
)
from bakeoff.report.item import Item
from bakeoff.report.numbers import percent
from bakeoff.report.pairs_shown import order
from bakeoff.report.prose import WHY_UNDECIDED
from bakeoff.report.ranking import Ranked, dataset_means, ranking, ranks_of
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.stats import Status

MOST_LINES = 120
MOST_DOTS = 3_000
"""With more scores than these, lines between them would be a grey cloud."""


def draw_scores(item: Item, study: Study) -> Drawing:
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


INTERVALS_COLUMNS = (
    Column("dataset", "Data set"),
    Column("metric", "Metric"),
    Column("model", "Model"),
    Column("estimate", "Score", True),
    Column("se", "SE", True),
    Column("ci_low", "CI", True),
    Column("note", "Take care"),
)


def _has_intervals(asked: Asked) -> bool:
    """Show it where a metric of held-out rows has an interval, for a few data sets."""
    known = any(map(has_interval, asked.experiment.metrics))
    return asked.rows and known and len(asked.experiment.datasets) <= MOST_DATASETS


def build_intervals(item: Item, study: Study) -> PageTable:
    """List the scores data set by data set and metric by metric, in the order of the ranking."""
    found = study.intervals
    several = len(study.datasets) > 1
    place = {model: i for i, model in enumerate(order(study))}
    lines = [
        line
        for _, own in found.groupby(["dataset", "metric"], sort=False)
        for line in sorted(own.to_dict("records"), key=lambda line: place[line["model"]])
    ]
    rows = [
        ({"dataset": text(study.dataset_label(line["dataset"]))} if several else {})
        | {
            "metric": text(capital(study.metrics[line["metric"]].title)),
            "model": text(study.label(line["model"])),
            "estimate": score_cell(line["estimate"]),
            "se": score_cell(line["se"]),
            "ci_low": ci_cell(line["ci_low"], line["ci_high"]),
            "note": _note(line),
        }
        for line in lines
    ]
    note = (
        f"{percent(1 - study.alpha)} intervals of single models on the held-out rows; that two "
        "overlap does not say that the models do not differ. The standard error is that of the "
        "interval: metrics of right and wrong rows have pseudo-rows in it "
        "(docs/stats/any-metric.md), and shares Wilson's interval."
    )
    metrics = found["metric"].nunique() if len(found) else 0
    summary = f"{len(study.models)} models by {metrics} metric{'s' if metrics != 1 else ''}"
    return tabulate(item, INTERVALS_COLUMNS, rows, note, summary=summary)


def _note(line: Mapping[Any, Any]) -> Cell:
    """Say why there is no interval, or what the interval takes for granted and does not find."""
    status, said = str(line["status"]), clean(str(line["note"])) if line["note"] else ""
    if status == Status.OK:
        return text(said, tone="open" if said else "")
    why = said or WHY_UNDECIDED.get(status, status.replace("_", " "))
    missing = isinstance(line["estimate"], float) and math.isnan(line["estimate"])
    return text(f"{'no score' if missing else 'no interval'}: {why}", tone="bad")


_MOST_HOLES = 5
_POLICIES = {
    "drop_dataset": "the data sets that lack a score are left out of the tests over data sets",
    "drop_model": "the models that lack a score are left out of the tests over data sets",
    "error": "no test over data sets uses them",
}


def build_datasets(item: Item, study: Study) -> PageTable:
    """Show the mean score of every model on every data set, and which are missing."""
    ordered = order(study)
    means = dataset_means(study, study.metric.name, study.plan).reindex(columns=ordered)
    ranks = ranks_of(means, study.metric.greater_is_better)
    best = ranks.eq(ranks.min(axis=1), axis=0)
    columns = (
        Column("dataset", "Data set"),
        *(Column(m, study.label(m), True, "model") for m in ordered),
    )
    rows = (
        {"dataset": text(study.dataset_label(str(name)))}
        | {m: score_cell(float(own[m]), bool(first[m])) for m in ordered}
        for (name, own), (_, first) in zip(means.iterrows(), best.iterrows(), strict=True)
    )
    note = (
        f"{capital(study.metric.title)}, {prose.scored(study)}; best of each data set in bold. "
        "Other metrics and plans are in score_matrix.csv."
    )
    return tabulate(item, columns, rows, note + _holes(study))


def _holes(study: Study) -> str:
    """Say which cells are missing and what the tests over data sets do about them."""
    holes = study.missing.get("missing", ())
    own = [h for h in holes if (h["plan"], h["metric"]) == (study.plan, study.metric.name)]
    if not own:
        return ""
    told = [
        f"{study.label(h['model'])} on {study.dataset_label(h['dataset'])} ({clean(h['reason'])})"
        for h in own[:_MOST_HOLES]
    ]
    more = f" and {len(own) - len(told)} more" if len(own) > len(told) else ""
    return f" Missing: {'; '.join(told)}{more}; {_POLICIES[study.missing['policy']]}."


EXHIBITS = {
    "scores": FigureExhibit(
        section=Section.MODELS,
        place=10,
        title=_title,
        caption="Every score that ranks the models. A dot is one fold (with several data sets: "
        "the mean on one data set); thin lines join what was scored on the same rows, for the "
        "differences between models are judged within rows, folds or data sets, not between them. "
        "The diamond is the mean and the bar its confidence interval. Overlapping intervals do not "
        "mean that two models do not differ; the tests tell.",
        draw=draw_scores,
    ),
    "intervals": TableExhibit(
        section=Section.MODELS,
        place=28,
        title="Every metric on the held-out rows",
        caption="Every metric of every model on the held-out rows with its standard error and its "
        "interval. Where the rows are too few for a metric there is no interval, and where the "
        "interval is a rough one the table says why.",
        when=_has_intervals,
        folded="Every metric with its interval",
        build=build_intervals,
    ),
    "datasets": TableExhibit(
        section=Section.MODELS,
        place=30,
        title="Mean scores by data set",
        caption="The mean score of each model on each data set, the best of a data set in bold. A "
        "dash is a missing score; the note says why it is missing and what the tests over data "
        "sets do about it.",
        when=lambda asked: asked.several,
        folded="Every data set",
        build=build_datasets,
    ),
}

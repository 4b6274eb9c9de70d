"""The scores of the models on folds, on held-out rows and on data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bakeoff.comparisons.evidence import has_interval
from bakeoff.report import prose
from bakeoff.report.cells import DATASET, INTERVAL, METRIC, MODEL, SCORE, Best
from bakeoff.report.drawing import MOST_DRAWN, Colour, grid, message, name_of, name_rows, panel
from bakeoff.report.exhibit import MOST_DATASETS, Drawing, FigureExhibit, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import capital, count, letters_for, percent
from bakeoff.report.pairs_shown import order
from bakeoff.report.prose import WHY_UNDECIDED
from bakeoff.report.ranking import Ranked, dataset_means, ranking, ranks_of
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate
from bakeoff.stats import Status

MOST_LINES = 120
MOST_DOTS = 3_000
"""With more scores than these, lines between them would be a grey cloud."""


def draw_scores(item: Item, study: Study) -> Drawing:
    """Draw a line of points per model; thin lines join what was scored on the same rows."""
    ranked = ranking(study)
    tables = study.values(study.metric.name, study.plan)
    if not ranked:
        return message("no model has a complete set of scores")
    several = len(tables) > 1
    table = (
        dataset_means(study, study.metric.name, study.plan)
        if several
        else next(iter(tables.values()))
    )
    shows = f"the {MOST_DRAWN} best of {len(ranked)} models" if len(ranked) > MOST_DRAWN else ""
    ranked = ranked[:MOST_DRAWN]
    values = table[[line.model for line in ranked]].to_numpy()
    names = [study.label(line.model) for line in ranked]
    labels = [name_of(name, letters_for(names)) for name in names]
    figure, axes = panel(len(ranked), labels, row=0.34 if len(ranked) < 16 else 0.27)
    places = range(len(ranked))
    joined = len(values) <= MOST_LINES and values.size <= MOST_DOTS and len(values) > 1
    if joined:
        for row in values:
            axes.plot(row, places, color=Colour.SOFT, linewidth=0.6, alpha=0.6, zorder=1)
    below = 0.26 if len(values) > 1 else 0  # the mean has its place under the single scores
    for place, line in enumerate(ranked):
        colour = Colour.BLUE if place == 0 else Colour.MUTED
        if len(values) > 1:
            axes.plot(
                values[:, place], [place] * len(values), "o", markersize=3.6, color=colour,
                alpha=0.6, markeredgewidth=0, zorder=2,
            )  # fmt: skip
        if line.ci is not None:
            axes.plot(list(line.ci), [place + below] * 2, color=colour, linewidth=1.4, zorder=3)
        axes.plot(line.mean, place + below, "D", markersize=4.2, color=Colour.INK, zorder=4)
    name_rows(axes, labels)
    axes.set_ylim(len(labels) - 0.35, -0.5)
    grid(axes)
    unit = (
        "mean on a data set" if several else "on a fold" if len(values) > 1 else "on the test rows"
    )
    arrow = "higher is better" if study.metric.greater_is_better else "lower is better"
    axes.set_xlabel(f"{study.written().label} {unit} ({arrow})")
    dots = f"Each dot is {'the mean on one data set' if several else 'the score on one fold'}"
    lines = "; thin lines join scores on the same rows" if joined else ""
    legend = f"{dots}{lines}." if len(values) > 1 else prose.over_runs(study)
    return Drawing(figure, _alt(study, ranked, len(values), several), legend, shows)


def _alt(study: Study, ranked: list[Ranked], n: int, several: bool) -> str:
    best, last, told = ranked[0], ranked[-1], study.written().told
    return (
        f"{capital(study.metric.title)} of {len(ranked)} models on "
        f"{count(n, 'data set' if several else 'fold')}, from {study.label(best.model)} (mean "
        f"{told(best.mean)}) to {study.label(last.model)} (mean {told(last.mean)})."
    )


def _title(design: StudyDesign) -> str:
    plans = design.experiment.resampling.plans().values()
    folds = any(len(plan.splits()) > 1 for plan in plans)
    where = "data set" if design.several else "fold"
    return f"Scores on every {where}" if design.several or folds else "Scores on the test rows"


def build_intervals(item: Item, study: Study) -> PageTable:
    """List the scores data set by data set and metric by metric, in the order of the ranking."""
    found = study.intervals
    place = {model: i for i, model in enumerate(order(study))}
    rows = [
        line | {"ci_low": (line["ci_low"], line["ci_high"]), "note": _note(line)}
        for _, own in found.groupby(["dataset", "metric"], sort=False)
        for line in sorted(own.to_dict("records"), key=lambda line: place[line["model"]])
    ]
    columns = (
        DATASET,
        METRIC,
        MODEL,
        Column("estimate", "Score", SCORE),
        Column("se", "SE", SCORE),
        Column("ci_low", f"{percent(1 - study.alpha)} CI", INTERVAL),
        Column("note", "Caution"),
    )
    return tabulate(item, study, columns, rows, prose.over_runs(study))


def _note(line: Mapping[Any, Any]) -> Cell:
    """Say why there is no interval, or which assumption of the interval does not hold."""
    status, said = str(line["status"]), clean(str(line["note"])) if line["note"] else ""
    if status == Status.OK:
        return Cell(said, tone="open" if said else "")
    why = said or WHY_UNDECIDED.get(status, status.replace("_", " "))
    missing = isinstance(line["estimate"], float) and math.isnan(line["estimate"])
    return Cell(f"{'no score' if missing else 'no interval'}: {why}", tone="bad")


_MOST_HOLES = 5
_POLICIES = {
    "drop_dataset": "the data sets that lack a score are left out of the tests over data sets",
    "drop_model": "the models that lack a score are left out of the tests over data sets",
    "failed": "tests over data sets rank them last",
    "error": "no test over data sets uses them",
}


def build_datasets(item: Item, study: Study) -> PageTable:
    """Show the mean score of every model on every data set, and which are missing."""
    ordered = order(study)
    means = dataset_means(study, study.metric.name, study.plan).reindex(columns=ordered)
    ranks = ranks_of(means, study.metric)
    best = ranks.eq(ranks.min(axis=1), axis=0)
    columns = (DATASET, *(Column(m, study.label(m), SCORE, "model") for m in ordered))
    rows = (
        {"dataset": str(name)} | {m: Best(float(own[m]), bool(first[m])) for m in ordered}
        for (name, own), (_, first) in zip(means.iterrows(), best.iterrows(), strict=True)
    )
    note = (
        f"{capital(study.metric.title)}, {prose.scored(study)}. score_matrix.csv has the other "
        "metrics and plans."
    )
    return tabulate(item, study, columns, rows, note + _holes(study))


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
        caption="The diamond is the mean score of a model, the line its confidence interval. "
        "The tests, not overlapping intervals, show whether two models differ.",
        when=lambda design: design.averages(design.metric.name),
        draw=draw_scores,
    ),
    "intervals": TableExhibit(
        section=Section.MODELS,
        place=28,
        title="Every metric on the held-out rows",
        caption="Every metric of every model on the held-out rows, with its standard error and "
        "confidence interval. The standard errors of metrics of right and wrong rows include "
        "pseudo-rows (docs/stats/any-metric.md); shares of a single fit have Wilson intervals. "
        "Overlapping "
        "intervals do not mean that two models do not differ.",
        when=lambda design: (
            (design.has_rows or (design.has_runs and not design.experiment.by_values))
            and any(map(has_interval, design.experiment.metrics))
            and len(design.datasets) <= MOST_DATASETS
        ),
        folded="Every metric with its interval",
        build=build_intervals,
    ),
    "datasets": TableExhibit(
        section=Section.MODELS,
        place=30,
        title="Mean scores by data set",
        caption="The mean score of each model on each data set; the best score of a data set is in "
        "bold, a dash marks a missing score.",
        when=lambda design: design.several,
        folded="Every data set",
        build=build_datasets,
    ),
}

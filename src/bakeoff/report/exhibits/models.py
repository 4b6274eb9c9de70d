"""The models: their scores, ranks and intervals, what they chose, and what they cost."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pandas as pd

from bakeoff.comparisons.evidence import has_interval, has_test
from bakeoff.report import prose, tables
from bakeoff.report.baseline import baselines
from bakeoff.report.drawing import MOST_DRAWN, Colour, grid, message, name_of, name_rows, panel
from bakeoff.report.exhibit import MOST_DATASETS, Drawing, Section, figure, table
from bakeoff.report.may_be_best import cautions, may_be_best
from bakeoff.report.numbers import capital, count, fixed, letters_for, number, percent
from bakeoff.report.ranking import (
    Ranked,
    dataset_means,
    interval_note,
    order,
    ranking,
    ranks_of,
    shown_interval,
)
from bakeoff.report.study import BESIDE, Study
from bakeoff.report.study_design import StudyDesign, clean
from bakeoff.report.tables import (
    COUNT,
    DATASET,
    INTERVAL,
    METRIC,
    MODEL,
    PLAN,
    SCORE,
    Best,
    Cell,
    Column,
    Table,
    numbers,
)
from bakeoff.stats import Status

RANK = numbers(lambda rank: fixed(rank, 2))
MOST_LINES, MOST_DOTS = 120, 3_000
"""With more scores than these, lines between them would be a grey cloud."""
MOST_MARKS = 1_000
"""With more scores the dots are one picture, which is smaller than so many marks."""
MOST_VALUES = 5


def _level(study: Study) -> str:
    return f"{percent(1 - study.alpha)} CI"


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
    tables = study.values(study.metric.name, study.plan)
    several = len(tables) > 1
    means = dataset_means(study, study.metric.name, study.plan) if several else None
    known = next(iter(tables.values())) if means is None else means
    values = known[[line.model for line in ranked]].to_numpy()
    names = [study.label(line.model) for line in ranked]
    labels = [name_of(name, letters_for(names)) for name in names]
    drawn, axes = panel(len(ranked), labels, row=0.34 if len(ranked) < 16 else 0.27)
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
    name_rows(axes, labels)
    axes.set_ylim(len(labels) - 0.35, -0.5)
    grid(axes)
    unit = "mean on a data set" if several else "on a fold" if dotted else "on the test rows"
    better = "higher" if study.metric.greater_is_better else "lower"
    axes.set_xlabel(f"{study.written().label} {unit} ({better} is better)")
    dots = f"Each dot is {'the mean on one data set' if several else 'the score on one fold'}"
    legend = f"{dots}{'; thin lines join scores on the same rows' if joined else ''}."
    first, last, told = ranked[0], ranked[-1], study.written().told
    alt = (
        f"{capital(study.metric.title)} of {len(ranked)} models on "
        f"{count(len(values), 'data set' if several else 'fold')}, from {study.label(first.model)} "
        f"(mean {told(first.mean)}) to {study.label(last.model)} (mean {told(last.mean)})."
    )
    shows = f"the {MOST_DRAWN} best of {len(every)} models" if len(every) > MOST_DRAWN else ""
    return Drawing(drawn, alt, legend if dotted else prose.over_runs(study), shows)


@table(Section.ANSWER, 10, "Models, ranked")
def models(study: Study) -> Table:
    """The tests, not overlapping intervals, show whether two models differ."""
    ranked, several = ranking(study), study.several
    averaged = study.averages(study.metric.name)
    top = _best_of([line.mean for line in ranked], study.metric.greater_is_better)
    rows = []
    for line in ranked:
        row: dict[str, Any] = {"rank": line.rank, "model": line.model, "wins": line.wins}
        if averaged:
            row["mean"] = Best(line.mean, line.mean == top)
            row |= {"ci_low": ci} if (ci := shown_interval(study, line)) else {}
        rows.append(row)
    baseline = _baseline_scores(study)
    if rows and study.metric.name in baseline:
        rows.append({"model": _baseline_row(study), "mean": baseline[study.metric.name]})
    title = capital(study.metric.title)
    repeated = several or any(line.n > 1 for line in ranked)
    columns = (
        MODEL,
        *([Column("rank", "Average rank", RANK)] if several else []),
        Column("mean", f"{title}, mean" if repeated else title, SCORE),
        Column("ci_low", _level(study), INTERVAL),
        Column("wins", "Times first", COUNT, several=True),
    )
    return Table(columns, rows, _note_of_models(study, ranked))


@table(
    Section.METRICS,
    10,
    "Every metric",
    when=lambda design: len(design.experiment.metrics) > 1 or design.plans_repeat,
)
def metrics(study: Study) -> Table:
    """Mean scores by every metric. The standard deviation describes the spread of single scores; it
    is not a standard error, because folds share training rows.
    """
    ranked, several = ranking(study), study.several
    first = study.metric
    averaged = study.averages(first.name)
    repeated = several or any(line.n > 1 for line in ranked)
    known = any(not math.isnan(line.holdout) for line in ranked)
    held = averaged and study.plan != "holdout" and known
    best = _best_of([line.holdout for line in ranked], first.greater_is_better)
    beside = dataset_means(study, first.name, BESIDE).mean()
    other = {m: study.metrics[m] for m in study.experiment.metrics[1:] if study.averages(m)}
    means = {m: dataset_means(study, m, study.plan).mean() for m in other}
    tops = {m: _best_of(means[m], metric.greater_is_better) for m, metric in other.items()}
    rows: list[dict[str, Any]] = []
    for line in ranked:
        row: dict[str, Any] = {"model": line.model}
        if repeated:
            row |= {"sd": line.sd, "n": line.n} if averaged else {"n": line.n}
        if study.plan == "halves":
            row["beside"] = float(beside[line.model])
        if held:
            row["holdout"] = Best(line.holdout, line.holdout == best)
        scores = {m: float(means[m][line.model]) for m in other}
        rows.append(row | {f"mean_{m}": Best(scores[m], scores[m] == tops[m]) for m in other})
    baseline = _baseline_scores(study)
    if rows and first.name in baseline:
        row = {"model": _baseline_row(study)}
        row |= {f"mean_{m}": mean for m, mean in baseline.items() if m != first.name}
        if held:
            each = baselines(study, first.name)
            row["holdout"] = math.fsum(one.holdout for one in each) / len(each)
        rows.append(row)
    columns = (
        MODEL,
        *(Column(f"mean_{m}", capital(one.title), SCORE, metric=m) for m, one in other.items()),
        Column(
            "sd", f"{capital(first.title)}, SD over {'data sets' if several else 'folds'}", SCORE
        ),
        Column("n", "Data sets" if several else "Folds", COUNT),
        Column("beside", capital(prose.HALVES[not study.by_full]), SCORE),
        Column("holdout", f"{capital(first.title)} on held-out rows", SCORE),
    )
    return Table(columns, rows)


def _best_of(scores: Any, greater_is_better: bool) -> float:
    return float((max if greater_is_better else min)(scores, default=math.nan))


def _note_of_models(study: Study, ranked: list[Ranked]) -> str:
    """Say how models were ranked, and what is odd about their scores."""
    trained = "" if study.several else prose.trained_on(study, study.datasets[0], study.plan)
    by = f"{study.metric.title} ({prose.scored(study)}{trained})"
    hidden = any(line.ci for line in ranked) and not any(
        shown_interval(study, one) for one in ranked
    )
    parts = [f"Ranked by {by}.", "" if hidden else interval_note(study), prose.over_runs(study)]
    if baselines(study, study.metric.name):
        answer = "the mean, or by metrics that are no mean squared error or deviance the median"
        if not study.experiment.task.numbers:
            answer = "the best class by the metric, with the class shares as probabilities"
        parts.append(
            f"The baseline predicts one answer for every row, {answer}; it is chosen by the "
            "training rows, or by the test rows where no training rows are known."
        )
    parts += [f"{study.label(m)} is left out: {why}." for m, why in study.excluded.items()]
    for dataset, notes in study.notes.items():
        where = f"{study.dataset_label(dataset)}, " if study.several else ""
        parts += [f"{where}{clean(said)}" for said in notes]
    return " ".join(filter(None, parts))


def _baseline_scores(study: Study) -> dict[str, float]:
    """Return the mean score of the baseline by each metric that has one everywhere."""
    scored = {name: baselines(study, name) for name in study.experiment.metrics}
    return {
        name: math.fsum(one.score for one in each) / len(each)
        for name, each in scored.items()
        if len(each) == len(study.datasets) and study.averages(name)
    }


def _baseline_row(study: Study) -> Cell:
    answer = baselines(study, study.metric.name)[0].answer
    return Cell(f"(baseline{'' if study.several else f': {clean(answer)}'})")


def _may_be_best(design: StudyDesign) -> bool:
    """Show it for a few test sets of three models or more: of two, the test of the pair says it."""
    few = len(design.datasets) <= MOST_DATASETS and len(design.models) > 2
    known = design.has_rows and has_test(design.experiment.metrics[0])
    return few and (known or (design.experiment.by_values and not design.has_runs))


@table(Section.PAIRS, 5, "Which models may be the best, on the held-out rows", when=_may_be_best)
def best(study: Study) -> Table:
    """A model is excluded from the models that may be the best if a pairwise test shows another
    model to be better and it is also outside the confidence set for the best model (Hsu 1984); p is
    the larger of the two p-values. Models of one group (same letter) are not shown to differ by the
    pairwise tests.
    """
    by_dataset = may_be_best(study, study.metric.name)
    rows = [
        {
            "dataset": name,
            "model": line.model,
            "stays": Cell("yes" if line.stays else "no", tone="" if line.stays else "bad"),
            "p": line.pvalue,
            "tier": line.tier,
        }
        for name, each in by_dataset.items()
        for line in each.models
    ]
    columns = (
        DATASET,
        MODEL,
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
        (design.has_rows or (design.has_runs and not design.experiment.by_values))
        and any(map(has_interval, design.experiment.metrics))
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
    for _, own in study.intervals.groupby(["dataset", "metric"], sort=False):
        for line in sorted(own.to_dict("records"), key=lambda line: place[line["model"]]):
            status, said = str(line["status"]), clean(str(line["note"])) if line["note"] else ""
            note = Cell(said, tone="open" if said else "")
            if status != Status.OK:
                why = said or prose.WHY_UNDECIDED.get(status, status.replace("_", " "))
                lacks = isinstance(line["estimate"], float) and math.isnan(line["estimate"])
                note = Cell(f"{'no score' if lacks else 'no interval'}: {why}", tone="bad")
            rows.append(line | {"ci_low": (line["ci_low"], line["ci_high"]), "note": note})
    columns = (
        DATASET,
        METRIC,
        MODEL,
        Column("estimate", "Score", SCORE),
        Column("se", "SE", SCORE),
        Column("ci_low", _level(study), INTERVAL),
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
    columns = (DATASET, *(Column(m, study.label(m), SCORE, "model") for m in ordered))
    rows = (
        {"dataset": str(name)} | {m: Best(float(own[m]), bool(top[m])) for m in ordered}
        for (name, own), (_, top) in zip(means.iterrows(), first.iterrows(), strict=True)
    )
    note = (
        f"{capital(study.metric.title)}, {prose.scored(study)}. score_matrix.csv has the other "
        "metrics and plans."
    )
    return Table(columns, rows, note)


@table(
    Section.FITS,
    20,
    "Choices made in training",
    when=lambda design: any(model.chooses for model in design.experiment.fitted.values()),
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
        | {"parameter": clean(str(key[-1])), "fits": len(own), "values": _counted(own["value"])}
        for key, own in (study.choices.groupby(by, sort=False) if len(study.choices) else ())
    ]
    columns = (
        DATASET,
        MODEL,
        PLAN,
        Column("parameter", "Parameter"),
        Column("fits", "Fits", COUNT),
        Column("values", "Values"),
    )
    return Table(columns, rows, "choices.csv lists every fit.")


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

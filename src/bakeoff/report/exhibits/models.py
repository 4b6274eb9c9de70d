"""The models: their scores, ranks and intervals by every metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons.choose import enough_datasets
from bakeoff.comparisons.settings import has_interval, has_test
from bakeoff.report import drawing, prose, tables
from bakeoff.report.baseline import baselines, named_alike
from bakeoff.report.drawing import MOST_DRAWN, Colour, message, name_of
from bakeoff.report.exhibit import MOST_DATASETS, Drawing, Section, figure, table
from bakeoff.report.numbers import (
    capital,
    clean,
    count,
    fixed,
    letters_for,
    percent,
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
    standings,
)
from bakeoff.report.study import BESIDE, Study
from bakeoff.report.tables import SCORE, Best, Cell, Column, Kind, Table
from bakeoff.report.written import Written
from bakeoff.scores import Metric
from bakeoff.stats import Status

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_LINES = 120
"""With more folds, lines between scores would be a grey cloud."""
MOST_DOTS = 3_000
"""So they would be with more scores."""
MOST_MARKS = 1_000
"""With more scores the dots are one picture, which is smaller than so many marks."""
RANK = tables.numbers(lambda rank: fixed(rank, 2))
RANK_INTERVAL = Written(decimals=2)
RANKS = Kind(lambda study, ends: Cell(RANK_INTERVAL.interval(*ends), ends[0], high=ends[1]))
"""An interval of average ranks."""


# --- the answer: the models in order


@table(Section.ANSWER, 10, "Models, ranked")
def models(study: Study) -> Table:
    """The tests, not overlapping intervals, show whether two models differ."""
    ranked = ranking(study)
    averaged = study.averages(study.metric.name)
    rank_intervals = _rank_intervals(study, ranked)
    rows: list[dict[str, Any]] = []
    for line in ranked:
        row: dict[str, Any] = {"rank": line.rank, "model": line.model, "wins": line.wins}
        if rank_intervals:
            row["rank_low"] = rank_intervals[line.model]
        if averaged:
            row["mean"] = line.mean
            ci = shown_interval(study, line)
            # one interval is enough, that of the rank where there is one
            if ci and not rank_intervals:
                row["ci_low"] = ci
        rows.append(row)
    if averaged:
        _mark_best(rows, "mean", study.metric)
    if rows:
        rows += _baseline_rows(study, {"mean": study.metric.name})
    title = capital(study.metric.title)
    if _repeated(study, ranked):
        title += ", mean"
    level = f"{percent(1 - study.alpha)} CI"
    columns = [
        tables.MODEL,
        Column("rank", "Average rank", RANK, several=True),
        Column("rank_low", level, RANKS),
        Column("mean", title, SCORE),
        Column("ci_low", level, tables.INTERVAL),
        Column("wins", "Times first", tables.COUNT, several=True),
    ]
    how = f"The {len(ranked)} models are ranked by {_scores_that_rank(study)}."
    caption = f"{how} {_kind_of_interval(study, ranked)}".rstrip()
    return Table(columns, rows, _note_of_models(study, ranked), caption=caption)


def _rank_intervals(study: Study, ranked: Sequence[Ranked]) -> dict[str, tuple[float, float]]:
    """Return the interval of each average rank over data sets; none where these are too few."""
    if not study.several or study.units < enough_datasets(study.analysis):
        return {}
    by_model = {standing.model: standing for standing in standings(study)}
    intervals = {}
    for line in ranked:
        standing = by_model.get(line.model)
        # what is missing may leave data sets out of one of the two ranks
        if standing is None or not math.isclose(standing.average_rank, line.rank):
            return {}
        # of k models one that beats the share w of the others has the rank k − (k − 1) w
        n_others = len(by_model) - 1
        low, high = standing.win_rate_ci
        if not math.isfinite(low + high):
            return {}
        intervals[line.model] = (1 + n_others * (1 - high), 1 + n_others * (1 - low))
    return intervals


def _repeated(study: Study, ranked: Sequence[Ranked]) -> bool:
    """Tell whether scores are means: over folds or over data sets."""
    return study.several or any(line.n > 1 for line in ranked)


def _mark_best(rows: list[dict[str, Any]], column: str, metric: Metric) -> None:
    """Set the best scores of a column in bold."""
    marked = []
    for row in rows:
        if column in row:
            marked.append(row)
    find = min
    if metric.greater_is_better:
        find = max
    best = find((row[column] for row in marked), default=math.nan)
    # models that are equally good are all the best
    for row in marked:
        row[column] = Best(row[column], row[column] == best)


def _baseline_rows(study: Study, metrics: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return a row for each constant prediction that is the baseline of a metric, by columns."""
    row_by_name = dict[str, dict[str, Any]]()
    for column, metric in metrics.items():
        constants = baselines(study, metric)
        # a mean over some of the data sets compares with no mean of the models
        if len(constants) < len(study.datasets) or not study.averages(metric):
            continue
        scores = []
        for constant in constants:
            if column == "holdout":
                scores.append(constant.holdout)
            else:
                scores.append(constant.score)
        name = named_alike(constants)
        label = "(baseline)"
        if name:
            label = f"(baseline: {name})"
        # metrics with the same constant prediction share a row
        row = row_by_name.setdefault(name, {"model": Cell(label)})
        row[column] = math.fsum(scores) / len(scores)
    return list(row_by_name.values())


# --- the note below the table of models


def _note_of_models(study: Study, ranked: Sequence[Ranked]) -> str:
    """Say how models were ranked, and what is odd about their scores."""
    texts = [f"The models are ranked by {_scores_that_rank(study)}."]
    texts.append(_kind_of_interval(study, ranked))
    if not study.several:
        texts += _cautions_of_intervals(study, ranked)
    texts.append(prose.over_runs(study))
    for done, names in preparations(study).items():
        if done:
            texts.append(prose.prepared(done, names))
    if baselines(study, study.metric.name):
        texts.append(_what_a_baseline_is(study))
    for model, why in study.excluded.items():
        texts.append(f"{study.label(model)} is left out: {why}.")
    for dataset, notes in study.notes.items():
        where = ""
        if study.several:
            where = f"{study.dataset_label(dataset)}, "
        for note in notes:
            texts.append(f"{where}{clean(note)}")
    return " ".join(filter(None, texts))


def _scores_that_rank(study: Study) -> str:
    """Name the scores that models are ranked by."""
    trained = ""
    if not study.several:
        trained = prose.trained_on(study, study.datasets[0], study.plan)
    return f"{study.metric.title} ({prose.scored(study)}{trained})"


def _kind_of_interval(study: Study, ranked: Sequence[Ranked]) -> str:
    """Say what the intervals are about; empty where all say too little to be shown."""
    if _rank_intervals(study, ranked):
        return (
            f"Intervals are {percent(1 - study.alpha)} intervals of the average rank over data "
            "sets (Wilson's of the share of the other models that a model beats, with the quantile "
            "of t)."
        )
    if any(line.ci for line in ranked) and not any(shown_interval(study, line) for line in ranked):
        return ""
    level = percent(1 - study.alpha)
    if study.several:
        return f"Intervals are {level} t intervals of the mean over data sets."
    dataset = study.datasets[0]
    # one score of each model: a single test set
    if len(study.values[study.metric.name, study.plan].get(dataset, ())) < 2:
        return f"Intervals are {level} confidence intervals of the score on the test rows."
    of_expected_score = f"Intervals are {level} confidence intervals of the expected score"
    if any(_lines_over_folds(study, ranked)):
        return (
            f"{of_expected_score} of the algorithm, trained on as many rows as here, on new rows "
            "of this population. They are computed from the tested rows and the training rows "
            "(bakeoff's own form, chosen by simulation)."
        )
    if study.plan == "halves":
        return f"{of_expected_score}, from the differences between the halves."
    if study.sizes(dataset, study.plan) is None:
        return (
            "There are no intervals, because the scores were given without the sizes of their "
            "training and test parts."
        )
    return (
        f"{of_expected_score}, corrected for the overlap of the training sets (Nadeau and Bengio)."
    )


def _lines_over_folds(study: Study, ranked: Iterable[Ranked]) -> list[Mapping[str, Any]]:
    """Return what the rows of folds say of each ranked model, where they say it."""
    lines = []
    for row in ranked:
        key = (study.datasets[0], study.plan, study.metric.name, row.model)
        if key in study.over_folds:
            lines.append(study.over_folds[key])
    return lines


def _cautions_of_intervals(study: Study, ranked: Iterable[Ranked]) -> list[str]:
    """Say of which models the interval over folds may miss too often, and why."""
    names_by_note: dict[str, list[str]] = {}
    for line in _lines_over_folds(study, ranked):
        if line["note"]:
            names_by_note.setdefault(clean(str(line["note"])), []).append(line["model"])
    sentences = []
    for note, names in names_by_note.items():
        sentences.append(f"Caution: {study.names(names)}: {note}.")
    return sentences


def _what_a_baseline_is(study: Study) -> str:
    """Say what is predicted without a model."""
    predicted = "one class for every row, or the class shares as probabilities"
    if study.analysis.task.numbers:
        predicted = "the mean by mean squared errors and deviances, else the median"
    return (
        f"The baseline of a metric is the best constant prediction by this metric, {predicted}; "
        "it is chosen by the training rows, or by the test rows where no training rows are known."
    )


# --- which models may be the best


def _may_be_best(design: Study) -> bool:
    """Show it for a few test sets of three models or more: of two, the test of the pair says it."""
    few = len(design.datasets) <= MOST_DATASETS and len(design.models) > 2
    if design.analysis.tasks is not None:  # its tests are of the mean over rows
        return False
    by_test = design.has_rows and has_test(design.analysis.metrics[0])
    return few and (by_test or (design.analysis.by_values and not design.has_runs))


@table(Section.PAIRS, 5, "Which models may be the best, on the held-out rows", when=_may_be_best)
def best(study: Study) -> Table:
    """A model is excluded from the models that may be the best if a pairwise test shows another
    model to be better and it is also outside the confidence set for the best model (Hsu 1984); p is
    the larger of the two p-values. Models of one group (same letter) are not shown to differ by the
    pairwise tests.
    """
    rows = []
    notes = list[str]()
    for dataset, contenders in may_be_best(study, study.metric.name).items():
        notes += cautions(study, contenders)
        for line in contenders.models:
            row = {
                "dataset": dataset,
                "model": line.model,
                "stays": Cell("yes") if line.stays else Cell("no", tone="bad"),
                "p": line.pvalue,
                "tier": line.tier,
            }
            rows.append(row)
    columns = [
        tables.DATASET,
        tables.MODEL,
        Column("stays", "May be the best"),
        Column("p", "p", tables.P),
        Column("tier", "Group"),
    ]
    caption = (
        "The table lists which models may be the best on the held-out rows (Hsu 1984), at the "
        f"level of {percent(study.alpha)}. p is the larger of the p-values of the pairwise tests "
        "and of the confidence set for the best model. Models of one group (same letter) are not "
        "shown to differ by the pairwise tests."
    )
    return Table(columns, rows, " ".join(notes), caption=caption)


# --- every metric


def _has_more_than_models(design: Study) -> bool:
    """Show it where there is more to tell than the table of models does."""
    if design.several or len(design.analysis.metrics) > 1:
        return True
    # several scores of a model have a spread, which the table of models does not show
    plans = design.analysis.plans.values()
    return any(len(plan.splits()) > 1 for plan in plans)


@table(Section.METRICS, 10, "Every metric", when=_has_more_than_models)
def metrics(study: Study) -> Table:
    """Scores are means by every metric, and intervals are t intervals of the mean over data sets.
    The standard deviation describes the spread of single scores; it is not a standard error,
    because folds share training rows.
    """
    ranked = ranking(study)
    others = []
    for metric in study.analysis.metrics[1:]:
        if study.averages(metric):
            others.append(metric)
    held_out = _means_on_held_out_rows(study, ranked)
    rows = _spreads(study, ranked)
    _add_means(rows, "mean_", study, others)
    # of halves and of all rows, the scores that models are not ranked by
    if study.plan == "halves":
        beside = dataset_means(study, study.metric.name, BESIDE).mean()
        for row in rows:
            row["beside"] = float(beside[row["model"]])
    if held_out:
        for row in rows:
            row["holdout"] = held_out[row["model"]]
    metric_by_column = {}
    for metric in others:
        metric_by_column[f"mean_{metric}"] = metric
    if held_out:
        metric_by_column["holdout"] = study.metric.name
    for column, metric in metric_by_column.items():
        _mark_best(rows, column, study.metrics[metric])
    if rows:
        rows += _baseline_rows(study, metric_by_column)
    return Table(_columns_of_metrics(study, others, bool(held_out) or not rows), rows)


def _spreads(study: Study, ranked: Sequence[Ranked]) -> list[dict[str, Any]]:
    """Return a row for each model: how many scores it has, their spread, perhaps an interval."""
    # the table of models has the interval of the mean, unless that of the rank stands there
    with_intervals = bool(_rank_intervals(study, ranked))
    averaged = study.averages(study.metric.name)
    repeated = _repeated(study, ranked)
    rows = []
    for line in ranked:
        row: dict[str, Any] = {"model": line.model}
        if repeated:
            row["n"] = line.n
        if repeated and averaged:
            row["sd"] = line.sd
            ci = shown_interval(study, line)
            if ci and with_intervals:
                row["ci_low"] = ci
        rows.append(row)
    return rows


def _add_means(
    rows: Sequence[dict[str, Any]], prefix: str, study: Study, metrics: Sequence[str]
) -> None:
    """Add the mean score of each model by each of some metrics to its row."""
    for metric in metrics:
        means = dataset_means(study, metric, study.plan).mean()
        for row in rows:
            row[f"{prefix}{metric}"] = float(means[row["model"]])


def _means_on_held_out_rows(study: Study, ranked: Sequence[Ranked]) -> dict[str, float]:
    """Return mean scores on held-out rows, where models are ranked by others; else nothing."""
    if study.plan == "holdout" or not study.averages(study.metric.name):
        return {}
    scores = dataset_means(study, study.metric.name, "holdout")
    means = {}
    for line in ranked:
        if line.model in scores:
            means[line.model] = float(scores[line.model].mean())
    if all(map(math.isnan, means.values())):
        return {}
    return means


def _columns_of_metrics(study: Study, others: Sequence[str], held_out: bool) -> list[Column]:
    """Return the columns of the table of every metric."""
    title = capital(study.metric.title)
    over = "folds"
    if study.several:
        over = "data sets"
    columns = [tables.MODEL]
    for metric in others:
        name = capital(study.metrics[metric].title)
        columns.append(Column(f"mean_{metric}", name, SCORE, metric=metric))
    columns += [
        Column("ci_low", f"{title}, {percent(1 - study.alpha)} CI", tables.INTERVAL),
        Column("sd", f"{title}, SD over {over}", SCORE),
        Column("n", capital(over), tables.COUNT),
        Column("beside", capital(prose.HALVES[not study.by_full]), SCORE),
    ]
    if held_out:
        columns.append(Column("holdout", f"{title} on held-out rows", SCORE))
    return columns


@table(Section.METRICS, 15, "Mean scores by data set", when=lambda design: design.several)
def datasets(study: Study) -> Table:
    """The table has the mean score of each model on each data set. The best score of a data set is
    in bold, and a dash marks a missing score.
    """
    ordered = order(study)
    means = dataset_means(study, study.metric.name, study.plan).reindex(columns=ordered)
    ranks = ranks_of(means, study.metric)
    is_best = ranks.eq(ranks.min(axis=1), axis=0)
    of_models = []
    for model in ordered:
        of_models.append(Column(model, study.label(model), SCORE, "model"))
    rows = []
    for dataset in means.index:
        row: dict[str, Any] = {"dataset": str(dataset)}
        for column in of_models:
            score = float(means.loc[dataset, column.key])
            row[column.place] = Best(score, bool(is_best.loc[dataset, column.key]))
        rows.append(row)
    note = (
        f"The scores are of {study.metric.title} ({prose.scored(study)}). score_matrix.csv has the "
        "other metrics and plans."
    )
    return Table([tables.DATASET, *of_models], rows, note)


def _has_intervals(design: Study) -> bool:
    """Show it for a few test sets with predictions of rows."""
    of_rows = design.has_rows or (design.has_runs and not design.analysis.by_values)
    few = len(design.datasets) <= MOST_DATASETS
    return of_rows and few and any(map(has_interval, design.analysis.metrics))


@table(Section.METRICS, 30, "Every metric on the held-out rows", when=_has_intervals)
def intervals(study: Study) -> Table:
    """The table has every metric of every model on the held-out rows, with its standard error and
    confidence interval. The standard errors of metrics of right and wrong rows include pseudo-rows;
    shares of a single fit have Wilson intervals. Overlapping intervals do not mean that two models
    do not differ.
    """
    place = {model: i for i, model in enumerate(order(study))}
    rows = []
    for _, part in study.intervals.groupby(["dataset", "metric"], sort=False):
        lines: list[dict[Any, Any]] = part.to_dict("records")
        for line in sorted(lines, key=lambda line: place[line["model"]]):
            ends = (line["ci_low"], line["ci_high"])
            rows.append(line | {"ci_low": ends, "note": _note_of_interval(line)})
    columns = [
        tables.DATASET,
        tables.METRIC,
        tables.MODEL,
        Column("estimate", "Score", SCORE),
        Column("se", "SE", SCORE),
        Column("ci_low", f"{percent(1 - study.alpha)} CI", tables.INTERVAL),
        Column("note", "Caution"),
    ]
    return Table(columns, rows, prose.over_runs(study))


def _note_of_interval(line: Mapping[Any, Any]) -> Cell:
    """Say why there is no interval, or what speaks against it."""
    note = ""
    if line["note"]:
        note = clean(str(line["note"]))
    status = str(line["status"])
    if status == Status.OK:
        return Cell(note, tone="open" if note else "")
    why = note or prose.WHY_UNDECIDED.get(status, status.replace("_", " "))
    estimate = line["estimate"]
    if isinstance(estimate, float) and math.isnan(estimate):
        return Cell(f"no score: {why}", tone="bad")
    return Cell(f"no interval: {why}", tone="bad")


# --- single scores


@figure(
    Section.MODELS,
    10,
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
    means = dataset_means(study, study.metric.name, study.plan)
    # a dot is a fold of the only data set, or a data set: folds of several ones have no mean
    scored = means
    if len(means) == 1:
        scored = study.values[study.metric.name, study.plan][str(means.index[0])]
    models = [line.model for line in ranked]
    values = scored[models].to_numpy()
    names = list(map(study.label, models))
    letters = letters_for(names)
    labels = []
    for name in names:
        labels.append(name_of(name, letters))
    drawn, axes = drawing.panel(labels, row=0.34 if len(ranked) < 16 else 0.27)

    dotted = len(values) > 1
    joined = dotted and len(values) <= MOST_LINES and values.size <= MOST_DOTS
    if joined:
        for row in values:
            axes.plot(
                row, range(len(ranked)), color=Colour.SOFT, linewidth=0.6, alpha=0.6, zorder=1
            )
    for place, line in enumerate(ranked):
        _draw_scores(
            axes, study, line, place, values[:, place], as_picture=values.size > MOST_MARKS
        )
    axes.set_ylim(len(labels) - 0.35, -0.5)
    drawing.grid(axes)
    axes.set_xlabel(_axis_of_scores(study, several=len(means) > 1, dotted=dotted))
    legend = prose.over_runs(study)
    if dotted:
        legend = _legend_of_scores(several=len(means) > 1, joined=joined)
    alt = _text_of_scores(study, ranked, len(values), several=len(means) > 1)
    data = _numbers_of_scores(study, ranked)
    if dotted:
        data += _single_scores(study, scored, models, several=len(means) > 1)
    return Drawing(drawn, alt, legend, drawing.best_of(ranked, every), data)


def _numbers_of_scores(study: Study, ranked: Sequence[Ranked]) -> list[dict[str, Any]]:
    """Return the plotted means with the ends of their intervals."""
    rows = []
    for line in ranked:
        row = {"mark": "mean", "model": study.label(line.model), "score": line.mean}
        ci = shown_interval(study, line)
        if ci:
            row["ci_low"] = ci.low
            row["ci_high"] = ci.high
        rows.append(row)
    return rows


def _single_scores(
    study: Study, scored: pd.DataFrame, models: Sequence[str], *, several: bool
) -> list[dict[str, Any]]:
    """Return the plotted scores on single data sets or folds, with what they are of."""
    rows = []
    for model in models:
        for unit, score in scored[model].items():
            row: dict[str, Any] = {"mark": "score", "model": study.label(model), "score": score}
            if several:
                row["dataset"] = study.dataset_label(str(unit))
            else:
                names = map(str, scored.index.names)
                row |= dict(zip(names, cast("tuple[int, ...]", unit), strict=True))
            rows.append(row)
    return rows


def _draw_scores(
    axes: Axes,
    study: Study,
    line: Ranked,
    place: int,
    values: NDArray[np.float64],
    *,
    as_picture: bool,
) -> None:
    """Draw the scores of a model, and its mean with the interval: below them, if there are many."""
    colour = Colour.MUTED
    if place == 0:
        colour = Colour.BLUE
    # the mean stands below the single scores, which would hide it
    mean_place = float(place)
    if len(values) > 1:
        mean_place += 0.26
        axes.plot(
            values,
            [place] * len(values),
            "o",
            markersize=3.6,
            color=colour,
            alpha=0.6,
            markeredgewidth=0,
            rasterized=as_picture,
        )
    ci = shown_interval(study, line)
    if ci:
        axes.plot(list(ci), [mean_place] * 2, color=colour, linewidth=1.4, zorder=3)
    axes.plot(line.mean, mean_place, "D", markersize=4.2, color=Colour.INK, zorder=4)


def _axis_of_scores(study: Study, *, several: bool, dotted: bool) -> str:
    """Say what the axis of single scores has, and in which direction they are better."""
    where = "on the test rows"
    if dotted:
        where = "on a fold"
    if several:
        where = "mean on a data set"
    better = "lower"
    if study.metric.greater_is_better:
        better = "higher"
    return f"{study.written().label} {where} ({better} is better)"


def _legend_of_scores(*, several: bool, joined: bool) -> str:
    """Say what the dots and the lines between them are."""
    legend = "Each dot is the score on one fold"
    if several:
        legend = "Each dot is the mean on one data set"
    if joined:
        legend += "; thin lines join scores on the same rows"
    return f"{legend}."


def _text_of_scores(study: Study, ranked: Sequence[Ranked], n_scores: int, *, several: bool) -> str:
    """Say the means of the first and the last model for who cannot see the figure."""
    scored = count(n_scores, "data set" if several else "fold")
    ends = []
    for line in (ranked[0], ranked[-1]):
        ends.append(f"{study.label(line.model)} (mean {study.written().quantity(line.mean)})")
    of_models = f"{capital(study.metric.title)} of {len(ranked)} models on {scored}"
    return f"{of_models}, from {ends[0]} to {ends[1]}."

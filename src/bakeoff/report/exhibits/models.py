"""The models, ranked."""

from __future__ import annotations

import math

from bakeoff.report import prose
from bakeoff.report.baseline import baselines
from bakeoff.report.cells import capital, ci_cell, count_cell, score_cell
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import fixed, number, percent
from bakeoff.report.ranking import (
    Ranked,
    dataset_means,
    interval_note,
    ranking,
)
from bakeoff.report.study import BESIDE, Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.scores.metrics import POINTS


def build(item: Item, study: Study) -> PageTable:
    """Rank the models."""
    ranked = ranking(study)
    several = len(study.datasets) > 1
    repeated = several or any(line.n > 1 for line in ranked)
    held = study.plan != "holdout" and any(not math.isnan(line.holdout) for line in ranked)
    pick = max if study.metric.greater_is_better else min
    top = pick((line.mean for line in ranked), default=math.nan)
    top_held = pick((line.holdout for line in ranked), default=math.nan)
    beside = dataset_means(study, study.metric.name, BESIDE).mean()
    other = study.experiment.metrics[1:]
    means = {m: dataset_means(study, m, study.plan).mean() for m in other}
    title = capital(study.metric.title)
    columns = (
        Column("rank", "Average rank" if several else "Rank", True),
        Column("model", "Model"),
        Column("mean", f"{title}, mean" if repeated else title, True),
        Column("sd", "SD over data sets" if several else "SD over folds", True),
        Column("ci_low", f"{percent(1 - study.alpha)} CI", True),
        Column("n", "Data sets" if several else "Folds", True),
        Column("beside", capital(prose.HALVES[not study.by_full]), True),
        Column("holdout", "On held-out rows", True),
        Column("wins", "Times first", True),
        *(Column(f"mean_{m}", capital(study.metrics[m].title), True) for m in other),
    )

    def cells(line: Ranked) -> dict[str, Cell]:
        found = {
            "rank": Cell(fixed(line.rank, 2) if several else number(line.rank), line.rank),
            "model": text(study.label(line.model)),
            "mean": score_cell(line.mean, line.mean == top),
            "ci_low": ci_cell(*line.ci) if line.ci else ci_cell(math.nan, math.nan),
        }
        if repeated:
            found |= {"sd": score_cell(line.sd), "n": count_cell(line.n)}
        if study.plan == "halves":
            found["beside"] = score_cell(float(beside[line.model]))
        if held:
            found["holdout"] = score_cell(line.holdout, line.holdout == top_held)
        if several:
            found["wins"] = count_cell(line.wins)
        for m in other:
            values = means[m]
            best = values.max() if study.metrics[m].greater_is_better else values.min()
            value = float(values[line.model])
            found[f"mean_{m}"] = score_cell(value, value == best)
        return found

    note = (
        f"Ranked by {study.metric.title}, {prose.scored(study)}; {interval_note(study)}. "
        "Intervals of models overlap or not for many reasons: whether two models differ is "
        "answered by the tests, not by this table."
    )
    if study.metric.unit == POINTS and any(
        line.ci and not 0 <= line.ci.low <= line.ci.high <= 1 for line in ranked
    ):
        note += " A limit beyond 0 or 1 says that so near the end the interval is a rough one."
    if found := baselines(study, study.metric.name):
        rows_of = "training" if all(one.trained for one in found) else "tested"
        dummy = ", as scikit-learn's DummyClassifier gives" if study.experiment.fitted else ""
        note += (
            f" The constant answer is the most frequent class of the {rows_of} rows, by costs "
            f"the cheapest one, with the shares of the classes as probabilities{dummy}."
        )
    left_out = "".join(
        f" {study.label(m)} is left out: {why}." for m, why in study.excluded.items()
    )
    odd = "".join(
        f" {study.dataset_label(dataset) + ', ' if several else ''}{clean(said)}"
        for dataset, notes in study.notes.items()
        for said in notes
    )
    rows = [cells(line) for line in ranked]
    if rows and (constant := _constant(study, held)):
        rows.append(constant)
    return tabulate(item, columns, rows, note + left_out + odd)


def _constant(study: Study, held: bool) -> dict[str, Cell]:
    """Score the constant answer as a row below the models; over data sets the means."""
    by_metric = {}
    for name in study.experiment.metrics:
        found = baselines(study, name)
        if len(found) == len(study.datasets):
            by_metric[name] = found
    first = by_metric.get(study.metric.name)
    if first is None:
        return {}
    several = len(study.datasets) > 1
    answer = "" if several else f": {clean(first[0].answer)}"
    means = {m: sum(one.score for one in own) / len(own) for m, own in by_metric.items()}
    row = {
        "model": text(f"(constant answer{answer})"),
        "mean": score_cell(means.pop(study.metric.name)),
    }
    if held:
        row["holdout"] = score_cell(sum(one.holdout for one in first) / len(first))
    return row | {f"mean_{m}": score_cell(mean) for m, mean in means.items()}


EXHIBIT = TableExhibit(
    section=Section.MODELS,
    place=20,
    title="Models, ranked",
    caption="The models ranked by the first metric: mean, standard deviation, confidence interval "
    "of the expected score, score on the held-out rows; below them what a constant answer "
    "scores. The standard deviation describes the spread of single scores; it is no standard "
    "error, for folds share training rows.",
    build=build,
)

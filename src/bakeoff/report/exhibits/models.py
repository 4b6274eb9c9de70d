"""The models, ranked, against a constant answer, and which of them may be the best."""

from __future__ import annotations

import math
from typing import Any

from bakeoff.comparisons.evidence import has_test
from bakeoff.report import cells, prose
from bakeoff.report.baseline import baselines
from bakeoff.report.exhibit import MOST_DATASETS, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.may_be_best import cautions, may_be_best
from bakeoff.report.numbers import capital, fixed, percent
from bakeoff.report.ranking import Ranked, dataset_means, interval_note, ranking
from bakeoff.report.study import BESIDE, Study
from bakeoff.report.study_design import StudyDesign, clean
from bakeoff.report.tables import Cell, Column, Kind, PageTable, tabulate
from bakeoff.scores.metrics import POINTS

RANK = Kind(lambda study, rank: Cell(fixed(rank, 2), rank))


def build_models(item: Item, study: Study) -> PageTable:
    """Rank the models."""
    ranked = ranking(study)
    several = study.several
    repeated = several or any(line.n > 1 for line in ranked)
    averaged = study.averages(study.metric.name)
    known = any(not math.isnan(line.holdout) for line in ranked)
    held = averaged and study.plan != "holdout" and known
    pick = max if study.metric.greater_is_better else min
    top = pick((line.mean for line in ranked), default=math.nan)
    top_held = pick((line.holdout for line in ranked), default=math.nan)
    beside = dataset_means(study, study.metric.name, BESIDE).mean()
    other = [m for m in study.experiment.metrics[1:] if study.averages(m)]
    means = {m: dataset_means(study, m, study.plan).mean() for m in other}
    best = {
        m: values.max() if study.metrics[m].greater_is_better else values.min()
        for m, values in means.items()
    }
    title = capital(study.metric.title)
    columns = (
        Column("rank", "Average rank", RANK) if several else Column("rank", "Rank", cells.NUMBER),
        cells.MODEL,
        Column("mean", f"{title}, mean" if repeated else title, cells.SCORE),
        Column("sd", "SD over data sets" if several else "SD over folds", cells.SCORE),
        Column("ci_low", f"{percent(1 - study.alpha)} CI", cells.INTERVAL),
        Column("n", "Data sets" if several else "Folds", cells.COUNT),
        Column("beside", capital(prose.HALVES[not study.by_full]), cells.SCORE),
        Column("holdout", "On held-out rows", cells.SCORE),
        Column("wins", "Times first", cells.COUNT, several=True),
        *(
            Column(f"mean_{m}", capital(study.metrics[m].title), cells.SCORE, metric=m)
            for m in other
        ),
    )

    def values(line: Ranked) -> dict[str, Any]:
        found: dict[str, Any] = {"rank": line.rank, "model": line.model, "wins": line.wins}
        if averaged:
            found |= {"mean": cells.Best(line.mean, line.mean == top), "ci_low": line.ci}
        if repeated:
            found |= {"sd": line.sd, "n": line.n} if averaged else {"n": line.n}
        if study.plan == "halves":
            found["beside"] = float(beside[line.model])
        if held:
            found["holdout"] = cells.Best(line.holdout, line.holdout == top_held)
        own = {m: float(means[m][line.model]) for m in other}
        return found | {f"mean_{m}": cells.Best(own[m], own[m] == best[m]) for m in other}

    rows = [values(line) for line in ranked]
    if rows and (constant := _constant(study, held)):
        rows.append(constant)
    return tabulate(item, study, columns, rows, _models_note(study, ranked))


def _models_note(study: Study, ranked: list[Ranked]) -> str:
    """Say how models were ranked, and what is odd about their scores."""
    parts = [f"Ranked by {study.metric.title} ({prose.scored(study)}). {interval_note(study)}"]
    parts += filter(None, [prose.over_runs(study)])
    shares = study.metric.unit == POINTS
    if shares and any(line.ci and not 0 <= line.ci.low <= line.ci.high <= 1 for line in ranked):
        parts.append("An interval that reaches beyond 0 or 1 is a rough approximation.")
    if found := baselines(study, study.metric.name):
        rows_of = "training" if all(one.trained for one in found) else "test"
        parts.append(_meaning(study, rows_of))
    parts += [f"{study.label(m)} is left out: {why}." for m, why in study.excluded.items()]
    for dataset, notes in study.notes.items():
        where = f"{study.dataset_label(dataset)}, " if study.several else ""
        parts += [f"{where}{clean(said)}" for said in notes]
    return " ".join(parts)


def _meaning(study: Study, rows_of: str) -> str:
    """Say what the constant answer is."""
    if study.experiment.task.numbers:
        like = ", like scikit-learn's DummyRegressor" if study.experiment.fitted else ""
        return (
            f"The constant answer predicts the mean of the {rows_of} rows for every row; by "
            f"metrics that are no mean squared error or deviance, their median{like}."
        )
    like = ", like scikit-learn's DummyClassifier" if study.experiment.fitted else ""
    priced = len(study.experiment.without_costs) < len(study.datasets)
    cheapest = " (with costs: the cheapest class)" if priced else ""
    return (
        f"The constant answer predicts the most frequent class of the {rows_of} rows"
        f"{cheapest} for every row, with the class shares as probabilities{like}."
    )


def _constant(study: Study, held: bool) -> dict[str, Any]:
    """Score the constant answer as a row below the models; over data sets the means."""
    found = {name: baselines(study, name) for name in study.experiment.metrics}
    by_metric = {name: own for name, own in found.items() if len(own) == len(study.datasets)}
    first = by_metric.get(study.metric.name)
    if first is None or not study.averages(study.metric.name):
        return {}
    answer = "" if study.several else f": {clean(first[0].answer)}"
    means = {
        m: math.fsum(one.score for one in own) / len(own)
        for m, own in by_metric.items()
        if study.averages(m)
    }
    row = {
        "model": Cell(f"(constant answer{answer})"),
        "mean": means.pop(study.metric.name),
    }
    if held:
        row["holdout"] = math.fsum(one.holdout for one in first) / len(first)
    return row | {f"mean_{m}": mean for m, mean in means.items()}


def _may_be_best(design: StudyDesign) -> bool:
    """Show it where several models have predictions of a few test sets."""
    experiment = design.experiment
    few = len(experiment.datasets) <= MOST_DATASETS and len(experiment.models) > 1
    known = design.has_rows and has_test(experiment.metrics[0])
    return few and (known or (experiment.by_values and not design.has_runs))


def build_best(item: Item, study: Study) -> PageTable:
    """List the models of each test set, best first."""
    found = may_be_best(study, study.metric.name)
    columns = (
        cells.DATASET,
        cells.MODEL,
        Column("value", capital(study.metric.title), cells.SCORE),
        Column("ci_low", f"{percent(1 - study.alpha)} CI", cells.INTERVAL),
        Column("stays", "May be the best"),
        Column("p", "p", cells.STARRED),
        Column("tier", "Group"),
    )
    rows = [
        {
            "dataset": name,
            "model": line.model,
            "value": line.value,
            "ci_low": line.ci or Cell("not known"),
            "stays": Cell("yes" if line.stays else "no", tone="" if line.stays else "bad"),
            "p": line.pvalue,
            "tier": line.tier,
        }
        for name, each in found.items()
        for line in each.models
    ]
    told = [text for each in found.values() for text in cautions(study, each)]
    return tabulate(item, study, columns, rows, " ".join(told))


EXHIBITS = {
    "models": TableExhibit(
        section=Section.MODELS,
        place=20,
        title="Models, ranked",
        caption="The standard deviation describes the spread of single scores; it is not a "
        "standard error, because folds share training rows. "
        "The tests, not overlapping intervals, show whether two models differ.",
        build=build_models,
    ),
    "best": TableExhibit(
        section=Section.MODELS,
        place=25,
        title="Which models may be the best, on the held-out rows",
        caption="A model is excluded from the models that may be the best if a pairwise test shows "
        "another model to be better and it is also outside the confidence set for the best model "
        "(Hsu 1984); p is the larger of the two p-values. Models of one group (same letter) are "
        "not shown to differ by the pairwise tests.",
        when=_may_be_best,
        build=build_best,
    ),
}

"""The models, ranked, against a constant answer, and which of them may be the best."""

from __future__ import annotations

import math

from bakeoff.comparisons.contenders import Contender
from bakeoff.comparisons.evidence import has_test
from bakeoff.report import prose
from bakeoff.report.baseline import Against, baselines
from bakeoff.report.cells import capital, ci_cell, count_cell, p_cell, score_cell, share
from bakeoff.report.exhibit import MOST_DATASETS, Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.may_be_best import may_be_best, worth_of_winner
from bakeoff.report.numbers import NONE, fixed, number, percent
from bakeoff.report.ranking import Ranked, dataset_means, interval_note, ranking
from bakeoff.report.study import BESIDE, Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.scores.metrics import POINTS


def build_models(item: Item, study: Study) -> PageTable:
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


def build_baseline(item: Item, study: Study) -> PageTable:
    """Give the constant answer's score, and each model's difference from it."""
    columns = (
        *((Column("dataset", "Data set"),) if len(study.datasets) > 1 else ()),
        Column("metric", "Metric"),
        Column("answer", "Constant answer"),
        Column("constant", "It scores", True),
        Column("model", "Model"),
        Column("difference", "Better by", True),
        Column("ci_low", f"{percent(1 - study.alpha)} CI", True),
        Column("pvalue", "p", True),
        Column("pvalue_adjusted", "Adjusted p", True),
        Column("decision", "Says"),
    )
    rows: list[dict[str, Cell]] = []
    untested = {column.key: text(NONE) for column in columns} | {"decision": text("not tested")}
    for metric in study.experiment.metrics:
        for one in baselines(study, metric):
            measure = study.metrics[metric]
            shares = measure.by_order
            known = {
                "metric": text(capital(measure.title)),
                "answer": text("class shares" if shares else clean(one.answer)),
                "constant": score_cell(one.score),
            }
            if len(study.datasets) > 1:
                known["dataset"] = text(study.dataset_label(one.dataset))
            for line in one.models:
                low, high = (line.ci.low, line.ci.high) if line.ci else (float("nan"),) * 2
                shown = {
                    "model": text(study.label(line.model)),
                    "difference": score_cell(line.difference),
                    "ci_low": ci_cell(low, high),
                    "pvalue": p_cell(line.pvalue, 0.0),
                    "pvalue_adjusted": p_cell(line.pvalue_adjusted, study.alpha),
                    "decision": _says(line, study.alpha),
                }
                rows.append(known | shown)
            if not one.models:
                rows.append(untested | known)
    note = (
        "How much better each model is than the same answer for every row; a positive difference "
        "is an advantage of the model, also by metrics of which less is better. On folds the "
        "corrected t test (Nadeau and Bengio), on held-out rows the t test of the metric's "
        "difference; Holm's correction for the models, none for metrics and data sets."
    )
    return tabulate(item, columns, rows, note)


def _says(line: Against, alpha: float) -> Cell:
    if line.better:
        return Cell("beats it", tone="good")
    worse = line.pvalue_adjusted <= alpha and line.difference < 0
    return Cell("worse than it", tone="bad") if worse else Cell("not shown to beat it", tone="open")


def _not_of_values(asked: Asked) -> bool:
    experiment = asked.experiment
    return not experiment.by_values and len(experiment.datasets) <= MOST_DATASETS


def _may_be_best(asked: Asked) -> bool:
    """Show it where several models have predictions of a few test sets."""
    experiment = asked.experiment
    few = len(experiment.datasets) <= MOST_DATASETS and len(experiment.models) > 1
    known = asked.rows and has_test(experiment.metrics[0])
    return few and (known or experiment.by_values)


def build_best(item: Item, study: Study) -> PageTable:
    """List the models of each test set, best first."""
    found = may_be_best(study, study.metric.name)
    title = capital(study.metric.title)
    columns = (
        *((Column("dataset", "Data set"),) if len(study.datasets) > 1 else ()),
        Column("model", "Model"),
        Column("value", title, True),
        Column("ci_low", f"{percent(1 - study.alpha)} CI", True),
        Column("stays", "May be the best"),
        Column("p", "p", True),
        Column("tier", "Tier"),
        Column("wins", "Would win", True),
    )
    rows = [
        {"dataset": text(study.dataset_label(name)), **_cells(line, study)}
        for name, each in found.items()
        for line in each.models
    ]
    told = (
        text
        for name, each in found.items()
        for text in worth_of_winner(study, study.metric, each, name)
    )
    return tabulate(item, columns, rows, " ".join([_BEST_NOTE, *told]))


_BEST_NOTE = (
    "A model may be the best unless a test of a pair shows another one to be better and it is "
    "outside the set that holds a best model with the confidence of the intervals (Hsu 1984): p is "
    "the larger one of both. Models that share a letter are not told apart by the tests of pairs. "
    "“Would win” is how often a model would score highest on other test sets of this size if the "
    "true scores were the ones found here: a description, not a test, nor the probability that the "
    "model is the best."
)


def _cells(line: Contender, study: Study) -> dict[str, Cell]:
    return {
        "model": text(study.label(line.model)),
        "value": score_cell(line.value),
        "ci_low": ci_cell(*line.ci) if line.ci else Cell("not known"),
        "stays": Cell("yes" if line.stays else "no", tone="" if line.stays else "bad"),
        "p": p_cell(line.pvalue, study.alpha),
        "tier": text(line.tier),
        "wins": Cell(share(line.wins, 0), line.wins),
    }


EXHIBITS = {
    "models": TableExhibit(
        section=Section.MODELS,
        place=20,
        title="Models, ranked",
        caption="The models ranked by the first metric: mean, standard deviation, confidence "
        "interval of the expected score, score on the held-out rows; below them what a constant "
        "answer scores. The standard deviation describes the spread of single scores; it is no "
        "standard error, for folds share training rows.",
        build=build_models,
    ),
    "baseline": TableExhibit(
        section=Section.MODELS,
        place=22,
        title="Against a constant answer",
        caption="What a constant answer scores: the most frequent class of the training rows with "
        "the shares of the classes as probabilities, by costs the cheapest class. For each model "
        "the difference from it, with a confidence interval and a test.",
        when=_not_of_values,
        folded="Every model against a constant answer",
        build=build_baseline,
    ),
    "best": TableExhibit(
        section=Section.MODELS,
        place=25,
        title="Which models may be the best, on the held-out rows",
        caption="The models that may be the best by the first metric, with the confidence of the "
        "intervals; tiers of models that no test tells apart; and the score of the best "
        "model, corrected for its selection.",
        when=_may_be_best,
        build=build_best,
    ),
}

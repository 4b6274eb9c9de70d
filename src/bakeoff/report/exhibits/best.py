"""Which models may be the best on the held-out rows, and what the winner is worth."""

from __future__ import annotations

from bakeoff.comparisons.contenders import Contender
from bakeoff.comparisons.evidence import has_test
from bakeoff.report.cells import capital, ci_cell, p_cell, score_cell, share
from bakeoff.report.exhibit import MOST_DATASETS, Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.may_be_best import may_be_best, worth_of_winner
from bakeoff.report.numbers import percent
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text


def when(asked: Asked) -> bool:
    """Show it where several models have predictions of a few test sets."""
    experiment = asked.experiment
    few = len(experiment.datasets) <= MOST_DATASETS and len(experiment.models) > 1
    known = asked.rows and has_test(experiment.metrics[0])
    return few and (known or experiment.by_values)


def build(item: Item, study: Study) -> PageTable:
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
    return tabulate(item, columns, rows, " ".join([_NOTE, *told]))


_NOTE = (
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


EXHIBIT = TableExhibit(
    section=Section.MODELS,
    place=25,
    title="Which models may be the best, on the held-out rows",
    caption="The models that may be the best by the first metric, with the confidence of the "
    "intervals; tiers of models that no test tells apart; and what the winner is worth, "
    "corrected for its selection.",
    when=when,
    build=build,
)

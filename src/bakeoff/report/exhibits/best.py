"""Which models may be the best on the held-out rows, and what the winner is worth."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from bakeoff.compare.contenders import Contender, Contenders, contenders
from bakeoff.compare.evidence import has_test
from bakeoff.report.cells import capital, ci_cell, p_cell, score_cell, share
from bakeoff.report.exhibit import MOST_DATASETS, Asked, Item, Section, TableExhibit
from bakeoff.report.numbers import percent, score
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.seeds import derive, integer


def when(asked: Asked) -> bool:
    """Show it where several models have predictions of a few test sets."""
    experiment = asked.experiment
    few = len(experiment.datasets) <= MOST_DATASETS and len(experiment.models) > 1
    return asked.rows and few and has_test(experiment.metrics[0])


def build(item: Item, study: Study) -> PageTable:
    """List the models of each test set, best first."""
    found = {name: each for name, each in _found(study) if each is not None}
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
    return tabulate(item, columns, rows, " ".join([_NOTE, *_worth(found, study)]))


_NOTE = (
    "The models that may be the best are those that no other is shown to beat; a best one is among "
    "them with the confidence of the intervals (Hsu 1984). Models that share a letter are not told "
    "apart by the tests of all pairs. “Would win” is how often a model would score highest on "
    "other test sets of this size: a description, not a test."
)


def _found(study: Study) -> Iterator[tuple[str, Contenders | None]]:
    experiment = study.experiment
    for name, rows in study.test_sets.items():
        seed = integer(derive(experiment.seed, "best", name))
        ranked = dataclasses.replace(rows, metric=study.metric.name)
        yield name, contenders(ranked, experiment.costs_on(name), study.alpha, seed)


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


def _worth(found: dict[str, Contenders], study: Study) -> Iterator[str]:
    """Say what the winners are worth without the luck of having been chosen."""
    for name, each in found.items():
        best = each.best
        where = f" on {study.dataset_label(name)}" if len(found) > 1 else ""
        bound = best.ci
        if bound is None:
            continue
        limit = bound.low if study.metric.greater_is_better else bound.high
        side = "at least" if study.metric.greater_is_better else "at most"
        yield (
            f"{study.label(each.models[0].model)} scores {score(best.naive)}{where}; freed of "
            f"having been chosen as the best of {len(each.models)} it is worth "
            f"{score(best.estimate)}, {side} {score(limit)} with {percent(1 - study.alpha)} "
            "confidence."
        )


EXHIBIT = TableExhibit(
    section=Section.MODELS,
    place=25,
    title="Which models may be the best, on the held-out rows",
    caption="The models that may be the best by the first metric, with the confidence of the "
    "intervals; tiers of models that no test tells apart; and what the winner is worth once the "
    "luck of having been chosen is taken off.",
    when=when,
    build=build,
)

"""What the errors of each model cost."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.cells import count_cell, score_cell
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.spec import Costs

_MOST_ERRORS = 6
Error = tuple[str, str, float]
"""True class, predicted class, and what that costs."""


def build_costs(item: Item, study: Study) -> PageTable:
    """Say what the errors of each model on the held-out rows cost, and which they are."""
    experiment = study.experiment
    found = {name: experiment.costs_on(name) for name in study.test_sets}
    priced = {name: costs for name, costs in found.items() if costs is not None}
    errors = _errors(priced.values())
    columns = (
        Column("dataset", "Data set"),
        Column("model", "Model"),
        Column("cost", "Mean cost", True),
        Column("error", "Error rate", True),
        *(
            Column(_key(error), f"{error[0]} taken for {error[1]} (cost {error[2]:g})", True)
            for error in errors[:_MOST_ERRORS]
        ),
    )
    rows = []
    for dataset, costs in priced.items():
        tested = study.test_sets[dataset]
        known = {m: _confusion(costs, tested, m) for m in tested.models}
        mean = {
            m: float((np.array(costs.matrix) * counts).sum() / counts.sum())
            for m, counts in known.items()
        }
        best = min(mean.values(), default=math.nan)
        where = {"dataset": text(study.dataset_label(dataset))} if len(study.datasets) > 1 else {}
        own = set(_errors([costs]))
        for model in sorted(known, key=lambda m: mean[m]):
            counts = known[model]
            made = {
                _key(error): _count(costs, counts, error) if error in own else text(NONE)
                for error in errors[:_MOST_ERRORS]
            }
            rows.append(
                {
                    **where,
                    "model": text(study.label(model)),
                    "cost": score_cell(mean[model], mean[model] == best),
                    "error": score_cell(1 - float(np.trace(counts) / counts.sum())),
                    **made,
                }
            )
    more = " The costliest kinds of errors are counted." if len(errors) > _MOST_ERRORS else ""
    note = f"On the held-out rows, in the unit of the given costs; the cheapest in bold.{more}"
    return tabulate(item, columns, rows, note)


def _key(error: Error) -> str:
    true, taken, price = error
    return f"{true}_taken_for_{taken}_at_{price:g}"


def _confusion(costs: Costs, tested: PairedPredictions, model: str) -> NDArray[np.int64]:
    """Count true (rows) against predicted classes (columns), in the order of the costs."""
    place = [costs.names.index(name) for name in tested.classes]
    found = np.zeros((len(costs.names), len(costs.names)), dtype=np.int64)
    found[np.ix_(place, place)] = tested.confusion(model)
    return found


def _errors(priced: Iterable[Costs]) -> list[Error]:
    """List the kinds of errors that cost anything, the costliest first."""
    found = dict.fromkeys(
        (true, taken, price)
        for costs in priced
        for true, row in zip(costs.names, costs.matrix, strict=True)
        for taken, price in zip(costs.names, row, strict=True)
        if price > 0
    )
    return sorted(found, key=lambda error: -error[2])


def _count(costs: Costs, counts: NDArray[np.int64], error: Error) -> Cell:
    true, taken = map(costs.names.index, error[:2])
    return count_cell(int(counts[true, taken]))


def _with_costs(asked: Asked) -> bool:
    experiment = asked.experiment
    return asked.rows and len(experiment.without_costs) < len(experiment.datasets)


EXHIBITS = {
    "costs": TableExhibit(
        section=Section.COMPARISONS,
        place=30,
        title="What the errors cost",
        caption="The cost of each model's errors on the held-out rows, by the given costs: the "
        "mean over all rows, the share of wrong rows whatever they cost, and how often each costly "
        "kind of error was made. It describes these rows; the cost-sensitive test "
        "shows whether the difference may be due to chance.",
        when=_with_costs,
        heading="What the errors cost",
        build=build_costs,
    ),
}

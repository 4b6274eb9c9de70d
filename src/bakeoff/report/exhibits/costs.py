"""What the errors of each model cost."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.cells import COUNT, DATASET, MODEL, NOTHING, SCORE, SHARE_OF_ROWS, Best
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.study import Study
from bakeoff.report.tables import Column, PageTable, tabulate
from bakeoff.spec import Costs

_MOST_ERRORS = 6
Error = tuple[str, str, float]
"""True class, predicted class, and what that costs."""


def build_costs(item: Item, study: Study) -> PageTable:
    """Say what the errors of each model on the held-out rows cost, and which they are."""
    found = {name: study.experiment.costs_on(name) for name in study.test_sets}
    priced = {name: costs for name, costs in found.items() if costs is not None}
    errors = _errors(priced.values())
    keys = {e: f"{e[0]}_taken_for_{e[1]}_at_{e[2]:g}" for e in errors[:_MOST_ERRORS]}
    columns = (
        DATASET,
        MODEL,
        Column("cost", "Mean cost", SCORE, metric="cost"),
        Column("error", "Error rate", SHARE_OF_ROWS),
        *(
            Column(key, f"{true} predicted as {taken} (cost {price:g})", COUNT)
            for (true, taken, price), key in keys.items()
        ),
    )
    rows = []
    for dataset, costs in priced.items():
        tested, own = study.test_sets[dataset], set(_errors([costs]))
        known = {m: _confusion(costs, tested, m) for m in tested.models}
        mean = {m: float((np.array(costs.matrix) * n).sum() / n.sum()) for m, n in known.items()}
        place = {name: i for i, name in enumerate(costs.names)}
        for model in sorted(known, key=lambda m: mean[m]):
            counts = known[model]
            made = {
                key: counts[place[error[0]], place[error[1]]] if error in own else NOTHING
                for error, key in keys.items()
            }
            rows.append(
                {
                    "dataset": dataset,
                    "model": model,
                    "cost": Best(mean[model], mean[model] == min(mean.values())),
                    "error": 1 - float(np.trace(counts) / counts.sum()),
                    **made,
                }
            )
    note = "Only the most expensive kinds of errors are counted." if len(errors) > len(keys) else ""
    return tabulate(item, study, columns, rows, note)


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


EXHIBITS = {
    "costs": TableExhibit(
        section=Section.COMPARISONS,
        place=30,
        title="Costs of errors",
        caption="The mean cost of each model over the held-out rows in the unit of the given "
        "costs (the lowest in bold), its error rate whatever the errors cost, and the number of "
        "errors of each costly kind. The table describes these rows; the cost-sensitive test shows "
        "whether a difference may be due to chance.",
        when=lambda design: (
            design.has_labels and len(design.experiment.without_costs) < len(design.datasets)
        ),
        heading="Costs of errors",
        build=build_costs,
    ),
}

"""What the errors of each model cost."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bakeoff.compare.evidence import PairedPredictions
from bakeoff.report.cells import count_cell, score_cell
from bakeoff.report.exhibit import Asked, Item, Section, TableExhibit
from bakeoff.report.study import Study
from bakeoff.report.tables import Column, PageTable, tabulate, text
from bakeoff.spec import Costs

_MOST_ERRORS = 6


def build(item: Item, study: Study) -> PageTable:
    """Say what the errors of each model on the held-out rows cost, and which they are."""
    spec = study.experiment.costs
    assert spec is not None
    matrix, errors = np.array(spec.matrix), _errors(spec)
    columns = (
        Column("dataset", "Data set"),
        Column("model", "Model"),
        Column("cost", "Mean cost", True),
        Column("error", "Error rate", True),
        *(
            Column(f"error_{i}", f"{true} taken for {taken} (cost {matrix[t, p]:g})", True)
            for i, (t, p, true, taken) in enumerate(errors[:_MOST_ERRORS], 1)
        ),
    )
    rows = []
    for dataset, tested in study.test_sets.items():
        known = {m: _confusion(spec, tested, m) for m in tested.models}
        mean = {m: float((matrix * counts).sum() / counts.sum()) for m, counts in known.items()}
        best = min(mean.values(), default=math.nan)
        where = {"dataset": text(study.dataset_label(dataset))} if len(study.datasets) > 1 else {}
        for model in sorted(known, key=lambda m: mean[m]):
            found = known[model]
            made = enumerate((found[t, p] for t, p, _, _ in errors[:_MOST_ERRORS]), 1)
            rows.append(
                {
                    **where,
                    "model": text(study.label(model)),
                    "cost": score_cell(mean[model], mean[model] == best),
                    "error": score_cell(1 - float(np.trace(found) / found.sum())),
                    **{f"error_{i}": count_cell(int(n)) for i, n in made},
                }
            )
    more = " The costliest kinds of errors are counted." if len(errors) > _MOST_ERRORS else ""
    note = f"On the held-out rows, in the unit of `costs:`; the cheapest in bold.{more}"
    return tabulate(item, columns, rows, note)


def _confusion(spec: Costs, tested: PairedPredictions, model: str) -> NDArray[np.int64]:
    """Count true (rows) against predicted classes (columns), in the order of the costs."""
    place = [spec.names.index(name) for name in tested.classes]
    found = np.zeros((len(spec.names), len(spec.names)), dtype=np.int64)
    found[np.ix_(place, place)] = tested.confusion(model)
    return found


def _errors(spec: Costs) -> list[tuple[int, int, str, str]]:
    """List the kinds of errors that cost anything, the costliest first."""
    matrix = np.array(spec.matrix)
    cells = sorted(np.argwhere(matrix > 0).tolist(), key=lambda cell: -matrix[tuple(cell)])
    return [(t, p, spec.names[t], spec.names[p]) for t, p in cells]


def _with_costs(asked: Asked) -> bool:
    return asked.rows and asked.experiment.costs is not None


EXHIBIT = TableExhibit(
    section=Section.COMPARISONS,
    place=30,
    title="What the errors cost",
    caption="What the errors of each model on the held-out rows cost by the given costs: the mean "
    "over all rows, the share of wrong rows whatever they cost, and how often each costly kind of "
    "error was made. It describes these rows; whether the difference may be chance is for the "
    "cost-sensitive test to say.",
    when=_with_costs,
    heading="What the errors cost",
    build=build,
)

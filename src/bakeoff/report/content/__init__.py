"""What the tables hold."""

from __future__ import annotations

from collections.abc import Callable

from bakeoff.report.content import comparisons, data, models, trust
from bakeoff.report.names import Exhibit
from bakeoff.report.study import Study
from bakeoff.report.tables import Table

_BUILDERS: dict[str, Callable[[Exhibit, Study], Table]] = {
    "models": models.models,
    "times": models.times,
    "stages": models.stages,
    "datasets": models.datasets,
    "seeds": models.seeds,
    "choices": models.choices,
    "omnibus": comparisons.omnibus,
    "pairs": comparisons.pairs,
    "counts": comparisons.counts,
    "costs": comparisons.costs,
    "single": comparisons.single,
    "chosen": trust.chosen,
    "tests": trust.tests,
    "assumptions": trust.assumptions,
    "excluded": trust.excluded,
    "data": data.data,
    "splits": data.splits,
    "balance": data.balance,
    "overlap": data.overlap,
}


def build(exhibit: Exhibit, study: Study) -> Table:
    """Build a table."""
    return _BUILDERS[exhibit.kind](exhibit, study)

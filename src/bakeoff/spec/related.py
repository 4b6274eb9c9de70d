"""Columns of a data set that relate its rows, divide them, or are taken by own metrics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bakeoff.sources import DataSet
from bakeoff.sources.common.base import SubgroupColumn, as_columns
from bakeoff.spec.experiment import Experiment
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.metrics import Passing


class Declared(NamedTuple):
    """What relates the rows of a data set."""

    kind: str
    column: str


def declared(experiment: Experiment, dataset: str) -> Declared | None:
    """Return what a data set declares of its rows; None where nothing."""
    spec = experiment.datasets[dataset]
    return _of_models(experiment) if isinstance(spec, GivenData) else _of_table(spec)


def _of_table(spec: DataSet) -> Declared | None:
    columns = {"group": spec.groups, "time": spec.time}
    return next((Declared(k, name) for k, name in columns.items() if name is not None), None)


def _of_models(experiment: Experiment) -> Declared | None:
    by_item = isinstance(experiment.measured[0], Passing)  # and of its runs one value is left
    for given in experiment.given.values():
        runs = given.columns.runs and not by_item
        group = given.columns.groups or (runs and (given.columns.id or "item"))
        for kind, column in (("group", group), ("time", given.columns.time)):
            if column:
                return Declared(kind, column)
    return None


def dependent(experiment: Experiment) -> dict[str, Declared]:
    """Map the data sets whose rows belong together to what relates them."""
    brought = _of_models(experiment)
    found = {
        name: brought if isinstance(spec, GivenData) else _of_table(spec)
        for name, spec in experiment.datasets.items()
    }
    return {name: kin for name, kin in found.items() if kin is not None}


class RowColumns(NamedTuple):
    """Columns kept per row of a data set."""

    subgroups: tuple[SubgroupColumn, ...] = ()
    taken: tuple[str, ...] = ()


NOTHING = RowColumns()


def row_columns(experiment: Experiment, dataset: str) -> RowColumns:
    """Return the columns that the comparisons on a data set look at."""
    spec = experiment.datasets[dataset]
    if isinstance(spec, GivenData):
        every = [as_columns(m.columns.subgroups) for m in experiment.given.values()]
        subgroups = _different(one for listed in every for one in listed)
    else:
        subgroups = as_columns(spec.subgroups)
    taken = dict.fromkeys(
        name for metric in experiment.own_metrics.values() for name in metric.columns
    )
    return RowColumns(subgroups, tuple(taken))


def _different(found: Iterable[SubgroupColumn]) -> tuple[SubgroupColumn, ...]:
    kept: dict[str, SubgroupColumn] = {}
    for one in found:
        kept.setdefault(one.column, one)
    return tuple(kept.values())

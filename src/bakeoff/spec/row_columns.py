"""Columns that a comparison looks at row by row, whether or not a model learns from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from bakeoff.sources.common.base import SubgroupColumn, as_columns
from bakeoff.spec.datasets import GivenData

if TYPE_CHECKING:
    from bakeoff.spec.experiment import Experiment


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

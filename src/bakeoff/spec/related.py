"""Columns of a data set that relate its rows, divide them, or are taken by own metrics."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from bakeoff.sources.common.base import SubgroupColumn, as_columns
from bakeoff.spec.experiment import Experiment
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.metrics import Passing

_REPEATED = (
    "(seed|randomstate|run|fold|rep|repeat|repetition|replicate|replication|iteration|split)s?"
)
_REPETITIONS = re.compile(
    rf"(random|rng|train(ing)?|cv|model|outer|inner)?{_REPEATED}(id|index|idx|no|nr|number|num|\d+)?"
)
"""Names of what is repeated on one data set, without blanks, hyphens and capitals."""
_NUMBERED = re.compile(rf"(.+?)[\W_]+{_REPEATED}[\W_]*\d+")
"""A data set with the number of a repetition behind its name."""


def names_repetitions(name: str) -> bool:
    """Tell whether a column, or a data set, is called like seeds, runs or folds of one data set."""
    plain = re.sub(r"[\W_]+", "", name).lower()
    return _REPETITIONS.fullmatch(plain) is not None


def are_repetitions(names: Collection[str]) -> bool:
    """Tell whether data sets are called like seeds, runs or folds of one: seed 1, cifar-seed-2."""
    if all(map(names_repetitions, names)):
        return len(names) > 0
    numbered = [_NUMBERED.fullmatch(name.lower()) for name in names]
    stems = {match[1] for match in numbered if match}
    return all(numbered) and len(stems) < len(names)


class Declared(NamedTuple):
    """What relates the rows of a data set."""

    kind: str
    column: str


def declared(experiment: Experiment, dataset: str) -> Declared | None:
    """Return what a data set declares of its rows; None where nothing."""
    spec = experiment.datasets[dataset]
    if not isinstance(spec, GivenData):
        pairs = [("group", spec.groups), ("time", spec.time)]
    else:
        pairs = []
        by_item = isinstance(experiment.measured[0], Passing)  # and of its runs one value is left
        for columns in (given.columns for given in experiment.given.values()):
            item = None if by_item or not columns.runs else columns.id or "item"
            pairs += [("group", columns.groups or item), ("time", columns.time)]
    return next((Declared(kind, column) for kind, column in pairs if column), None)


def dependent(experiment: Experiment) -> dict[str, Declared]:
    """Map the data sets whose rows belong together to what relates them."""
    return {name: kin for name in experiment.datasets if (kin := declared(experiment, name))}


def in_time(experiment: Experiment) -> bool:
    """Tell whether the rows of every data set are in the order of time, and in no groups."""
    kinds = [kin.kind for kin in dependent(experiment).values()]
    return len(kinds) == len(experiment.datasets) and {*kinds} == {"time"}


def has_rows_of_folds(experiment: Experiment, plan: str) -> bool:
    """Tell whether the rows of all folds of a plan are known, for which row-wise tests are."""
    if plan in ("holdout", "halves") or not experiment.on_rows(plan) or experiment.by_values:
        return False
    # rows in the order of time were not studied
    return all(kin.kind != "time" for kin in dependent(experiment).values())


class RowColumns(NamedTuple):
    """Columns kept per row of a data set."""

    subgroups: tuple[SubgroupColumn, ...] = ()
    taken: tuple[str, ...] = ()
    tasks: str | None = None


NOTHING = RowColumns()


def row_columns(experiment: Experiment, dataset: str) -> RowColumns:
    """Return the columns that the comparisons on a data set look at."""
    spec = experiment.datasets[dataset]
    tasks = task_column(experiment)
    if isinstance(spec, GivenData):
        by_name: dict[str, SubgroupColumn] = {}
        for given in experiment.given.values():
            for one in as_columns(given.columns.subgroups):
                by_name.setdefault(one.column, one)
        subgroups = tuple(by_name.values())
    else:
        subgroups = as_columns(spec.subgroups)
    taken = (name for metric in experiment.own_metrics.values() for name in metric.columns)
    return RowColumns(subgroups, tuple(dict.fromkeys(taken)), tasks)


def task_column(experiment: Experiment) -> str | None:
    """Return the column that says which of several fixed tasks a row is of; None without one."""
    names = (given.columns.tasks for given in experiment.given.values())
    return next(filter(None, names), None)

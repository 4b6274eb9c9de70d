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
    if not names:
        return False
    if all(names_repetitions(name) for name in names):
        return True
    stems = set()
    for name in names:
        numbered = _NUMBERED.fullmatch(name.lower())
        if numbered is None:
            return False
        stems.add(numbered[1])
    return len(stems) < len(names)


# --- rows that are related


class Declared(NamedTuple):
    """What relates the rows of a data set."""

    kind: str
    column: str


def declared(experiment: Experiment, dataset: str) -> Declared | None:
    """Return what a data set declares of its rows; None where nothing."""
    data = experiment.datasets[dataset]
    if not isinstance(data, GivenData):
        return _relation(data.groups, data.time)
    # the runs of an item belong together, unless one value is made of them
    by_item = isinstance(experiment.measured[0], Passing)
    for model in experiment.given.values():
        columns = model.columns
        groups = columns.groups
        if not groups and columns.runs and not by_item:
            groups = columns.id or "item"
        relation = _relation(groups, columns.time)
        if relation is not None:
            return relation
    return None


def _relation(groups: str | None, time: str | None) -> Declared | None:
    """Return what two columns declare; groups go before times."""
    if groups:
        return Declared("group", groups)
    if time:
        return Declared("time", time)
    return None


def dependent(experiment: Experiment) -> dict[str, Declared]:
    """Map the data sets whose rows belong together to what relates them."""
    relations = {}
    for name in experiment.datasets:
        relation = declared(experiment, name)
        if relation is not None:
            relations[name] = relation
    return relations


def in_time(experiment: Experiment) -> bool:
    """Tell whether the rows of every data set are in the order of time, and in no groups."""
    relations = dependent(experiment)
    if len(relations) < len(experiment.datasets):
        return False
    return all(relation.kind == "time" for relation in relations.values())


def has_rows_of_folds(experiment: Experiment, plan: str) -> bool:
    """Tell whether the rows of all folds of a plan are known, for which row-wise tests are."""
    if plan in ("holdout", "halves") or not experiment.on_rows(plan) or experiment.by_values:
        return False
    # rows in the order of time were not studied
    return all(relation.kind != "time" for relation in dependent(experiment).values())


# --- columns that are kept per row


class RowColumns(NamedTuple):
    """Columns kept per row of a data set."""

    subgroups: tuple[SubgroupColumn, ...] = ()
    taken: tuple[str, ...] = ()
    tasks: str | None = None


NOTHING = RowColumns()


def row_columns(experiment: Experiment, dataset: str) -> RowColumns:
    """Return the columns that the comparisons on a data set look at."""
    data = experiment.datasets[dataset]
    if isinstance(data, GivenData):
        subgroups = _subgroups_of_models(experiment)
    else:
        subgroups = as_columns(data.subgroups)
    taken: list[str] = []
    for metric in experiment.own_metrics.values():
        taken += metric.columns
    return RowColumns(subgroups, tuple(dict.fromkeys(taken)), task_column(experiment))


def task_column(experiment: Experiment) -> str | None:
    """Return the column that says which of several fixed tasks a row is of; None without one."""
    for model in experiment.given.values():
        if model.columns.tasks:
            return model.columns.tasks
    return None


def _subgroups_of_models(experiment: Experiment) -> tuple[SubgroupColumn, ...]:
    """Return the columns of subgroups that given models name, as the first of them does."""
    by_name: dict[str, SubgroupColumn] = {}
    for model in experiment.given.values():
        for subgroup in as_columns(model.columns.subgroups):
            by_name.setdefault(subgroup.column, subgroup)
    return tuple(by_name.values())

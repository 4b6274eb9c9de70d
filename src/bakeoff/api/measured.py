"""By what models are compared: metrics of predictions, or a kind of numbers per row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bakeoff.errors import UserError, shown, unknown
from bakeoff.options import setting
from bakeoff.scores import METRICS
from bakeoff.scores.metrics import Need
from bakeoff.scores.own_metrics import taken_by_path
from bakeoff.spec.experiment import Task
from bakeoff.spec.load import validated
from bakeoff.spec.metrics import (
    GivenMetric,
    Kind,
    OwnMetric,
    PassingRuns,
    passing_of,
    passing_runs,
    standard_name,
)

KINDS: Mapping[str, Kind] = {
    "higher": GivenMetric.model_validate({"name": "value", "greater_is_better": True}),
    "lower": GivenMetric.model_validate({"name": "value", "greater_is_better": False}),
    "right": "accuracy",
    "wrong": "error",
}
"""Kinds of numbers per row: the direction that is better, or the meaning of 1."""
_OF_LABELS = ("truth", "predicted", "classes", "positive", "costs", "task", "unit", "variant")


class Measured(NamedTuple):
    """By what models are compared: a kind of numbers per row, or metrics of predictions."""

    kind: Kind | None = None
    metrics: tuple[str, ...] = ()
    own_metrics: Mapping[str, OwnMetric] = {}
    """Which of the metrics are the user's."""
    numbers: bool | None = None
    """Whether numbers are predicted; None where neither the task nor the metrics say so."""

    @property
    def of_items(self) -> bool:
        """Whether of all runs of an item one value is left."""
        return isinstance(self.kind, PassingRuns)

    @property
    def names(self) -> tuple[str, ...]:
        """The metrics, or what the numbers per row are called."""
        return tuple(self.described) or self.metrics

    @property
    def described(self) -> dict[str, GivenMetric]:
        """The metrics of numbers per row, by name."""
        if isinstance(self.kind, PassingRuns):
            return {metric.name: metric for metric in self.kind.metrics}
        if isinstance(self.kind, GivenMetric):
            return {self.kind.name: self.kind}
        return {}


def measured_by(options: Mapping[str, Any]) -> Measured:
    """Tell by what models are compared: numbers per row have no metrics but pass@k and pass^k."""
    values = options["values"]
    kind = KINDS.get(values or "")
    if values is not None and kind is None:
        raise UserError(f"values: {unknown('kind of numbers', values, KINDS)}")
    names = _metrics_named(options["metrics"])
    if values == "right" and names == ("accuracy",):  # which marks of right rows are compared by
        names = ()
    passing = _passing(names)
    if passing is not None:
        if not isinstance(kind, str):
            raise UserError(
                f"metrics: {passing.metrics[0].label} is about runs that are right or wrong; "
                f"{setting('values', 'right')} says that 1 is right"
            )
        kind = passing.marked(kind)
        names = ()
    if values is not None:
        _refuse_options_of_labels(options, names)
    names, own_metrics = taken_by_path(names)
    return Measured(kind, names, own_metrics, numbers_wanted(options.get("task"), names))


def _metrics_named(metrics: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the metrics that are asked for, by bakeoff's names."""
    if metrics is None:
        return ()
    if isinstance(metrics, str):
        return (standard_name(metrics),)
    return tuple(map(standard_name, metrics))


def _passing(names: Sequence[str]) -> PassingRuns | None:
    """Return what is asked of the runs of items; None where nothing is."""
    for name in names:
        if name.startswith(("pass@", "pass^")) and passing_of(name) is None:
            raise UserError(f"metrics: found {shown(name)}, expected a number like pass@5")
    try:
        return passing_runs(names)
    except ValueError as error:
        raise UserError(f"metrics: {error}") from None


def _refuse_options_of_labels(options: Mapping[str, Any], metrics: Sequence[str]) -> None:
    """Refuse options of labels, which numbers per row have not."""
    of_labels = {key: options.get(key) for key in _OF_LABELS}
    if options["values"] not in ("higher", "lower"):
        of_labels.pop("variant")  # right and wrong rows are compared by McNemar's test
    of_labels["metrics"] = metrics
    for key, value in of_labels.items():
        empty = isinstance(value, Sequence) and not len(value)
        if value is not None and not empty:
            raise UserError(f"{key}: is for predictions, not for numbers per row (values)")


def numbers_wanted(task: str | None, metrics: Sequence[str]) -> bool | None:
    """Tell whether numbers are compared; None where neither the task nor the metrics say so."""
    if task is not None:
        if task not in list(Task):
            raise UserError(f"task: {unknown('task', task, Task)}")
        return Task(task).numbers
    needs = {METRICS[name].needs for name in metrics if name in METRICS}
    if not needs:
        return None
    return Need.NUMBERS in needs


def described_metric(name: str, greater_is_better: bool, **keys: Any) -> GivenMetric:
    """Describe a metric that is none of ours, by a name that an experiment can have."""
    plain = re.sub(r"\W", "_", name)
    if not plain[:1].isalpha() or plain == "model":
        plain = f"metric_{plain}"
    description = {"name": plain, "greater_is_better": greater_is_better, **keys}
    return validated(GivenMetric, description, ("metrics",))

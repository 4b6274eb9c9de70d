"""Models that bring a number for each row: what else an experiment of them must say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from bakeoff.errors import Problem
from bakeoff.spec.datasets import GivenData
from bakeoff.spec.metrics import GivenMetric

if TYPE_CHECKING:
    from bakeoff.spec.experiment import Experiment

RIGHT_OR_WRONG = ("wrong", "right")
"""The classes that stand for numbers which say whether a row is right."""
RIGHT: Mapping[str, int] = {"accuracy": 1, "error": 0}
"""The number of a right row, by the metrics of numbers 0 and 1."""


Kind: TypeAlias = GivenMetric | str
"""What numbers per row are: values of a metric, marks (of `RIGHT`), or with a metric `Passing`
marks of the runs of items."""


def problems_with_values(experiment: Experiment) -> Iterator[Problem]:
    """Find models that bring no numbers where others do, and metrics that look at no numbers."""
    if not experiment.with_values:
        return
    for name, data in experiment.datasets.items():
        if not isinstance(data, GivenData):
            yield Problem(
                ("datasets", name, "source"),
                "numbers per row are a data set of their own: write `source: given`, or leave "
                "`datasets:` out",
            )
        elif key := next((k for k in _OF_CLASSES if k in data.model_fields_set), None):
            yield Problem(("datasets", name, key), "numbers per row have no classes: leave it out")
    for name in experiment.models:
        if name not in experiment.given or experiment.given[name].values is None:
            yield Problem(
                ("models", name),
                "other models bring a number for each row: give the file of this model's "
                "`values:` too",
            )
    yield from _metrics(experiment)


_OF_CLASSES = ("positive", "classes", "missing_target", "costs")


def _metrics(experiment: Experiment) -> Iterator[Problem]:
    found = experiment.measured
    if isinstance(found[0], GivenMetric):
        for i in range(1, len(found)):
            yield Problem(
                ("metrics", i), "models bring one number for each row, so there is one metric"
            )
        return
    for i, name in enumerate(found):
        if name not in RIGHT:
            yield Problem(
                ("metrics", i),
                "what are the numbers of `values:`, and which way are they better? Say "
                "`- {name: token_f1, greater_is_better: true}`, or where 1 is right and 0 is wrong "
                "`- accuracy`, and of several runs of an item also `- pass@5` or `- pass^5`",
            )

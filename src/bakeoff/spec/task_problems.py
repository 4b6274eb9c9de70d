"""Keys of an experiment that mean nothing for its task."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.errors import Problem
from bakeoff.spec.experiment import Experiment
from bakeoff.spec.task import TO_NUMBERS

_REFUSED = {
    "datasets": ("positive", "classes", "merge", "costs"),
    "models": ("class_weight", "threshold"),
}
"""The keys of data sets and models that mean nothing where numbers are predicted."""


def problems_with_task(experiment: Experiment) -> Iterator[Problem]:
    """Find keys that mean nothing for the task."""
    if not experiment.task.numbers:
        for name, data in experiment.datasets.items():
            if data.unit is not None:
                yield Problem(("datasets", name, "unit"), "classes have no unit", remedy=TO_NUMBERS)
        return
    for part, keys in _REFUSED.items():
        for name, entry in getattr(experiment, part).items():
            for key in keys:
                if key in entry.model_fields_set:
                    yield Problem(
                        (part, name, key), "means nothing with `task: regression`: leave it out"
                    )
    for name, model in experiment.given.items():
        if model.columns.probabilities is not None:
            yield Problem(
                ("models", name, "columns", "probabilities"),
                "means nothing with `task: regression`: leave it out",
            )
    if experiment.costs is not None:
        yield Problem(("costs",), "are of errors between classes: leave them out of a regression")
    for name, plan in experiment.resampling.plans().items():
        if plan.stratify:
            yield Problem(
                ("resampling", name, "stratify"),
                "numbers have no classes whose shares could be kept: leave it out",
            )

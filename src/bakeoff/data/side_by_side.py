"""Predictions of several models for the same rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.predicted import Predicted, oddity
from bakeoff.data.row_columns import SUBGROUP
from bakeoff.data.target import Target, check_spread, target_of
from bakeoff.errors import Problem
from bakeoff.spec.experiment import run_of
from bakeoff.spec.task import Task


@dataclasses.dataclass(frozen=True)
class SideBySide:
    """Predictions of several models for the same rows."""

    name: str
    classes: tuple[str, ...]
    truth: NDArray[Any]
    models: Mapping[str, Predicted]
    left_out: int = 0
    related: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    in_order: bool = True
    subgroups: Mapping[str, pd.Categorical] = dataclasses.field(default_factory=dict)
    like_groups: Sequence[Mapping[str, Any]] = ()
    """Columns beside that look like ids of groups, where none is named: see `group_columns`."""
    further: Mapping[str, Sequence[Predicted]] = dataclasses.field(default_factory=dict)
    """Of models that were trained several times: what the runs after the first say."""
    told: tuple[str, ...] = ()
    """What was done with items before they are compared, a sentence each."""

    @property
    def runs(self) -> dict[str, list[Predicted]]:
        """What each training run of each model says."""
        return {name: [one, *self.further.get(name, ())] for name, one in self.models.items()}

    @property
    def oddities(self) -> list[str]:
        """What is odd about the predictions, a sentence for each training run that is."""
        return [
            said
            for name, runs in self.runs.items()
            for run in runs
            if (said := oddity(name, run, self.truth))
        ]

    def by_model(self) -> SideBySide:
        """Sort what is named as training runs (`run_name`) by their models."""
        found: dict[str, list[Predicted]] = {}
        for name, own in self.runs.items():
            found.setdefault(run_of(name)[0], []).extend(own)
        several = any(len(runs) > 1 for runs in found.values())
        further = {name: runs[1:] for name, runs in found.items()} if several else {}
        firsts = {name: runs[0] for name, runs in found.items()}
        return dataclasses.replace(self, models=firsts, further=further)

    @property
    def target(self) -> Target:
        """What is predicted."""
        return target_of(self.classes, self.truth)

    @property
    def task(self) -> Task:
        """Whether classes or numbers are predicted."""
        return Task.REGRESSION if self.truth.dtype.kind == "f" else Task.CLASSIFICATION

    def check_answers(self) -> None:
        """Refuse labels of one class, by which no prediction can be wrong, and one number alone."""
        if self.task.numbers:
            check_spread(self.truth, ("true",))
        if len(self.classes) == 1:
            raise Problem(
                ("classes",),
                f"{self.name} has only one class, {self.classes[0]!r}, so that no prediction can "
                "be wrong: name the other classes, or use rows of several classes",
            )


def as_subgroups(frame: pd.DataFrame) -> dict[str, pd.Categorical]:
    """Return the subgroup of each row by the columns that `carry` made."""
    return {str(c).removeprefix(SUBGROUP): pd.Categorical(frame[c]) for c in frame}

"""What tests ask of every kind of evidence: the results of all models, paired."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.stats import Entry, time_blocks
from bakeoff.stats.design.clusters import TIME_BLOCKS


class Paired:
    """Numbers of all models on the same folds, rows or data sets."""

    models: tuple[str, ...]
    values: NDArray[Any]
    left_out: tuple[str, ...]

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Return what a test takes of some models, one by one."""
        return [self.values[..., m] for m in models]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return what a test of all models at once takes."""
        return [self.values]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return the arguments of a test that no user sets."""
        return {}

    def missing(self, models: Sequence[int]) -> str:
        """Say why some models cannot be compared; empty when they can."""
        return ""

    @property
    def n(self) -> int:
        """The number of observations: folds, rows or data sets."""
        return len(self.values)


class RelatedRows:
    """Rows of which some may belong together."""

    groups: NDArray[Any] | None
    times: NDArray[Any] | None

    @property
    def labels(self) -> NDArray[Any] | None:
        """What relates the rows: their groups, or else their times; None where nothing does."""
        return self.times if self.groups is None else self.groups

    @property
    def related(self) -> bool:
        """Whether rows are said to belong together."""
        return self.labels is not None

    @property
    def units(self) -> str:
        """How many groups or times the related rows have, in words."""
        labels, what = self.labels, "times" if self.groups is None else "groups"
        return f"{0 if labels is None else len(pd.unique(labels)):,} {what}"

    @property
    def blocks(self) -> NDArray[Any] | None:
        """Long blocks of neighbouring times; None where there are too few times for them."""
        if self.times is None or len(np.unique(self.times)) < TIME_BLOCKS:
            return self.times
        return time_blocks(self.times, TIME_BLOCKS)

    def in_blocks(self, entry: Entry) -> bool:
        """Whether a test takes blocks of time for groups of these rows."""
        return self.times is not None and self.groups is None and "groups" in entry.options

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return what relates the rows; a test for groups alone takes blocks of time for them."""
        found: dict[str, Any] = {}
        if "time" in entry.options:
            found["time"] = self.times
        if "groups" in entry.options:
            timed = self.in_blocks(entry) and "time" not in entry.options
            found["groups"] = self.blocks if timed else self.groups
        return found

"""What several training runs of each model predict for the same rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any

from numpy.typing import NDArray

from bakeoff.comparisons.evidence.of_rows import PairedPredictions, PairedValues
from bakeoff.comparisons.evidence.paired import RelatedRows
from bakeoff.spec.experiment import run_of
from bakeoff.stats import Entry, Runs


@dataclasses.dataclass(frozen=True)
class CrossedRuns(RelatedRows):
    """The predictions, or numbers, of all runs of all models on the same rows."""

    models: tuple[str, ...]
    rows: PairedPredictions | PairedValues
    runs: tuple[tuple[int, ...], ...]
    deterministic: tuple[bool, ...]
    left_out: tuple[str, ...] = ()
    groups: NDArray[Any] | None = None
    times: NDArray[Any] | None = None

    @classmethod
    def of(cls, rows: PairedPredictions | PairedValues, fixed: Collection[str] = ()) -> CrossedRuns:
        """Sort runs by their models; of a model that is fixed one is as good as all."""
        found: dict[str, list[int]] = {}
        for place, name in enumerate(rows.models):
            model, seed = run_of(name)
            if seed == 1 or model not in fixed:
                found.setdefault(model, []).append(place)
        return cls(
            tuple(found),
            rows,
            tuple(map(tuple, found.values())),
            tuple(model in fixed for model in found),
            rows.left_out,
            rows.groups,
            rows.times,
        )

    @property
    def difference(self) -> str:
        """The test that compares two recipes on these rows by any metric."""
        by_values = isinstance(self.rows, PairedValues)
        return "recipe_mean_difference" if by_values else "recipe_difference"

    @property
    def metric(self) -> str:
        """What the runs are compared by."""
        return self.rows.metric

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.rows.n

    def arguments(self, entry: Entry, models: Sequence[int]) -> list[Any]:
        """Return the truth, where there is one, and the runs of some models."""
        places = [place for m in models for place in self.runs[m]]
        *truth, first = self.rows.arguments(entry, places[:1])
        rest = [self.rows.arguments(entry, [place])[-1] for place in places[1:]]
        each = dict(zip(places, [first, *rest], strict=True))
        runs = [Runs([each[p] for p in self.runs[m]], self.deterministic[m]) for m in models]
        return [*truth, *runs]

    def matrix(self, entry: Entry) -> list[Any]:
        """Return the truth, where there is one, and a list of the runs of all models."""
        found = self.arguments(entry, range(len(self.models)))
        truth = len(found) - len(self.models)
        return [*found[:truth], found[truth:]]

    def managed(self, entry: Entry) -> dict[str, Any]:
        """Return the groups of the rows, their metric and classes."""
        return {**self.rows.managed(entry), **super().managed(entry)}

    def missing(self, models: Sequence[int]) -> str:
        """Say why some models cannot be compared; empty when they can."""
        return self.rows.missing([place for m in models for place in self.runs[m]])

"""What tests assume of rows in the order of time when they take blocks of times for groups."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bakeoff.comparisons.comparison import Comparison
from bakeoff.comparisons.evidence import AnyEvidence, PairedPredictions, PairedValues
from bakeoff.comparisons.held_out import difference_options
from bakeoff.comparisons.settings import FIXED_METRICS
from bakeoff.spec import Costs
from bakeoff.stats import Assumption, Entry, catalogue, influence
from bakeoff.stats.design.clusters import TIME_BLOCKS, as_clusters
from bakeoff.stats.metrics.functional import NoValue
from bakeoff.stats.metrics.metric import Form
from bakeoff.stats.metrics.named import metric_called
from bakeoff.stats.rows.ordered import independent_blocks


@dataclasses.dataclass(frozen=True)
class TimeBlocks:
    """The blocks of time that a test takes for groups, where it does."""

    evidence: AnyEvidence
    entry: Entry
    costs: Costs | None = None

    def annotated(self, comparison: Comparison) -> Comparison:
        """Say with a comparison whether the dependence of its rows fades within blocks of time."""
        if not self._used:
            return comparison
        compared = filter(None, (comparison.model_a, comparison.model_b))
        checks = self.checks([self.evidence.models.index(model) for model in compared])
        known = comparison.result.get("assumptions", [])
        plain = [dataclasses.asdict(check) for check in checks]
        result = {**comparison.result, "assumptions": [*known, *plain]}
        return dataclasses.replace(comparison, result=result) if checks else comparison

    def checks(self, models: Sequence[int] = ()) -> tuple[Assumption, ...]:
        """Return what is assumed of the rows of some models, or of all of them."""
        rows = self.evidence
        if not self._used:
            return ()
        assert isinstance(rows, PairedPredictions | PairedValues)
        assert rows.times is not None
        at = [m for m in models or range(len(rows.models)) if not rows.missing([m])]
        if len(at) < len(models) or not at:
            return ()
        with suppress(NoValue):  # the test itself says why it has no answer
            values = np.column_stack([self._influence(m) for m in at])
            times = as_clusters(rows.times, rows.n)
            return (independent_blocks(values, times, TIME_BLOCKS),)
        return ()

    @cached_property
    def _used(self) -> bool:
        """Whether the test takes blocks of the times of its rows for groups."""
        rows = self.evidence
        return isinstance(rows, PairedPredictions | PairedValues) and rows.in_blocks(self.entry)

    def _influence(self, model: int) -> NDArray[np.float64]:
        """Return by how much each row moves what the test compares a model by."""
        if model not in self._known:
            self._known[model] = self._computed(model)
        return self._known[model]

    @cached_property
    def _known(self) -> dict[int, NDArray[np.float64]]:
        return {}

    def _computed(self, model: int) -> NDArray[np.float64]:
        if isinstance(self.evidence, PairedValues):
            return np.asarray(self.evidence.values[:, model], dtype=np.float64)
        assert isinstance(self.evidence, PairedPredictions)
        metric = FIXED_METRICS.get(self.entry.evidence, self.evidence.metric)
        rows = dataclasses.replace(self.evidence, metric=metric)
        if metric_called(rows.engine_metric).form is Form.LEFT_OUT:
            return rows.quality(model)  # it has no formula for its influence
        options = difference_options(rows, self.costs) | {"groups": None}
        arguments = rows.arguments(catalogue()[rows.difference], [model])
        return influence(*arguments, **options).drawn_from

"""How small a test's p-value can be at all: too few rows, groups or data sets never tell."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from bakeoff.comparisons.comparison import Comparison
from bakeoff.comparisons.dependence import assumes_independence
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    DatasetScores,
    PairedPredictions,
    PairedValues,
)
from bakeoff.comparisons.evidence.related import TIME_BLOCKS
from bakeoff.comparisons.family import Context, run_test
from bakeoff.comparisons.setup import setup_of, takes_control
from bakeoff.spec import Costs, Experiment
from bakeoff.stats import Arity, Entry, Evidence, TypeOneError

FEW = 40
"""From here on rows, groups and times set no limit that matters."""
Model = TypeVar("Model", bound=BaseModel)
_OF_ROWS = (Evidence.CORRECTNESS, Evidence.VALUES, Evidence.LABELS)


class RowCounts(NamedTuple):
    """What is known of the rows of a test set before they are looked at.

    Attributes
    ----------
    rows : int
        How many there are.
    groups, times : int or None
        How many different groups or times they have, where they declare one.
    """

    rows: int
    groups: int | None = None
    times: int | None = None


def smallest_p(entry: Entry, experiment: Experiment, size: RowCounts | None = None) -> float:
    """Return the smallest adjusted p-value that a test could give, were one model ahead throughout.

    Parameters
    ----------
    size : RowCounts, optional
        The rows of the test set, where they are known.

    Returns
    -------
    float
        The p-value on the clearest evidence; 0 where the evidence sets no limit, or is not known.
    """
    if entry.type1 is TypeOneError.BAYESIAN or "margin" in entry.options:
        return 0.0
    costs = _costs(experiment)
    context = Context("", "", experiment.metrics[0], True, experiment.tests, costs=costs)
    found = [
        row for data in _clearest(entry, experiment, size) for row in run_test(entry, data, context)
    ]
    if not found:
        return 0.0
    pairs = [row for row in found if row.role == "pair"] or found
    return min(map(_at_least, pairs))


def _at_least(row: Comparison) -> float:
    """Return an adjusted p-value; where a test has too few groups, what kept it from answering."""
    if row.pvalue_adjusted >= 0:
        return row.pvalue_adjusted
    exact = row.result.get("details", {}).get("pvalue_exact")
    return min(1.0, exact * row.family_size) if isinstance(exact, float) else 1.0


def can_tell(entry: Entry, experiment: Experiment, size: RowCounts | None = None) -> bool:
    """Whether any evidence of this size could be significant."""
    return smallest_p(entry, experiment, size) <= setup_of(entry, experiment.tests).alpha


def remedies(entry: Entry, experiment: Experiment, size: RowCounts) -> str:
    """Say what would let a test reach its level that cannot: more groups, or fewer comparisons.

    More times do not help a test that cuts them into a fixed number of blocks.
    """
    found, tests, models = [], experiment.tests, list(experiment.models)
    unit = next((one for one in ("times", "groups") if getattr(size, one) is not None), "rows")
    for more in range(getattr(size, unit) + 1, FEW):
        if can_tell(entry, experiment, size._replace(**{unit: more})):
            found.append(f"at least {more} {unit}")
            break
    if setup_of(entry, tests).versus is None and len(models) > 2:
        most = next(
            (
                m
                for m in range(len(models) - 1, 1, -1)
                if can_tell(entry, _with(experiment, models=dict.fromkeys(models[:m])), size)
            ),
            None,
        )
        found += [f"at most {most} models"] if most else []
        baseline = _with(experiment, tests=_with(tests, versus=models[0]))
        if takes_control(entry) and can_tell(entry, baseline, size):
            found.append("a comparison of each model with one baseline (versus)")
    return " or ".join(filter(None, (", ".join(found[:-1]), *found[-1:])))


def _with(model: Model, **changed: object) -> Model:
    """Return a copy of an experiment or of its part with something changed."""
    return model.model_copy(update=changed)


def _clearest(
    entry: Entry, experiment: Experiment, size: RowCounts | None
) -> Iterator[AnyEvidence]:
    """Let the first model be ahead of all others throughout, then the last one."""
    models, k = tuple(experiment.models), len(experiment.models)
    if entry.evidence is Evidence.DATASET_SCORES:
        n = len(experiment.datasets)
        lead = np.outer(1 + np.arange(n) / (10 * n), np.arange(k)[::-1] / (2 * k))
        noisy = lead.copy()
        noisy[0, 1:] = lead[0, :0:-1]  # some tests need noise, if only between the others
        for scores in (lead, lead[:, ::-1], noisy, noisy[:, ::-1]):
            yield DatasetScores(models, tuple(experiment.datasets), scores)
    if size is None or entry.evidence not in _OF_ROWS:
        return
    if assumes_independence(entry, experiment):
        size = RowCounts(size.rows)
    n, kind = _units(entry, size)
    if not 0 < n < FEW:
        return
    related: dict[str, Any] = {kind: np.arange(n)} if kind else {}
    for best in (0, k - 1):
        ahead = np.zeros((n, k), dtype=np.int8)
        ahead[:, best] = 1
        spoilt = ahead.copy()
        spoilt[-1, best] = 0  # a variance that is estimated must not be 0
        for one in (ahead, spoilt) if kind else (ahead,):
            data = _evidence(entry, experiment, models, one)
            yield dataclasses.replace(data, **related)


def _units(entry: Entry, size: RowCounts) -> tuple[int, str]:
    """Count what a test takes for independent, and say what that is; 0 where it sets no limit."""
    alone = size.groups is None and size.times is None and entry.variants is not None
    if entry.evidence is Evidence.CORRECTNESS and (entry.in_groups or alone):
        return size.rows, ""
    if entry.arity is Arity.ONE:
        return 0, ""
    if size.times is not None and "times" in entry.options:
        return size.times, "times"
    if size.times is not None and "groups" in entry.options:
        return min(size.times, TIME_BLOCKS), "times"
    if size.groups is not None and "groups" in entry.options:
        return size.groups, "groups"
    return 0, ""


def _evidence(
    entry: Entry, experiment: Experiment, models: tuple[str, ...], ahead: NDArray[np.int8]
) -> PairedPredictions | PairedValues:
    """Return rows on which a model is right, or has the greater number, where it is ahead."""
    if entry.evidence is Evidence.VALUES:
        return PairedValues(models, ahead.astype(np.float64))
    costs = _costs(experiment)
    classes = ("no", "yes") if costs is None else tuple(costs.names[:2])
    return PairedPredictions(models, classes, np.ones(len(ahead), np.int8), ahead)


def _costs(experiment: Experiment) -> Costs | None:
    found = (experiment.costs_on(dataset) for dataset in experiment.datasets)
    return next((costs for costs in found if costs is not None), None)

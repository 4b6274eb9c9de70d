"""Which pairs a family has, and how its p-values are adjusted."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.comparisons.settings import jointly
from bakeoff.spec import PlannedTest
from bakeoff.stats import ArgumentError, Arity, Result, catalogue
from bakeoff.stats.core.multiplicity import adjust_pvalues
from bakeoff.stats.core.pairs import check_correction as check_family
from bakeoff.stats.core.pairs import pairs_of as all_pairs
from bakeoff.stats.metrics.all_pairs import MAX_T


def pairs_of(models: Sequence[str], versus: str | None) -> list[tuple[int, int]]:
    """List all pairs (0, 1), (0, 2), ..., or the control, as A, against each other model."""
    return all_pairs(len(models), None if versus is None else list(models).index(versus))


def level_of_each(test: PlannedTest, models: Sequence[str]) -> float:
    """Return the level at which each pair is tested if all share it equally, for planning."""
    pairs = len(pairs_of(models, test.versus))
    return test.alpha / (1 if test.correction in (None, "none", "BH", "BY") else max(pairs, 1))


def check_correction(test: PlannedTest, correction: str) -> None:
    """Refuse a correction that does not hold for a test's family."""
    entry = catalogue()[test.name]
    if correction == MAX_T and not jointly(entry):
        raise ArgumentError(
            "correction",
            "'max-t' is for all pairs of metric_difference and of mean_difference, "
            f"{entry.name} tests each pair by itself; use 'holm'",
        )
    if correction == MAX_T and (alone := test.options.keys() - entry.family_options):
        raise ArgumentError(
            min(alone), f"'max-t' has one form for all pairs, without {min(alone)}; use 'holm'"
        )
    if correction != "shaffer":
        return
    if entry.arity is Arity.ONE or "margin" in entry.options:
        raise ArgumentError(
            "correction",
            f"{correction!r} counts which pairs of models can be equal at once, "
            f"{entry.name} tests another hypothesis; use 'holm'",
        )
    control = None if test.versus is None else 0
    check_family(correction, control, test.alternative)


def adjust(results: Sequence[Result], test: PlannedTest, correction: str) -> list[float]:
    """Adjust the p-values of a family."""
    adjusted = adjust_pvalues([r.pvalue for r in results], correction)
    return [float(p) for p in adjusted]

"""Where a test that is liberal for some learners or situations is so in one experiment."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from bakeoff.comparisons import advisable, with_halves
from bakeoff.scores import METRICS
from bakeoff.spec import Experiment
from bakeoff.spec.learners import FAMILIES, families
from bakeoff.spec.related import dependent
from bakeoff.stats import Entry, catalogue

BY_AUC = " by AUC"


@dataclasses.dataclass(frozen=True)
class Leniency:
    """What of an experiment makes a test find too much.

    Attributes
    ----------
    models : tuple of str
        Models of a family of learners for which it is liberal.
    unknown : tuple of str
        Where it is liberal for any learners: the models of no family that was simulated.
    where : tuple of str
        Other situations, as parts of a sentence.
    """

    models: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    where: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.models or self.unknown or self.where)


def leniency(
    entry: Entry,
    experiment: Experiment,
    failed: Collection[str] = (),
    metric: str | None = None,
) -> Leniency:
    """Say where a test is liberal in an experiment, some fits of whose models failed.

    By one metric; None for any of the experiment's.
    """
    metrics = list(experiment.metrics) if metric is None else [metric]
    own = {name: families(model) for name, model in experiment.fitted.items()}
    by_auc = "roc_auc" in metrics
    learners = {
        family.removesuffix(BY_AUC)
        for family in entry.liberal_for
        if by_auc or not family.endswith(BY_AUC)
    } & set(FAMILIES)
    return Leniency(
        tuple(name for name, found in own.items() if learners & found),
        tuple(name for name, found in own.items() if learners and not found),
        tuple(filter(None, (_where(f, experiment, metrics, failed) for f in entry.liberal_for))),
    )


def _where(
    family: str, experiment: Experiment, metrics: Collection[str], failed: Collection[str]
) -> str:
    """Put a situation into words; empty where the experiment is not in it."""
    related = {kin.kind for kin in dependent(experiment).values()}
    if family.removesuffix(BY_AUC) in FAMILIES or family == "seeds alone":
        return ""
    if family in METRICS:
        return f"by {METRICS[family].title}" if family in metrics else ""
    known = {
        "rows in groups": "group" in related,
        "failing fits": bool(failed),
        "groups of one size": "group" in related,
        "groups of unlike size": "group" in related,
        "autocorrelation": "time" in related,
        "strong autocorrelation": "time" in related,
    }
    return f"for {family}" if known.get(family, True) else ""


def instead_of(entry: Entry, experiment: Experiment, failed: Collection[str] = ()) -> Entry | None:
    """Return the test to run instead: one that the experiment could run, and that holds in it."""
    possible = with_halves(experiment)
    if not entry.instead or possible is None or not advisable([entry.instead], possible):
        return None
    other = catalogue()[entry.instead]
    return None if leniency(other, experiment, failed) else other

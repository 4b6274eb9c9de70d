"""Where a test that is liberal for some learners or situations is so in one experiment."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping

from bakeoff.comparisons.comparison import Comparison
from bakeoff.comparisons.feed import advisable, with_halves
from bakeoff.scores import METRICS
from bakeoff.spec import Experiment
from bakeoff.spec.learners import FAMILIES, families
from bakeoff.spec.related import dependent
from bakeoff.stats import Entry, catalogue

BY_AUC = " by AUC"
_BY_RESULT = ("autocorrelation", "strong autocorrelation")
"""Situations that the data of every comparison show, so that the experiment need not guess."""
OF_RELATED_ROWS = {
    *("groups of one size", "groups of unlike size", "autocorrelation", "strong autocorrelation"),
}
"""Situations that rows in groups or in the order of time make."""
_INFLATES = (
    "dependence that fades",
    "enough independent times",
    "symmetric cluster differences",
)
"""What a test checks of dependent rows; where it fails, the test rejects too often."""


def measured(row: Comparison) -> list[str]:
    """Return the details of the checks that failed, and by which a test rejects too often."""
    checks = row.result.get("assumptions", ())
    return [one["detail"] for one in checks if one["holds"] is False and one["name"] in _INFLATES]


@dataclasses.dataclass(frozen=True)
class Leniency:
    """What of an experiment makes a test find too much.

    Attributes
    ----------
    models : Mapping of str to tuple of str
        Models of families of learners for which it is liberal, and these families.
    unknown : tuple of str
        Where it is liberal for any learners: the models of no family that was simulated.
    where : tuple of str
        Other situations, as parts of a sentence.
    instead : Entry, optional
        The test to run instead: one that the experiment could run, and that holds in it.
    """

    models: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    instead: Entry | None = None

    def __bool__(self) -> bool:
        return bool(self.models or self.unknown or self.where)

    def caution(self, compared: Collection[str]) -> str:
        """Say of the comparison of some models, in a few words, what is known against the test.

        As in ``liberal for neighbours (knn); instead half_sample_t``; empty where nothing is.
        """
        concerned = [model for model in self.models if model in compared]
        unknown = [model for model in self.unknown if model in compared]
        kinds = dict.fromkeys(kind for model in concerned for kind in self.models[model])
        of_learners = f"for {', '.join(kinds)} ({', '.join(concerned)})" if concerned else ""
        where = list(filter(None, (of_learners, *self.where)))
        parts = [f"liberal {' and '.join(where)}"] if where else []
        if unknown:
            parts.append(f"not simulated for learners like {', '.join(unknown)}")
        if where and self.instead:
            parts.append(f"instead {self.instead.name}")
        return "; ".join(parts)


def leniency(
    entry: Entry,
    experiment: Experiment,
    failed: Collection[str] = (),
    metric: str | None = None,
    dataset: str = "",
) -> Leniency:
    """Say where a test is liberal in an experiment, some fits of whose models failed.

    By one metric, None for any of the experiment's; on one data set, empty for any of them.
    """
    if not entry.liberal_for:
        return Leniency()
    metrics = list(experiment.metrics) if metric is None else [metric]
    by_auc = "roc_auc" in metrics
    learners = [
        kind
        for kind in entry.liberal_for
        if kind.removesuffix(BY_AUC) in FAMILIES and (by_auc or not kind.endswith(BY_AUC))
    ]
    own = {name: families(model) for name, model in experiment.fitted.items()}
    models = {
        name: tuple(kind for kind in learners if kind.removesuffix(BY_AUC) in found)
        for name, found in own.items()
    }
    found = Leniency(
        {name: kinds for name, kinds in models.items() if kinds},
        tuple(name for name, found in own.items() if learners and not found),
        tuple(
            where
            for family in entry.liberal_for
            if (where := _where(family, experiment, metrics, failed, dataset))
        ),
    )
    if not (found.models or found.where):
        return found
    return dataclasses.replace(found, instead=_instead(entry, experiment, failed, metric, dataset))


def _where(
    family: str,
    experiment: Experiment,
    metrics: Collection[str],
    failed: Collection[str],
    dataset: str,
) -> str:
    """Put a situation into words; empty where the experiment is not in it."""
    related = {kin.kind for name, kin in dependent(experiment).items() if dataset in ("", name)}
    known_otherwise = (*FAMILIES, "seeds alone", *_BY_RESULT)
    if family.removesuffix(BY_AUC) in known_otherwise:
        return ""
    if family in METRICS:
        return f"by {METRICS[family].title}" if family in metrics else ""
    known = {
        "rows in groups": "group" in related,
        "failing fits": bool(failed),
        "groups of one size": "group" in related,
        "groups of unlike size": "group" in related,
    }
    return f"for {family}" if known.get(family, True) else ""


def _instead(
    entry: Entry,
    experiment: Experiment,
    failed: Collection[str],
    metric: str | None,
    dataset: str,
) -> Entry | None:
    possible = with_halves(experiment) or experiment
    if not entry.instead or not advisable([entry.instead], possible):
        return None
    other = catalogue()[entry.instead]
    return None if leniency(other, experiment, failed, metric, dataset) else other

"""The settings of one test: what all tests share, what the experiment says of this one."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

from bakeoff.scores import METRICS
from bakeoff.spec import Costs, HypothesisTests
from bakeoff.stats import Arity, Entry, Evidence, TypeOneError
from bakeoff.stats.metrics.all_pairs import MAX_T

MANAGED = {
    "confidence_level": "it follows from `alpha` and the correction",
    "control": "name the model in `versus`",
    "greater_is_better": "the metric knows",
    "n_train": "the sizes of the splits are handed over",
    "n_test": "the sizes of the splits are handed over",
    "row_counts": "the rows are counted",
    "groups": "name the column in `groups:` of the data set",
    "times": "name the column in `time:` of the data set",
    "allow_two_models": "for two models use mcnemar",
    "cost": "give `costs:` at the top level, or under the data set",
    "classes": "give `costs:` at the top level, or under the data set",
    "priors": "give `priors` in `costs:`",
    "metric": "name the metrics in `metrics`",
    "labels": "the data set has its classes",
    "positive": "give `positive:` of the data set",
    "beta": "name the metric, such as f2",
    "k": "name the metric",
    "criteria": "name the metrics in `metrics`",
    "seed": "it is derived from the experiment's `seed`",
    "full_repeats": "it is that of the plan `halves`",
}
"""Parameters of the tests' functions that no experiment sets, and where their values come from."""

SHARED = ("alternative", "rope", "margin")
"""Parameters that `tests:` may set for all tests that have them."""

IN_UNIT = ("mu0", "margin", "rope")
"""Parameters in the unit of a metric: what is right for one metric is wrong for another."""

FIXED_METRICS = {
    evidence: metric.name for metric in reversed(METRICS.values()) for evidence in metric.evidence
}
"""The metric that a test on rows is about."""

_OWN_CORRECTIONS = (Arity.PAIR, Arity.ONE)


@dataclasses.dataclass(frozen=True)
class Setup:
    """The settings of one test, every default filled in.

    Attributes
    ----------
    alpha : float
        The level of its decisions.
    correction : str
        How its family is adjusted; ``none`` for posteriors, which have no p-values.
    versus : str or None
        The control, for tests of pairs.
    alternative : str
        The side of the test; ``two-sided`` where it has no other.
    simultaneous : bool
        Whether the intervals of a family hold together, or each by itself.
    options : Mapping
        Parameters for its function, but for `MANAGED` ones and the correction.
    """

    alpha: float
    correction: str
    versus: str | None
    alternative: str
    simultaneous: bool
    options: Mapping[str, Any]


def setup_of(entry: Entry, settings: HypothesisTests, models: int = 3) -> Setup:
    """Fill in the settings of one test; of two models there is no maximum to adjust by."""
    own = settings.of(entry.name)
    options = {k: v for k, v in own.items() if k in entry.all_options and k not in ("alpha",)}
    for name in SHARED:
        shared = getattr(settings, name)
        if name in entry.options and shared is not None:
            options.setdefault(name, shared)
    if corrects(entry):
        options.pop("correction", None)
    options.pop("simultaneous", None)
    return Setup(
        alpha=own.get("alpha", settings.alpha),
        correction=_correction(entry, settings, models),
        versus=own.get("versus", settings.versus) if compares_pairs(entry) else None,
        alternative=options.get("alternative", "two-sided"),
        simultaneous=own.get("simultaneous", True),
        options=options,
    )


def cost_options(costs: Costs | None, metric: str) -> dict[str, Any]:
    """Return what tests by a metric are told of costs, the classes in the order of the matrix."""
    if costs is None:
        return {}
    found = {"cost": costs.matrix, "classes": costs.names, "priors": costs.priors}
    return (
        {**found, "labels": costs.names} if metric in METRICS and METRICS[metric].priced else found
    )


def corrects(entry: Entry) -> bool:
    """Tell whether a test's family is adjusted by a correction that the experiment may choose."""
    if entry.arity in _OWN_CORRECTIONS:
        return entry.type1 is not TypeOneError.BAYESIAN
    return entry.arity is Arity.ALL_PAIRS and "correction" in entry.options


def compares_pairs(entry: Entry) -> bool:
    """Tell whether a test is about pairs of models."""
    return entry.arity in (Arity.PAIR, Arity.ALL_PAIRS)


def takes_control(entry: Entry) -> bool:
    """Tell whether a test can compare one model with each other instead of all pairs."""
    return entry.arity is Arity.PAIR or "control" in entry.options


def allowed_options(entry: Entry) -> list[str]:
    """List what an experiment may say of one test."""
    found = {"alpha", *(name for name in entry.all_options if name not in MANAGED)}
    if entry.evidence not in FIXED_METRICS:
        found.add("metrics")
    if len(entry.plans) > 1:
        found.add("plan")
    if entry.can_take_rows_for_independent:
        found.add("assume_independent")
    if corrects(entry):
        found.add("correction")
    if corrects(entry) and entry.arity is Arity.PAIR:
        found.add("simultaneous")
    if compares_pairs(entry):
        found.add("versus")  # null, for tests of all pairs where the others have a control
    return sorted(found)


def jointly(entry: Entry) -> bool:
    """Tell whether a test adjusts all pairs by the largest statistic, if told nothing else."""
    own = inspect.signature(entry.all_pairs or entry.function).parameters.get("correction")
    return own is not None and own.default == MAX_T


def _correction(entry: Entry, settings: HypothesisTests, models: int) -> str:
    if not corrects(entry):
        return "none"
    related = entry.evidence.on_rows and not {"groups", "times"}.isdisjoint(entry.options)
    holm = entry.evidence is Evidence.DATASET_SCORES or related
    default = "holm" if holm else "bonferroni"
    asked: str | None = settings.of(entry.name).get("correction") or settings.correction
    joint = jointly(entry) and asked in (None, MAX_T)
    if joint and (models > 2 or entry.arity is Arity.ALL_PAIRS):
        return MAX_T
    return default if joint else asked or default

"""Cautions: where simulations show an inflated type I error of a test of models like these."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence

from bakeoff.comparisons.comparison import Comparison
from bakeoff.comparisons.dependence import deterministic, several_runs
from bakeoff.comparisons.recommend import ON_ROWS
from bakeoff.comparisons.settings import FIXED_METRICS
from bakeoff.errors import joined
from bakeoff.scores import METRICS, counted_rows
from bakeoff.spec import Experiment, PlannedTest
from bakeoff.spec.learners import LEARNERS, REGRESSION, learners, moves_threshold
from bakeoff.spec.related import dependent
from bakeoff.stats import Entry, ErrorRate, TypeOneError, catalogue

_SITUATIONS = {
    "failing fits": "where some fits fail",
    "unlike learners": "with learners of different kinds",
    "errors on different rows": "where two models err on different rows",
    "rare failures, one model deterministic": "where rare runs fail and the other model is "
    "deterministic",
    "skewed runs, unequal numbers": "where the scores of runs are skewed and their numbers unequal",
}
"""Situations as parts of a sentence, where that is not "with" and their name."""

_BY_RESULT = (
    "autocorrelation",
    "strong autocorrelation",
    "few rows",
    "few errors",
    "rare large errors",
)
"""Situations that the data of every comparison show, so that the experiment need not guess."""
_INFLATES = (
    "dependence that fades",
    "dependence that fades within a block",
    "enough independent times",
    "symmetric group differences",
    "the difference carried by enough rows",
    "exchangeable models",
)
"""What a test checks of its data; where it fails, the test rejects too often."""


INFLATED = "{test} has an inflated type I error {where}: {why}."
NOT_SIMULATED = (
    "{test} has an inflated type I error with some learners and was not simulated with learners "
    "like {models}."
)
"""What a caution says."""


def measured(row: Comparison) -> list[str]:
    """Return the details of the checks that failed, and by which a test rejects too often."""
    checks = row.result.get("assumptions", ())
    return [one["detail"] for one in checks if one["holds"] is False and one["name"] in _INFLATES]


@dataclasses.dataclass(frozen=True)
class Inflated:
    """A kind of learner, or a situation, in which the type I error of a test is inflated."""

    where: str
    models: tuple[str, ...]
    rate: ErrorRate


@dataclasses.dataclass(frozen=True)
class Cautions:
    """Simulated type I errors that speak against a test in one experiment."""

    entry: Entry
    inflated: tuple[Inflated, ...] = ()
    unknown: tuple[str, ...] = ()
    instead: tuple[Entry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.inflated or self.unknown)

    def of(
        self,
        compared: Collection[str],
        named: Callable[[Entry], str] = lambda entry: entry.name,
        shown: Callable[[str], str] = str,
    ) -> list[str]:
        """Return the cautions about a comparison of some models, a sentence each."""
        found = []
        tests = [f"{named(entry)} (plan {entry.plans[0]})" for entry in self.instead]
        use = f" Use {' or '.join(tests)} instead." if tests else ""
        concerned = [
            one for one in self.inflated if not one.models or set(one.models) & {*compared}
        ]
        if concerned:
            parts: list[str] = []
            for one in concerned:
                here = joined([shown(model) for model in one.models if model in compared])
                where = one.where.removeprefix("with ") if parts else one.where
                parts.append(f"{where} (here: {here})" if here else where)
            why = f"{inflation([one.rate for one in concerned])} at the .05 level in simulations"
            found.append(
                INFLATED.format(test=named(self.entry), where=joined(parts), why=why) + use
            )
        unknown = [shown(model) for model in self.unknown if model in compared]
        if unknown:
            found.append(NOT_SIMULATED.format(test=named(self.entry), models=joined(unknown)))
        return found


def inflation(rates: Sequence[ErrorRate]) -> str:
    """Say how often a test rejects true nulls at most: ``up to .13``, by which metric."""
    worst = max(rates, key=lambda rate: rate.rate)
    by = f" by {METRICS[worst.metric].title}" if worst.metric else ""
    return f"up to {f'{worst.rate:.2f}'.lstrip('0')}{by}"


def rates_by(rates: Sequence[ErrorRate], metric: str) -> list[ErrorRate]:
    """Keep the rates that speak of a metric: by it, else by accuracy, else by any."""
    accuracy = FIXED_METRICS["correctness"]
    for studied in (METRICS[metric].studied_by if metric in METRICS else accuracy, accuracy):
        if own := [rate for rate in rates if (rate.metric or accuracy) == studied]:
            return own
    return list(rates)


def cautions(
    test: PlannedTest,
    experiment: Experiment,
    failed: Collection[str] = (),
    metric: str | None = None,
    dataset: str = "",
) -> Cautions:
    """Collect the simulated type I errors that speak against a test in an experiment."""
    entry = catalogue()[test.name]
    if not entry.liberal_for:
        return Cautions(entry)
    where = experiment, failed, list(experiment.metrics) if metric is None else [metric], dataset
    found = _inflated(entry, *where)
    numbers = experiment.task.numbers
    own = [rate for rate in entry.rates if rate.setting in LEARNERS and of_task(rate, numbers)]
    breaks, simulated = _liberal(own), {rate.setting for rate in own}
    made_of = {name: learners(m, numbers=numbers) for name, m in experiment.learners.items()}
    unknown = tuple(
        name
        for name, one in made_of.items()
        if breaks and not (one.simulated and one.kinds <= simulated)
    )
    better = [catalogue()[name] for name in test.better if name != ON_ROWS or counted_rows(metric)]
    instead = [one for one in better if not _inflated(one, *where)] if found else []
    return Cautions(entry, tuple(found), unknown, tuple(instead))


def of_task(rate: ErrorRate, numbers: bool) -> bool:
    """Tell whether a rate was simulated with the task of an experiment, or is of any."""
    regression = rate.setting.endswith(REGRESSION)
    return regression if numbers and rate.setting in LEARNERS else numbers or not regression


def _liberal(rates: Iterable[ErrorRate]) -> set[ErrorRate]:
    return {rate for rate in rates if rate.verdict is TypeOneError.LIBERAL}


def _inflated(
    entry: Entry,
    experiment: Experiment,
    failed: Collection[str],
    metrics: Sequence[str],
    dataset: str,
) -> list[Inflated]:
    """List kinds of learners and situations of an experiment in which a test is liberal."""
    numbers = experiment.task.numbers
    known = {name: learners(m, numbers=numbers).kinds for name, m in experiment.learners.items()}
    found, liberal = [], _liberal(entry.rates)
    for kind in LEARNERS:
        own = [rate for rate in entry.rates if rate.setting == kind]
        of_metrics = {rate for one in metrics for rate in rates_by(own, one)}
        worst = max(of_metrics & liberal, key=lambda rate: (rate.rate, rate.metric), default=None)
        models = tuple(name for name, kinds in known.items() if kind in kinds)
        if models and worst:
            found.append(Inflated(f"with {kind.removesuffix(REGRESSION)}", models, worst))
    settings = {rate.setting for rate in entry.rates}
    for rate in entry.rates:
        if not of_task(rate, numbers) or (numbers and f"{rate.setting}{REGRESSION}" in settings):
            continue
        where = _where(rate.setting, experiment, metrics, failed, dataset)
        if where and rate in liberal:
            found.append(Inflated(where, (), rate))
    return found


def _where(
    setting: str,
    experiment: Experiment,
    metrics: Collection[str],
    failed: Collection[str],
    dataset: str,
) -> str:
    """Put a situation into words; empty where the experiment is not in it."""
    related = {kin.kind for name, kin in dependent(experiment).items() if dataset in ("", name)}
    if setting in LEARNERS:
        return ""
    setting = setting.removesuffix(REGRESSION)
    if setting in (*_BY_RESULT, "seeds alone"):
        return ""
    if setting in METRICS:
        return f"by {METRICS[setting].title}" if setting in metrics else ""
    fitted = experiment.learners.values()
    known = {
        "rows in groups": "group" in related,
        "failing fits": bool(failed),
        "class weights, costs or tuned thresholds": any(map(moves_threshold, fitted)),
        "unlike learners": len({learners(m, numbers=True).kinds for m in fitted} - {frozenset()})
        > 1,
        "groups of one size": "group" in related,
        "groups of unlike size": "group" in related,
        "rare failures, one model deterministic": bool(
            several_runs(experiment) and deterministic(experiment)
        ),
        "skewed runs, unequal numbers": len({*map(experiment.seeds, several_runs(experiment))}) > 1,
    }
    return _SITUATIONS.get(setting, f"with {setting}") if known.get(setting, True) else ""

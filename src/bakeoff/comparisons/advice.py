"""What speaks against a test: smallest p-values above its level, and simulated error rates."""

from __future__ import annotations

import dataclasses
import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bakeoff.comparisons.analysis import Analysis
from bakeoff.comparisons.choose import ON_ROWS
from bakeoff.comparisons.settings import (
    BY_FLIPS,
    FIXED_METRICS,
    check_correction,
    compares_pairs,
    correction_among,
    deterministic,
    has_test,
    pairs_of,
    takes_control,
    with_keys,
)
from bakeoff.errors import joined
from bakeoff.scores import METRICS
from bakeoff.spec import PlannedTest
from bakeoff.spec.learners import LEARNERS, REGRESSION, learners, moves_threshold
from bakeoff.stats import (
    ArgumentError,
    Arity,
    Entry,
    ErrorRate,
    Evidence,
    TypeOneError,
    binomial_test_from_counts,
    catalogue,
    mcnemar_from_counts,
    proportion_difference_from_counts,
)
from bakeoff.stats.core.distributions import range_sf, t_pvalue
from bakeoff.stats.core.max_t import MAX_T
from bakeoff.stats.core.pairs import adjust_pvalues, simultaneous_level
from bakeoff.stats.core.result import Alternative
from bakeoff.stats.datasets.sign_flips import SIGN_FLIPS
from bakeoff.stats.design.clusters import TIME_BLOCKS
from bakeoff.stats.design.groups import FEWEST_CLUSTERS, FLIPS, too_few_clusters
from bakeoff.stats.rows.ordered import too_few_times

FEW = 40
"""From here on rows, groups and times set no limit that matters."""
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
    "seeds alone",
    "rare costly errors",
    "few rows of a class",
)
"""Situations that the data of every comparison show, so that the experiment need not guess."""
_IN_GROUPS = ("rows in groups", "groups of one size", "groups of unlike size")
"""Situations of rows in groups."""
INFLATED = "{test} has an inflated type I error {where}: {why}."
NOT_SIMULATED = (
    "{test} has an inflated type I error with some learners and was not simulated with learners "
    "like {models}."
)
"""What a caution says."""

# --- smallest p-values


class RowCounts(NamedTuple):
    """What is known of the rows of a test set before they are looked at."""

    rows: int
    groups: int | None = None
    times: int | None = None


def smallest_pvalue(
    test: PlannedTest,
    analysis: Analysis,
    size: RowCounts | None = None,
    *,
    models: Sequence[str] = (),
    units: int = 0,
) -> float:
    """Return the smallest adjusted p-value that a test, or its post hoc test, can have."""
    # It is 0 where nothing bounds it, as for a t test of folds, and 1 where the test cannot answer.
    models = models or list(analysis.models)
    units = units or len(analysis.tests.units(analysis.datasets))
    test = test.posthoc or test
    entry = catalogue()[test.name]
    if not _is_bounded(entry, size):
        return 0.0
    k = len(models)
    correction = correction_among(entry, test.correction or "none", k, test.related)
    try:
        check_correction(test, correction)
    except ArgumentError:
        return 1.0
    test = dataclasses.replace(test, correction=correction)
    pairs: list[tuple[int, int]] = []
    if compares_pairs(entry):
        pairs = pairs_of(models, test.versus)
    if size is None or entry.evidence is Evidence.DATASETS:
        pvalues = _over_datasets(test, units, k, pairs)
    else:
        if test.independent_rows:
            size = RowCounts(size.rows)
        hypotheses = k
        if entry.arity is Arity.PAIR:
            hypotheses = len(pairs)
        pvalues = [_on_rows(test, entry, size, hypotheses)] * hypotheses
    method = correction
    if correction in (MAX_T, SIGN_FLIPS):
        # of statistics that agree in every way the largest is as likely as any of them
        method = "none"
    return float(min(adjust_pvalues(pvalues, method), default=0.0))


def _is_bounded(entry: Entry, size: RowCounts | None) -> bool:
    """Tell whether the p-values of a test cannot be as small as one likes."""
    if entry.type1 is TypeOneError.BAYESIAN or "margin" in entry.options:
        return False
    if entry.evidence is Evidence.DATASETS:
        return True
    return size is not None and entry.evidence.on_rows and entry.arity is not Arity.OMNIBUS


def _over_datasets(test: PlannedTest, n: int, k: int, pairs: list[tuple[int, int]]) -> list[float]:
    """Return the smallest p-values of all pairs, where all n data sets rank k models alike."""
    side = _ahead(test.options)
    if test.name in BY_FLIPS:
        return [_of_signed_ranks(test, n, side)] * len(pairs)
    if n < 2:
        return [1.0] * len(pairs)
    if test.name == "nemenyi":
        # the range of the mean ranks is k - 1, in units of √(k(k + 1) / 12n)
        return [range_sf((k - 1) * math.sqrt(12 * n / (k * (k + 1))), k).item()]
    # the ranks of each model summed over the data sets, and the standard error of a difference
    ranks: list[float] = (n * np.arange(1.0, k + 1)).tolist()
    error = math.sqrt(k * (k + 1) * n / 6)
    df = math.inf
    if test.name == "conover_friedman":
        # no variance is left where all agree, and the least where two models tie on one data set
        tied = min(1, k - 2)
        ranks[tied] += 0.5
        ranks[tied + 1] -= 0.5
        error = 1 / math.sqrt(k - 1)
        df = (n - 1) * (k - 1)
    if test.versus is not None:
        ranks.insert(pairs[0][0], ranks.pop(0))  # the control is ahead of all others
    pvalues = []
    for a, b in pairs:
        pvalues.append(t_pvalue((ranks[b] - ranks[a]) / error, df, side))
    return pvalues


def _of_signed_ranks(test: PlannedTest, n: int, side: Alternative) -> float:
    """Return the smallest p-value of the signed-rank test, where all differences have one sign."""
    if test.options.get("method") == "asymptotic":
        # The sum of the ranks is n(n + 1)/2, which is n(n + 1)/4 above its mean. Its variance is
        # smallest where all differences are of one size, and all ranks (n + 1)/2.
        half = 0.0
        if test.options.get("continuity", True):
            half = 0.5
        z = (n * (n + 1) - 4 * half) / ((n + 1) * math.sqrt(n))
        return t_pvalue(z, math.inf, side)
    # one of the 2^n patterns of signs, and on two sides its opposite
    if side == "greater":
        return 2.0**-n
    return min(1.0, 2.0 ** (1 - n))


def _on_rows(test: PlannedTest, entry: Entry, size: RowCounts, hypotheses: int) -> float:
    """Return the smallest p-value of one hypothesis, where all rows, groups or times agree."""
    groups = size.groups
    if size.times is not None:
        if "time" in entry.options and "groups" not in entry.options:
            variant = test.options.get("variant", "ewc_corrected")
            horizon = test.options.get("horizon", 1)
            if too_few_times(size.times, variant, horizon):
                return 1.0
            return 0.0
        groups = min(size.times, TIME_BLOCKS)
    if groups is None:
        if 0 < size.rows < FEW:
            return _of_counts(test, size.rows)
        return 0.0
    if entry.arity is Arity.ONE or "groups" not in entry.options or not 0 < groups < FEW:
        return 0.0
    return _in_groups(test, entry, groups, hypotheses)


def _in_groups(test: PlannedTest, entry: Entry, groups: int, hypotheses: int) -> float:
    """Return the smallest p-value where every group is for one model: that of equal signs."""
    form = _form_of_groups(test, entry, hypotheses)
    of_one_side = 2.0 ** -(groups + 1)  # half of the probability of this one outcome: the mid-p
    if form in FLIPS:
        level = 1 - test.alpha
        if test.simultaneous:
            level = simultaneous_level(level, hypotheses, test.correction or "none")
        if too_few_clusters(groups, 1 - level):  # it has no answer, whatever the side
            return 2.0 ** (1 - groups)
        if form == "sign_flip_exact":
            of_one_side *= 2
    elif groups < FEWEST_CLUSTERS:
        return 1.0
    elif form != "t_and_flips":
        return 0.0
    sides = 1
    if test.alternative == "two-sided":
        sides = 2
    return min(1.0, sides * of_one_side)


def _form_of_groups(test: PlannedTest, entry: Entry, hypotheses: int) -> str:
    """Return in which form a test looks at rows in groups."""
    if entry.about == "recipes":
        return "t"
    if entry.variants is None or (test.correction == MAX_T and hypotheses > 1):
        return "t_and_flips"
    form: str = entry.variants.choose(test.options.get("variant"), "groups")
    return form


def _of_counts(test: PlannedTest, n: int) -> float:
    """Return the smallest p-value of tests that count n independent rows, all for one model."""
    options = test.options
    side = _ahead(options)
    variant: Any = options.get("variant")
    if test.name == "mcnemar":
        return mcnemar_from_counts(
            both_correct=0,
            only_a_correct=n,
            only_b_correct=0,
            both_wrong=0,
            variant=variant or "midp",
            alternative=side,
        ).pvalue
    if test.name == "proportion_difference":
        return proportion_difference_from_counts(
            correct_a=n,
            n_a=n,
            # the variance of two shares that are not pooled is 0 where B is never right
            correct_b=int(variant == "unpooled"),
            n_b=n,
            variant=variant or "pooled",
            alternative=side,
        ).pvalue
    if test.name == "binomial_test":
        chosen = with_keys(options, ("rate", "p0", "alternative", "variant"))
        none_right = binomial_test_from_counts(n_correct=0, n=n, **chosen)
        all_right = binomial_test_from_counts(n_correct=n, n=n, **chosen)
        return min(none_right.pvalue, all_right.pvalue)
    return 0.0


def _ahead(options: Mapping[str, Any]) -> Alternative:
    """Return the side of a test where the model that is ahead is A."""
    if options.get("alternative", "two-sided") == "two-sided":
        return "two-sided"
    return "greater"


# --- what would let a test reach its level


def remedies(test: PlannedTest, analysis: Analysis, size: RowCounts | None) -> str:
    """Say what would let a test reach its level that cannot: more groups, or fewer comparisons."""
    entry = catalogue()[test.name]
    models = list(analysis.models)

    def reaches(unit: str, n: int) -> bool:
        """Tell whether a test with so many of one thing could reach its level."""
        rows = size
        if rows is not None and unit in rows._fields:
            rows = rows._replace(**{unit: n})
        compared = models
        if unit == "models":
            compared = models[:n]
        units = 0
        if unit == "data sets":
            units = n
        smallest = smallest_pvalue(test, analysis, rows, models=compared, units=units)
        return smallest <= test.alpha

    def first(unit: str, numbers: Sequence[int]) -> int:
        """Return the first number of one thing that will do, as all after it; 0 where none does."""
        # the smallest p-value falls along the numbers, so that they can be halved
        place = bisect_left(numbers, True, key=lambda n: reaches(unit, n))
        if place == len(numbers):
            return 0
        return numbers[place]

    ways = []
    unit, count = _counted(size, analysis)
    enough = first(unit, range(count + 1, FEW))
    if enough:
        ways.append(f"at least {enough} {unit}")
    if test.versus is None and len(models) > 2:
        fewer_models = first("models", range(len(models) - 1, entry.fewest_models - 1, -1))
        if fewer_models:
            ways.append(f"at most {fewer_models} models")
        baseline = dataclasses.replace(test, versus=models[0])
        if takes_control(entry) and smallest_pvalue(baseline, analysis, size) <= test.alpha:
            ways.append("a comparison of each model with one baseline (versus)")
    return joined(ways, "or")


def _counted(size: RowCounts | None, analysis: Analysis) -> tuple[str, int]:
    """Return what a test counts, and how many there are."""
    if size is None:
        return "data sets", len(analysis.tests.units(analysis.datasets))
    if size.times is not None:
        return "times", size.times
    if size.groups is not None:
        return "groups", size.groups
    return "rows", size.rows


# --- cautions: simulated type I errors of tests of models like these


class Inflated(NamedTuple):
    """A kind of learner, or a situation, in which the type I error of a test is inflated."""

    where: str
    models: tuple[str, ...]
    rate: ErrorRate


class Cautions(NamedTuple):
    """Simulated type I errors that speak against a test in one experiment."""

    entry: Entry
    inflated: tuple[Inflated, ...] = ()
    unknown: tuple[str, ...] = ()
    instead: tuple[Entry, ...] = ()
    plan: str = ""
    """The plan that the test runs on."""

    def __bool__(self) -> bool:
        return bool(self.inflated or self.unknown)

    def sentences(
        self,
        compared: Collection[str],
        named: Callable[[Entry], str] = lambda entry: entry.name,
        shown: Callable[[str], str] = str,
        on_plan: Callable[[str], str] = lambda plan: f"(plan {plan})",
    ) -> list[str]:
        """Return the cautions about a comparison of some models, a sentence each."""
        sentences = []
        inflated = self._on_inflated(compared, named, shown, on_plan)
        if inflated:
            sentences.append(inflated)
        unknown = [shown(model) for model in self.unknown if model in compared]
        if unknown:
            sentences.append(NOT_SIMULATED.format(test=named(self.entry), models=joined(unknown)))
        return sentences

    def _on_inflated(
        self,
        compared: Collection[str],
        named: Callable[[Entry], str],
        shown: Callable[[str], str],
        on_plan: Callable[[str], str],
    ) -> str:
        """Say where the error rate of a test is inflated, how much, and what to use instead."""
        parts: list[str] = []
        rates = []
        for where, models, rate in self.inflated:
            concerned = [shown(model) for model in models if model in compared]
            if models and not concerned:
                continue
            if parts:
                where = where.removeprefix("with ")
            if concerned:
                where = f"{where} (here: {joined(concerned)})"
            parts.append(where)
            rates.append(rate)
        if not parts:
            return ""
        worst = max(rates, key=lambda rate: rate.rate)
        by = ""
        if worst.metric:
            by = f" by {METRICS[worst.metric].title}"
        up_to = f"{worst.rate:.2f}".lstrip("0")
        why = f"up to {up_to}{by} at the .05 level in simulations"
        sentence = INFLATED.format(test=named(self.entry), where=joined(parts), why=why)
        if not self.instead:
            return sentence
        tests = []
        for entry in self.instead:
            tests.append(f"{named(entry)} {on_plan(self._plan_of(entry))}")
        return f"{sentence} Use {' or '.join(tests)} instead."

    def _plan_of(self, entry: Entry) -> str:
        """Return the plan on which a better test would run: the same, if it can."""
        if self.plan in entry.plans:
            return self.plan
        return entry.plans[0]


def cautions(
    test: PlannedTest,
    analysis: Analysis,
    failed: Collection[str] = (),
    metric: str | None = None,
    dataset: str = "",
) -> Cautions:
    """Collect the simulated type I errors that speak against a test in an experiment."""
    entries = catalogue()
    entry = entries[test.name]
    if not entry.liberal_for:
        return Cautions(entry)
    metrics = analysis.metrics
    if metric:
        metrics = (metric,)
    inflated = _inflated(entry, analysis, failed, metrics, dataset)
    better: Sequence[str] = ()
    if inflated:
        better = test.better
    sounder: list[Entry] = []
    for name in better:
        jumps = name == ON_ROWS and metric is not None and not has_test(metric)
        if not jumps and not _inflated(entries[name], analysis, failed, metrics, dataset):
            sounder = [entries[name]]
            break
    return Cautions(
        entry,
        inflated=tuple(inflated),
        unknown=tuple(_not_simulated(entry, analysis)),
        instead=tuple(sounder),
        plan=test.plan,
    )


def _not_simulated(entry: Entry, analysis: Analysis) -> list[str]:
    """Name the models whose learners a test, liberal with others, was not simulated with."""
    numbers = analysis.task.numbers
    simulated = set()
    liberal = False
    for rate in entry.rates:
        if rate.setting in LEARNERS and _of_task(rate, numbers):
            simulated.add(rate.setting)
            liberal = liberal or rate.verdict is TypeOneError.LIBERAL
    if not liberal:
        return []
    unknown = []
    for name, learner in analysis.learners.items():
        parts = learners(learner, numbers=numbers)
        if not parts.simulated or not parts.kinds <= simulated:
            unknown.append(name)
    return unknown


def _of_task(rate: ErrorRate, numbers: bool) -> bool:
    """Tell whether a rate was simulated with the task of an analysis, or is of any."""
    regression = rate.setting.endswith(REGRESSION)
    if numbers:
        return regression or rate.setting not in LEARNERS
    return not regression


def _inflated(
    entry: Entry,
    analysis: Analysis,
    failed: Collection[str],
    metrics: Sequence[str],
    dataset: str,
) -> list[Inflated]:
    """List kinds of learners and situations of an experiment in which a test is liberal."""
    inflated = list(_with_learners(entry, analysis, metrics))
    for setting, rate in _in_situations(entry, analysis, failed, metrics, dataset).items():
        situation = f"with {setting}"
        if setting in METRICS:
            situation = f"by {METRICS[setting].title}"
        inflated.append(Inflated(_SITUATIONS.get(setting, situation), (), rate))
    return inflated


def _with_learners(entry: Entry, analysis: Analysis, metrics: Sequence[str]) -> Iterator[Inflated]:
    """Yield the kinds of learners with which a test is liberal, with the models made of them."""
    models_by_kind: dict[str, list[str]] = {}
    for name, learner in analysis.learners.items():
        for kind in learners(learner, numbers=analysis.task.numbers).kinds:
            models_by_kind.setdefault(kind, []).append(name)
    for kind in LEARNERS:
        models = tuple(models_by_kind.get(kind, ()))
        if not models:
            continue
        rates = set[ErrorRate]()
        for metric in metrics:
            rates |= _rates_by(entry, kind, metric)
        liberal = [rate for rate in rates if rate.verdict is TypeOneError.LIBERAL]
        if liberal:
            worst = max(liberal, key=lambda rate: (rate.rate, rate.metric))
            yield Inflated(f"with {kind.removesuffix(REGRESSION)}", models, worst)


def _rates_by(entry: Entry, kind: str, metric: str) -> set[ErrorRate]:
    """Return the rates of a test with a kind of learner by a metric, else by accuracy, or any."""
    accuracy = FIXED_METRICS["correctness"]
    studied = accuracy
    if metric in METRICS:
        studied = METRICS[metric].studied_by
    rates = [rate for rate in entry.rates if rate.setting == kind]
    for name in (studied, accuracy):
        by_name = {rate for rate in rates if (rate.metric or accuracy) == name}
        if by_name:
            return by_name
    return set(rates)


def _in_situations(
    entry: Entry,
    analysis: Analysis,
    failed: Collection[str],
    metrics: Sequence[str],
    dataset: str,
) -> dict[str, ErrorRate]:
    """Return the situations of an experiment in which a test is liberal, with the largest rate."""
    numbers = analysis.task.numbers
    situations = _situations(analysis, failed, metrics, dataset)
    settings = {rate.setting for rate in entry.rates}
    # a metric that was not simulated stands beside one of its kind that was
    studied = set(metrics)
    for name in metrics:
        if name in METRICS:
            studied.add(METRICS[name].studied_by)
    worst: dict[str, ErrorRate] = {}
    for rate in entry.rates:
        if rate.verdict is not TypeOneError.LIBERAL or rate.setting in LEARNERS:
            continue
        if rate.metric and rate.metric not in studied:
            continue
        of_regression = numbers and f"{rate.setting}{REGRESSION}" in settings
        if of_regression or not _of_task(rate, numbers):
            continue  # another rate is of this task
        setting = rate.setting.removesuffix(REGRESSION)
        if situations.get(setting, True):
            largest = worst.get(setting, rate)
            worst[setting] = max(largest, rate, key=lambda rate: rate.rate)
    return worst


def _situations(
    analysis: Analysis, failed: Collection[str], metrics: Sequence[str], dataset: str
) -> dict[str, bool]:
    """Tell which situations an experiment is in, as far as it can be told before its results."""
    fitted = analysis.learners.values()
    related = set()
    for name, relation in analysis.related.items():
        if dataset in ("", name):
            related.add(relation.kind)
    kinds = {learners(learner, numbers=True).kinds for learner in fitted} - {frozenset()}
    models_with_runs = analysis.several_runs
    numbers_of_runs = {analysis.models[name].seeds for name in models_with_runs}
    situations = dict.fromkeys(_BY_RESULT, False)
    for situation in _IN_GROUPS:
        situations[situation] = "group" in related
    situations["failing fits"] = bool(failed)
    situations["class weights, costs or tuned thresholds"] = any(map(moves_threshold, fitted))
    situations["unlike learners"] = len(kinds) > 1
    fixed = bool(models_with_runs and deterministic(analysis))
    situations["rare failures, one model deterministic"] = fixed
    situations["skewed runs, unequal numbers"] = len(numbers_of_runs) > 1
    for name in METRICS:
        situations[name] = name in metrics
    return situations

"""What speaks against a test: smallest p-values above its level, and simulated error rates."""

from __future__ import annotations

import dataclasses
import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from bakeoff.comparisons.analysis import Analysis
from bakeoff.comparisons.choose import ON_ROWS
from bakeoff.comparisons.settings import (
    FIXED_METRICS,
    check_correction,
    compares_pairs,
    correction_among,
    deterministic,
    has_test,
    pairs_of,
    takes_control,
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
from bakeoff.stats.core.pairs import adjust_pvalues, simultaneous_level
from bakeoff.stats.core.result import Alternative
from bakeoff.stats.design.clusters import TIME_BLOCKS
from bakeoff.stats.design.groups import FEWEST_CLUSTERS, FLIPS, too_few_clusters
from bakeoff.stats.metrics.family import MAX_T
from bakeoff.stats.rows.ordered import too_few_times

# --- smallest p-values


FEW = 40
"""From here on rows, groups and times set no limit that matters."""


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
    models = models or list(analysis.models)
    units = units or len(analysis.tests.units(analysis.datasets))
    # It is 0 where nothing bounds it, as for a t test of folds, and 1 where the test cannot answer.
    test = test.posthoc or test
    entry, k = catalogue()[test.name], len(models)
    if entry.type1 is TypeOneError.BAYESIAN or "margin" in entry.options:
        return 0.0
    over_datasets = entry.evidence is Evidence.DATASETS
    on_rows = entry.evidence.on_rows and entry.arity is not Arity.OMNIBUS
    if not over_datasets and (size is None or not on_rows):
        return 0.0
    correction = correction_among(entry, test.correction or "none", k, test.related)
    try:
        check_correction(test, correction)
    except ArgumentError:
        return 1.0
    test = dataclasses.replace(test, correction=correction)
    pairs = pairs_of(models, test.versus) if compares_pairs(entry) else []
    if size is None or over_datasets:
        each = _over_datasets(test, units, k, pairs)
    else:
        size = RowCounts(size.rows) if test.independent_rows else size
        hypotheses = len(pairs) if entry.arity is Arity.PAIR else k
        each = [_on_rows(test, entry, size, hypotheses)] * hypotheses
    # of statistics that agree in every way the largest is as likely as one
    method = "none" if correction == MAX_T else correction
    return float(min(adjust_pvalues(each, method), default=0.0))


def _over_datasets(test: PlannedTest, n: int, k: int, pairs: list[tuple[int, int]]) -> list[float]:
    """Return the smallest p-values of all pairs, where all n data sets rank k models alike."""
    side, options = _ahead(test.options), test.options
    if test.name == "wilcoxon_signed_rank":
        alone = 2.0**-n if side == "greater" else min(1.0, 2.0 ** (1 - n))
        if options.get("method") == "asymptotic":
            # the variance is smallest where all differences are of one size
            half = 0.5 if options.get("continuity", True) else 0.0
            alone = t_pvalue((n * (n + 1) - 4 * half) / ((n + 1) * math.sqrt(n)), math.inf, side)
        return [alone] * len(pairs)
    if n < 2:
        return [1.0] * len(pairs)
    if test.name == "nemenyi":
        return [range_sf((k - 1) * math.sqrt(12 * n / (k * (k + 1))), k).item()]
    ranks, error = [float(n * rank) for rank in range(1, k + 1)], math.sqrt(k * (k + 1) * n / 6)
    df = math.inf
    if test.name == "conover_friedman":
        # no variance is left where all agree, and the least where two models tie on one data set
        tied = min(1, k - 2)
        ranks[tied : tied + 2] = ranks[tied] + 0.5, ranks[tied + 1] - 0.5
        error, df = 1 / math.sqrt(k - 1), (n - 1) * (k - 1)
    if test.versus is not None:
        ranks.insert(pairs[0][0], ranks.pop(0))  # the control is ahead of all others
    return [t_pvalue((ranks[b] - ranks[a]) / error, df, side) for a, b in pairs]


def _on_rows(test: PlannedTest, entry: Entry, size: RowCounts, hypotheses: int) -> float:
    """Return the smallest p-value of one hypothesis, where all rows, groups or times agree."""
    rows, groups, times = size
    if times is not None and "time" in entry.options and "groups" not in entry.options:
        form = test.options.get("variant", "ewc_corrected"), test.options.get("horizon", 1)
        return 1.0 if too_few_times(times, *form) else 0.0
    if times is not None:
        groups = min(times, TIME_BLOCKS)
    if groups is None:
        return _of_counts(test, rows) if 0 < rows < FEW else 0.0
    if entry.arity is Arity.ONE or "groups" not in entry.options or not 0 < groups < FEW:
        return 0.0
    # every group is for one model: the smallest p-value is that of equal signs
    if entry.about == "recipes":
        form_of_groups = "t"
    elif entry.variants is None or (test.correction == MAX_T and hypotheses > 1):
        form_of_groups = "t_and_flips"
    else:
        form_of_groups = entry.variants.choose(test.options.get("variant"), "groups")
    of_one_side = 2.0 ** -(groups + 1)  # half of the probability of this one outcome: the mid-p
    if form_of_groups in FLIPS:
        level = 1 - test.alpha
        if test.simultaneous:
            level = simultaneous_level(level, hypotheses, test.correction or "none")
        if too_few_clusters(groups, 1 - level):  # it has no answer, whatever the side
            return 2.0 ** (1 - groups)
        of_one_side *= 2 if form_of_groups == "sign_flip_exact" else 1
    elif groups < FEWEST_CLUSTERS:
        return 1.0
    elif form_of_groups != "t_and_flips":
        return 0.0
    return min(1.0, of_one_side * (2 if test.alternative == "two-sided" else 1))


def _of_counts(test: PlannedTest, n: int) -> float:
    """Return the smallest p-value of tests that count n independent rows, all for one model."""
    options, side = test.options, _ahead(test.options)
    variant: Any = options.get("variant")
    if test.name == "mcnemar":
        counts: Any = {"both_correct": 0, "only_a_correct": n, "only_b_correct": 0, "both_wrong": 0}
        return mcnemar_from_counts(**counts, variant=variant or "midp", alternative=side).pvalue
    if test.name == "proportion_difference":
        counts = {"correct_a": n, "n_a": n, "n_b": n, "variant": variant or "pooled"}
        # the variance of two shares that are not pooled is 0 where B is never right
        few = int(variant == "unpooled")
        return proportion_difference_from_counts(**counts, correct_b=few, alternative=side).pvalue
    if test.name == "binomial_test":
        how = {k: options[k] for k in ("rate", "p0", "alternative", "variant") if k in options}
        return min(binomial_test_from_counts(n_correct=k, n=n, **how).pvalue for k in (0, n))
    return 0.0


def _ahead(options: Mapping[str, Any]) -> Alternative:
    """Return the side of a test where the model that is ahead is A."""
    return "two-sided" if options.get("alternative", "two-sided") == "two-sided" else "greater"


def remedies(test: PlannedTest, analysis: Analysis, size: RowCounts | None) -> str:
    """Say what would let a test reach its level that cannot: more groups, or fewer comparisons."""
    entry, models, ways = catalogue()[test.name], list(analysis.models), []

    def first(what: str, values: Sequence[int]) -> int:
        """Return the first number of one thing that will do, as all after it; 0 where none does."""

        def reaches(n: int) -> bool:
            rows = size._replace(**{what: n}) if size and what in size._fields else size
            units = n if what == "data sets" else 0
            some = models[:n] if what == "models" else models
            return smallest_pvalue(test, analysis, rows, models=some, units=units) <= test.alpha

        place = bisect_left(values, True, key=reaches)
        return values[place] if place < len(values) else 0

    what, count = "data sets", len(analysis.tests.units(analysis.datasets))
    if size is not None:
        what = next((one for one in ("times", "groups") if getattr(size, one) is not None), "rows")
        count = getattr(size, what)
    if more := first(what, range(count + 1, FEW)):
        ways.append(f"at least {more} {what}")
    if test.versus is None and len(models) > 2:
        if most := first("models", range(len(models) - 1, entry.fewest_models - 1, -1)):
            ways.append(f"at most {most} models")
        baseline = dataclasses.replace(test, versus=models[0])
        if takes_control(entry) and smallest_pvalue(baseline, analysis, size) <= test.alpha:
            ways.append("a comparison of each model with one baseline (versus)")
    return joined(ways, "or")


# --- cautions: simulated type I errors of tests of models like these


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
    *("autocorrelation", "strong autocorrelation", "few rows", "few errors"),
    *("rare large errors", "seeds alone", "rare costly errors", "few rows of a class"),
)
"""Situations that the data of every comparison show, so that the experiment need not guess."""
INFLATED = "{test} has an inflated type I error {where}: {why}."
NOT_SIMULATED = (
    "{test} has an inflated type I error with some learners and was not simulated with learners "
    "like {models}."
)
"""What a caution says."""


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
    ) -> list[str]:
        """Return the cautions about a comparison of some models, a sentence each."""
        sentences, parts, rates = list[str](), list[str](), list[ErrorRate]()
        for where, models, rate in self.inflated:
            concerned = [shown(model) for model in models if model in compared]
            if models and not concerned:
                continue
            where = where.removeprefix("with ") if parts else where
            parts.append(f"{where} (here: {joined(concerned)})" if concerned else where)
            rates.append(rate)
        if parts:
            worst = max(rates, key=lambda rate: rate.rate)
            by = f" by {METRICS[worst.metric].title}" if worst.metric else ""
            up_to = f"up to {f'{worst.rate:.2f}'.lstrip('0')}{by}"
            why = f"{up_to} at the .05 level in simulations"
            sentence = INFLATED.format(test=named(self.entry), where=joined(parts), why=why)
            tests = [f"{named(entry)} (plan {self._plan_of(entry)})" for entry in self.instead]
            use = f" Use {' or '.join(tests)} instead." if tests else ""
            sentences.append(sentence + use)
        unknown = [shown(model) for model in self.unknown if model in compared]
        if unknown:
            sentences.append(NOT_SIMULATED.format(test=named(self.entry), models=joined(unknown)))
        return sentences

    def _plan_of(self, entry: Entry) -> str:
        """Return the plan on which a better test would run: the same, if it can."""
        return self.plan if self.plan in entry.plans else entry.plans[0]


def _of_task(rate: ErrorRate, numbers: bool) -> bool:
    """Tell whether a rate was simulated with the task of an analysis, or is of any."""
    regression = rate.setting.endswith(REGRESSION)
    return regression if numbers and rate.setting in LEARNERS else numbers or not regression


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
    metrics, numbers = [metric] if metric else analysis.metrics, analysis.task.numbers
    inflated = _inflated(entry, analysis, failed, metrics, dataset)
    rates = [rate for rate in entry.rates if rate.setting in LEARNERS and _of_task(rate, numbers)]
    simulated, unknown = {rate.setting for rate in rates}, list[str]()
    if any(rate.verdict is TypeOneError.LIBERAL for rate in rates):
        made_of = {name: learners(m, numbers=numbers) for name, m in analysis.learners.items()}
        unknown = [
            n for n, one in made_of.items() if not (one.simulated and one.kinds <= simulated)
        ]
    instead = [
        entries[name]
        for name in (test.better if inflated else ())
        if (name != ON_ROWS or metric is None or has_test(metric))
        and not _inflated(entries[name], analysis, failed, metrics, dataset)
    ]
    return Cautions(entry, tuple(inflated), tuple(unknown), tuple(instead[:1]), test.plan)


def _inflated(
    entry: Entry,
    analysis: Analysis,
    failed: Collection[str],
    metrics: Sequence[str],
    dataset: str,
) -> list[Inflated]:
    """List kinds of learners and situations of an experiment in which a test is liberal."""
    numbers, several = analysis.task.numbers, analysis.several_runs
    accuracy = FIXED_METRICS["correctness"]
    made_of = {name: learners(m, numbers=numbers).kinds for name, m in analysis.learners.items()}
    inflated = []
    for kind in LEARNERS:
        rates = [rate for rate in entry.rates if rate.setting == kind]
        of_metrics = set[ErrorRate]()
        for metric in metrics:  # the rates by it, else by accuracy, else by any
            known = METRICS[metric].studied_by if metric in METRICS else accuracy
            of_it, usual = (
                [rate for rate in rates if (rate.metric or accuracy) == name]
                for name in (known, accuracy)
            )
            of_metrics |= {*(of_it or usual or rates)}
        liberal = [rate for rate in of_metrics if rate.verdict is TypeOneError.LIBERAL]
        models = tuple(name for name, kinds in made_of.items() if kind in kinds)
        if models and liberal:
            worst = max(liberal, key=lambda rate: (rate.rate, rate.metric))
            inflated.append(Inflated(f"with {kind.removesuffix(REGRESSION)}", models, worst))
    related = {kin.kind for name, kin in analysis.related.items() if dataset in ("", name)}
    fitted = analysis.learners.values()
    unlike = {learners(m, numbers=True).kinds for m in fitted} - {frozenset()}
    here = dict.fromkeys(_BY_RESULT, False) | {
        **dict.fromkeys(
            ("rows in groups", "groups of one size", "groups of unlike size"), "group" in related
        ),
        "failing fits": bool(failed),
        "class weights, costs or tuned thresholds": any(map(moves_threshold, fitted)),
        "unlike learners": len(unlike) > 1,
        "rare failures, one model deterministic": bool(several and deterministic(analysis)),
        "skewed runs, unequal numbers": len({analysis.models[name].seeds for name in several}) > 1,
        **{name: name in metrics for name in METRICS},
    }
    settings = {rate.setting for rate in entry.rates}
    measured_alike = {METRICS[name].studied_by for name in metrics if name in METRICS} | {*metrics}
    situations: dict[str, ErrorRate] = {}  # the largest rate of each
    for rate in entry.rates:
        instead = numbers and f"{rate.setting}{REGRESSION}" in settings
        liberal_here = rate.verdict is TypeOneError.LIBERAL and rate.setting not in LEARNERS
        if rate.metric and rate.metric not in measured_alike:
            continue
        setting = rate.setting.removesuffix(REGRESSION)
        if liberal_here and _of_task(rate, numbers) and not instead and here.get(setting, True):
            worst = situations.get(setting, rate)
            situations[setting] = max(worst, rate, key=lambda rate: rate.rate)
    for setting, rate in situations.items():
        by = f"by {METRICS[setting].title}" if setting in METRICS else f"with {setting}"
        inflated.append(Inflated(_SITUATIONS.get(setting, by), (), rate))
    return inflated

"""What a test can tell before it runs: whether its options hold, and its smallest p-value."""

from __future__ import annotations

import dataclasses
import inspect
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bakeoff.comparisons.settings import (
    FIXED_METRICS,
    MANAGED,
    SHARED,
    allowed_options,
    check_correction,
    compares_pairs,
    correction_among,
    pairs_of,
    takes_control,
    wrong_value,
)
from bakeoff.errors import Problem, Remedy, joined, unknown
from bakeoff.scores.metrics import metrics_of
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.spec.related import dependent
from bakeoff.stats import (
    RETIRED,
    ArgumentError,
    Arity,
    Entry,
    Evidence,
    TypeOneError,
    binomial_test_from_counts,
    catalogue,
    mcnemar_from_counts,
    proportion_difference_from_counts,
)
from bakeoff.stats.core.arguments import check_argument
from bakeoff.stats.core.distributions import normal_pvalue, range_sf, t_pvalue
from bakeoff.stats.core.pairs import adjust_pvalues, simultaneous_level
from bakeoff.stats.core.registry import Relation
from bakeoff.stats.core.result import Alternative
from bakeoff.stats.design.clusters import TIME_BLOCKS
from bakeoff.stats.design.groups import FEWEST_CLUSTERS, FLIPS, too_few_clusters
from bakeoff.stats.metrics.family import MAX_T
from bakeoff.stats.rows.ordered import too_few_times

FEW = 40
"""From here on rows, groups and times set no limit that matters."""


class RowCounts(NamedTuple):
    """What is known of the rows of a test set before they are looked at."""

    rows: int
    groups: int | None = None
    times: int | None = None


def smallest_pvalue(
    test: PlannedTest, experiment: Experiment, size: RowCounts | None = None
) -> float:
    """Return the smallest adjusted p-value that a test, or its post hoc test, can have."""
    # It is 0 where nothing bounds it, as for a t test of folds, and 1 where the test cannot answer.
    test = test.posthoc or test
    entry, k = catalogue()[test.name], len(experiment.models)
    if entry.type1 is TypeOneError.BAYESIAN or "margin" in entry.options:
        return 0.0
    correction = correction_among(entry, test.correction or "none", k, test.related)
    test = dataclasses.replace(test, correction=correction)
    pairs = pairs_of(list(experiment.models), test.versus) if compares_pairs(entry) else []
    if entry.evidence is Evidence.DATASETS:
        each = _over_datasets(test, len(experiment.tests.units(experiment.datasets)), k, pairs)
    elif size is None or not entry.evidence.on_rows or entry.arity is Arity.OMNIBUS:
        return 0.0
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
            mean = n * (n + 1) / 4
            half = 0.5 if options.get("continuity", True) else 0.0
            z = max(mean - half, 0.0) / math.sqrt(mean * (2 * n + 1) / 6)
            alone = normal_pvalue(z, side)
        return [alone] * len(pairs)
    if n < 2:
        return [1.0] * len(pairs)
    if test.name == "nemenyi":
        return [range_sf((k - 1) * math.sqrt(12 * n / (k * (k + 1))), k).item()]
    ranks, error, df = [n * rank for rank in range(1, k + 1)], math.sqrt(k * (k + 1) * n / 6), None
    if test.name == "conover_friedman":
        # no variance is left where all agree: one data set turns the ranks of all but the best
        ranks = [n, *((n - 1) * rank + k + 2 - rank for rank in range(2, k + 1))]
        df = (n - 1) * (k - 1)
        squares = n**2 * k * (k + 1) * (2 * k + 1) / 6
        error = math.sqrt(2 * (squares - sum(rank**2 for rank in ranks)) / df)
    if test.versus is not None:
        ranks.insert(pairs[0][0], ranks.pop(0))  # the control is ahead of all others
    statistics = [(ranks[b] - ranks[a]) / error if error else 0.0 for a, b in pairs]
    return [normal_pvalue(z, side) if df is None else t_pvalue(z, df, side) for z in statistics]


def _on_rows(test: PlannedTest, entry: Entry, size: RowCounts, hypotheses: int) -> float:
    """Return the smallest p-value of one hypothesis, where all rows, groups or times agree."""
    rows, groups, times = size
    if times is not None and "time" in entry.options and "groups" not in entry.options:
        form = test.options.get("variant", "ewc_corrected"), test.options.get("horizon", 1)
        return 1.0 if too_few_times(times, *form) else 0.0
    if times is not None:
        groups = min(times, TIME_BLOCKS)
    if groups is None:
        compute = _OF_COUNTS.get(entry.name)
        return compute(rows, test.options) if compute and 0 < rows < FEW else 0.0
    if entry.arity is Arity.ONE or "groups" not in entry.options or not 0 < groups < FEW:
        return 0.0
    return _in_groups(test, entry, groups, hypotheses)


def _mcnemar(n: int, options: Mapping[str, Any]) -> float:
    taken: dict[str, Any] = {"both_correct": 0, "only_b_correct": 0, "both_wrong": 0}
    taken |= {"variant": options.get("variant") or "midp", "alternative": _ahead(options)}
    return mcnemar_from_counts(only_a_correct=n, **taken).pvalue


def _proportion_difference(n: int, options: Mapping[str, Any]) -> float:
    variant, side = options.get("variant", "pooled"), _ahead(options)
    counts = {"correct_a": n, "n_a": n, "correct_b": 0, "n_b": n}
    return proportion_difference_from_counts(**counts, variant=variant, alternative=side).pvalue


def _binomial_test(n: int, options: Mapping[str, Any]) -> float:
    taken = {key: value for key, value in options.items() if key in ("rate", "p0", "alternative")}
    taken["variant"] = options.get("variant") or "exact"
    return min(binomial_test_from_counts(n_correct=k, n=n, **taken).pvalue for k in (0, n))


def _ahead(options: Mapping[str, Any]) -> Alternative:
    """Return the side of a test where the model that is ahead is A."""
    return "two-sided" if options.get("alternative", "two-sided") == "two-sided" else "greater"


_OF_COUNTS: dict[str, Callable[[int, Mapping[str, Any]], float]] = {
    "binomial_test": _binomial_test,
    "mcnemar": _mcnemar,
    "proportion_difference": _proportion_difference,
}
"""The smallest p-value of tests that count independent rows, of which one model has all right."""


def _in_groups(test: PlannedTest, entry: Entry, groups: int, hypotheses: int) -> float:
    """Return the smallest p-value where every group is for one model: that of equal signs."""
    if entry.about == "recipes":
        form = "t"
    elif entry.variants is None or (test.correction == MAX_T and hypotheses > 1):
        form = "t_and_flips"
    else:
        form = entry.variants.choose(test.options.get("variant"), "groups")
    of_one_side = 2.0 ** -(groups + 1)  # half of the probability of this one outcome: the mid-p
    if form in FLIPS:
        level = 1 - test.alpha
        if test.simultaneous:
            level = simultaneous_level(level, hypotheses, test.correction or "none")
        if form == "sign_flip_exact" or too_few_clusters(groups, 1 - level):
            of_one_side *= 2
    elif groups < FEWEST_CLUSTERS:
        return 1.0
    elif form != "t_and_flips":
        return 0.0
    return min(1.0, of_one_side * (2 if test.alternative == "two-sided" else 1))


def remedies(test: PlannedTest, experiment: Experiment, size: RowCounts | None) -> str:
    """Say what would let a test reach its level that cannot: more groups, or fewer comparisons."""
    units = len(experiment.tests.units(experiment.datasets))

    def reaches(
        test: PlannedTest, size: RowCounts | None, models: Sequence[str], datasets: int = units
    ) -> bool:
        other: dict[str, Any] = {"models": dict.fromkeys(models)}
        if datasets > units:
            added = (f"another {i}" for i in range(datasets - units))
            like = next(iter(experiment.datasets.values()))
            other["datasets"] = {**experiment.datasets, **dict.fromkeys(added, like)}
        return smallest_pvalue(test, experiment.model_copy(update=other), size) <= test.alpha

    found, models = [], list(experiment.models)
    if size is None:
        n = _first(range(units + 1, FEW), lambda n: reaches(test, None, models, n))
        found += [f"at least {n} data sets"] if n else []
    else:
        unit = next((one for one in ("times", "groups") if getattr(size, one) is not None), "rows")
        sizes = range(getattr(size, unit) + 1, FEW)
        more = _first(sizes, lambda n: reaches(test, size._replace(**{unit: n}), models))
        found += [f"at least {more} {unit}"] if more else []
    if test.versus is None and len(models) > 2:
        fewer = range(len(models) - 1, 1, -1)
        most = _first(fewer, lambda m: reaches(test, size, models[:m]))
        found += [f"at most {most} models"] if most else []
        baseline = dataclasses.replace(test, versus=models[0])
        if takes_control(catalogue()[test.name]) and reaches(baseline, size, models):
            found.append("a comparison of each model with one baseline (versus)")
    return joined(found, "or")


def _first(values: Sequence[int], reaches: Callable[[int], bool]) -> int:
    """Return the first value that reaches the level, as all after it do; 0 where none does."""
    place = bisect_left(values, True, key=reaches)
    return values[place] if place < len(values) else 0


def check_options(experiment: Experiment, tests: AnalysisPlan) -> list[Problem]:
    """Check the options of all tests that run, post hoc tests included."""
    found: list[Problem] = []
    for test in tests.with_posthoc:
        entry = catalogue()[test.name]
        wrong = list(_names_and_types(entry, experiment))
        wrong = wrong or list(_too_wide(test, experiment))
        found += wrong or _fitting(entry, test, experiment)
    return found


def _names_and_types(entry: Entry, experiment: Experiment) -> Iterator[Problem]:
    own, allowed = experiment.tests.of(entry.name), allowed_options(entry)
    for key, value in own.items():
        place = ("tests", "options", entry.name, key)
        if key in MANAGED and key in entry.options:
            yield Problem(place, f"is not set here: {MANAGED[key]}")
        elif key in ("metrics",) and key not in allowed:
            yield Problem(
                place, f"{entry.name} is about {FIXED_METRICS[entry.reads]} and no other metric"
            )
        elif key not in allowed:
            gone = RETIRED.get(f"{entry.name}.{key}")
            yield Problem(place, gone or unknown("option", key, allowed))
        else:
            wrong = wrong_value(entry, key, value)
            if wrong:
                yield Problem(place, wrong)
    for key, option in entry.options.items():
        given = key in own or (key in SHARED and getattr(experiment.tests, key) is not None)
        if option.default is inspect.Parameter.empty and key not in MANAGED and not given:
            at = ("tests",) if key in SHARED else ("tests", "options", entry.name)
            yield Problem((*at, key), f"{entry.name} needs it, and no value is right for all data")


def _too_wide(test: PlannedTest, experiment: Experiment) -> Iterator[Problem]:
    """Refuse margins and regions that no difference of the metric could leave."""
    metrics = metrics_of(experiment)
    for key in ("margin", "rope"):
        size = test.options.get(key)
        if not isinstance(size, int | float):
            continue
        own = key in experiment.tests.of(test.name)
        place = ("tests", "options", test.name, key) if own else ("tests", key)
        for name in test.metrics:
            low, high = metrics[name].range
            if size >= high - low:
                yield Problem(
                    place,
                    f"found {size:g}, must be below {high - low:g}: {name} lies between {low:g} "
                    f"and {high:g}, so that no difference could exceed it",
                )
                break


def _fitting(entry: Entry, test: PlannedTest, experiment: Experiment) -> list[Problem]:
    """Look for options that do not fit each other, the correction or how the rows are related."""
    try:
        models, correction = list(experiment.models), test.correction or "none"
        check_correction(test, correction)
        level = 1 - test.alpha
        if entry.arity in (Arity.PAIR, Arity.ONE) and test.simultaneous and correction != MAX_T:
            hypotheses = pairs_of(models, test.versus) if compares_pairs(entry) else models
            level = simultaneous_level(level, len(hypotheses), correction)
        if "alpha" in entry.options:
            check_argument(1 - level, "alpha", entry.options["alpha"].annotation)
        if "confidence_level" in entry.options and level < 0.5 and test.alternative != "two-sided":
            raise ArgumentError(
                "confidence_level",
                f"found {level!r}; a one-sided interval needs at least 0.5, below it the limit "
                "passes the estimate",
            )
        for relation in _relations(entry, test, experiment):
            for option, forms in (("variant", entry.variants), ("ci_method", entry.intervals)):
                if forms is not None:
                    forms.choose(test.options.get(option), relation, option)
            if entry.check_options is not None:
                entry.check_options(test.options, relation, len(models), len(experiment.datasets))
    except ValueError as error:
        return [_blame(entry, experiment, error)]
    return []


def _relations(entry: Entry, test: PlannedTest, experiment: Experiment) -> Iterator[Relation]:
    """Yield how the rows of some data set hang together, as far as a test has a form for it."""
    related = {} if test.independent_rows else dependent(experiment)
    if len(related) < len(experiment.datasets) or entry.variants is None:
        yield "independent"
    if related and entry.variants is not None:
        yield "groups"


def _blame(entry: Entry, experiment: Experiment, error: ValueError) -> Problem:
    """Find the key that a test's complaint is about."""
    tests, place = experiment.tests, ("tests", "options", entry.name)
    known = (*entry.options, "correction", "alpha", "versus")
    if not isinstance(error, ArgumentError) or error.argument not in known:
        return Problem(place, str(error))
    key = error.argument
    if key not in tests.of(entry.name) and hasattr(tests, key):
        alone = Remedy("options", f"{{{entry.name}: ...}}", " (or set it for this test under {})")
        return Problem(("tests", key), f"{entry.name}: {error.message}", remedy=alone)
    return Problem((*place, key), error.message)

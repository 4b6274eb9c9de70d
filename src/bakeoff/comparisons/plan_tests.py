"""From the names in `tests:` to the plan of the analysis, or to the problems with them.

First the tests that are asked for or recommended, then for each its resampling plan and its
metrics, then what speaks against the settings as a whole.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from bakeoff.comparisons.advice import smallest_pvalue
from bakeoff.comparisons.analysis import Analysis, analysis_of
from bakeoff.comparisons.choose import (
    OF_RATIOS,
    Recommendation,
    by_ranks,
    one_cross_validation,
    ranks_failures,
    recommended,
)
from bakeoff.comparisons.settings import (
    FIXED_METRICS,
    IN_UNIT,
    INDEPENDENT,
    SHARED,
    check_options,
    compares_pairs,
    corrects,
    deterministic,
    form_of,
    has_interval,
    has_row_values,
    has_test,
    planned,
    takes_control,
)
from bakeoff.data.columns import check_values
from bakeoff.data.splits import check_plan
from bakeoff.errors import Place, Problem, joined, listed, shown, some, unknown
from bakeoff.scores import METRICS, counted_rows
from bakeoff.scores.metrics import of_other_task
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.spec.resampling import Halves
from bakeoff.spec.tests import RECOMMENDED
from bakeoff.stats import RETIRED, Entry, Evidence, catalogue
from bakeoff.stats.design.clusters import TIME_BLOCKS
from bakeoff.stats.runs.recipe import ENOUGH_RUNS, lead_of_best

_ASKED = "asked for in `tests: run:`"
_ON_RANKS = (
    "conover_friedman",
    "friedman",
    "friedman_posthoc",
    "iman_davenport",
    "nemenyi",
    "sign_test",
)
"""Tests that look at nothing but the order of the models on each data set."""
_MOST_NAMED = 5
_RUN = re.compile(r"(?<![a-z])(seed|run)[ _.=-]*\d+", re.IGNORECASE)
"""The part of a name that tells the training runs of one model apart."""


def plan_tests(experiment: Experiment | Analysis) -> tuple[list[Problem], AnalysisPlan]:
    """Plan every test of an experiment: its evidence, its settings and why it runs."""
    analysis = analysis_of(experiment)
    entries = catalogue()
    problems = list(_unknown_names(analysis))
    tests: dict[str, PlannedTest] = {}
    for place, recommendation in _wanted(analysis):
        if recommendation.name not in entries:
            continue
        entry, form = form_of(entries[recommendation.name], analysis)
        if entry.name in tests:
            continue  # asked for by both names
        try:
            test = assign_plan(entry, analysis, recommendation)
        except Problem as problem:
            if not problem.path:
                problem = problem.inside(place)
            problems.append(problem)
            continue
        if form:
            test = dataclasses.replace(test, why=f"{test.why}; {form}")
        if recommendation.posthoc:
            test = _followed_by(test, recommendation, analysis)
        if not problems:
            test = with_better(test, analysis)
        tests[entry.name] = test
    problems += _wrong_groups(analysis)
    plan = AnalysisPlan(tuple(tests.values()))
    if not problems:
        problems += _without_effect(analysis, plan)
        problems += check_options(analysis, plan)
    return problems, plan


def _followed_by(
    test: PlannedTest, recommendation: Recommendation, analysis: Analysis
) -> PlannedTest:
    """Let the recommended test of pairs follow a test of all models."""
    entry = catalogue()[recommendation.posthoc]
    units = len(analysis.tests.units(analysis.datasets))
    pairs = planned(entry, analysis.tests, len(analysis.models), units=units)
    pairs = dataclasses.replace(pairs, why=f"the post hoc test of {recommendation.name}")
    return dataclasses.replace(test, posthoc=pairs.on(test.plan, test.metrics))


# --- which tests are wanted


def _wanted(analysis: Analysis) -> Iterator[tuple[Place, Recommendation]]:
    """Yield the tests that are named or recommended, each with the place that names it."""
    run = analysis.tests.run
    for i, name in enumerate(run):
        place = ("tests", "run", i)
        if name != RECOMMENDED:
            yield place, Recommendation(name, _ASKED)
            continue
        for recommendation in recommended(analysis):
            if recommendation.name in run:  # named as well, it is wanted by every metric
                recommendation = recommendation._replace(metrics=())
            yield place, recommendation


def unknown_test(name: str) -> str:
    """Say that no test has a name; for a retired name, what to write instead."""
    if name in RETIRED:
        return f"{name}: {RETIRED[name]}"
    return unknown("test", name, catalogue())


def _unknown_names(analysis: Analysis) -> Iterator[Problem]:
    """Refuse tests and models that are not there, and tests that are named twice."""
    tests = analysis.tests
    entries = catalogue()
    for i, name in enumerate(tests.run):
        if name not in entries and name != RECOMMENDED:
            yield Problem(("tests", "run", i), unknown_test(name))
        elif name in tests.run[:i]:
            yield Problem(("tests", "run", i), f"{name} appears twice")
    controls: dict[Place, Any] = {("tests", "versus"): tests.versus}
    for name, options in tests.options.items():
        if name not in entries:
            yield Problem(("tests", "options", name), unknown_test(name))
        controls["tests", "options", name, "versus"] = options.get("versus")
    for place, model in controls.items():
        if model is not None and not _is_one_of(model, analysis.models):
            yield Problem(place, unknown("model", model, analysis.models))


def _is_one_of(name: object, allowed: Iterable[str]) -> bool:
    """Tell whether an option's value, which may be anything, is one of some names."""
    return isinstance(name, str) and name in allowed


# --- one test: its settings, its plan and its metrics


def assign_plan(entry: Entry, analysis: Analysis, recommendation: Recommendation) -> PlannedTest:
    """Plan one test: its settings, its resampling plan and its metrics."""
    why = recommendation.why
    related = bool(analysis.related)
    units = len(analysis.tests.units(analysis.datasets))
    test = planned(entry, analysis.tests, len(analysis.models), related=related, units=units)
    plan = _plan(entry, analysis, recommendation.plan)
    if recommendation.plan and plan != recommendation.plan:
        why = f"recommended, on the plan that `tests.options.{entry.name}.plan` names"
    reason = _unfit(entry, test, analysis)
    if reason:
        raise _refusal(entry, reason)
    metrics = _metrics(test, entry, analysis, plan, recommendation.metrics or analysis.metrics)
    if recommendation.metrics and _options(entry, analysis).get("metrics"):
        why = f"recommended, by the metrics that `tests.options.{entry.name}.metrics` names"
    if entry.evidence is Evidence.DATASETS:
        _refuse_sizes_of_ranks(entry, test, analysis, metrics)
    return dataclasses.replace(test, why=why).on(plan, metrics)


def _options(entry: Entry, analysis: Analysis) -> dict[str, Any]:
    """Return what is set for a test by its name."""
    return analysis.tests.options.get(entry.name, {})


def _refusal(entry: Entry, reason: str) -> Problem:
    return Problem((), f"{entry.name} {reason}")


def _refuse_sizes_of_ranks(
    entry: Entry, test: PlannedTest, analysis: Analysis, metrics: Sequence[str]
) -> None:
    """Refuse a test of the size of scores where these are ranked alone."""
    why_ranked = by_ranks(analysis, metrics)
    looks_at_order = entry.name in _ON_RANKS and "decimals" not in test.options
    looks_at_ratios = entry.name == OF_RATIOS and not ranks_failures(analysis)
    if why_ranked and not (looks_at_order or looks_at_ratios):
        names = listed(_ON_RANKS, "or")
        use = f"use {names} without `decimals`, or of errors above 0 {OF_RATIOS}"
        raise _refusal(entry, f"looks at the size of scores, and {why_ranked}; {use}")


def _plan(entry: Entry, analysis: Analysis, recommended: str) -> str:
    """Choose the plan of a test: the one asked for, the recommended one, or its best."""
    allowed: Sequence[str] = entry.plans
    named = _options(entry, analysis).get("plan")
    if named is not None:
        _check_plan_named(entry, analysis, named)
        allowed = (named,)
    elif recommended:
        allowed = (recommended,)
    usable = [plan for plan in entry.plans if plan in analysis.plans and plan in allowed]
    if not usable:
        raise _refusal(entry, _without_plan(entry, analysis))
    # A test that is not told the sizes of the parts takes its folds for one cross-validation.
    of_one = entry.evidence is Evidence.FOLD_SCORES and "n_train" not in entry.options
    if of_one and "kfold" in usable and not one_cross_validation(analysis):
        usable.remove("kfold")
    if not usable:
        raise _refusal(
            entry,
            "is for one cross-validation: `kfold` has repeats, or with `time:` the training sets "
            "grow; use corrected_repeated_kfold_t, or set `repeats: 1`",
        )
    if entry.evidence is Evidence.DATASETS:
        # a mean over folds is less noisy than the score of one test set
        usable.sort(key=lambda plan: plan == "holdout")
    return usable[0]


def _without_plan(entry: Entry, analysis: Analysis) -> str:
    """Say which plan a test needs."""
    names = ", ".join(f"`{plan}`" for plan in analysis.plans)
    return (
        f"needs the plan {listed(entry.plans, 'or')}, the experiment has {names or 'none'}; "
        "add it under `resampling:` or drop the test"
    )


def _check_plan_named(entry: Entry, analysis: Analysis, named: object) -> None:
    """Refuse a plan that is not there, or on which a test is not valid."""
    place = ("tests", "options", entry.name, "plan")
    if not _is_one_of(named, analysis.plans):
        raise Problem(place, unknown("plan", named, analysis.plans))
    if named not in entry.plans:
        takes = listed(entry.plans, "or")
        raise Problem(place, f"{entry.name} is not valid on `{named}`, it takes {takes}")


# --- why a test does not fit


def _unfit(entry: Entry, test: PlannedTest, analysis: Analysis) -> str:
    """Say what a test needs that an experiment does not offer; empty where it has all."""
    return (
        _unfit_for_relation(entry, test, analysis)
        or _unfit_for_tasks(entry, analysis)
        or _unfit_for_runs(entry, analysis)
        or _unfit_for_answers(entry, analysis)
        or _too_few(entry, analysis)
    )


def _unfit_for_relation(entry: Entry, test: PlannedTest, analysis: Analysis) -> str:
    """Say why a test cannot look at rows that belong together."""
    timed = _in_time(analysis)
    if entry.evidence is Evidence.FOLD_ROWS and entry.reads == "predictions" and timed:
        return (
            f"was not studied for rows in the order of time, {timed[0]} has `time:`: use "
            "corrected_repeated_kfold_t"
        )
    if not (test.related and entry.knows_no_relation):
        return ""
    instead = "a test that takes `groups`, such as mcnemar or metric_difference"
    if entry.evidence is Evidence.FOLD_ROWS:
        instead = "fold_rows_difference, or a test of fold scores"
    dataset, relation = next(iter(analysis.related.items()))
    key = "time"
    if relation.kind == "group":
        key = "groups"
    return (
        f"counts rows one by one, {dataset} has `{key}: {relation.column}`: use {instead}, or set "
        f"`{INDEPENDENT}: true` among its options"
    )


def _unfit_for_tasks(entry: Entry, analysis: Analysis) -> str:
    """Say why a test cannot compare means over tasks."""
    if "tasks" in entry.options and analysis.tasks is None:
        return "compares means over tasks, and no model names `columns: {tasks: …}`"
    timed = _in_time(analysis)
    if "tasks" in entry.options and timed:
        return (
            f"compares means over fixed tasks, and {timed[0]} has `time:`: leave out `tasks` or "
            "`time`"
        )
    return ""


def _in_time(analysis: Analysis) -> list[str]:
    """Name the data sets whose rows are in the order of time."""
    return [name for name, relation in analysis.related.items() if relation.kind == "time"]


def _unfit_for_runs(entry: Entry, analysis: Analysis) -> str:
    """Say why a test cannot look at several training runs, or needs them."""
    if entry.evidence is Evidence.RUNS:
        return _no_recipes(analysis)
    several = analysis.several_runs
    counts_fold_rows = entry.evidence is Evidence.FOLD_ROWS and entry.reads != "predictions"
    if not several or not (counts_fold_rows or entry.evidence is Evidence.ROWS):
        return ""
    instead = "recipe_difference"
    if counts_fold_rows:
        instead = "fold_rows_difference, which takes the mean over seeds,"
    elif analysis.by_values:
        instead = "recipe_mean_difference"
    has = "have"
    if len(several) == 1:
        has = "has"
    return (
        f"looks at the rows of a single fit of each model, and {_named(several, analysis)} "
        f"{has} several training runs: use {instead} or set `seeds: 1`"
    )


def _no_recipes(analysis: Analysis) -> str:
    """Say why training runs cannot be compared; empty where they can."""
    if not analysis.several_runs:
        return (
            "compares models that were trained with several seeds, and no model has `seeds:` of 2 "
            "or more"
        )
    timed = _in_time(analysis)
    if not timed:
        return ""
    return (
        f"knows no dependence in time, {timed[0]} has `time:`: no test of training runs is known "
        "to hold its level there; compare one fit of each model (`seeds: 1`)"
    )


def _unfit_for_answers(entry: Entry, analysis: Analysis) -> str:
    """Say why a test cannot look at what the models bring of each row."""
    brings = "predictions"
    readable = {"correctness", "classes", "ranking", "predictions"}
    instead = "metric_difference"
    if analysis.by_values:
        brings = "a number per row"
        readable = {"values"}
        instead = "mean_difference"
    elif analysis.task.numbers:
        brings = "predicted numbers"
        readable = {"values", "predictions"}
    elif analysis.with_values:
        brings = "right and wrong rows"
        instead = "mcnemar"
    if entry.reads in readable | {"scores", "criteria"}:
        return ""
    return (
        f"looks at {entry.reads} of each row, the models bring {brings}: use {instead}, or on "
        "folds a test of scores"
    )


def _too_few(entry: Entry, analysis: Analysis) -> str:
    """Say of what there are too few for a test."""
    units = len(analysis.tests.units(analysis.datasets))
    if len(analysis.models) < entry.fewest_models:
        lacking = f"{entry.fewest_models} models at least, found {len(analysis.models)}"
    elif entry.evidence is Evidence.DATASETS and units < 2:
        lacking = "models over several data sets, found one"
    else:
        return ""
    return f"compares {lacking}; `recommended` chooses tests that fit"


# --- the metrics of a test


def _metrics(
    test: PlannedTest, entry: Entry, analysis: Analysis, plan: str, default: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the metrics of a test: its own, or those of the experiment that it can take."""
    fixed = FIXED_METRICS.get(entry.reads)
    if fixed is not None:
        return _fixed_metric(test, entry, analysis, fixed)
    named = _metrics_named(entry, analysis)
    metrics = named or default
    if entry.reads == "criteria":
        _check_criteria(entry, analysis, plan, metrics)
        return metrics
    if not named and not entry.options.keys().isdisjoint(IN_UNIT):
        metrics = metrics[:1]  # a margin in the unit of one metric is none of another
    can_take = _takes_metric(test, entry, analysis, metrics)
    if can_take is None:
        return metrics
    usable = tuple(filter(can_take, metrics))
    if not usable:
        other_metrics = []
        for metric in filter(can_take, METRICS):
            if not of_other_task(metric, analysis.task):
                other_metrics.append(metric)
        names = f"{listed(metrics, 'and')}; add one of {', '.join(other_metrics)}"
        raise _refusal(entry, f"has no standard error for {names} to `metrics:`")
    return usable


def _fixed_metric(
    test: PlannedTest, entry: Entry, analysis: Analysis, fixed: str
) -> tuple[str, ...]:
    """Return the one metric that a test is about."""
    lacking = analysis.without_costs
    if entry.reads == "classes" and lacking:
        on_dataset = ""
        if len(lacking) < len(analysis.datasets):
            on_dataset = f" of {lacking[0]}"
        raise _refusal(entry, f"needs `costs:`{on_dataset}; if every error costs 1 use mcnemar")
    # a test of one model may be about the error rate instead
    return (test.options.get("rate", fixed),)


def _metrics_named(entry: Entry, analysis: Analysis) -> tuple[str, ...]:
    """Return the metrics that the options of a test name; none where they name none."""
    place: Place = ("tests", "options", entry.name, "metrics")
    named = _options(entry, analysis).get("metrics")
    if named is None:
        return ()
    if not isinstance(named, list) or not named:
        raise Problem(place, f"found {shown(named)}, expected a list of metrics like [accuracy]")
    for i, name in enumerate(named):
        if not _is_one_of(name, analysis.metrics):
            hint = "; list it under `metrics:` to have it computed"
            raise Problem((*place, i), unknown("metric", name, analysis.metrics) + hint)
        if name in named[:i]:
            raise Problem((*place, i), f"{name} appears twice")
    return tuple(named)


def _check_criteria(entry: Entry, analysis: Analysis, plan: str, metrics: Sequence[str]) -> None:
    """Refuse metrics that a test of several at once cannot take together."""
    # the covariance of n metrics can be inverted with n + 1 folds at least, and nowhere if one
    # metric follows from another
    n = len(metrics)
    folds = len(analysis.plans[plan].splits())
    reason = ""
    if n < 2:
        reason = "compares several metrics at once, found one"
    elif {"right", "wrong"} <= set(map(counted_rows, metrics)):
        reason = "cannot take accuracy and error together, one is 1 less the other"
    elif folds <= n:
        reason = f"of {n} metrics needs {n + 1} folds at least, found {folds}"
    if reason:
        how = f"choose with `options: {{{entry.name}: {{metrics: [...]}}}}`"
        raise _refusal(entry, f"{reason}: {how}")


def _takes_metric(
    test: PlannedTest, entry: Entry, analysis: Analysis, metrics: Sequence[str]
) -> Callable[[str], bool] | None:
    """Return what tells whether a test takes a metric; None where it takes any."""
    if entry.reads == "predictions":
        _refuse_losses_in_time(test, entry, analysis, metrics)
        if entry.evidence is Evidence.ROWS:
            return has_interval
        return has_test
    if entry.reads == "values" and entry.evidence is Evidence.ROWS and not analysis.by_values:
        return partial(has_row_values, means="time" not in entry.options)
    return None


def _refuse_losses_in_time(
    test: PlannedTest, entry: Entry, analysis: Analysis, metrics: Sequence[str]
) -> None:
    """Refuse a test of a margin by mean losses of rows in the order of time."""
    losses = [metric for metric in metrics if has_row_values(metric, means=False)]
    if losses and _in_time(analysis) and "margin" in entry.options and test.related:
        raise _refusal(
            entry,
            f"by {losses[0]} needs 20 groups at least, and takes rows in the order of time as "
            f"{TIME_BLOCKS} blocks: use diebold_mariano_means",
        )


# --- the plan as a whole


def _wrong_groups(analysis: Analysis) -> Iterator[Problem]:
    """Refuse groups of data sets that are not there, or are in two groups."""
    group_of: dict[str, str] = {}
    for group, members in analysis.tests.dataset_groups.items():
        place: Place = ("tests", "dataset_groups", group)
        if group in analysis.datasets and group not in members:
            yield Problem(
                place, f"{group} is a data set that is not in this group: rename the group"
            )
        for i, dataset in enumerate(members):
            if dataset not in analysis.datasets:
                yield Problem((*place, i), unknown("data set", dataset, analysis.datasets))
            elif dataset in group_of:
                other = group_of[dataset]
                yield Problem((*place, i), f"{dataset} is in the group {other} already")
            group_of[dataset] = group


def _without_effect(analysis: Analysis, plan: AnalysisPlan) -> Iterator[Problem]:
    """Refuse settings that no test that runs would look at, or that one cannot follow."""
    running = plan.by_name
    names = ", ".join(running) or "none"
    tests = analysis.tests
    neutral = {"alternative": "two-sided", "dataset_groups": {}}
    entries = [catalogue()[name] for name in running]
    for key, has_effect in _settings_taken(analysis, entries):
        if getattr(tests, key) != neutral.get(key) and not has_effect:
            yield Problem(("tests", key), f"none of the tests that run takes it ({names})")
    for name, options in tests.options.items():
        place = ("tests", "options", name)
        if name not in running:
            yield Problem(place, f"{name} does not run (the tests are {names})")
        elif INDEPENDENT in options and not analysis.related:
            message = "no data set has `groups:` or `time:`: nothing to assume"
            yield Problem((*place, INDEPENDENT), message)
    for test in running.values():
        yield from _cannot_follow(test, analysis)


def _settings_taken(analysis: Analysis, entries: Sequence[Entry]) -> Iterator[tuple[str, bool]]:
    """Yield what `tests:` may set for all tests, and whether a test that runs looks at it."""
    yield "correction", any(map(corrects, entries))
    yield "versus", any(map(takes_control, entries))
    for key in SHARED:
        yield key, any(key in entry.options for entry in entries)
    over_datasets = any(entry.evidence is Evidence.DATASETS for entry in entries)
    # nothing is missing for no test
    expects_all = not entries and analysis.tests.missing_cells == "error"
    yield "missing_cells", over_datasets or expects_all
    yield "dataset_groups", over_datasets


def _cannot_follow(test: PlannedTest, analysis: Analysis) -> Iterator[Problem]:
    """Refuse a control, or a side, that a test cannot have."""
    entry = catalogue()[test.name]
    tests = analysis.tests
    if test.versus is not None and not takes_control(entry):
        place: Place = ("tests", "versus")
        if "versus" in tests.options.get(entry.name, {}):
            place = ("tests", "options", entry.name, "versus")
        yield Problem(
            place,
            f"{entry.name} compares all pairs: set `options: {{{entry.name}: {{versus: "
            "null}}`, or name a test that takes `versus`",
        )
    one_sided = tests.alternative != "two-sided" and "alternative" not in entry.options
    has_sides = {"rope", "margin"}.isdisjoint(entry.options)  # not posteriors, equivalence
    if one_sided and compares_pairs(entry) and has_sides:
        yield Problem(
            ("tests", "alternative"),
            f"{entry.name} is two-sided only: set `alternative` for single tests under "
            "`options:`, or drop it",
        )


# --- tests that could run in place of one that rejects too often


def with_better(test: PlannedTest, analysis: Analysis) -> PlannedTest:
    """Add to a liberal test, and its post hoc test, those that could run instead."""
    entry = catalogue()[test.name]
    better = tuple(name for name in _better_tests(entry) if _can_run(name, analysis))
    posthoc = test.posthoc
    if posthoc is not None:
        posthoc = with_better(posthoc, analysis)
    return dataclasses.replace(test, better=better, posthoc=posthoc)


def _better_tests(entry: Entry) -> Iterator[str]:
    """Yield the tests that could take the place of a liberal one, the best first."""
    while entry.liberal_for and entry.better_test:
        yield entry.better_test
        entry = catalogue()[entry.better_test]


def _can_run(name: str, analysis: Analysis) -> bool:
    """Tell whether an experiment could run a test, with the plan `halves` if it needs that."""
    if catalogue()[name].plans == ("halves",):
        analysis = _with_halves(analysis)
    return _can(name, analysis)


def _can(name: str, analysis: Analysis) -> bool:
    """Tell whether an experiment can run a test that could reach its level."""
    entry, _ = form_of(catalogue()[name], analysis)
    side = analysis.tests.options.get(name, {}).get("alternative", analysis.tests.alternative)
    if side != "two-sided" and compares_pairs(entry) and "alternative" not in entry.options:
        return False
    try:
        test = assign_plan(entry, analysis, Recommendation(name, ""))
    except Problem:
        return False
    return smallest_pvalue(test, analysis) <= test.alpha


def _with_halves(analysis: Analysis) -> Analysis:
    """Add the plan `halves` to an analysis whose rows can be halved."""
    if len(analysis.fitted) < len(analysis.models):
        return analysis
    halves = analysis.plans.get("halves") or Halves.model_validate({})
    for name, data in analysis.datasets.items():
        if data.source is None:
            return analysis
        try:
            check_plan(name, data.source, "halves", halves)
        except Problem:
            return analysis
    return dataclasses.replace(analysis, plans={**analysis.plans, "halves": halves})


def described(tests: Iterable[PlannedTest]) -> list[dict[str, Any]]:
    """Return the content of tests.json: the plan, with facts of the catalogue about each test."""
    listing = []
    for test in tests:
        entry = catalogue()[test.name]
        facts = {"title": entry.title, "about": entry.about, "caution": entry.caution}
        posthoc = test.posthoc and described([test.posthoc])[0]
        listing.append({**test.to_dict(), **facts, "posthoc": posthoc})
    return listing


# --- classes of a data set


def check_classes(analysis: Analysis, dataset: str, classes: Sequence[str]) -> Iterator[Problem]:
    """Look for tests and costs that do not fit the classes of a data set."""
    if len(classes) > 2:
        yield from _tests_of_two_classes(analysis, dataset, len(classes))
    data = analysis.datasets[dataset]
    costs = data.costs
    if costs is None or not classes:
        return
    place: Place = ("costs", "classes")
    if data.has_own_costs:
        place = ("datasets", dataset, "costs", "classes")
    for i, name in enumerate(costs.classes):
        try:
            check_values([name], classes, "class", (*place, i))
        except Problem as problem:
            yield Problem(problem.path, f"{data.label}: {problem.message}")
    for name in classes:
        if name not in costs.names:
            message = f"the class {name!r} of {data.label} has no row and column in the costs"
            yield Problem(place, message)
            return


def _tests_of_two_classes(analysis: Analysis, dataset: str, classes: int) -> Iterator[Problem]:
    """Refuse tests for two classes where there are more."""
    entries = catalogue()
    label = analysis.datasets[dataset].label
    for place, wanted in _wanted(analysis):
        if wanted.name in entries and entries[wanted.name].reads == "ranking":
            yield Problem(
                place,
                f"{wanted.name} is for two classes, {label} has {classes}; for more use mcnemar, "
                "or a test on folds with the metric roc_auc_ovr",
            )


# --- training runs


def notes(analysis: Analysis) -> Iterator[str]:
    """Say what keeps training runs from being compared as such."""
    why = left_out(analysis)
    if why:
        yield f"{why}."
    several = analysis.several_runs
    if several and any(data.subgroups for data in analysis.datasets.values()):
        yield (
            "Models are not compared in subgroups, because no test of the interaction is known for "
            f"several training runs ({_named(several, analysis)})."
        )
    alike: dict[str, list[str]] = {}
    for model in analysis.models.values():
        alike.setdefault(_RUN.sub(r"\1", model.label), []).append(model.label)
    for template, runs in alike.items():
        if len(runs) > 1 and template not in runs:
            yield (
                f"{joined(runs)} look like training runs of one model. Through selection alone the "
                "one with the best test score leads their mean by about "
                f"{lead_of_best(len(runs)):.1f} standard deviations of a run's score: compare all "
                "runs as one model, by `seeds:` or `{seed}` in the path of their files."
            )


def left_out(analysis: Analysis) -> str:
    """Say which models no test of recipes can compare though others have seeds; else empty."""
    test = "recipe_difference"
    several = analysis.several_runs
    on_rows = "holdout" in analysis.plans and "holdout" not in analysis.scores_of_plans
    if not several or not on_rows or RECOMMENDED not in analysis.tests.run:
        return ""
    reason = _no_recipes(analysis)
    if reason:
        return f"{test} {reason}"
    comparable = deterministic(analysis).union(several)
    unknown = [name for name in analysis.models if name not in comparable]
    if not unknown:
        return ""
    runs = ENOUGH_RUNS
    for name in several:
        runs = max(runs, analysis.models[name].seeds)
    it_is = "it is"
    its = "its"
    if len(unknown) > 1:
        it_is = "they are"
        its = "their"
    return (
        f"{_named(unknown, analysis)} cannot be compared with the other models for other seeds "
        f"({test}), because {it_is} trained once and may draw at random: write `seeds: {runs}` "
        f"there, or `deterministic: true` if {its} training draws nothing"
    )


def _named(models: Sequence[str], analysis: Analysis) -> str:
    """Name some models, the first of many."""
    names = [analysis.models[model].label for model in models]
    if len(names) <= _MOST_NAMED:
        return joined(names)
    return some(names, _MOST_NAMED)

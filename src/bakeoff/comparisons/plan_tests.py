"""From the names in `tests:` to the plan of the analysis, or to the problems with them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from bakeoff.comparisons.advice import smallest_pvalue
from bakeoff.comparisons.analysis import Analysis, analysis_of
from bakeoff.comparisons.choose import (
    Recommendation,
    by_ranks,
    one_cross_validation,
    recommended,
)
from bakeoff.comparisons.settings import (
    FIXED_METRICS,
    IN_UNIT,
    INDEPENDENT,
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
_ON_RANKS = ("conover_friedman", "friedman", "friedman_posthoc", "iman_davenport", "nemenyi")
"""Tests that look at nothing but the order of the models on each data set."""


def plan_tests(experiment: Experiment | Analysis) -> tuple[list[Problem], AnalysisPlan]:
    """Plan every test of an experiment: its evidence, its settings and why it runs."""
    analysis = analysis_of(experiment)
    entries = catalogue()
    problems: list[Problem] = list(_unknown_names(analysis))
    tests: dict[str, PlannedTest] = {}
    for place, one in _wanted(analysis):
        if one.name not in entries:
            continue
        entry, form = form_of(entries[one.name], analysis)
        if entry.name in tests:
            continue  # asked for by both names
        try:
            test = assign_plan(entry, analysis, one)
        except Problem as problem:
            problems.append(problem if problem.path else problem.inside(place))
            continue
        if form:
            test = dataclasses.replace(test, why=f"{test.why}; {form}")
        if one.posthoc:
            pairs = planned(entries[one.posthoc], analysis.tests, len(analysis.models))
            pairs = dataclasses.replace(pairs, why=f"the post hoc test of {one.name}")
            test = dataclasses.replace(test, posthoc=pairs.on(test.plan, test.metrics))
        tests[entry.name] = test if problems else with_better(test, analysis)
    problems += _wrong_groups(analysis)
    plan = AnalysisPlan(tuple(tests.values()))
    if not problems:
        problems += [*_without_effect(analysis, plan), *check_options(analysis, plan)]
    return problems, plan


def _wanted(analysis: Analysis) -> Iterator[tuple[Place, Recommendation]]:
    run = analysis.tests.run
    for i, name in enumerate(run):
        place = ("tests", "run", i)
        if name != RECOMMENDED:
            yield place, Recommendation(name, _ASKED)
            continue
        for one in recommended(analysis):
            # named as well, it is wanted by every metric
            yield place, one._replace(metrics=()) if one.name in run else one


def unknown_test(name: str) -> str:
    """Say that no test has a name; for a retired name, what to write instead."""
    if name in RETIRED:
        return f"{name}: {RETIRED[name]}"
    return unknown("test", name, catalogue())


def _unknown_names(analysis: Analysis) -> Iterator[Problem]:
    tests, entries = analysis.tests, catalogue()
    for i, name in enumerate(tests.run):
        if name not in (*entries, RECOMMENDED):
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


def assign_plan(entry: Entry, analysis: Analysis, wanted: Recommendation) -> PlannedTest:
    """Plan one test: its settings, its resampling plan and its metrics."""
    why, kin = wanted.why, bool(analysis.related)
    test = planned(entry, analysis.tests, len(analysis.models), related=kin)
    plan = _plan(entry, analysis, wanted.plan)
    if wanted.plan and plan != wanted.plan:
        why = f"recommended, on the plan that `tests.options.{entry.name}.plan` names"
    if reason := _unfit(entry, test, analysis):
        raise _refusal(entry, reason)
    metrics = _metrics(test, entry, analysis, plan, wanted.metrics or tuple(analysis.metrics))
    if wanted.metrics and analysis.tests.options.get(entry.name, {}).get("metrics"):
        why = f"recommended, by the metrics that `tests.options.{entry.name}.metrics` names"
    ranks = by_ranks(analysis, metrics) if entry.evidence is Evidence.DATASETS else ""
    if ranks and (entry.name not in _ON_RANKS or "decimals" in test.options):
        names = listed(_ON_RANKS, "or")
        use = f"use {names} without `decimals`, or of two models their win rate"
        raise _refusal(entry, f"looks at the size of scores, and {ranks}; {use}")
    return dataclasses.replace(test, why=why).on(plan, metrics)


def _refusal(entry: Entry, reason: str) -> Problem:
    return Problem((), f"{entry.name} {reason}")


def _plan(entry: Entry, analysis: Analysis, recommended: str) -> str:
    """Choose the plan of a test: the one asked for, the recommended one, or its best."""
    plans = analysis.plans
    named = analysis.tests.options.get(entry.name, {}).get("plan")
    if named is not None:
        at = ("tests", "options", entry.name, "plan")
        if not _is_one_of(named, plans):
            raise Problem(at, unknown("plan", named, plans))
        if named not in entry.plans:
            takes = listed(entry.plans, "or")
            raise Problem(at, f"{entry.name} is not valid on `{named}`, it takes {takes}")
    wanted = (named or recommended,) if named or recommended else entry.plans
    usable = [plan for plan in entry.plans if plan in plans and plan in wanted]
    if not usable:
        raise _refusal(
            entry,
            f"needs the plan {listed(entry.plans, 'or')}, the experiment has "
            f"{', '.join(f'`{p}`' for p in plans) or 'none'}; add it under `resampling:` or drop "
            "the test",
        )
    # A test that is not told the sizes of the parts takes its folds for one cross-validation.
    of_one = entry.evidence is Evidence.FOLD_SCORES and "n_train" not in entry.options
    if of_one and not one_cross_validation(analysis):
        usable = [plan for plan in usable if plan != "kfold"]
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


def _unfit(entry: Entry, test: PlannedTest, analysis: Analysis) -> str:
    """Say what a test needs that an experiment does not offer; empty where it has all."""
    of_folds = entry.evidence is Evidence.FOLD_ROWS
    by_value = of_folds and entry.reads == "predictions"
    times = [name for name, kin in analysis.related.items() if kin.kind == "time"]
    if by_value and times:
        return (
            f"was not studied for rows in the order of time, {times[0]} has `time:`: use "
            "corrected_repeated_kfold_t"
        )
    if test.related and entry.knows_no_relation:
        instead = "a test that takes `groups`, such as mcnemar or metric_difference"
        if of_folds:
            instead = "fold_rows_difference, or a test of fold scores"
        dataset, kin = next(iter(analysis.related.items()))
        word = "groups" if kin.kind == "group" else "time"
        return (
            f"counts rows one by one, {dataset} has `{word}: {kin.column}`: use {instead}, or set "
            f"`{INDEPENDENT}: true` among its options"
        )
    several, by_values = analysis.several_runs, analysis.by_values
    if entry.evidence is Evidence.RUNS and (reason := _no_recipes(analysis)):
        return reason
    if several and ((of_folds and not by_value) or entry.evidence is Evidence.ROWS):
        instead = "recipe_mean_difference" if by_values else "recipe_difference"
        if of_folds:
            instead = "fold_rows_difference, which takes the mean over seeds,"
        return (
            f"looks at the rows of a single fit of each model, and {_named(several, analysis)} "
            f"{'has' if len(several) == 1 else 'have'} several training runs: use {instead} or set "
            "`seeds: 1`"
        )
    readable = {"correctness", "classes", "ranking", "predictions"}
    brings, instead = "predictions", "metric_difference"
    if by_values:
        brings, readable, instead = "a number per row", {"values"}, "mean_difference"
    elif analysis.task.numbers:
        brings, readable = "predicted numbers", {"values", "predictions"}
    elif analysis.with_values:
        brings, instead = "right and wrong rows", "mcnemar"
    if entry.reads not in readable | {"scores", "criteria"}:
        return (
            f"looks at {entry.reads} of each row, the models bring {brings}: use {instead}, or on "
            "folds a test of scores"
        )
    lacking = ""
    if len(analysis.models) < entry.fewest_models:
        lacking = f"{entry.fewest_models} models at least, found {len(analysis.models)}"
    elif entry.evidence is Evidence.DATASETS:
        units = len(analysis.tests.units(analysis.datasets))
        lacking = "models over several data sets, found one" if units < 2 else ""
    return f"compares {lacking}; `recommended` chooses tests that fit" if lacking else ""


def _no_recipes(analysis: Analysis) -> str:
    """Say why training runs cannot be compared; empty where they can."""
    if not analysis.several_runs:
        return (
            "compares models that were trained with several seeds, and no model has `seeds:` of 2 "
            "or more"
        )
    timed = [name for name, kin in analysis.related.items() if kin.kind == "time"]
    if not timed:
        return ""
    return (
        f"knows no dependence in time, {timed[0]} has `time:`: no test of training runs is known "
        "to hold its level there; compare one fit of each model (`seeds: 1`)"
    )


def _metrics(
    test: PlannedTest, entry: Entry, analysis: Analysis, plan: str, default: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the metrics of a test: its own, or those of the experiment that it can take."""
    fixed = FIXED_METRICS.get(entry.reads)
    if fixed is not None:
        if entry.reads == "classes" and (lacking := analysis.without_costs):
            where = f" of {lacking[0]}" if len(lacking) < len(analysis.datasets) else ""
            raise _refusal(entry, f"needs `costs:`{where}; if every error costs 1 use mcnemar")
        # a test of one model may be about the error rate instead
        return (test.options.get("rate", fixed),)
    named = analysis.tests.options.get(entry.name, {}).get("metrics")
    place: Place = ("tests", "options", entry.name, "metrics")
    if named is not None and not (isinstance(named, list) and named):
        raise Problem(place, f"found {shown(named)}, expected a list of metrics like [accuracy]")
    metrics, reason = tuple(named or default), ""
    for i, name in enumerate(metrics if named else ()):
        if not _is_one_of(name, analysis.metrics):
            hint = "; list it under `metrics:` to have it computed"
            raise Problem((*place, i), unknown("metric", name, analysis.metrics) + hint)
        if name in metrics[:i]:
            raise Problem((*place, i), f"{name} appears twice")
    if entry.reads == "criteria":
        n, folds = len(metrics), len(analysis.plans[plan].splits())
        if n < 2:
            reason = "compares several metrics at once, found one"
        elif {"right", "wrong"} <= set(map(counted_rows, metrics)):
            reason = "cannot take accuracy and error together, one is 1 less the other"
        elif folds <= n:
            reason = f"of {n} metrics needs {n + 1} folds at least, found {folds}"
        if reason:
            how = f"choose with `options: {{{entry.name}: {{metrics: [...]}}}}`"
            raise _refusal(entry, f"{reason}: {how}")
        return metrics
    if named is None and any(name in entry.options for name in IN_UNIT):
        metrics = metrics[:1]
    if entry.reads == "predictions":
        losses = [metric for metric in metrics if has_row_values(metric, means=False)]
        timed = any(kin.kind == "time" for kin in analysis.related.values())
        if losses and timed and "margin" in entry.options and test.related:
            raise _refusal(
                entry,
                f"by {losses[0]} needs 20 groups at least, and takes rows in the order of time as "
                f"{TIME_BLOCKS} blocks: use diebold_mariano_means",
            )
        can_take = has_interval if entry.evidence is Evidence.ROWS else has_test
    elif entry.reads == "values" and entry.evidence is Evidence.ROWS and not analysis.by_values:
        can_take = partial(has_row_values, means="time" not in entry.options)
    else:
        return metrics
    usable = tuple(filter(can_take, metrics))
    if not usable:
        others = [m for m in METRICS if can_take(m) and not of_other_task(m, analysis.task)]
        names = f"{listed(metrics, 'and')}; add one of {', '.join(others)}"
        raise _refusal(entry, f"has no standard error for {names} to `metrics:`")
    return usable


# --- the plan as a whole


def _wrong_groups(analysis: Analysis) -> Iterator[Problem]:
    """Refuse groups of data sets that are not there, or are in two groups."""
    seen: dict[str, str] = {}
    for name, members in analysis.tests.dataset_groups.items():
        place: Place = ("tests", "dataset_groups", name)
        if name in analysis.datasets and name not in members:
            yield Problem(
                place, f"{name} is a data set that is not in this group: rename the group"
            )
        for i, one in enumerate(members):
            if one not in analysis.datasets:
                yield Problem((*place, i), unknown("data set", one, analysis.datasets))
            elif one in seen:
                yield Problem((*place, i), f"{one} is in the group {seen[one]} already")
            seen[one] = name


def _without_effect(analysis: Analysis, plan: AnalysisPlan) -> Iterator[Problem]:
    """Refuse settings that no test that runs would look at, or that one cannot follow."""
    tests, registered = analysis.tests, catalogue()
    running = {name: (test, registered[name]) for name, test in plan.by_name.items()}
    entries, names = [entry for _, entry in running.values()], ", ".join(running) or "none"
    over_datasets = any(entry.evidence is Evidence.DATASETS for entry in entries)
    # nothing is missing for no test
    expects_all = not running and tests.missing_cells == "error"
    taken = {
        "correction": any(map(corrects, entries)),
        "versus": any(map(takes_control, entries)),
        **{
            key: any(key in e.options for e in entries) for key in ("alternative", "rope", "margin")
        },
        "missing_cells": over_datasets or expects_all,
        "dataset_groups": over_datasets,
    }
    neutral = {"alternative": "two-sided", "dataset_groups": {}}
    for key, has_effect in taken.items():
        if getattr(tests, key) != neutral.get(key) and not has_effect:
            yield Problem(("tests", key), f"none of the tests that run takes it ({names})")
    for name, options in tests.options.items():
        place = ("tests", "options", name)
        if name not in running:
            yield Problem(place, f"{name} does not run (the tests are {names})")
        elif INDEPENDENT in options and not analysis.related:
            yield Problem(
                (*place, INDEPENDENT),
                "no data set has `groups:` or `time:`: nothing to assume",
            )
    for test, entry in running.values():
        if test.versus is not None and not takes_control(entry):
            at = ("options", entry.name) if "versus" in tests.options.get(entry.name, {}) else ()
            yield Problem(
                ("tests", *at, "versus"),
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


def with_better(test: PlannedTest, analysis: Analysis) -> PlannedTest:
    """Add to a liberal test, and its post hoc test, those that could run instead."""
    entry = catalogue()[test.name]
    better = [name for name in _better_tests(entry) if _can_run(name, analysis)]
    posthoc = test.posthoc and with_better(test.posthoc, analysis)
    return dataclasses.replace(test, better=tuple(better), posthoc=posthoc)


def _better_tests(entry: Entry) -> Iterator[str]:
    """Yield the tests that could take the place of a liberal one, the best first."""
    while entry.liberal_for and entry.better_test:
        yield entry.better_test
        entry = catalogue()[entry.better_test]


def _can_run(name: str, analysis: Analysis) -> bool:
    """Tell whether an experiment could run a test, with the plan `halves` if it needs that."""
    needs_halves = catalogue()[name].plans == ("halves",)
    return _can(name, _with_halves(analysis) if needs_halves else analysis)


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


def check_classes(analysis: Analysis, dataset: str, classes: Sequence[str]) -> Iterator[Problem]:
    """Look for tests and costs that do not fit the classes of a data set."""
    entries, named = catalogue(), analysis.datasets[dataset].label
    for place, (name, *_) in _wanted(analysis) if len(classes) > 2 else ():
        if name in entries and entries[name].reads == "ranking":
            yield Problem(
                place,
                f"{name} is for two classes, {named} has {len(classes)}; for more use mcnemar, "
                "or a test on folds with the metric roc_auc_ovr",
            )
    costs = analysis.datasets[dataset].costs
    if costs is None or not classes:
        return
    separate = analysis.datasets[dataset].has_own_costs
    at: Place = ("datasets", dataset, "costs", "classes") if separate else ("costs", "classes")
    for i, each in enumerate(costs.classes):
        try:
            check_values([each], classes, "class", (*at, i))
        except Problem as problem:
            yield Problem(problem.path, f"{named}: {problem.message}")
    lacking = [name for name in classes if name not in costs.names]
    if lacking:
        yield Problem(at, f"the class {lacking[0]!r} of {named} has no row and column in the costs")


_MOST_NAMED = 5
_RUN = re.compile(r"(?<![a-z])(seed|run)[ _.=-]*\d+", re.IGNORECASE)
"""The part of a name that tells the training runs of one model apart."""


def notes(analysis: Analysis) -> Iterator[str]:
    """Say what keeps training runs from being compared as such."""
    if why := left_out(analysis):
        yield f"{why}."
    several = analysis.several_runs
    if several and any(analysis.datasets[name].subgroups for name in analysis.datasets):
        yield (
            "Models are not compared in subgroups, because no test of the interaction is known for "
            f"several training runs ({_named(several, analysis)})."
        )
    alike: dict[str, list[str]] = {}
    for name in (model.label for model in analysis.models.values()):
        alike.setdefault(_RUN.sub(r"\1", name), []).append(name)
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
    several, by = analysis.several_runs, "recipe_difference"
    on_rows = "holdout" in analysis.plans and "holdout" not in analysis.scores_of_plans
    if not several or not on_rows or RECOMMENDED not in analysis.tests.run:
        return ""
    if reason := _no_recipes(analysis):
        return f"{by} {reason}"
    comparable = {*several} | deterministic(analysis)
    unknown = [name for name in analysis.models if name not in comparable]
    if not unknown:
        return ""
    runs = max(ENOUGH_RUNS, *(analysis.models[name].seeds for name in several))
    it, is_, its = ("it", "is", "its") if len(unknown) == 1 else ("they", "are", "their")
    return (
        f"{_named(unknown, analysis)} cannot be compared with the other models for other seeds "
        f"({by}), because {it} {is_} trained once and may draw at random: write `seeds: {runs}` "
        f"there, or `deterministic: true` if {its} training draws nothing"
    )


def _named(models: Sequence[str], analysis: Analysis) -> str:
    names = [analysis.models[model].label for model in models]
    return joined(names) if len(names) <= _MOST_NAMED else some(names, _MOST_NAMED)

"""From the names in `tests:` to the plan of the analysis, or to the problems with them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bakeoff.comparisons.advice import (
    ON_ROWS,
    Recommendation,
    RowCounts,
    by_ranks,
    complete_folds,
    recommended,
    smallest_pvalue,
)
from bakeoff.comparisons.evidence import FIXED_METRICS, has_interval, has_row_values, has_test
from bakeoff.comparisons.settings import (
    IN_UNIT,
    INDEPENDENT,
    check_options,
    compares_pairs,
    corrects,
    deterministic,
    planned,
    related,
    robust,
    several_runs,
    takes_control,
)
from bakeoff.data.columns import check_values
from bakeoff.data.splits import check_plan
from bakeoff.errors import Place, Problem, UserError, joined, listed, shown, some, unknown
from bakeoff.scores import counted_rows
from bakeoff.scores.metrics import mixed_units
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.related import dependent, row_columns
from bakeoff.spec.resampling import Halves
from bakeoff.spec.tests import RECOMMENDED
from bakeoff.stats import RETIRED, Arity, Entry, Evidence, catalogue, test_set_metrics
from bakeoff.stats.design.clusters import TIME_BLOCKS
from bakeoff.stats.runs.recipe import ENOUGH_RUNS, lead_of_best

_OF_CLASSES = {
    "correctness": "right and wrong rows",
    "classes": "what errors between classes cost",
    "ranking": "areas under the ROC curve",
}
LEAST = {Arity.ONE: 1, Arity.PAIR: 2, Arity.OMNIBUS: 3, Arity.ALL_PAIRS: 2}
"""How many models a test needs."""
_ON_FOLDS = (
    "corrected_kfold_t",
    "corrected_repeated_kfold_t",
    "corrected_resampled_t",
    "half_sample_t",
)
_FOR_TWO = {
    Evidence.ROWS: ("mcnemar",),
    Evidence.FOLD_SCORES: _ON_FOLDS,
    Evidence.DATASETS: ("wilcoxon_signed_rank",),
}
_REPEATED = ("corrected_repeated_kfold_t", "corrected_resampled_t")
_VERSUS = {
    Evidence.DATASETS: ("friedman_posthoc", "wilcoxon_signed_rank"),
    Evidence.FOLD_SCORES: ("corrected_kfold_t", "corrected_repeated_kfold_t"),
}
_ASKED = "asked for in `tests: run:`"
ON_RANKS = (
    "conover_friedman",
    "friedman",
    "friedman_posthoc",
    "iman_davenport",
    "nemenyi",
)
"""Tests that look at nothing but the order of the models on each data set."""


def plan_tests(experiment: Experiment) -> tuple[list[Problem], AnalysisPlan]:
    """Plan every test of an experiment: its evidence, its settings and why it runs."""
    known = catalogue()
    problems: list[Problem] = list(_unknown_names(experiment))
    tests: list[PlannedTest] = []
    for place, (name, why, metrics, plan, posthoc) in _wanted(experiment):
        if name not in known:
            continue
        entry = robust(known[name], experiment)
        if form := _form_that_runs(known[name], experiment):
            why = f"{why}; {form}"
        if entry.name in {test.name for test in tests}:
            continue  # asked for by both names
        try:
            test = assign_plan(entry, experiment, place, why, metrics, plan)
            if posthoc:
                pairs = planned(known[posthoc], experiment.tests, len(experiment.models))
                pairs = dataclasses.replace(pairs, why=f"the post hoc test of {name}")
                test = dataclasses.replace(test, posthoc=pairs.on(test.plan, test.metrics))
            tests.append(test if problems else with_better(test, experiment))
        except Problem as problem:
            problems.append(problem)
    problems += problems_of_options(experiment)
    problems += wrong_groups(experiment)
    plan_of_all = AnalysisPlan(tuple(tests))
    if not problems:
        problems += _unused(experiment, plan_of_all)
        problems += check_options(experiment, plan_of_all)
    return problems, plan_of_all


def _wanted(experiment: Experiment) -> Iterator[tuple[Place, Recommendation]]:
    run = experiment.tests.run
    for i, name in enumerate(run):
        place = ("tests", "run", i)
        if name != RECOMMENDED:
            yield place, Recommendation(name, _ASKED)
            continue
        for one in recommended(experiment):
            # named as well, it is wanted by every metric
            yield place, one._replace(metrics=()) if one.name in run else one


def unknown_test(name: str) -> str:
    """Say that no test has a name; for a retired name, what to write instead."""
    if name in RETIRED:
        return f"{name}: {RETIRED[name]}"
    return unknown("test", name, catalogue())


def _unknown_names(experiment: Experiment) -> Iterator[Problem]:
    tests, known = experiment.tests, catalogue()
    for i, name in enumerate(tests.run):
        if name not in (*known, RECOMMENDED):
            yield Problem(("tests", "run", i), unknown_test(name))
        elif name in tests.run[:i]:
            yield Problem(("tests", "run", i), f"{name} appears twice")
    for name, own in tests.options.items():
        if name not in known:
            yield Problem(("tests", "options", name), unknown_test(name))
        versus = own.get("versus")
        if versus is not None and not is_one_of(versus, experiment.models):
            place = ("tests", "options", name, "versus")
            yield Problem(place, unknown("model", versus, experiment.models))
    if tests.versus is not None and tests.versus not in experiment.models:
        yield Problem(("tests", "versus"), unknown("model", tests.versus, experiment.models))


# --- one test: its settings, its plan and its metrics


def assign_plan(
    entry: Entry,
    experiment: Experiment,
    place: Place,
    why: str,
    metrics: Sequence[str] = (),
    recommended: str = "",
) -> PlannedTest:
    """Plan one test: its settings, its resampling plan and its metrics."""
    if refused := refusal(entry, experiment):
        raise Problem(place, refused)
    related = bool(dependent(experiment))
    test = planned(entry, experiment.tests, len(experiment.models), related=related)
    plan = _plan(entry, experiment, place, recommended)
    if recommended and plan != recommended:
        why = f"recommended, on the plan that `tests.options.{entry.name}.plan` names"
    if refused := refusal_of_runs(entry, experiment):
        raise Problem(place, refused)
    _check_kind(entry, experiment, place)
    _check_size(entry, experiment, place)
    default = tuple(metrics or experiment.metrics)
    chosen = _metrics(test, entry, experiment, place, plan, default)
    check_cells(test, entry, experiment, place, chosen)
    return dataclasses.replace(test, why=why).on(plan, chosen)


def _plan(entry: Entry, experiment: Experiment, place: Place, recommended: str) -> str:
    plans = experiment.resampling.plans()
    asked = experiment.tests.of(entry.name).get("plan")
    if asked is not None:
        at = ("tests", "options", entry.name, "plan")
        if not is_one_of(asked, plans):
            raise Problem(at, unknown("plan", asked, plans))
        if asked not in entry.plans:
            takes = listed(entry.plans, "or")
            raise Problem(at, f"{entry.name} is not valid on `{asked}`, it takes {takes}")
    wanted = (asked or recommended,) if asked or recommended else entry.plans
    usable = [plan for plan in entry.plans if plan in plans and plan in wanted]
    if not usable:
        raise Problem(
            place,
            f"{entry.name} needs the plan {listed(entry.plans, 'or')}, the experiment has "
            f"{', '.join(f'`{p}`' for p in plans) or 'none'}; add it under `resampling:` or drop "
            "the test",
        )
    refusals = [_refusal(entry, plan, experiment) for plan in usable]
    fitting = [plan for plan, refusal in zip(usable, refusals, strict=True) if not refusal]
    if not fitting:
        raise Problem(place, refusals[0])
    if entry.evidence is Evidence.DATASETS:
        # a mean over folds is less noisy than the score of one test set
        fitting.sort(key=lambda plan: plan == "holdout")
    return fitting[0]


def _refusal(entry: Entry, plan: str, experiment: Experiment) -> str:
    """Say why a test is not valid on a plan as it is; empty when it is valid."""
    # A test that is not told the sizes of the parts takes its folds for one cross-validation.
    on_folds = entry.evidence is Evidence.FOLD_SCORES
    if plan != "kfold" or not on_folds or "n_train" in entry.options:
        return ""
    kfold = experiment.resampling.kfold
    assert kfold is not None
    if kfold.repeats == 1 and complete_folds(experiment):
        return ""
    others = () if entry.arity is Arity.ONE else _REPEATED
    instead = " or ".join(advisable(others, experiment))
    if kfold.repeats > 1:
        return (
            f"{entry.name} is for one cross-validation, `kfold` has {kfold.repeats} repeats: "
            + (f"use {instead}, or set `repeats: 1`" if instead else "set `repeats: 1`")
        )
    return (
        f"{entry.name} is for a complete cross-validation, with `time:` the training sets grow"
        + (f": use {instead}" if instead else "")
    )


def _check_kind(entry: Entry, experiment: Experiment, place: Place) -> None:
    """Refuse tests of predictions where models bring numbers per row, and the other way round."""
    wants_numbers = entry.reads == "values"
    if experiment.task.numbers and entry.reads in _OF_CLASSES:
        raise Problem(
            place,
            f"{entry.name} compares {_OF_CLASSES[entry.reads]}, which predicted numbers do not "
            "have: use metric_difference on one test set, or a test of fold scores",
        )
    if experiment.by_values and entry.evidence.on_rows and not wants_numbers:
        raise Problem(
            place,
            f"{entry.name} looks at predictions, the models bring a number per row: use "
            "mean_difference (where 1 is right and 0 wrong: `metrics: "
            "[accuracy]`)",
        )
    if wants_numbers and not (experiment.by_values or experiment.task.numbers):
        binary = experiment.with_values
        has = "right and wrong rows" if binary else "predictions"
        instead = "mcnemar" if binary else "metric_difference"
        raise Problem(
            place,
            f"{entry.name} looks at a number per row (`values:` of every model), the experiment "
            f"has {has}: use {instead}",
        )


def _check_size(entry: Entry, experiment: Experiment, place: Place) -> None:
    """Refuse tests of more models, or of more data sets, than there are."""
    models, least = len(experiment.models), LEAST[entry.arity]
    if entry.reads == "criteria":
        least = 2  # no other test takes several metrics of two models together
    if models < least:
        for_two = _FOR_TWO.get(entry.evidence, ()) if models == 2 else ()
        instead = advisable(for_two, experiment)[:1]
        raise Problem(
            place,
            f"{entry.name} compares {least} models at least, found {models}"
            + (f"; for two use {instead[0]}" if instead else ""),
        )
    units = experiment.tests.units(experiment.datasets)
    if entry.evidence is Evidence.DATASETS and len(units) < 2:
        instead = advisable((*_ON_FOLDS, "mcnemar"), experiment)[:1]
        raise Problem(
            place,
            f"{entry.name} compares models over several data sets, found one"
            + (f"; on one data set use a test like {instead[0]}" if instead else ""),
        )


def _metrics(
    test: PlannedTest,
    entry: Entry,
    experiment: Experiment,
    place: Place,
    plan: str,
    default: tuple[str, ...],
) -> tuple[str, ...]:
    own = experiment.tests.of(entry.name).get("metrics")
    fixed = FIXED_METRICS.get(entry.reads)
    if fixed is not None:
        if entry.reads == "classes" and (lacking := experiment.without_costs):
            where = f" of {lacking[0]}" if len(lacking) < len(experiment.datasets) else ""
            raise Problem(
                place, f"{entry.name} needs `costs:`{where}; if every error costs 1 use mcnemar"
            )
        # a test of one model may be about the error rate instead
        return (test.options.get("rate", fixed),)
    if own is not None:
        _check_metrics(own, experiment, ("tests", "options", entry.name, "metrics"))
    if entry.reads == "criteria":
        return _criteria(entry, tuple(own or default), experiment, place, plan)
    if own is None and any(name in entry.options for name in IN_UNIT):
        default = default[:1]
    if entry.reads == "predictions":
        if refused := too_few_blocks(entry, experiment, tuple(own or default)):
            raise Problem(place, refused)
        return _on_predictions(entry, tuple(own or default), place)
    if entry.evidence is Evidence.ROWS and entry.reads == "values" and not experiment.by_values:
        return _of_row_values(entry, tuple(own or default), place)
    return tuple(own or default)


def _of_row_values(entry: Entry, metrics: tuple[str, ...], place: Place) -> tuple[str, ...]:
    """Take the metrics of predicted numbers that are made of a number of each row."""
    means = "time" not in entry.options
    known = tuple(metric for metric in metrics if has_row_values(metric, means=means))
    if not known:
        raise Problem(
            place,
            f"{entry.name} compares means of a loss of each row, which {listed(metrics, 'and')} "
            f"{'is' if len(metrics) == 1 else 'are'} not: add mse or mae to `metrics:`, or use "
            "metric_difference",
        )
    return known


def _on_predictions(entry: Entry, metrics: tuple[str, ...], place: Place) -> tuple[str, ...]:
    """Take the metrics that have an interval and a test on one test set."""
    has_form = has_test if entry.evidence is Evidence.RUNS else has_interval
    known = tuple(filter(has_form, metrics))
    if not known:
        raise Problem(
            place,
            f"{entry.name} has no standard error for {', '.join(metrics)}; add one of "
            f"{', '.join(filter(has_form, test_set_metrics()))} to `metrics:`",
        )
    return known


def _check_metrics(own: object, experiment: Experiment, place: Place) -> None:
    if not isinstance(own, list) or not own:
        raise Problem(place, f"found {shown(own)}, expected a list of metrics like [accuracy]")
    for i, name in enumerate(own):
        if not is_one_of(name, experiment.metrics):
            hint = "; list it under `metrics:` to have it computed"
            raise Problem((*place, i), unknown("metric", name, experiment.metrics) + hint)
        if name in own[:i]:
            raise Problem((*place, i), f"{name} appears twice")


def _criteria(
    entry: Entry, metrics: tuple[str, ...], experiment: Experiment, place: Place, plan: str
) -> tuple[str, ...]:
    folds = len(experiment.resampling.plans()[plan].splits())
    if len(metrics) < 2:
        raise Problem(
            place, f"{entry.name} compares several metrics at once, found one; add to `metrics:`"
        )
    if {"right", "wrong"} <= set(map(counted_rows, metrics)):
        raise Problem(
            place,
            f"{entry.name} cannot take accuracy and error together, one is 1 less the other: "
            f"choose with `options: {{{entry.name}: {{metrics: [...]}}}}`",
        )
    if folds <= len(metrics):
        raise Problem(
            place,
            f"{entry.name} of {len(metrics)} metrics needs {len(metrics) + 1} folds at least, "
            f"`{plan}` has {folds}: choose with `options: {{{entry.name}: {{metrics: [...]}}}}`",
        )
    return metrics


def check_cells(
    test: PlannedTest, entry: Entry, experiment: Experiment, place: Place, metrics: Sequence[str]
) -> None:
    """Refuse tests over data sets that look at the size of scores where only ranks compare."""
    if entry.evidence is not Evidence.DATASETS:
        return
    why = by_ranks(experiment, metrics)
    if why and (entry.name not in ON_RANKS or "decimals" in test.options):
        instead = f"use {listed(ON_RANKS, 'or')}, without `decimals`"
        if len(experiment.models) == 2:
            failed = "write `missing_cells: drop_dataset`"
            mixed = any(mixed_units(experiment, name) for name in metrics)
            instead = f"for two models {'go by their win rate' if mixed else failed}"
        raise Problem(place, f"{entry.name} looks at the size of scores, and {why}; {instead}")


def is_one_of(name: object, known: Iterable[str]) -> bool:
    """Tell whether an option's value, which may be anything, is a known name."""
    return isinstance(name, str) and name in known


# --- rows that belong together, and training runs


def _form_that_runs(entry: Entry, experiment: Experiment) -> str:
    """Say which form of a test runs, or which test in its place; empty where rows are unrelated."""
    if not related(entry, experiment):
        return ""
    dataset, kin = next(iter(dependent(experiment).items()))
    rows = f"rows of one `{kin.column}`" if kin.kind == "group" else "rows that follow each other"
    if robust(entry, experiment) is not entry:
        form = f"in place of {entry.name}, which takes rows for independent"
    elif entry.variants is not None:
        form = "in its form for groups of rows"
    else:
        return ""
    return f"{form}: {rows} of {dataset} may be alike"


def refusal(entry: Entry, experiment: Experiment) -> str:
    """Say why a test that has no form for groups cannot run; empty where it can."""
    of_folds = entry.evidence is Evidence.FOLD_ROWS
    alone = of_folds or (entry.knows_no_relation and not entry.better_test)
    if not alone or not related(entry, experiment):
        return ""
    instead = "a test that takes `groups`, such as mcnemar or metric_difference"
    if of_folds:
        instead = "a test of fold scores (corrected_repeated_kfold_t; half_sample_t on `halves`)"
    dataset, kin = next(iter(dependent(experiment).items()))
    word = "groups" if kin.kind == "group" else "time"
    return (
        f"{entry.name} counts rows one by one, {dataset} has `{word}: {kin.column}`: use "
        f"{instead}, or set `{INDEPENDENT}: true` among its options"
    )


def refusal_of_runs(entry: Entry, experiment: Experiment) -> str:
    """Say why a test of recipes, or one of single fits, cannot run; empty where it can."""
    several = several_runs(experiment)
    if entry.evidence is not Evidence.RUNS:
        return _refusal_of_single_fits(entry, experiment, several) if several else ""
    if not several:
        return (
            f"{entry.name} compares models that were trained with several seeds, and no model has "
            "`seeds:` of 2 or more"
        )
    timed = [name for name, kin in dependent(experiment).items() if kin.kind == "time"]
    if not timed:
        return ""
    return (
        f"{entry.name} knows no dependence in time, {timed[0]} has `time:`: no test of training "
        "runs is known to hold its level there; compare one fit of each model (`seeds: 1`)"
    )


def _refusal_of_single_fits(entry: Entry, experiment: Experiment, several: list[str]) -> str:
    """Say that a test looks at the rows of one fit, where models have several."""
    if entry.evidence is Evidence.FOLD_ROWS:
        instead = "corrected_repeated_kfold_t, which takes mean scores over seeds,"
    elif not entry.evidence.on_rows:
        return ""
    else:
        instead = "recipe_mean_difference" if experiment.by_values else "recipe_difference"
        if "margin" in entry.options:
            instead += f", {_shows_the_same(entry, experiment)},"
    names, verb = _named(several, experiment), "has" if len(several) == 1 else "have"
    return (
        f"{entry.name} looks at the rows of a single fit of each model, and {names} {verb} several "
        f"training runs: use {instead} or set `seeds: 1`"
    )


def too_few_blocks(entry: Entry, experiment: Experiment, metrics: Sequence[str]) -> str:
    """Say where limits of a mean loss need more groups than there are blocks of time."""
    losses = [metric for metric in metrics if has_row_values(metric, means=False)]
    timed = any(kin.kind == "time" for kin in dependent(experiment).values())
    if not (losses and timed and "margin" in entry.options and related(entry, experiment)):
        return ""
    return (
        f"{entry.name} by {losses[0]} needs 20 groups at least, and takes rows in the order of "
        f"time as {TIME_BLOCKS} blocks: use diebold_mariano_means"
        f"{'' if experiment.task.numbers else ' (losses given as `values:`)'}, "
        f"{_shows_the_same(entry, experiment)}"
    )


def _shows_the_same(entry: Entry, experiment: Experiment) -> str:
    """Say which interval of a difference shows what a test against a margin does."""
    level = 1 - 2 * experiment.tests.of(entry.name).get("alpha", experiment.tests.alpha)
    return f"whose {level:.0%} interval (`alpha: {1 - level:g}`) within the margin shows the same"


def problems_of_options(experiment: Experiment) -> Iterator[Problem]:
    """Refuse options of tests that give way, and the option where it means nothing."""
    relations, known = dependent(experiment), catalogue()
    for name, own in experiment.tests.options.items():
        if name not in known:
            continue
        entry, place = known[name], ("tests", "options", name)
        if INDEPENDENT in own:
            if not entry.can_take_rows_for_independent:
                yield Problem(
                    (*place, INDEPENDENT), f"{name} has no form for independent rows alone"
                )
            elif not isinstance(own[INDEPENDENT], bool):
                yield Problem(
                    (*place, INDEPENDENT),
                    f"found {shown(own[INDEPENDENT])}, expected true or false",
                )
            elif not relations:
                yield Problem(
                    (*place, INDEPENDENT),
                    "no data set has `groups:` or `time:`: nothing to assume",
                )
        other = robust(entry, experiment)
        if other is not entry and set(own) - {INDEPENDENT}:
            dataset, kin = next(iter(relations.items()))
            word = "groups" if kin.kind == "group" else "time"
            yield Problem(
                place,
                f"{name} takes rows for independent, {dataset} has `{word}: {kin.column}`: "
                f"{other.name} runs instead; set its options, or `{INDEPENDENT}: true` here",
            )


# --- the plan as a whole


def wrong_groups(experiment: Experiment) -> Iterator[Problem]:
    """Refuse groups of data sets that are not there, or are in two groups."""
    seen: dict[str, str] = {}
    for name, members in experiment.tests.dataset_groups.items():
        place: Place = ("tests", "dataset_groups", name)
        if name in experiment.datasets and name not in members:
            yield Problem(
                place, f"{name} is a data set that is not in this group: rename the group"
            )
        for i, one in enumerate(members):
            if one not in experiment.datasets:
                yield Problem((*place, i), unknown("data set", one, experiment.datasets))
            elif one in seen:
                yield Problem((*place, i), f"{one} is in the group {seen[one]} already")
            seen[one] = name


def _unused(experiment: Experiment, planned: AnalysisPlan) -> Iterator[Problem]:
    """Refuse settings that no test that runs would look at, or that one cannot follow."""
    tests, known = experiment.tests, catalogue()
    running = {test.name: (test, known[test.name]) for test in planned.with_posthoc}
    entries, names = [entry for _, entry in running.values()], ", ".join(running) or "none"
    takers = {
        "correction": [e for e in entries if corrects(e)],
        "versus": [e for e in entries if takes_control(e)],
        "alternative": [e for e in entries if "alternative" in e.options],
        "rope": [e for e in entries if "rope" in e.options],
        "margin": [e for e in entries if "margin" in e.options],
        "missing_cells": [e for e in entries if e.evidence is Evidence.DATASETS],
        "dataset_groups": [e for e in entries if e.evidence is Evidence.DATASETS],
    }
    neutral = {"alternative": "two-sided", "dataset_groups": {}}
    if not running and tests.missing_cells == "error":
        takers.pop("missing_cells")  # nothing is missing for no test
    for key, taking in takers.items():
        if getattr(tests, key) != neutral.get(key) and not taking:
            yield Problem(("tests", key), f"none of the tests that run takes it ({names})")
    for name in tests.options:
        if name not in running:
            place = ("tests", "options", name)
            yield Problem(place, f"{name} does not run (the tests are {names})")
    for test, entry in running.values():
        if test.versus is not None and not takes_control(entry):
            own = ("options", entry.name) if "versus" in tests.of(entry.name) else ()
            instead = " or ".join(advisable(_VERSUS.get(entry.evidence, ()), experiment))
            yield Problem(
                ("tests", *own, "versus"),
                f"{entry.name} compares all pairs; "
                + (f"versus one model use {instead}, or " if instead else "")
                + f"set `options: {{{entry.name}: {{versus: null}}}}`",
            )
        one_sided = tests.alternative != "two-sided" and "alternative" not in entry.options
        has_sides = {"rope", "margin"}.isdisjoint(entry.options)  # not posteriors, equivalence
        if one_sided and compares_pairs(entry) and has_sides:
            yield Problem(
                ("tests", "alternative"),
                f"{entry.name} is two-sided only: set `alternative` for single tests under "
                "`options:`, or drop it",
            )


def with_better(test: PlannedTest, experiment: Experiment) -> PlannedTest:
    """Add to a liberal test, and its post hoc test, those that could run instead."""
    entry, better = catalogue()[test.name], list[str]()
    if entry.liberal_for and entry.better_test:
        better = advisable([entry.better_test], with_halves(experiment) or experiment)
        if entry.better_test == "half_sample_t" and entry.name != ON_ROWS:
            better += advisable([ON_ROWS], experiment)
    posthoc = test.posthoc and with_better(test.posthoc, experiment)
    return dataclasses.replace(test, better=tuple(better), posthoc=posthoc)


def advisable(names: Iterable[str], experiment: Experiment, rows: int | None = None) -> list[str]:
    """Keep the tests that the experiment can run, and that could reach their level."""
    size = None if rows is None else RowCounts(rows)
    return [name for name in names if _can(name, experiment, size)]


def _can(name: str, experiment: Experiment, size: RowCounts | None) -> bool:
    entry = robust(catalogue()[name], experiment)
    two_sided = experiment.tests.of(name).get("alternative", experiment.tests.alternative)
    if two_sided != "two-sided" and compares_pairs(entry) and "alternative" not in entry.options:
        return False
    try:
        test = assign_plan(entry, experiment, (), "")
    except Problem:
        return False
    return smallest_pvalue(test, experiment, size) <= test.alpha


def with_halves(experiment: Experiment) -> Experiment | None:
    """Add the plan `halves` to an experiment; None where its rows cannot be halved."""
    if experiment.given:
        return None
    plan = experiment.resampling.halves or Halves.model_validate({})
    try:
        for name, spec in experiment.datasets.items():
            if isinstance(spec, GivenData):
                return None
            check_plan(name, spec, "halves", plan)
    except Problem:
        return None
    resampling = experiment.resampling.model_copy(update={"halves": plan})
    return experiment.model_copy(update={"resampling": resampling})


def described(tests: AnalysisPlan) -> list[dict[str, Any]]:
    """Return the content of tests.json: the plan, with facts of the catalogue about each test."""
    known = catalogue()

    def told(test: Mapping[str, Any] | None) -> dict[str, Any] | None:
        if test is None:
            return None
        entry = known[test["test"]]
        facts = {"title": entry.title, "about": entry.about, "caution": entry.caution}
        return {**test, **facts, "posthoc": told(test["posthoc"])}

    return [one for one in map(told, tests.to_list()) if one is not None]


def check_classes(
    experiment: Experiment, dataset: str, classes: Sequence[str]
) -> Iterator[Problem]:
    """Look for tests and costs that do not fit the classes of a data set."""
    known, named = catalogue(), experiment.datasets[dataset].label or dataset
    for place, (name, *_) in _wanted(experiment) if len(classes) > 2 else ():
        if name in known and known[name].reads == "ranking":
            yield Problem(
                place,
                f"{name} is for two classes, {named} has {len(classes)}; for more use mcnemar, "
                "or a test on folds with the metric roc_auc_ovr",
            )
    costs = experiment.costs_on(dataset)
    if costs is None or not classes:
        return
    own = experiment.datasets[dataset].costs is not None
    at: Place = ("datasets", dataset, "costs", "classes") if own else ("costs", "classes")
    for i, each in enumerate(costs.classes):
        try:
            check_values([each], classes, "class")
        except UserError as error:
            yield Problem((*at, i), f"{named}: {error}")
    lacking = [name for name in classes if name not in costs.names]
    if lacking:
        yield Problem(
            at,
            f"the class {lacking[0]!r} of {named} has no row and column in the costs",
        )


_MOST_NAMED = 5
_RUN = re.compile(r"(?<![a-z])(seed|run)[ _.=-]*\d+", re.IGNORECASE)
"""The part of a name that tells the training runs of one model apart."""


def notes(experiment: Experiment) -> Iterator[str]:
    """Say what keeps training runs from being compared as such."""
    if why := left_out(experiment):
        yield f"{why}."
    several = several_runs(experiment)
    if several and any(row_columns(experiment, name).subgroups for name in experiment.datasets):
        yield (
            "Models are not compared in subgroups, because no test of the interaction is known for "
            f"several training runs ({_named(several, experiment)})."
        )
    alike: dict[str, list[str]] = {}
    for name in (model.label or key for key, model in experiment.models.items()):
        alike.setdefault(_RUN.sub(r"\1", name), []).append(name)
    for template, runs in alike.items():
        if len(runs) > 1 and template not in runs:
            yield (
                f"{joined(runs)} look like training runs of one model. Through selection alone the "
                "one with the best test score leads their mean by about "
                f"{lead_of_best(len(runs)):.1f} standard deviations of a run's score: compare all "
                "runs as one model, by `seeds:` or `{seed}` in the path of their files."
            )


def left_out(experiment: Experiment) -> str:
    """Say which models no test of recipes can compare though others have seeds; else empty."""
    several, by = several_runs(experiment), "recipe_difference"
    on_rows = experiment.resampling.holdout is not None and not experiment.by_scores("holdout")
    if not several or not on_rows or RECOMMENDED not in experiment.tests.run:
        return ""
    if refused := refusal_of_runs(catalogue()[by], experiment):
        return refused
    known = {*several} | deterministic(experiment)
    unknown = [name for name in experiment.models if name not in known]
    if not unknown:
        return ""
    one, runs = len(unknown) == 1, max(ENOUGH_RUNS, *map(experiment.seeds, several))
    names = _named(unknown, experiment)
    return (
        f"{names} cannot be compared with the other models for other seeds ({by}), because "
        f"{'it is' if one else 'they are'} trained once and may draw at random: write "
        f"`seeds: {runs}` there, or `deterministic: true` if {'its' if one else 'their'} training "
        "draws nothing"
    )


def _named(models: list[str], experiment: Experiment) -> str:
    names = [experiment.models[model].label or model for model in models]
    return joined(names) if len(names) <= _MOST_NAMED else some(names, _MOST_NAMED)

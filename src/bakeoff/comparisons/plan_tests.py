"""The one way from the names in `tests:` to the plan of the analysis, or to their problems."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bakeoff.comparisons import dependence
from bakeoff.comparisons.assign_plans import advisable, assign_plan, is_one_of, with_better
from bakeoff.comparisons.matrix import wrong_groups
from bakeoff.comparisons.options import check_options
from bakeoff.comparisons.recommend import Recommendation, recommended
from bakeoff.comparisons.settings import compares_pairs, corrects, planned, takes_control
from bakeoff.data.columns import check_values
from bakeoff.errors import Place, Problem, UserError, unknown
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.stats import RETIRED, Evidence, catalogue

_VERSUS = {
    Evidence.DATASET_SCORES: ("friedman_posthoc", "wilcoxon_signed_rank"),
    Evidence.FOLD_SCORES: ("corrected_kfold_t", "corrected_repeated_kfold_t"),
}
_ASKED = "asked for in `tests: run:`"


def plan_tests(experiment: Experiment) -> tuple[list[Problem], AnalysisPlan]:
    """Plan every test of an experiment: its evidence, its settings and why it runs."""
    known = catalogue()
    problems: list[Problem] = list(_unknown_names(experiment))
    tests: list[PlannedTest] = []
    for place, (name, why, metrics, plan, posthoc) in _wanted(experiment):
        if name not in known:
            continue
        entry = dependence.robust(known[name], experiment)
        if reason := dependence.why(known[name], experiment):
            why = f"{why}; {reason}"
        if entry.name in {test.name for test in tests}:
            continue  # asked for by both names
        try:
            test = assign_plan(entry, experiment, place, why, metrics, plan)
            if posthoc:
                pairs = planned(known[posthoc], experiment.tests, len(experiment.models))
                pairs = dataclasses.replace(pairs, why=f"comes along with {name}")
                test = dataclasses.replace(test, posthoc=pairs.on(test.plan, test.metrics))
            tests.append(test if problems else with_better(test, experiment))
        except Problem as problem:
            problems.append(problem)
    problems += dependence.problems_of_options(experiment)
    problems += wrong_groups(experiment)
    found = AnalysisPlan(tuple(tests))
    if not problems:
        problems += _unused(experiment, found)
        problems += check_options(experiment, found)
    return problems, found


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
        if name in known and known[name].evidence is Evidence.PROBABILITIES:
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
    for i, listed in enumerate(costs.classes):
        try:
            check_values([listed], classes, "class")
        except UserError as error:
            yield Problem((*at, i), f"{named}: {error}")
    lacking = [name for name in classes if name not in costs.names]
    if lacking:
        yield Problem(
            at,
            f"the class {lacking[0]!r} of {named} has no row and column in the costs",
        )


def _wanted(experiment: Experiment) -> Iterator[tuple[Place, Recommendation]]:
    if isinstance(experiment.tests.run, str):
        for one in recommended(experiment):
            yield ("tests", "run"), one
        return
    for i, name in enumerate(experiment.tests.run):
        yield ("tests", "run", i), Recommendation(name, _ASKED)


def unknown_test(name: str) -> str:
    """Say that no test has a name; for a retired name, what to write instead."""
    if name in RETIRED:
        return f"{name}: {RETIRED[name]}"
    return unknown("test", name, catalogue())


def _unknown_names(experiment: Experiment) -> Iterator[Problem]:
    tests, known = experiment.tests, catalogue()
    if isinstance(tests.run, list):
        for i, name in enumerate(tests.run):
            if name not in known:
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
        "missing_cells": [e for e in entries if e.evidence is Evidence.DATASET_SCORES],
        "dataset_groups": [e for e in entries if e.evidence is Evidence.DATASET_SCORES],
    }
    neutral = {"alternative": "two-sided", "dataset_groups": {}}
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

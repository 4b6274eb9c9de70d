"""Checks and imports in workers before the graph of jobs is built.

Each function imports what it needs when it runs, like the steps.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from bakeoff.errors import Problem
from bakeoff.spec import AnalysisPlan, Experiment


def prepare_fits() -> None:
    """Import what a worker needs that fits."""
    with _keeping_all():
        import bakeoff.fit.run_fit  # noqa: F401


def prepare_report() -> None:
    """Import what a worker needs that tests and writes the report."""
    with _keeping_all():
        import matplotlib.backends.backend_svg
        import matplotlib.figure  # noqa: F401

        import bakeoff.report.make
        import bakeoff.report.read  # noqa: F401


def check(
    experiment: Experiment,
) -> tuple[list[Problem], AnalysisPlan, dict[str, Sequence[str]]]:
    """Look for everything in an experiment that would fail later; see `bakeoff.preflight`.

    Also returns the classes of the data that are at hand.
    """
    with _keeping_all():
        from bakeoff.preflight import check_experiment

    classes: dict[str, Sequence[str]] = {}
    return *check_experiment(experiment, classes), classes


def plan_tests(
    experiment: Experiment, classes: Mapping[str, Sequence[str]]
) -> tuple[list[Problem], AnalysisPlan]:
    """Do the part of the check that is about the tests, where all else was checked before."""
    with _keeping_all():
        from bakeoff.comparisons import check_classes, plan_tests
        from bakeoff.scores.metrics.own import enter_own

    enter_own(experiment.own_metrics)
    problems, tests = plan_tests(experiment)
    for dataset, names in classes.items():
        problems += check_classes(experiment, dataset, names)
    return problems, tests


def find_outdated(stamps: Mapping[str, Mapping[str, str]]) -> list[str]:
    """List the files of predictions that something else made; see `bakeoff.fit.stamp`."""
    from bakeoff.fit.stamp import find_outdated

    return find_outdated(stamps)


def list_exhibits(experiment: Experiment, tests: AnalysisPlan) -> list[tuple[str, ...]]:
    """List the figures and tables of an experiment's report; see `bakeoff.report.exhibits`."""
    from bakeoff.report.exhibits import exhibits
    from bakeoff.report.study_design import StudyDesign
    from bakeoff.scores.metrics.own import enter_own

    enter_own(experiment.own_metrics)
    return [tuple(item) for item in exhibits(StudyDesign(experiment, analysis=tests))]


@contextmanager
def _keeping_all() -> Iterator[None]:
    """Exclude loaded modules from garbage collection."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()

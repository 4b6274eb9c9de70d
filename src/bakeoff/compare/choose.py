"""Which tests run, on which plan's evidence; refuses what a plan cannot feed."""

from __future__ import annotations

from typing import Any

from bakeoff.errors import Problem, unknown
from bakeoff.spec import ChosenTest, Experiment
from bakeoff.stats import Arity, Entry, Evidence, catalogue

# evidence that is predictions row by row, not scores
_ON_ROWS = (Evidence.CORRECTNESS, Evidence.LABELS, Evidence.PROBABILITIES)


def choose_tests(experiment: Experiment) -> list[ChosenTest]:
    """Pair every test asked for with a plan.

    Raises
    ------
    Problem
        An unknown test, or one that no plan or too few models can feed.
    """
    known = catalogue()
    chosen = []
    for i, name in enumerate(experiment.tests.run):
        place = ("tests", "run", i)
        if name not in known:
            raise Problem(place, unknown("test", name, known))
        chosen.append(_feed(known[name], experiment, place))
    return chosen


def _feed(entry: Entry, experiment: Experiment, place: tuple[Any, ...]) -> ChosenTest:
    plans = experiment.resampling.plans()
    usable = [plan for plan in entry.plans if plan in plans]
    if not usable:
        wanted = " or ".join(f"`{plan}`" for plan in entry.plans)
        raise Problem(
            place,
            f"{entry.name} needs the plan {wanted}, the experiment has "
            f"{', '.join(f'`{p}`' for p in plans) or 'none'}; add it under `resampling:` or drop "
            "the test",
        )
    least = {Arity.ONE: 1, Arity.PAIR: 2, Arity.OMNIBUS: 3, Arity.ALL_PAIRS: 3}[entry.arity]
    if len(experiment.models) < least:
        raise Problem(
            place,
            f"{entry.name} compares {least} models at least, found {len(experiment.models)}"
            + ("; for two use mcnemar" if entry.evidence in _ON_ROWS and least == 3 else ""),
        )
    if entry.evidence is Evidence.DATASET_SCORES and len(experiment.datasets) < 2:
        raise Problem(place, f"{entry.name} compares models over several data sets, found one")
    return ChosenTest(entry.name, usable[0], entry.evidence in _ON_ROWS)

"""Rows that belong together: which data sets have them, and which tests take their place.

A test that takes rows for independent gives way to its form for groups or for time wherever a data
set declares one; `independent_rows: true` among its options keeps it, and every result says so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from bakeoff.comparisons.comparison import Comparison
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    PairedPredictions,
    PairedValues,
    has_row_values,
)
from bakeoff.comparisons.settings import INDEPENDENT
from bakeoff.errors import Problem, shown
from bakeoff.spec import Experiment
from bakeoff.spec.related import dependent
from bakeoff.stats import Assumption, Entry, Evidence, catalogue
from bakeoff.stats.design.clusters import TIME_BLOCKS


def refusal(entry: Entry, experiment: Experiment) -> str:
    """Say why a test that has no form for groups cannot run; empty where it can."""
    of_folds = entry.evidence is Evidence.FOLD_CORRECTNESS
    alone = of_folds or (entry.knows_no_relation and not entry.better_test)
    if not alone or not related(entry, experiment):
        return ""
    instead = "a test that takes `groups`, such as mcnemar or metric_difference"
    if of_folds:
        instead = (
            "a test of fold scores (corrected_repeated_kfold_t, tost_folds; half_sample_t on "
            "`halves`)"
        )
    dataset, kin = next(iter(dependent(experiment).items()))
    word = "groups" if kin.kind == "group" else "time"
    return (
        f"{entry.name} counts rows one by one, {dataset} has `{word}: {kin.column}`: use "
        f"{instead}, or set `{INDEPENDENT}: true` among its options"
    )


def assumes_independence(entry: Entry, experiment: Experiment) -> bool:
    """Tell whether a test was asked for in the form that takes rows for independent."""
    return experiment.tests.of(entry.name).get(INDEPENDENT) is True


def related(entry: Entry, experiment: Experiment) -> bool:
    """Tell whether a test takes account of what relates the rows of some data set."""
    return bool(dependent(experiment)) and not assumes_independence(entry, experiment)


def robust(entry: Entry, experiment: Experiment) -> Entry:
    """Return the test that runs where `entry` is wanted: itself, or one that knows such rows."""
    if not related(entry, experiment):
        return entry
    known = catalogue()
    if entry.evidence.on_rows and entry.knows_no_relation and entry.better_test:
        entry = known[entry.better_test]
    return known[entry.in_time] if entry.in_time and in_time(experiment) else entry


def too_few_blocks(entry: Entry, experiment: Experiment, metrics: Sequence[str]) -> str:
    """Say where limits of a mean loss need more groups than there are blocks of time."""
    losses = [metric for metric in metrics if has_row_values(metric, means=False)]
    timed = any(kin.kind == "time" for kin in dependent(experiment).values())
    if not (losses and timed and "margin" in entry.options and related(entry, experiment)):
        return ""
    level = 1 - 2 * experiment.tests.of(entry.name).get("alpha", experiment.tests.alpha)
    return (
        f"{entry.name} by {losses[0]} needs 20 groups at least, and takes rows in the order of "
        f"time as {TIME_BLOCKS} blocks: use diebold_mariano_means"
        f"{'' if experiment.task.numbers else ' (losses given as `values:`)'}, whose {level:.0%} "
        f"interval (`alpha: {1 - level:g}`) within the margin shows the same"
    )


def in_time(experiment: Experiment) -> bool:
    """Tell whether the rows of every data set are in the order of time, and in no groups."""
    kinds = [kin.kind for kin in dependent(experiment).values()]
    return len(kinds) == len(experiment.datasets) and {*kinds} == {"time"}


def why(entry: Entry, experiment: Experiment) -> str:
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


def assumption(evidence: AnyEvidence) -> Assumption | None:
    """Return what a test assumes that was asked to take these rows for independent."""
    rows = "rows that belong together"
    if isinstance(evidence, PairedPredictions | PairedValues):
        if not evidence.related:
            return None
        rows = f"{evidence.n:,} rows of {evidence.units}"
    return Assumption(
        "independent rows",
        False,
        f"{rows} were taken for independent, as `{INDEPENDENT}: true` asks: where rows of one "
        "are alike this finds differences that are not there",
    )


def annotated(
    comparison: Comparison, left_out: Sequence[str], assumed: Assumption | None
) -> Comparison:
    """Say with a result what was left out of its evidence, and what is assumed of its rows."""
    known = comparison.result.get("assumptions", [])
    if assumed is not None:
        rest = [one for one in known if one["name"] != assumed.name]
        known = [dataclasses.asdict(assumed), *rest]
        result = {**comparison.result, "assumptions": known, INDEPENDENT: True}
        comparison = dataclasses.replace(comparison, result=result)
    if not left_out:
        return comparison
    more = [{"name": "complete evidence", "holds": False, "detail": note} for note in left_out]
    result = {**comparison.result, "assumptions": [*known, *more], "left_out": list(left_out)}
    return dataclasses.replace(comparison, result=result)

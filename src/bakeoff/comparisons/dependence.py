"""Rows that belong together, runs of one model, and which tests take account of them.

A test that takes rows for independent gives way to its form for groups or for time wherever a data
set declares one; `independent_rows: true` among its options keeps it, and every result says so.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence

from bakeoff.comparisons.comparison import Comparison
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    PairedPredictions,
    has_row_values,
)
from bakeoff.comparisons.settings import INDEPENDENT
from bakeoff.errors import Problem, joined, shown, some
from bakeoff.spec import Experiment
from bakeoff.spec.given_models import GivenModel
from bakeoff.spec.models import Model
from bakeoff.spec.related import dependent, row_columns
from bakeoff.spec.tests import RECOMMENDED
from bakeoff.stats import Assumption, Entry, Evidence, catalogue
from bakeoff.stats.design.clusters import TIME_BLOCKS
from bakeoff.stats.runs.recipe import ENOUGH_RUNS, lead_of_best

_MOST_NAMED = 5
_RUN = re.compile(r"(?<![a-z])(seed|run)[ _.=-]*\d+", re.IGNORECASE)
"""The part of a name that tells the training runs of one model apart."""


def deterministic(experiment: Experiment) -> frozenset[str]:
    """Name the models whose training has no random part: one run is all there is of them."""
    return frozenset(name for name, model in experiment.models.items() if _is_fixed(model))


def _is_fixed(model: Model | GivenModel) -> bool:
    if model.deterministic is not None or isinstance(model, GivenModel) or model.seeds > 1:
        return bool(model.deterministic)
    from bakeoff.fit.estimator import draws_nothing  # estimators: slow to import

    return draws_nothing(model)


def several_runs(experiment: Experiment) -> list[str]:
    """Name the models that are trained with several seeds."""
    return [name for name in experiment.models if experiment.seeds(name) > 1]


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


def related(entry: Entry, experiment: Experiment) -> bool:
    """Tell whether a test takes account of what relates the rows of some data set."""
    independent = experiment.tests.of(entry.name).get(INDEPENDENT) is True
    return bool(dependent(experiment)) and not independent


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
    if isinstance(evidence, PairedPredictions):
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

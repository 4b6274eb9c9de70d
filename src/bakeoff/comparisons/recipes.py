"""Models that were trained several times: whether their recipes can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bakeoff.errors import joined, some
from bakeoff.spec import Experiment
from bakeoff.spec.given_models import GivenModel
from bakeoff.spec.models import Model
from bakeoff.spec.related import dependent
from bakeoff.spec.tests import RECOMMENDED
from bakeoff.stats import Entry, Evidence, catalogue
from bakeoff.stats.runs.components import lead_of_best
from bakeoff.stats.runs.question import ENOUGH_RUNS

OF_RUNS = (Evidence.RUNS, Evidence.RUN_VALUES)
"""What tests of recipes are fed with."""

_MOST_NAMED = 5
_RUN = re.compile(r"(?<![a-z])(seed|run)[ _.=-]*\d+", re.IGNORECASE)
"""The part of a name that tells the training runs of one model apart."""


def deterministic(experiment: Experiment) -> frozenset[str]:
    """Name the models whose training has no random part: one run is all there is of them."""
    return frozenset(name for name, model in experiment.models.items() if _is_fixed(model))


def _is_fixed(model: Model | GivenModel) -> bool:
    if model.deterministic is not None or isinstance(model, GivenModel) or model.seeds > 1:
        return bool(model.deterministic)
    from bakeoff.fit.assemble import draws_nothing  # estimators: slow to import

    return draws_nothing(model)


def several_runs(experiment: Experiment) -> list[str]:
    """Name the models that are trained with several seeds."""
    return [name for name in experiment.models if experiment.seeds(name) > 1]


def recipes_are_known(experiment: Experiment) -> bool:
    """Tell whether each model has several runs or needs no more than one, and rows have no time."""
    several = several_runs(experiment)
    if not several or any(kin.kind == "time" for kin in dependent(experiment).values()):
        return False
    return {*several} | deterministic(experiment) >= {*experiment.models}


def notes(experiment: Experiment) -> Iterator[str]:
    """Say what keeps training runs from being compared as such."""
    if why := left_out(experiment):
        yield f"{why}."
    alike: dict[str, list[str]] = {}
    for name in (model.label or key for key, model in experiment.models.items()):
        alike.setdefault(_RUN.sub(r"\1", name), []).append(name)
    for template, runs in alike.items():
        if len(runs) > 1 and template not in runs:
            yield (
                f"{joined(runs)} look like training runs of one model. Through selection alone the "
                "one with the best test score leads their mean by about "
                f"{lead_of_best(len(runs)):.1f} standard deviations of a run's score: compare all "
                "runs as one model, by `seeds:` or `{seed}` in the path of their files "
                "(docs/predictions.md#several-training-runs)."
            )


def left_out(experiment: Experiment) -> str:
    """Say why no test of recipes is recommended though models have seeds; empty where one is."""
    several, by = several_runs(experiment), "recipe_difference"
    on_rows = experiment.resampling.holdout is not None and not experiment.by_scores("holdout")
    if not several or not on_rows or experiment.tests.run != RECOMMENDED:
        return ""
    known = {*several} | deterministic(experiment)
    unknown = [name for name in experiment.models if name not in known]
    if not unknown:
        return refusal(catalogue()[by], experiment)
    one, runs = len(unknown) == 1, max(ENOUGH_RUNS, *map(experiment.seeds, several))
    names = joined(unknown) if len(unknown) <= _MOST_NAMED else some(unknown, _MOST_NAMED)
    return (
        f"recipes are not compared for other seeds ({by}), because {names} "
        f"{'is' if one else 'are'} trained once and may draw at random: write `seeds: {runs}` "
        f"there, or `deterministic: true` if {'its' if one else 'their'} training draws nothing"
    )


def refusal(entry: Entry, experiment: Experiment) -> str:
    """Say why a test of recipes cannot run; empty where it can."""
    if entry.evidence not in OF_RUNS:
        return ""
    if not several_runs(experiment):
        return (
            f"{entry.name} compares models that were trained with several seeds, and no model has "
            "`seeds:` of 2 or more"
        )
    timed = [name for name, kin in dependent(experiment).items() if kin.kind == "time"]
    if not timed:
        return ""
    return (
        f"{entry.name} knows no dependence in time, {timed[0]} has `time:`: no test of training "
        "runs is known to hold its level there; compare the first runs by metric_difference"
    )

"""Models that were trained several times: whether their recipes can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bakeoff.errors import joined, some
from bakeoff.spec import Experiment
from bakeoff.spec.given_models import GivenModel
from bakeoff.spec.models import Model
from bakeoff.spec.related import dependent
from bakeoff.spec.row_columns import row_columns
from bakeoff.spec.tests import RECOMMENDED
from bakeoff.stats import Entry, Evidence, catalogue
from bakeoff.stats.runs.recipe import ENOUGH_RUNS, lead_of_best

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
                "runs as one model, by `seeds:` or `{seed}` in the path of their files "
                "(docs/predictions.md#several-training-runs)."
            )


def left_out(experiment: Experiment) -> str:
    """Say which models no test of recipes can compare though others have seeds; else empty."""
    several, by = several_runs(experiment), "recipe_difference"
    on_rows = experiment.resampling.holdout is not None and not experiment.by_scores("holdout")
    if not several or not on_rows or experiment.tests.run != RECOMMENDED:
        return ""
    if refused := refusal(catalogue()[by], experiment):
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


def refusal(entry: Entry, experiment: Experiment) -> str:
    """Say why a test of recipes, or one of single fits, cannot run; empty where it can."""
    several = several_runs(experiment)
    if entry.evidence not in OF_RUNS:
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
    within = "margin" in entry.options
    if entry.evidence is Evidence.FOLD_CORRECTNESS:
        instead = "tost_folds" if within else "corrected_repeated_kfold_t"
        instead += ", which takes mean scores over seeds,"
    elif not entry.evidence.on_rows:
        return ""
    elif within:
        instead = "tost_recipes"
    else:
        instead = "recipe_mean_difference" if experiment.by_values else "recipe_difference"
    names, verb = _named(several, experiment), "has" if len(several) == 1 else "have"
    return (
        f"{entry.name} looks at the rows of a single fit of each model, and {names} {verb} several "
        f"training runs: use {instead} or set `seeds: 1`"
    )

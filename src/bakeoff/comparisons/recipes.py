"""Models that were trained several times: whether their recipes can be compared."""

from __future__ import annotations

from bakeoff.spec import Experiment
from bakeoff.spec.given_models import GivenModel
from bakeoff.spec.models import Model
from bakeoff.spec.related import dependent
from bakeoff.stats import Entry, Evidence

OF_RUNS = (Evidence.RUNS, Evidence.RUN_VALUES)
"""What tests of recipes are fed with."""


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

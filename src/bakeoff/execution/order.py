"""Order of fits: the longest first, so that no core idles at the end."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from pathlib import Path

from bakeoff.resources import read_usage
from bakeoff.spec.models import Model, Step
from bakeoff.spec.training_choices import Distribution, Tune

FIRST = 100
"""The priority of what goes before every fit: what fits wait for, and what follows on those of one
data set, which would otherwise all be left for the end."""
_OF_MANY = ("sklearn.ensemble.", "xgboost.", "lightgbm.", "catboost.")
_SIZES = ("n_estimators", "iterations")
_USUAL, _DRAWN = 100, 10


def priorities(models: Mapping[str, Model], timings: str | Path) -> dict[str, int]:
    """Rank models by how long they took in an earlier run, else by their size.

    Parameters
    ----------
    models : Mapping of name to Model
        Those that are fitted.
    timings : path
        The table ``timings.csv`` of the earlier run, which need not be there.

    Returns
    -------
    dict of str to int
        Snakemake's priorities, at least 0 and below `FIRST`. What was never fitted goes before
        all that was: nobody knows how long it takes.
    """
    seconds = {usage.model: usage.seconds for usage in read_usage(timings)}
    last_first = sorted(models, key=lambda m: (m not in seconds, seconds.get(m, _size(models[m]))))
    return {name: place * FIRST // len(models) for place, name in enumerate(last_first)}


def _size(model: Model) -> float:
    """Guess how a fit compares with that of one tree: by its members and the search around it."""
    return max(map(_members, model.parts)) * (_tries(model.tune) if model.tune else 1)


def _members(step: Step) -> float:
    usual = _USUAL if step.estimator.startswith(_OF_MANY) else 1
    return next((float(step.params[key]) for key in _SIZES if key in step.params), usual)


def _tries(tune: Tune) -> float:
    """Return how many fits a search makes."""
    values = [_DRAWN if isinstance(v, Distribution) else len(v) for v in tune.space.values()]
    combinations = tune.n_iter or (prod(values) if tune.search == "grid" else _DRAWN)
    return combinations * (tune.cv if tune.validation is None else 1)

"""From predictions that were read to the evidence of tests: first runs, or all training runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.api.settings import Settings
from bakeoff.comparisons.evidence import PairedPredictions, PairedValues, RowEvidence
from bakeoff.data.side_by_side import SideBySide
from bakeoff.errors import Problem
from bakeoff.spec.experiment import run_name
from bakeoff.spec.given_models import GivenColumns


def evidence_of(given: SideBySide, models: tuple[str, ...]) -> RowEvidence:
    """Put what models say, or numbers, side by side as tests take them."""
    kin: dict[str, Any] = {
        "groups": given.related.get("group"),
        "times": given.related.get("time"),
        "subgroups": given.subgroups,
    }
    found = list(given.models.values())
    numbers = [one.values for one in found if one.values is not None]
    if numbers:
        return PairedValues(models, np.column_stack(numbers), **kin)
    probabilities = _probabilities(given)
    return PairedPredictions(
        models,
        given.classes,
        given.truth,
        np.array([one.answers for one in found]).T,  # what one model says lies together
        None if probabilities is None else probabilities[..., -1],
        probabilities=probabilities,
        in_order=given.in_order,
        **kin,
    )


def _probabilities(given: SideBySide) -> NDArray[np.float64] | None:
    """Return rows × models × classes, NaN for models without probabilities."""
    known = [one.probabilities for one in given.models.values()]
    if all(one is None for one in known):
        return None
    nothing = np.full((len(given.truth), len(given.classes)), np.nan)
    return np.stack([nothing if one is None else one for one in known], axis=1)


def said_of(
    given: SideBySide, model: str, settings: Settings, columns: GivenColumns
) -> dict[str, Any]:
    """Return what is known of one model beside its predictions."""
    seeds, fixed = len(given.runs[model]), model in settings.deterministic
    if given.further and seeds == 1 and not fixed:
        raise Problem(
            ("deterministic",),
            f"{model} has one training run and others have several, so nothing is known of its "
            "seeds: give further runs, or say that its training has no random part",
        )
    if fixed and not all(map(given.runs[model][0].says_the_same, given.runs[model][1:])):
        raise Problem(
            ("deterministic",), f"the {seeds} training runs of {model} differ: it has a random part"
        )
    if fixed and not given.further:
        raise Problem(("deterministic",), f"there are no training runs to compare {model} with")
    if fixed or seeds == 1:  # one of a deterministic model is as good as all
        return {"label": model, "deterministic": True if fixed else None}
    return {"label": model, "seeds": seeds, "columns": columns.model_copy(update={"seed": "seed"})}


def crossed(given: SideBySide, ids: Mapping[str, str]) -> RowEvidence:
    """Put all training runs side by side, each as if it was a model."""
    runs = {
        run_name(ids[model], seed): one
        for model, found in given.runs.items()
        for seed, one in enumerate(found, start=1)
    }
    return evidence_of(dataclasses.replace(given, models=runs, further={}), tuple(runs))

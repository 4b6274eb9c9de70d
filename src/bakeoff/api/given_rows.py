"""From predictions that were read to the evidence of tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.api.settings import Settings
from bakeoff.comparisons.evidence import PairedPredictions, PairedValues, RowEvidence
from bakeoff.data.predicted import Predicted, SideBySide
from bakeoff.errors import Problem
from bakeoff.spec.experiment import run_name
from bakeoff.spec.given_models import GivenColumns


def evidence_of(given: SideBySide, ids: Mapping[str, str]) -> RowEvidence:
    """Put what all training runs say, or numbers, side by side, each as if it was a model."""
    kin: dict[str, Any] = {
        "groups": given.related.get("group"),
        "times": given.related.get("time"),
        "subgroups": given.subgroups,
    }
    runs = {
        run_name(ids[model], seed): one
        for model, own in given.runs.items()
        for seed, one in enumerate(own, start=1)
    }
    models, found = tuple(runs), list(runs.values())
    numbers = [one.values for one in found if one.values is not None]
    if numbers:
        return PairedValues(models, np.column_stack(numbers), **kin)
    probabilities = _probabilities(found, (len(given.truth), len(given.classes)))
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


def _probabilities(
    found: Sequence[Predicted], shape: tuple[int, int]
) -> NDArray[np.float64] | None:
    """Return rows × models × classes, NaN for models without probabilities."""
    known = [one.probabilities for one in found]
    if all(one is None for one in known):
        return None
    nothing = np.full(shape, np.nan)
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

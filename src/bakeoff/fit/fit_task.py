"""Inputs and outputs of one fit; cheap to import, because Snakemake's process creates it."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from pathlib import Path

from bakeoff.spec import Costs, Fit
from bakeoff.spec.importance import Importance
from bakeoff.spec.models import Model


@dataclasses.dataclass(frozen=True)
class FitTask:
    """Everything that one fit depends on, and where it writes."""

    fit: Fit
    model: Model
    seed: int
    data: str | Path
    splits: str | Path
    output: str | Path
    fingerprint: str = ""
    costs: Costs | None = None
    importance: Importance | None = None

    @property
    def kept(self) -> Path:
        """Where the fitted model goes, if the model is to be kept."""
        return Path(self.output).with_suffix(".skops")

    @cached_property
    def stamp(self) -> dict[str, str]:
        """What the file says about its making; see `bakeoff.fit.stamp`."""
        from bakeoff.fit.stamp import stamp  # Snakemake's process has no use for pyarrow

        return {**stamp(self.fingerprint, self.data, self.splits), **measured(self.importance)}


def timing_of(output: str | Path) -> Path:
    """Return where the seconds and the memory of a fit are, by its file of predictions."""
    return Path(output).with_suffix(".timing.json")


def measured(importance: Importance | None) -> dict[str, str]:
    """Return what a file of predictions says of the importance that it holds, if any."""
    return {} if importance is None else {"measured": importance.model_dump_json()}

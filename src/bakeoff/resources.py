"""What a run used, and what to ask a scheduler for next time."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path

from bakeoff.files import read_csv, reading

# a job is more than its fit: Snakemake's own processes, and what Python holds before the first fit
_OWN_MB = 300
# fits of another split or seed need more than those that were seen
_MARGIN = 1.5
_STEP_MB = 100
# a warm worker starts in seconds, a job of a scheduler in up to a minute
_START_SECONDS = 60


@dataclasses.dataclass(frozen=True)
class Usage:
    """What the fits of one model used, and what to ask for."""

    model: str
    fits: int
    seconds: float
    """The longest fit."""
    mean_seconds: float
    total_seconds: float
    """All fits on the data set that took longest."""
    peak_mb: float
    mem_mb: int
    """MB of memory to ask for."""
    runtime: int
    """Minutes to ask for, for a job of all fits on one data set."""


def read_usage(timings: str | Path) -> list[Usage]:
    """Suggest resources for each model from a previous run."""
    if not Path(timings).is_file():
        return []
    usage = []
    with reading(timings):
        table = read_csv(timings, dtype={"model": str, "dataset": str})
        # models that bring their predictions have no times
        table = table.dropna(subset=["fit_seconds"])
        table["seconds"] = table["fit_seconds"] + table["predict_seconds"]
        for model, fits in table.groupby("model", sort=False):
            seconds, peak = fits["seconds"], float(fits["peak_memory_mb"].max())
            total = float(fits.groupby("dataset")["seconds"].sum().max())
            memory = math.ceil((_OWN_MB + peak) * _MARGIN / _STEP_MB) * _STEP_MB
            runtime = math.ceil((_START_SECONDS + total * _MARGIN) / 60)
            times = float(seconds.max()), float(seconds.mean()), total
            usage.append(Usage(str(model), len(fits), *times, peak, memory, runtime))
    return usage


def profile_lines(usage: Sequence[Usage]) -> list[str]:
    """Write the suggestion as lines of a Snakemake profile; one request must fit every model."""
    if not usage:
        return []
    memory, runtime = max(u.mem_mb for u in usage), max(u.runtime for u in usage)
    return [
        "default-resources:",
        f"  - mem_mb={memory} * 2 ** (attempt - 1)",
        f"  - runtime={runtime} * attempt",
    ]

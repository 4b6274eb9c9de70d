"""What a run used, and what to ask a scheduler for next time."""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from bakeoff.files import reading

# a job is more than its fit: Snakemake's own processes, and what Python holds before the first fit
_OWN_MB = 300
# fits of another split or seed need more than those that were seen
_MARGIN = 1.5
_STEP_MB = 100
# a warm worker starts in seconds, a job of a scheduler in up to a minute
_START_SECONDS = 60


@dataclasses.dataclass(frozen=True)
class Usage:
    """What the fits of one model used, and what to ask for.

    Attributes
    ----------
    model : str
        The model.
    fits : int
        How many were seen.
    seconds : float
        The longest one.
    mean_seconds : float
        One of them, on average.
    total_seconds : float
        All of them on the data set that took longest.
    peak_mb : float
        The largest peak memory.
    mem_mb, runtime : int
        To ask for: MB of memory, and minutes for a job of all fits on one data set.
    """

    model: str
    fits: int
    seconds: float
    mean_seconds: float
    total_seconds: float
    peak_mb: float
    mem_mb: int
    runtime: int


class _Fits:
    """The fits of one model: there may be a hundred thousand, so none is kept."""

    def __init__(self) -> None:
        self.count, self.longest, self.peak_mb = 0, 0.0, 0.0
        self.by_dataset: dict[str, float] = {}

    def add(self, row: Mapping[str, str]) -> None:
        seconds = float(row["fit_seconds"]) + float(row["predict_seconds"])
        self.count += 1
        self.longest = max(self.longest, seconds)
        self.peak_mb = max(self.peak_mb, float(row["peak_memory_mb"]))
        self.by_dataset[row["dataset"]] = self.by_dataset.get(row["dataset"], 0.0) + seconds

    def usage(self, model: str) -> Usage:
        total = max(self.by_dataset.values())
        wanted = math.ceil((_OWN_MB + self.peak_mb) * _MARGIN / _STEP_MB) * _STEP_MB
        runtime = math.ceil((_START_SECONDS + total * _MARGIN) / 60)
        mean = sum(self.by_dataset.values()) / self.count
        return Usage(model, self.count, self.longest, mean, total, self.peak_mb, wanted, runtime)


def read_usage(timings: str | Path) -> list[Usage]:
    """Suggest resources for each model from a previous run."""
    if not Path(timings).is_file():
        return []
    models: dict[str, _Fits] = {}
    with reading(timings), Path(timings).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["fit_seconds"]:  # models that bring their predictions have no times
                models.setdefault(row["model"], _Fits()).add(row)
    return [fits.usage(model) for model, fits in models.items()]


def profile_lines(usage: Iterable[Usage]) -> list[str]:
    """Write the suggestion as lines of a Snakemake profile; one request must fit every model."""
    known = list(usage)
    if not known:
        return []
    memory, runtime = max(u.mem_mb for u in known), max(u.runtime for u in known)
    return [
        "default-resources:",
        f"  - mem_mb={memory} * 2 ** (attempt - 1)",
        f"  - runtime={runtime} * attempt",
    ]

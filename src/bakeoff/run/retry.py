"""Fits that failed where the experiment lets the rest go on, and which of them to try again.

A fit that fails under `on_error: exclude` leaves a file of predictions without rows, so that
Snakemake goes on, and a record beside the results, which says under which limits it failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bakeoff.files import read_json, write_json
from bakeoff.spec import Experiment, Fit


def remember(experiment: Experiment, fit: Fit, why: str) -> None:
    """Record that a fit failed."""
    limits = list(experiment.limits(fit.model))
    write_json(_record(experiment, fit), {"fit": list(fit), "limits": limits, "why": why})


def forget(experiment: Experiment, fit: Fit) -> None:
    """Remove the record of a fit that did not fail this time."""
    _record(experiment, fit).unlink(missing_ok=True)


def to_retry(experiment: Experiment) -> Iterator[Fit]:
    """List the fits that failed under other limits than today's, or that must not fail today."""
    for record in sorted(_folder(experiment).rglob("*.json")):
        said = read_json(record)
        fit = Fit(*said["fit"])
        if fit.model not in experiment.fitted:
            continue
        changed = said["limits"] != list(experiment.limits(fit.model))
        if changed or experiment.on_error == "stop":
            yield fit


def _record(experiment: Experiment, fit: Fit) -> Path:
    return _folder(experiment) / fit.dataset / fit.model / f"{fit.split}.json"


def _folder(experiment: Experiment) -> Path:
    return Path("results", experiment.experiment, "failed")

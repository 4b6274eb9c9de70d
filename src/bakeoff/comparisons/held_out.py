"""The predictions on held-out rows as any metric wants them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from bakeoff.comparisons.evidence import (
    PairedPredictions,
    RowEvidence,
    engine_metric,
    read_predictions,
)
from bakeoff.errors import UserError
from bakeoff.spec import Experiment
from bakeoff.spec.related import declared
from bakeoff.stats import looks_at


def held_out(
    experiment: Experiment, dataset: str, path: str | Path, metrics: Sequence[str]
) -> Iterator[PairedPredictions]:
    """Read the predictions on one test set once, and hand them out metric by metric.

    Raises
    ------
    UserError
        Rows of the data set belong together and the predictions do not say how.
    """
    wanted = {looks_at(engine_metric(metric)) for metric in metrics}
    rows = read_predictions(
        path,
        list(experiment.models),
        scores="ranking" in wanted,
        probabilities="probabilities" in wanted,
    )
    check_related(experiment, dataset, rows, path)
    for metric in metrics:
        yield dataclasses.replace(rows, metric=metric)


def check_related(
    experiment: Experiment, dataset: str, rows: RowEvidence, path: str | Path
) -> None:
    """Stop where the rows of a data set belong together and its predictions do not say how.

    A test for groups takes rows without groups for independent: its p-value would be wrong.
    """
    kin = declared(experiment, dataset)
    if kin is not None and rows.n and not rows.related:
        raise UserError(
            f"{path} does not say which rows of {dataset} belong together, though the data set "
            f"has the {kin.kind} column {kin.column!r}: delete this file and run again"
        )

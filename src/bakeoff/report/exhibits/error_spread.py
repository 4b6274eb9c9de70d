"""How the errors of predicted numbers are spread."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bakeoff.report.cells import MODEL, SCORE, SHARE
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.pairs_shown import order
from bakeoff.report.study import Study
from bakeoff.report.tables import Column, PageTable, tabulate
from bakeoff.report.written import of_target

PERCENTS = (5, 25, 50, 75, 95)
WORST = 0.01
"""The share of the rows whose part of the squared error is told."""
COLUMNS = (
    MODEL,
    Column("mean", "Mean error", SCORE),
    *(Column(f"q{percent:02}", f"{percent}%", SCORE) for percent in PERCENTS),
    Column("worst", "Squared error in the worst 1% of rows", SHARE),
)


def build_error_spread(item: Item, study: Study) -> PageTable:
    """Give the mean and quantiles of each model's errors, and what the worst rows contribute."""
    dataset = item.dataset or study.datasets[0]
    rows = study.test_sets[dataset]
    errors = rows.predicted - rows.truth[:, None]
    shown, worst = of_target(study, dataset, errors), math.ceil(WORST * rows.n)

    def of_model(model: str) -> dict[str, Any]:
        own = errors[:, rows.models.index(model)]
        squares = np.sort(own**2)
        total = float(squares.sum())
        return {
            "written": shown,
            "model": model,
            "mean": float(own.mean()),
            **{f"q{p:02}": float(np.quantile(own, p / 100)) for p in PERCENTS},
            "worst": float(squares[-worst:].sum()) / total if total else math.nan,
        }

    models = (m for m in order(study) if m in rows.models)
    return tabulate(item, study, COLUMNS, map(of_model, models))


EXHIBITS = {
    "error_spread": TableExhibit(
        section=Section.MODELS,
        place=34,
        title="Spread of the errors",
        caption="The errors (predicted less observed) of each model on the held-out rows: their "
        "mean, their quantiles, and the share of the sum of squared errors that comes from the 1% "
        "of rows with the largest errors. A mean error above 0 means that predictions are too high "
        "on average. If the worst rows hold a large share, metrics of squared errors rest on few "
        "rows, and the mean absolute error is the more stable measure.",
        each="dataset",
        when=lambda design: design.has_numbers,
        build=build_error_spread,
    ),
}

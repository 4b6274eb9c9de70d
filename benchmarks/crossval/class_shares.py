"""Intervals of one model's score of classes: from labels alone, and with the probabilities.

Class shares move decisions where many rows are near the threshold, and stratified training sets
cannot show it. Two models are one learner on two views of one distribution; what an interval
should hold is the mean score over all data sets of a cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bakeoff.stats import fold_rows_score
from bakeoff.stats.folds.fold_rows import FoldDesign, rows_of_runs
from bakeoff.stats.metrics.influence import setting_of
from benchmarks.crossval import learners as fit
from benchmarks.crossval.row_cells import (
    LEARNERS,
    METRICS_OF,
    MIDDLE,
    PLANS,
    RARE,
    THREE,
    Plan,
    Rng,
    facts_of,
    two,
)
from benchmarks.crossval.row_values import FEW
from benchmarks.crossval.rows import by_row, folds_of
from benchmarks.crossval.rows_data import Classes, draw
from benchmarks.harness import HERE, Array, Cell, fill

RATES = HERE / "crossval" / "class_shares.csv"
OF_TWO = {"balanced_accuracy": {}, "f1": {"positive": 1}, "recall": {"positive": 1}, "mcc": {}}
OF_MORE: dict[str, dict[str, int]] = {"balanced_accuracy": {}, "f1_macro": {}, "mcc": {}}
"""The metrics of two and of more classes, with their options."""
METHODS = "labels", "probabilities"
WEIGHTED = {
    "logistic, C = 1, balanced": fit.balanced(fit.shrunken_logistic(1.0)),
    "logistic, C = .01, balanced": fit.balanced(fit.shrunken_logistic(0.01)),
}
"""Learners with balanced class weights, which do not follow the class shares."""
FEW_ROWS: tuple[tuple[str, Classes], ...] = (
    ("logistic, C = 1", two(120, 0.4)),
    ("logistic, C = .05", two(150, 0.4)),
    ("logistic, C = .01", two(150, 0.45)),
    ("logistic, C = .01", Classes(150, (0.4, 0.35, 0.25))),
    ("15-NN", two(120, 0.4)),
    ("tree, leaves of 5", two(120, 0.3)),
)
CELLS: dict[str, tuple[tuple[str, Classes], ...]] = {
    "5x2": (
        ("logistic, C = 1", two(60, 0.4)),
        ("logistic, C = 1", two(150, 0.1)),
        ("logistic, C = 1", Classes(200, RARE)),
        ("logistic, C = .05", two(80, 0.5)),
        ("logistic, C = .05", two(200, 0.4)),
        ("logistic, C = .05", two(300, 0.25)),
        ("logistic, C = .05", Classes(120, (0.4, 0.35, 0.25))),
        ("logistic, C = .05", two(150, 0.45, features="heavy")),
        ("logistic, C = .01", two(100, 0.5)),
        ("logistic, C = .01", two(150, 0.4)),
        ("logistic, C = .01", two(300, 0.45)),
        ("logistic, C = .01", two(500, 0.3)),
        ("logistic, C = .01", Classes(90, THREE)),
        ("logistic, C = .01", Classes(200, MIDDLE)),
        ("logistic, C = .01", two(150, 0.45, signal=0.0)),
        ("logistic, C tuned", two(100, 0.5)),
        ("logistic, C tuned", two(150, 0.3)),
        ("logistic, C tuned", Classes(120, (0.5, 0.3, 0.2))),
        ("naive Bayes", two(80, 0.4)),
        ("naive Bayes", Classes(150, MIDDLE)),
        ("15-NN", two(100, 0.5)),
        ("15-NN", two(200, 0.3)),
        ("15-NN", Classes(120, THREE)),
        ("tree, leaves of 5", two(150, 0.4)),
        ("LDA", two(100, 0.4)),
        ("LDA", Classes(150, (0.4, 0.4, 0.2))),
        ("20 stumps", two(100, 0.4)),
        ("logistic, C = 1, balanced", two(120, 0.3)),
        ("logistic, C = .01, balanced", two(200, 0.35)),
        ("logistic, threshold tuned", two(150, 0.3)),
        ("logistic, C = .05", two(300, 0.5, group_size=6)),
        ("15-NN", two(200, 0.4, group_size=5)),
    ),
    "5x2 plain": FEW_ROWS,
    "5x5": FEW_ROWS,
    "10 splits": FEW_ROWS,
    "5-fold": FEW_ROWS,
    "10-fold": FEW_ROWS,
}

Said = tuple[float, Array, bool]
"""A score, its limits by each method, and whether a class is hardly predicted."""


def one_set(learner: str, population: Classes, plan: Plan, rng: Rng) -> dict[str, list[Said]]:
    """Draw a data set; say what both models have by each metric."""
    sample = draw(population, rng, plan.least)
    splits = plan.divide(sample, rng)
    groups = sample.group if population.group_size > 1 else None
    design = FoldDesign.read(folds_of(splits, plan), groups)
    metrics = OF_TWO if len(population.shares) == 2 else OF_MORE
    found: dict[str, list[Said]] = {metric: [] for metric in metrics}
    learn = WEIGHTED.get(learner) or LEARNERS[learner]
    for view in sample.views:
        given = by_row(learn(view, sample.y, splits.train, splits.test, rng), splits, plan)
        for metric, options in metrics.items():
            behind = None if learner in METRICS_OF else [given]
            found[metric].append(said(metric, options, sample.y, design, given, behind))
    return found


def said(
    metric: str,
    options: dict[str, int],
    y: Array,
    design: FoldDesign,
    given: Array,
    behind: list[Array] | None,
) -> Said:
    """Return the score of one model, with its limits from labels and with probabilities."""
    setting, _ = setting_of(y, [("y", y)], metric, **options)
    predicted = given.argmax(axis=2)
    limits = np.full((2, 2), np.nan)
    for at, probabilities in enumerate((None, behind)):
        rows = rows_of_runs(setting, design, [predicted], probabilities)
        ci = fold_rows_score(rows).ci
        if ci is not None and (at == 0 or probabilities is not None):
            limits[at] = ci.low, ci.high
    weights = design.n * design.weights
    called = np.bincount(predicted.ravel(), weights=weights.ravel(), minlength=given.shape[2])
    return rows.parts.score, limits, bool(called.min() < FEW)


def counted(learner: str, population: Classes, plan: str, sets: int) -> list[dict[str, Any]]:
    """Draw the data sets of a cell and count, by metric."""
    name = f"{plan} {learner} {population}"
    many = [
        one_set(learner, population, PLANS[plan], np.random.default_rng([*name.encode(), i]))
        for i in range(sets)
    ]
    return [
        {"metric": metric.removesuffix("_macro")} | counts([one[metric] for one in many])
        for metric in many[0]
    ]


def counts(many: list[list[Said]]) -> dict[str, Any]:
    """Count what data sets say by one metric of exchangeable models."""
    scores = np.array([[score for score, _, _ in models] for models in many])
    limits = np.array([[limits for _, limits, _ in models] for models in many])
    few = np.array([[few for _, _, few in models] for models in many])
    truth = scores.mean()
    missed = (limits[..., 0] > truth + _ROUNDING) | (limits[..., 1] < truth - _ROUNDING)
    width = limits[..., 1] - limits[..., 0]
    ideal = max(3.92 * scores.std(ddof=1), _ROUNDING)
    row: dict[str, Any] = {"sets": len(many), "mean": f"{truth:.5g}", "sd": f"{ideal / 3.92:.4g}"}
    row["few_predicted"] = int(few.sum())
    for at, method in enumerate(METHODS):
        known = ~np.isnan(width[..., at])
        median = np.median(width[..., at][known]) if known.any() else np.nan
        row[f"intervals_{method}"] = int(known.sum())
        row[f"missed_{method}"] = int(missed[..., at].sum())
        row[f"few_missed_{method}"] = int((missed[..., at] & few).sum())
        row[f"width_{method}"] = f"{median / ideal:.3f}"
    return row


_ROUNDING = 1e-12


def cells(sets: int) -> Iterator[Cell]:
    """List what is simulated."""
    for plan, of_plan in CELLS.items():
        for learner, population in of_plan:
            facts = {"plan": plan} | facts_of(learner, population)
            yield facts, partial(counted, learner, population, plan, sets)


def simulate(sets: int) -> Iterator[object]:
    """Simulate the cells that the file does not hold yet."""
    yield from fill(RATES, cells(sets))

"""Differences of scores of classes over folds: from labels alone, and with the probabilities.

Two learners on the same features follow the class shares of the training rows by different amounts;
two views of one distribution for the same learner, by the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bakeoff.stats import Result, fold_rows_difference
from bakeoff.stats.folds.fold_rows import FoldDesign, rows_of_runs
from bakeoff.stats.metrics.influence import setting_of
from benchmarks.crossval.class_shares import METHODS, OF_MORE, OF_TWO
from benchmarks.crossval.row_cells import LEARNERS, MIDDLE, PLANS, Plan, Rng, facts_of, two
from benchmarks.crossval.rows import by_row, folds_of
from benchmarks.crossval.rows_data import Classes, draw
from benchmarks.harness import HERE, Array, Cell, fill

RATES = HERE / "crossval" / "share_differences.csv"
ALPHA = 0.05
UNLIKE = (
    ("logistic, C = .01", "logistic, C = 1", two(150, 0.45)),
    ("logistic, C = .05", "naive Bayes", two(120, 0.4)),
)
CELLS: dict[str, tuple[tuple[str, str, Classes], ...]] = {
    "5x2": (
        *UNLIKE,
        ("logistic, C = .01", "tree, leaves of 5", two(120, 0.5)),
        ("logistic, C = .05", "logistic, C = 1", Classes(150, MIDDLE)),
        ("15-NN", "LDA", two(120, 0.4)),
        ("logistic, C = .01", "logistic, C = .01", two(150, 0.45)),
        ("logistic, C = .05", "logistic, C = .05", two(120, 0.4)),
        ("logistic, C = 1", "logistic, C = 1", two(150, 0.3)),
        ("logistic, C = .05", "logistic, C = .05", two(150, 0.4, weaker=0.7)),
        ("logistic, C = 1", "logistic, C = 1", two(300, 0.5, weaker=0.7)),
        ("naive Bayes", "naive Bayes", two(200, 0.3, weaker=0.7)),
        ("15-NN", "15-NN", two(300, 0.4, weaker=0.7)),
    ),
    "5x5": UNLIKE,
    "10-fold": UNLIKE,
}


def one_set(
    learners: tuple[str, str], population: Classes, plan: Plan, rng: Rng
) -> dict[str, list[Result]]:
    """Draw a data set; return the test of both models by each metric, by each method."""
    sample = draw(population, rng, plan.least)
    splits = plan.divide(sample, rng)
    design = FoldDesign.read(folds_of(splits, plan))
    views = sample.views if learners[0] == learners[1] else (sample.views[0], sample.views[0])
    given = [
        by_row(LEARNERS[one](view, sample.y, splits.train, splits.test, rng), splits, plan)
        for one, view in zip(learners, views, strict=True)
    ]
    metrics = OF_TWO if len(population.shares) == 2 else OF_MORE
    return {
        metric: [tested(metric, options, sample.y, design, given, method) for method in METHODS]
        for metric, options in metrics.items()
    }


def tested(
    metric: str,
    options: dict[str, int],
    y: Array,
    design: FoldDesign,
    given: list[Array],
    method: str,
) -> Result:
    """Test two models by a metric, from labels alone or with the probabilities."""
    setting, _ = setting_of(y, [("y", y)], metric, **options)
    rows = []
    for probabilities in given:
        behind = [probabilities] if method == "probabilities" else None
        rows.append(rows_of_runs(setting, design, [probabilities.argmax(axis=2)], behind))
    return fold_rows_difference(*rows)


def counted(
    learners: tuple[str, str], population: Classes, plan: str, sets: int
) -> list[dict[str, Any]]:
    """Draw the data sets of a cell and count, by metric."""
    name = f"{plan} {learners} {population}"
    many = [
        one_set(learners, population, PLANS[plan], np.random.default_rng([*name.encode(), i]))
        for i in range(sets)
    ]
    return [
        {"metric": metric.removesuffix("_macro")} | counts([one[metric] for one in many])
        for metric in many[0]
    ]


def counts(many: list[list[Result]]) -> dict[str, Any]:
    """Count rejections, and intervals that miss the mean difference."""
    estimates = np.array([results[0].estimate for results in many])
    truth, sd = estimates.mean(), estimates.std(ddof=1)
    row: dict[str, Any] = {"sets": len(many), "mean": f"{truth:.5g}", "sd": f"{sd:.4g}"}
    for at, method in enumerate(METHODS):
        of_method = [results[at] for results in many]
        limits = [one.ci for one in of_method if one.ci is not None]
        missed = [not ci.low <= truth <= ci.high for ci in limits]
        row[f"intervals_{method}"] = len(limits)
        row[f"missed_{method}"] = sum(missed)
        row[f"rejected_{method}"] = sum(one.pvalue < ALPHA for one in of_method)
        row[f"width_{method}"] = f"{np.median([ci.high - ci.low for ci in limits]) / 3.92 / sd:.3f}"
    return row


def cells(sets: int) -> Iterator[Cell]:
    """List what is simulated."""
    for plan, of_plan in CELLS.items():
        for first, second, population in of_plan:
            facts = {"plan": plan} | facts_of(first, population) | {"second": second}
            yield facts, partial(counted, (first, second), population, plan, sets)


def simulate(sets: int) -> Iterator[object]:
    """Simulate the cells that the file does not hold yet."""
    yield from fill(RATES, cells(sets))

"""Intervals of one model's expected score by `half_sample_t`, the halves drawn by class or not.

Halves of equal class shares hide what the share of the sample does to a score.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bakeoff.stats import half_sample_t
from benchmarks.crossval.data import Sample, Splits, halves, repeated_folds
from benchmarks.crossval.row_cells import LEARNERS, Rng, facts_of, two
from benchmarks.crossval.row_values import of_classes
from benchmarks.crossval.rows_data import Classes, draw
from benchmarks.harness import HERE, Array, Cell, fill

RATES = HERE / "crossval" / "halved_scores.csv"
ALPHA = 0.05
HALVINGS, FOLDS = 10, 5
CELLS = (
    ("logistic, C = 1", two(150, 0.5)),
    ("logistic, C = 1", two(150, 0.2)),
    ("logistic, C = 1", two(400, 0.1)),
    ("logistic, C = .01", two(150, 0.2)),
    ("LDA", two(400, 0.1)),
    ("naive Bayes", two(200, 0.3)),
    ("20 stumps", two(150, 0.3)),
)


def divide(sample: Sample, stratified: bool, rng: Rng) -> Splits:
    """Divide in folds inside halves: the folds by class, the halves by class or not."""
    if stratified:
        return halves(sample, rng, repeats=HALVINGS, k=FOLDS)
    train, test = [], []
    n = len(sample.y)
    for _ in range(HALVINGS):
        first = rng.permutation(n) < n // 2
        for half in (first, ~first):
            rows = np.flatnonzero(half)
            part = Sample(sample.views, sample.y[rows], sample.group[rows])
            inside = repeated_folds(part, rng, repeats=1, k=FOLDS)
            train.append(_of_all(inside.train, rows, n))
            test.append(_of_all(inside.test, rows, n))
    return Splits(np.vstack(train), np.vstack(test), (HALVINGS, 2, FOLDS))


def _of_all(inside: Array, rows: Array, n: int) -> Array:
    found = np.zeros((len(inside), n), dtype=bool)
    found[:, rows] = inside
    return found


def one_set(
    learner: str, population: Classes, stratified: bool, rng: Rng
) -> dict[str, tuple[Array, Array, float]]:
    """Draw a data set; return scores and limits of both models and their p-value, by metric."""
    sample = draw(population, rng, 2 * FOLDS)
    splits = divide(sample, stratified, rng)
    where = sample.y, splits.train, splits.test, rng
    models = [
        of_classes(LEARNERS[learner](view, *where), sample.y, splits.test) for view in sample.views
    ]
    sizes = splits.test.sum(axis=1)
    found = {}
    for metric in models[0].psi:
        folds = [(one.psi[metric].sum(axis=1) / sizes).reshape(-1, FOLDS) for one in models]
        if np.isnan(folds).any():
            continue  # a fold has one class, and no area
        limits = np.full((2, 2), np.nan)
        for at, one in enumerate(folds):
            ci = half_sample_t(one, np.zeros_like(one), full_repeats=0).ci
            if ci is not None:
                limits[at] = ci.low, ci.high
        pvalue = half_sample_t(*folds, full_repeats=0).pvalue
        found[metric] = np.array([one.mean() for one in folds]), limits, pvalue
    return found


def counted(
    learner: str, population: Classes, stratified: bool, sets: int
) -> Iterator[dict[str, Any]]:
    """Draw the data sets of a cell and count, by metric."""
    name = f"{stratified} {learner} {population}"
    many = [
        one_set(learner, population, stratified, np.random.default_rng([*name.encode(), i]))
        for i in range(sets)
    ]
    for metric in many[0]:
        known = [one[metric] for one in many if metric in one]
        scores = np.array([one for one, _, _ in known])
        limits = np.array([one for _, one, _ in known])
        pvalues = np.array([one for _, _, one in known])
        truth = scores.mean()  # the models are exchangeable
        missed = (limits[..., 0] > truth) | (limits[..., 1] < truth)
        width = limits[..., 1] - limits[..., 0]
        yield {
            "metric": metric,
            "sets": sets,
            "known": len(known),
            "tested": int((~np.isnan(pvalues)).sum()),
            "rejected": int((pvalues < ALPHA).sum()),
            "intervals": int((~np.isnan(width)).sum()),
            "missed": int(missed.sum()),
            "width": f"{np.nanmedian(width) / (3.92 * scores.std(ddof=1)):.3f}",
        }


def cells(sets: int) -> Iterator[Cell]:
    """List what is simulated."""
    for learner, population in CELLS:
        for stratified in (True, False):
            drawn = {"halves": "by class" if stratified else "plain"}
            yield (
                drawn | facts_of(learner, population),
                partial(_rows, learner, population, stratified, sets),
            )


def _rows(*cell: Any) -> list[dict[str, Any]]:
    return list(counted(*cell))


def simulate(sets: int) -> Iterator[object]:
    """Simulate the cells that the file does not hold yet."""
    yield from fill(RATES, cells(sets))

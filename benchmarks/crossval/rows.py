"""Rates of a score and its variance from test and training rows: `python -m benchmarks crossval.rows`.

Two models are the same learner on two views of one distribution, so their expected scores are
equal; in cells of power the second model's own features tell less. What an interval should hold is
the mean score over all data sets of a cell. Beside the rule stand today's corrected t test and
interval.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from bakeoff.stats import half_sample_t
from benchmarks.crossval import learners as fit
from benchmarks.crossval import own_rows as estimator
from benchmarks.crossval.data import (
    Numbers,
    Sample,
    Splits,
    halves,
    random_splits,
    repeated_folds,
)
from benchmarks.crossval.data import draw as draw_numbers
from benchmarks.crossval.learners import Learner
from benchmarks.crossval.row_values import DECISIONS, RowValues, of_classes, of_numbers
from benchmarks.crossval.rows_data import Classes, draw
from benchmarks.harness import HERE, Array, fill

RATES = HERE / "crossval" / "row_intervals.csv"
OF_HALVES = HERE / "crossval" / "halves_intervals.csv"
ALPHA = 0.05
Rng = np.random.Generator


# Plans ------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Plan:
    """Repeated folds, or random splits; `factor` is c of the rule, `ratio` that of the corrected t."""

    repeats: int
    k: int
    stratified: bool = True
    one_fold: bool = False  # only the first of each k folds

    @property
    def least(self) -> int:
        """Rows of each class that a data set needs."""
        if self.one_fold:
            return 4
        return 4 if self.k == 2 else 2 * self.k if self.k == 5 else self.k

    @property
    def factor(self) -> float:
        """Variance of the mean score over that of a mean of all rows, if they were independent."""
        if self.one_fold:
            return 0.0
        return 1 + (1 - 1 / self.k) / self.repeats

    @property
    def replications(self) -> Array:
        """The replication of each split."""
        return np.repeat(np.arange(self.repeats), 1 if self.one_fold else self.k)

    def divide(self, sample: Sample, rng: Rng) -> Splits:
        """Divide a data set."""
        if not self.stratified:
            sample = dataclasses.replace(sample, y=sample.y.astype(float))
        if self.one_fold:
            return random_splits(sample, rng, splits=self.repeats, test_share=1 / self.k)
        return repeated_folds(sample, rng, repeats=self.repeats, k=self.k)


PLANS = {
    "5x2": Plan(5, 2),
    "5x2 plain": Plan(5, 2, stratified=False),
    "5x5": Plan(5, 5),
    "10 splits": Plan(10, 3, one_fold=True),
    "5-fold": Plan(1, 5),
    "10-fold": Plan(1, 10),
}


# Cells ------------------------------------------------------------------------------------------

LEARNERS: dict[str, Learner] = {
    "logistic, C = 1": fit.shrunken_logistic(1.0),
    "logistic, C = .05": fit.shrunken_logistic(0.05),
    "logistic, C = .01": fit.shrunken_logistic(0.01),
    "logistic, C tuned": fit.tuned_logistic,
    "logistic, threshold tuned": fit.tuned(fit.logistic),
    "naive Bayes": fit.posterior(fit.naive_bayes),
    "LDA": fit.posterior(fit.linear_discriminant),
    "5-NN": fit.shares_of_neighbours(5),
    "15-NN": fit.shares_of_neighbours(15),
    "tree": fit.tree,
    "tree, leaves of 5": fit.leafy_tree(5),
    "20 stumps": fit.boosted_stumps(20, 0.1),
    "60 stumps": fit.boosted_stumps(60, 0.3),
    "OLS": fit.least_squares,
    "ridge": fit.ridge(0.1),
    "ridge, strong": fit.ridge(1),
    "5-NN regression": fit.mean_of_neighbours(5),
    "regression tree of depth 3": fit.regression_tree(3),
}
METRICS_OF = {"logistic, threshold tuned": DECISIONS}
"""Learners that give no probabilities."""
THREE, MIDDLE, RARE = (1 / 3, 1 / 3, 1 / 3), (0.3, 0.4, 0.3), (0.7, 0.2, 0.1)
Population = Classes | Numbers
Cell = tuple[str, Population]


def two(rows: int, positive: float, **facts: Any) -> Classes:
    """Return a population of two classes."""
    return Classes(rows, (1 - positive, positive), **facts)


BASIC: tuple[Cell, ...] = (
    ("logistic, C = 1", two(100, 0.5)),
    ("logistic, C = 1", two(200, 0.2)),
    ("logistic, C = 1", two(300, 0.1)),
    ("logistic, C = 1", two(500, 0.05)),
    ("logistic, C = .05", two(60, 0.5)),
    ("logistic, C = .05", two(150, 0.3)),
    ("logistic, C = .05", two(300, 0.1)),
    ("logistic, C = .01", two(60, 0.5)),
    ("logistic, C = .01", two(150, 0.2)),
    ("logistic, C = .01", two(300, 0.4)),
    ("logistic, C = .01", two(500, 0.1)),
    ("naive Bayes", two(60, 0.4)),
    ("naive Bayes", two(150, 0.1)),
    ("naive Bayes", two(300, 0.5)),
    ("naive Bayes", two(500, 0.2)),
    ("15-NN", two(60, 0.5)),
    ("15-NN", two(150, 0.2)),
    ("15-NN", two(300, 0.5)),
    ("15-NN", two(500, 0.1)),
    ("5-NN", two(100, 0.1)),
    ("5-NN", two(200, 0.5)),
    ("tree, leaves of 5", two(100, 0.5)),
    ("tree, leaves of 5", two(300, 0.2)),
    ("tree", two(150, 0.3)),
    ("20 stumps", two(100, 0.5)),
    ("20 stumps", two(150, 0.2)),
    ("20 stumps", two(300, 0.1)),
    ("60 stumps", two(200, 0.3)),
    ("LDA", two(60, 0.5)),
    ("LDA", two(150, 0.1)),
    ("LDA", two(300, 0.3)),
    ("logistic, C = 1", two(150, 0.3, features="heavy")),
    ("logistic, C = .05", two(200, 0.2, features="skewed")),
    ("15-NN", two(150, 0.3, features="related")),
    ("logistic, C = 1", two(100, 0.5, signal=0.0)),
    ("logistic, C = .01", two(100, 0.4, signal=0.0)),
    ("logistic, C = 1", two(100, 0.2, signal=1.8)),
    ("LDA", two(150, 0.3, signal=1.8)),
    ("logistic, threshold tuned", two(200, 0.1)),
)
TUNED: tuple[Cell, ...] = (
    ("logistic, C tuned", two(60, 0.5)),
    ("logistic, C tuned", two(100, 0.3)),
    ("logistic, C tuned", two(200, 0.15)),
    ("logistic, C tuned", two(300, 0.5)),
    ("logistic, C tuned", Classes(100, (0.5, 0.3, 0.2))),
)
CLASSES: tuple[Cell, ...] = (
    ("logistic, C = 1", Classes(150, THREE)),
    ("logistic, C = .01", Classes(60, THREE)),
    ("logistic, C = .01", Classes(250, MIDDLE)),
    ("naive Bayes", Classes(150, RARE)),
    ("15-NN", Classes(200, THREE)),
    ("LDA", Classes(300, RARE)),
    ("tree, leaves of 5", Classes(150, (0.4, 0.4, 0.2))),
)
GROUPS: tuple[Cell, ...] = (
    ("logistic, C = 1", two(200, 0.5, group_size=5)),
    ("logistic, C = 1", two(300, 0.3, group_size=10)),
    ("logistic, C = 1", two(200, 0.3, group_size=5, one_class=True)),
    ("logistic, C = 1", two(300, 0.3, group_size=6, uneven=True)),
    ("logistic, C = .05", two(200, 0.5, group_size=5)),
    ("logistic, C tuned", two(200, 0.3, group_size=5)),
    ("naive Bayes", two(200, 0.3, group_size=5)),
    ("15-NN", two(300, 0.5, group_size=5)),
    ("15-NN", two(300, 0.4, group_size=5, one_class=True)),
    ("LDA", two(500, 0.2, group_size=10)),
    ("tree, leaves of 5", two(200, 0.5, group_size=5)),
    ("naive Bayes", Classes(300, MIDDLE, group_size=5)),
)
PLAIN: tuple[Cell, ...] = (
    ("logistic, C = 1", two(200, 0.2)),
    ("logistic, C = .05", two(150, 0.3)),
    ("logistic, C = .01", two(60, 0.5)),
    ("logistic, C = .01", two(300, 0.4)),
    ("logistic, C = .01", Classes(250, MIDDLE)),
    ("naive Bayes", two(300, 0.2)),
    ("15-NN", two(150, 0.3)),
    ("LDA", two(150, 0.3)),
)
OTHER: tuple[Cell, ...] = (
    ("logistic, C = 1", two(200, 0.2)),
    ("logistic, C = .05", two(150, 0.3)),
    ("logistic, C = .01", two(60, 0.5)),
    ("logistic, C = .01", two(200, 0.3)),
    ("logistic, C tuned", two(100, 0.3)),
    ("naive Bayes", two(300, 0.2)),
    ("15-NN", two(200, 0.3)),
    ("tree, leaves of 5", two(200, 0.3)),
    ("20 stumps", two(150, 0.3)),
    ("LDA", two(150, 0.5)),
    ("naive Bayes", Classes(250, RARE)),
    ("logistic, C = 1", two(200, 0.5, group_size=5)),
)
POWER: tuple[Cell, ...] = (
    ("logistic, C = 1", two(300, 0.5, weaker=0.7)),
    ("logistic, C = 1", two(300, 0.15, weaker=0.7)),
    ("logistic, C = .05", two(150, 0.4, weaker=0.7)),
    ("naive Bayes", two(200, 0.3, weaker=0.7)),
    ("15-NN", two(300, 0.4, weaker=0.7)),
    ("tree, leaves of 5", two(300, 0.5, weaker=0.7)),
    ("logistic, C = 1", two(300, 0.5, group_size=5, weaker=0.7)),
)
NUMBERS: tuple[Cell, ...] = (
    ("OLS", Numbers(60)),
    ("OLS", Numbers(200)),
    ("OLS", Numbers(100, noise="t3")),
    ("OLS", Numbers(200, noise="lognormal")),
    ("ridge", Numbers(150)),
    ("ridge, strong", Numbers(100)),
    ("ridge, strong", Numbers(300)),
    ("ridge", Numbers(100, noise="t3")),
    ("5-NN regression", Numbers(100)),
    ("5-NN regression", Numbers(300)),
    ("regression tree of depth 3", Numbers(200)),
    ("OLS", Numbers(200, group_size=5)),
    ("OLS", Numbers(200, advantage=0.15)),
    ("5-NN regression", Numbers(200, advantage=0.15)),
)
CELLS: dict[str, tuple[Cell, ...]] = {
    "5x2": (*BASIC, *TUNED, *CLASSES, *GROUPS, *POWER),
    "5x2 plain": (*PLAIN, *NUMBERS),
    "5x5": (*OTHER, *POWER),
    "10 splits": (*OTHER, *POWER),
    "5-fold": (*OTHER, *POWER),
    "10-fold": (*OTHER, *POWER, *NUMBERS),
}


def facts_of(learner: str, population: Population) -> dict[str, object]:
    """Say what a cell is, as the columns of the file do."""
    if isinstance(population, Numbers):
        shares, drawn, power = "", population.noise, population.advantage > 0
        three, grouped = False, population.group_size > 1
    else:
        shares = " ".join(f"{share:.2g}" for share in population.shares[1:])
        drawn = population.features
        if population.signal != Classes(1).signal:
            drawn = f"{drawn}, signal {population.signal:g}"
        power = population.weaker > 0
        three, grouped = len(population.shares) > 2, population.group_size > 1
    if grouped:
        drawn += f", groups of {population.group_size}"
        drawn += " of one class" * getattr(population, "one_class", False)
        drawn += " on average" * getattr(population, "uneven", False)
    kind = "groups" if grouped else "three classes" if three else "tuned" * ("tuned" in learner)
    return {
        "learner": learner,
        "rows": population.rows,
        "shares": shares,
        "drawn": drawn,
        "kind": kind or ("numbers" if isinstance(population, Numbers) else "basic"),
        "power": int(power),
    }


# One data set -----------------------------------------------------------------------------------

RULE, CORRECTED, ALONE = METHODS = ("rule", "corrected", "alone")
"""The rule; today's corrected t test and interval; for one k-fold the rule without these."""
CAUTIONS = ("few_predicted", "flat", "zero", "zero_met", "heavy")


@dataclasses.dataclass
class Drawn:
    """What one data set says by one metric: of each model, and of their difference."""

    scores: Array  # (models,)
    limits: Array  # (models, methods, 2)
    cautions: Array  # (models, cautions)
    pvalues: Array  # (methods,)
    heavy: bool  # whether one row carries the difference


def sample_of(population: Population, plan: Plan, rng: Rng) -> Sample:
    """Draw a data set that the plan can divide."""
    if isinstance(population, Numbers):
        return draw_numbers(population, rng)
    return draw(population, rng, plan.least)


def one_set(learner_name: str, population: Population, plan: Plan, rng: Rng) -> dict[str, Drawn]:
    """Draw a data set, fit both models on all splits, and ask every method."""
    sample = sample_of(population, plan, rng)
    splits = plan.divide(sample, rng)
    where = sample.y, splits.train, splits.test, rng
    of = of_numbers if isinstance(population, Numbers) else of_classes
    learner = LEARNERS[learner_name]
    models = [of(learner(view, *where), sample.y, splits.test) for view in sample.views]
    group = sample.group if population.group_size > 1 else None
    factor = plan.factor or 1 + len(sample.y) / splits.test.sum()
    layout = estimator.Layout(splits.test, splits.train, plan.replications, group, factor)
    ratio = float(splits.test.sum() / splits.train.sum())
    classes = len(getattr(population, "shares", ()))
    metrics = METRICS_OF.get(learner_name, tuple(models[0].psi))
    return {metric: asked(layout, metric, models, sample.y, classes, ratio) for metric in metrics}


def asked(
    layout: Any, metric: str, models: list[RowValues], y: Array, classes: int, ratio: float
) -> Drawn:
    """Ask every method for the intervals of both models and for the p-value of their difference."""
    found = Drawn(
        np.full(2, np.nan),
        np.full((2, len(METHODS), 2), np.nan),
        np.zeros((2, len(CAUTIONS)), dtype=bool),
        np.full(len(METHODS), np.nan),
        False,
    )
    psi = [model.psi[metric] for model in models]
    if np.isnan(psi).any():
        return found
    scores = [layout.fold_means(values) for values in psi]
    for at, model in enumerate(models):
        parts, low, high = estimator.own(
            layout, metric, psi[at], y, model.predicted, classes
        )
        ends = estimator.RANGES.get(metric, (-1.0 if classes == 2 else -2.0, 0.0))
        _, from_low, from_high, _ = estimator.corrected(scores[at], ratio)
        both = low, high
        if math.isnan(parts.v_train):
            both = np.fmin(low, from_low), np.fmax(high, from_high)
            both = max(both[0], ends[0]), min(both[1], ends[1])
        found.scores[at] = parts.s
        found.limits[at] = both, (from_low, from_high), (low, high)
        cautions = [getattr(model, name) for name in CAUTIONS[:-1]]
        found.cautions[at] = [*cautions, parts.heavy]
    parts, alone = estimator.difference(layout, *psi)
    *_, corrected = estimator.corrected(scores[0] - scores[1], ratio)
    larger = np.fmax(alone, corrected) if math.isnan(parts.v_train) else alone
    found.pvalues[:] = larger, corrected, alone
    found.heavy = parts.heavy
    return found


# Counts -----------------------------------------------------------------------------------------


def counted(learner: str, population: Population, plan: str, sets: int) -> Iterator[dict[str, Any]]:
    """Draw the data sets of a cell and count, by metric."""
    name = f"{plan} {learner} {population}"
    found = [
        one_set(
            learner,
            population,
            PLANS[plan],
            np.random.default_rng([*name.encode(), i]),
        )
        for i in range(sets)
    ]
    power = facts_of(learner, population)["power"]
    for metric in found[0]:
        yield {"metric": metric} | counts([each[metric] for each in found], bool(power))


def counts(drawn: list[Drawn], power: bool) -> dict[str, Any]:
    """Count what data sets say by one metric; with `power` the expected scores differ."""
    scores = np.array([one.scores for one in drawn])
    limits = np.array([one.limits for one in drawn])
    cautions = np.array([one.cautions for one in drawn])
    pvalues = np.array([one.pvalues for one in drawn])
    known = ~np.isnan(scores).any(axis=1)
    scores, limits, cautions = scores[known], limits[known], cautions[known]
    truth, sd = scores.mean(axis=0), scores.std(axis=0, ddof=1)
    if not power:  # the models are exchangeable
        truth, sd = np.full(2, scores.mean()), np.full(2, scores.std(ddof=1))
    width = limits[..., 1] - limits[..., 0]
    answered = ~np.isnan(width)
    rounding = 1e-12
    missed = (limits[..., 0] > truth[:, None] + rounding) | (
        limits[..., 1] < truth[:, None] - rounding
    )
    ideal = np.maximum(2 * 1.96 * sd, 1e-12)[:, None]
    row: dict[str, Any] = {"sets": len(drawn), "known": int(known.sum())}
    row |= {"mean": f"{truth[0]:.5g}", "sd": f"{sd.mean():.4g}"}
    for at, method in enumerate(METHODS):
        row[f"tested_{method}"] = int((~np.isnan(pvalues[:, at])).sum())
        row[f"rejected_{method}"] = int((pvalues[:, at] < ALPHA).sum())
        row[f"intervals_{method}"] = int(answered[:, :, at].sum())
        row[f"missed_{method}"] = int(missed[:, :, at].sum())
        of_ideal = (width / ideal[None])[:, :, at]
        row[f"width_{method}"] = f"{np.nanmedian(of_ideal):.3f}" if answered[:, :, at].any() else ""
    missed_rule = missed[:, :, 0]
    for at, caution in enumerate(CAUTIONS):
        row[caution] = int(cautions[:, :, at].sum())
        row[f"{caution}_missed"] = int((cautions[:, :, at] & missed_rule).sum())
    # misses of the rule above the truth, and below it
    row["missed_above"] = int((limits[:, :, 0, 0] > truth + rounding).sum())
    heavy = np.array([one.heavy for one in drawn])
    flat = np.zeros(len(drawn), dtype=bool)
    flat[known] = cautions[:, :, CAUTIONS.index("flat")].any(axis=1)
    for caution, fires in (("heavy", heavy), ("flat", flat)):
        row[f"{caution}_tests"] = int(fires.sum())
        row[f"{caution}_rejected"] = int((fires & (pvalues[:, 0] < ALPHA)).sum())
    return row


# Halves -----------------------------------------------------------------------------------------

OF_HALVING: tuple[Cell, ...] = (
    ("logistic, C = 1", two(150, 0.2)),
    ("logistic, C = 1", two(400, 0.1)),
    ("logistic, C = .01", two(150, 0.2)),
    ("LDA", two(400, 0.1)),
    ("naive Bayes", two(200, 0.3)),
    ("20 stumps", two(150, 0.3)),
    ("logistic, C = 1", two(150, 0.5)),
)
HALVINGS, FOLDS = 10, 5


def halved(sample: Sample, stratified: bool, rng: Rng) -> Splits:
    """Divide in folds inside halves; the halves plainly or by class, the folds by class."""
    if stratified:
        return halves(sample, rng, repeats=HALVINGS, k=FOLDS)
    train, test = [], []
    for _ in range(HALVINGS):
        first = rng.permutation(len(sample.y)) < len(sample.y) // 2
        for half in (first, ~first):
            rows = np.flatnonzero(half)
            part = Sample(sample.views, sample.y[rows], sample.group[rows])
            inside = repeated_folds(part, rng, repeats=1, k=FOLDS)
            for own, many in ((inside.train, train), (inside.test, test)):
                of_all = np.zeros((FOLDS, len(half)), dtype=bool)
                of_all[:, rows] = own
                many.append(of_all)
    return Splits(np.vstack(train), np.vstack(test), (HALVINGS, 2, FOLDS))


def counted_halves(
    learner: str, population: Classes, stratified: bool, sets: int
) -> Iterator[dict[str, Any]]:
    """Count misses of the intervals of own scores, and rejections, by `half_sample_t`."""
    name = f"halves {stratified} {learner} {population}"
    found: dict[str, list[tuple[Array, Array, float]]] = {}
    for i in range(sets):
        rng = np.random.default_rng([*name.encode(), i])
        sample = draw(population, rng, 2 * FOLDS)
        splits = halved(sample, stratified, rng)
        where = sample.y, splits.train, splits.test, rng
        models = [
            of_classes(LEARNERS[learner](view, *where), sample.y, splits.test)
            for view in sample.views
        ]
        for metric in models[0].psi:
            a, b = (
                (model.psi[metric].sum(axis=1) / splits.test.sum(axis=1)).reshape(-1, FOLDS)
                for model in models
            )
            if np.isnan(a).any() or np.isnan(b).any():
                continue
            results = [half_sample_t(x, np.zeros_like(x), full_repeats=0) for x in (a, b)]
            limits = [list(r.ci) if r.ci is not None else [np.nan] * 2 for r in results]
            pvalue = half_sample_t(a, b, full_repeats=0).pvalue
            scores = np.array([a.mean(), b.mean()])
            found.setdefault(metric, []).append((scores, np.array(limits), pvalue))
    for metric, many in found.items():
        scores, limits = np.array([one[0] for one in many]), np.array([one[1] for one in many])
        truth, sd = scores.mean(), scores.std(ddof=1)
        missed = (limits[..., 0] > truth) | (limits[..., 1] < truth)
        width = limits[..., 1] - limits[..., 0]
        pvalues = np.array([one[2] for one in many])
        yield {
            "metric": metric,
            "sets": sets,
            "known": len(many),
            "mean": f"{truth:.5g}",
            "sd": f"{sd:.4g}",
            "tested": int((~np.isnan(pvalues)).sum()),
            "rejected": int((pvalues < ALPHA).sum()),
            "intervals": int((~np.isnan(width)).sum()),
            "missed": int(missed.sum()),
            "width": f"{np.nanmedian(width) / (2 * 1.96 * sd):.3f}",
        }


def simulate(sets: int) -> Iterator[object]:
    """Simulate the cells that the files do not hold yet."""
    cells = (
        (
            {"plan": plan} | facts_of(*cell),
            partial(lambda plan, cell: list(counted(*cell, plan, sets)), plan, cell),
        )
        for plan, many in CELLS.items()
        for cell in many
    )
    yield from fill(RATES, cells)
    of_halves = (
        (
            {"halves": "stratified" if stratified else "plain"} | facts_of(*cell),
            partial(lambda s, cell: list(counted_halves(*cell, s, sets // 2)), stratified, cell),
        )
        for cell in OF_HALVING
        for stratified in (True, False)
    )
    yield from fill(OF_HALVES, of_halves)

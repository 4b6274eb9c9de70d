"""Scores over folds with their variance from test and training rows: how often they are wrong.

Two models are the same learner on two views of one distribution, so their expected scores are
equal; in cells of power the second model's own features tell less. What an interval should hold is
the mean score over all data sets of a cell. Beside `fold_rows_difference` and `fold_rows_score`
stand the corrected t test and its interval.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bakeoff import stats
from bakeoff.stats.folds.fold_rows import FoldDesign, FoldRows
from bakeoff.stats.metrics.influence import Setting, setting_of
from benchmarks.crossval.data import Numbers, Sample, Splits
from benchmarks.crossval.data import draw as draw_numbers
from benchmarks.crossval.row_cells import (
    CELLS,
    LEARNERS,
    METRICS_OF,
    PLANS,
    Plan,
    Population,
    Rng,
    facts_of,
)
from benchmarks.crossval.row_values import DECISIONS, RowValues, of_classes, of_numbers
from benchmarks.crossval.rows_data import draw
from benchmarks.harness import HERE, Array, Cell, fill

RATES = HERE / "crossval" / "row_intervals.csv"
ALPHA = 0.05
MACRO = {"f1": "f1_macro", "roc_auc": "roc_auc_ovr"}
"""The metrics of three classes, by those of two."""
METHODS = "rule", "corrected"
"""The test and intervals of rows, and the corrected t test and its interval."""
CAUTIONS = "few_predicted", "flat", "zero", "zero_met", "heavy"
"""What may tell where intervals miss; see `RowValues`. Heavy: one row has a fifth of Σr²."""
HEAVY = 0.2


# One data set -----------------------------------------------------------------------------------


@dataclasses.dataclass
class Said:
    """What one data set says by one metric: of two models, and of their difference."""

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


def one_set(learner: str, population: Population, plan: Plan, rng: Rng) -> dict[str, Said]:
    """Draw a data set, fit both models on all splits, and ask every method by every metric."""
    sample = sample_of(population, plan, rng)
    splits = plan.divide(sample, rng)
    fitted = [
        LEARNERS[learner](view, sample.y, splits.train, splits.test, rng) for view in sample.views
    ]
    values = of_numbers if isinstance(population, Numbers) else of_classes
    models = [values(one, sample.y, splits.test) for one in fitted]
    groups = sample.group if population.group_size > 1 else None
    design = FoldDesign.read(folds_of(splits, plan), groups)
    predicted = [by_row(one, splits, plan) for one in fitted]
    metrics = METRICS_OF.get(learner, tuple(models[0].psi))
    return {
        metric: asked(
            metric, models, fold_rows_of(metric, models, predicted, sample, splits, design, plan)
        )
        for metric in metrics
    }


def folds_of(splits: Splits, plan: Plan) -> Array:
    """Return the number of the fold that tests each row, from 1, in each repetition."""
    fold = np.zeros((plan.repeats, splits.test.shape[1]), dtype=int)
    for at, (repetition, rows) in enumerate(zip(plan.replications, splits.test, strict=True)):
        fold[repetition, rows] = at + 1
    return fold


def by_row(fitted: Array, splits: Splits, plan: Plan) -> Array:
    """Turn what is said of the test rows of each split, (splits, n, …), to (repeats, n, …)."""
    found = np.zeros((plan.repeats, *fitted.shape[1:]))
    for repetition, rows, one in zip(plan.replications, splits.test, fitted, strict=True):
        found[repetition, rows] = one[rows]
    return found


def fold_rows_of(
    metric: str,
    models: list[RowValues],
    predicted: list[Array],
    sample: Sample,
    splits: Splits,
    design: FoldDesign,
    plan: Plan,
) -> list[FoldRows]:
    """Return the values of rows as `fold_rows` does, which computes them fold by fold."""
    setting, codes = setting_by(metric, predicted, sample.y)
    found = []
    for model, one in zip(models, codes, strict=True):
        values = by_row(model.psi[metric], splits, plan)
        views = tuple(setting.view(rows) for rows in one)
        found.append(FoldRows(setting, design, values, runs=(views,)))
    return found


def setting_by(metric: str, predicted: list[Array], y: Array) -> tuple[Setting, list[Array]]:
    """Check a metric, its truth and what two models predict in each repetition."""
    repeats = len(predicted[0])
    options: dict[str, Any] = {}
    if predicted[0].ndim == 3:
        classes = predicted[0].shape[2]
        name = MACRO.get(metric, metric) if classes > 2 else metric
        if classes == 2 and metric in ("f1", "roc_auc", "log_loss", "brier"):
            options["positive"] = 1
    else:
        name = metric
    given = [
        (f"model {at}", one.argmax(axis=2).ravel() if metric in DECISIONS else _flat(one))
        for at, one in enumerate(predicted)
    ]
    setting, rows = setting_of(np.tile(y, repeats), given, name, **options)
    truth = setting.truth.take(np.arange(len(y)))
    codes = [one.reshape(repeats, len(y), *one.shape[1:]) for one in rows]
    return dataclasses.replace(setting, truth=truth), codes


def _flat(predicted: Array) -> Array:
    flat: Array = predicted.reshape(-1, *predicted.shape[2:])
    if flat.ndim == 2:  # any probabilities do where a row is not tested
        flat = np.where(flat.any(axis=1, keepdims=True), flat, 1 / flat.shape[1])
    return flat


def asked(metric: str, models: list[RowValues], rows: list[FoldRows]) -> Said:
    """Ask every method for the intervals of both models and for the p-value of their difference."""
    found = Said(
        np.full(2, np.nan),
        np.full((2, len(METHODS), 2), np.nan),
        np.zeros((2, len(CAUTIONS)), dtype=bool),
        np.full(len(METHODS), np.nan),
        False,
    )
    if np.isnan([one.values for one in rows]).any():
        return found  # a fold has one class, and no area
    design = rows[0].design
    sizes = {"n_train": np.concatenate(design.trained), "n_test": np.concatenate(design.sizes)}
    for at, (model, one) in enumerate(zip(models, rows, strict=True)):
        found.scores[at] = one.parts.score
        own, corrected = stats.fold_rows_score(one).ci, stats.corrected_mean_ci(one.scores, **sizes)
        if own is not None:
            greater = one.setting.metric.greater_is_better
            found.limits[at, 0] = (own.low, own.high) if greater else (-own.high, -own.low)
        if corrected is not None:
            found.limits[at, 1] = corrected.low, corrected.high
        cautions = [getattr(model, name) for name in CAUTIONS[:-1]]
        found.cautions[at] = [*cautions, is_heavy(one)]
    a, b = (one.scores for one in rows)
    found.pvalues[0] = stats.fold_rows_difference(*rows).pvalue
    found.pvalues[1] = stats.corrected_resampled_t(a, b, **sizes).pvalue
    found.heavy = is_heavy(rows[0] - rows[1])
    return found


def is_heavy(rows: FoldRows) -> bool:
    """Say whether one row, or group, has more than a fifth of the variance from test rows."""
    design = rows.design
    deviations = np.where(design.tested, rows.values - rows.parts.score, 0.0)
    squares = design.by_unit((design.weights * deviations).sum(axis=0)) ** 2
    return bool(squares.max() > HEAVY * squares.sum())


# Counts -----------------------------------------------------------------------------------------


def counted(learner: str, population: Population, plan: str, sets: int) -> list[dict[str, Any]]:
    """Draw the data sets of a cell and count, by metric."""
    name = f"{plan} {learner} {population}"
    said = [
        one_set(learner, population, PLANS[plan], np.random.default_rng([*name.encode(), i]))
        for i in range(sets)
    ]
    power = bool(facts_of(learner, population)["power"])
    return [{"metric": metric} | counts([one[metric] for one in said], power) for metric in said[0]]


def counts(said: list[Said], power: bool) -> dict[str, Any]:
    """Count what data sets say by one metric; with `power` the expected scores differ."""
    scores = np.array([one.scores for one in said])
    known = ~np.isnan(scores).any(axis=1)
    scores = scores[known]
    limits = np.array([one.limits for one in said])[known]
    cautions = np.array([one.cautions for one in said])[known]
    pvalues = np.array([one.pvalues for one in said])
    truth, sd = scores.mean(axis=0), scores.std(axis=0, ddof=1)
    if not power:  # the models are exchangeable
        truth = np.full(2, scores.mean())
        sd = np.full(2, scores.std(ddof=1))
    above = limits[..., 0] > truth[:, None] + _ROUNDING
    missed = above | (limits[..., 1] < truth[:, None] - _ROUNDING)
    width = (limits[..., 1] - limits[..., 0]) / np.maximum(3.92 * sd, _ROUNDING)[:, None]
    row: dict[str, Any] = {"sets": len(said), "known": int(known.sum())}
    row |= {"mean": f"{truth[0]:.5g}", "sd": f"{sd.mean():.4g}"}
    for at, method in enumerate(METHODS):
        answered = ~np.isnan(width[:, :, at])
        row[f"tested_{method}"] = int((~np.isnan(pvalues[:, at])).sum())
        row[f"rejected_{method}"] = int((pvalues[:, at] < ALPHA).sum())
        row[f"intervals_{method}"] = int(answered.sum())
        row[f"missed_{method}"] = int(missed[:, :, at].sum())
        median = np.median(width[:, :, at][answered]) if answered.any() else np.nan
        row[f"width_{method}"] = f"{median:.3f}"
    for at, caution in enumerate(CAUTIONS):
        row[caution] = int(cautions[:, :, at].sum())
        row[f"{caution}_missed"] = int((cautions[:, :, at] & missed[:, :, 0]).sum())
    row["missed_above"] = int(above[:, :, 0].sum())
    heavy = np.array([one.heavy for one in said])
    flat = np.array([one.cautions[:, CAUTIONS.index("flat")].any() for one in said])
    for caution, fires in (("heavy", heavy), ("flat", flat)):
        row[f"{caution}_tests"] = int(fires.sum())
        row[f"{caution}_rejected"] = int((fires & (pvalues[:, 0] < ALPHA)).sum())
    return row


_ROUNDING = 1e-12


MORE, SMALL = 4, 100
SHRINKING = "logistic, C = .01", "logistic, C = .05", "ridge, strong"
"""On few rows or groups these are nearest to the limit, and more data sets are drawn."""


def cells(sets: int) -> Iterator[Cell]:
    """List what is simulated."""
    for plan, of_plan in CELLS.items():
        for learner, population in of_plan:
            facts = {"plan": plan} | facts_of(learner, population)
            units = population.rows / population.group_size
            near = learner in SHRINKING and units <= SMALL
            times = MORE * sets if near else sets
            yield facts, partial(counted, learner, population, plan, times)


def simulate(sets: int) -> Iterator[object]:
    """Simulate the cells that the file does not hold yet."""
    yield from fill(RATES, cells(sets))

"""Type I error and coverage by any metric on one test set: `python -m benchmarks any_metric`.

Binormal scores of two models that share part of their noise, on n rows of which a share π is
positive. The null is exchangeable (both models alike) or weak (the same metric through other
errors: another threshold, another spread of scores, overconfident probabilities). Cells near a
bound are drawn again, three times as often. Rates go to any_metric.csv.

*Families*: all pairs of 5 or 20 models, their p-values adjusted by the maximum statistic, by Holm
and by Bonferroni. Equal models: how often any difference is found (the family-wise error). Models
whose skill rises evenly from the first to the last: the share of differences that is found, and how
often the best model is in the set of those that may be the best. Rates go to
any_metric_families.csv.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
from scipy import integrate, optimize, special, stats

from bakeoff.stats import (
    Status,
    adjust_pvalues,
    best_models,
    metric_ci,
    metric_difference,
)
from bakeoff.stats.metrics.family import compare_models
from benchmarks.harness import HERE, Row, fill, flagged, named

RATES = HERE / "any_metric.csv"
FAMILIES = HERE / "any_metric_families.csv"

DECISIONS = ("f1", "precision", "recall", "balanced_accuracy", "mcc", "kappa")
BENEFIT, RATE = "net_benefit@0.2", 0.2
METRICS = (
    *DECISIONS,
    *("roc_auc", "average_precision", "brier", "log_loss", "expected_cost"),
    *("npv", BENEFIT),
)
ON_CLASSES = (*DECISIONS, "expected_cost", "npv")
ON_PROBABILITIES = ("brier", "log_loss", BENEFIT)
OPTIONS = {"expected_cost": {"cost": [[0, 1], [10, 0]], "priors": [0.9, 0.1]}}
LEVEL = 0.05
SIZES, PREVALENCES, NULLS = (50, 200, 1000), (0.5, 0.1, 0.02), ("exchangeable", "weak")
CELL = ("metric", "null", "n", "prevalence")
SHARED = 0.6
"""Share of the variance of scores that both models have in common."""
SEPARATION, SPREAD, OVERCONFIDENCE = 1.6, 1.6, 1.5
COUNTS = ("answered", "rejected", "covered", "alone", "alone_covered")
SILENT = ("rejected_unflagged", "missed_unflagged", "alone_missed_unflagged")
"""Rejections and misses that no assumption warns of; known of cells near a bound."""
COVERED = ("covered", "alone", "alone but for silent misses")
"""The rates of `shares` that are coverage."""
ENOUGH = 0.2
"""A cell where less is answered says nothing of the answers."""
MARGIN, OF_BRIER = 0.02, 0.005
"""By how much a candidate is worse; Brier scores are small where a class is rare."""
SIGN = {"log_loss": 1, "brier": 1}
"""Losses grow where a candidate gets worse."""


@dataclasses.dataclass(frozen=True)
class Model:
    """One model: its scores are normal, mean μ and deviation σ for positive rows, 0 and 1 else."""

    mu: float
    sigma: float = 1.0
    threshold: float = 0.8
    sharpness: float = 1.0

    def predicted(self, metric: str, scores: np.ndarray, prevalence: float) -> np.ndarray:
        """Return classes, scores or probabilities, as the metric wants."""
        if metric in ON_CLASSES:
            return (scores > self.threshold).astype(int)
        if metric in ON_PROBABILITIES:
            logit = special.logit(prevalence) + self.mu * scores - self.mu**2 / 2
            return special.expit(np.clip(self.sharpness * logit, -15, 15))
        return scores


def population(metric: str, model: Model, prevalence: float) -> float:
    """Return the metric of a model on the population."""
    pi, norm = prevalence, stats.norm
    if metric in ON_CLASSES:
        tpr = norm.sf((model.threshold - model.mu) / model.sigma)
        fpr = norm.sf(model.threshold)
        table = np.array([[(1 - pi) * (1 - fpr), (1 - pi) * fpr], [pi * (1 - tpr), pi * tpr]])
        return _of_table(metric, table)
    if metric == "roc_auc":
        return float(norm.cdf(model.mu / math.sqrt(1 + model.sigma**2)))
    grid = np.linspace(-9, 12 + model.mu, 40_001)
    positive, negative = norm.pdf(grid, model.mu, model.sigma), norm.pdf(grid)
    if metric == "average_precision":
        tpr = norm.sf(grid, model.mu, model.sigma)
        precision = pi * tpr / (pi * tpr + (1 - pi) * norm.sf(grid) + 1e-300)
        return float(integrate.trapezoid(precision * positive, grid))
    p = model.predicted(metric, grid, pi)
    if metric == BENEFIT:
        # where the logit is that of the threshold: exact, for a grid would step over it
        least = special.logit(RATE) / model.sharpness - special.logit(pi) + model.mu**2 / 2
        shares = norm.sf(least / model.mu - np.array([model.mu, 0.0]))
        return float(pi * shares[0] - (1 - pi) * shares[1] * RATE / (1 - RATE))
    losses = ((1 - p) ** 2, p**2) if metric == "brier" else (-np.log(p), -np.log1p(-p))
    density = pi * positive * losses[0] + (1 - pi) * negative * losses[1]
    return float(integrate.trapezoid(density, grid))


def _of_table(metric: str, table: np.ndarray) -> float:
    (tn, fp), (fn, tp) = table
    true, said = fn + tp, fp + tp
    chance = true * said + (1 - true) * (1 - said)
    values: dict[str, Callable[[], float]] = {
        "f1": lambda: 2 * tp / (true + said),
        "precision": lambda: tp / said,
        "recall": lambda: tp / true,
        "balanced_accuracy": lambda: (tp / true + tn / (tn + fp)) / 2,
        "mcc": lambda: (tp * tn - fp * fn) / math.sqrt(true * (1 - true) * said * (1 - said)),
        "npv": lambda: tn / (tn + fn),
        "kappa": lambda: (tp + tn - chance) / (1 - chance),
        "expected_cost": lambda: 0.9 * fp / (tn + fp) + fn / true,
    }
    return float(values[metric]())


def models(metric: str, null: str, prevalence: float) -> tuple[Model, Model]:
    """Return two models whose metric is the same on the population."""
    threshold = balanced_threshold(prevalence, prevalence)
    a = Model(SEPARATION, threshold=threshold)
    if null == "exchangeable":
        return a, a
    wanted = population(metric, a, prevalence)

    def other(mu: float) -> Model:
        if metric in ON_CLASSES:
            # at a lower threshold no skill makes up for the precision
            return Model(mu, threshold=threshold + (0.4 if metric == "precision" else -0.4))
        if metric in ON_PROBABILITIES:
            return Model(mu, sharpness=OVERCONFIDENCE)
        return Model(mu, sigma=SPREAD)

    mu = optimize.brentq(lambda m: population(metric, other(m), prevalence) - wanted, 0.2, 7)
    return a, other(mu)


def balanced_threshold(prevalence: float, share: float) -> float:
    """Return the threshold at which a model calls a share of the rows positive."""

    def excess(t: float) -> float:
        norm = stats.norm
        return prevalence * norm.sf(t - SEPARATION) + (1 - prevalence) * norm.sf(t) - share

    return float(optimize.brentq(excess, -5, 8))


def margin(metric: str) -> float:
    """Return the margin of a metric."""
    return OF_BRIER if metric == "brier" else MARGIN


def worse_by_the_margin(metric: str, candidate: str, prevalence: float) -> tuple[Model, Model]:
    """Return a base, and a candidate that is worse by the margin on the population."""
    threshold = balanced_threshold(prevalence, prevalence)
    knobs = {
        "overconfident": {"sharpness": 3.0},
        "very": {"sharpness": 5.0},
        "both": {"sharpness": 3.0},
        "in groups": {"sharpness": 3.0} if metric == "log_loss" else {},
        "unlike": {"sigma": 1.6},
    }
    base = Model(SEPARATION, threshold=threshold)
    if candidate == "both":
        base = dataclasses.replace(base, **knobs["both"])
    wanted = population(metric, base, prevalence) + SIGN.get(metric, -1) * margin(metric)
    other = Model(SEPARATION, threshold=threshold, **knobs.get(candidate, {}))

    def gap(mu: float) -> float:
        return population(metric, dataclasses.replace(other, mu=mu), prevalence) - wanted

    return base, dataclasses.replace(other, mu=float(optimize.brentq(gap, 0.1, 9)))


def rates(metric: str, null: str, n: int, prevalence: float, replicates: int) -> dict[str, object]:
    """Simulate one cell."""
    both = models(metric, null, prevalence)
    truth = population(metric, both[0], prevalence)
    how = {"metric": metric, "labels": [0, 1], **OPTIONS.get(metric, {})}
    rng = np.random.default_rng(
        [METRICS.index(metric), NULLS.index(null), n, int(1e3 * prevalence)]
    )
    counts = dict.fromkeys((*COUNTS, *SILENT), 0)
    for _ in range(replicates):
        y = (rng.random(n) < prevalence).astype(int)
        common = rng.normal(size=n)
        said = []
        for model in both:
            noise = math.sqrt(SHARED) * common + math.sqrt(1 - SHARED) * rng.normal(size=n)
            scores = np.where(y == 1, model.mu + model.sigma * noise, noise)
            said.append(model.predicted(metric, scores, prevalence))
        if y.min() == y.max():
            continue
        found = metric_difference(y, *said, **how)
        if found.status in (Status.OK, Status.IDENTICAL_SCORES):
            rejected = found.pvalue < 0.05
            covered = found.ci is None or found.ci.low <= 0 <= found.ci.high
            counts["answered"] += 1
            counts["rejected"] += rejected
            counts["covered"] += covered
            counts["rejected_unflagged"] += rejected and not flagged(found)
            counts["missed_unflagged"] += not covered and not flagged(found)
        one = metric_ci(y, said[0], **how)
        if one.ci is not None:
            counts["alone"] += 1
            covered = one.ci.low <= truth <= one.ci.high
            counts["alone_covered"] += covered
            counts["alone_missed_unflagged"] += not covered and not flagged(one)
    facts = {**named(CELL, (metric, null, n, prevalence)), "replicates": replicates}
    return facts | {key: int(count) for key, count in counts.items()}


def shares(row: Mapping[str, str]) -> dict[str, float]:
    """Return the rates of one cell, and those of what no assumption warns of."""
    counts = {key: int(row[key]) for key in COUNTS}
    answered, alone = (max(1, counts[key]) for key in ("answered", "alone"))
    missed = counts["answered"] - counts["covered"]
    every = counts["rejected"], missed, counts["alone"] - counts["alone_covered"]
    # where it is not known of a cell what was warned of, nothing was
    silent = [int(row.get(key) or count) for key, count in zip(SILENT, every, strict=True)]
    return {
        "rejected": counts["rejected"] / answered,
        "covered": counts["covered"] / answered,
        "alone": counts["alone_covered"] / alone,
        "rejected silently": silent[0] / answered,
        "covered but for silent misses": 1 - silent[1] / answered,
        "alone but for silent misses": 1 - silent[2] / alone,
    }


def counted(rows: list[Row]) -> list[Row]:
    """Return the cells that are answered often enough to say something of the answers."""
    return [r for r in rows if int(r["answered"]) >= ENOUGH * int(r["replicates"])]


def span(values: list[float], decimals: int = 3) -> str:
    """Return the least and the largest of some values."""
    return f"{min(values):.{decimals}f}–{max(values):.{decimals}f}"


# Families ----------------------------------------------------------------------------------------

CORRECTIONS = ("max-t", "holm", "bonferroni")
SKILLS = ("equal", "rising")
RISE = 0.8
"""By how much the separation of the last model exceeds that of the first, where skill rises."""
OF_FAMILIES = ("metric", "models", "n", "prevalence", "skill")


def family(
    metric: str, count: int, n: int, prevalence: float, skill: str, replicates: int
) -> dict[str, object]:
    """Simulate one family."""
    model = models(metric, "exchangeable", prevalence)[0]
    rise = np.linspace(0, RISE, count) if skill == "rising" else np.zeros(count)
    seed = METRICS.index(metric), n, round(1e3 * prevalence), count, SKILLS.index(skill)
    rng = np.random.default_rng(seed)
    found = dict.fromkeys(CORRECTIONS, 0.0)
    answered = kept = members = 0
    for i in range(replicates):
        y = (rng.random(n) < prevalence).astype(int)
        common = rng.normal(size=(n, 1))
        noise = math.sqrt(SHARED) * common + math.sqrt(1 - SHARED) * rng.normal(size=(n, count))
        scores = noise + (SEPARATION + rise) * y[:, None]
        said = model.predicted(metric, scores, prevalence)
        pairs = compare_models(y, said, metric=metric, labels=[0, 1], n_resamples=1999, seed=i)
        if pairs.status is not Status.OK:
            continue
        answered += 1
        raw = np.array([pair.pvalue for pair in pairs.pairs])
        for correction in CORRECTIONS:
            adjusted = (
                np.array([pair.pvalue_adjusted for pair in pairs.pairs])
                if correction == "max-t"
                else adjust_pvalues(raw, correction)
            )
            rejected = adjusted <= LEVEL
            found[correction] += rejected.any() if skill == "equal" else rejected.mean()
        best = best_models(y, said, metric=metric, labels=[0, 1], n_resamples=1999, seed=i)
        kept += (count - 1 if skill == "rising" else 0) in best.members
        members += len(best.members)
    return {
        "replicates": replicates,
        "answered": answered,
        **{correction: round(float(total) / answered, 4) for correction, total in found.items()},
        "best_kept": round(kept / answered, 4),
        "members": round(members / answered, 2),
    }


def simulate(replicates: int) -> Iterator[object]:
    """Simulate what the files do not hold yet; studies of families take longer."""
    cells = itertools.product(METRICS, NULLS, SIZES, PREVALENCES)
    drawn = ((named(CELL, c), partial(rates, *c, replicates)) for c in cells)
    yield from fill(RATES, drawn, [*CELL, "replicates", *COUNTS, *SILENT])
    families = itertools.product(("f1", "roc_auc"), (5, 20), (200, 1000), (0.5, 0.1), SKILLS)
    every = {"test": "metric_difference"}
    yield from fill(
        FAMILIES,
        ((every | named(OF_FAMILIES, c), partial(family, *c, replicates // 2)) for c in families),
    )

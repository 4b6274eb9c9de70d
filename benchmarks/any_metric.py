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

*Subgroups*: A is better than B, by as much in every subgroup; how often does the interaction test
say that the difference differs? Two subgroups of one size or four that hold a half to a tenth of
the rows; rows are independent, or come in 40 groups that reach into all subgroups. Rates go to
any_metric_subgroups.csv.
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
    Result,
    Status,
    adjust_pvalues,
    best_models,
    mean_interaction,
    metric_ci,
    metric_difference,
    metric_interaction,
)
from bakeoff.stats.metrics.family import compare_models
from benchmarks.harness import HERE, Row, fill, flagged, named, read, write

RATES = HERE / "any_metric.csv"
FAMILIES = HERE / "any_metric_families.csv"
SUBGROUPS = HERE / "any_metric_subgroups.csv"

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
MOST_REJECTED, LEAST_COVERED = 0.06, 0.93
"""What a cell may have at most and at least where no assumption is said to fail."""
NEAR, MORE, AGAIN = 0.006, 3, 99
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


def rates(
    metric: str, null: str, n: int, prevalence: float, replicates: int, *again: int
) -> dict[str, object]:
    """Simulate one cell, from a seed with what is added to it for drawing it again."""
    both = models(metric, null, prevalence)
    truth = population(metric, both[0], prevalence)
    how = {"metric": metric, "labels": [0, 1], **OPTIONS.get(metric, {})}
    rng = np.random.default_rng(
        [METRICS.index(metric), NULLS.index(null), n, int(1e3 * prevalence), *again]
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


def on_one_test_set(replicates: int) -> Iterator[object]:
    """Simulate the cells that the file does not hold yet, then those near a bound again."""
    columns = [*CELL, "replicates", *COUNTS, *SILENT]
    cells = itertools.product(METRICS, NULLS, SIZES, PREVALENCES)
    drawn = ((named(CELL, c), partial(rates, *c, replicates)) for c in cells)
    yield from fill(RATES, drawn, columns)
    rows = read(RATES)
    for row in sorted(counted(rows), key=within_bounds):
        if within_bounds(row) < NEAR and int(row["replicates"]) < MORE * replicates:
            cell = row["metric"], row["null"], int(row["n"]), float(row["prevalence"])
            again = rates(*cell, MORE * replicates, AGAIN)
            row |= {key: str(value) for key, value in again.items()}
            write(RATES, rows, columns)
            yield cell


def within_bounds(row: Mapping[str, str]) -> float:
    """Return by how much a cell is within its bounds; negative beyond them."""
    found = shares(row)
    least = min(found["covered"], found["alone"])
    return min(MOST_REJECTED - found["rejected"], least - LEAST_COVERED)


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


def beyond(rows: list[Row], *, warned: bool) -> list[str]:
    """List the metrics with a cell beyond the bounds, and how far its worst one is."""
    silent = "rejected silently", "covered but for silent misses", "alone but for silent misses"
    keys = ("rejected", "covered", "alone") if warned else silent
    found = []
    for metric in METRICS:
        own = [shares(row) for row in counted(rows) if row["metric"] == metric]
        rejected = max(one[keys[0]] for one in own)
        covered = min(one[key] for one in own for key in keys[1:])
        said = [f"{rejected:.3f} rejected"] if round(rejected, 3) > MOST_REJECTED else []
        said += [f"{covered:.3f} covered"] if round(covered, 3) < LEAST_COVERED else []
        if said:
            found.append(f"{metric} ({' and '.join(said)})")
    return found


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


# Subgroups ---------------------------------------------------------------------------------------

IN_SUBGROUPS, ROWS = ("f1", "roc_auc", "log_loss", "mean"), (200, 1000)
PARTS = {"two of one size": (0.5, 0.5), "four, .1 to .5": (0.1, 0.15, 0.25, 0.5)}
RELATED = ("independent", "in 40 groups")
OF_SUBGROUPS = ("metric", "n", "parts", "rows")
GROUPS, WITHIN = 40, 0.3
"""Groups, and the share of a model's own variance that their rows have in common."""
PREVALENCE, WORSE = 0.4, 0.4
"""By how much the separation of B is less than that of A."""


def of_subgroups(metric: str, n: int, parts: str, rows: str, rng: np.random.Generator) -> Result:
    """Draw a study with the same difference in all subgroups and test the interaction."""
    shares = PARTS[parts]
    part = rng.choice(len(shares), n, p=shares)
    groups = None if rows == "independent" else np.arange(n) % GROUPS
    noise = [_own(n, groups, rng) for _ in range(2)]
    if metric == "mean":
        spread = np.array([1.0, 2.0, 1.0, 0.5])[part]
        return mean_interaction(spread * noise[0] + WORSE, spread * noise[1], part, groups=groups)
    y = (rng.random(n) < PREVALENCE).astype(int)
    common, said = rng.normal(size=n), []
    for own, mu in zip(noise, (SEPARATION, SEPARATION - WORSE), strict=True):
        scores = mu * y + math.sqrt(SHARED) * common + math.sqrt(1 - SHARED) * own
        said.append(Model(mu).predicted("brier" if metric == "log_loss" else metric, scores, 0.4))
    return metric_interaction(y, *said, part, metric=metric, labels=[0, 1], groups=groups)


def _own(n: int, groups: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Return normal noise of variance 1, in part that of the groups."""
    if groups is None:
        return rng.normal(size=n)
    shared = rng.normal(size=GROUPS)[groups]
    return math.sqrt(WITHIN) * shared + math.sqrt(1 - WITHIN) * rng.normal(size=n)


def subgroups(cell: tuple[str, int, str, str], replicates: int) -> dict[str, int]:
    """Simulate one cell."""
    metric, n, parts, rows = cell
    seed = IN_SUBGROUPS.index(metric), n, len(PARTS[parts]), RELATED.index(rows)
    rng = np.random.default_rng(seed)
    found = [of_subgroups(*cell, rng) for _ in range(replicates)]
    answered = [one for one in found if one.status is Status.OK]
    rejected = sum(one.pvalue <= LEVEL for one in answered)
    return {"replicates": replicates, "answered": len(answered), "rejected": int(rejected)}


def simulate(replicates: int) -> Iterator[object]:
    """Simulate what the files do not hold yet; studies of families and subgroups take longer."""
    yield from on_one_test_set(replicates)
    families = itertools.product(("f1", "roc_auc"), (5, 20), (200, 1000), (0.5, 0.1), SKILLS)
    every = {"test": "metric_difference"}
    yield from fill(
        FAMILIES,
        ((every | named(OF_FAMILIES, c), partial(family, *c, replicates // 2)) for c in families),
    )
    parts = itertools.product(IN_SUBGROUPS, ROWS, PARTS, RELATED)
    yield from fill(
        SUBGROUPS, ((named(OF_SUBGROUPS, c), partial(subgroups, c, replicates // 5)) for c in parts)
    )

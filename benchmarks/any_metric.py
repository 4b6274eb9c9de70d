"""Type I error and coverage by any metric on one test set: `python -m benchmarks.any_metric`.

Binormal scores of two models that share part of their noise, on n rows of which a share π is
positive. The null is exchangeable (both models alike) or weak (the same metric through other
errors: another threshold, another spread of scores, overconfident probabilities). Cells near a
bound are drawn again, three times as often. Rates go to any_metric.csv; `--page` writes their table
into docs/stats/any-metric.md.
"""

from __future__ import annotations

import csv
import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
from scipy import integrate, optimize, special, stats

from bakeoff.stats import (
    Result,
    Status,
    metric_ci,
    metric_difference,
)
from benchmarks import tables
from benchmarks.pages import renewed, study

HERE = Path(__file__).parent
RATES = HERE / "any_metric.csv"
PAGE = HERE.parent / "docs" / "stats" / "any-metric.md"

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
ENOUGH = 0.2
"""A cell where less is answered says nothing of the answers."""


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
    facts = {"metric": metric, "null": null, "n": n, "prevalence": prevalence}
    return {**facts, "replicates": replicates, **{k: int(v) for k, v in counts.items()}}


def flagged(result: Result) -> bool:
    """Whether a result says that one of its assumptions fails."""
    return any(assumption.holds is False for assumption in result.assumptions)


def near_a_bound(row: Mapping[str, str]) -> bool:
    """Whether the draws of a cell leave open on which side of a bound it is."""
    found = shares(row)
    least = min(found["covered"], found["alone"])
    return found["rejected"] > MOST_REJECTED - NEAR or least < LEAST_COVERED + NEAR


def simulate(replicates: int) -> None:
    """Simulate the cells that the file does not hold yet, then those near a bound again."""
    known = {tuple(row[k] for k in CELL): row for row in read_rates()}
    for cell in itertools.product(METRICS, NULLS, SIZES, PREVALENCES):
        key = tuple(map(str, cell))
        if key not in known:
            known[key] = _texts(rates(*cell, replicates))
            _write(known.values())
    near = [key for key, row in known.items() if counted([row]) and near_a_bound(row)]
    for metric, null, n, prevalence in sorted(near, key=lambda key: _distance(known[key])):
        key = metric, null, n, prevalence
        if int(known[key]["replicates"]) < MORE * replicates:
            found = rates(metric, null, int(n), float(prevalence), MORE * replicates, AGAIN)
            known[key] = _texts(found)
            _write(known.values())


def _distance(row: Mapping[str, str]) -> float:
    """Return by how much a cell is within its bounds; negative beyond them."""
    found = shares(row)
    least = min(found["covered"], found["alone"])
    return min(MOST_REJECTED - found["rejected"], least - LEAST_COVERED)


def _texts(row: Mapping[str, object]) -> dict[str, str]:
    return {key: str(value) for key, value in row.items()}


def _write(rows: Iterable[Mapping[str, str]]) -> None:
    partial = RATES.with_suffix(".partial")
    tables.write(partial, rows, [*CELL, "replicates", *COUNTS, *SILENT])
    partial.replace(RATES)


def read_rates() -> list[dict[str, str]]:
    """Return the cells simulated so far."""
    if not RATES.exists():
        return []
    with RATES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def shares(row: Mapping[str, str]) -> dict[str, float]:
    """Return the rates of one cell, and those of what no assumption warns of."""
    counts = {key: int(row[key]) for key in COUNTS}
    answered, alone = (max(1, counts[key]) for key in ("answered", "alone"))
    missed, alone_missed = (
        counts["answered"] - counts["covered"],
        counts["alone"] - counts["alone_covered"],
    )
    # where it is not known of a cell what was warned of, nothing was
    silent = [
        int(row.get(key) or every)
        for key, every in zip(SILENT, (counts["rejected"], missed, alone_missed), strict=True)
    ]
    return {
        "rejected": counts["rejected"] / answered,
        "covered": counts["covered"] / answered,
        "alone": counts["alone_covered"] / alone,
        "rejected silently": silent[0] / answered,
        "covered but for silent misses": 1 - silent[1] / answered,
        "alone but for silent misses": 1 - silent[2] / alone,
    }


def counted(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the cells that are answered often enough to say something of the answers."""
    return [r for r in rows if int(r["answered"]) >= ENOUGH * int(r["replicates"])]


def table(rows: list[dict[str, str]]) -> str:
    """Return the table of the page: for each metric the worst and the mean over the cells."""
    lines = [
        "| metric | null | rejected at 5 %: worst cell | without a warning | mean | interval of "
        "the difference covers | of one model | worst cell but for misses with a warning | "
        "answered where 5 or more rows of a class are expected |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for metric, null in itertools.product(METRICS, NULLS):
        own = [r for r in rows if (r["metric"], r["null"]) == (metric, null)]
        found = [shares(row) for row in counted(own)]
        by = {key: [one[key] for one in found] for key in found[0]}
        silent = min(*by["covered but for silent misses"], *by["alone but for silent misses"])
        expected = [r for r in own if float(r["prevalence"]) * int(r["n"]) >= 5]
        answered = [int(r["answered"]) / int(r["replicates"]) for r in expected]
        lines.append(
            f"| {metric} | {null} | {max(by['rejected']):.3f} | "
            f"{max(by['rejected silently']):.3f} | {np.mean(by['rejected']):.3f} | "
            f"{min(by['covered']):.3f}–{max(by['covered']):.3f} | "
            f"{min(by['alone']):.3f}–{max(by['alone']):.3f} | {silent:.3f} | "
            f"{min(answered):.2f}–{max(answered):.2f} |"
        )
    least, most = (f(int(r["replicates"]) for r in rows) for f in (min, max))
    drawn = f"{least:,} studies a cell, up to {most:,} anew near a bound."
    return "\n".join(lines) + f"\n\n{drawn} {_worst(rows)}\n"


def _worst(rows: list[dict[str, str]]) -> str:
    """Say which metrics reject too often or cover too little somewhere, and where unwarned."""
    loud, silent = beyond(rows, warned=True), beyond(rows, warned=False)
    return (
        f"More than {MOST_REJECTED:.0%} rejected or less than {LEAST_COVERED:.0%} covered in some "
        f"cell: {', '.join(loud) or 'none'}; without a warning: {', '.join(silent) or 'none'}."
    )


def beyond(rows: list[dict[str, str]], *, warned: bool) -> list[str]:
    """List the metrics with a cell beyond the bounds, and how far its worst one is."""
    keys = ("rejected", "covered", "alone") if warned else _SILENT
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


_SILENT = ("rejected silently", "covered but for silent misses", "alone but for silent misses")


def page() -> str:
    """Return the page with the table of today's results."""
    return renewed(PAGE, "rates", table(read_rates()))


if __name__ == "__main__":
    study(__doc__, 1000, simulate, PAGE, page)

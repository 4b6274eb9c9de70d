"""Type I error and coverage by any metric on one test set: `python -m benchmarks.any_metric`.

Binormal scores of two models that share part of their noise, on n rows of which a share π is
positive. The null is exchangeable (both models alike) or weak (the same metric through other
errors: another threshold, another spread of scores, overconfident probabilities). Rates go to
any_metric.csv; `--page` writes their table into docs/stats/any-metric.md.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import itertools
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import integrate, optimize, special, stats

from bakeoff.stats import Status, metric_ci, metric_difference
from benchmarks.pages import renewed

HERE = Path(__file__).parent
RATES = HERE / "any_metric.csv"
PAGE = HERE.parent / "docs" / "stats" / "any-metric.md"

DECISIONS = ("f1", "precision", "recall", "balanced_accuracy", "mcc", "kappa")
METRICS = (*DECISIONS, "roc_auc", "average_precision", "brier", "log_loss", "expected_cost")
ON_CLASSES = (*DECISIONS, "expected_cost")
OPTIONS = {"expected_cost": {"cost": [[0, 1], [10, 0]], "priors": [0.9, 0.1]}}
SIZES, PREVALENCES, NULLS = (50, 200, 1000), (0.5, 0.1, 0.02), ("exchangeable", "weak")
CELL = ("metric", "null", "n", "prevalence")
SHARED = 0.6
"""Share of the variance of scores that both models have in common."""
SEPARATION, SPREAD, OVERCONFIDENCE = 1.6, 1.6, 1.5


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
        if metric in ("brier", "log_loss"):
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
        "kappa": lambda: (tp + tn - chance) / (1 - chance),
        "expected_cost": lambda: 0.9 * fp / (tn + fp) + fn / true,
    }
    return float(values[metric]())


def models(metric: str, null: str, prevalence: float) -> tuple[Model, Model]:
    """Return two models whose metric is the same on the population."""
    threshold = _threshold(prevalence, prevalence)
    a = Model(SEPARATION, threshold=threshold)
    if null == "exchangeable":
        return a, a
    wanted = population(metric, a, prevalence)

    def other(mu: float) -> Model:
        if metric in ON_CLASSES:
            # at a lower threshold no skill makes up for the precision
            return Model(mu, threshold=threshold + (0.4 if metric == "precision" else -0.4))
        if metric in ("brier", "log_loss"):
            return Model(mu, sharpness=OVERCONFIDENCE)
        return Model(mu, sigma=SPREAD)

    mu = optimize.brentq(lambda m: population(metric, other(m), prevalence) - wanted, 0.2, 7)
    return a, other(mu)


def _threshold(prevalence: float, share: float) -> float:
    """Return the threshold at which a model calls a share of the rows positive."""

    def excess(t: float) -> float:
        norm = stats.norm
        return prevalence * norm.sf(t - SEPARATION) + (1 - prevalence) * norm.sf(t) - share

    return float(optimize.brentq(excess, -5, 8))


def rates(metric: str, null: str, n: int, prevalence: float, replicates: int) -> dict[str, object]:
    """Simulate one cell."""
    both = models(metric, null, prevalence)
    truth = population(metric, both[0], prevalence)
    how = {"metric": metric, "labels": [0, 1], **OPTIONS.get(metric, {})}
    rng = np.random.default_rng(
        [METRICS.index(metric), NULLS.index(null), n, int(1e3 * prevalence)]
    )
    counts = dict.fromkeys(("answered", "rejected", "covered", "alone", "alone_covered"), 0)
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
            counts["answered"] += 1
            counts["rejected"] += found.pvalue < 0.05
            counts["covered"] += found.ci is None or found.ci.low <= 0 <= found.ci.high
        one = metric_ci(y, said[0], **how)
        if one.ci is not None:
            counts["alone"] += 1
            counts["alone_covered"] += one.ci.low <= truth <= one.ci.high
    facts = {"metric": metric, "null": null, "n": n, "prevalence": prevalence}
    return {**facts, "replicates": replicates, **{k: int(v) for k, v in counts.items()}}


def simulate(replicates: int) -> None:
    """Simulate the cells that the file does not hold yet."""
    known = {tuple(row[k] for k in CELL) for row in read_rates()}
    with RATES.open("a", encoding="utf-8", newline="") as file:
        for cell in itertools.product(METRICS, NULLS, SIZES, PREVALENCES):
            if tuple(map(str, cell)) in known:
                continue
            row = rates(*cell, replicates)
            writer = csv.DictWriter(file, list(row), lineterminator="\n")
            if not file.tell():
                writer.writeheader()
            writer.writerow(row)
            file.flush()
            print(row, flush=True)


def read_rates() -> list[dict[str, str]]:
    """Return the cells simulated so far."""
    if not RATES.exists():
        return []
    with RATES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(rows: list[dict[str, str]]) -> str:
    """Return the table of the page: for each metric the worst and the mean over the cells."""
    lines = [
        "| metric | null | rejected at 5 %: worst cell | mean | interval of the difference covers "
        "| of one model | answered where 5 or more rows of a class are expected |",
        "|---|---|---|---|---|---|---|",
    ]
    for metric, null in itertools.product(METRICS, NULLS):
        own = [r for r in rows if (r["metric"], r["null"]) == (metric, null)]
        # a cell that is hardly ever answered says nothing of the answers
        said = [r for r in own if int(r["answered"]) >= 0.2 * int(r["replicates"])]
        rejected = [int(r["rejected"]) / int(r["answered"]) for r in said]
        covered = [int(r["covered"]) / int(r["answered"]) for r in said]
        alone = [int(r["alone_covered"]) / int(r["alone"]) for r in said]
        expected = [r for r in own if float(r["prevalence"]) * int(r["n"]) >= 5]
        share = [int(r["answered"]) / int(r["replicates"]) for r in expected]
        lines.append(
            f"| {metric} | {null} | {max(rejected):.3f} | {np.mean(rejected):.3f} | "
            f"{min(covered):.3f}–{max(covered):.3f} | {min(alone):.3f}–{max(alone):.3f} | "
            f"{min(share):.2f}–{max(share):.2f} |"
        )
    return "\n".join(lines) + f"\n\n{_above(rows)}\n"


def _above(rows: list[dict[str, str]]) -> str:
    """Say which metrics reject more than 6 % of true nulls somewhere."""
    worst: dict[str, float] = {}
    for r in rows:
        if int(r["answered"]) >= 0.2 * int(r["replicates"]):
            rate = int(r["rejected"]) / int(r["answered"])
            worst[r["metric"]] = max(rate, worst.get(r["metric"], 0))
    found = [f"{metric} ({rate:.3f})" for metric, rate in worst.items() if rate > 0.06]
    return f"Above 6 % in some cell: {', '.join(found) or 'none'}."


def page() -> str:
    """Return the page with the table of today's results."""
    return renewed(PAGE, "rates", table(read_rates()))


def main() -> None:
    """Simulate, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--page", action="store_true", help="only write the page's table")
    arguments = parser.parse_args()
    if not arguments.page:
        simulate(arguments.replicates)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

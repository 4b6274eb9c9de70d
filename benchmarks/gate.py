"""Wrong decisions of the gate: `python -m benchmarks gate`.

The candidate is worse by exactly the margin: to ship it and to block it are both wrong, and both as
likely as a wrong decision can be.

*By accuracy*: two models on n rows, independent or in groups (each group has a normal effect on the
difference of the models), with two of the discordances that occur. *By other metrics*: binormal
scores with expected positive rows as given; the candidate has less *skill*, is *overconfident* or
*very* much so (its logits are 3 or 5 times too large), or *both* are; *unlike*: its scores have
another spread; *in groups*: an overconfident one (of areas: one of less skill), in groups of 20
rows that share half of the noise. Numbers per row are log-normal losses. Predicted numbers are off
by normal numbers, those of the candidate by half as much again, from a truth with normal, t (3 df)
or log-normal noise; the margin is what that costs, or *in percent* of what the base scores on the
test set.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import special

from bakeoff.stats import Limits, accuracy_limits, influence, mean_limits, metric_limits
from benchmarks import regression
from benchmarks.any_metric import MARGIN, margin, worse_by_the_margin
from benchmarks.best_models import GROUP, SHARED, shared_noise
from benchmarks.harness import HERE, Cell, fill, named

RATES = HERE / "gate.csv"
ALPHA = 0.05
GROUP_SIZE, GROUP_SPREAD = 20, 0.6

SIZES = ((10, 200), (20, 40), (20, 400), (40, 400), (50, 1000), (120, 400), (200, 4000))
"""Expected positive rows, and rows."""
METRICS = {
    "log_loss": ("skill", "overconfident", "very", "both", "in groups"),
    "brier": ("skill", "overconfident"),
    "roc_auc": ("skill", "unlike", "in groups"),
    "average_precision": ("skill", "unlike"),
    "f1": ("skill",),
}
CELL = ("metric", "candidate", "positives", "n")
Decision = tuple[Limits, float]


def of_accuracy(rows: str, psi: float, n: int, replicates: int) -> Iterator[Decision]:
    """Decide by accuracy on independent rows, or in groups of 20 with an effect each."""
    rng = np.random.default_rng([15, n, round(100 * psi), len(rows)])
    groups = None if rows == "independent" else np.arange(n) // GROUP_SIZE
    # the share of wins in a group is Φ(m + sZ), whose mean over groups is Φ(m/√(1 + s²))
    spread = 0.0 if groups is None else GROUP_SPREAD
    centre = special.ndtri((psi - MARGIN) / (2 * psi)) * math.sqrt(1 + spread**2)
    for _ in range(10 * replicates):
        lean = special.ndtr(centre + spread * rng.normal(size=n // GROUP_SIZE))
        discordant, won = rng.random(n) < psi, rng.random(n) < np.repeat(lean, GROUP_SIZE)
        limits = accuracy_limits(discordant & won, discordant & ~won, groups=groups, alpha=ALPHA)
        yield limits, MARGIN


def decisions(metric: str, candidate: str, m: int, n: int, replicates: int) -> Iterator[Decision]:
    """Draw test sets and decide on each."""
    prevalence = m / n
    both = worse_by_the_margin(metric, candidate, prevalence)
    rng = np.random.default_rng([sum(map(ord, metric + candidate)), m, n])
    groups = np.arange(n) // GROUP if candidate == "in groups" else None
    for _ in range(replicates):
        y = (rng.random(n) < prevalence).astype(int)
        noise = math.sqrt(SHARED) * shared_noise(rng, n, 1, groups)
        noise = noise + math.sqrt(1 - SHARED) * shared_noise(rng, n, 2, groups)
        said = [
            model.predicted(metric, np.where(y == 1, model.mu + model.sigma * z, z), prevalence)
            for model, z in zip(both, noise.T, strict=True)
        ]
        if y.min() < y.max():
            how = {"metric": metric, "labels": [0, 1], "groups": groups, "alpha": ALPHA}
            yield metric_limits(y, said[1], said[0], **how), margin(metric)


def of_values(shape: float, n: int, replicates: int) -> Iterator[Decision]:
    """Draw log-normal losses with the means 1 (base, narrow) and 1 + margin."""
    rng = np.random.default_rng([round(1e3 * shape), n])
    for _ in range(replicates):
        common, own = rng.normal(size=(n, 1)), rng.normal(size=(n, 2))
        z = math.sqrt(SHARED) * common + math.sqrt(1 - SHARED) * own
        base = np.exp(0.5 * z[:, 0] - 0.125)
        candidate = (1 + MARGIN) * np.exp(shape * z[:, 1] - shape**2 / 2)
        yield mean_limits(candidate, base, greater_is_better=False, alpha=ALPHA), MARGIN


def of_numbers(
    metric: str, kind: str, relative: bool, n: int, replicates: int
) -> Iterator[Decision]:
    """Draw predicted numbers of a base and a candidate that is off by half as much again."""
    off = regression.SPREAD, regression.WORSE * regression.SPREAD
    base, candidate = (regression.true_value(metric, kind, spread) for spread in off)
    worse = abs(candidate - base)
    rng = np.random.default_rng([sum(map(ord, metric + kind)), relative, n])
    for _ in range(replicates):
        f, *z = rng.normal(size=(3, n))
        y = f + regression.noise(kind, (n,), rng)
        said = [f + spread * one for spread, one in zip(off, z, strict=True)]
        shown = influence(y, said[0], metric=metric).value / base if relative else 1.0
        yield metric_limits(y, said[1], said[0], metric=metric, alpha=ALPHA), worse * shown


def rates(found: Iterator[Decision]) -> dict[str, object]:
    """Count wrong decisions, in all and without a warning."""
    counts = dict.fromkeys(("decisions", "limits", "ship", "block", "ship_silent"), 0)
    for limits, worse in found:
        counts["decisions"] += 1
        counts["limits"] += not math.isnan(limits.low)
        ship = limits.low > -worse
        counts["ship"] += ship
        counts["block"] += limits.high < -worse
        counts["ship_silent"] += ship and not limits.warnings
    total = counts["decisions"]
    return {"decisions": total} | {
        key: round(count / total, 4) for key, count in counts.items() if key != "decisions"
    }


def cells(replicates: int) -> Iterator[Cell]:
    """List what is simulated."""

    def cell(*facts: object, drawn: Callable[..., Iterator[Decision]], of: tuple[Any, ...]) -> Cell:
        return named(CELL, facts), lambda: rates(drawn(*of, replicates))

    designs = itertools.product(("independent", "groups of 20"), (0.05, 0.2), (500, 2000))
    for rows, psi, n in designs:
        facts = "accuracy", f"{rows}, discordance {psi:g}", "", n
        yield cell(*facts, drawn=of_accuracy, of=(rows, psi, n))
    for metric, candidates in METRICS.items():
        for candidate, (m, n) in itertools.product(candidates, SIZES):
            facts = metric, candidate, m, n
            yield cell(*facts, drawn=decisions, of=facts)
    for shape, n in itertools.product((1.0, 1.5, 2.0), (50, 200, 1000)):
        yield cell("value", f"log-normal {shape:g}", "", n, drawn=of_values, of=(shape, n))
    kinds = [("rmse", False), ("mae", False), ("r2", False), ("rmse", True)]
    noises = ("normal", "t3", "lognormal")
    for (metric, relative), kind, n in itertools.product(kinds, noises, (20, 50, 200, 1000)):
        candidate = f"{kind} noise{', in percent' * relative}"
        yield cell(metric, candidate, "", n, drawn=of_numbers, of=(metric, kind, relative, n))


def simulate(replicates: int) -> Iterator[object]:
    """Simulate what the file does not hold yet."""
    yield from fill(RATES, cells(replicates))

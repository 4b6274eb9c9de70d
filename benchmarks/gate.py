"""Wrong decisions of the gate: `python -m benchmarks.gate`.

The candidate is worse by exactly the margin: to ship it and to block it are both wrong, and both as
likely as a wrong decision can be.

*By accuracy*: two models on n rows, independent or in groups (each group has a normal effect on the
difference of the models), with two of the discordances that occur. Rates go to gate.csv.

*By other metrics*: binormal scores with expected positive rows as given; the candidate has
less *skill*, is *overconfident* or *very* much so (its logits are 3 or 5 times too large), or
*both* are; *unlike*: its scores have another spread; *in groups*: an overconfident one (of areas:
one of less skill), in groups of 20 rows that share half of the noise. *Trained*: real learners,
whose difference on 40,000 rows is the margin. Numbers per row are log-normal losses. Predicted
numbers are off by normal numbers, those of the candidate by half as much again, from a truth with
normal, t (3 df) or log-normal noise; the margin is what that costs, or *in percent* of what the
base scores on the test set. Rates go to gate_metrics.csv, and the tables of both into docs/gate.md.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import special

from bakeoff.stats import Limits, influence, mean_limits, metric_limits
from bakeoff.stats.core.two_by_two import _melded_cdf, _melded_lower, tango_statistic
from bakeoff.stats.design.clusters import Clusters, design_effect, moments
from benchmarks import regression
from benchmarks.any_metric import MARGIN, OF_BRIER, SIGN, margin, span, worse_by_the_margin
from benchmarks.best_models import GROUP, SHARED, learned, shared_noise
from benchmarks.harness import HERE, Cell, Row, fill, markdown, named, read, study, write

BY_ACCURACY, BY_METRICS = HERE / "gate.csv", HERE / "gate_metrics.csv"
ALPHA = 0.05
DECISIONS = 100_000
GROUP_SIZE, GROUP_SPREAD = 20, 0.6


def ships(wins: int, losses: int, n: int, level: float) -> bool:
    """Tell what `decide_release` says of melded limits, by one probability instead of a limit."""
    if wins == 0 or losses == n:
        return _melded_lower(wins, losses, n, level) > -MARGIN
    m = wins + losses
    if special.betainc(wins, losses + 1, 0.5) <= level:  # the lower limit is above 0
        return True
    return _melded_cdf(-MARGIN, wins, losses, m + 1, n - m) < level


def blocks(wins: int, losses: int, n: int, level: float) -> bool:
    """Tell whether the upper limit is below −margin."""
    if losses == 0 or wins == n:
        return -_melded_lower(losses, wins, n, level) < -MARGIN
    m = wins + losses
    if special.betainc(losses, wins + 1, 0.5) > level:  # the upper limit is above 0
        return False
    return _melded_cdf(MARGIN, losses, wins, m, n - m + 1) < level


def decisions_on_rows(n: int, psi: float, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Return for every n_d the fewest wins that ship and the most that block."""
    spread = 5 * np.sqrt(n * psi * (1 - psi)) + 5
    first, last = max(0, int(n * psi - spread)), min(n, int(n * psi + spread))
    ship, block = np.full(n + 1, n + 1), np.full(n + 1, -1)
    fewest, most = 0, -1
    for n_d in range(first, last + 1):
        # one more discordant row moves either count by one at most
        while fewest <= n_d and not ships(fewest, n_d - fewest, n, alpha):
            fewest += 1
        while most < n_d and blocks(most + 1, n_d - most - 1, n, alpha):
            most += 1
        ship[n_d], block[n_d] = fewest, most
    return ship, block


def on_rows(n: int, psi: float, rng: np.random.Generator) -> tuple[float, float]:
    """Return the rates of a false ship and of a false block on independent rows."""
    ship, block = decisions_on_rows(n, psi, ALPHA)
    n_d = rng.binomial(n, psi, DECISIONS)
    wins = rng.binomial(n_d, (psi - MARGIN) / (2 * psi))
    return float((wins >= ship[n_d]).mean()), float((wins <= block[n_d]).mean())


def grouped(n: int, psi: float, rng: np.random.Generator) -> tuple[float, float]:
    """Return the rates of a false ship and of a false block on rows in groups."""
    k = n // GROUP_SIZE
    # the share of wins in a group is Φ(m + sZ), whose mean over groups is Φ(m/√(1 + s²))
    centre = special.ndtri((psi - MARGIN) / (2 * psi)) * np.sqrt(1 + GROUP_SPREAD**2)
    lean = special.ndtr(centre + GROUP_SPREAD * rng.standard_normal((k, DECISIONS)))
    discordant = rng.binomial(GROUP_SIZE, psi, (k, DECISIONS))
    found = decisions_on_groups(rng.binomial(discordant, lean), discordant, ALPHA).mean(axis=0)
    return float(found[0]), float(found[1])


def decisions_on_groups(wins: np.ndarray, discordant: np.ndarray, level: float) -> np.ndarray:
    """Return what `decide_release` says of many test sets at once, from counts of shape (K, P)."""
    k = len(wins)
    clusters = Clusters(np.repeat(np.arange(k), GROUP_SIZE), np.full(k, float(GROUP_SIZE)))
    found = moments((2 * wins - discordant).astype(float), discordant.sum(axis=0), clusters)
    informative = np.count_nonzero(discordant, axis=0)
    scale = found.between + (GROUP_SIZE - 1) * found.within
    icc = np.maximum(found.between - found.within, 0) / np.where(scale > 0, scale, 1)
    effect = design_effect(found, informative, clusters)
    effect = np.maximum(effect, 1 + (GROUP_SIZE - 1) * icc)
    b, n_d = wins.sum(axis=0), discordant.sum(axis=0)
    z = tango_statistic(b, n_d - b, clusters.n, -MARGIN) / np.sqrt(effect)
    critical = -special.stdtrit(k - 1, level)
    return np.column_stack([z > critical, z < -critical])


def by_accuracy() -> Iterator[dict[str, object]]:
    """Compute the rates of wrong decisions by accuracy."""
    for i, (n, psi) in enumerate(itertools.product((500, 2000), (0.05, 0.2))):
        rng = np.random.default_rng([15, i])
        for rows, rated in (("independent", on_rows), ("groups of 20", grouped)):
            ship, block = rated(n, psi, rng)
            facts = {"rows": rows, "n": n, "discordance": psi}
            yield facts | {"false_ship": ship, "false_block": block}


# By other metrics ------------------------------------------------------------------------------

SIZES = ((10, 200), (20, 40), (20, 400), (40, 400), (50, 1000), (120, 400), (200, 4000))
"""Expected positive rows, and rows."""
METRICS = {
    "log_loss": ("skill", "overconfident", "very", "both", "in groups"),
    "brier": ("skill", "overconfident"),
    "roc_auc": ("skill", "unlike", "in groups"),
    "average_precision": ("skill", "unlike"),
    "f1": ("skill",),
}
PAIRS = ((0, 1), (0, 2), (4, 2), (3, 5), (9, 6))
"""Learners that are compared; the worse one of each is the candidate."""
CELL = ("metric", "candidate", "positives", "n")
Decision = tuple[Limits, float]


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


def of_learners(metric: str, a: int, b: int, n: int, replicates: int) -> Iterator[Decision]:
    """Draw test sets of a large one that two real learners have predicted."""
    y, p = learned()
    if metric == "f1":
        p = (p > 0.3).astype(int)
    worth = {k: SIGN.get(metric, -1) * influence(y, p[:, k], metric=metric).value for k in (a, b)}
    base, candidate = sorted(worth, key=lambda k: worth[k])
    rng = np.random.default_rng([sum(map(ord, metric)), a, b, n])
    for _ in range(replicates):
        rows = rng.choice(len(y), n, replace=False)
        how = {"metric": metric, "labels": [0, 1], "alpha": ALPHA}
        found = metric_limits(y[rows], p[rows, candidate], p[rows, base], **how)
        yield found, worth[candidate] - worth[base]


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

    for metric, candidates in METRICS.items():
        for candidate, (m, n) in itertools.product(candidates, SIZES):
            facts = metric, candidate, m, n
            yield cell(*facts, drawn=decisions, of=facts)
    learners = itertools.product(("log_loss", "brier", "roc_auc", "f1"), PAIRS, (400, 1200))
    for metric, (a, b), n in learners:
        facts = metric, f"trained {a}, {b}", n // 10, n
        yield cell(*facts, drawn=of_learners, of=(metric, a, b, n))
    for shape, n in itertools.product((1.0, 1.5, 2.0), (50, 200, 1000)):
        yield cell("value", f"log-normal {shape:g}", "", n, drawn=of_values, of=(shape, n))
    kinds = [("rmse", False), ("mae", False), ("r2", False), ("rmse", True)]
    noises = ("normal", "t3", "lognormal")
    for (metric, relative), kind, n in itertools.product(kinds, noises, (20, 50, 200, 1000)):
        candidate = f"{kind} noise{', in percent' * relative}"
        yield cell(metric, candidate, "", n, drawn=of_numbers, of=(metric, kind, relative, n))


def table_by_accuracy() -> str:
    """Return the table of the rates by accuracy."""
    lines = []
    for r in read(BY_ACCURACY):
        rates = (f"{float(r[key]):.4f}" for key in ("false_ship", "false_block"))
        lines.append((r["rows"], f"{int(r['n']):,}", f"{float(r['discordance']):.2f}", *rates))
    return markdown(("rows", "n", "discordance", "false ship", "false block"), lines, 1)


def table_by_metrics() -> str:
    """Return the table of the rates by other metrics."""
    rows, lines = read(BY_METRICS), []
    for metric, kind in dict.fromkeys((row["metric"], _kind(row)) for row in rows):
        own = [row for row in rows if (row["metric"], _kind(row)) == (metric, kind)]
        worst = max(own, key=lambda row: float(row["ship"]))
        where = ", ".join(filter(None, (worst["positives"], worst["n"])))
        given = span([float(row["limits"]) for row in own], 2)
        highest = (max(float(row[key]) for row in own) for key in ("ship", "ship_silent", "block"))
        lines.append((metric, kind, where, given, *(f"{rate:.3f}" for rate in highest)))
    heads = ("metric", "candidate", "positive rows, rows", "limits given")
    heads += ("false ship: worst cell", "without a warning", "false block: worst cell")
    least = min(int(row["decisions"]) for row in rows)
    return (
        f"{markdown(heads, lines)}\n\n{least:,} decisions a cell or more at the level "
        f"{ALPHA:g}, with margins of {MARGIN:g} ({OF_BRIER:g} of Brier scores; of predicted "
        "numbers, 12 % of the base's RMSE and what this is by other metrics); a rate of .05 has a "
        f"standard error of {math.sqrt(0.0475 / least):.3f} at most, and the worst of several "
        "cells is biased "
        "upwards. The rows are those of the worst cell. Where there are no limits nothing is "
        "decided, which counts as no wrong decision."
    )


def _kind(row: Row) -> str:
    """Take all trained pairs together."""
    return "trained" if row["candidate"].startswith("trained") else row["candidate"]


def simulate(replicates: int) -> None:
    """Simulate what the files do not hold yet."""
    if not BY_ACCURACY.exists():
        write(BY_ACCURACY, by_accuracy())
    fill(BY_METRICS, cells(replicates))


PAGES = {"gate.md": {"rates": table_by_accuracy, "metrics": table_by_metrics}}

if __name__ == "__main__":
    study(__doc__, 1000, simulate, PAGES)

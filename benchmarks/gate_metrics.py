"""Wrong decisions of the gate by metrics other than accuracy: `python -m benchmarks.gate_metrics`.

The candidate is worse by exactly the margin, so that to ship it and to block it are both wrong and
as likely as they can be. Binormal scores with expected positive rows as given; the candidate has
less *skill*, is *overconfident* or *very* much so (its logits are 3 or 5 times too large), or
*both* are; *unlike*: its scores have another spread; *in groups*: an overconfident one (of areas:
one of less skill), in groups of 20 rows that share half of the noise. *Trained*: real learners,
whose difference on 40,000 rows is the margin. Numbers per row are log-normal losses. Predicted
numbers are off by normal numbers, those of the candidate by half as much again, from a truth with
normal, t (3 df) or log-normal noise; the margin is what that costs, or *in percent* of what the
base scores on the test set. Rates go to gate_metrics.csv; `--page` writes their table into
docs/gate.md.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from bakeoff.stats import Limits, influence, mean_limits, metric_limits
from benchmarks import regression, tables
from benchmarks.best_models import GROUP, SHARED, learned, shared_noise
from benchmarks.margins import MARGIN, OF_BRIER, SIGN, margin, pair
from benchmarks.pages import renewed, study

HERE = Path(__file__).parent
RATES = HERE / "gate_metrics.csv"
PAGE = HERE.parent / "docs" / "gate.md"
ALPHA = 0.05
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
    both = pair(metric, candidate, prevalence)
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


def cells(replicates: int) -> Iterator[tuple[tuple[object, ...], Callable[[], Iterator[Decision]]]]:
    """List what is simulated."""
    for metric, candidates in METRICS.items():
        for candidate, (m, n) in itertools.product(candidates, SIZES):
            cell = metric, candidate, m, n
            yield cell, partial(decisions, *cell, replicates)
    learners = itertools.product(("log_loss", "brier", "roc_auc", "f1"), PAIRS, (400, 1200))
    for metric, (a, b), n in learners:
        yield (
            (metric, f"trained {a}, {b}", n // 10, n),
            partial(of_learners, metric, a, b, n, replicates),
        )
    for shape, n in itertools.product((1.0, 1.5, 2.0), (50, 200, 1000)):
        yield ("value", f"log-normal {shape:g}", "", n), partial(of_values, shape, n, replicates)
    kinds = [("rmse", False), ("mae", False), ("r2", False), ("rmse", True)]
    noises = ("normal", "t3", "lognormal")
    for (metric, relative), kind, n in itertools.product(kinds, noises, (20, 50, 200, 1000)):
        candidate = f"{kind} noise{', in percent' * relative}"
        yield (metric, candidate, "", n), partial(of_numbers, metric, kind, relative, n, replicates)


def simulate(replicates: int) -> None:
    """Simulate the cells that the file does not hold yet."""
    known = _read() if RATES.exists() else []
    done = {tuple(row[key] for key in CELL) for row in known}
    for cell, drawn in cells(replicates):
        if tuple(map(str, cell)) not in done:
            facts = dict(zip(CELL, cell, strict=True)) | rates(drawn())
            known.append({key: str(value) for key, value in facts.items()})
            tables.write(RATES, known)


def _read() -> list[dict[str, str]]:
    with RATES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def page() -> str:
    """Return the page with the table of today's results."""
    rows = _read()
    lines = [
        "| metric | candidate | positive rows, rows | limits given | false ship: worst "
        "cell | without a warning | false block: worst cell |",
        "|---|---|---|---|---|---|---|",
    ]
    for metric, kind in dict.fromkeys((row["metric"], _kind(row)) for row in rows):
        own = [row for row in rows if (row["metric"], _kind(row)) == (metric, kind)]
        worst = max(own, key=lambda row: float(row["ship"]))
        given = [float(row["limits"]) for row in own]
        cells = (
            metric,
            kind,
            ", ".join(filter(None, (worst["positives"], worst["n"]))),
            f"{min(given):.2f}–{max(given):.2f}",
            f"{float(worst['ship']):.3f}",
            f"{max(float(row['ship_silent']) for row in own):.3f}",
            f"{max(float(row['block']) for row in own):.3f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    counts = sorted(int(row["decisions"]) for row in rows)
    text = (
        f"{counts[0]:,} decisions a cell or more at the level {ALPHA:g}, with margins of "
        f"{MARGIN:g} ({OF_BRIER:g} of Brier scores; of predicted numbers, 12 % of the base's RMSE "
        "and what this is by other metrics); a rate of .05 has a standard error of "
        f"{math.sqrt(0.0475 / counts[0]):.3f} at most, and the worst of several cells is biased "
        "upwards. The rows are those of the worst cell. Where there are no limits nothing is "
        "decided, which counts as no wrong decision."
    )
    return renewed(PAGE, "metrics", "\n".join([*lines, "", text]))


def _kind(row: dict[str, str]) -> str:
    """Take all trained pairs together."""
    return "trained" if row["candidate"].startswith("trained") else row["candidate"]


if __name__ == "__main__":
    study(__doc__, 1000, simulate, PAGE, page)

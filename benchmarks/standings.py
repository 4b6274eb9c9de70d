"""Tables of scores: levels with missing cells and groups, coverage of win rates.

Scores are the difficulty of a data set plus the strength of a model plus normal noise. *Equal*
models have one strength, those of *spread* differ by half a standard deviation each, and one
*leader* wins 92 % of its comparisons with four equal ones. Equal models that are not exchangeable
are two *families* of variants of one method each (they share noise of three times the standard
deviation of their own), pairs of *variants*, or *specialists* (six times the noise of the others).
Rates go to standings.csv: `python -m benchmarks standings`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from bakeoff.stats import bradley_terry, friedman, wilcoxon_signed_rank, win_rates
from bakeoff.stats.datasets.rank_tests import RankTable
from bakeoff.stats.datasets.standings import (
    group_means,
    most_likely,
    with_failures_last,
)
from benchmarks.harness import HERE, write

RATES = HERE / "standings.csv"
MODELS, ALPHA = 5, 0.05
KINDS = {
    "equal": np.zeros(MODELS),
    "spread": np.arange(MODELS) / 2,
    "leader": np.array([np.sqrt(2) * stats.norm.ppf(0.92), 0, 0, 0, 0]),
}
INTERVALS = ("pair", "field", "strength")
Rows = Iterator[dict[str, Any]]


def scores(rng: np.random.Generator, n: int, strength: np.ndarray) -> np.ndarray:
    """Draw a table of scores."""
    return rng.normal(size=(n, 1)) + strength + rng.normal(size=(n, len(strength)))


def line(what: str, case: str, n: int, of: str, runs: int, counted: float) -> dict[str, Any]:
    """Return a line of the CSV; `counted` are rejections, or intervals that cover."""
    return {"what": what, "case": case, "datasets": n, "of": of, "runs": runs, "counted": counted}


def failures(replicates: int) -> Rows:
    """Leave out one model where it is worst among the others: that is no accident."""
    n = 30
    for share in (0.1, 0.2, 0.3):
        counted = dict.fromkeys(("failed", "wilcoxon"), 0)
        for i in range(replicates):
            rng = np.random.default_rng([2, round(100 * share), i])
            table = scores(rng, n, np.zeros(MODELS))
            ahead = table[:, 0] - table.mean(axis=1)
            table[np.argsort(ahead)[: round(share * n)], 0] = np.nan
            ranked = with_failures_last(table)
            counted["failed"] += friedman(ranked, method="asymptotic").pvalue <= ALPHA
            pair = wilcoxon_signed_rank(table[:, 0], table[:, 1], missing="omit")
            counted["wilcoxon"] += pair.pvalue <= ALPHA
        for of, many in counted.items():
            yield line("failures", f"{share:.0%} of one model's scores", n, of, replicates, many)


def groups(replicates: int) -> Rows:
    """Take ten groups of three related data sets for thirty, and for ten."""
    codes = np.repeat(np.arange(10), 3)
    for correlation in (0.5, 0.8):
        counted = dict.fromkeys(("thirty data sets", "ten groups"), 0)
        for i in range(replicates):
            rng = np.random.default_rng([3, round(10 * correlation), i])
            shared = rng.normal(size=(10, MODELS))[codes]
            own = rng.normal(size=(30, MODELS))
            table = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own
            counted["thirty data sets"] += friedman(table, method="asymptotic").pvalue <= ALPHA
            merged = group_means(table, codes)
            counted["ten groups"] += friedman(merged, method="asymptotic").pvalue <= ALPHA
        for of, many in counted.items():
            yield line("groups", f"correlation {correlation}", 30, of, replicates, many)


UNLIKE = ("exchangeable", "two families", "pairs of variants", "one specialist", "half specialists")


def unlike(kind: str, n: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """Draw scores of equal models that vary together, or unlike."""
    own, shared = rng.normal(size=(2, n, k))
    if kind in ("two families", "pairs of variants"):
        family = np.arange(k) * 2 // k if kind == "two families" else np.arange(k) // 2
        return own + 3 * shared[:, family]
    special = {"one specialist": 1, "half specialists": k // 2}.get(kind, 0)
    return own * np.where(np.arange(k) < special, 6, 1)


def families(replicates: int) -> Rows:
    """Reject, with and without a caution, that models are alike which are equal on average."""
    for kind, k in itertools.product(UNLIKE, (4, 10, 20)):
        yield from _rejected("families", kind, k, 30, replicates)


def few(replicates: int) -> Rows:
    """Reject the same over few data sets, which do not show that models rank together."""
    for kind, k, n in itertools.product(UNLIKE[:2], (6, 10), (5, 10)):
        yield from _rejected("few", kind, k, n, replicates)


def _rejected(what: str, kind: str, k: int, n: int, replicates: int) -> Rows:
    """Count rejections of equal models, and those of them without a caution."""
    counted = dict.fromkeys(("all models", "any pair"), 0)
    counted, silent, warned = counted.copy(), counted.copy(), 0
    for i in range(replicates):
        seed = [5, UNLIKE.index(kind), k, n, i]
        table = RankTable(unlike(kind, n, k, np.random.default_rng(seed)))
        z = np.abs(np.subtract.outer(table.average, table.average)) / table.error
        facts: dict[str, Any] = {"effect_sizes": {}, "details": {}}
        p = (
            table.f_test(table.between, table.residual, **facts).pvalue,
            2 * stats.norm.sf(z.max()) * k * (k - 1) / 2,
        )
        told = table.exchangeable().holds is False
        warned += told
        for of, one in zip(counted, p, strict=True):
            counted[of] += one <= ALPHA
            silent[of] += one <= ALPHA and not told
    case = f"{k} models, {kind}"
    yield line(what, case, n, "caution", replicates, warned)
    for of, many in counted.items():
        yield line(what, case, n, of, replicates, many)
        yield line(what, case, n, f"{of}, no caution", replicates, silent[of])


def coverage(replicates: int) -> Rows:
    """Count how often the intervals hold the true win rates and strengths."""
    for kind, strength in KINDS.items():
        chance = stats.norm.cdf(np.subtract.outer(strength, strength) / np.sqrt(2))
        np.fill_diagonal(chance, 0)
        field = chance.sum(axis=1) / (MODELS - 1)
        met = 1.0 - np.eye(MODELS)
        truth = most_likely(chance, met)
        for n in (10, 30, 100):
            counted = {of: np.zeros(MODELS) for of in INTERVALS}
            for i in range(replicates):
                rng = np.random.default_rng([4, n, len(kind), i])
                table = scores(rng, n, strength)
                rates, found = win_rates(table), bradley_terry(table)
                inside = (rates.pair_low <= chance) & (chance <= rates.pair_high)
                counted["pair"] += inside[0, 1]
                counted["field"] += (rates.low <= field) & (field <= rates.high)
                counted["strength"] += (found.low <= truth) & (truth <= found.high)
            for of, each in counted.items():
                yield line("coverage", kind, n, of, replicates, float(each.min()))


def simulate(replicates: int) -> Iterator[object]:
    """Simulate everything."""
    rows = [
        *failures(replicates),
        *groups(replicates),
        *coverage(replicates // 2),
        *families(replicates // 5),
        *few(replicates // 2),
    ]
    write(RATES, rows)
    yield RATES.name

"""Tests where few rows differ, which makes them conservative: `python -m benchmarks few_rows`.

*Cochran's Q*: rows on which the models disagree have 1, 2, ..., M − 1 of the M models right, in
turn. *`tost_paired` at the margin* is enumerated: the probabilities of all tables are summed.
*pass@k*: the probability that a run of an item is right is drawn from a beta distribution with
α + β = 1, so that most items are nearly always passed or nearly always failed; *rare* passes are
drawn with α = 1, and the two systems have different numbers of runs. A test of pass^k is one of
pass@k with right and wrong exchanged.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy import special, stats

from bakeoff.stats import mean_difference, pass_at
from bakeoff.stats.core.two_by_two import tango_statistic
from benchmarks.harness import HERE, Cell, fill, flagged, named

OF_COCHRAN, OF_EQUIVALENCE = HERE / "cochran_few.csv", HERE / "equivalence.csv"
OF_PASSES = HERE / "passes.csv"
ALPHA = 0.05


# Cochran's Q -----------------------------------------------------------------------------------

INFORMATIVE, MODELS = (5, 10, 15, 20, 30, 50, 100), (3, 4, 6)


def distribution(rows: int, models: int, draws: int) -> np.ndarray:
    """Draw Q under the null."""
    rng = np.random.default_rng([rows, models])
    totals, squares = np.zeros((draws, models)), 0
    for i in range(rows):
        right = 1 + i % (models - 1)
        row = np.r_[np.ones(right), np.zeros(models - right)]
        totals += rng.permuted(np.tile(row, (draws, 1)), axis=1)
        squares += right * (models - right)
    between = models * np.square(totals).sum(axis=1) - totals.sum(axis=1) ** 2
    return (models - 1) * between / squares


def of_cochran(models: int, rows: int, draws: int) -> dict[str, int]:
    """Count how often χ² and the permutation reject."""
    critical = stats.chi2.isf(ALPHA, models - 1)
    q = np.round(distribution(rows, models, draws), 9)
    _, counts = np.unique(q, return_counts=True)
    above = counts[::-1].cumsum()[::-1] / draws  # P(Q >= value)
    reached = above[above <= ALPHA]
    permutation = round(float(reached[0]) * draws) if len(reached) else 0
    return {"draws": draws, "chi_square": int((q >= critical).sum()), "permutation": permutation}


# Equivalence -----------------------------------------------------------------------------------

ROWS, MARGINS = (50, 100, 200, 400), (0.02, 0.05, 0.10)
DISCORDANCES = (0.02, 0.05, 0.10, 0.20, 0.40)


def of_equivalence(n: int, margin: float, discordance: float) -> dict[str, float]:
    """Return the probability of "equivalent" where A is worse by the margin."""
    b, c = (counts.ravel().astype(float) for counts in np.indices((n + 1, n + 1)))
    b, c = b[b + c <= n], c[b + c <= n]
    cells = [(discordance - margin) / 2, (discordance + margin) / 2, 1 - discordance]
    mass = stats.multinomial.pmf(np.stack([b, c, n - b - c], axis=1), n, cells)
    b, c, mass = b[mass > 0], c[mass > 0], mass[mass > 0]
    lower, upper = (tango_statistic(b, c, n, limit) for limit in (-margin, margin))
    both = (special.ndtr(-lower) <= ALPHA) & (special.ndtr(upper) <= ALPHA)
    return {"rejected": round(float(mass[both].sum()), 5)}


# pass@k ----------------------------------------------------------------------------------------

SHARES, ITEMS, DRAWN, TIMES = (0.02, 0.1, 0.5, 0.9, 0.98), (20, 50, 200), (2, 5), (1, 2)
RARE, OF_RARE, UNEQUAL = (
    (9, 30, 60),
    (20, 50, 100),
    ((3, 3, 10), (3, 3, 30), (1, 1, 20), (5, 5, 50)),
)
"""β of rare passes; items; k and the runs of both systems."""


def of_passes(
    share: float, items: int, k: int, runs: int, own: int, replicates: int
) -> dict[str, object]:
    """Count how often the test rejects that the two systems are alike."""
    rng = np.random.default_rng([round(100 * share), items, k, runs, own])
    p = rng.beta(share, 1 - share, (replicates, 1 + own, items))
    right = rng.binomial(runs, np.broadcast_to(p, (replicates, 2, items)))
    values = pass_at(right.ravel(), np.full(right.size, runs), k).reshape(right.shape)
    rejected = sum(mean_difference(a, b).pvalue < ALPHA for a, b in values)  # NaN does not reject
    return {"replicates": replicates, "rejected": rejected, "silent": ""}


def of_rare_passes(
    beta: int, items: int, k: int, runs: tuple[int, int], replicates: int
) -> dict[str, int]:
    """Count rejections where passes are rare and runs unequal, and those without a warning."""
    rng = np.random.default_rng([beta, items, k, *runs])
    rejected = silent = 0
    for _ in range(replicates):
        own = [rng.binomial(n, rng.beta(1, beta, items)) for n in runs]
        values = (pass_at(c, np.full(items, n), k) for c, n in zip(own, runs, strict=True))
        found = mean_difference(*values)
        rejected += found.pvalue < ALPHA
        silent += found.pvalue < ALPHA and not flagged(found)
    return {"replicates": replicates, "rejected": int(rejected), "silent": int(silent)}


def cells_of_passes(replicates: int) -> Iterator[Cell]:
    """List what is simulated."""
    names = "share", "items", "k", "runs", "own"
    for beta, items, (k, *runs) in itertools.product(RARE, OF_RARE, UNEQUAL):
        cell = named(names, (f"Beta(1, {beta})", items, k, f"{runs[0]}:{runs[1]}", 1))
        yield cell, partial(of_rare_passes, beta, items, k, (runs[0], runs[1]), replicates // 5)
    for share, items, k, times, own in itertools.product(SHARES, ITEMS, DRAWN, TIMES, (0, 1)):
        of = share, items, k, times * k, own
        yield named(names, of), partial(of_passes, *of, replicates)


def simulate(replicates: int) -> Iterator[object]:
    """Find what the files do not hold yet."""
    tables = itertools.product(MODELS, INFORMATIVE)
    yield from fill(
        OF_COCHRAN,
        (
            (named(("models", "rows"), cell), partial(of_cochran, *cell, 50 * replicates))
            for cell in tables
        ),
    )
    margins = itertools.product(ROWS, MARGINS, DISCORDANCES)
    yield from fill(
        OF_EQUIVALENCE,
        (
            (named(("n", "margin", "discordance"), cell), partial(of_equivalence, *cell))
            for cell in margins
            if cell[2] >= cell[1]
        ),
    )
    yield from fill(OF_PASSES, cells_of_passes(replicates))

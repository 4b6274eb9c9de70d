"""How often pass@k tells systems apart that do not differ: `python -m benchmarks.passes`.

The probability that a run of an item is right is drawn from a beta distribution with α + β = 1, so
that most items are nearly always passed or nearly always failed. Both systems have the same
probabilities, or probabilities of their own from the same distribution. How often is p < .05 in the
test of the mean difference of pass@k? *Rare* passes are drawn from beta distributions with α = 1,
and the two systems have different numbers of runs. A test of pass^k is one of pass@k with right and
wrong exchanged, so its rates are those of the opposite share. Rates go to passes.csv and into
docs/values.md.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np

from bakeoff.stats import mean_difference, pass_at
from benchmarks import tables
from benchmarks.pages import renewed, study

HERE = Path(__file__).parent
RATES = HERE / "passes.csv"
PAGE = HERE.parent / "docs/values.md"
SHARES, ITEMS, DRAWN, TIMES = (0.02, 0.1, 0.5, 0.9, 0.98), (20, 50, 200), (2, 5), (1, 2)
RARE, UNEQUAL = (9, 30, 60), ((3, 3, 10), (3, 3, 30), (1, 1, 20), (5, 5, 50))
"""β of rare passes; k and the runs of both systems."""
ALPHA = 0.05


def rejected(share: float, items: int, k: int, runs: int, own: bool, replicates: int) -> int:
    """Count how often the test rejects that the two systems are alike."""
    rng = np.random.default_rng([round(100 * share), items, k, runs, own])
    shape = (replicates, 1 + own, items)
    p = np.broadcast_to(rng.beta(share, 1 - share, shape), (replicates, 2, items))
    right = rng.binomial(runs, p)
    values = pass_at(right.ravel(), np.full(right.size, runs), k).reshape(right.shape)
    return sum(mean_difference(a, b).pvalue < ALPHA for a, b in values)  # NaN does not reject


def rejected_of_rare(
    beta: int, items: int, k: int, runs: tuple[int, int], replicates: int
) -> tuple[int, int]:
    """Count rejections where passes are rare and runs unequal, and those without a warning."""
    rng = np.random.default_rng([beta, items, k, *runs])
    counted = silent = 0
    for _ in range(replicates):
        own = [rng.binomial(n, rng.beta(1, beta, items)) for n in runs]
        values = (pass_at(c, np.full(items, n), k) for c, n in zip(own, runs, strict=True))
        found = mean_difference(*values)
        counted += found.pvalue < ALPHA
        silent += found.pvalue < ALPHA and not any(a.holds is False for a in found.assumptions)
    return counted, silent


def simulate(replicates: int) -> None:
    """Simulate every cell."""
    lines = []
    for beta, items, (k, *runs) in itertools.product(RARE, (20, 50, 100), UNEQUAL):
        some = replicates // 5
        counted, silent = rejected_of_rare(beta, items, k, (runs[0], runs[1]), some)
        cell = {"share": f"Beta(1, {beta})", "items": items, "k": k, "runs": f"{runs[0]}:{runs[1]}"}
        lines.append({**cell, "own": 1, "replicates": some, "rejected": counted, "silent": silent})
    for share, items, k, times, own in itertools.product(SHARES, ITEMS, DRAWN, TIMES, (0, 1)):
        cell = {"share": share, "items": items, "k": k, "runs": times * k, "own": own}
        found = rejected(share, items, k, times * k, bool(own), replicates)
        lines.append({**cell, "replicates": replicates, "rejected": found, "silent": ""})
    tables.write(RATES, lines)


def page() -> str:
    """Return the page with the table of the rates."""
    every_line = tables.read(RATES)
    lines = [line for line in every_line if not line["silent"]]
    replicates = int(lines[0]["replicates"])

    def rates(**cell: object) -> list[float]:
        wanted = {key: str(value) for key, value in cell.items()}
        own = (line for line in lines if wanted.items() <= line.items())
        return [int(line["rejected"]) / replicates for line in own]

    kinds = " | ".join(f"pass@{k}" for k in DRAWN)
    text = [f"| share of right runs | items | {kinds} |", f"|---:|---:|{'---|' * len(DRAWN)}"]
    for share, items in itertools.product(SHARES, ITEMS):
        found = (rates(share=share, items=items, k=k) for k in DRAWN)
        told = " | ".join(f"{min(own):.3f} to {max(own):.3f}" for own in found)
        text.append(f"| {share:g} | {items} | {told} |")
    every = rates()
    error = math.sqrt(ALPHA * (1 - ALPHA) / replicates)
    text += [
        "",
        f"Rejections of a true null at the .05 level in {len(lines)} cells of {replicates:,} "
        "studies each: lowest to highest rate over k and 2k runs of each item, and over systems "
        "with the same probability of each item and with probabilities of their own. Most items "
        "are nearly always passed or nearly always failed (beta distribution with α + β = 1). "
        f"Rates of pass^k are those of the opposite share. All cells reject in {min(every):.3f} to "
        f"{max(every):.3f} of the studies, {sum(every) / len(every):.3f} on average: the fewer "
        "items differ, the more conservative the test is. A rate of .05 has a standard error of "
        f"{error:.3f} (`python -m benchmarks.passes`).",
    ]
    text += [
        "",
        "| runs of A, of B | pass@k | "
        + " | ".join(f"Beta(1, {beta}), {items} items" for beta in RARE for items in (20, 50, 100))
        + " |",
        "|---|---|" + "---|" * (3 * len(RARE)),
    ]
    for k, *runs in UNEQUAL:
        cells = [
            "{:.3f} ({:.3f})".format(
                *(int(line[of]) / int(line["replicates"]) for of in ("rejected", "silent"))
            )
            for line in every_line
            if line["silent"] and (line["k"], line["runs"]) == (str(k), f"{runs[0]}:{runs[1]}")
        ]
        text.append(f"| {runs[0]}, {runs[1]} | pass@{k} | {' | '.join(cells)} |")
    text += [
        "",
        "Rejections where passes are rare and the systems have different numbers of runs; in "
        f"brackets those without a warning ({replicates // 5:,} studies each).",
    ]
    return renewed(PAGE, "passes", "\n".join(text))


if __name__ == "__main__":
    study(__doc__, 2000, simulate, PAGE, page)

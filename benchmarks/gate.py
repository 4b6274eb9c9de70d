"""Wrong decisions of the gate: `python -m benchmarks.gate`.

The candidate is worse by exactly the margin: to ship it and to block it are both wrong, and both as
likely as a wrong decision can be. Two models on n rows, independent or in groups (each
group has a normal effect on the difference of the models), with two of the discordances that occur.
Rates go to gate.csv; `--page` writes their table into docs/gate.md.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import special

from bakeoff.stats.core.two_by_two import _melded_cdf, _melded_lower, tango_statistic
from bakeoff.stats.design.clusters import Clusters, design_effect, moments
from benchmarks import tables
from benchmarks.pages import renewed

HERE = Path(__file__).parent
RATES = HERE / "gate.csv"
PAGE = HERE.parent / "docs" / "gate.md"
ALPHA, MARGIN = 0.05, 0.02
DECISIONS = 100_000
CELLS = [(n, psi) for n in (500, 2000) for psi in (0.05, 0.2)]
GROUP_SIZE, GROUP_SPREAD = 20, 0.6


def ships(wins: int, losses: int, n: int, level: float) -> bool:
    """Tell what `decide_release` says of melded limits, by one probability instead of a limit."""
    if wins == 0 or losses == n:
        return paired_limit(wins, losses, n, level) > -MARGIN
    m = wins + losses
    if special.betainc(wins, losses + 1, 0.5) <= level:  # the lower limit is above 0
        return True
    return _melded_cdf(-MARGIN, wins, losses, m + 1, n - m) < level


def blocks(wins: int, losses: int, n: int, level: float) -> bool:
    """Tell whether the upper limit is below −margin."""
    if losses == 0 or wins == n:
        return -paired_limit(losses, wins, n, level) < -MARGIN
    m = wins + losses
    if special.betainc(losses, wins + 1, 0.5) > level:  # the upper limit is above 0
        return False
    return _melded_cdf(MARGIN, losses, wins, m, n - m + 1) < level


def paired_limit(wins: int, losses: int, n: int, level: float) -> float:
    """Return the lower limit itself, where a count is 0."""
    return _melded_lower(wins, losses, n, level)


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


def rates() -> Iterator[dict[str, object]]:
    """Compute the rows of the table."""
    for i, (n, psi) in enumerate(CELLS):
        rng = np.random.default_rng([15, i])
        for rows, rated in (("independent", on_rows), ("groups of 20", grouped)):
            ship, block = rated(n, psi, rng)
            yield {
                "rows": rows,
                "n": n,
                "discordance": psi,
                "false_ship": ship,
                "false_block": block,
            }


def page() -> str:
    """Return the page with the table of the rates."""
    with RATES.open(newline="") as file:
        lines = [
            f"| {r['rows']} | {int(r['n']):,} | {float(r['discordance']):.2f} | "
            f"{float(r['false_ship']):.4f} | {float(r['false_block']):.4f} |\n"
            for r in csv.DictReader(file)
        ]
    table = "| rows | n | discordance | false ship | false block |\n|---|--:|--:|--:|--:|\n"
    return renewed(PAGE, "rates", table + "".join(lines))


def main() -> None:
    """Simulate, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", action="store_true", help="write the table into docs/gate.md")
    if parser.parse_args().page:
        PAGE.write_text(page())
        return
    found = list(rates())
    tables.write(RATES, found)


if __name__ == "__main__":
    main()

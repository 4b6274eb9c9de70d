"""The type I error of `tost_paired` at the margin: `python -m benchmarks.equivalence`.

Enumerated, not simulated: the probabilities of all tables of right and wrong rows are summed.
Results go to benchmarks/equivalence.csv and into docs/stats/equivalence.md.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
from scipy import special, stats

from bakeoff.stats.core.two_by_two import tango_statistic
from benchmarks import tables
from benchmarks.pages import renewed

TABLE = Path(__file__).with_name("equivalence.csv")
PAGE = Path(__file__).parents[1] / "docs/stats/equivalence.md"
ALPHA = 0.05
ROWS = (50, 100, 200, 400)
MARGINS = (0.02, 0.05, 0.10)
DISCORDANCES = (0.02, 0.05, 0.10, 0.20, 0.40)


def rejected(n: int, margin: float, discordance: float) -> float:
    """Return the probability of "equivalent" where A is worse by the margin."""
    b, c = (counts.ravel().astype(float) for counts in np.indices((n + 1, n + 1)))
    b, c = b[b + c <= n], c[b + c <= n]
    cells = [(discordance - margin) / 2, (discordance + margin) / 2, 1 - discordance]
    mass = stats.multinomial.pmf(np.stack([b, c, n - b - c], axis=1), n, cells)
    b, c, mass = b[mass > 0], c[mass > 0], mass[mass > 0]
    lower, upper = (tango_statistic(b, c, n, limit) for limit in (-margin, margin))
    both = (special.ndtr(-lower) <= ALPHA) & (special.ndtr(upper) <= ALPHA)
    return float(mass[both].sum())


def page() -> str:
    """Return the page with the highest rate of each number of rows."""
    rows = tables.read(TABLE)
    worst = (max(float(r["rejected"]) for r in rows if r["n"] == str(n)) for n in ROWS)
    lines = [
        f"| {' | '.join(f'n = {n}' for n in ROWS)} |",
        "|---" * len(ROWS) + "|",
        f"| {' | '.join(f'{rate:.3f}' for rate in worst)} |",
    ]
    about = (
        f"Highest type I error at α = {ALPHA:g} where the true difference is the margin, by exact "
        f"enumeration, over margins {MARGINS[0]:.2f} to {MARGINS[-1]:.2f} and discordances "
        f"{DISCORDANCES[0]:.2f} to {DISCORDANCES[-1]:.2f} (`python -m benchmarks.equivalence`)."
    )
    return renewed(PAGE, "levels", "\n".join([*lines, "", about]))


def main() -> None:
    """Enumerate, and write the table and the page."""
    tables.write(
        TABLE,
        [
            {
                "n": n,
                "margin": margin,
                "discordance": discordance,
                "rejected": round(rejected(n, margin, discordance), 5),
            }
            for n, margin, discordance in product(ROWS, MARGINS, DISCORDANCES)
            if discordance >= margin
        ],
    )
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Cochran's Q with few informative rows: χ² and the permutation.

Rows on which the models disagree have 1, 2, ..., M − 1 of the M models right, in turn; under the
null each choice of these models is equally likely. The share of tables that χ² and the permutation
reject at .05 goes to cochran_few.csv and into docs/stats/cochran.md:
`python -m benchmarks.cochran_few`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks import tables
from benchmarks.pages import renewed, study

HERE = Path(__file__).parent
RATES = HERE / "cochran_few.csv"
PAGE = HERE.parent / "docs/stats/cochran.md"
ROWS, MODELS, ALPHA = (5, 10, 15, 20, 30, 50, 100), (3, 4, 6), 0.05


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


def simulate(draws: int) -> None:
    """Find both rates for every number of rows and models."""
    lines = []
    for models in MODELS:
        critical = stats.chi2.isf(ALPHA, models - 1)
        for rows in ROWS:
            q = np.round(distribution(rows, models, draws), 9)
            _, counts = np.unique(q, return_counts=True)
            above = counts[::-1].cumsum()[::-1] / draws  # P(Q >= value)
            reached = above[above <= ALPHA]
            lines.append(
                {
                    "models": models,
                    "rows": rows,
                    "draws": draws,
                    "chi_square": int((q >= critical).sum()),
                    "permutation": round(float(reached[0]) * draws) if len(reached) else 0,
                }
            )
    tables.write(RATES, lines)


def page() -> str:
    """Return the page with the table of the rates."""
    lines = tables.read(RATES)
    text = ["| models | informative rows | χ² | permutation |", "|---|---|---|---|"]
    for line in lines:
        rates = (int(line[of]) / int(line["draws"]) for of in ("chi_square", "permutation"))
        told = " | ".join(f"{rate:.3f}".lstrip("0") for rate in rates)
        text.append(f"| {line['models']} | {line['rows']} | {told} |")
    return renewed(PAGE, "few rows", "\n".join(text))


if __name__ == "__main__":
    study(__doc__, 100_000, simulate, PAGE, page)

"""Whether a difference differs between subgroups: `python -m benchmarks.any_metric_subgroups`.

Model A is better than B, by as much in every subgroup: how often does the interaction test say that
the difference differs? Two subgroups of one size or four that hold a half to a tenth of the rows;
rows are independent, or come in 40 groups that reach into all subgroups. Rates go to
any_metric_subgroups.csv; `--page` writes their table into docs/stats/any-metric.md.
"""

from __future__ import annotations

import csv
import itertools
import math
from pathlib import Path

import numpy as np

from bakeoff.stats import Result, Status, mean_interaction, metric_interaction
from benchmarks import tables
from benchmarks.any_metric import SEPARATION, SHARED, Model
from benchmarks.pages import renewed, study

HERE = Path(__file__).parent
RATES = HERE / "any_metric_subgroups.csv"
PAGE = HERE.parent / "docs" / "stats" / "any-metric.md"

METRICS = ("f1", "roc_auc", "log_loss", "mean")
SIZES = (200, 1000)
PARTS = {"two of one size": (0.5, 0.5), "four, .1 to .5": (0.1, 0.15, 0.25, 0.5)}
RELATED = ("independent", "in 40 groups")
CELL = ("metric", "n", "parts", "rows")
GROUPS, WITHIN = 40, 0.3
"""Groups, and the share of a model's own variance that their rows have in common."""
PREVALENCE, WORSE = 0.4, 0.4
"""By how much the separation of B is less than that of A."""
LEVEL = 0.05


def one(metric: str, n: int, parts: str, rows: str, rng: np.random.Generator) -> Result:
    """Draw a study with the same difference in all subgroups and test the interaction."""
    shares = PARTS[parts]
    part = rng.choice(len(shares), n, p=shares)
    groups = None if rows == "independent" else np.arange(n) % GROUPS
    noise = [_own(n, groups, rng) for _ in range(2)]
    if metric == "mean":
        spread = np.array([1.0, 2.0, 1.0, 0.5])[part]
        return mean_interaction(spread * noise[0] + WORSE, spread * noise[1], part, groups=groups)
    y = (rng.random(n) < PREVALENCE).astype(int)
    common, said = rng.normal(size=n), []
    for own, mu in zip(noise, (SEPARATION, SEPARATION - WORSE), strict=True):
        scores = mu * y + math.sqrt(SHARED) * common + math.sqrt(1 - SHARED) * own
        said.append(Model(mu).predicted("brier" if metric == "log_loss" else metric, scores, 0.4))
    return metric_interaction(y, *said, part, metric=metric, labels=[0, 1], groups=groups)


def _own(n: int, groups: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Return normal noise of variance 1, in part that of the groups."""
    if groups is None:
        return rng.normal(size=n)
    shared = rng.normal(size=GROUPS)[groups]
    return math.sqrt(WITHIN) * shared + math.sqrt(1 - WITHIN) * rng.normal(size=n)


def rates(cell: tuple[str, int, str, str], replicates: int) -> dict[str, object]:
    """Simulate one cell."""
    metric, n, parts, rows = cell
    seed = METRICS.index(metric), n, len(PARTS[parts]), RELATED.index(rows)
    rng = np.random.default_rng(seed)
    answered = rejected = 0
    for _ in range(replicates):
        found = one(metric, n, parts, rows, rng)
        answered += found.status is Status.OK
        rejected += found.status is Status.OK and found.pvalue <= LEVEL
    facts = dict(zip(CELL, cell, strict=True))
    return {**facts, "replicates": replicates, "answered": answered, "rejected": rejected}


def simulate(replicates: int) -> None:
    """Simulate every cell and write the rates."""
    cells = itertools.product(METRICS, SIZES, PARTS, RELATED)
    found = [rates(cell, replicates) for cell in cells]
    tables.write(RATES, found)


def read() -> list[dict[str, str]]:
    """Return the cells that were simulated."""
    with RATES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table() -> str:
    """Return what the page says."""
    rows = read()
    heads = [f"{parts}, {n:,} rows" for parts, n in itertools.product(PARTS, SIZES)]
    lines = [f"| metric | rows | {' | '.join(heads)} |", f"|---|---|{'---:|' * len(heads)}"]
    for metric, related in itertools.product(METRICS, RELATED):
        cells = []
        for parts, n in itertools.product(PARTS, SIZES):
            wanted = metric, str(n), parts, related
            (own,) = (row for row in rows if tuple(row[key] for key in CELL) == wanted)
            cells.append(f"{int(own['rejected']) / max(1, int(own['answered'])):.3f}")
        called = "mean of a value per row" if metric == "mean" else metric
        lines.append(f"| {called} | {related} | {' | '.join(cells)} |")
    return "\n".join(
        [
            *lines,
            "",
            f"Rejections at 5 % of an interaction that is not there, {rows[0]['replicates']} "
            "studies a cell: A is better than B, by as much in every subgroup. Of the mean the "
            "spread differs fourfold between subgroups. A rate of .05 has a standard error of "
            f"{math.sqrt(0.05 * 0.95 / int(rows[0]['replicates'])):.3f}; the mean of all cells is "
            f"{sum(int(r['rejected']) for r in rows) / sum(int(r['answered']) for r in rows):.3f}.",
        ]
    )


def page() -> str:
    """Return the page with the table of today's results."""
    return renewed(PAGE, "subgroups", table())


if __name__ == "__main__":
    study(__doc__, 200, simulate, PAGE, page)

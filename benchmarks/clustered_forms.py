"""Which standard error for groups of rows: `python -m benchmarks.clustered_forms`.

A mean of numbers per row and an area under the ROC curve can be tested on groups by three forms of
one idea, sums over groups of influence values: `plain`, se² = G/(G − 1)·ΣS²/n² with the degrees of
freedom of the sums' fourth moments; `cr2`, each sum divided by the root of one less its group's
share (Bell & McCaffrey 2002) with their degrees of freedom; `cr2_least`, that standard error with
the smaller of both degrees of freedom; for means also `sign_flip`. Groups have one size or very
different ones; their effects are normal or skewed. Rates go to clustered_forms.csv; `--page`
writes their table into docs/dependent-rows.md.
"""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np

from bakeoff.stats import Status, delong, mean_difference, metric_difference
from bakeoff.stats.core.distributions import t_pvalue
from benchmarks.harness import HERE, Row, fill, markdown, named, read, study

RATES = HERE / "clustered_forms.csv"
QUANTITIES = {
    "mean": "mean of a value per row",
    "auc": "AUC, half of the rows positive",
    "auc_rare": "AUC, a seventh positive",
}
GROUPS, SIZES, EFFECTS = (6, 10, 20, 50), ("equal", "unequal"), ("normal", "skewed")
SHIFTS = (0.0, 0.5)
CELL = ("quantity", "groups", "sizes", "effects", "shift")
FORMS = ("plain", "cr2", "cr2_least", "sign_flip")
ROWS_OF_A_GROUP = 10
WITHIN = 0.3
"""Variance of the group effects as a share of the whole."""


def sizes_of(groups: int, how: str, rng: np.random.Generator) -> np.ndarray:
    """Return how many rows each group has; unequal ones are lognormal with a spread of 1."""
    if how == "equal":
        return np.full(groups, ROWS_OF_A_GROUP)
    return np.maximum(1, np.rint(ROWS_OF_A_GROUP * np.exp(rng.normal(-0.5, 1.0, groups)))).astype(
        int
    )


def effects_of(groups: int, how: str, rng: np.random.Generator) -> np.ndarray:
    """Return group effects with mean 0 and variance 1."""
    if how == "normal":
        return rng.normal(size=groups)
    return rng.exponential(size=groups) - 1.0


def one(cell: tuple, rng: np.random.Generator) -> dict[str, float]:
    """Draw one study and return the p-value of each form; none where it has no answer."""
    quantity, groups, sizes, effects, shift = cell
    labels = np.repeat(np.arange(groups), sizes_of(groups, sizes, rng))
    n = len(labels)
    shared = np.sqrt(WITHIN) * effects_of(groups, effects, rng)[labels]
    difference = shared + np.sqrt(1 - WITHIN) * rng.normal(size=n)
    if quantity == "mean":
        a, b = difference + shift, np.zeros(n)
        plain = mean_difference(a, b, groups=labels, variant="t_and_flips")
        cr2 = mean_difference(a, b, groups=labels, variant="robust_t")
        flips = mean_difference(a, b, groups=labels, n_resamples=999).pvalue
    else:
        prevalence = 0.5 if quantity == "auc" else 0.15
        y = (rng.random(n) < prevalence).astype(int)
        if not 0 < y.sum() < n:
            return {}
        common = rng.normal(size=n)
        sign = np.where(y == 1, 1.0, -1.0)
        a = 1.2 * y + common + 0.6 * sign * (difference + shift)
        b = 1.2 * y + common - 0.6 * sign * difference
        plain = metric_difference(y, a, b, metric="roc_auc", groups=labels, labels=[0, 1])
        cr2 = delong(y, a, b, groups=labels, variant="robust_t")
        flips = None
    found = {}
    if plain.status is Status.OK:
        found["plain"] = plain.pvalue
    if cr2.status is Status.OK:
        found["cr2"] = cr2.pvalue
    df = min(cr2.df or 0.0, plain.df or 0.0)
    if cr2.details["se"] > 0 and df > 0:  # also where `cr2` refuses for too few degrees
        found["cr2_least"] = t_pvalue(cr2.estimate / cr2.details["se"], df, "two-sided")
    if flips is not None:
        found["sign_flip"] = flips
    return found


def rates(cell: tuple, replicates: int) -> dict[str, object]:
    """Simulate one cell."""
    quantity, groups, sizes, effects, _ = cell
    at = list(QUANTITIES).index(quantity), groups, SIZES.index(sizes), EFFECTS.index(effects)
    rng = np.random.default_rng([*at, 7])
    counts = {f"{form}_{what}": 0 for form in FORMS for what in ("answered", "rejected")}
    for _ in range(replicates):
        for form, p in one(cell, rng).items():
            counts[f"{form}_answered"] += 1
            counts[f"{form}_rejected"] += p <= 0.05
    return {"replicates": replicates, **{key: int(value) for key, value in counts.items()}}


def simulate(replicates: int) -> None:
    """Simulate every cell."""
    cells = itertools.product(QUANTITIES, GROUPS, SIZES, EFFECTS, SHIFTS)
    fill(RATES, ((named(CELL, cell), partial(rates, cell, replicates)) for cell in cells))


def table() -> str:
    """Return what the page says: the worst cells of true nulls, and how much is answered."""
    rows, lines = read(RATES), []
    for quantity, sizes, effects in itertools.product(QUANTITIES, SIZES, EFFECTS):
        wanted = {"quantity": quantity, "sizes": sizes, "effects": effects, "shift": "0.0"}
        own = [row for row in rows if wanted.items() <= row.items()]
        cells = (_worst(own, form) for form in FORMS)
        lines.append((QUANTITIES[quantity], f"{sizes}, {effects}", *cells))
    heads = "", "sizes, effects of groups", "plain", "CR2", "CR2, fewest df", "sign flips"
    return (
        f"{markdown(heads, lines)}\n\n"
        "Worst rejection rate of a true null at 5 % over 6, 10, 20 and 50 groups, "
        f"{rows[0]['replicates']} studies a cell; in brackets the least share that is answered, "
        "where it is below .99. Cells that are answered in less than a fifth of the studies do not "
        "count."
    )


def _worst(rows: list[Row], form: str) -> str:
    answered = [int(row[f"{form}_answered"]) for row in rows]
    studies = int(rows[0]["replicates"])
    every = zip((int(row[f"{form}_rejected"]) for row in rows), answered, strict=True)
    known = [rejected / n for rejected, n in every if n >= 0.2 * studies]
    if not known:
        return ""
    least = min(answered) / studies
    return f"{max(known):.3f}" + (f" ({least:.2f})" if least < 0.99 else "")


PAGES = {"dependent-rows.md": {"forms": table}}

if __name__ == "__main__":
    study(__doc__, 2000, simulate, PAGES)

"""Many models by one metric, what corrections cost and keep: `benchmarks.any_metric_families`.

All pairs of 5 or 20 models, their p-values adjusted by the maximum statistic, by Holm and by
Bonferroni. Equal models: how often any difference is found (the family-wise error). Models whose
skill rises evenly from the first to the last: the share of differences that is found, and how often
the best model is in the set of those that may be the best. Rates go to any_metric_families.csv;
`--page` writes their table into docs/stats/any-metric.md.
"""

from __future__ import annotations

import csv
import itertools
import math
from pathlib import Path

import numpy as np

from bakeoff.stats import Status, adjust_pvalues, best_models
from bakeoff.stats.metrics.family import compare_models
from benchmarks.any_metric import METRICS, SEPARATION, SHARED, models
from benchmarks.pages import renewed, study

HERE = Path(__file__).parent
RATES = HERE / "any_metric_families.csv"
PAGE = HERE.parent / "docs" / "stats" / "any-metric.md"
CORRECTIONS = ("max-t", "holm", "bonferroni")
SKILLS = ("equal", "rising")
RISE = 0.8
"""By how much the separation of the last model exceeds that of the first, where skill rises."""
LEVEL = 0.05


def rates(
    metric: str, count: int, n: int, prevalence: float, skill: str, replicates: int
) -> dict[str, object]:
    """Simulate one family."""
    model = models(metric, "exchangeable", prevalence)[0]
    rise = np.linspace(0, RISE, count) if skill == "rising" else np.zeros(count)
    seed = METRICS.index(metric), n, round(1e3 * prevalence), count, SKILLS.index(skill)
    rng = np.random.default_rng(seed)
    found = dict.fromkeys(CORRECTIONS, 0.0)
    answered = kept = members = 0
    for i in range(replicates):
        y = (rng.random(n) < prevalence).astype(int)
        common = rng.normal(size=(n, 1))
        noise = math.sqrt(SHARED) * common + math.sqrt(1 - SHARED) * rng.normal(size=(n, count))
        scores = noise + (SEPARATION + rise) * y[:, None]
        said = model.predicted(metric, scores, prevalence)
        pairs = compare_models(y, said, metric=metric, labels=[0, 1], n_resamples=1999, seed=i)
        if pairs.status is not Status.OK:
            continue
        answered += 1
        raw = np.array([pair.pvalue for pair in pairs.pairs])
        for correction in CORRECTIONS:
            adjusted = (
                np.array([pair.pvalue_adjusted for pair in pairs.pairs])
                if correction == "max-t"
                else adjust_pvalues(raw, correction)
            )
            rejected = adjusted <= LEVEL
            found[correction] += rejected.any() if skill == "equal" else rejected.mean()
        best = best_models(y, said, metric=metric, labels=[0, 1], n_resamples=1999, seed=i)
        kept += (count - 1 if skill == "rising" else 0) in best.members
        members += len(best.members)
    facts = {"test": "metric_difference", "metric": metric, "models": count, "n": n}
    shares = {correction: round(float(total) / answered, 4) for correction, total in found.items()}
    return {
        **facts,
        "prevalence": prevalence,
        "skill": skill,
        "replicates": replicates,
        "answered": answered,
        **shares,
        "best_kept": round(kept / answered, 4),
        "members": round(members / answered, 2),
    }


def simulate(replicates: int) -> None:
    """Simulate every family and write the rates."""
    cells = itertools.product((5, 20), ("f1", "roc_auc"), (200, 1000), (0.5, 0.1), SKILLS)
    with RATES.open("w", encoding="utf-8", newline="") as file:
        for count, metric, *cell in cells:
            row = rates(metric, count, *cell, replicates=replicates)
            writer = csv.DictWriter(file, list(row), lineterminator="\n")
            if not file.tell():
                writer.writeheader()
            writer.writerow(row)
            file.flush()


def table() -> str:
    """Return what the page says."""
    with RATES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    lines = [
        "| metric, models | any difference found among equal models: max-t | Holm | Bonferroni | "
        "share of true differences found: max-t | Holm | Bonferroni | the best model is in the "
        "set | models in the set |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for metric, count in itertools.product(("f1", "roc_auc"), ("5", "20")):
        own = [row for row in rows if (row["metric"], row["models"]) == (metric, count)]
        equal, rising = ([row for row in own if row["skill"] == skill] for skill in SKILLS)
        errors = (_span([float(row[c]) for row in equal]) for c in CORRECTIONS)
        power = (f"{np.mean([float(row[c]) for row in rising]):.3f}" for c in CORRECTIONS)
        kept = _span([float(row["best_kept"]) for row in rising])
        members = _span([float(row["members"]) for row in rising], 1)
        cells = " | ".join([f"{metric}, {count}", *errors, *power, kept, members])
        lines.append(f"| {cells} |")
    replicates = rows[0]["replicates"]
    return "\n".join(
        [
            *lines,
            "",
            f"{replicates} studies a cell of 200 and 1,000 rows, half or a tenth of them positive: "
            "the errors and the sets are those of the least and the most favourable cell, the "
            f"power is the mean. The separation of the best model is {RISE:g} more than that of "
            "the worst.",
        ]
    )


def _span(values: list[float], decimals: int = 3) -> str:
    return f"{min(values):.{decimals}f}–{max(values):.{decimals}f}"


def page() -> str:
    """Return the page with the table of today's results."""
    return renewed(PAGE, "families", table())


if __name__ == "__main__":
    study(__doc__, 500, simulate, PAGE, page)

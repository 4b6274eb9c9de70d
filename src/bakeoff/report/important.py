"""What columns are worth to models, as tables and figures want it."""

from __future__ import annotations

from typing import NamedTuple

from bakeoff.report.pairs_shown import order
from bakeoff.report.study import Study


class Loss(NamedTuple):
    """What the score of a model loses when a column is shuffled: mean and standard deviation."""

    mean: float
    sd: float


def losses(study: Study, dataset: str) -> dict[str, dict[str, Loss]]:
    """Map each model on a data set, best first, and each of its columns to what it is worth."""
    table = study.importance
    if not len(table):
        return {}
    own = table[table["dataset"] == (dataset or study.datasets[0])]
    found = {
        str(model): {
            str(name): Loss(float(mean), float(sd))
            for name, mean, sd in rows[["feature", "mean", "sd"]].itertuples(index=False)
        }
        for model, rows in own.groupby("model", sort=False)
    }
    return {model: found[model] for model in order(study) if model in found}


def columns_that_matter(found: dict[str, dict[str, Loss]]) -> list[str]:
    """List the columns by what they are worth to the model that makes most of them."""
    names = dict.fromkeys(name for known in found.values() for name in known)
    worth = {name: max(k[name].mean for k in found.values() if name in k) for name in names}
    return sorted(names, key=lambda name: -worth[name])


def what_is_lost(study: Study) -> str:
    """Name the score that is lost."""
    wanted = study.experiment.importance
    assert wanted is not None
    known = study.metrics.get(wanted.scoring)
    return f"Loss of {known.title if known else wanted.scoring} when the column is shuffled"

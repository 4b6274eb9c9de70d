"""The noise of an algorithm against that of the splits, where models are fitted with many seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.scores.collect import KEYS, NO_COLUMNS, score_each
from bakeoff.spec import Costs

COLUMNS = (
    *("dataset", "model", "plan", "metric", "folds", "seeds", "mean"),
    *("sd_between_seeds", "sd_between_folds", "share_of_seeds"),
)


def seed_noise(
    predictions: Iterable[str | Path],
    metrics: Sequence[str],
    costs_on: Callable[[str], Costs | None] = lambda dataset: None,
    carried: Mapping[str, str] = NO_COLUMNS,
) -> pd.DataFrame:
    """Take the variance of the scores apart."""
    scores = score_each(predictions, metrics, costs_on, carried)
    by = list(COLUMNS[:4])
    rows = [
        {**dict(zip(by, key, strict=True)), **_components(own)}
        for key, own in scores.groupby(by, sort=False)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _components(scores: pd.DataFrame) -> dict[str, Any]:
    wide = scores.pivot(index=list(KEYS[3:]), columns="seed", values="value").to_numpy()
    folds, seeds = wide.shape
    own = float(np.mean(np.var(wide, axis=1, ddof=1)))
    means = wide.mean(axis=1)
    between = float(np.var(means, ddof=1)) if folds > 1 else np.nan
    splits = max(between - own / seeds, 0.0) if folds > 1 else np.nan
    total = own + splits
    return {
        "folds": folds,
        "seeds": seeds,
        "mean": float(means.mean()),
        "sd_between_seeds": np.sqrt(own),
        "sd_between_folds": np.sqrt(between),
        "share_of_seeds": own / total if total > 0 else np.nan,
    }

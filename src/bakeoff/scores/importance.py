"""How much each column matters to the fitted models, from what their fits left."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.fit.predictions import read_facts

COLUMNS = ("dataset", "model", "feature", "scoring", "repeats", "mean", "sd")


def importances(predictions: Iterable[str | Path]) -> pd.DataFrame:
    """Tabulate what the fits on the holdout say of their columns."""
    runs: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for facts in map(read_facts, predictions):
        runs.setdefault((facts["dataset"], facts["model"]), []).append(facts["importance"])
    parts = []
    for (dataset, model), own in runs.items():
        means, sds = (np.array([run[key] for run in own]) for key in ("mean", "sd"))
        within = np.sqrt(np.mean(sds**2, axis=0) + np.var(means, axis=0))
        found = {
            "feature": own[0]["features"],
            "mean": means.mean(axis=0),
            "sd": within if len(own) > 1 else sds[0],
        }
        settings = {key: own[0][key] for key in ("scoring", "repeats")}
        parts.append(pd.DataFrame(found).assign(dataset=dataset, model=model, **settings))
    return pd.concat([pd.DataFrame(columns=list(COLUMNS)), *parts])[list(COLUMNS)]

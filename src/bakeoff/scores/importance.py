"""How much each column matters to the fitted models, from what their fits left."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from bakeoff.fit.predictions import read_facts

COLUMNS = ("dataset", "model", "feature", "scoring", "repeats", "mean", "sd")


def importances(predictions: Iterable[str | Path]) -> pd.DataFrame:
    """Tabulate what the fits on the holdout say of their columns.

    Returns
    -------
    DataFrame
        One row per fit and column: `COLUMNS`. `mean` and `sd` are those of the loss of score over
        the shuffles.
    """
    parts = []
    for facts in map(read_facts, predictions):
        found = pd.DataFrame({key: facts["importance"][source] for key, source in _LISTS.items()})
        one = {"dataset": facts["dataset"], "model": facts["model"]}
        settings = {key: facts["importance"][key] for key in ("scoring", "repeats")}
        parts.append(found.assign(**one, **settings))
    return pd.concat([pd.DataFrame(columns=list(COLUMNS)), *parts])[list(COLUMNS)]


_LISTS = {"feature": "features", "mean": "mean", "sd": "sd"}

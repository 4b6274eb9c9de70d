"""Reference cases of the tests on several criteria."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bakeoff import stats

Inputs = Mapping[str, Any]
Values = dict[str, Any]


def _t2(result: stats.Result) -> Values:
    return {
        "t2": result.details["t2"],
        "statistic": result.statistic,
        "df1": result.df1,
        "df2": result.df2,
        "pvalue": result.pvalue,
        "mean_difference": result.details["mean_difference"].tolist(),
    }


def hotelling_paired(inputs: Inputs) -> Values:
    d = np.asarray(inputs["differences"], dtype=float)
    return _t2(stats.hotelling_t2(d, np.zeros_like(d)))


def hotelling_two_sample(inputs: Inputs) -> Values:
    return _t2(stats.hotelling_t2_unpaired(inputs["X"], inputs["Y"]))


def _manova(blocks: bool) -> Callable[[Inputs], Values]:
    def adapt(inputs: Inputs) -> Values:
        y = np.asarray(inputs["Y"], dtype=float)
        models, folds = (np.unique(inputs[k], return_inverse=True)[1] for k in ("model", "fold"))
        cube = np.full((folds.max() + 1, models.max() + 1, y.shape[1]), np.nan)
        cube[folds, models] = y
        result = stats.manova(cube, blocks=blocks, nan_policy="omit")
        return {k.replace("-", "_"): v for k, v in result.details.items()}

    return adapt


ADAPTERS: dict[tuple[str, str], Callable[[Inputs], Values]] = {
    ("hotelling_t2", "paired_differences"): hotelling_paired,
    ("hotelling_t2", "two_sample"): hotelling_two_sample,
    ("manova", "models_plus_fold_blocks"): _manova(blocks=True),
    ("manova", "one_way"): _manova(blocks=False),
}

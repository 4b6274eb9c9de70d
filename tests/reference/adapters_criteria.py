"""Reference cases of the tests on several criteria."""

from __future__ import annotations

import numpy as np

from bakeoff import stats
from tests.reference.told import Adapter, Inputs, Values, told


def hotelling_paired(inputs: Inputs) -> Values:
    """T² of two models on the same folds by its relation to the Hotelling-Lawley trace."""
    d = np.asarray(inputs["differences"], dtype=float)
    result = stats.manova(np.stack((d, np.zeros_like(d)), axis=1), statistic="hotelling-lawley")
    return _hotelling(result, len(d) - 1)


def hotelling_two_sample(inputs: Inputs) -> Values:
    """T² of two models on different folds, where the shorter sample is filled with NaN."""
    samples = [np.asarray(inputs[name], dtype=float) for name in ("X", "Y")]
    folds = max(map(len, samples))
    filled = [np.pad(x, ((0, folds - len(x)), (0, 0)), constant_values=np.nan) for x in samples]
    result = stats.manova(
        np.stack(filled, axis=1), statistic="hotelling-lawley", blocks=False, nan_policy="omit"
    )
    return _hotelling(result, sum(map(len, samples)) - 2)


def _hotelling(result: stats.Result, df: int) -> Values:
    first, second = result.details["means"]
    return told(result) | {
        "t2": df * result.statistic,
        "statistic": result.details["hotelling-lawley"]["approx_F"],
        "mean_difference": first - second,
    }


def _manova(blocks: bool) -> Adapter:
    def adapt(inputs: Inputs) -> Values:
        y = np.asarray(inputs["Y"], dtype=float)
        models, folds = (np.unique(inputs[k], return_inverse=True)[1] for k in ("model", "fold"))
        cube = np.full((folds.max() + 1, models.max() + 1, y.shape[1]), np.nan)
        cube[folds, models] = y
        result = stats.manova(cube, blocks=blocks, nan_policy="omit")
        return {k.replace("-", "_"): v for k, v in result.details.items()}

    return adapt


ADAPTERS: dict[tuple[str, str], Adapter] = {
    ("hotelling_t2", "paired_differences"): hotelling_paired,
    ("hotelling_t2", "two_sample"): hotelling_two_sample,
    ("manova", "models_plus_fold_blocks"): _manova(blocks=True),
    ("manova", "one_way"): _manova(blocks=False),
}

"""One fit: train on the training part of a split, predict its test part."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data import ROW_ID, Split, Table, read_split
from bakeoff.data.table import GROUP, PROBABILITY_SLACK, TIME, WEIGHT
from bakeoff.errors import Problem, UserError, unknown
from bakeoff.fit.estimator import import_class
from bakeoff.fit.isolation import isolated
from bakeoff.fit.learn import TrainingPart, learn
from bakeoff.fit.measure import distributions_of, peak_memory_mb, reset_peak_memory, versions
from bakeoff.fit.predictions import Predictions
from bakeoff.seeds import derive, integer
from bakeoff.spec import Costs, Fit
from bakeoff.spec.models import Model

# what every fit depends on; the estimator's own package comes on top
BASE_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "skrub")


def run_fit(
    fit: Fit,
    model: Model,
    seed: int,
    data: str | Path,
    splits: str | Path,
    output: str | Path,
    made_by: Mapping[str, str] = MappingProxyType({}),
    costs: Costs | None = None,
) -> None:
    """Fit one model on one split of one data set and write its predictions.

    Parameters
    ----------
    fit : Fit
        Which data set, model, plan, repeat and fold.
    model : Model
        The model's entry in the experiment.
    seed : int
        The experiment's seed; the fit's own is derived from it and from `fit`.
    data, splits : path
        The canonical table and the divisions of the plan.
    output : path
        The Parquet file to write.
    made_by : Mapping
        What `bakeoff.fit.stamp` says of this fit; goes to the file's facts.
    costs : Costs, optional
        What errors cost; for thresholds chosen by cost.
    """
    table = _table(str(data), Path(data).stat().st_mtime_ns)
    split = read_split(splits, fit.repeat, fit.fold)
    again = ("seed", fit.seed) if fit.seed > 1 else ()
    own_seed = derive(seed, "fit", *fit[:5], *again)
    number = integer(own_seed)
    reset_peak_memory()
    for path in model.imports:
        import_class(path)  # first: libraries bring thread pools, which are to be limited too
    with isolated(number, model.threads):
        predictions = _predict(table, split, model, own_seed, costs)
    facts = {
        **fit._asdict(),
        **predictions.facts,
        **made_by,
        "random_state": number,
        "threads": model.threads,
        "n_train": len(split.train),
        "n_test": len(split.test),
        "peak_memory_mb": round(peak_memory_mb(), 1),
        "process": os.getpid(),
        "versions": versions((*BASE_PACKAGES, *distributions_of(*model.imports))),
    }
    dataclasses.replace(predictions, facts=facts).write(output)


@lru_cache(maxsize=2)
def _table(path: str, mtime_ns: int) -> Table:
    return Table.read(path)


def _predict(
    table: Table,
    split: Split,
    model: Model,
    seed: np.random.SeedSequence,
    costs: Costs | None,
) -> Predictions:
    features, codes = own_features(table.features, model), table.codes
    # learners such as XGBoost want labels 0..K-1 without gaps, whatever the training part holds
    present, labels = np.unique(codes[split.train], return_inverse=True)
    part = TrainingPart(
        features.iloc[split.train],
        labels,
        tuple(table.classes[code] for code in present),
        *(_rows(table, name, split.train) for name in (WEIGHT, GROUP, TIME)),
    )
    start = time.perf_counter()
    matrix = None if costs is None else _matrix(costs, part.classes)
    learnt = learn(model, part, seed, matrix)
    fitted = time.perf_counter()
    tested = features.iloc[split.test]
    predicted = present[_positions(learnt.predict(tested), len(tested), len(present))]
    estimator, n_classes = learnt.estimator, len(table.classes)
    probabilities = decision = None
    if hasattr(estimator, "predict_proba"):
        given = np.asarray(estimator.predict_proba(tested))
        _check_probabilities(given, len(tested), len(present))
        probabilities = _spread(given, present, n_classes)
    elif hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(tested), dtype=np.float64)
        decision = values.reshape(len(values), -1)
    seconds = time.perf_counter() - fitted
    _check_finite(decision, "decision values")
    timing = {"fit_seconds": round(fitted - start, 6), "predict_seconds": round(seconds, 6)}
    return Predictions(
        row_id=table.frame[ROW_ID].to_numpy()[split.test],
        y_true=codes[split.test],
        y_pred=predicted,
        classes=table.classes,
        probabilities=probabilities,
        decision=decision,
        facts={**timing, **({"chosen": learnt.chosen} if learnt.chosen else {})},
    )


def own_features(features: pd.DataFrame, model: Model) -> pd.DataFrame:
    """Return the columns that a model learns from.

    Raises
    ------
    Problem
        A column that there is not, or none left; the place is relative to the model's.
    """
    for key, names in (("features", model.features or []), ("drop", model.drop)):
        for i, name in enumerate(names):
            if name not in features.columns:
                raise Problem((key, i), unknown("feature", name, map(str, features.columns)))
    wanted = [name for name in model.features or features.columns if name not in model.drop]
    if not wanted:
        raise Problem(("drop",), "no feature is left to learn from")
    return features[wanted]


def _matrix(costs: Costs, classes: Sequence[str]) -> NDArray[np.float64]:
    order = [costs.names.index(name) for name in classes]
    return np.array(costs.matrix, dtype=np.float64)[np.ix_(order, order)]


def _rows(table: Table, column: str, rows: NDArray[np.intp]) -> Any:
    return table.frame[column].to_numpy()[rows] if column in table.frame else None


def _positions(predicted: NDArray[Any], n_rows: int, n_classes: int) -> NDArray[np.intp]:
    """Take what an estimator predicts for positions of classes, and nothing else for them."""
    if len(predicted) != n_rows:
        raise UserError(f"it predicts {len(predicted)} labels for {n_rows} rows")
    strange = ~np.isin(predicted, np.arange(n_classes))
    if strange.any():
        raise UserError(
            f"it predicts {predicted[strange][0]} for {int(strange.sum())} of {n_rows} rows, the "
            f"labels that it was trained on are 0 to {n_classes - 1}"
        )
    return predicted.astype(np.intp)


def _check_probabilities(values: NDArray[Any], n_rows: int, n_classes: int) -> None:
    if values.shape != (n_rows, n_classes):
        raise UserError(
            f"its probabilities have the shape {values.shape}, expected {(n_rows, n_classes)}"
        )
    _check_finite(values, "probabilities")
    off = ((values < -PROBABILITY_SLACK) | (values > 1 + PROBABILITY_SLACK)).any(axis=1)
    off |= np.abs(values.sum(axis=1) - 1) > PROBABILITY_SLACK
    if off.any():
        raise UserError(
            f"its probabilities of {int(off.sum())} of {n_rows} rows are none: not between 0 and "
            f"1, or their sum is not 1 (first: {', '.join(f'{p:.3g}' for p in values[off][0])})"
        )


def _check_finite(values: NDArray[np.float64] | None, what: str) -> None:
    if values is not None and not np.isfinite(values).all():
        rows = int((~np.isfinite(values)).any(axis=1).sum())
        raise UserError(f"it diverged: {what} of {rows} of {len(values)} rows are not finite")


def _spread(
    probabilities: NDArray[Any], present: NDArray[np.intp], n_classes: int
) -> NDArray[np.float64]:
    """Give classes that the training part lacked the probability 0."""
    full = np.zeros((len(probabilities), n_classes))
    full[:, present] = probabilities
    return full

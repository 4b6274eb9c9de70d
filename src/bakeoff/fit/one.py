"""One fit: train on the training part of a split, predict its test part."""

from __future__ import annotations

import dataclasses
import os
import random
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from bakeoff.data import ROW_ID, Split, Table, read_split
from bakeoff.fit.estimator import build
from bakeoff.fit.measure import distributions_of, peak_memory_mb, reset_peak_memory, versions
from bakeoff.fit.predictions import Predictions
from bakeoff.fit.preprocessing import with_preprocessing
from bakeoff.seeds import derive, integer
from bakeoff.spec import Fit
from bakeoff.spec.models import Model

# what every fit depends on; the estimator's own package comes on top
BASE_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "skrub")


def run_fit(
    fit: Fit, model: Model, seed: int, data: str | Path, splits: str | Path, output: str | Path
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
    """
    table = _table(str(data), Path(data).stat().st_mtime_ns)
    split = read_split(splits, fit.repeat, fit.fold)
    own_seed = derive(seed, "fit", *fit)
    number = integer(own_seed)
    random.seed(number)
    np.random.seed(number)  # noqa: NPY002  estimators without random_state draw from the global one
    reset_peak_memory()
    with threadpool_limits(limits=model.threads):
        predictions = _predict(table, split, model, own_seed)
    facts = {
        **fit._asdict(),
        **predictions.facts,
        "seed": number,
        "threads": model.threads,
        "n_train": len(split.train),
        "n_test": len(split.test),
        "peak_memory_mb": round(peak_memory_mb(), 1),
        "process": os.getpid(),
        "versions": versions((*BASE_PACKAGES, *distributions_of(model.estimator))),
    }
    dataclasses.replace(predictions, facts=facts).write(output)


@lru_cache(maxsize=2)
def _table(path: str, mtime_ns: int) -> Table:
    return Table.read(path)


def prepared(model: Model, features: Any, seed: np.random.SeedSequence) -> Any:
    """Make the whole estimator of a model, unfitted: preprocessing, threads and seeds set."""
    estimator = build(model.estimator, model.params)
    if _wants_n_jobs(estimator, model):
        estimator.set_params(n_jobs=model.threads)
    if model.preprocessing == "auto":
        estimator = with_preprocessing(estimator, features)
    _set_seeds(estimator, seed)
    return estimator


def _wants_n_jobs(estimator: Any, model: Model) -> bool:
    """Tell whether to set n_jobs: for scikit-learn None is one thread, for others all cores."""
    if "n_jobs" in model.params or "n_jobs" not in estimator.get_params(deep=False):
        return False
    return model.threads > 1 or not type(estimator).__module__.startswith("sklearn.")


def _set_seeds(estimator: Any, seed: np.random.SeedSequence) -> None:
    """Seed every random part that the user left open, each with its own stream."""
    params = estimator.get_params(deep=True)
    own = seed.entropy
    assert not isinstance(own, (int, type(None)))
    for name in sorted(params):
        if name.rpartition("__")[2] == "random_state" and params[name] is None:
            estimator.set_params(**{name: integer(derive(own[0], "part", *own[1:], name))})


def _predict(table: Table, split: Split, model: Model, seed: np.random.SeedSequence) -> Predictions:
    features, codes = table.features, table.codes
    estimator = prepared(model, features, seed)
    # learners such as XGBoost want labels 0..K-1 without gaps, whatever the training part holds
    present, labels = np.unique(codes[split.train], return_inverse=True)
    start = time.perf_counter()
    estimator.fit(features.iloc[split.train], labels)
    fitted = time.perf_counter()
    tested = features.iloc[split.test]
    predicted = present[np.asarray(estimator.predict(tested)).ravel().astype(np.intp)]
    n_classes = len(table.classes)
    probabilities = decision = None
    if hasattr(estimator, "predict_proba"):
        probabilities = _spread(np.asarray(estimator.predict_proba(tested)), present, n_classes)
    elif hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(tested), dtype=np.float64)
        decision = values.reshape(len(values), -1)
    seconds = time.perf_counter() - fitted
    return Predictions(
        row_id=table.frame[ROW_ID].to_numpy()[split.test],
        y_true=codes[split.test],
        y_pred=predicted,
        classes=table.classes,
        probabilities=probabilities,
        decision=decision,
        facts={"fit_seconds": round(fitted - start, 6), "predict_seconds": round(seconds, 6)},
    )


def _spread(
    probabilities: NDArray[Any], present: NDArray[np.intp], n_classes: int
) -> NDArray[np.float64]:
    """Give classes that the training part lacked the probability 0."""
    full = np.zeros((len(probabilities), n_classes))
    full[:, present] = probabilities
    return full

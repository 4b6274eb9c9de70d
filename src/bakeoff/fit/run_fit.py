"""One fit: train a model on the training part of a split and predict the test part."""

from __future__ import annotations

import dataclasses
import logging
import os
import random
import resource
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from bakeoff.data import ROW_ID, Split, Table, read_split
from bakeoff.data.columns import LARGEST, beyond
from bakeoff.data.table import GROUP, PROBABILITY_SLACK, TIME, WEIGHT
from bakeoff.data.target import TrainingTarget
from bakeoff.errors import Problem, UserError, unknown
from bakeoff.files import state_of, write_json
from bakeoff.fit.estimator import random_states
from bakeoff.fit.fit_task import (
    BASE_PACKAGES,
    FitTask,
    distributions_of,
    importance_of,
    kept_of,
    timing_of,
    versions,
)
from bakeoff.fit.leave import keep, write_importance
from bakeoff.fit.predictions import Predictions, stamp
from bakeoff.fit.train import TrainingPart, train
from bakeoff.seeds import derive, integer, part_of
from bakeoff.spec.models import Model
from bakeoff.threads import at_most
from bakeoff.usercode import import_object

_ROLES = {"weights": WEIGHT, "groups": GROUP, "times": TIME}


def run_fit(task: FitTask) -> None:
    """Fit one model on one split of one data set and write its predictions."""
    fit, model = task.fit, task.model
    table = _read_table(str(task.data), state_of(task.data))
    split = read_split(task.splits, fit.repeat, fit.fold)
    seed = derive(task.seed, "fit", *fit[:5], *(("seed", fit.seed) if fit.seed > 1 else ()))
    with suppress(OSError):  # a new high-water mark, where the kernel lets us (Linux)
        Path("/proc/self/clear_refs").write_text("5")
    for left in (kept_of(task.output), importance_of(task.output)):  # by an earlier fit
        left.unlink(missing_ok=True)
    imports = model.imports
    for path in imports:
        import_object(path)  # first: libraries bring thread pools, which are to be limited too
    with isolated(integer(seed), model.threads):
        predictions, seconds = _fit_and_predict(table, split, task, seed)
    # not in the predictions, which are the same bytes in every run
    write_json(timing_of(task.output), {**seconds, "peak_memory_mb": round(_peak_memory_mb(), 1)})
    facts = {
        **fit._asdict(),
        **predictions.facts,
        **stamp(task.fingerprint, task.data, task.splits),
        "global_seed": integer(seed),
        "threads": model.threads,
        "n_train": len(split.train),
        "n_test": len(split.test),
        "versions": versions((*BASE_PACKAGES, *distributions_of(*imports))),
    }
    dataclasses.replace(predictions, facts=facts).write(task.output)


@lru_cache(maxsize=2)
def _read_table(path: str, state: tuple[int, ...]) -> Table:
    return Table.read(path)


def _fit_and_predict(
    table: Table, split: Split, task: FitTask, seed: np.random.SeedSequence
) -> tuple[Predictions, dict[str, float]]:
    features, answers = select_features(table.features, task.model), table.answers
    target, n_rows = table.target.encoded(answers[split.train]), len(split.test)
    columns = {role: name for role, name in _ROLES.items() if name in table.frame}
    of_rows = {role: table.frame[name].to_numpy()[split.train] for role, name in columns.items()}
    part = TrainingPart(features, target, rows=split.train, **of_rows)
    start = time.perf_counter()
    costs = None if task.costs is None else task.costs.for_classes(target.classes)
    trained = train(task.model, part, seed, costs)
    fitted = time.perf_counter()
    del part  # of a large table, room for what predictions take
    last, seen = trained, features.iloc[split.test]
    if isinstance(trained.estimator, Pipeline):
        last = dataclasses.replace(trained, estimator=trained.estimator[-1])
        seen = trained.estimator[:-1].transform(seen)
    predicted = _predicted_answers(last.predict(seen), n_rows, target)
    probabilities, why = _predicted_probabilities(
        last.estimator, seen, n_rows, target.present, len(table.classes)
    )
    decision = None
    if probabilities is None and not why and hasattr(last.estimator, "decision_function"):
        decision = np.asarray(last.estimator.decision_function(seen), dtype=np.float64)
        decision = decision.reshape(n_rows, -1)
        _check_finite(decision, "decision values")
    seconds = {"fit_seconds": fitted - start, "predict_seconds": time.perf_counter() - fitted}
    facts = {
        "random_states": random_states(trained.estimator),
        **({"no_probabilities": why} if why else {}),
        **({"chosen": trained.chosen} if trained.chosen else {}),
    }
    row_ids = table.frame[ROW_ID].to_numpy()[split.test]
    truth, classes = answers[split.test], table.classes
    if task.keep:
        keep(kept_of(task.output), trained, list(map(str, features.columns)), target.classes)
    if task.importance is not None:
        by, path = part_of(seed, "importance"), importance_of(task.output)
        tested = features.iloc[split.test]
        write_importance(path, trained, tested, truth, target, task.importance, by)
    made = Predictions(row_ids, truth, predicted, classes, probabilities, decision, facts)
    return made, {name: round(value, 6) for name, value in seconds.items()}


def select_features(features: pd.DataFrame, model: Model) -> pd.DataFrame:
    """Return the columns that a model learns from."""
    for key, names in (("features", model.features or []), ("drop", model.drop)):
        for i, name in enumerate(names):
            if name not in features.columns:
                raise Problem((key, i), unknown("feature", name, map(str, features.columns)))
    if not (model.features or model.drop):
        return features
    names = [name for name in model.features or features.columns if name not in model.drop]
    if not names:
        raise Problem(("drop",), "no feature is left to learn from")
    return features[names]


# What an estimator predicts is checked to be labels, numbers and probabilities.


def _predicted_answers(
    predicted: NDArray[Any], n_rows: int, target: TrainingTarget
) -> NDArray[Any]:
    """Return predicted classes as codes of the data set, or predicted numbers."""
    classes = len(target.present)
    if len(predicted) != n_rows:
        kind = "labels" if classes else "numbers"
        raise UserError(f"it predicts {len(predicted)} {kind} for {n_rows} rows")
    if classes:
        strange = ~np.isin(predicted, np.arange(classes))
        if strange.any():
            raise UserError(
                f"it predicts {predicted[strange][0]} for {int(strange.sum())} of {n_rows} rows, "
                f"the labels that it was trained on are 0 to {classes - 1}"
            )
        codes: NDArray[np.intp] = target.present[predicted.astype(np.intp)]
        return codes
    numbers = np.asarray(predicted, dtype=np.float64)
    _check_finite(numbers[:, None], "predictions")
    if (largest := np.abs(numbers).max(initial=0.0)) > LARGEST:
        raise UserError(f"it diverged: it predicts {beyond(largest)}")
    return numbers


def _predicted_probabilities(
    estimator: Any, X: Any, n_rows: int, present: NDArray[np.intp], n_classes: int
) -> tuple[NDArray[np.float64] | None, str]:
    """Return class probabilities, or None and why they are none."""
    if not hasattr(estimator, "predict_proba"):
        return None, ""
    values = np.asarray(estimator.predict_proba(X))
    expected = n_rows, len(present)
    if values.shape != expected:
        raise UserError(f"its probabilities have the shape {values.shape}, expected {expected}")
    _check_finite(values, "probabilities")
    off = ((values < -PROBABILITY_SLACK) | (values > 1 + PROBABILITY_SLACK)).any(axis=1)
    off |= np.abs(values.sum(axis=1) - 1) > PROBABILITY_SLACK
    if off.any():
        first = ", ".join(f"{p:.3g}" for p in values[off][0])
        return None, (
            f"its outputs for {int(off.sum())} of {n_rows} rows are no probabilities: not between "
            f"0 and 1, or their sum is not 1 (first: {first})"
        )
    full = np.zeros((n_rows, n_classes))
    full[:, present] = values
    return full, ""


def _check_finite(values: NDArray[np.float64], what: str) -> None:
    if not np.isfinite(values).all():
        rows = int((~np.isfinite(values)).any(axis=1).sum())
        raise UserError(f"it diverged: {what} of {rows} of {len(values)} rows are not finite")


@contextmanager
def isolated(seed: int, threads: int) -> Iterator[None]:
    """Seed the global random states, limit threads, and restore the global state after a fit."""
    python, legacy = random.getstate(), np.random.get_state()  # noqa: NPY002
    environment, folder, path = dict(os.environ), os.getcwd(), list(sys.path)  # noqa: PTH109
    level, depth = logging.root.level, sys.getrecursionlimit()
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    try:
        with (
            warnings.catch_warnings(),
            np.errstate(),
            sklearn.config_context(),
            at_most(threads),
        ):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(legacy)  # noqa: NPY002
        if dict(os.environ) != environment:
            os.environ.clear()
            os.environ.update(environment)
        os.chdir(folder)
        sys.path[:] = path
        logging.root.setLevel(level)
        sys.setrecursionlimit(depth)


def _peak_memory_mb() -> float:
    """Return the peak resident memory of this process in MiB since the last reset."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024
    except (OSError, StopIteration):
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit

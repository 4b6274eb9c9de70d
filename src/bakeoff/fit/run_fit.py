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
    importance_of,
    kept_of,
    timing_of,
    versions_with,
)
from bakeoff.fit.leave import keep, write_importance
from bakeoff.fit.predictions import Predictions, stamp
from bakeoff.fit.train import TrainedModel, TrainingPart, train
from bakeoff.seeds import derive, integer, part_of
from bakeoff.spec.models import Model
from bakeoff.threads import at_most
from bakeoff.usercode import import_object


def run_fit(task: FitTask) -> None:
    """Fit one model on one split of one data set and write its predictions."""
    table = _read_table(str(task.data), state_of(task.data))
    split = read_split(task.splits, task.fit.repeat, task.fit.fold)
    seed = _seed_of(task)
    _remove_earlier_files(task.output)
    for path in task.model.imports:
        import_object(path)  # first: libraries bring thread pools, which are to be limited too
    _reset_peak_memory()
    # code of others may draw from global random states, or change what the next fit would see
    with isolated(integer(seed), task.model.threads):
        predictions, seconds = _fit_and_predict(table, split, task, seed)
    # not in the predictions, which are the same bytes in every run
    write_json(timing_of(task.output), {**seconds, "peak_memory_mb": round(_peak_memory_mb(), 1)})
    facts = {
        **task.fit._asdict(),
        **predictions.facts,
        **stamp(task.fingerprint, task.data, task.splits),
        "global_seed": integer(seed),
        "threads": task.model.threads,
        "n_train": len(split.train),
        "n_test": len(split.test),
        "versions": versions_with(BASE_PACKAGES, task.model.imports),
    }
    dataclasses.replace(predictions, facts=facts).write(task.output)


def _seed_of(task: FitTask) -> np.random.SeedSequence:
    """Return the seed of a fit, which hangs on what is fitted and where, and not on the order."""
    fit = task.fit
    purpose: list[Any] = ["fit", fit.dataset, fit.model, fit.plan, fit.repeat, fit.fold]
    if fit.seed > 1:  # the first of several training runs is the only one of a model with one
        purpose += ["seed", fit.seed]
    return derive(task.seed, *purpose)


def _remove_earlier_files(output: str | Path) -> None:
    """Remove what an earlier fit left beside its predictions."""
    kept_of(output).unlink(missing_ok=True)
    importance_of(output).unlink(missing_ok=True)


# a worker fits many models on one table; `state` differs when the file is replaced
@lru_cache(maxsize=2)
def _read_table(path: str, state: tuple[int, ...]) -> Table:
    return Table.read(path)


def _fit_and_predict(
    table: Table, split: Split, task: FitTask, seed: np.random.SeedSequence
) -> tuple[Predictions, dict[str, float]]:
    """Train a model and predict the test part; return the seconds of both beside."""
    features = select_features(table.features, task.model)
    target = table.target.encoded(table.answers[split.train])
    tested = features.iloc[split.test]
    truth = table.answers[split.test]
    costs = None
    if task.costs is not None:
        costs = task.costs.for_classes(target.classes)

    start = time.perf_counter()
    part = _training_part(table, features, target, split)
    trained = train(task.model, part, seed, costs)
    fitted = time.perf_counter()
    del part  # of a large table, room for what predictions take
    predictions = _predict(trained, tested, target, len(table.classes))
    seconds = {
        "fit_seconds": round(fitted - start, 6),
        "predict_seconds": round(time.perf_counter() - fitted, 6),
    }

    if task.keep:
        keep(kept_of(task.output), trained, list(map(str, features.columns)), target.classes)
    if task.importance is not None:
        write_importance(
            importance_of(task.output),
            trained,
            tested,
            truth,
            target,
            task.importance,
            part_of(seed, "importance"),
        )
    facts: dict[str, Any] = {"random_states": random_states(trained.estimator)}
    if predictions.no_probabilities:
        # the reason why metrics of probabilities are undefined
        facts["no_probabilities"] = predictions.no_probabilities
    if trained.chosen:
        facts["chosen"] = trained.chosen
    row_ids = table.frame[ROW_ID].to_numpy()[split.test]
    written = Predictions(
        row_id=row_ids,
        y_true=truth,
        y_pred=predictions.answers,
        classes=table.classes,
        probabilities=predictions.probabilities,
        decision=predictions.decision,
        facts=facts,
    )
    return written, seconds


def _training_part(
    table: Table, features: pd.DataFrame, target: TrainingTarget, split: Split
) -> TrainingPart:
    """Return the training rows with their weights, groups and times, where a table has them."""

    def of_rows(name: str) -> NDArray[Any] | None:
        if name not in table.frame:
            return None
        values: NDArray[Any] = table.frame[name].to_numpy()
        return values[split.train]

    return TrainingPart(
        features,
        target,
        weights=of_rows(WEIGHT),
        groups=of_rows(GROUP),
        times=of_rows(TIME),
        rows=split.train,
    )


@dataclasses.dataclass(frozen=True)
class _Predicted:
    """What a model says of the test rows."""

    answers: NDArray[Any]
    probabilities: NDArray[np.float64] | None
    decision: NDArray[np.float64] | None
    no_probabilities: str
    """Why what the model gives as probabilities are none."""


def _predict(
    trained: TrainedModel, tested: pd.DataFrame, target: TrainingTarget, n_classes: int
) -> _Predicted:
    """Predict the test rows, which preprocessing transforms once for all that is asked."""
    last = trained
    X: Any = tested
    if isinstance(trained.estimator, Pipeline):
        last = dataclasses.replace(trained, estimator=trained.estimator[-1])
        X = trained.estimator[:-1].transform(tested)
    n_rows = len(tested)
    answers = _predicted_answers(last.predict(X), n_rows, target)
    probabilities, why_none = _predicted_probabilities(
        last.estimator, X, n_rows, target.present, n_classes
    )
    decision = None
    if probabilities is None and not why_none and hasattr(last.estimator, "decision_function"):
        decision = np.asarray(last.estimator.decision_function(X), dtype=np.float64)
        decision = decision.reshape(n_rows, -1)
        _check_finite(decision, "decision values")
    return _Predicted(answers, probabilities, decision, why_none)


def select_features(features: pd.DataFrame, model: Model) -> pd.DataFrame:
    """Return the columns that a model learns from."""
    wanted = model.features or []
    for key, names in (("features", wanted), ("drop", model.drop)):
        for i, name in enumerate(names):
            if name not in features.columns:
                raise Problem((key, i), unknown("feature", name, map(str, features.columns)))
    if not (wanted or model.drop):
        return features
    names = [name for name in wanted or features.columns if name not in model.drop]
    if not names:
        raise Problem(("drop",), "no feature is left to learn from")
    return features[names]


# --- what an estimator predicts is checked to be labels, numbers and probabilities


def _predicted_answers(
    predicted: NDArray[Any], n_rows: int, target: TrainingTarget
) -> NDArray[Any]:
    """Return predicted classes as codes of the data set, or predicted numbers."""
    classes = len(target.present)
    if len(predicted) != n_rows:
        kind = "numbers"
        if classes:
            kind = "labels"
        raise UserError(f"it predicts {len(predicted)} {kind} for {n_rows} rows")
    if classes:
        unknown_labels = ~np.isin(predicted, np.arange(classes))
        if unknown_labels.any():
            first = predicted[unknown_labels][0]
            count = int(unknown_labels.sum())
            raise UserError(
                f"it predicts {first} for {count} of {n_rows} rows, "
                f"the labels that it was trained on are 0 to {classes - 1}"
            )
        codes: NDArray[np.intp] = target.present[predicted.astype(np.intp)]
        return codes
    numbers = np.asarray(predicted, dtype=np.float64)
    _check_finite(numbers[:, None], "predictions")
    largest = np.abs(numbers).max(initial=0.0)
    if largest > LARGEST:
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
    is_outside = (values < -PROBABILITY_SLACK) | (values > 1 + PROBABILITY_SLACK)
    excess = np.abs(values.sum(axis=1) - 1)
    off = is_outside.any(axis=1) | (excess > PROBABILITY_SLACK)
    if off.any():
        first = ", ".join(f"{p:.3g}" for p in values[off][0])
        return None, (
            f"its outputs for {int(off.sum())} of {n_rows} rows are no probabilities: not between "
            f"0 and 1, or their sum is not 1 (first: {first})"
        )
    # a class of the data set that is not in the training part has probability 0
    full = np.zeros((n_rows, n_classes))
    full[:, present] = values
    return full, ""


def _check_finite(values: NDArray[np.float64], what: str) -> None:
    undefined = ~np.isfinite(values)
    if undefined.any():
        rows = int(undefined.any(axis=1).sum())
        raise UserError(f"it diverged: {what} of {rows} of {len(values)} rows are not finite")


# --- the process around a fit


@contextmanager
def isolated(seed: int, threads: int) -> Iterator[None]:
    """Seed the global random states, limit threads, and restore the global state after a fit."""
    python = random.getstate()
    legacy = np.random.get_state()  # noqa: NPY002
    environment = dict(os.environ)
    folder = os.getcwd()  # noqa: PTH109
    path = list(sys.path)
    level = logging.root.level
    depth = sys.getrecursionlimit()
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


def _reset_peak_memory() -> None:
    """Begin a new high-water mark of memory, where the kernel lets us (Linux)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_memory_mb() -> float:
    """Return the peak resident memory of this process in MiB since the last reset."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    # it is in kilobytes on Linux and in bytes on macOS
    unit = 2**10
    if sys.platform == "darwin":
        unit = 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit

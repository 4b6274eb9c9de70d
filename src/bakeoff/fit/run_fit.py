"""One fit: train a model on the training part of a split and predict the test part."""

from __future__ import annotations

import dataclasses
import time
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data import ROW_ID, Split, Table, read_split
from bakeoff.data.table import GROUP, TIME, VALIDATION, WEIGHT
from bakeoff.errors import Problem, unknown
from bakeoff.files import state_of, write_json
from bakeoff.fit.assemble import random_states
from bakeoff.fit.estimator import import_object
from bakeoff.fit.fit_task import FitTask, timing_of
from bakeoff.fit.importance import importance
from bakeoff.fit.isolation import isolated
from bakeoff.fit.keep import KeptModel, write_model
from bakeoff.fit.memory import peak_memory_mb, reset_peak_memory
from bakeoff.fit.outputs import predicted_answers, predicted_decision, predicted_probabilities
from bakeoff.fit.predictions import Predictions
from bakeoff.fit.prepared import prepared
from bakeoff.fit.shared_table import read_shared
from bakeoff.fit.train import TrainingPart, train
from bakeoff.fit.versions import BASE_PACKAGES, distributions_of, versions
from bakeoff.seeds import derive, integer, part_of
from bakeoff.spec.models import Model


def run_fit(task: FitTask) -> None:
    """Fit one model on one split of one data set and write its predictions."""
    fit, model = task.fit, task.model
    table = _read_table(str(task.data), state_of(task.data))
    split = read_split(task.splits, fit.repeat, fit.fold)
    seed = derive(task.seed, "fit", *fit[:5], *(("seed", fit.seed) if fit.seed > 1 else ()))
    task.kept.unlink(missing_ok=True)  # that of an earlier fit
    reset_peak_memory()
    imports = model.imports
    for path in imports:
        import_object(path)  # first: libraries bring thread pools, which are to be limited too
    with isolated(integer(seed), model.threads):
        predictions, seconds = _fit_and_predict(table, split, task, seed)
    # not in the predictions, which are the same bytes in every run
    write_json(timing_of(task.output), {**seconds, "peak_memory_mb": round(peak_memory_mb(), 1)})
    facts = {
        **fit._asdict(),
        **predictions.facts,
        **task.stamp,
        "global_seed": integer(seed),
        "threads": model.threads,
        "n_train": len(split.train),
        "n_test": len(split.test),
        "versions": versions((*BASE_PACKAGES, *distributions_of(*imports))),
    }
    dataclasses.replace(predictions, facts=facts).write(task.output)


@lru_cache(maxsize=2)
def _read_table(path: str, state: tuple[int, ...]) -> Table:
    return read_shared(path)


def _fit_and_predict(
    table: Table, split: Split, task: FitTask, seed: np.random.SeedSequence
) -> tuple[Predictions, dict[str, float]]:
    features, answers = select_features(table.features, task.model), table.answers
    target = table.target.encoded(answers[split.train])
    columns = {"weights": WEIGHT, "groups": GROUP, "times": TIME, "validation": VALIDATION}
    part = TrainingPart(
        features,
        target,
        rows=split.train,
        **{role: _rows(table, name, split.train) for role, name in columns.items()},
    )
    start = time.perf_counter()
    costs = None if task.costs is None else task.costs.of(target.classes)
    trained = train(task.model, part, seed, costs)
    fitted = time.perf_counter()
    del part  # of a large table, room for what predictions take
    if task.model.keep:
        write_model(task.kept, KeptModel(trained, list(features.columns), list(target.classes)))
    kept = time.perf_counter()
    last, n_rows = trained.last, len(split.test)
    seen = prepared(trained.estimator, features.iloc[split.test])
    predicted = predicted_answers(last.predict(seen), n_rows, target)
    probabilities, why = predicted_probabilities(
        last.estimator, seen, n_rows, target.present, len(table.classes)
    )
    decision = predicted_decision(last.estimator, seen)
    seconds = {"fit_seconds": fitted - start, "predict_seconds": time.perf_counter() - kept}
    facts = {
        "random_states": random_states(trained.estimator),
        **({"no_probabilities": why} if why else {}),
        **({"chosen": trained.chosen} if trained.chosen else {}),
    }
    if task.importance is not None:
        known, truth = target.known(answers[split.test])
        tested, by = features.iloc[split.test[known]], part_of(seed, "importance")
        facts["importance"] = importance(trained, tested, truth, task.importance, by)
    row_ids = table.frame[ROW_ID].to_numpy()[split.test]
    truth, classes = answers[split.test], table.classes
    made = Predictions(row_ids, truth, predicted, classes, probabilities, decision, facts)
    return made, {name: round(value, 6) for name, value in seconds.items()}


def _rows(table: Table, column: str, rows: NDArray[np.intp]) -> Any:
    return table.frame[column].to_numpy()[rows] if column in table.frame else None


def select_features(features: pd.DataFrame, model: Model) -> pd.DataFrame:
    """Return the columns that a model learns from."""
    for key, names in (("features", model.features or []), ("drop", model.drop)):
        for i, name in enumerate(names):
            if name not in features.columns:
                raise Problem((key, i), unknown("feature", name, map(str, features.columns)))
    if not (model.features or model.drop):
        return features
    wanted = [name for name in model.features or features.columns if name not in model.drop]
    if not wanted:
        raise Problem(("drop",), "no feature is left to learn from")
    return features[wanted]

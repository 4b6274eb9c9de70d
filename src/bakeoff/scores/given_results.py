"""From what a model brings to the files that its fits would have left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.data.given_predictions import HeldModel, predictions_of
from bakeoff.data.open_table import read_frame
from bakeoff.data.splits import Split
from bakeoff.data.table import ROW_ID, Table
from bakeoff.errors import Place, Problem, unknown
from bakeoff.files import digest, files_at, is_file, sha256_of, state_of
from bakeoff.fit.predictions import Predictions
from bakeoff.keys import plain_name, refuse_same_names
from bakeoff.scores.collect import KEYS, SCORES, SIZES, TIMINGS
from bakeoff.scores.metrics import Metric, metrics_of
from bakeoff.sources.common.base import blame
from bakeoff.sources.common.identifiers import identifiers
from bakeoff.spec import Experiment, Fit
from bakeoff.spec.given_models import LOGS
from bakeoff.spec.resampling import Plan

_COUNTED = ("repeat", "fold", "n_train", "n_test")
"""Columns of whole numbers from 1."""
_NUMBERS = (*_COUNTED, "value")
_DEFAULTS = {"repeat": 1, "fold": 1, "n_train": np.nan, "n_test": np.nan}
"""What stands for a column that a file has not."""


# --- predictions


def given_predictions(fit: Fit, experiment: Experiment, table: Table, split: Split) -> Predictions:
    """Turn a given model's predictions into those of a fit; arguments as in `predictions_of`."""
    predictions = predictions_of(fit, experiment, table, split)
    given = experiment.given[fit.model]
    facts: dict[str, Any] = fit._asdict()
    if not isinstance(given, HeldModel):
        path = given.predictions_on(fit.dataset, fit.seed)
        facts["given"] = path
        facts["given_sha256"] = _sha256_at(path)
    facts["n_train"] = len(split.train)
    facts["n_test"] = len(split.test)
    truth = table.answers[split.test]
    oddity = predictions.oddity(fit.model, truth)
    if oddity:
        facts["note"] = oddity
    y_true = truth
    if predictions.values is not None:
        # numbers per row are compared as they are: no truth is known
        y_true = predictions.answers
    return Predictions(
        row_id=table.frame[ROW_ID].to_numpy()[split.test],
        y_true=y_true,
        y_pred=predictions.answers.astype(truth.dtype),
        classes=table.classes,
        probabilities=predictions.probabilities,
        decision=None,
        values=predictions.values,
        by_metric=predictions.by_metric,
        facts=facts,
    )


def _sha256_at(path: str) -> str:
    """Return the SHA-256 of a file, or a digest of those of a folder."""
    parts = list(map(sha256_of, files_at(path, LOGS)))
    if Path(path).is_dir():
        return digest(parts)
    return parts[0]


# --- scores


def given_scores(
    experiment: Experiment, dataset: str, plan: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Bring the scores that all models give for one data set and plan into one table."""
    parts: list[pd.DataFrame] = []
    for model in experiment.given:
        parts.extend(_scores_of(model, experiment, dataset, plan))
    scores = pd.concat(parts, ignore_index=True).assign(dataset=dataset, plan=plan)
    for size in SIZES:
        per_fold = scores.groupby(["repeat", "fold"])[size].nunique(dropna=False)
        if (per_fold > 1).any():
            raise Problem(
                ("resampling", plan),
                f"the models' files give different values of {size} for one fold of {dataset}: "
                "these scores do not come from the same divisions",
            )
    scores["undefined"] = np.where(scores["value"].isna(), "the file has no value", "")
    types: Any = {
        "repeat": int,
        "fold": int,
        "value": float,
        "n_train": "Int64",
        "n_test": "Int64",
    }
    scores = scores.astype(types)[SCORES]
    fits = scores[list(KEYS)].drop_duplicates(ignore_index=True)
    return scores, fits.assign(seed=1, **dict.fromkeys(TIMINGS))


def _scores_of(
    model: str, experiment: Experiment, dataset: str, plan: str
) -> Iterator[pd.DataFrame]:
    """Read the scores of a model by each metric, a row for each fold of a plan."""
    path = experiment.given[model].scores_on(dataset)
    place = ("models", model, "scores")
    state: tuple[int, ...] = ()
    if is_file(path):
        state = state_of(path)
    try:
        table = _table(path, state)
    except Problem as problem:
        raise Problem(place, problem.message) from None
    spec = experiment.resampling.plans()[plan]
    fit = {"dataset": dataset, "model": model, "plan": plan}
    frame = _chosen(table, path, place, experiment, fit)
    for metric in experiment.metrics:
        values = frame[frame["metric"] == metric]
        if values.empty:
            have = ", ".join(dict.fromkeys(frame["metric"].astype(str)))
            message = f"{path!r} has no scores of {metric} for {plan} (it has {have})"
            raise Problem(place, message)
        _check_folds(values, spec, f"{path!r}: {metric}, {plan}", place)
        yield values.sort_values(["repeat", "fold"]).assign(model=model)


@lru_cache(maxsize=128)
def _table(path: str, state: tuple[int, ...]) -> pd.DataFrame:
    """Read a file once for all models and data sets that it holds; each model may have its own."""
    return read_frame(path, ())


def _chosen(
    frame: pd.DataFrame, path: str, place: Place, experiment: Experiment, fit: Mapping[str, str]
) -> pd.DataFrame:
    """Keep the rows of one model, data set and plan; make numbers of what must be numbers."""
    for column in _needed(path, experiment, fit):
        if column not in frame.columns:
            raise Problem(place, f"{path!r}: {unknown('column', column, frame.columns)}")
    for column, wanted in fit.items():
        if column not in frame.columns:
            continue
        with blame(*place, before=f"{path!r}: column {column!r} "):
            names = identifiers(frame[column])
            refuse_same_names(n for n in names.unique() if plain_name(n) == plain_name(wanted))
        of_fit = names == wanted
        if not of_fit.any():
            raise Problem(place, f"{path!r}: {unknown(f'{column} in it:', wanted, set(names))}")
        frame = frame[of_fit]
    for column, default in _DEFAULTS.items():
        if column not in frame.columns:
            frame = frame.assign(**{column: default})
    numbers = {}
    for column in _NUMBERS:
        numbers[column] = _numbers(frame[column], path, place)
    frame = frame.assign(**numbers)
    check_ranges(frame, metrics_of(experiment), repr(path), place)
    return frame


def _needed(path: str, experiment: Experiment, fit: Mapping[str, str]) -> list[str]:
    """Name the columns that a file of scores must have, as it holds several of something."""
    plans = experiment.resampling.plans()
    plan = plans[fit["plan"]]
    needed = ["metric", "value"]
    # a path without the mark of a data set is the same for all of them
    is_of_all_data = path == experiment.given[fit["model"]].scores
    if is_of_all_data and len(experiment.datasets) > 1:
        needed.append("dataset")
    if sum(map(experiment.by_scores, plans)) > 1:
        needed.append("plan")
    if plan.rounds > 1:
        needed.append("repeat")
    if plan.folds > 1:
        needed.append("fold")
    return needed


def _numbers(values: pd.Series[Any], path: str, place: Place) -> pd.Series[Any]:
    """Make numbers of a column of scores, or of whole numbers from 1."""
    column = values.name
    numbers = pd.to_numeric(values, errors="coerce")
    if column in _COUNTED:
        expected = "a whole number from 1"
        wrong = ~((numbers >= 1) & (numbers % 1 == 0))
        # numbers of rows may be missing
        if column in SIZES:
            wrong &= values.notna()
    else:
        expected = "a number"
        wrong = (numbers.isna() & values.notna()) | np.isinf(numbers.astype("float64"))
    if wrong.any():
        text = f"found {values[wrong].iloc[0]} in column {column!r}, expected {expected}"
        raise Problem(place, f"{path!r}: {text}")
    return numbers


def check_ranges(frame: pd.DataFrame, named: Mapping[str, Metric], what: str, place: Place) -> None:
    """Refuse scores outside the range of their metric."""
    for name, values in frame.groupby("metric", sort=False)["value"]:
        if name not in named:
            continue
        low, high = named[str(name)].range
        outside = values[(values < low) | (values > high)]
        if len(outside):
            percent = ""
            # of a share between 0 and 1 people may have written percent
            if high == 1:
                percent = " (are these percentages? divide by 100)"
            raise Problem(
                place,
                f"{what}: {name} = {outside.iloc[0]:g} lies outside {low:g} to {high:g}{percent}",
            )


def _check_folds(values: pd.DataFrame, plan: Plan, what: str, place: Place) -> None:
    """Refuse scores that are not those of every fold of a plan, once each."""
    counts: Counter[tuple[int, int]] = Counter()
    for repeat, fold in zip(values["repeat"], values["fold"], strict=True):
        counts[int(repeat), int(fold)] += 1
    wanted = set(plan.splits())
    problems = {
        "occurs twice": {pair for pair, count in counts.items() if count > 1},
        "is missing": wanted - set(counts),
        "is not one of the plan's": set(counts) - wanted,
    }
    for problem, folds in problems.items():
        if folds:
            repeat, fold = min(folds)
            others = ""
            if len(folds) > 1:
                others = f" (and {len(folds) - 1} more)"
            raise Problem(place, f"{what}: repeat {repeat}, fold {fold} {problem}{others}")

"""From what a model brings to the files that its fits would have left."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
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
from bakeoff.scores.collect import KEYS, TIMINGS
from bakeoff.scores.metrics import Metric, metrics_of
from bakeoff.sources.common.base import blame
from bakeoff.sources.common.identifiers import identifiers
from bakeoff.spec import Experiment, Fit
from bakeoff.spec.given_models import LOGS
from bakeoff.spec.resampling import Plan

_SIZES = ("n_train", "n_test")


def given_predictions(fit: Fit, experiment: Experiment, table: Table, split: Split) -> Predictions:
    """Turn a given model's predictions into those of a fit; arguments as in `predictions_of`."""
    predictions = predictions_of(fit, experiment, table, split)
    given = experiment.given[fit.model]
    facts: dict[str, Any] = fit._asdict()
    if not isinstance(given, HeldModel):
        path = given.predictions_on(fit.dataset, fit.seed)
        parts = [sha256_of(file) for file in files_at(path, LOGS)]
        whole = digest(parts) if Path(path).is_dir() else parts[0]
        facts |= {"given": path, "given_sha256": whole}
    facts |= {"n_train": len(split.train), "n_test": len(split.test)}
    truth = table.answers[split.test]
    oddity = predictions.oddity(fit.model, truth)
    return Predictions(
        row_id=table.frame[ROW_ID].to_numpy()[split.test],
        y_true=truth if predictions.values is None else predictions.answers,
        y_pred=predictions.answers.astype(truth.dtype),
        classes=table.classes,
        probabilities=predictions.probabilities,
        decision=None,
        values=predictions.values,
        facts=facts | ({"note": oddity} if oddity else {}),
    )


def given_scores(
    experiment: Experiment, dataset: str, plan: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Bring the scores that all models give for one data set and plan into one table."""
    spec, parts = experiment.resampling.plans()[plan], []
    for model, given in experiment.given.items():
        path, place = given.scores_on(dataset), ("models", model, "scores")
        try:
            table = _table(path, state_of(path) if is_file(path) else ())
        except Problem as problem:
            raise Problem(place, problem.message) from None
        fit = {"dataset": dataset, "model": model, "plan": plan}
        frame = _chosen(table, path, place, experiment, fit)
        for metric in experiment.metrics:
            values = frame[frame["metric"] == metric]
            if values.empty:
                have = ", ".join(dict.fromkeys(frame["metric"].astype(str)))
                message = f"{path!r} has no scores of {metric} for {plan} (it has {have})"
                raise Problem(place, message)
            _check_folds(values, spec, f"{path!r}: {metric}, {plan}", place)
            parts.append(values.sort_values(["repeat", "fold"]).assign(model=model))
    scores = pd.concat(parts, ignore_index=True).assign(dataset=dataset, plan=plan)
    for size in _SIZES:
        per_fold = scores.groupby(["repeat", "fold"])[size].nunique(dropna=False)
        if (per_fold > 1).any():
            raise Problem(
                ("resampling", plan),
                f"the models' files give different values of {size} for one fold of {dataset}: "
                "these scores do not come from the same divisions",
            )
    scores["undefined"] = np.where(scores["value"].isna(), "the file has no value", "")
    types: Any = {"repeat": int, "fold": int, "value": float, **dict.fromkeys(_SIZES, "Int64")}
    scores = scores.astype(types)[[*KEYS, *_SIZES, "metric", "value", "undefined"]]
    fits = scores[[*KEYS]].drop_duplicates(ignore_index=True)
    return scores, fits.assign(seed=1, **dict.fromkeys(TIMINGS))


@lru_cache(maxsize=128)
def _table(path: str, state: tuple[int, ...]) -> pd.DataFrame:
    """Read a file once for all models and data sets that it holds; each model may have its own."""
    return read_frame(path, ())


def _chosen(
    frame: pd.DataFrame, path: str, place: Place, experiment: Experiment, fit: Mapping[str, str]
) -> pd.DataFrame:
    """Keep the rows of one model, data set and plan; make numbers of what must be numbers."""
    plans = experiment.resampling.plans()
    of_all = path == experiment.given[fit["model"]].scores
    several = {
        "dataset": len(experiment.datasets) > 1 and of_all,
        "plan": sum(map(experiment.by_scores, plans)) > 1,
        "repeat": plans[fit["plan"]].rounds > 1,
        "fold": plans[fit["plan"]].folds > 1,
    }
    for column in ("metric", "value", *(name for name, needed in several.items() if needed)):
        if column not in frame.columns:
            raise Problem(place, f"{path!r}: {unknown('column', column, frame.columns)}")
    for column, wanted in fit.items():
        if column in frame.columns:
            with blame(*place, before=f"{path!r}: column {column!r} "):
                names = identifiers(frame[column])
                refuse_same_names(n for n in names.unique() if plain_name(n) == plain_name(wanted))
            if not (names == wanted).any():
                raise Problem(place, f"{path!r}: {unknown(f'{column} in it:', wanted, set(names))}")
            frame = frame[names == wanted]
    counted = {"repeat": 1, "fold": 1, **dict.fromkeys(_SIZES, np.nan)}
    frame = frame.assign(**{name: v for name, v in counted.items() if name not in frame.columns})
    for column in ("repeat", "fold", "value", *_SIZES):
        values, expected = frame[column], "a number"
        numbers = pd.to_numeric(values, errors="coerce")
        wrong = (numbers.isna() & values.notna()) | np.isinf(numbers.astype("float64"))
        if column != "value":
            counted_from_1 = (numbers >= 1) & (numbers % 1 == 0)
            wrong = ~counted_from_1 & (values.notna() | (column not in _SIZES))
            expected = "a whole number from 1"
        if wrong.any():
            text = f"found {values[wrong].iloc[0]} in column {column!r}, expected {expected}"
            raise Problem(place, f"{path!r}: {text}")
        frame[column] = numbers
    check_ranges(frame, metrics_of(experiment), repr(path), place)
    return frame


def check_ranges(frame: pd.DataFrame, named: Mapping[str, Metric], what: str, place: Place) -> None:
    """Refuse scores outside the range of their metric."""
    for name, values in frame.groupby("metric", sort=False)["value"]:
        low, high = named[str(name)].range if name in named else (-math.inf, math.inf)
        outside = values[(values < low) | (values > high)]
        if len(outside):
            percent = " (are these percentages? divide by 100)" if high == 1 else ""
            raise Problem(
                place,
                f"{what}: {name} = {outside.iloc[0]:g} lies outside {low:g} to {high:g}{percent}",
            )


def _check_folds(values: pd.DataFrame, plan: Plan, what: str, place: Place) -> None:
    pairs = zip(values["repeat"], values["fold"], strict=True)
    counts = Counter((int(repeat), int(fold)) for repeat, fold in pairs)
    wanted = plan.splits()
    problems = {
        "occurs twice": sorted(pair for pair, count in counts.items() if count > 1),
        "is missing": sorted(set(wanted) - set(counts)),
        "is not one of the plan's": sorted(set(counts) - set(wanted)),
    }
    for problem, folds in problems.items():
        if folds:
            more = f" (and {len(folds) - 1} more)" if len(folds) > 1 else ""
            repeat, fold = folds[0]
            raise Problem(place, f"{what}: repeat {repeat}, fold {fold} {problem}{more}")

"""Predictions of all folds of a cross-validation, compared as an experiment of them would."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.api.arrays import as_pandas
from bakeoff.api.build_study import made_by
from bakeoff.api.estimator_entries import learner_of
from bakeoff.api.plans import FoldPlan, Split, name_of_rounds, plan_of, same_splits
from bakeoff.api.reports import is_of_folds, is_table, predictions_of
from bakeoff.api.settings import asked_tests, numbers_wanted, place_of, without_none
from bakeoff.data.given_predictions import HeldModel
from bakeoff.data.target import looks_like_a_quantity
from bakeoff.errors import UserError, listed
from bakeoff.execution.in_process import run_in_process
from bakeoff.report.study import Study
from bakeoff.sources.common.identifiers import identifiers, names, series_of
from bakeoff.spec import Experiment, HypothesisTests
from bakeoff.spec.datasets import GivenData
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.load import validated
from bakeoff.spec.task import Task

DATA = "data"
"""The id of the one data set."""
_FOLD = ("repeat", "fold")


class _Fold(NamedTuple):
    """What one model says of the rows that a fold tests."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    predicted: Any
    probabilities: NDArray[np.float64] | None


def study_of_predictions(
    results: Mapping[str, Any],
    *,
    cv: Any,
    X: Any,
    y: Any,
    groups: Any,
    name: str,
    metrics: Sequence[str],
    tests: Sequence[str],
    versus: str | None,
    positive: Any,
    unit: str | None,
    **settings: Any,
) -> Study:
    """Run the experiment of models that bring their predictions of folds; see `compare_folds`."""
    ids = {label: f"model-{i}" for i, label in enumerate(results, 1)}
    asked = asked_tests(ids, tests=tests, versus=versus, **settings)
    if all(map(is_table, results.values())):
        tables = {label: _table(label, one, y) for label, one in results.items()}
        plan = _plan_of_labels(next(iter(tables.values())))
    else:
        folds = {label: _folds(label, one, X, y) for label, one in results.items()}
        truth = _truth(results, y)
        splits = _whole_splits(folds, len(truth))
        plan = plan_of(cv, len(truth), len(splits), splits)
        tables = {label: _frame(label, own, truth, plan.places) for label, own in folds.items()}
        groups = None if groups is None else np.asarray(groups)  # rows are counted here
    if groups is not None:
        for table in tables.values():
            table["group"] = _looked_up("groups", groups, table["id"])
    task = _task(metrics, tables)
    roles = [*_FOLD, *(["group"] if groups is not None else [])]
    columns = validated(GivenColumns, {role: role for role in roles})
    data = without_none({"source": "given", "label": name, "positive": positive, "unit": unit})
    experiment = validated(
        Experiment,
        {
            "experiment": "compare",
            "task": task,
            "datasets": {DATA: validated(GivenData, data, ("datasets", DATA))},
            "models": {
                key: HeldModel.of(
                    *(tables[label], columns, ("models", key)),
                    numbers=task.numbers,
                    predictions=place_of(label),
                    label=label,
                ).trained_by(learner_of(results[label]))
                for label, key in ids.items()
            },
            "metrics": list(metrics) or [task.metric],
            "resampling": plan.resampling,
            "tests": validated(HypothesisTests, asked, ("tests",)),
        },
    )
    with tempfile.TemporaryDirectory() as folder:
        study = run_in_process(experiment, folder, 1, lambda done, total: None)
    return made_by(study, "bakeoff.compare_folds(results, …)")


def _task(metrics: Sequence[str], tables: Mapping[str, pd.DataFrame]) -> Task:
    """Tell from the metrics, or from what stands in the tables, whether numbers are predicted."""
    numbers = numbers_wanted(None, metrics)
    if numbers is None:
        roles = ("y_true", "y_pred")
        answers = [one[role] for one in tables.values() for role in roles if role in one]
        numbers = any(map(looks_like_a_quantity, answers))
    return Task.REGRESSION if numbers else Task.CLASSIFICATION


def _looked_up(what: str, given: Any, ids: pd.Series[Any]) -> NDArray[Any]:
    """Return the values of rows: by the index of a Series, else by their places."""
    rows = given if isinstance(given, pd.Series) else series_of(np.asarray(given), given)
    lacking = ids[~ids.isin(rows.index)]
    if len(lacking):
        raise UserError(
            f"{what}: {len(lacking):,} rows have no value, the first is {lacking.iloc[0]}"
        )
    return rows.loc[ids].to_numpy()


def _folds(label: str, result: Any, X: Any, y: Any) -> list[_Fold]:
    """Let a model of each fold predict the rows that it did not see."""
    if is_of_folds(result):
        said = predictions_of(result, "predict")
        sure = predictions_of(result, "predict_proba") or [None] * len(said)
        parts = zip(result.split_indices, said, sure, strict=True)
        return [_Fold(np.asarray(a), np.asarray(b), p, q) for (a, b), p, q in parts]
    found = dict(result) if isinstance(result, Mapping) else {}
    if X is None or not {"estimator", "indices"} <= set(found):
        raise UserError(
            f"results[{label!r}]: found {listed(found) or type(result).__name__}, expected with y "
            "a table with the column `fold`, a report of skore, or with X and y "
            "`cross_validate(…, return_estimator=True, return_indices=True)`"
        )
    indices = found["indices"]
    folds = []
    for fitted, train, test in zip(
        found["estimator"], indices["train"], indices["test"], strict=True
    ):
        rows = X.iloc[test] if hasattr(X, "iloc") else X[test]
        sure = fitted.predict_proba(rows) if hasattr(fitted, "predict_proba") else None
        folds.append(_Fold(np.asarray(train), np.asarray(test), fitted.predict(rows), sure))
    return folds


def _truth(results: Mapping[str, Any], y: Any) -> pd.Series[Any]:
    """Return the truth: `y`, or what the reports have, which must agree."""
    told = [y] if y is not None else []
    told += [one.y for one in results.values() if is_of_folds(one)]
    first = pd.Series(np.asarray(told[0]).ravel())
    for other in told[1:]:
        if not np.array_equal(first, np.asarray(other).ravel()):
            raise UserError("results: the reports are about different y, expected the same rows")
    return first


def _whole_splits(folds: Mapping[str, Sequence[_Fold]], n: int) -> list[Split]:
    """Return the splits, which are the same of all models and divide all rows."""
    splits = same_splits({m: [(one.train, one.test) for one in own] for m, own in folds.items()})
    for i, (train, test) in enumerate(splits):
        if len(train) + len(test) != n:
            raise UserError(
                f"cv: split {i} trains on {len(train):,} and tests {len(test):,} of {n:,} rows; "
                "predictions are compared on folds whose other rows are all trained on: leave out "
                "X and y to compare the scores"
            )
    return splits


def _frame(
    label: str, folds: Sequence[_Fold], truth: pd.Series[Any], places: Sequence[tuple[int, int]]
) -> pd.DataFrame:
    """Write predictions as a table of them has them."""
    parts = []
    for one, (repeat, fold) in zip(folds, places, strict=True):
        part = pd.DataFrame({"id": one.test, "repeat": repeat, "fold": fold})
        part["y_true"] = truth.iloc[one.test].to_numpy()
        part["y_pred"] = np.asarray(one.predicted)
        if one.probabilities is not None:
            classes = names(pd.Series(np.unique(truth.iloc[one.train])))
            if np.shape(one.probabilities) != (len(part), len(classes)):
                raise UserError(
                    f"results[{label!r}]: its probabilities have shape "
                    f"{np.shape(one.probabilities)}, expected {(len(part), len(classes))}"
                )
            part[[f"p_{name}" for name in classes]] = np.asarray(one.probabilities)
        parts.append(part)
    found = pd.concat(parts, ignore_index=True)
    sure = [column for column in found if str(column).startswith("p_")]
    return found.fillna(dict.fromkeys(sure, 0.0))  # of classes that a fold did not know


def _table(label: str, given: Any, y: Any) -> pd.DataFrame:
    """Complete a table of predictions: its index is the id, and the truth may stand in `y`."""
    table = pd.DataFrame(as_pandas(given)).copy()
    if "id" not in table:
        table.insert(0, "id", table.index)
    if "repeat" not in table:
        table.insert(1, "repeat", 1)
    try:
        identifiers(table["id"])
    except UserError as error:
        raise UserError(f"results[{label!r}]: column 'id' {error}") from None
    if "y_true" not in table:
        if y is None:
            raise UserError(f"results[{label!r}]: found no column y_true, and no y")
        table["y_true"] = _looked_up("y", y, table["id"])
    return table.reset_index(drop=True)


def _plan_of_labels(table: pd.DataFrame) -> FoldPlan:
    """Return the plan that labels of repeats and folds are of."""
    repeats = table["repeat"].nunique()
    folds = len(table[list(_FOLD)].drop_duplicates()) // repeats
    if repeats * folds == 1:
        raise UserError(
            "results: all rows are of one fold, expected several: `bakeoff.compare` compares "
            "predictions of one test set"
        )
    tested = np.array([len(table) / (repeats * folds)])
    kind = "resampled" if folds == 1 else name_of_rounds(repeats, folds)
    return FoldPlan(kind, repeats, folds, table["id"].nunique() - tested, tested, sized=False)

"""From the files of single fits to tables of scores and choices, and to the rows of a test set."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bakeoff.data.table import (
    COLLECTED_FOLD,
    COLLECTED_GROUP,
    COLLECTED_ID,
    COLLECTED_REPEAT,
    COLLECTED_TIME,
    COLLECTED_TRUTH,
    GROUP,
    ROW_ID,
    TAKEN,
    TIME,
    Table,
)
from bakeoff.errors import UserError
from bakeoff.files import is_whole, open_parquet, read_json, read_parquet, write_parquet
from bakeoff.fit.fit_task import importance_of, timing_of
from bakeoff.fit.predictions import METADATA, Predictions, read_facts
from bakeoff.scores.metrics import METRICS, score_view, view_of
from bakeoff.spec import Costs

KEYS = ("dataset", "model", "plan", "repeat", "fold")
"""The columns that tell one fit with all its seeds from another."""
_FIT = ["dataset", "model", "plan", "repeat", "fold", "seed"]
SIZES = ("n_train", "n_test")
"""The numbers of rows that a fit was trained and tested on."""
SCORES = [
    "dataset",
    "model",
    "plan",
    "repeat",
    "fold",
    "n_train",
    "n_test",
    "metric",
    "value",
    "undefined",
]
"""The columns of a table of scores."""
_CHOICES = [*_FIT, "parameter", "value", "inner_score"]
_FAILURES = [*_FIT, "why"]
_IMPORTANCE = ["dataset", "model", "plan", "feature", "scoring", "fits", "mean", "sd"]
TIMINGS = ("fit_seconds", "predict_seconds", "peak_memory_mb")
_SHOWN = 5
_SHOWN_OF_EACH = 3


# --- tables of all fits


def score_fits(
    predictions: Iterable[str | Path],
    metrics: Sequence[str],
    costs: Costs | None = None,
    fingerprints: Mapping[str, Mapping[str, str]] = {},
    carried: Mapping[str, str] = {},
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score the predictions of many fits; return a table of scores and one of times."""
    rows: list[dict[str, Any]] = []
    times: list[dict[str, Any]] = []
    ranking = _rank_rows(metrics)
    for path in predictions:
        made = read_made_by(path, fingerprints, ranking)
        fit = _taken(made.facts, _FIT)
        times.append(fit | _times_of(path))
        fit |= _taken(made.facts, SIZES)
        columns = _columns_taken(made, carried)
        view = view_of(made, costs, columns)
        for name in metrics:
            if made.values is not None:
                value = float(made.values_by(name).mean())
                reason = ""
            else:
                value, reason = score_view(METRICS[name], view)
            rows.append({**fit, "metric": name, "value": value, "undefined": reason})
    scores = pd.DataFrame(over_seeds(rows), columns=SCORES)
    return scores, pd.DataFrame(times, columns=_FIT + list(TIMINGS))


def _rank_rows(metrics: Iterable[str]) -> bool:
    """Tell whether a metric ranks rows, for which probabilities or decision values are read."""
    # a metric that models bring numbers for may be none of ours
    return any(name in METRICS and METRICS[name].by_order for name in metrics)


def _taken(facts: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Take some of the facts of a fit."""
    return {name: facts[name] for name in names}


def _times_of(path: str | Path) -> dict[str, Any]:
    """Read what a fit took; given predictions took nothing that is known."""
    timing = timing_of(path)
    seconds: Mapping[str, Any] = {}
    if timing.is_file() and is_whole(timing):
        seconds = read_json(timing)
    return {name: seconds.get(name) for name in TIMINGS}


def _columns_taken(made: Predictions, carried: Mapping[str, str]) -> dict[str, NDArray[Any]]:
    """Return the columns that own metrics take, for the test rows of a fit."""
    path = carried.get(made.facts["dataset"])
    if path is None:
        return {}
    columns = {}
    for name, values in carried_columns(path, made.row_id).items():
        if str(name).startswith(TAKEN):
            columns[str(name).removeprefix(TAKEN)] = values.to_numpy()
    return columns


def over_seeds(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Take the mean over the seeds of each fold."""
    of_fold = itemgetter(*KEYS, "metric")
    runs_by_fold: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        fold = of_fold(row)
        runs_by_fold.setdefault(fold, []).append(row)
    means = []
    for runs in runs_by_fold.values():
        # one run without a score leaves the fold without one: NaN + x = NaN
        values = [run["value"] for run in runs]
        mean = math.fsum(values) / len(runs)
        undefined = ""
        for run in runs:
            undefined = undefined or run["undefined"]
        means.append({**runs[0], "value": mean, "undefined": undefined})
    return means


def choices(predictions: Iterable[str | Path]) -> pd.DataFrame:
    """Tabulate the parameters and thresholds that the fits chose."""
    rows: list[dict[str, Any]] = []
    for facts in map(read_facts, predictions):
        fit = _taken(facts, _FIT)
        chosen = dict(facts.get("chosen", {}))
        inner_score = chosen.pop("inner_score", None)
        for name, value in chosen.pop("params", {}).items():
            rows.append(fit | _choice(name, value, inner_score))
        for name, value in chosen.items():
            rows.append(fit | _choice(name, value, None))
    return pd.DataFrame(rows, columns=_CHOICES)


def _choice(name: str, value: Any, inner_score: float | None) -> dict[str, Any]:
    text = value
    if not isinstance(value, str):
        text = json.dumps(value)
    return {"parameter": name, "value": text, "inner_score": inner_score}


def importances(predictions: Iterable[str | Path]) -> pd.DataFrame:
    """Tabulate by how much shuffling a column worsens scores, over all shuffles of all fits."""
    losses: dict[tuple[Any, ...], list[float]] = {}
    n_fits: Counter[tuple[Any, ...]] = Counter()
    for path in predictions:
        facts = read_facts(path)
        measured = read_json(importance_of(path))
        for column, values in measured["losses"].items():
            key = (facts["dataset"], facts["model"], facts["plan"], column, measured["scoring"])
            # None where the score has no value on shuffled rows
            losses.setdefault(key, []).extend(value for value in values if value is not None)
            n_fits[key] += 1
    rows = []
    for key, values in losses.items():
        mean = math.nan
        sd = math.nan
        if values:
            mean = float(np.mean(values))
            sd = float(np.std(values))
        rows.append((*key, n_fits[key], mean, sd))
    return pd.DataFrame(rows, columns=_IMPORTANCE)


def failures(predictions: Iterable[str | Path]) -> pd.DataFrame:
    """Tabulate the fits that failed, from the files they left instead of predictions."""
    rows = []
    for facts in map(read_facts, predictions):
        if "failure" in facts:
            rows.append(_taken(facts, _FIT) | {"why": facts["failure"]})
    return pd.DataFrame(rows, columns=_FAILURES)


# --- the predictions of all models on the same rows


def collect_predictions(
    paths: Mapping[str, str | Path],
    output: str | Path,
    fingerprints: Mapping[str, Mapping[str, str]] = {},
    data: str | Path | None = None,
    carried: str | Path | None = None,
) -> None:
    """Put the predictions of all models on one test set side by side, paired by row id."""
    table = _with_facts_of_rows(_side_by_side(paths, fingerprints), data, carried)
    write_parquet(output, table, compression="zstd")


def collect_fold_predictions(
    paths: Mapping[str, Sequence[str | Path]],
    output: str | Path,
    fingerprints: Mapping[str, Mapping[str, str]] = {},
    data: str | Path | None = None,
    carried: str | Path | None = None,
    untested: pd.DataFrame | None = None,
) -> None:
    """Put the predictions of all models by every fold of a plan below one another.

    `untested` lists the rows that no fold of a repeat tests, with the columns of collected
    predictions that say so; they have no predictions.
    """
    tables = []
    for fold_paths in zip(*paths.values(), strict=True):
        table = _side_by_side(dict(zip(paths, fold_paths, strict=True)), fingerprints)
        facts = Predictions.read(fold_paths[0]).facts
        table = table.add_column(0, COLLECTED_REPEAT, _repeated(facts["repeat"], len(table)))
        table = table.add_column(1, COLLECTED_FOLD, _repeated(facts["fold"], len(table)))
        tables.append(table)
    if not tables:
        tables = [_side_by_side({}, fingerprints)]
    odd = _ranked_in_some_folds(paths, tables)
    for place, table in enumerate(tables):
        tables[place] = table.drop_columns(odd.intersection(table.column_names))
    if untested is not None and len(untested):
        tables.append(_as_predictions(untested, tables[0].schema))
    joined = pa.concat_tables(tables, promote_options="default").unify_dictionaries()
    write_parquet(output, _with_facts_of_rows(joined, data, carried), compression="zstd")


def _repeated(number: int, n_rows: int) -> pa.Array:
    """Return a column of one number."""
    return pa.array(np.full(n_rows, number, dtype=np.int32))


def _side_by_side(
    paths: Mapping[str, str | Path], fingerprints: Mapping[str, Mapping[str, str]]
) -> pa.Table:
    """Return the predictions of models, which must be of the same rows, as columns."""
    columns: dict[str, Any] = {}
    notes: list[str] = []
    first_model = ""
    reference: Predictions | None = None
    for model, path in paths.items():
        made = read_made_by(path, fingerprints)
        if reference is None:
            reference = made
            first_model = model
            columns[COLLECTED_ID] = made.row_id
            if made.values is None:
                columns[COLLECTED_TRUTH] = made.stored(made.y_true)
        check_pairing(reference, made, first_model, model)
        columns |= _columns_of(model, made)
        if made.values is None and "note" in made.facts:
            notes.append(made.facts["note"])
    if reference is None:
        columns[COLLECTED_ID] = pa.array([], pa.int64())
        columns[COLLECTED_TRUTH] = pa.array([], pa.string())
    metadata = {METADATA: json.dumps({"notes": notes})}
    return pa.table(columns).replace_schema_metadata(metadata)


def _columns_of(model: str, made: Predictions) -> dict[str, Any]:
    """Return the predictions of a model, with ``model:class`` for what ranks rows by a class."""
    if made.values is not None:
        columns = {model: made.values}
        for metric, values in made.by_metric.items():
            columns[f"{model}:{metric}"] = values
        return columns
    columns = {model: made.stored(made.y_pred)}
    if made.ranking is None:
        return columns
    names = made.classes
    # of two classes a decision value is about the positive one
    if made.ranking.shape[1] == 1:
        names = made.classes[-1:]
    for k, name in enumerate(names):
        columns[f"{model}:{name}"] = made.ranking[:, k]
    return columns


def _ranked_in_some_folds(runs: Iterable[str], tables: Sequence[pa.Table]) -> set[str]:
    """Name the scores of runs that rank rows in some folds alone, or by other classes."""
    # Columns that are missing in some folds would leave rows without a score there: no metric by
    # them could be compared on all rows.
    odd: set[str] = set()
    for run in runs:
        folds_with: Counter[str] = Counter()
        for table in tables:
            folds_with.update(name for name in table.column_names if name.startswith(f"{run}:"))
        if min(folds_with.values(), default=len(tables)) < len(tables):
            odd.update(folds_with)
    return odd


def untested_rows(table: Table, splits: pd.DataFrame) -> pd.DataFrame:
    """List the rows that no fold of a repeat tests: with the fold 0, or -1 where none trains."""
    answers = table.answers
    if table.classes:
        answers = np.array(table.classes, dtype=object)[answers]
    truth = pd.Series(answers)
    truth.index = pd.Index(table.frame[ROW_ID])
    parts = [pd.DataFrame(columns=[COLLECTED_REPEAT, COLLECTED_FOLD, COLLECTED_ID])]
    # a division holds for each row the fold that tests it: 0 trains in all, −1 is in no fold
    for name in splits.columns.drop(ROW_ID):
        repeat = name.removeprefix("repeat-")
        # a column of each fold says which training rows are its own
        if not repeat.isdecimal():
            continue
        rows = splits[splits[name] <= 0]
        part = {
            COLLECTED_REPEAT: np.int32(repeat),
            COLLECTED_FOLD: rows[name].astype(np.int32),
            COLLECTED_ID: rows[ROW_ID],
            COLLECTED_TRUTH: truth.loc[rows[ROW_ID]].to_numpy(),
        }
        parts.append(pd.DataFrame(part))
    return pd.concat(parts, ignore_index=True)


def _as_predictions(untested: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    """Return rows without predictions, their columns typed like those of a table."""
    columns = {}
    for name in untested.columns:
        # numbers per row have no truth
        if name in schema.names:
            columns[name] = pa.array(untested[name]).cast(schema.field(name).type)
    return pa.table(columns)


# --- what is known of the rows


def _with_facts_of_rows(
    table: pa.Table, data: str | Path | None, carried: str | Path | None
) -> pa.Table:
    """Add what is known of rows beside their predictions: groups or times, and own columns."""
    row_id = table[COLLECTED_ID].to_numpy()
    beside: dict[Any, Any] = {}
    if data is not None:
        beside |= related(data, row_id)
    if carried is not None:
        beside |= dict(carried_columns(carried, row_id).items())
    for name, values in beside.items():
        table = table.append_column(name, pa.array(values, from_pandas=True))
    return table


def related(data: str | Path, row_id: NDArray[Any]) -> dict[str, Any]:
    """Return the group or the time of rows, by their ids, as columns of collected predictions."""
    with open_parquet(data) as file:
        present = file.schema_arrow.names
    columns = [name for name in (ROW_ID, GROUP, TIME) if name in present]
    frame = read_parquet(data, columns).to_pandas().set_index(ROW_ID).loc[row_id]
    collected = {}
    for name, key in ((COLLECTED_GROUP, GROUP), (COLLECTED_TIME, TIME)):
        if key in frame:
            collected[name] = frame[key].to_numpy()
    return collected


def carried_columns(path: str | Path, row_id: NDArray[Any]) -> pd.DataFrame:
    """Return what comparisons look at of some rows, by their ids."""
    frame: pd.DataFrame = read_parquet(path).to_pandas()
    return frame.set_index(ROW_ID).loc[row_id]


# --- the file of a fit


def read_made_by(
    path: str | Path, fingerprints: Mapping[str, Mapping[str, str]], ranking: bool = True
) -> Predictions:
    """Read predictions, unless another state made them: `fingerprints` by data set and model."""
    # Snakemake cannot see what a job really did: one that started before an edit of the experiment,
    # or that a cluster took for dead, may have written its file since.
    made = Predictions.read(path, ranking)
    wanted = fingerprints.get(made.facts["dataset"], {}).get(made.facts["model"])
    if wanted is not None and made.facts.get("fingerprint") != wanted:
        raise UserError(
            f"{path} was made by another state of the experiment or of the package (was it edited "
            "during the run?); delete this file and run again"
        )
    return made


def check_pairing(a: Predictions, b: Predictions, name_a: str, name_b: str) -> None:
    """Refuse to pair predictions of different rows, or of rows with different labels."""
    if not np.array_equal(a.row_id, b.row_id):
        only_a = np.setdiff1d(a.row_id, b.row_id)[:_SHOWN_OF_EACH]
        only_b = np.setdiff1d(b.row_id, a.row_id)[:_SHOWN_OF_EACH]
        in_one_only = np.concatenate([only_a, only_b])
        differ = ", ".join(map(str, in_one_only)) or "their order"
        raise UserError(
            f"{name_a} and {name_b} were not tested on the same rows (first that differ: {differ})"
        )
    wrong = np.flatnonzero(a.y_true != b.y_true)
    if len(wrong):
        shown = ", ".join(map(str, a.row_id[wrong[:_SHOWN]]))
        raise UserError(f"{name_a} and {name_b} disagree on the true answer of rows {shown}")

"""From the files of single fits to tables of scores and choices, and to the rows of a test set."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
_FIT = [*KEYS, "seed"]
_VALUES = ("n_train", "n_test", "metric", "value", "undefined")
_IMPORTANCE = ("dataset", "model", "plan", "feature", "scoring", "fits", "mean", "sd")
TIMINGS = ("fit_seconds", "predict_seconds", "peak_memory_mb")


def score_fits(
    predictions: Iterable[str | Path],
    metrics: Sequence[str],
    costs: Costs | None = None,
    fingerprints: Mapping[str, Mapping[str, str]] = {},
    carried: Mapping[str, str] = {},
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score the predictions of many fits."""
    rows: list[dict[str, Any]] = []
    times: list[dict[str, Any]] = []
    # that which models bring numbers for may be none of ours
    ranking = any(METRICS[name].by_order for name in metrics if name in METRICS)
    for path in predictions:
        one = read_made_by(path, fingerprints, ranking)
        timing = timing_of(path)  # given predictions took nothing that is known
        seconds = read_json(timing) if timing.is_file() and is_whole(timing) else {}
        fit = {name: one.facts[name] for name in _FIT}
        times.append(fit | {name: seconds.get(name) for name in TIMINGS})
        fit |= {name: one.facts[name] for name in ("n_train", "n_test")}
        columns = {}
        if (carried_at := carried.get(one.facts["dataset"])) is not None:
            along = carried_columns(carried_at, one.row_id).filter(regex=f"^{TAKEN}")
            columns = {name.removeprefix(TAKEN): along[name].to_numpy() for name in map(str, along)}
        view = view_of(one, costs, columns)
        for name in metrics:
            if one.values is not None:
                value, reason = float(one.values.mean()), ""
            else:
                value, reason = score_view(METRICS[name], view)
            rows.append({**fit, "metric": name, "value": value, "undefined": reason})
    scores = pd.DataFrame(over_seeds(rows), columns=[*KEYS, *_VALUES])
    return scores, pd.DataFrame(times, columns=[*_FIT, *TIMINGS])


def choices(predictions: Iterable[str | Path]) -> pd.DataFrame:
    """Tabulate the parameters and thresholds that the fits chose."""
    rows: list[dict[str, Any]] = []
    for facts in map(read_facts, predictions):
        chosen = dict(facts.get("chosen", {}))
        score = chosen.pop("inner_score", None)
        each = [(name, value, score) for name, value in chosen.pop("params", {}).items()]
        each += [(name, value, None) for name, value in chosen.items()]
        for name, value, inner in each:
            text = value if isinstance(value, str) else json.dumps(value)
            row = {"parameter": name, "value": text, "inner_score": inner}
            rows.append({key: facts[key] for key in _FIT} | row)
    return pd.DataFrame(rows, columns=[*_FIT, "parameter", "value", "inner_score"])


def importances(predictions: Iterable[str | Path]) -> pd.DataFrame:
    """Tabulate by how much shuffling a column worsens scores, over all shuffles of all fits."""
    losses: dict[tuple[Any, ...], list[float]] = {}
    fits: Counter[tuple[Any, ...]] = Counter()
    for path in predictions:
        facts, measured = read_facts(path), read_json(importance_of(path))
        for column, values in measured["losses"].items():
            place = facts["dataset"], facts["model"], facts["plan"]
            key = (*place, column, measured["scoring"])
            losses.setdefault(key, []).extend(value for value in values if value is not None)
            fits[key] += 1
    rows = []
    for key, values in losses.items():
        mean = float(np.mean(values)) if values else math.nan
        sd = float(np.std(values)) if values else math.nan
        rows.append((*key, fits[key], mean, sd))
    return pd.DataFrame(rows, columns=list(_IMPORTANCE))


def failures(predictions: Iterable[str | Path]) -> pd.DataFrame:
    """Tabulate the fits that failed, from the files they left instead of predictions."""
    failed = (facts for facts in map(read_facts, predictions) if "failure" in facts)
    rows = [{key: facts[key] for key in _FIT} | {"why": facts["failure"]} for facts in failed]
    return pd.DataFrame(rows, columns=[*_FIT, "why"])


def over_seeds(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Take the mean over the seeds of each fold."""
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in (*KEYS, "metric")), []).append(row)
    return [
        {
            **runs[0],
            "value": math.fsum(row["value"] for row in runs) / len(runs),
            "undefined": next((row["undefined"] for row in runs if row["undefined"]), ""),
        }
        for runs in groups.values()
    ]


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
        numbers = {COLLECTED_REPEAT: facts["repeat"], COLLECTED_FOLD: facts["fold"]}
        for place, (name, number) in enumerate(numbers.items()):
            column = pa.array(np.full(len(table), number, dtype=np.int32))
            table = table.add_column(place, name, column)
        tables.append(table)
    tables = tables or [_side_by_side({}, fingerprints)]
    odd = _ranked_in_some_folds(paths, tables)
    tables = [table.drop_columns(odd & {*table.column_names}) for table in tables]
    if untested is not None and len(untested):
        tables.append(_as_predictions(untested, tables[0].schema))
    joined = pa.concat_tables(tables, promote_options="default").unify_dictionaries()
    write_parquet(output, _with_facts_of_rows(joined, data, carried), compression="zstd")


def untested_rows(table: Table, splits: pd.DataFrame) -> pd.DataFrame:
    """List the rows that no fold of a repeat tests: with the fold 0, or -1 where none trains."""
    names = np.array(table.classes, dtype=object)
    truth = pd.Series(names[table.answers] if table.classes else table.answers)
    truth.index = pd.Index(table.frame[ROW_ID])
    parts = [pd.DataFrame(columns=[COLLECTED_REPEAT, COLLECTED_FOLD, COLLECTED_ID])]
    for name in splits.columns.drop(ROW_ID):
        repeat = name.removeprefix("repeat-")
        if not repeat.isdecimal():  # each fold has training rows of its own
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


def _ranked_in_some_folds(runs: Iterable[str], tables: Sequence[pa.Table]) -> set[str]:
    """Name the scores of runs that rank rows in some folds alone, or by other classes."""
    odd = set[str]()
    for run in runs:
        of_folds = [
            {name for name in table.column_names if name.startswith(f"{run}:")} for table in tables
        ]
        if any(names != of_folds[0] for names in of_folds):
            odd = odd.union(*of_folds)
    return odd


def _as_predictions(untested: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    """Return rows without predictions, their columns typed like those of a table."""
    columns = {}
    for name in untested.columns:
        if name in schema.names:  # numbers per row have no truth
            columns[name] = pa.array(untested[name]).cast(schema.field(name).type)
    return pa.table(columns)


def _with_facts_of_rows(
    table: pa.Table, data: str | Path | None, carried: str | Path | None
) -> pa.Table:
    """Add what is known of rows beside their predictions: groups or times, and own columns."""
    row_id = table[COLLECTED_ID].to_numpy()
    beside: dict[Any, Any] = {} if data is None else related(data, row_id)
    beside |= {} if carried is None else carried_columns(carried, row_id)
    for name, values in beside.items():
        table = table.append_column(name, pa.array(values, from_pandas=True))
    return table


def _side_by_side(
    paths: Mapping[str, str | Path], fingerprints: Mapping[str, Mapping[str, str]]
) -> pa.Table:
    nothing = {
        COLLECTED_ID: pa.array([], pa.int64()),
        COLLECTED_TRUTH: pa.array([], pa.string()),
    }
    columns: dict[str, Any] = {} if paths else nothing
    reference: Predictions | None = None
    notes: list[str] = []
    for model, path in paths.items():
        one = read_made_by(path, fingerprints)
        if reference is None:
            reference = one
            columns = {COLLECTED_ID: one.row_id}
            if one.values is None:
                columns[COLLECTED_TRUTH] = one.stored(one.y_true)
        check_pairing(reference, one, next(iter(paths)), model)
        if one.values is not None:
            columns[model] = one.values
            continue
        columns[model] = one.stored(one.y_pred)
        if one.ranking is not None:
            names = one.classes if one.ranking.shape[1] > 1 else one.classes[-1:]
            columns |= {f"{model}:{c}": one.ranking[:, k] for k, c in enumerate(names)}
        notes += [one.facts["note"]] if "note" in one.facts else []
    table = pa.table(columns)
    return table.replace_schema_metadata({METADATA: json.dumps({"notes": notes})})


def related(data: str | Path, row_id: NDArray[Any]) -> dict[str, Any]:
    """Return the group or the time of rows, by their ids, as columns of collected predictions."""
    keys = {COLLECTED_GROUP: GROUP, COLLECTED_TIME: TIME}
    with open_parquet(data) as file:
        columns = [c for c in file.schema_arrow.names if c in (ROW_ID, *keys.values())]
    frame = read_parquet(data, columns).to_pandas().set_index(ROW_ID).loc[row_id]
    return {name: frame[key].to_numpy() for name, key in keys.items() if key in frame}


def carried_columns(path: str | Path, row_id: NDArray[Any]) -> pd.DataFrame:
    """Return what comparisons look at of some rows, by their ids."""
    frame: pd.DataFrame = read_parquet(path).to_pandas()
    return frame.set_index(ROW_ID).loc[row_id]


def read_made_by(
    path: str | Path, fingerprints: Mapping[str, Mapping[str, str]], ranking: bool = True
) -> Predictions:
    """Read predictions, unless another state made them: `fingerprints` by data set and model."""
    # Snakemake cannot see what a job really did: one that started before an edit of the experiment,
    # or that a cluster took for dead, may have written its file since.
    one = Predictions.read(path, ranking)
    wanted = fingerprints.get(one.facts["dataset"], {}).get(one.facts["model"])
    if wanted is not None and one.facts.get("fingerprint") != wanted:
        raise UserError(
            f"{path} was made by another state of the experiment or of the package (was it edited "
            "during the run?); delete this file and run again"
        )
    return one


def check_pairing(a: Predictions, b: Predictions, name_a: str, name_b: str) -> None:
    """Refuse to pair predictions of different rows, or of rows with different labels."""
    if not np.array_equal(a.row_id, b.row_id):
        only = [*np.setdiff1d(a.row_id, b.row_id)[:3], *np.setdiff1d(b.row_id, a.row_id)[:3]]
        raise UserError(
            f"{name_a} and {name_b} were not tested on the same rows (first that differ: "
            f"{', '.join(map(str, only)) or 'their order'})"
        )
    wrong = np.flatnonzero(a.y_true != b.y_true)
    if len(wrong):
        shown = ", ".join(str(a.row_id[i]) for i in wrong[:5])
        raise UserError(f"{name_a} and {name_b} disagree on the true answer of rows {shown}")

"""Read collected scores and predictions as evidence, models paired by fold or by row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bakeoff.comparisons.evidence.of_rows import Codes, FoldPredictions, PairedPredictions
from bakeoff.comparisons.evidence.of_scores import FoldScores
from bakeoff.comparisons.evidence.of_values import PairedValues
from bakeoff.data.row_columns import SUBGROUP, TAKEN
from bakeoff.data.table import PROBABILITY_SLACK
from bakeoff.errors import UserError

GROUP, TIME = ":group", ":time"
"""Columns of collected predictions that relate rows; no model is called so."""


def fold_scores(scores: pd.DataFrame, models: list[str], metric: str) -> FoldScores:
    """Cut the scores of one data set and plan to an array, models paired fold by fold."""
    own = scores[scores["metric"] == metric]
    present = [model for model in models if (own["model"] == model).any()]
    wide = own.pivot(index=["repeat", "fold"], columns="model", values="value")
    first = own[own["model"].isin(present[:1])].sort_values(["repeat", "fold"])
    shape = first["repeat"].nunique(), first["fold"].nunique()
    if len(wide) != shape[0] * shape[1] or len(own) != wide.size:
        raise UserError(f"the scores of {metric} are not complete: rerun snakemake")
    sizes = first[["n_train", "n_test"]]
    known = not sizes.isna().any(axis=None)
    n_train, n_test = (
        sizes[name].to_numpy().reshape(shape) if known else None for name in ("n_train", "n_test")
    )
    undefined = own[own["value"].isna()].groupby("model")["undefined"].unique().to_dict()
    return FoldScores(
        tuple(present),
        wide[present].to_numpy(dtype=np.float64).reshape(*shape, len(present)),
        n_train,
        n_test,
        tuple("; ".join(map(str, undefined.get(model, ()))) for model in present),
        _without(models, present),
    )


def read_scores(path: str | Path) -> pd.DataFrame:
    """Read collected scores."""
    return pd.read_csv(
        path,
        dtype=dict.fromkeys(("dataset", "model", "plan", "metric", "undefined"), str),
        keep_default_na=False,
        na_values={key: [""] for key in ("value", "n_train", "n_test")},
    )


def read_predictions(
    path: str | Path, models: list[str], *, scores: bool = False, probabilities: bool = False
) -> PairedPredictions:
    """Read the collected predictions on one test set.

    Parameters
    ----------
    path : path
        The collected predictions.
    models : list of str
        Whose predictions to read; those that are not in the file are left out.
    scores : bool
        Whether to read the scores of the positive class too.
    probabilities : bool
        Whether to read the probabilities of all classes too.
    """
    with pq.ParquetFile(path) as file:
        known = file.schema_arrow.names
        present = [model for model in models if model in known]
        table = file.read(columns=["y_true", *present])
    classes, truth = _coded(table["y_true"])
    codes = [_among(classes, *_coded(table[name])) for name in present]
    ranking = None
    if scores and present:
        ranking = _columns(path, [f"{model}:{classes[-1]}" for model in present], known)
    kin = _frame(path, carried := [n for n in known if n.startswith((SUBGROUP, TAKEN))])
    return PairedPredictions(
        tuple(present),
        tuple(classes),
        truth,
        np.column_stack(codes) if codes else np.empty((len(truth), 0), np.int8),
        ranking,
        _without(models, present),
        _probabilities(path, present, classes, known) if probabilities else None,
        **_related(path, known),
        subgroups=_subgroups(kin),
        columns={n.removeprefix(TAKEN): kin[n].to_numpy() for n in _of(TAKEN, carried)},
    )


def _coded(column: pa.ChunkedArray) -> tuple[list[str], Codes]:
    """Return the classes of a column of labels and the place of each row's.

    By way of pandas a column takes half a millisecond, and a study has many.
    """
    labels = column.combine_chunks()
    if not pa.types.is_dictionary(labels.type):  # of no rows
        labels = labels.dictionary_encode()
    classes = labels.dictionary.to_pylist()
    small = np.min_scalar_type(-max(len(classes), 1))
    return classes, labels.indices.to_numpy(zero_copy_only=False).astype(small)


def _among(classes: Sequence[str], own: Sequence[str], codes: Codes) -> Codes:
    """Turn codes of a model's own list of classes into those of a common one; -1: not there."""
    if own == classes:
        return codes
    places = [classes.index(name) if name in classes else -1 for name in own]
    return np.array(places, dtype=np.min_scalar_type(-max(len(classes), 1)))[codes]


def _columns(path: str | Path, names: Sequence[str], known: Sequence[str]) -> NDArray[np.float64]:
    """Read columns of numbers side by side; NaN for those that there are not."""
    table = pq.read_table(path, columns=[name for name in names if name in known])
    there = set(table.column_names)
    found = np.full((len(table), len(names)), np.nan)
    for at, name in enumerate(names):
        if name in there:
            found[:, at] = table[name].to_numpy()
    return found


def read_values(path: str | Path, models: list[str]) -> PairedValues:
    """Read the collected numbers of one data set; models that are not in the file are left out."""
    known = pq.read_schema(path).names
    present = [model for model in models if model in known]
    values = pd.read_parquet(path, columns=present).to_numpy(dtype=np.float64)
    kin = _frame(path, _of(SUBGROUP, known))
    left_out, subgroups = _without(models, present), _subgroups(kin)
    return PairedValues(
        tuple(present), values, left_out, **_related(path, known), subgroups=subgroups
    )


def _frame(path: str | Path, columns: list[str]) -> pd.DataFrame:
    """Read some columns, and not the file for none."""
    return pd.read_parquet(path, columns=columns) if columns else pd.DataFrame()


def _subgroups(kin: pd.DataFrame) -> dict[str, pd.Categorical]:
    """Take the columns of subgroups among those that are carried along."""
    return {
        n.removeprefix(SUBGROUP): pd.Categorical(kin[n]) for n in _of(SUBGROUP, list(map(str, kin)))
    }


def _related(path: str | Path, known: Sequence[str]) -> dict[str, Any]:
    """Read what relates the rows."""
    kin = _frame(path, [name for name in (GROUP, TIME) if name in known])
    keys = {"groups": GROUP, "times": TIME}
    return {key: kin[name].to_numpy() for key, name in keys.items() if name in kin}


def _probabilities(
    path: str | Path, models: Sequence[str], classes: Sequence[str], known: Sequence[str]
) -> NDArray[np.float64]:
    """Read rows × models × classes; NaN where a model's columns are none or no probabilities."""
    found = _columns(path, [f"{model}:{name}" for model in models for name in classes], known)
    values = found.reshape(len(found), len(models), len(classes))
    right = np.isclose(values.sum(axis=2), 1, atol=PROBABILITY_SLACK)
    right &= (values >= -PROBABILITY_SLACK).all(axis=2)
    return np.where(right.all(axis=0)[:, None], values, np.nan)


def read_fold_predictions(path: str | Path, models: list[str]) -> FoldPredictions:
    """Read the collected predictions of a plan of folds; rows are paired by their id."""
    known = pq.read_schema(path).names
    present = [model for model in models if model in known]
    frame = pd.read_parquet(path, columns=["row_id", "repeat", "fold", "y_true", *present])
    frame = frame.sort_values(["repeat", "row_id"], kind="stable")
    repeats = frame["repeat"].nunique()
    truth = frame["y_true"].astype(str).to_numpy()
    right = [frame[model].astype(str).to_numpy() == truth for model in present]
    correct = np.column_stack(right) if right else np.empty((len(frame), 0), dtype=bool)
    return FoldPredictions(
        tuple(present),
        frame["fold"].to_numpy().reshape(repeats, -1),
        correct.reshape(repeats, -1, len(present)),
        _without(models, present),
    )


def _of(kind: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if name.startswith(kind)]


def _without(models: Sequence[str], present: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{model} has no results here" for model in models if model not in present)

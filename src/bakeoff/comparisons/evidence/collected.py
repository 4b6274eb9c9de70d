"""Read collected scores and predictions as evidence, models paired by fold or by row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bakeoff.comparisons.evidence.of_rows import (
    Codes,
    FoldPredictions,
    PairedPredictions,
    PairedValues,
)
from bakeoff.comparisons.evidence.of_scores import FoldScores
from bakeoff.data.row_columns import SUBGROUP, TAKEN
from bakeoff.data.table import PROBABILITY_SLACK
from bakeoff.errors import UserError
from bakeoff.files import open_parquet, read_csv, read_frame
from bakeoff.spec.experiment import run_of

GROUP, TIME = ":group", ":time"
"""Columns of collected predictions that relate rows; no model is called so."""

_AT_ONCE = 4_000_000
"""Numbers that are read at once, before they are put in their place."""


def fold_scores(scores: pd.DataFrame, models: list[str], metric: str) -> FoldScores:
    """Cut the scores of one data set and plan to an array, models paired fold by fold."""
    own = scores[scores["metric"] == metric]
    scored = set(own["model"])
    present = [model for model in models if model in scored]
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
    return read_csv(
        path,
        dtype=dict.fromkeys(("dataset", "model", "plan", "metric", "undefined"), str),
        keep_default_na=False,
        na_values={key: [""] for key in ("value", "n_train", "n_test")},
    )


def read_predictions(
    path: str | Path,
    models: list[str],
    *,
    scores: bool = False,
    probabilities: bool = False,
) -> PairedPredictions:
    """Read the collected predictions on one test set, each training run as if it was a model."""
    with open_parquet(path) as file:
        known = file.schema_arrow.names
        present = _present(models, known)
        numbers = pa.types.is_floating(file.schema_arrow.field("y_true").type)
        table = file.read(columns=["y_true", *present, *(["row_id"] if numbers else [])])
    if numbers:
        classes: list[str] = []
        truth: NDArray[Any] = table["y_true"].to_numpy()
        codes = [table[name].to_numpy() for name in present]
    else:
        classes, truth = _coded(table["y_true"])
        codes = [_among(classes, *_coded(table[name])) for name in present]
    wanted, said = classes if probabilities else classes[-1:], None
    if present and (scores or probabilities):
        said = _numbers(path, [[f"{model}:{name}" for name in wanted] for model in present])
    kin = _frame(path, carried := [n for n in known if n.startswith((SUBGROUP, TAKEN))])
    return PairedPredictions(
        tuple(present),
        tuple(classes),
        truth,
        np.column_stack(codes) if codes else np.empty((len(truth), 0), np.int8),
        said[..., -1] if scores and said is not None else None,
        _without(models, present),
        _probabilities(said) if probabilities and said is not None else None,
        **_related(path, known),
        subgroups=_subgroups(kin),
        columns={n.removeprefix(TAKEN): kin[n].to_numpy() for n in _of(TAKEN, carried)},
        ids=table["row_id"].to_numpy() if numbers else None,
    )


def _coded(column: pa.ChunkedArray) -> tuple[list[str], Codes]:
    """Return the classes of a column of labels and the place of each row's."""
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


def _present(models: Sequence[str], known: Sequence[str]) -> list[str]:
    """List the models that are there, with all their training runs."""
    found = [(*run_of(name), name) for name in known if name in models or _is_run(name)]
    return [name for model in models for own, _, name in sorted(found) if own == model]


def _is_run(name: str) -> bool:
    """Tell a column of a further run's predictions from those of its scores."""
    model, seed = run_of(name)
    return seed > 1 and ":" not in model


def read_values(path: str | Path, models: list[str]) -> PairedValues:
    """Read the collected numbers of one data set, each training run as if it was a model."""
    known = _names(path)
    present = _present(models, known)
    values = read_frame(path, present).to_numpy(dtype=np.float64)
    kin = _frame(path, _of(SUBGROUP, known))
    left_out, subgroups = _without(models, present), _subgroups(kin)
    return PairedValues(
        tuple(present), values, left_out, **_related(path, known), subgroups=subgroups
    )


def _names(path: str | Path) -> list[str]:
    with open_parquet(path) as file:
        names: list[str] = file.schema_arrow.names
        return names


def _frame(path: str | Path, columns: list[str]) -> pd.DataFrame:
    """Read some columns, and not the file for none."""
    return read_frame(path, columns) if columns else pd.DataFrame()


def _subgroups(kin: pd.DataFrame) -> dict[str, pd.Categorical]:
    """Take the columns of subgroups among those that are carried along."""
    return {
        n.removeprefix(SUBGROUP): pd.Categorical(kin[n]) for n in _of(SUBGROUP, list(map(str, kin)))
    }


def _related(path: str | Path, known: Sequence[str]) -> dict[str, Any]:
    """Read groups and times of the rows."""
    kin = _frame(path, [name for name in (GROUP, TIME) if name in known])
    keys = {"groups": GROUP, "times": TIME}
    return {key: kin[name].to_numpy() for key, name in keys.items() if name in kin}


def _probabilities(said: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows × models × classes; NaN where a model's columns are none or no probabilities."""
    right = [
        np.isclose(own.sum(axis=1), 1, atol=PROBABILITY_SLACK).all()
        and bool((own >= -PROBABILITY_SLACK).all())
        for own in said.transpose(1, 0, 2)
    ]
    return said if all(right) else np.where(np.array(right)[:, None], said, np.nan)


def _numbers(path: str | Path, columns: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Read rows × models × columns, NaN for columns that are not there."""
    # Each model's lie together in memory, so that what looks at a model copies nothing.
    with open_parquet(path) as file:
        known, n = set(file.schema_arrow.names), file.metadata.num_rows
        values = np.empty((len(columns), n, len(columns[0])))
        some = max(1, _AT_ONCE // values[0].size) if n else len(columns)
        for start in range(0, len(columns), some):
            part = columns[start : start + some]
            found = file.read(columns=[name for own in part for name in own if name in known])
            for own, names in zip(values[start:], part, strict=False):
                for place, name in enumerate(names):
                    own[:, place] = found[name].to_numpy() if name in known else np.nan
    return values.transpose(1, 0, 2)


def read_fold_predictions(path: str | Path, models: list[str]) -> FoldPredictions:
    """Read the collected predictions of a plan of folds; rows are paired by their id."""
    known = _names(path)
    present = [model for model in models if model in known]
    frame = read_frame(path, ["row_id", "repeat", "fold", "y_true", *present])
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
    """Say which models have no results; of training runs the models count."""
    found = {run_of(name)[0] for name in present}
    return tuple(f"{model} has no results here" for model in models if model not in found)

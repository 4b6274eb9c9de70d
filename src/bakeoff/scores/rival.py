"""A model of another run on this run's folds: proof that both divide the same rows alike."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from bakeoff.data.splits import Split
from bakeoff.data.table import ROW_ID, TARGET, Table
from bakeoff.errors import Place, Problem, UserError, some
from bakeoff.files import is_file, read_parquet, reading, state_of
from bakeoff.fit.predictions import Predictions, stamp
from bakeoff.paths import Paths
from bakeoff.spec import Experiment, Fit


def check_same_run(
    model: str, experiment: Experiment, dataset: str, plan: str, table: Table, splits: pd.DataFrame
) -> None:
    """Prove that another run has the data and the divisions of this one."""
    place, there = _place_of(model, experiment)
    old, divided = there.data(dataset), there.splits(dataset, plan)
    for path in (old, divided):
        if not is_file(path):
            raise Problem(
                place,
                f"no file at {path!r}, which would show that {model} was trained on the same rows "
                f"by {plan}; run that experiment with this data set and plan first",
            )
    differs = _difference_of_data(_read(old, state_of(old)), _as_stored(table.frame))
    classes = _classes(old)
    if not differs and classes != table.classes:
        differs = f"classes {some(classes)} there, {some(table.classes)} here, in this order"
    if differs:
        raise Problem(place, f"{old!r} holds other data than {dataset} here: {differs}")
    if not _read(divided, state_of(divided)).equals(_as_stored(splits)):
        raise Problem(
            place,
            f"{divided!r} divides the rows otherwise than {plan} here: "
            f"{_difference_of_plans(experiment, there, plan)}",
        )


def rival_predictions(fit: Fit, experiment: Experiment, table: Table, split: Split) -> Predictions:
    """Take the predictions of another run's model by one fold, after `check_same_run`."""
    place, there = _place_of(fit.model, experiment)
    path = experiment.given[fit.model].predictions_on(fit.dataset, fit.split)
    if not is_file(path):
        raise Problem(place, f"no file at {path!r}; run that experiment by the plan {fit.plan}")
    try:
        one = Predictions.read(path)
    except UserError as error:
        raise Problem(place, str(error)) from None
    if "failure" in one.facts:
        raise Problem(place, f"{path!r} is of a fit that failed: {one.facts['failure']}")
    made = stamp("", there.data(fit.dataset), there.splits(fit.dataset, fit.plan))
    if one.facts.get("inputs") != made["inputs"]:
        raise Problem(
            place,
            f"{path!r} was not made from the data and the divisions that lie beside it now: finish "
            "that run first",
        )
    rows = table.frame[ROW_ID].to_numpy()[split.test]
    assert np.array_equal(one.row_id, rows), path  # it follows from all that is proved
    kept = {name: one.facts[name] for name in ("no_probabilities",) if name in one.facts}
    return dataclasses.replace(one, facts=kept)


def _place_of(model: str, experiment: Experiment) -> tuple[Place, Paths]:
    results = experiment.given[model].results
    assert results is not None
    return ("models", model, "results"), Paths(results)


@lru_cache(maxsize=4)
def _read(path: str, state: tuple[int, ...]) -> pa.Table:
    """Read a table once for all folds."""
    return read_parquet(path).replace_schema_metadata(None)


def _classes(path: str) -> tuple[str, ...]:
    with reading(path):
        named = pq.read_schema(path).metadata[b"classes"].decode()
        return tuple(named.split("\0")) if named else ()


def _as_stored(frame: pd.DataFrame) -> pa.Table:
    """Return a table as it would be read back from its file."""
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), file)
    return pq.read_table(file).replace_schema_metadata(None)


def _difference_of_data(old: pa.Table, new: pa.Table) -> str:
    """Say in which rows or columns two tables differ; empty where they do not."""
    if old.equals(new):
        return ""
    if len(old) != len(new):
        return f"{len(old):,} rows there, {len(new):,} here"
    for there, others, where in ((old, new, "there"), (new, old, "here")):
        only = [name for name in there.column_names if name not in others.column_names]
        if only:
            return f"column(s) {where} alone: {some(only)}"
    names = {ROW_ID: "the row ids", TARGET: "the labels"}
    changed = [name for name in old.column_names if not old[name].equals(new[name])]
    if changed:
        return f"{some([names.get(name, f'the column {name!r}') for name in changed])} differ"
    return "the columns stand in another order"


def _difference_of_plans(experiment: Experiment, there: Paths, plan: str) -> str:
    """Say what made the divisions differ, as far as that run's experiment tells."""
    found = _resolved(there)
    here = experiment.resolved()
    plans = found.get("resampling")
    there_plan = plans.get(plan) if isinstance(plans, dict) else None
    differing: Sequence[tuple[str, Any, Any]] = [
        ("seed", found.get("seed"), here["seed"]),
        (f"resampling.{plan}", there_plan, here["resampling"][plan]),
    ]
    said = [f"`{key}` is {a} there and {b} here" for key, a, b in differing if a != b]
    return "; ".join(said) or "they come from another state of the data or of the package"


def _resolved(there: Paths) -> dict[str, Any]:
    """Read the experiment that a run leaves; empty where it is not there."""
    try:
        found = yaml.safe_load(Path(there.top("experiment.yaml")).read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    return found if isinstance(found, dict) else {}

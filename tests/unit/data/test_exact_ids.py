"""Ids, groups and runs of given predictions are whole numbers of any size, in every file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bakeoff
from bakeoff.api.alignment import aligned, as_pandas
from bakeoff.api.estimator_table import joined_table
from bakeoff.api.parts import Parts
from bakeoff.data.file_columns import Columns
from bakeoff.data.given_tables import read_columns
from bakeoff.data.table_files import read_table
from bakeoff.errors import Problem, UserError
from bakeoff.spec.given_models import GivenColumns

STARTS = [1, 2**53, 2**63 - 2, 12345678901234567890, 10**21]
ENDINGS = ["csv", "tsv", "jsonl", "parquet", "feather", "xlsx"]
ROWS = 6


def _write(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame of Python's integers."""
    match path.suffix:
        case ".csv" | ".tsv":
            frame.to_csv(path, index=False, sep="," if path.suffix == ".csv" else "\t")
        case ".jsonl":
            rows = frame.to_dict("records")
            path.write_text("".join(json.dumps(row, default=int) + "\n" for row in rows))
        case ".xlsx":
            frame.astype(str).to_excel(path, index=False)
        case ".parquet":
            frame.infer_objects().to_parquet(path)
        case _:
            frame.infer_objects().to_feather(path)


def _whole(start: int, each: int = 1) -> list[int]:
    return [start + i // each for i in range(ROWS)]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_every_reader_tells_rows_and_groups_apart(ending: str, start: int, tmp_path: Path) -> None:
    if ending in ("parquet", "feather") and start >= 2**64:
        pytest.skip("Arrow has no such whole numbers")
    path = tmp_path / f"p.{ending}"
    ids, groups = _whole(start), _whole(start, each=2)
    made = {"id": pd.Series(ids, dtype=object), "who": pd.Series(groups, dtype=object)}
    _write(pd.DataFrame({**made, "y_pred": np.arange(ROWS) % 2}), path)
    file = Columns(str(path), read_table(str(path), ("x",)), ("x",))
    assert [str(one) for one in file.ids("id")] == [str(one) for one in ids]
    related = file.related("group", GivenColumns(group="who"))
    assert related is not None
    assert list(related) == [str(one) for one in groups]


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
@pytest.mark.parametrize("role", ["id", "group", "run", "seed", "fold"])
def test_floats_that_stand_for_several_numbers_identify_nothing(
    role: str, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"p.{ending}"
    frame = pd.DataFrame({"who": np.arange(ROWS) * 4 + 2.0**54})
    if ending == "parquet":
        frame.to_parquet(path)
    else:
        path.write_text("".join(f'{{"who": {one!r}}}\n' for one in frame["who"]))
    file = Columns(str(path), read_table(str(path), ("x",)), ("x",))
    columns = GivenColumns.model_validate({role: "who"})
    with pytest.raises(Problem, match="'who' holds floating-point numbers"):
        file.ids("who") if role == "id" else file.related(role, columns)


def test_files_of_training_runs_keep_ids(tmp_path: Path) -> None:
    ids = _whole(12345678901234567890)
    for seed in (1, 2):
        rows = "".join(f"{one},1\n" for one in ids)
        (tmp_path / f"m{seed}.csv").write_text("id,y_pred\n" + rows)
    file = read_columns(str(tmp_path / "m{seed}.csv"), ("models", "m", "predictions"))
    assert list(file.row_ids("id")) == [str(one) for one in [*ids, *ids]]


def test_groups_in_a_list_are_told_apart() -> None:
    groups = [2**63 + i // 2 for i in range(ROWS - 2)] + [5, 6]
    truth, other = [0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 1, 0]
    said = str(bakeoff.compare(truth, {"a": truth, "b": other}, groups=groups))
    assert "in 4 groups" in said.replace("\n", " ")
    frame, roles = joined_table(np.zeros((ROWS, 1)), truth, {"groups": groups})
    assert list(frame[roles["groups"]]) == groups


def test_groups_of_floats_are_refused_from_python() -> None:
    truth, other = [0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 1, 0]
    groups = np.arange(ROWS) + 2.0**60
    with pytest.raises(UserError, match=r"groups.* do not tell neighbouring whole numbers apart"):
        bakeoff.compare(truth, {"a": truth, "b": other}, groups=groups)


def test_subgroups_of_arrow_keep_codes() -> None:
    codes = pa.table({"site": pa.array([2**53, 2**53 + 1, None] * 4)})
    rows = aligned({"subgroups['site']": as_pandas(codes)["site"]})
    found = Parts.taken(codes, {}).of(rows)["site"]
    assert [*found.categories] == [str(2**53), str(2**53 + 1), "(missing)"]


def test_score_tables_refuse_groups_that_were_floats() -> None:
    table = pd.DataFrame(
        {
            "dataset": [f"d{i}" for i in range(ROWS)],
            "who": np.arange(ROWS) + 2.0**60,
            "a": np.linspace(0.5, 0.9, ROWS),
            "b": np.linspace(0.4, 0.8, ROWS),
        }
    )
    with pytest.raises(UserError, match=r"groups.* do not tell neighbouring whole numbers apart"):
        bakeoff.compare_datasets(table, datasets="dataset", groups="who", values="higher")
    with pytest.raises(UserError, match=r"groups.* 6 empty cells"):
        bakeoff.compare_datasets(
            table.assign(who=None), datasets="dataset", groups="who", values="higher"
        )

"""Ids, groups and runs of given predictions are whole numbers of any size, in every file."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bakeoff
from bakeoff.api.estimators import joined_table
from bakeoff.api.rows import side_by_side
from bakeoff.data.columns import in_order
from bakeoff.data.given_tables import read_columns
from bakeoff.errors import Problem, UserError
from tests.unit.sources.test_identifiers import WRITERS

STARTS = [1, 2**53, 2**63 - 2, 12345678901234567890, 10**21]
ROWS = 6


@pytest.mark.parametrize("start", STARTS)
def test_rows_and_groups_are_told_apart(start, tmp_path):
    keys = [start + i for i in range(ROWS)]
    WRITERS["csv"](tmp_path / "p.csv", keys)
    file = read_columns(str(tmp_path / "p.csv"), ("x",))
    for found in (file.with_roles(groups="k").related("groups"), file.ids("k")):
        assert list(map(str, found)) == list(map(str, keys))


@pytest.mark.parametrize("role", ["id", "groups", "runs", "seeds", "fold"])
def test_floats_that_stand_for_several_numbers_identify_nothing(role, tmp_path):
    frame = pd.DataFrame({"who": np.arange(ROWS) * 4 + 2.0**54})
    frame.to_parquet(tmp_path / "p.parquet")
    file = read_columns(str(tmp_path / "p.parquet"), ("x",))
    with pytest.raises(Problem, match="'who' holds floating-point numbers"):
        file.ids("who") if role == "id" else file.with_roles(**{role: "who"}).related(role)


def test_files_of_training_runs_keep_ids(tmp_path):
    ids = [12345678901234567890 + i for i in range(ROWS)]
    for seed in (1, 2):
        rows = "".join(f"{one},1\n" for one in ids)
        (tmp_path / f"m{seed}.csv").write_text("id,y_pred\n" + rows)
    file = read_columns(str(tmp_path / "m{seed}.csv"), ("models", "m", "predictions"))
    assert list(file.row_ids("id")) == [str(one) for one in [*ids, *ids]]


def test_groups_in_a_list_are_told_apart():
    groups = [2**63 + i // 2 for i in range(ROWS - 2)] + [5, 6]
    truth, other = [0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 1, 0]
    said = str(bakeoff.compare(truth, {"a": truth, "b": other}, groups=groups))
    assert "in 4 groups" in said.replace("\n", " ")
    frame, roles = joined_table(np.zeros((ROWS, 1)), truth, {"groups": groups})
    assert list(frame[roles["groups"]]) == groups
    floats = np.arange(ROWS) + 2.0**60
    with pytest.raises(UserError, match=r"groups.* do not tell neighbouring whole numbers apart"):
        bakeoff.compare(truth, {"a": truth, "b": other}, groups=floats)


def test_subgroups_of_arrow_keep_codes():
    codes = pa.table({"site": pa.array([2**53, 2**53 + 1, None] * 4)})
    given = {"a": np.arange(12.0), "b": np.arange(12.0)[::-1]}
    rows, *_ = side_by_side(None, given, {}, {}, values="higher", subgroups=codes)
    found = rows.subgroups["site"]
    assert [*found.categories] == [str(2**53), str(2**53 + 1), "(missing)"]


def test_score_tables_refuse_groups_that_were_floats():
    table = pd.DataFrame({"a": np.linspace(0.5, 0.9, ROWS), "b": np.linspace(0.4, 0.8, ROWS)})
    table = table.assign(dataset=[f"d{i}" for i in range(ROWS)], who=np.arange(ROWS) + 2.0**60)
    how = {"datasets": "dataset", "groups": "who", "values": "higher"}
    with pytest.raises(UserError, match=r"groups.* do not tell neighbouring whole numbers apart"):
        bakeoff.compare_datasets(table, **how)
    with pytest.raises(UserError, match=r"groups.* 6 empty cells"):
        bakeoff.compare_datasets(table.assign(who=None), **how)


def test_codes_have_an_order_of_their_own():
    assert in_order(["7", "10", "07"]) == in_order(["07", "7", "10"]) == ["07", "7", "10"]
    assert in_order(["b", "10", "2"]) == ["10", "2", "b"]

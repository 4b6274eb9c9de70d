"""Tables in files: where they are found; `test_formats` has what is in them."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from bakeoff.errors import Problem
from bakeoff.execution.digests import of_data
from bakeoff.spec import read_experiment
from tests.unit.sources.helpers import PENGUINS, experiment, load


def example(folder):
    shutil.copy(PENGUINS, folder / "train.csv")
    shutil.copy(PENGUINS, folder / "test.csv")
    return {"source": "file", "path": "train.csv", "test_path": "test.csv", "target": "target"}


def test_files_are_found_beside_the_experiment(tmp_path, monkeypatch, tiny):
    folder, elsewhere = tmp_path / "study", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (folder / "p.csv").write_bytes(PENGUINS.read_bytes())
    tiny["datasets"] = {"d": {"source": "file", "path": "p.csv", "target": "target"}}
    (folder / "e.yaml").write_text(json.dumps(tiny))
    monkeypatch.chdir(elsewhere)
    made = read_experiment(folder / "e.yaml")
    assert made.datasets["d"].path == "../study/p.csv"
    assert load(made).card["rows"] == 344
    (elsewhere / "p.csv").write_text("a,target\n1,u\n2,v\n")
    here = read_experiment("../study/e.yaml")
    assert here.datasets["d"].path == "p.csv"
    assert of_data(here, "d") != of_data(made, "d")


@pytest.fixture
def joined(in_folder):
    rows = range(40)
    patients = pd.DataFrame({"patient": rows, "age": rows, "ill": ["no", "yes"] * 20})
    patients.to_csv("patients.csv", index=False)
    pd.DataFrame({"patient": reversed(range(1, 41)), "iron": range(40)}).to_csv(
        "lab.csv", index=False, sep=";"
    )
    lab = {"path": "lab.csv", "key": "patient", "sep": ";"}
    file = {"source": "file", "path": "patients.csv", "target": "ill", "id": "patient"}
    return {**file, "join": [lab]}


def test_second_table_is_joined_by_its_key(tiny, joined):
    made = experiment(tiny, **joined)
    assert list(made.datasets["d"].inputs()) == ["patients.csv", "lab.csv"]
    frame = load(made).frame
    assert frame["age"].tolist() == list(range(40))
    assert frame["iron"].isna().tolist() == [True] + [False] * 39
    assert frame["iron"].tolist()[1:3] == [39, 38]


@pytest.mark.parametrize(
    ("change", "text", "expected"),
    [
        ({"key": "pat"}, None, "join[0].key: the first table: unknown column 'pat'"),
        ({"path": "labb.csv"}, None, "join: no file at 'labb.csv'; did you mean 'lab.csv'?"),
        ({}, "patient;iron\n1;2\n1;3\n", "join[0].key: 'lab.csv': 'patient' must be unique: 1 "),
        ({}, "patient;age\n1;2\n", "join[0]: 'lab.csv' has the column 'age', which is there"),
        ({}, "patient;iron\n77;2\n", "join[0].key: no 'patient' of the first table is in"),
    ],
)
def test_mistake_in_a_join_is_told(tiny, joined, change, text, expected):
    if text is not None:
        Path("lab.csv").write_text(text)
    joined["join"] = [joined["join"][0] | change]
    with pytest.raises(Problem) as told:
        load(experiment(tiny, **joined))
    assert expected in str(told.value)

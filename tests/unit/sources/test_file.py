"""Tables in files: where they are found; `test_formats` has what is in them."""

import json
import shutil

from bakeoff.execution.digests import of_data
from bakeoff.spec import read_experiment
from tests.unit.sources.helpers import PENGUINS, load


def example(folder):
    shutil.copy(PENGUINS, folder / "train.csv")
    shutil.copy(PENGUINS, folder / "test.csv")
    return {
        "source": "file",
        "path": "train.csv",
        "test_path": "test.csv",
        "target": "target",
    }


def test_files_are_found_beside_the_experiment(tmp_path, monkeypatch, tiny):
    folder = tmp_path / "study"
    elsewhere = tmp_path / "elsewhere"
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

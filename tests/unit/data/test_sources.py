"""Data from the web, from OpenML's interface and from functions, against a local server."""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bakeoff.check import check_experiment
from bakeoff.data import Table, download, load_table, openml
from bakeoff.errors import Problem
from bakeoff.files import DOWNLOADS
from bakeoff.run.recipes import of_data
from bakeoff.spec import Experiment, load_experiment, read_experiment
from tests.conftest import ROOT

PENGUINS = ROOT / "config/data/penguins.csv"


class Server:
    """A web server on this machine: what it gives, what it was asked, how often it fails."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.failures = 0
        self.cut = 0
        self.missing = 404
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                page = outer.pages.get(self.path)
                if outer.failures:
                    outer.failures -= 1
                    self.send_error(503)
                elif page is None:
                    self.send_error(outer.missing)
                else:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(page)))
                    self.end_headers()
                    self.wfile.write(page[: len(page) - outer.cut])
                    outer.cut = 0

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(download, "_WAITS", (0.0, 0.0))
    monkeypatch.setattr(openml, "_RETRIES", 1)
    monkeypatch.setattr(openml, "_DELAY", 0.01)
    running = Server()
    yield running
    running.close()


def experiment(tiny: dict[str, Any], **data: Any) -> Experiment:
    return load_experiment(tiny | {"datasets": {"d": data}})


def load(made: Experiment) -> Table:
    return load_table("d", made.datasets["d"], made.seed)


def of_url(server: Server, content: bytes, name: str = "penguins.csv") -> dict[str, Any]:
    server.pages[f"/{name}"] = content
    sha256 = hashlib.sha256(content).hexdigest()
    url = f"{server.address}/{name}"
    return {"source": "url", "url": url, "sha256": sha256, "target": "target"}


def test_url_is_downloaded_once(server: Server, tiny: dict[str, Any]) -> None:
    data = of_url(server, gzip.compress(PENGUINS.read_bytes(), mtime=0), "penguins.csv.gz")
    made = experiment(tiny, **data)
    assert check_experiment(made)[0] == []
    assert server.asked == [], "checking an experiment must not need the network"
    server.failures = 2
    first = load(made)
    assert first.card["rows"] == 344
    assert len(server.asked) == 3
    pd.testing.assert_frame_equal(load(made).frame, first.frame)
    assert len(server.asked) == 3
    assert [p.name for p in DOWNLOADS.iterdir()] == [data["sha256"]]
    assert check_experiment(made)[0] == []


def test_broken_connection_is_tried_again(server: Server, tiny: dict[str, Any]) -> None:
    server.cut = 1000
    assert load(experiment(tiny, **of_url(server, PENGUINS.read_bytes()))).card["rows"] == 344
    assert len(server.asked) == 2


def test_damaged_download_is_made_anew(server: Server, tiny: dict[str, Any]) -> None:
    made = experiment(tiny, **of_url(server, PENGUINS.read_bytes()))
    load(made)
    (kept,) = DOWNLOADS.iterdir()
    kept.write_bytes(b"half")
    assert load(made).card["rows"] == 344
    assert len(server.asked) == 2


def test_changed_file_is_refused(server: Server, tiny: dict[str, Any]) -> None:
    data = of_url(server, PENGUINS.read_bytes())
    server.pages["/penguins.csv"] += b"\n"
    with pytest.raises(
        Problem, match=r"datasets\.d\.url: the file at .* has the sha256 [0-9a-f]{64}"
    ):
        load(experiment(tiny, **data))
    assert list(DOWNLOADS.iterdir()) == []


def test_address_without_a_file_is_told(server: Server, tiny: dict[str, Any]) -> None:
    data = of_url(server, b"")
    server.pages.clear()
    with pytest.raises(Problem, match=r"cannot be downloaded \(HTTP 404 Not Found\)"):
        load(experiment(tiny, **data))
    assert len(server.asked) == 1, "what is not there will not be there in a second"
    gone = data | {"url": "http://127.0.0.1:9/x.csv"}
    with pytest.raises(Problem, match=r"without a network, put the file at .*downloads/e3b0c4"):
        load(experiment(tiny, **gone))


def test_what_is_wrong_with_a_downloaded_table_is_told(
    server: Server, tiny: dict[str, Any]
) -> None:
    with pytest.raises(Problem, match=r"datasets\.d\.url: .*seems to be separated by ';'"):
        load(experiment(tiny, **of_url(server, b"a;target\n1;u\n")))
    with pytest.raises(Problem, match=r"datasets\.d\.target: unknown target column 'target'"):
        load(experiment(tiny, **of_url(server, b"a,b\n1,2\n")))


def serve_openml(server: Server) -> None:
    """Give penguins as OpenML gives its data set 42585."""
    frame = pd.read_csv(PENGUINS).rename(columns={"target": "species"})
    kinds = {c: "numeric" if frame[c].dtype.kind in "fi" else "nominal" for c in frame}
    lines = ["@RELATION penguins"]
    for name, kind in kinds.items():
        values = "{" + ",".join(sorted(map(str, frame[name].dropna().unique()))) + "}"
        lines.append(f"@ATTRIBUTE {name} {'REAL' if kind == 'numeric' else values}")
    rows = frame.astype(object).where(frame.notna(), "?").to_numpy()
    arff = "\n".join([*lines, "@DATA", *(",".join(map(str, row)) for row in rows)]).encode()
    features = [
        {
            "index": str(i),
            "name": name,
            "data_type": kind,
            "is_target": str(name == "species").lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": str(frame[name].isna().sum()),
            "nominal_value": sorted(frame[name].dropna().unique()) if kind == "nominal" else [],
        }
        for i, (name, kind) in enumerate(kinds.items())
    ]
    listed = {"did": 42585, "name": "penguins", "version": 1, "status": "active"}
    description = {
        "id": "42585",
        "name": "penguins",
        "version": "1",
        "description": "Palmer penguins",
        "format": "ARFF",
        "licence": "CC0",
        "status": "active",
        "url": "https://api.openml.org/data/v1/download/1/penguins.arff",
        "md5_checksum": hashlib.md5(arff).hexdigest(),
    }
    api = "/api/v1/json/data"
    pages = {
        f"{api}/list/data_name/penguins/limit/2/status/active/": {"data": {"dataset": [listed]}},
        f"{api}/list/data_name/penguins/limit/2/data_version/1": {"data": {"dataset": [listed]}},
        f"{api}/42585": {"data_set_description": description},
        f"{api}/features/42585": {"data_features": {"feature": features}},
        f"{api}/qualities/42585": {
            "data_qualities": {"quality": [{"name": "NumberOfInstances", "value": "344.0"}]}
        },
    }
    server.pages |= {path: json.dumps(page).encode() for path, page in pages.items()}
    server.pages["/data/v1/download/1/penguins.arff"] = arff


@pytest.mark.parametrize(
    "keys", [{"data_id": 42585}, {"name": "penguins"}, {"name": "penguins", "version": 1}], ids=str
)
def test_openml_is_fetched_once(server: Server, tiny: dict[str, Any], keys: dict[str, Any]) -> None:
    serve_openml(server)
    made = experiment(tiny, source="openml", server=server.address, **keys)
    assert check_experiment(made)[0] == []
    assert server.asked == []
    first = load(made)
    asked = len(server.asked)
    assert first.classes == ("Adelie", "Chinstrap", "Gentoo")
    assert first.card["missing_cells"] == 19
    assert first.card["licence"] == "CC0"
    assert first.card["source"]["data_id"] == 42585
    server.close()
    pd.testing.assert_frame_equal(load(made).frame, first.frame)
    assert len(server.asked) == asked
    file = {"source": "file", "path": str(PENGUINS), "target": "target"}
    same = load(experiment(tiny, **file)).frame
    assert len(first.frame) == len(same)
    assert (first.frame["__target__"] == same["__target__"]).all()


def test_another_target_can_be_named(server: Server, tiny: dict[str, Any]) -> None:
    serve_openml(server)
    keys = {"source": "openml", "server": server.address, "data_id": 42585}
    made = experiment(tiny, **keys, target="island")
    assert load(made).classes == ("Biscoe", "Dream", "Torgersen")
    with pytest.raises(Problem, match=r"target: unknown target column 'iland'; did you mean 'isl"):
        load(experiment(tiny, **keys, target="iland"))


def test_openml_out_of_reach_is_told(tiny: dict[str, Any], server: Server) -> None:
    keys = {"source": "openml", "server": "http://127.0.0.1:9", "name": "penguins"}
    with pytest.raises(Problem) as told:
        load(experiment(tiny, **keys))
    message = str(told.value)
    assert "datasets.d.name: OpenML cannot be reached for name penguins, version active" in message
    assert "Connect to the network, or run once where there is one and copy" in message
    assert "`source: file`" in message


def test_unknown_openml_data_set_is_told(tiny: dict[str, Any], server: Server) -> None:
    server.missing = 412  # as OpenML answers
    keys = {"source": "openml", "server": server.address, "name": "penguins"}
    with pytest.raises(
        Problem, match=r"d\.name: OpenML has no usable data set of name p.*No active dataset"
    ):
        load(experiment(tiny, **keys))


CODE = """
import numpy as np
import pandas as pd

def frame(rows=40):
    return pd.DataFrame({"x": np.random.random(rows), "y": ["u", "v"] * (rows // 2)})

def both():
    made = frame()
    return made[["x"]], made["y"]

def arrays():
    return pd.DataFrame({0: range(9)}), ["u", "v", "w"] * 3

def uneven():
    return pd.DataFrame({"x": range(9)}), ["u", "v"]

def nothing():
    return None

def fails():
    raise RuntimeError("no luck today")

number = 3
"""


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    file = tmp_path / "mydata.py"
    file.write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield file
    sys.modules.pop("mydata", None)


@pytest.mark.parametrize(
    ("keys", "rows"),
    [
        ({"function": "mydata.frame", "target": "y"}, 40),
        ({"function": "mydata.frame", "target": "y", "params": {"rows": 12}}, 12),
        ({"function": "mydata.both"}, 40),
        ({"function": "mydata.arrays"}, 9),
    ],
    ids=str,
)
def test_function_gives_data(
    code: Path, tiny: dict[str, Any], keys: dict[str, Any], rows: int
) -> None:
    made = experiment(tiny, source="function", **keys)
    assert check_experiment(made)[0] == []
    table = load(made)
    assert len(table.frame) == rows
    pd.testing.assert_frame_equal(load(made).frame, table.frame)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"function": "mydatta.frame"}, "function: mydatta.frame: there is no module 'mydatta'"),
        ({"function": "mydata.fram"}, "unknown function in mydata: 'fram'; did you mean 'frame'?"),
        ({"function": "mydata.number"}, "mydata.number is a int, not a function"),
        ({"function": "mydata.frame", "params": {"row": 3}}, "cannot be called with `params`"),
    ],
    ids=str,
)
def test_wrong_function_is_told_before_the_run(
    code: Path, tiny: dict[str, Any], keys: dict[str, Any], message: str
) -> None:
    problems, _ = check_experiment(experiment(tiny, source="function", **keys))
    assert message in "\n".join(map(str, problems))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"function": "mydata.frame"}, r"say which column is the target"),
        ({"function": "mydata.frame", "target": "z"}, r"target: unknown target column 'z'"),
        ({"function": "mydata.nothing"}, r"returned a NoneType, expected a pandas DataFrame"),
        ({"function": "mydata.uneven"}, r"returned 9 rows and a target of shape \(2,\)"),
        (
            {"function": "mydata.fails"},
            r"function: mydata.fails failed: RuntimeError: no luck today \(.*mydata.py, line 22\)",
        ),
    ],
    ids=str,
)
def test_function_that_gives_no_data_is_told(
    code: Path, tiny: dict[str, Any], keys: dict[str, Any], message: str
) -> None:
    with pytest.raises(Problem, match=message):
        load(experiment(tiny, source="function", **keys))


def test_module_that_cannot_be_imported_is_told(code: Path, tiny: dict[str, Any]) -> None:
    code.write_text("import nosuchpackage\n")
    made = experiment(tiny, source="function", function="mydata.frame")
    assert "there is no module 'nosuchpackage'" in str(check_experiment(made)[0][0])
    code.write_text("1/0\n")
    sys.modules.pop("mydata", None)
    assert "ZeroDivisionError: division by zero" in str(check_experiment(made)[0][0])


def test_files_are_found_beside_the_experiment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny: dict[str, Any]
) -> None:
    folder, elsewhere = tmp_path / "study", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (folder / "p.csv").write_bytes(PENGUINS.read_bytes())
    tiny["datasets"] = {"d": {"source": "file", "path": "p.csv", "target": "target"}}
    (folder / "e.yaml").write_text(json.dumps(tiny))
    monkeypatch.chdir(elsewhere)
    made = read_experiment(folder / "e.yaml")
    assert made.datasets["d"].path == "../study/p.csv"  # type: ignore[union-attr]
    assert load(made).card["rows"] == 344
    (elsewhere / "p.csv").write_text("a,target\n1,u\n2,v\n")
    here = read_experiment("../study/e.yaml")
    assert here.datasets["d"].path == "p.csv"  # type: ignore[union-attr]
    assert of_data(here, "d") != of_data(made, "d")


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "iris", "wine"])
def test_data_sets_that_scikit_learn_ships(tiny: dict[str, Any], name: str) -> None:
    table = load(experiment(tiny, source="sklearn", name=name))
    assert table.card["missing_cells"] == 0
    assert len(table.classes) == {"breast_cancer": 2, "digits": 10}.get(name, 3)

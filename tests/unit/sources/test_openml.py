"""Data sets from OpenML, whose address leads to a server on this machine."""

import hashlib
import json
import urllib.request
from contextlib import contextmanager
from unittest import mock

import pandas as pd
import pytest

from bakeoff.errors import Problem
from bakeoff.preflight import check_experiment
from bakeoff.sources import SOURCES
from tests.unit.sources.helpers import PENGUINS, Server, experiment, load

NAMED = {"name": "penguins"}


@contextmanager
def openml_at(address):
    def here(request):
        parts = request.full_url.split("/", 3)
        return urllib.request.urlopen(f"{address}/{parts[3]}")

    with mock.patch("sklearn.datasets._openml.urlopen", here):
        yield


@pytest.fixture
def openml(server):
    serve_openml(server)
    with openml_at(server.address):
        yield server


def example(folder):
    server = Server()
    entry = {"source": "openml", "data_id": 42585}
    try:
        serve_openml(server)
        with openml_at(server.address):
            SOURCES["openml"].model_validate(entry).load(1)
    finally:
        server.close()
    return entry


def serve_openml(server):
    """Give penguins as OpenML gives its data set 42585."""
    frame = pd.read_csv(PENGUINS).rename(columns={"target": "species"})
    lines = ["@RELATION penguins"]
    features = []
    for i, (name, values) in enumerate(frame.items()):
        kind = "numeric"
        attribute = "REAL"
        names = []
        if values.dtype.kind not in "fi":
            kind = "nominal"
            names = sorted(values.dropna().unique())
            attribute = "{" + ",".join(names) + "}"
        lines.append(f"@ATTRIBUTE {name} {attribute}")
        feature = {
            "index": str(i),
            "name": name,
            "data_type": kind,
            "is_target": str(name == "species").lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": str(values.isna().sum()),
            "nominal_value": names,
        }
        features.append(feature)
    lines.append("@DATA")
    for row in frame.astype(object).where(frame.notna(), "?").to_numpy():
        lines.append(",".join(map(str, row)))
    arff = "\n".join(lines).encode()
    listed = {
        "did": 42585,
        "name": "penguins",
        "version": 1,
        "status": "active",
    }
    address = "https://api.openml.org/data/v1/download/1/penguins.arff"
    description = {
        "id": "42585",
        "name": "penguins",
        "version": "1",
        "status": "active",
        "description": "Palmer penguins",
        "format": "ARFF",
        "licence": "CC0",
        "url": address,
        "md5_checksum": hashlib.md5(arff).hexdigest(),
    }
    api = "/api/v1/json/data"
    size = {"name": "NumberOfInstances", "value": "344.0"}
    pages = {
        f"{api}/list/data_name/penguins/limit/2/status/active/": {"data": {"dataset": [listed]}},
        f"{api}/list/data_name/penguins/limit/2/data_version/1": {"data": {"dataset": [listed]}},
        f"{api}/42585": {"data_set_description": description},
        f"{api}/features/42585": {"data_features": {"feature": features}},
        f"{api}/qualities/42585": {"data_qualities": {"quality": [size]}},
    }
    server.pages |= {path: json.dumps(page).encode() for path, page in pages.items()}
    server.pages["/data/v1/download/1/penguins.arff"] = arff


@pytest.mark.parametrize("keys", [{"data_id": 42585}, NAMED, NAMED | {"version": 1}], ids=str)
def test_openml_is_fetched_once(openml, tiny, keys):
    made = experiment(tiny, source="openml", **keys)
    assert check_experiment(made)[0] == []
    assert openml.asked == []
    first = load(made)
    asked = len(openml.asked)
    assert first.classes == ("Adelie", "Chinstrap", "Gentoo")
    assert first.card["missing_cells"] == 19
    assert first.card["licence"] == "CC0"
    assert first.card["source"]["data_id"] == 42585
    openml.close()
    pd.testing.assert_frame_equal(load(made).frame, first.frame)
    assert len(openml.asked) == asked
    file = {
        "source": "file",
        "path": str(PENGUINS),
        "target": "target",
    }
    same = load(experiment(tiny, **file)).frame
    assert len(first.frame) == len(same)
    assert (first.frame["__target__"] == same["__target__"]).all()


def test_another_target_can_be_named(openml, tiny):
    keys = {"source": "openml", "data_id": 42585}
    made = experiment(tiny, **keys, target="island")
    assert load(made).classes == ("Biscoe", "Dream", "Torgersen")
    with pytest.raises(Problem, match=r"target: unknown target column 'iland'; did you mean 'isl"):
        load(experiment(tiny, **keys, target="iland"))


def test_openml_out_of_reach_and_unknown_data_set_are_told(tiny, server):
    made = experiment(tiny, source="openml", name="penguins")
    away = (
        r"datasets.d.name: OpenML cannot be reached for name penguins, version active.*Connect to "
        "the network, or run once where there is one and copy.*`source: file`"
    )
    with openml_at("http://127.0.0.1:9"), pytest.raises(Problem, match=away):
        load(made)
    server.missing = 412  # as OpenML answers
    unknown = r"d\.name: OpenML has no usable data set of name penguins"
    with openml_at(server.address), pytest.raises(Problem, match=unknown):
        load(made)

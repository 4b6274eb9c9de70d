"""Tables at web addresses, against a local server."""

import gzip
import hashlib

import pandas as pd
import pytest

from bakeoff.errors import Problem, UserError
from bakeoff.files import DOWNLOADS
from bakeoff.preflight import check_experiment
from bakeoff.sources.common import formats
from tests.unit.sources.helpers import PENGUINS, experiment, load


def example(folder):
    content = PENGUINS.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    (folder / DOWNLOADS).mkdir(parents=True)
    (folder / DOWNLOADS / sha256).write_bytes(content)
    address = "http://127.0.0.1:9/penguins.csv"
    return {
        "source": "url",
        "url": address,
        "sha256": sha256,
        "target": "target",
    }


def of_url(server, content, name="penguins.csv"):
    server.pages[f"/{name}"] = content
    sha256 = hashlib.sha256(content).hexdigest()
    url = f"{server.address}/{name}"
    return {
        "source": "url",
        "url": url,
        "sha256": sha256,
        "target": "target",
    }


def test_url_is_downloaded_once(server, tiny):
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


def test_broken_connection_and_damaged_file_are_tried_again(server, tiny):
    server.cut = 1000
    made = experiment(tiny, **of_url(server, PENGUINS.read_bytes()))
    assert load(made).card["rows"] == 344
    assert len(server.asked) == 2
    (kept,) = DOWNLOADS.iterdir()
    kept.write_bytes(b"half")
    assert load(made).card["rows"] == 344
    assert len(server.asked) == 3


def test_changed_and_large_files_are_refused(server, tiny, monkeypatch):
    data = of_url(server, PENGUINS.read_bytes())
    server.pages["/penguins.csv"] += b"\n"
    with pytest.raises(Problem, match=r"d\.url: the file at .* has the sha256 [0-9a-f]{64}"):
        load(experiment(tiny, **data))
    monkeypatch.setattr(formats, "LARGEST", 1 << 12)
    with pytest.raises(Problem, match=r"cannot be downloaded \(it is larger than .*put the file"):
        load(experiment(tiny, **data))
    assert list(DOWNLOADS.iterdir()) == []


def test_address_without_a_file_is_told(server, tiny):
    data = of_url(server, b"")
    server.pages.clear()
    with pytest.raises(Problem, match=r"cannot be downloaded \(HTTP 404 Not Found\)"):
        load(experiment(tiny, **data))
    assert len(server.asked) == 1, "what is not there will not be there in a second"
    gone = data | {"url": "http://127.0.0.1:9/x.csv"}
    with pytest.raises(Problem, match=r"without a network, put the file at .*downloads/e3b0c4"):
        load(experiment(tiny, **gone))


SECRETS = ("https://me:secret@host/a", "https://secret@host/a", "ftp://me:secret@host/a")
KEYS = ("?access_token=", "?X-Amz-Credential=me&X-Amz-Signature=", "?sv=1&sig=", "#token=")


@pytest.mark.parametrize("url", [*SECRETS, *(f"https://host/a.csv{key}secret" for key in KEYS)])
def test_secrets_in_an_address_are_refused(tiny, url):
    with pytest.raises(UserError, match=r"d\.url: there is a password or token") as refused:
        experiment(tiny, source="url", url=url, sha256="0" * 64, target="y")
    assert "secret" not in str(refused.value)

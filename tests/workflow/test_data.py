"""Data from a server, a function and two files, divided by groups and by time, in real runs."""

import hashlib
import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pandas as pd
import pytest

from tests.conftest import ROOT, TINY

DATA = ROOT / "config/data"

CODE = f"""
import pandas as pd

def load(rows):
    frame = pd.read_csv({str(DATA / "attrition.csv")!r}).head(rows)
    return frame[["Age", "MonthlyIncome", "JobRole"]], frame["target"]
"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture
def address():
    """Serve the shipped data on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(DATA)))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def study(address, folder):
    lines = (DATA / "penguins.csv").read_text().splitlines()
    (folder / "train.csv").write_text("\n".join([lines[0], *lines[1::2]]) + "\n")
    (folder / "test.csv").write_text("\n".join([lines[0], *lines[2::2]]) + "\n")
    (folder / "mydata.py").write_text(CODE)
    sha256 = hashlib.sha256((DATA / "penguins.csv").read_bytes()).hexdigest()
    attrition = {"source": "file", "path": str(DATA / "attrition.csv"), "target": "target"}
    return {
        "experiment": "study",
        "seed": 3,
        "datasets": {
            "web": {
                "source": "url",
                "url": f"{address}/penguins.csv",
                "sha256": sha256,
                "target": "target",
                "merge": {"Other": ["Chinstrap", "Gentoo"]},
            },
            "code": {"source": "function", "function": "mydata.load", "params": {"rows": 300}},
            "files": {
                "source": "file",
                "path": "train.csv",
                "test_path": "test.csv",
                "target": "target",
                "classes": ["Adelie", "Gentoo"],
            },
            "jobs": {
                **attrition,
                "groups": "JobRole",
                "filter": [{"column": "Age", "below": 40}],
                "drop": ["EmployeeNumber"],
            },
            "staff": {**attrition, "time": "EmployeeNumber"},
        },
        "models": {
            "tree": TINY["models"]["tree"],
            "bayes": TINY["models"]["bayes"],
        },
        "resampling": {"kfold": {"folds": 3}, "holdout": {"test_size": 0.3}},
        "metrics": ["accuracy", "roc_auc"],
        "tests": {"run": ["mcnemar"]},
    }


@pytest.mark.slow
def test_every_source_and_division_in_one_study(snakemake, address):
    config = study(address, snakemake.folder)
    run = snakemake(config)
    assert run.returncode == 0, run.stderr
    results = snakemake.results("study")
    methods = {}
    for dataset in config["datasets"]:
        for plan in ("kfold", "holdout"):
            quality = json.loads((results / f"splits/{dataset}.{plan}.json").read_text())
            methods[dataset, plan] = quality["method"]
            sizes = {(p["fold"], p["train"]["rows"], p["test"]["rows"]) for p in quality["parts"]}
            scores = pd.read_csv(results / "scores.csv").query(
                "dataset == @dataset and plan == @plan and model == 'tree' and metric == 'accuracy'"
            )
            found = zip(scores["fold"], scores["n_train"], scores["n_test"], strict=True)
            assert set(found) == sizes
    how = {"web": "random", "code": "random", "files": "random", "jobs": "grouped", "staff": "time"}
    expected = {(dataset, plan): how[dataset] for dataset, plan in methods}
    assert methods == expected | {("files", "holdout"): "test file"}
    tested = pd.read_parquet(results / "predictions/staff/tree/holdout.parquet")["row_id"]
    assert tested.min() == 1470 - len(tested) + 1
    # a changed function is called again, and nothing else is done anew
    web = (results / "data/web.parquet").stat().st_mtime_ns
    code = (results / "data/code.parquet").read_bytes()
    file = snakemake.folder / "mydata.py"
    file.write_text(CODE.replace('"MonthlyIncome", ', ""))
    assert snakemake(config).returncode == 0
    assert (results / "data/code.parquet").read_bytes() != code
    assert (results / "data/web.parquet").stat().st_mtime_ns == web


def test_mistake_in_data_from_the_web_is_told_before_any_fit(snakemake, address):
    config = study(address, snakemake.folder)
    config["datasets"] = {"files": config["datasets"]["files"], "web": config["datasets"]["web"]}
    config["datasets"]["web"].pop("merge")
    told = "metrics[1]: roc_auc is for two classes, web has 3"
    # with more cores a fit of another data set may begin while this one is still being loaded
    run = snakemake(config)
    assert run.returncode == 1
    assert f"load_dataset failed: {told}" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (snakemake.results("study") / "predictions").exists()
    again = snakemake(config)
    assert told in again.stderr
    assert "load_dataset failed" not in again.stderr, "what is downloaded is checked beforehand"

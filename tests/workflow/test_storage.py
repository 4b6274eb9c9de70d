"""Results on S3, by a server of this machine: the same bytes, and what does not go is refused."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from tests.conftest import TINY, Runner
from tests.workflow.test_run import tables

# every step that reads files by itself: what fits chose, seeds, columns that matter, failed fits
VARIED: dict[str, Any] = TINY | {
    "models": {
        "tree": {
            "estimator": "sklearn.tree.DecisionTreeClassifier",
            "tune": {"space": {"max_depth": [1, 3]}},
            "seeds": 2,
        },
        "bayes": {"estimator": "sklearn.naive_bayes.GaussianNB"},
        "broken": {"estimator": "own_model.Broken"},
    },
    "datasets": {"own": {"source": "file", "path": "own.csv", "target": "y", "subgroups": ["sex"]}},
    "resampling": {"holdout": {"test_size": 0.4}},
    "importance": {},
    "on_error": "exclude",
    "tests": {"run": ["mcnemar"]},
}
BROKEN = """
from sklearn.naive_bayes import GaussianNB

class Broken(GaussianNB):
    def fit(self, X, y):
        raise ValueError("broken")
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Return the address of a server that speaks S3."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def options(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the options that put results on S3."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    prefix = f"s3://bakeoff/{tmp_path.name.replace('_', '-')}"
    return [
        *("--default-storage-provider", "s3", "--default-storage-prefix", prefix),
        *("--storage-s3-endpoint-url", server),
    ]


def stored(options: list[str]) -> Path:
    """Fetch all that was stored into a folder, and return the experiment's."""
    *_, folder = options[3].split("/")
    client = boto3.resource("s3", endpoint_url=options[-1], region_name="us-east-1")
    place = Path("fetched").resolve()
    for found in client.Bucket("bakeoff").objects.filter(Prefix=f"{folder}/"):
        file = place / found.key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(found.get()["Body"].read())
    return place / folder / "results/tiny"


def same(there: Path, here: Path) -> None:
    """Compare what two runs made, byte by byte."""
    # what is noted of failures is no rule's, and stays where Snakemake runs
    noted = str(here / "failed")
    found = tables(there)
    expected = {n: c for n, c in tables(here).items() if not str(here / n).startswith(noted)}
    assert sorted(found) == sorted(expected)
    assert {name for name in found if found[name] != expected[name]} == set()


@pytest.mark.slow
def test_results_on_s3_are_the_same_bytes(
    tmp_path: Path, finished: Runner, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = Runner(tmp_path)
    done = run(TINY, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    verdict = (finished.results() / "verdict.txt").read_text().split()
    assert " ".join(verdict) in " ".join(done.stdout.split())
    assert f"Report: {options[3]}/results/tiny/report.html" in done.stdout
    same(stored(options), finished.results())
    assert not (tmp_path / "results/tiny/scores.csv").exists()
    again = run(TINY, *options)
    assert "Nothing to be done" in again.stdout + again.stderr


@pytest.mark.slow
@pytest.mark.parametrize("per", ["model", "dataset"])
def test_batches_on_s3_leave_the_same_bytes(
    tmp_path: Path,
    finished: Runner,
    options: list[str],
    monkeypatch: pytest.MonkeyPatch,
    per: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    run = Runner(tmp_path)
    batched = TINY | {"execution": {"jobs_per": per}}
    done = run(batched, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fit_fold" not in done.stdout + done.stderr
    same(stored(options), finished.results())
    again = run(batched, *options)
    assert "Nothing to be done" in again.stdout + again.stderr


@pytest.mark.slow
def test_every_step_finds_its_files_on_s3(
    tmp_path: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_model.py").write_text(BROKEN)
    rows = [f"{i % 7},{i * 37 % 11},{'mf'[i % 2]},{int(i % 7 > i * 37 % 5)}" for i in range(80)]
    (tmp_path / "own.csv").write_text("\n".join(["a,b,sex,y", *rows]) + "\n")
    run = Runner(tmp_path)
    done = run(VARIED, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert run(VARIED).returncode == 0
    there = stored(options)
    same(there, run.results())
    for name in ("choices", "seeds", "importance", "excluded", "subgroups"):
        table = f"{name}.csv"
        assert len((there / table).read_text().splitlines()) > 1, name
        assert (there / table).read_bytes() == (run.results() / table).read_bytes()


def test_what_leaves_files_of_its_own_is_refused_in_a_line(
    tiny: dict[str, Any], snakemake: Runner, options: list[str]
) -> None:
    tiny["execution"] = {"jobs_per": "model"}
    tiny["models"]["tree"] |= {"keep": True, "seeds": 2}
    done = snakemake(tiny, "-n", *options)
    assert done.returncode != 0
    assert "execution.jobs_per: found model" in done.stderr
    assert "models.tree.keep: found true" in done.stderr
    assert "Traceback" not in done.stderr

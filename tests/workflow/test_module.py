"""The workflow as a module of somebody's own: twice, beside their rules, with the same bytes."""

import sys

import pytest
import yaml

from tests.conftest import ROOT, TINY, called

OWN = """
configfile: "own.yaml"

rule all:
    default_target: True
    input:
        "own.txt",
        "results/tiny/verdict.txt",
        "results/other/comparisons.csv",

rule own:
    output:
        "own.txt"
    input:
        "results/tiny/scores.csv"
    shell:
        "wc -l < {input} > {output}"

module first:
    snakefile: WHERE
    config: config["first"]

use rule * from first as first_*

module second:
    snakefile: WHERE
    config: config["second"]

use rule * from second as second_*

onstart:
    print("their start")

onsuccess:
    print("their success")
"""


def run(folder, *options):
    line = sys.executable, "-m", "snakemake", "--cores", "1", *options
    return called(*line, cwd=folder, code=None)


@pytest.fixture
def own(tmp_path):
    """Return a folder with a workflow of its own that uses ours twice."""
    where = repr(str(ROOT / "workflow/Snakefile"))
    (tmp_path / "Snakefile").write_text(OWN.replace("WHERE", where), encoding="utf-8")
    other = TINY | {
        "experiment": "other",
        "resampling": {"holdout": {}},
        "tests": {"run": ["mcnemar"]},
    }
    config = {"first": TINY, "second": other, "threads": 3}
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_two_experiments_beside_own_rules_give_the_same_bytes(own, finished):
    profile = "--workflow-profile", str(ROOT / "profiles/default")
    done = run(own, *profile)
    assert done.returncode == 0, done.stderr
    for said in ("their start", "their success"):
        assert said in done.stdout
    for name in ("scores.csv", "comparisons.csv", "comparisons.json", "verdict.txt"):
        ours = (finished.results() / name).read_bytes()
        assert (own / "results/tiny" / name).read_bytes() == ours
    rows = len((own / "results/tiny/scores.csv").read_text().splitlines())
    assert int((own / "own.txt").read_text()) == rows
    again = run(own, *profile)
    assert "Nothing to be done" in again.stdout + again.stderr

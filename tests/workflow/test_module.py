"""The workflow as a module, with conda, and on a scheduler: the same bytes."""

import os
import sys

import pytest
import yaml

from tests.conftest import ROOT, TINY, Runner, called
from tests.workflow.test_run import differing

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


@pytest.mark.slow
def test_two_experiments_beside_own_rules_give_the_same_bytes(tmp_path, finished):
    where = repr(str(ROOT / "workflow/Snakefile"))
    (tmp_path / "Snakefile").write_text(OWN.replace("WHERE", where), encoding="utf-8")
    other = TINY | {"experiment": "other", "resampling": {"holdout": {}}}
    other |= {"tests": {"run": ["mcnemar"]}}
    config = {"first": TINY, "second": other, "threads": 3}
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    profile = "--workflow-profile", ROOT / "profiles/default"
    line = sys.executable, "-m", "snakemake", "--cores", "1", *profile
    done = called(*line, cwd=tmp_path)
    for said in ("their start", "their success"):
        assert said in done.stdout
    results = tmp_path / "results/tiny"
    for name in ("scores.csv", "comparisons.csv", "comparisons.json", "verdict.txt"):
        assert (results / name).read_bytes() == (finished.results() / name).read_bytes()
    rows = len((results / "scores.csv").read_text().splitlines())
    assert int((tmp_path / "own.txt").read_text()) == rows
    again = called(*line, cwd=tmp_path)
    assert "Nothing to be done" in again.stdout + again.stderr


CONDA = """#!{python}
import json, pathlib, shutil, sys
place = pathlib.Path({place!r})
if sys.argv[1:3] == ["env", "list"]:
    print(json.dumps({{"envs": [str(p) for p in place.glob("envs/*")]}}))
elif sys.argv[1:3] == ["env", "create"]:
    asked = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    shutil.copy(asked["-f"], place / "asked.yaml")
    (place / "envs" / asked["--name"]).mkdir(parents=True)
else:
    sys.exit("not asked for here: " + " ".join(sys.argv[1:]))
"""
MODULE = """
module bakeoff:
    snakefile: {where!r}
    config: config

use rule * from bakeoff as bakeoff_*
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["checkout", "module"])
def test_conda_is_asked_for_the_environment_of_the_release(tmp_path, way):
    conda, snakefile = tmp_path / "bin/conda", ROOT / "Snakefile"
    conda.parent.mkdir()
    conda.write_text(CONDA.format(python=sys.executable, place=str(tmp_path)))
    conda.chmod(0o755)
    if way == "module":
        snakefile = tmp_path / "Snakefile"
        snakefile.write_text(MODULE.format(where=str(ROOT / "workflow/Snakefile")))
    (tmp_path / "experiment.yaml").write_text(yaml.safe_dump(TINY, sort_keys=False))
    deploy = ["--software-deployment-method", "conda"]  # all other tests run without a conda
    called(
        *(sys.executable, "-m", "snakemake", "--snakefile", snakefile, "-n", *deploy),
        *("--configfile", "experiment.yaml", "--cores", "1"),
        *(["bakeoff_all_scores"] if way == "module" else []),
        cwd=tmp_path,
        PATH=os.pathsep.join([str(conda.parent), os.environ["PATH"]]),
    )
    found = yaml.safe_load((tmp_path / "asked.yaml").read_text())
    assert found["dependencies"].pop().startswith("python ==")  # Snakemake's own
    assert found == yaml.safe_load((ROOT / "workflow/envs/bakeoff.yaml").read_text())


# runs a job script in the background, as a scheduler would, and prints its number
SUBMIT = """#!/bin/sh
echo "$1" >> submitted.txt
setsid sh "$1" > /dev/null 2>&1 < /dev/null &
echo $!
"""


@pytest.mark.slow
def test_commands_of_a_cluster_give_the_same_bytes(tmp_path, finished):
    script = tmp_path / "submit.sh"
    script.write_text(SUBMIT, encoding="utf-8")
    script.chmod(0o755)
    experiment = TINY | {"execution": {"jobs_per": "model"}}
    runner = Runner(tmp_path)
    done = runner(
        experiment,
        *("--executor", "cluster-generic", "--jobs", "2", "--latency-wait", "20"),
        *("--cluster-generic-submit-cmd", str(script)),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    submitted = (tmp_path / "submitted.txt").read_text().splitlines()
    assert len(submitted) == len(TINY["models"]), "one job for each model, none for a light rule"
    assert all(os.sep in line for line in submitted)
    assert differing(runner.results(), finished.results()) == set()

"""Jobs handed to a scheduler that Snakemake knows nothing of, by commands alone: the same bytes."""

import os

import pytest

from tests.conftest import TINY, Runner
from tests.workflow.test_run import tables

pytestmark = pytest.mark.slow

# runs a job script in the background, as a scheduler would, and prints its number
SUBMIT = """#!/bin/sh
echo "$1" >> submitted.txt
setsid sh "$1" > /dev/null 2>&1 < /dev/null &
echo $!
"""


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
    here, there = tables(runner.results()), tables(finished.results())
    assert sorted(here) == sorted(there)
    assert {name for name, content in here.items() if content != there[name]} == set()

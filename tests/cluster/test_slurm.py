"""The workflow on a real Slurm: the same results, and what a cluster does to jobs."""

import os
import signal
import subprocess
from collections import Counter

import pytest
import yaml

from tests.cluster.conftest import SLURM, queue, slurm
from tests.conftest import ROOT, Runner, until
from tests.workflow.test_run import differing

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("slurm")]
SCORES = ("--until", "all_scores")


@pytest.fixture
def sleepers(tiny):
    """Return an experiment of two models whose fits take seconds."""
    tiny["models"] = {
        name: {"estimator": "sleeper.Sleeper", "params": {"seconds": 3.0}} for name in ("a", "b")
    }
    tiny["resampling"] = {"resampled": {"repeats": 3}}
    tiny["metrics"] = ["accuracy"]
    tiny["tests"] = {"run": ["corrected_resampled_t"]}
    return tiny


def fits(cluster):
    return len(list(cluster.folder.glob("results/*/predictions/*/*/*.parquet")))


def test_default_experiment_gives_the_same_bytes_from_both_nodes(cluster, tmp_path_factory):
    default = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    cluster.run(default)
    runner = Runner(tmp_path_factory.mktemp("local"))
    local = runner(default)
    assert local.returncode == 0, local.stderr
    name = default["experiment"]
    assert differing(runner.results(name), cluster.results(name)) == set()
    jobs = cluster.jobs()
    assert len(jobs) == len(default["models"]), "one job for each model, none for a light rule"
    assert {job["NodeList"] for job in jobs} == {"node1", "node2"}
    assert {job["JobState"] for job in jobs} == {"COMPLETED"}


def test_resources_of_a_model_go_to_its_jobs_alone(cluster, sleepers):
    own = {"gres": "accelerator:1", "slurm_partition": "special", "mem_mb": 700, "runtime": 3}
    sleepers["models"]["a"]["resources"] = own
    cluster.run(sleepers, *SCORES)
    ids = ",".join(job["JobId"] for job in cluster.jobs())
    listed = queue("--states=all", "--format=%P %b %m %l", "--jobs", ids)
    # the other model has the defaults of the profile
    assert sorted(listed.splitlines()) == [
        "main N/A 2000M 1:00:00",
        "special gres:accelerator:1 700M 3:00",
    ]


def test_cancelled_job_is_done_again(cluster, sleepers):
    run = cluster.start(sleepers, *SCORES)
    subprocess.run(["scancel", cluster.first_fit()], check=True)
    cluster.finish(run)
    assert Counter(job["JobState"] for job in cluster.jobs()) == {"CANCELLED": 1, "COMPLETED": 2}
    assert fits(cluster) == 6


def test_job_over_its_memory_gets_more(cluster, sleepers):
    sleepers["models"]["b"] = {"estimator": "sleeper.Glutton"}
    sleepers["resampling"] = {"resampled": {"repeats": 2}}
    memory = "mem_mb=800 * 2 ** (attempt - 1)"
    cluster.run(sleepers, "--default-resources", memory, "runtime=5", *SCORES)
    states = Counter((job["JobState"], "mem=800M" in job["Tres"]) for job in cluster.jobs())
    assert states == {("COMPLETED", True): 1, ("FAILED", True): 1, ("COMPLETED", False): 1}


def test_jobs_of_a_lost_node_are_done_elsewhere(cluster, sleepers):
    sleepers["models"]["a"]["params"] = sleepers["models"]["b"]["params"] = {"seconds": 8.0}
    run = cluster.start(sleepers, *SCORES)
    until(lambda: len(list(cluster.folder.glob("started.*"))) == 2, 600)
    node = queue("--format=%N", "--jobs", cluster.first_fit()).strip()
    slurm("kill-node", node)
    try:
        cluster.finish(run)
        lost = [job for job in cluster.jobs() if job["JobState"] == "NODE_FAIL"]
        assert {job["NodeList"] for job in lost} == {node}
        assert fits(cluster) == 6
    finally:
        slurm("start-node", node)
        until(lambda: not subprocess.run([str(SLURM), "ready"], check=False).returncode, 60)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_cancels_its_jobs_and_a_second_one_finishes(cluster, sleepers, number):
    run = cluster.start(sleepers, *SCORES)
    cluster.first_fit()
    os.kill(run.pid, number)
    assert run.wait(timeout=300) == 1
    until(lambda: not cluster.running(), 300)
    assert {job["JobState"] for job in cluster.jobs()} == {"CANCELLED"}
    cluster.run(sleepers, *SCORES)
    assert fits(cluster) == 6


def test_run_survives_an_absent_controller(cluster, sleepers):
    run = cluster.start(sleepers, *SCORES)
    cluster.first_fit()
    slurm("stop-controller")
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            run.wait(timeout=20)
    finally:
        slurm("start-controller")
    cluster.finish(run)
    assert {job["JobState"] for job in cluster.jobs()} == {"COMPLETED"}
    assert fits(cluster) == 6

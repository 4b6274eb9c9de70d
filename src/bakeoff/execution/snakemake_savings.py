"""Optional changes of Snakemake's internals that save time which grows faster than the jobs.

`snakemake_release.if_known` leaves out what a release does not know. What saved less than 3 % of a
run's CPU time with 1,000 jobs, and did not grow faster than their number, is not here: looking up
once which parameters a function takes (1.2 %), and hashing an input once (2.3 %).
"""

from __future__ import annotations

from functools import partial, wraps
from typing import Any

from bakeoff.execution.lazy_list import LazyList
from bakeoff.execution.snakemake_release import need


def lift_rate_limit(workflow: Any) -> None:
    """Let local jobs start as soon as a core is free.

    Snakemake's limit of 100 jobs per second sets a timer at every look at the queue, each of which
    sets the next: locally that costs more than all the fits of a large study.
    """
    need(workflow, "local_exec", "scheduler.job_rate_limiter")
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def list_when_looked_at(workflow: Any) -> None:
    """List the jobs that are left only for who looks at them.

    The greedy scheduler of our profiles does not: with 10,000 jobs, a third of the main thread's
    time went to listing them at each look at the queue.
    """
    need(workflow, "scheduler.remaining_jobs")
    kind = type(workflow.scheduler)
    found = kind.remaining_jobs.fget
    if not hasattr(found, "__wrapped__"):
        kind.remaining_jobs = property(wraps(found)(lambda own: LazyList(partial(found, own))))


def spare_pandas() -> None:
    """Let Snakemake write down params without pandas; all of ours are plain.

    Where pandas is installed, Snakemake imports it to ask of each param whether it is one of its
    tables: half a second and 65 MiB of the main process.
    """
    from snakemake import persistence

    pandas, builtin = "_serialize_param_pandas", "_serialize_param_builtin"
    need(persistence, f"PersistenceBase.{pandas}", f"PersistenceBase.{builtin}")
    records = persistence.PersistenceBase
    records._serialize_param_pandas = records._serialize_param_builtin


def expect_no_pipes(workflow: Any) -> None:
    """Let a workflow's inputs be files; none of our rules has a pipe or a service.

    Snakemake looks for each input of a job among the outputs of all jobs that it waits for: with
    the scores of 10,000 fits, fifty million looks.
    """
    from snakemake.jobs import Job

    need(Job, "is_pipe_or_service_input")
    found = Job.is_pipe_or_service_input

    def is_one(job: Any, path: Any) -> bool:
        return job.dag.workflow is not workflow and bool(found(job, path))

    Job.is_pipe_or_service_input = is_one

"""What Snakemake does again and again that needs doing once or not at all.

None of it is needed: what a release does not know is left out by `snakemake_release.if_known`.
"""

from __future__ import annotations

from functools import lru_cache, partial, wraps
from pathlib import Path
from typing import Any

from bakeoff.execution.lazy_list import LazyList
from bakeoff.execution.snakemake_release import need, replace_everywhere

_MOST = 4096  # checksums remembered; a study's tables and divisions, and all that a report reads


def lift_rate_limit(workflow: Any) -> None:
    """Let local jobs start as soon as a core is free.

    Snakemake's limit of 100 jobs per second sets a timer at every look at the queue, each of which
    sets the next: locally that costs more than all the fits of a large study.
    """
    need(workflow, "local_exec", "scheduler")
    need(workflow.scheduler, "job_rate_limiter")
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def list_when_looked_at(workflow: Any) -> None:
    """List the jobs that are left only for who looks at them.

    The greedy scheduler of our profiles does not: with 10,000 jobs, a third of the main thread's
    time went to listing them at each look at the queue.
    """
    need(workflow, "scheduler")
    need(workflow.scheduler, "remaining_jobs")
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

    need(persistence, "PersistenceBase")
    records = persistence.PersistenceBase
    need(records, "_serialize_param_pandas", "_serialize_param_builtin")
    records._serialize_param_pandas = records._serialize_param_builtin


def read_signatures_once() -> None:
    """Let Snakemake look up once what a function takes that computes params or resources."""
    import snakemake.common

    name = "get_function_params"
    need(snakemake.common, name)
    found = getattr(snakemake.common, name)
    if not hasattr(found, "__wrapped__"):
        replace_everywhere("snakemake", name, found, lru_cache(maxsize=256)(found))


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


def hash_once() -> None:
    """Let an input be hashed when it has changed, not for each output of each job that reads it.

    Of a report's 60 outputs each has a record of all inputs: those of a hundred data sets were read
    18,000 times. By name, time, size and place on the disk a file is known to be the same.
    """
    import snakemake.io

    need(snakemake.io, "_IOFile")
    kind = snakemake.io._IOFile
    need(kind, "checksum", "file", "is_storage")
    found = kind.checksum
    if hasattr(found, "__wrapped__"):
        return
    known: dict[tuple[Any, ...], Any] = {}

    @wraps(found)
    async def checksum(file: Any, threshold: int | None = None, **options: Any) -> Any:
        if options or file.is_storage:
            return await found(file, threshold, **options)
        try:
            now = Path(file.file).stat()
        except OSError:
            return await found(file, threshold)
        key = file.file, threshold, now.st_mtime_ns, now.st_size, now.st_dev, now.st_ino
        if key not in known:
            if len(known) >= _MOST:
                known.clear()
            known[key] = await found(file, threshold)
        return known[key]

    kind.checksum = checksum

"""What the rules ask of Snakemake beyond its language.

Where a private name is used, it is said what breaks without it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shlex
import signal
import sys
import time
import types
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from snakemake.logging import logger
from snakemake.persistence import PersistenceBase
from snakemake.utils import available_cpu_count
from snakemake_interface_logger_plugins.common import LogEvent

from bakeoff.errors import UserError
from bakeoff.spec.models import Model

LONGEST_SLEEP = 15.0
"""Seconds between two looks at the jobs of a cluster, at most."""
_NAP = 0.2
_SLURM = "snakemake_executor_plugin_slurm"
_SECONDS = 5.0
"""Seconds between two lines of progress."""
_HIDDEN_EVENTS = {
    # of each job
    LogEvent.JOB_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.JOB_FINISHED,
    LogEvent.GROUP_INFO,
    LogEvent.SHELLCMD,
    # of the start of a run
    LogEvent.RESOURCES_INFO,
    LogEvent.RUN_INFO,
}
"""What a run does not show; a dry run and --printshellcmds show it all."""
_HIDDEN_TEXTS = ("Select jobs to execute", "Using shell: ", "Assuming ", "Building DAG")
_RAISED_AT = re.compile(r'^(\w*Exception:|\w*Error in .*file ".*", line \d+:|  File ".*)$')
"""What Snakemake puts around the message of a step: where in which file of ours it was raised."""
_MEMORY_AND_DISK = {"mem_mb": "mem", "disk_mb": "disk"}
"""Names that Snakemake has for the same resources, in megabytes too if they are whole numbers."""


# --- before the run


def is_module(workflow: Any) -> bool:
    """Tell whether the rules are imported as a module of another workflow."""
    return not workflow.modifier.is_main_snakefile()


def config_files(workflow: Any) -> list[str]:
    """List the files that the config came from; none of a module, whose config was handed over."""
    provider = workflow.storage_settings.default_storage_provider
    if provider:
        raise UserError(
            f"--default-storage-provider: found {provider}, expected none: results lie in the "
            "folder results/<experiment>; copy them to a storage after the run, and keep storages "
            "for the inputs of rules of your own"
        )
    if not is_module(workflow):
        return list(workflow.configfiles)
    paths = workflow.modifier.path_modifier
    if paths.prefix or paths.modifies_prefixes:
        raise UserError(
            "module: found `prefix:` or `replace_prefix:`, which this workflow does not take; its "
            "results go to results/<experiment>, by the name that the config's `experiment:` says"
        )
    return []


def prepare(workflow: Any) -> None:
    """Prepare the main process of a run, before anything is known of its jobs."""
    # Without `_serialize_param_builtin` each run takes half a second and 65 MiB more: Snakemake
    # imports pandas to ask whether a param is one of its tables, and none of ours is.
    builtin = getattr(PersistenceBase, "_serialize_param_builtin", None)
    if builtin is not None:
        PersistenceBase._serialize_param_pandas = builtin
    if is_module(workflow):
        return  # the rest is for the own workflow to say
    settings = workflow.resource_settings
    # not `cores: all` in the profile, which would limit the threads of each job of a cluster to the
    # cores of the machine that Snakemake runs on
    if settings.cores is None and settings.nodes is None:
        settings.cores = available_cpu_count()
        workflow.global_resources["_cores"] = settings.cores
    show_progress(workflow)

    def leave(number: int, frame: types.FrameType | None) -> NoReturn:
        sys.exit("\ninterrupted before the first job; no result has changed")

    signal.signal(signal.SIGINT, leave)


def goes_to_a_cluster(workflow: Any) -> bool:
    """Tell whether fits are to be jobs of a cluster, as far as a dry run can know."""
    settings = workflow.resource_settings
    dry = workflow.output_settings.dryrun and settings.default_resources is None
    return settings.nodes is not None and not dry


def prepare_graph(workflow: Any, to_remake: Callable[[], set[str]]) -> None:
    """Say how jobs are to be done, and which in any case.

    An input function calls it: earlier there are no settings of execution, and later the local
    executor is made. `run:` jobs are threads that hand their work to warm processes, whatever the
    profile: as processes each would read the experiment anew, and a run take twenty times as long.
    """
    if workflow.execution_settings is not None:
        workflow.execution_settings.use_threads = True
        if workflow.resource_settings.nodes is None:
            # looking at the limit of 100 jobs a second costs as much as a fit of milliseconds
            workflow.scheduling_settings.max_jobs_per_timespan = None
    if workflow.is_main_process:
        workflow.dag.forcefiles.update(to_remake())


def end_at_once(workflow: Any, stop: Callable[[], None]) -> None:
    """Make Ctrl-C and SIGTERM end a run at once, wherever its jobs are.

    By itself Snakemake lets running `run:` jobs finish, however long a fit takes, and waits on
    SIGTERM for jobs on a cluster instead of cancelling them.
    """

    def handle(number: int, frame: types.FrameType | None) -> NoReturn:
        stop()
        sys.stderr.write(
            "\ninterrupted; what is finished is kept, and the same command goes on from there\n"
        )
        raise KeyboardInterrupt  # Snakemake cancels its remote jobs and leaves

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)
    if not workflow.local_exec:
        sleep_in_steps(workflow)
        bridge_outages(workflow)


# --- Snakemake's console without a paragraph for each job


def show_progress(workflow: Any) -> None:
    """Make Snakemake's console show a line of progress now and then, unless asked for more."""
    settings = workflow.output_settings
    if settings.dryrun or settings.verbose or settings.printshellcmds or settings.debug_dag:
        return
    for handler in logger.handlers:
        has_own_filter_alone = len(handler.filters) < 2
        if handler.name == "DefaultStreamHandler" and has_own_filter_alone:
            handler.addFilter(_ProgressFilter(workflow))


class _ProgressFilter(logging.Filter):
    """Passes the records that the console shows, and shortens some of them."""

    def __init__(self, workflow: Any) -> None:
        super().__init__()
        self._workflow = workflow
        self._last_shown = time.monotonic()
        self._total = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record is shown."""
        event = getattr(record, "event", None)
        text = str(record.msg)
        if event == LogEvent.PROGRESS:
            return self._shows_progress(record)
        if event in _HIDDEN_EVENTS or text.startswith(_HIDDEN_TEXTS):
            return False
        if event == LogEvent.JOB_ERROR and not record.__dict__.get("aux"):
            # a job of this process: the exception that follows says why it failed, and its log
            return False
        if event == LogEvent.ERROR and ("  log: " in text or "WorkflowError" in text):
            lines = [line for line in text.splitlines() if not _RAISED_AT.match(line)]
            record.msg = "\n".join(lines)
        if "Directory cannot be locked" in text:
            record.msg = how_to_unlock(self._workflow)
        return True

    def _shows_progress(self, record: logging.LogRecord) -> bool:
        """Put the steps of this run into a line of progress; show it now and then, and the last."""
        # not before the first line of progress: earlier there is no graph of jobs
        self._total = self._total or steps_of(self._workflow.dag)
        record.__dict__["total"] = self._total
        now = time.monotonic()
        is_last = record.__dict__["done"] >= self._total
        if not is_last and now - self._last_shown < _SECONDS:
            return False
        self._last_shown = now
        return True


def steps_of(dag: Any) -> int:
    """Count the steps of a run; those beyond `--until`, which Snakemake counts, are left out."""
    if not (dag.untilrules or dag.untilfiles):
        return len(dag)
    jobs = dag.bfs(dag.dependencies, *dag.targetjobs)
    return sum(map(dag.needrun, jobs))


def how_to_unlock(workflow: Any) -> str:
    """Say what to do about the lock of another run, or of one that was killed."""
    if Path(sys.argv[0]).name == "launch.py":
        command = ["bakeoff", "run"]
    else:
        command = ["snakemake"]
        if workflow.configfiles:
            command.append("--configfile")
    for file in workflow.configfiles:
        command.append(min(str(file), os.path.relpath(file), key=len))
    command.append("--unlock")
    return (
        f"{Path.cwd()} is locked: another run works in this folder, or one was killed there. If "
        f"none is at work, unlock the folder and run again; what is finished is kept:\n"
        f"  {shlex.join(command)}"
    )


# --- jobs of a cluster


def resources(workflow: Any, models: Mapping[str, Model]) -> dict[str, Any]:
    """Return what a rule of fits asks an executor for: as the model says, or the run's default.

    Without `_parsed_default_resources` the models that ask for no memory have no default as soon
    as one model asks for some.
    """
    defaults = getattr(workflow.resource_settings, "_parsed_default_resources", {})

    def amount_of(name: str, wildcards: Any, **arguments: Any) -> Any:
        amount = models[wildcards.model].resources.get(name)
        if amount is None and name in defaults:
            amount = defaults[name].evaluate(wildcards, **arguments).value
        return amount

    amounts = {}
    for model in models.values():
        for name in model.resources:
            # Snakemake takes None for a resource that a job does not ask for, but for what is
            # called by its unit
            amounts[_MEMORY_AND_DISK.get(name, name)] = partial(amount_of, name)
    return amounts


def sleep_in_steps(workflow: Any) -> None:
    """Without `_executor` an interrupted run on a cluster takes up to three minutes to end."""
    executor: Any = getattr(workflow.scheduler, "_executor", None)
    if not hasattr(executor, "next_seconds_between_status_checks"):
        return

    async def nap() -> None:
        left = min(executor.next_seconds_between_status_checks, LONGEST_SLEEP)
        while executor.wait and left > 0:
            await asyncio.sleep(min(left, _NAP))
            left -= _NAP

    executor.sleep = nap


def bridge_outages(workflow: Any) -> None:
    """Without `get_min_job_age` a controller of Slurm that is away for a moment ends the run.

    With no answer to it the plugin turns from squeue to sacct, and where there is no accounting it
    asks in vain until it gives its jobs up. The controller's last answer is as good as a new one.
    """
    job_age = "get_min_job_age"
    ask = getattr(sys.modules.get(_SLURM), job_age, None)
    if ask is None:
        return
    last_answer: int | None = ask()

    def answer() -> int | None:
        nonlocal last_answer
        new_answer = ask()
        if new_answer is not None:
            last_answer = new_answer
        return last_answer

    for name, module in list(sys.modules.items()):  # whichever module of the plugin calls it
        if name.startswith(_SLURM) and getattr(module, job_age, None) is ask:
            setattr(module, job_age, answer)

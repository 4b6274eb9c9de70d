"""Changes to Snakemake's internals that running an experiment requires."""

from __future__ import annotations

import asyncio
import signal
import sys
import types
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, NoReturn

from snakemake.exceptions import WorkflowError
from snakemake.utils import available_cpu_count

from bakeoff.errors import UserError
from bakeoff.execution import snakemake_savings as savings
from bakeoff.execution.console import say
from bakeoff.execution.snakemake_release import if_known, need

LONGEST_SLEEP = 15.0
"""Seconds between two looks at the jobs of a cluster, at most."""

_STEP = 0.2
_JOB_AGE = "get_min_job_age"


def is_module(workflow: Any) -> bool:
    """Tell whether the rules are imported as a module of another workflow."""
    need(workflow, "modifier.is_main_snakefile")
    return not workflow.modifier.is_main_snakefile()


def config_files(workflow: Any) -> list[str]:
    """List the files that the config came from; none of a module, whose config was handed over.

    Raises
    ------
    UserError
        The module has a `prefix:`, of which the steps behind the rules know nothing.
    """
    if not is_module(workflow):
        return list(workflow.configfiles)
    need(workflow.modifier, "path_modifier.modifies_prefixes", "path_modifier.prefix")
    paths = workflow.modifier.path_modifier
    if paths.prefix or paths.modifies_prefixes:
        raise UserError(
            "module: found `prefix:` or `replace_prefix:`, which this workflow does not take; its "
            "results go to results/<experiment>, by the name that the config's `experiment:` says"
        )
    return []


def asked(workflow: Any, resources: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    """Return resources as a rule takes them: where one is None, the default of the run."""
    need(workflow, "resource_settings._parsed_default_resources")
    defaults = workflow.resource_settings._parsed_default_resources

    def value(name: str, wildcards: Any, **known: Any) -> Any:
        own = resources[name](wildcards)
        if own is None and name in defaults:
            own = defaults[name].evaluate(wildcards, **known).value
        return own

    # Snakemake takes None for a resource that a job does not ask for, but for what is called by its
    # unit; `mem` is the same as `mem_mb`, and whole numbers are megabytes there too
    names = {"mem_mb": "mem", "disk_mb": "disk"}
    return {names.get(name, name): partial(value, name) for name in resources}


def take_all_cores(workflow: Any) -> None:
    """Let plain `snakemake` use all cores of this machine.

    A line `cores: all` of the default profile would also hold beside a cluster's profile, and limit
    the threads of each of its jobs to the cores of the machine that Snakemake runs on. Where
    `--jobs` is set, jobs go to a cluster, or it is Snakemake's own other name of `--cores`.
    """
    need(workflow, "resource_settings.cores", "resource_settings.nodes", "global_resources")
    settings = workflow.resource_settings
    if settings.cores is None and settings.nodes is None and not is_module(workflow):
        settings.cores = workflow.global_resources["_cores"] = available_cpu_count()


def refuse_storage(workflow: Any) -> None:
    """Refuse a default storage, which steps that read and write files of the folder do not find."""
    need(workflow, "storage_settings.default_storage_provider")
    if provider := workflow.storage_settings.default_storage_provider:
        raise UserError(
            f"--default-storage-provider: found {provider}, expected none: results lie in the "
            "folder results/<experiment>; copy them to a storage after the run, and keep storages "
            "for the inputs of your own rules"
        )


def around(
    workflow: Any,
    started: Callable[[Collection[str]], None],
    ended: Callable[[bool], None],
    stop: Callable[[], None],
) -> None:
    """Do something before the first job and after the last one.

    Whatever a workflow's own `onstart:` and `onsuccess:` do is done too, before and after: in a
    module such blocks would not be heard.

    Parameters
    ----------
    workflow : object
        Snakemake's workflow, before it makes its graph of jobs.
    started : callable
        Takes the lock files of this run.
    ended : callable
        Takes whether all jobs succeeded.
    stop : callable
        Ends the workers of this process, from a signal's handler.
    """
    need(workflow, "_prepare_dag", "_onstart", "_onsuccess", "_onerror")
    prepare, alone = workflow._prepare_dag, not is_module(workflow)

    def begin() -> None:
        records = getattr(workflow, "persistence", None)  # a database has no lock files
        started(list(getattr(records, "_lockfile", {}).values()))
        if not alone:
            return  # how others' jobs are run and ended is for others to say
        if_known(
            partial(savings.list_when_looked_at, workflow),
            partial(savings.lift_rate_limit, workflow),
            partial(end_at_once, workflow, stop),
            partial(bridge_outages, workflow),
        )

    ours: dict[str, Callable[[], None]] = {
        "_onstart": begin,
        "_onsuccess": partial(ended, True),
        "_onerror": partial(ended, False),
    }

    def prepare_and_wrap(*args: Any, **options: Any) -> None:
        for name, own in ours.items():
            theirs: Callable[[Any], None] = getattr(workflow, name)
            setattr(workflow, name, partial(_both, own, theirs))
        prepare(*args, **options)

    workflow._prepare_dag = prepare_and_wrap
    if alone:
        if_known(
            savings.spare_pandas,
            partial(savings.expect_no_pipes, workflow),
        )


def end_in_a_line(workflow: Any) -> None:
    """Let Ctrl-C end the preparation of a run in one line; from the first job on see `end_at_once`.

    Whoever uses the rules as a module decides how the own workflow ends.
    """

    def leave(number: int, frame: types.FrameType | None) -> NoReturn:
        sys.exit("\ninterrupted before the first job; no result has changed")

    if not is_module(workflow):
        signal.signal(signal.SIGINT, leave)


def force(workflow: Any, outdated: Callable[[], Collection[str]]) -> None:
    """Have files made in any case, although Snakemake takes them for finished.

    Parameters
    ----------
    workflow : object
        Snakemake's workflow, before it makes its graph of jobs.
    outdated : callable
        Return the files; called when the graph is about to be made.
    """
    need(workflow, "_prepare_dag")
    prepare = workflow._prepare_dag

    def prepare_and_add(*args: Any, **options: Any) -> None:
        prepare(*args, **options)
        try:
            # the first is for `forget`, found missing before the first job
            need(workflow, "persistence.cleanup_metadata", "_dag.forcefiles")
            workflow._dag.forcefiles.update(outdated())
        except UserError as error:
            raise WorkflowError(str(error)) from None  # which Snakemake prints as it is

    workflow._prepare_dag = prepare_and_add


def forget(workflow: Any, path: str) -> None:
    """Drop what Snakemake knows of a file that one of its jobs wrote and another way replaced."""
    from snakemake.io import IOFile

    workflow.persistence.cleanup_metadata(IOFile(path))


def end_at_once(workflow: Any, stop: Callable[[], None]) -> None:
    """Make Ctrl-C and SIGTERM end a run at once, wherever its jobs are.

    By itself Snakemake lets running `run:` jobs finish, however long a fit takes, waits on SIGTERM
    for jobs on a cluster instead of cancelling them, and sleeps up to three minutes between two
    looks at them. What was finished is kept, so ending at once loses only the fits under way.

    Parameters
    ----------
    workflow : object
        Snakemake's; remote executors have a coroutine `sleep` between two looks at their jobs.
    stop : callable
        Ends the workers of this process; waits for nothing and takes no lock.
    """
    from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

    def handle(number: int, frame: types.FrameType | None) -> NoReturn:
        stop()
        say("interrupted; what is finished is kept, and the same command goes on from there")
        # Snakemake cancels its remote jobs and leaves
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)
    executor = _executor(workflow)
    if isinstance(executor, RemoteExecutor):
        need(executor, "sleep", "next_seconds_between_status_checks", "wait")
        executor.sleep = lambda: _nap(executor)


def bridge_outages(workflow: Any) -> None:
    """Let an executor that asks a Slurm controller remember its last answer.

    Before each look at its jobs, snakemake-executor-plugin-slurm asks the controller how long it
    remembers ended jobs. With no answer it turns from squeue to sacct, and where there is no
    accounting it then asks in vain until it gives its jobs up, long after the controller is back.
    The controller's last answer is as good as a new one.

    Parameters
    ----------
    workflow : object
        Snakemake's; executors other than Slurm's stay as they are.
    """
    plugin = type(_executor(workflow)).__module__
    package = plugin.partition(".")[0]
    if package != "snakemake_executor_plugin_slurm":
        return
    need(sys.modules[plugin], _JOB_AGE)
    ask = getattr(sys.modules[plugin], _JOB_AGE)
    remembered = _remembered(ask)
    for path, module in list(sys.modules.items()):  # whichever module of the plugin calls it
        if path.partition(".")[0] == package and getattr(module, _JOB_AGE, None) is ask:
            setattr(module, _JOB_AGE, remembered)


def _both(own: Callable[[], None], theirs: Callable[[Any], None], log: Any) -> None:
    own()
    theirs(log)


def _executor(workflow: Any) -> Any:
    need(workflow, "scheduler._executor")
    return workflow.scheduler._executor


async def _nap(executor: Any) -> None:
    """Sleep as long as the executor wants, but not too long, and not beyond its end."""
    left = min(executor.next_seconds_between_status_checks, LONGEST_SLEEP)
    while executor.wait and left > 0:
        await asyncio.sleep(min(left, _STEP))
        left -= _STEP


def _remembered(ask: Callable[[], int | None]) -> Callable[[], int | None]:
    last = ask()

    def answer() -> int | None:
        nonlocal last
        new = ask()
        last = last if new is None else new
        return last

    return answer

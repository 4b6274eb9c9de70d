"""Every touch of Snakemake's internals: what of them is used, and which releases have it.

Each function first makes sure that what it changes is where it was; a release that moves it makes
`MovedError` and a test of its own fail, not the results.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import inspect
import signal
import sys
import types
from collections.abc import Callable, Collection
from functools import partial, wraps
from typing import Any, NoReturn

from packaging.requirements import Requirement

from bakeoff import __version__
from bakeoff.errors import UserError
from bakeoff.execution.later import Later

LONGEST_SLEEP = 15.0
"""Seconds between two looks at the jobs of a cluster, at most."""

INTERRUPTED: list[int] = []
"""The signals that ended this run; the console says so."""

_STEP = 0.2
_JOB_AGE = "get_min_job_age"


class MovedError(Exception):
    """What is relied on is not where it was in Snakemake."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"Snakemake {installed()} has no {what}, which bakeoff relies on; "
            f"the releases that it was written for are {supported().specifier}"
        )


def supported() -> Requirement:
    """Return the releases that pyproject.toml names, which is the only place that names them."""
    lines = map(Requirement, importlib.metadata.requires("bakeoff") or ())
    return next(line for line in lines if line.name == "snakemake")


def installed() -> str:
    """Return the version of Snakemake that is installed."""
    return importlib.metadata.version("snakemake")


def check_release(rules: str) -> None:
    """Refuse rules of another release, and releases of Snakemake that are not known here.

    Parameters
    ----------
    rules : str
        The release that the rules are of.

    Raises
    ------
    UserError
        What is installed, and what is needed.
    """
    needed = supported().specifier
    if not needed.contains(installed()):
        raise UserError(f"bakeoff needs Snakemake {needed}, this is {installed()}")
    if rules != __version__:
        raise UserError(
            f"these rules are of bakeoff {rules}, the package that is installed is {__version__}: "
            f"pip install bakeoff=={rules}, or take the workflow of v{__version__}"
        )


def is_module(workflow: Any) -> bool:
    """Tell whether the rules are a module of somebody's own workflow."""
    _need(workflow, "modifier")
    _need(workflow.modifier, "is_main_snakefile")
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
    _need(workflow.modifier, "path_modifier")
    paths = workflow.modifier.path_modifier
    _need(paths, "modifies_prefixes", "prefix")
    if paths.prefix or paths.modifies_prefixes:
        raise UserError(
            "module: found `prefix:` or `replace_prefix:`, which this workflow does not take; its "
            "results go to results/<experiment>, by the name that the config's `experiment:` says"
        )
    return []


def stored(workflow: Any, path: str) -> Any:
    """Return the object of the default storage that a result is; None where it is a mere file."""
    _need(workflow.modifier, "path_modifier")
    paths = workflow.modifier.path_modifier
    _need(paths, "apply_default_storage")
    return getattr(paths.apply_default_storage(path), "flags", {}).get("storage_object")


def held_locks(workflow: Any) -> list[str]:
    """List the lock files of this run; none where locks are kept in a database."""
    _need(workflow, "persistence")
    return list(getattr(workflow.persistence, "_lockfile", {}).values())


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
    _need(workflow, "_prepare_dag")
    prepare, alone = workflow._prepare_dag, not is_module(workflow)

    def begin() -> None:
        started(held_locks(workflow))
        if not alone:
            return  # how others' jobs are run and ended is for others to say
        list_when_looked_at(workflow.scheduler)
        if workflow.local_exec:
            lift_rate_limit(workflow.scheduler)
        end_at_once(workflow.scheduler, stop)
        bridge_outages(workflow.scheduler)

    ours: dict[str, Callable[[], None]] = {
        "_onstart": begin,
        "_onsuccess": partial(ended, True),
        "_onerror": partial(ended, False),
    }

    def prepare_and_wrap(*args: Any, **options: Any) -> None:
        for name, own in ours.items():
            _need(workflow, name)
            theirs: Callable[[Any], None] = getattr(workflow, name)
            setattr(workflow, name, _both(own, theirs))
        prepare(*args, **options)

    workflow._prepare_dag = prepare_and_wrap


def lift_rate_limit(scheduler: Any) -> None:
    """Let local jobs start as soon as a core is free.

    Snakemake's limit of 100 jobs per second sets a timer at every look at the queue, each of which
    sets the next: locally that costs more than all the fits of a large study.
    """
    _need(scheduler, "job_rate_limiter")
    scheduler.job_rate_limiter = None


def list_when_looked_at(scheduler: Any) -> None:
    """List the jobs that are left only for who looks at them.

    The greedy scheduler of our profiles does not: with 10,000 jobs, a third of the main thread's
    time went to listing them at each look at the queue.
    """
    _need(scheduler, "remaining_jobs")
    kind = type(scheduler)
    found = kind.remaining_jobs.fget
    if not hasattr(found, "__wrapped__"):
        kind.remaining_jobs = property(wraps(found)(lambda own: Later(partial(found, own))))


def force(workflow: Any, outdated: Callable[[], Collection[str]]) -> None:
    """Have files made in any case, although Snakemake takes them for finished.

    Parameters
    ----------
    workflow : object
        Snakemake's workflow, before it makes its graph of jobs.
    outdated : callable
        Return the files; called when the graph is about to be made.
    """

    def add() -> None:
        _need(workflow, "_dag")
        _need(workflow._dag, "forcefiles")
        workflow._dag.forcefiles.update(outdated())

    _once_prepared(workflow, add)


def spare_pandas(workflow: Any) -> None:
    """Let Snakemake write down params without pandas; all of ours are plain.

    Where pandas is installed, Snakemake imports it to ask of each param whether it is one of its
    tables: half a second and 65 MiB of the main process. To be called like `force`.
    """

    def spare() -> None:
        records = workflow.persistence
        _need(records, "_serialize_param_pandas", "_serialize_param_builtin")
        records._serialize_param_pandas = records._serialize_param_builtin

    _once_prepared(workflow, spare)


def forget(workflow: Any, path: str) -> None:
    """Drop what Snakemake knows of a file that one of its jobs wrote and another way replaced."""
    from snakemake.io import IOFile

    _need(workflow.persistence, "cleanup_metadata")
    workflow.persistence.cleanup_metadata(IOFile(path))


def end_at_once(scheduler: Any, stop: Callable[[], None]) -> None:
    """Make Ctrl-C and SIGTERM end a run at once, wherever its jobs are.

    By itself Snakemake lets running `run:` jobs finish, however long a fit takes, waits on SIGTERM
    for jobs on a cluster instead of cancelling them, and sleeps up to three minutes between two
    looks at them. What was finished is kept, so ending at once loses only the fits under way.

    Parameters
    ----------
    scheduler : object
        Snakemake's; remote executors have a coroutine `sleep` between two looks at their jobs.
    stop : callable
        Ends the workers of this process; waits for nothing and takes no lock.
    """

    def handle(number: int, frame: types.FrameType | None) -> NoReturn:
        INTERRUPTED.append(number)
        stop()
        # Snakemake cancels its remote jobs and leaves
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)
    executor = _executor(scheduler)
    if _is_remote(executor):
        _need(executor, "sleep", "next_seconds_between_status_checks", "wait")
        executor.sleep = lambda: _nap(executor)


def bridge_outages(scheduler: Any) -> None:
    """Let an executor that asks a Slurm controller remember its last answer.

    Before each look at its jobs, snakemake-executor-plugin-slurm asks the controller how long it
    remembers ended jobs. With no answer it turns from squeue to sacct, and where there is no
    accounting it then asks in vain until it gives its jobs up, long after the controller is back.
    The controller's last answer is as good as a new one.

    Parameters
    ----------
    scheduler : object
        Snakemake's; executors other than Slurm's stay as they are.
    """
    plugin = type(_executor(scheduler)).__module__
    if plugin.partition(".")[0] != "snakemake_executor_plugin_slurm":
        return
    _need(sys.modules[plugin], _JOB_AGE)
    ask = getattr(sys.modules[plugin], _JOB_AGE)
    remembered = _remembered(ask)
    # whichever module of the plugin asks
    for name, module in list(sys.modules.items()):
        if name.startswith(plugin) and getattr(module, _JOB_AGE, None) is ask:
            setattr(module, _JOB_AGE, remembered)


def _once_prepared(workflow: Any, then: Callable[[], None]) -> None:
    """Do something when the graph of jobs is about to be made."""
    _need(workflow, "_prepare_dag")
    prepare = workflow._prepare_dag

    def prepare_and_more(*args: Any, **options: Any) -> None:
        prepare(*args, **options)
        then()

    workflow._prepare_dag = prepare_and_more


def _both(own: Callable[[], None], theirs: Callable[[Any], None]) -> Callable[[Any], None]:
    def one_after_the_other(log: Any) -> None:
        own()
        theirs(log)

    return one_after_the_other


def _need(thing: Any, *names: str) -> None:
    missing = object()
    for name in names:
        # static: a property may have effects, or nothing to return yet
        if inspect.getattr_static(thing, name, missing) is missing:
            owner = thing.__name__ if inspect.ismodule(thing) else type(thing).__name__
            raise MovedError(f"{owner}.{name}")


def _executor(scheduler: Any) -> Any:
    _need(scheduler, "_executor")
    return scheduler._executor


def _is_remote(executor: Any) -> bool:
    from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

    return isinstance(executor, RemoteExecutor)


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

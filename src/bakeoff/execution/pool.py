"""Warm worker processes: importing scikit-learn costs a second, so it is done once per core.

Each worker is a pool of one process of its own: when it dies, only the task it was doing fails.
"""

from __future__ import annotations

import os
import re
import signal
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from loky import ProcessPoolExecutor
from loky.backend import get_context, resource_tracker
from loky.process_executor import BrokenProcessPool

from bakeoff.errors import UserError
from bakeoff.execution.limits import NO_LIMITS, Exceeded, Limits, UsedUpMemory, supervised
from bakeoff.execution.worker import Failure, start, work, work_in_turn

# loky gives a worker that grew by 300 MB a new process: nothing that a user could act on
warnings.filterwarnings("ignore", "A worker was restarted", UserWarning)

T = TypeVar("T")


class TaskError(Exception):
    """A task failed; the message is for the user, the traceback is in the log."""


class WorkerDied(TaskError):
    """The process of the task died, by itself or killed by another."""


class StepError(UserError):
    """A step of the workflow failed, for a reason, and left a log."""

    def __init__(self, what: object, reason: str, log: str | None, died: bool) -> None:
        self.what, self.reason, self.died = what, reason, died
        super().__init__(f"{what} failed: {reason}" + (f"\n  log: {log}" if log else ""))


class Pool:
    """Workers that are made when needed and kept."""

    def __init__(self) -> None:
        self._idle: list[ProcessPoolExecutor] = []
        self._all: list[ProcessPoolExecutor] = []
        self._meant: dict[Callable[..., object], ProcessPoolExecutor] = {}
        self._stopped = False
        self._lock = threading.Lock()

    def warm(self, count: int, first: Callable[[], object]) -> None:
        """Start workers ahead of their first task; those that were started last get it.

        Parameters
        ----------
        count : int
            How many.
        first : callable
            What each of them does until then, such as imports.
        """
        workers = [self._new() for _ in range(count)]
        for worker in workers:
            worker.submit(first)
        with self._lock:
            self._idle += workers

    def ahead(self, first: Callable[[], object], meant_for: Callable[..., object]) -> None:
        """Let the worker that was idle the longest make itself ready for one function's task.

        Once for each function, and not where none is idle.

        Parameters
        ----------
        first : callable
            What it does for that, such as imports.
        meant_for : callable
            The function whose task it is given, if it is idle then.
        """
        with self._lock:
            if not self._idle or meant_for in self._meant:
                return
            worker = self._meant[meant_for] = self._idle[0]
        worker.submit(first)

    def call(
        self,
        task: Callable[[], T],
        log: str | Path | None = None,
        limits: Limits = NO_LIMITS,
    ) -> T:
        """Do a task in a worker and wait for what it returns.

        A worker that exceeds a limit is ended. Memory that earlier tasks left behind counts for
        nobody: what exceeds its limit in a used worker is done again in a new one.

        Parameters
        ----------
        task : callable
            A function of a module, with its arguments: `functools.partial` of it.
        log : path, optional
            The file for what it prints.
        limits : Limits
            How long it may take and how much memory it may hold.

        Raises
        ------
        UserError
            As the task raised it.
        TaskError
            Any other failure: the error's type and text, how the worker died, or which limit it
            exceeded.
        """
        try:
            outcome = self._attempt(task, log, limits, fresh=False)
        except UsedUpMemory:
            outcome = self._attempt(task, log, limits, fresh=True)
        return _result(outcome)

    def call_in_turn(
        self, tasks: Sequence[tuple[str, Callable[[], T], str]], seconds: float
    ) -> list[T | StepError]:
        """Do tasks one after the other in a worker, as long as they begin within some seconds.

        A message to a worker and back takes milliseconds: as long as a quick task.

        Parameters
        ----------
        tasks : sequence of (str, callable, str)
            What each is, a function as in `call`, and the file for what it prints: there is none
            where it prints nothing.
        seconds : float
            The first task begins in any case.

        Returns
        -------
        list
            What each task that began returned, or how it failed.

        Raises
        ------
        WorkerDied
            By the fault of one of the tasks, whichever.
        """
        outcomes = self.call(partial(work_in_turn, [task[1:] for task in tasks], seconds))
        found: list[T | StepError] = []
        for (what, _, log), outcome in zip(tasks, outcomes, strict=False):
            try:
                found.append(_result(outcome))
            except (UserError, TaskError) as error:
                found.append(StepError(what, str(error), log, died=False))
        return found

    def _attempt(
        self,
        task: Callable[[], T],
        log: str | Path | None,
        limits: Limits,
        fresh: bool,
    ) -> T | UserError | Failure:
        if self._stopped:
            raise KeyboardInterrupt
        with self._lock:
            used = bool(self._idle) and not fresh
            worker = self._take(task) if used else self._new()
        try:
            if any(limits):
                worker.submit(os.getpid).result()  # the start of a worker counts for no task
            future = worker.submit(work, task, str(log) if log else None, in_worker=True)
            outcome: T | UserError | Failure = supervised(
                future, partial(_processes, worker), limits
            )
        except (BrokenProcessPool, Exceeded) as error:
            self._all.remove(worker)
            if self._stopped:
                raise KeyboardInterrupt from None
            worker.shutdown(wait=False, kill_workers=True)
            if isinstance(error, UsedUpMemory) and used:
                raise
            died = not isinstance(error, Exceeded)
            message = _how_it_died(str(error)) if died else str(error)
            if log:
                with Path(log).open("a", encoding="utf-8") as file:
                    file.write(f"{message}\n")
            raise (WorkerDied if died else TaskError)(message) from None
        with self._lock:
            self._idle.append(worker)
        return outcome

    def close(self) -> None:
        """End the workers."""
        with self._lock:
            for worker in self._idle:
                worker.shutdown(wait=False, kill_workers=True)
                self._all.remove(worker)
            self._idle.clear()

    def stop(self) -> None:
        """End everything at once, from a signal's handler: waits for nothing, takes no lock.

        Calls under way and calls to come raise `KeyboardInterrupt`.
        """
        self._stopped = True
        for worker in list(self._all):
            for pid in _processes(worker):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _take(self, task: Callable[[], object]) -> ProcessPoolExecutor:
        """Take the worker that is ready for a task, else the one that was idle the shortest."""
        meant = self._meant.get(getattr(task, "func", task))
        return self._idle.pop(self._idle.index(meant) if meant in self._idle else -1)

    def _new(self) -> ProcessPoolExecutor:
        resource_tracker.ensure_running()  # its start would lift the mask of the worker's
        worker = _Worker(
            max_workers=1,
            context=get_context("loky"),
            initializer=start,
            initargs=(os.getpid(),),
        )
        self._all.append(worker)
        return worker


class _Worker(ProcessPoolExecutor):  # type: ignore[misc]
    """An executor that starts its process while an interrupt has to wait.

    The mask is inherited: an interpreter that is interrupted while it starts prints a traceback.
    `start` lifts it again.
    """

    def submit(self, *task: Any, **options: Any) -> Any:
        """Hand over a task; the first one starts the process."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(*task, **options)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _processes(worker: ProcessPoolExecutor) -> list[int]:
    """Return the ids of a worker's processes: one, and another once it was recycled."""
    return list(worker._processes or ())


def run_here(task: Callable[[], T], log: str | Path | None = None) -> T:
    """Do a task in this process, as `Pool.call` does in a worker."""
    return _result(work(task, str(log) if log else None, in_worker=False))


def run_step(
    pool: Pool | None,
    what: object,
    task: Callable[[], T],
    log: str | None = None,
    limits: Limits = NO_LIMITS,
) -> T:
    """Do a task in a worker, or without a pool in this process.

    Raises
    ------
    StepError
        It failed: `what` failed, why, and where its log is.
    """
    try:
        return pool.call(task, log, limits) if pool else run_here(task, log)
    except (UserError, TaskError) as error:
        raise StepError(what, str(error), log, isinstance(error, WorkerDied)) from None


def _result(outcome: T | UserError | Failure) -> T:
    if isinstance(outcome, UserError):
        raise outcome
    if isinstance(outcome, Failure):
        raise TaskError(outcome.message)
    return outcome


def _how_it_died(text: str) -> str:
    signals = re.findall(r"(SIG[A-Z]+)\(-(\d+)\)", text)
    if signals:
        name, number = signals[0]
        hint = " (often: out of memory)" if name == "SIGKILL" else ""
        return f"the worker process was killed by signal {number}, {name}{hint}"
    codes = re.findall(r"EXIT\((\d+)\)", text)
    return (
        f"the worker process ended with exit code {codes[0]}"
        if codes
        else ("the worker process ended without a word")
    )

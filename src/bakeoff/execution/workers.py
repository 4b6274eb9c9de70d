"""Warm processes for the steps: one process imports scikit-learn, which takes two seconds.

Workers are forks of it (the start method `forkserver` of multiprocessing). One that dies takes no
other step with it, and one that exceeds a limit of time or memory is ended.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import cloudpickle
import psutil

from bakeoff.errors import UserError
from bakeoff.execution.worker import serve

T = TypeVar("T")
Limits = tuple[float | None, float | None]
"""The seconds that a step may take, and the MB that its process and its children may hold."""
NO_LIMITS: Limits = (None, None)
_POLL = 0.1
"""Seconds between two looks at the memory of a step with a limit."""
_SECONDS_BETWEEN_LOOKS = 1.0
"""Seconds between two looks whether the process of a step without limits is still there."""
_MEGABYTE = 2**20
_MOST_GROWTH = 300 * _MEGABYTE
"""A worker in which later steps left so much more than the first one is replaced by a new one."""
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(["bakeoff.execution.preloaded"])


class StepError(UserError):
    """A step failed, for a reason, and left a log."""

    def __init__(self, what: object, reason: str, log: str | None = None):
        self.what = what
        self.reason = reason
        message = f"{what} failed: {reason}"
        if log:
            message += f"\n  log: {log}"
        super().__init__(message)


class _EndedError(Exception):
    """A step exceeded a limit and was ended."""


class _DiedError(Exception):
    """The process of a step ended by itself, or was killed."""


# --- one process


class _Worker:
    """A worker as the main process sees it."""

    def __init__(self) -> None:
        self._connection, its_end = _CONTEXT.Pipe()
        with its_end:
            # the process that it is a fork of may have started in another folder, for another run
            arguments = (its_end, str(Path.cwd()), dict(os.environ))
            # a daemon is ended with the main process
            self._process = _CONTEXT.Process(target=serve, args=arguments, daemon=True)
            _start(self._process)
        self._bytes_after_first_step: int | None = None

    def do(self, step: Callable[[], Any], log: str | None, limits: Limits) -> Any:
        """Do a step and return its outcome."""
        message = cloudpickle.dumps((step, log))
        try:
            self._connection.send_bytes(message)
            self._wait(limits)
            return pickle.loads(self._connection.recv_bytes())
        except (EOFError, OSError):
            self._process.join(_SECONDS_BETWEEN_LOOKS)
            raise _DiedError(_how_it_ended(self._process.exitcode)) from None

    def _wait(self, limits: Limits) -> None:
        """Wait until a step has ended; end its process, and what that started, beyond a limit."""
        if limits == NO_LIMITS:
            # processes that a step started may hold its connection open after its own has died
            while not self._connection.poll(_SECONDS_BETWEEN_LOOKS):
                if not self.is_running():
                    raise _DiedError(_how_it_ended(self._process.exitcode))
            return
        seconds, megabytes = (limit or math.inf for limit in limits)
        end = time.monotonic() + seconds
        while not self._connection.poll(max(0, min(end - time.monotonic(), _POLL))):
            processes = _with_children(self._pid)
            held = _megabytes_held(processes)
            if time.monotonic() >= end:
                _kill(processes)
                raise _EndedError(f"it took more than {seconds:g} s (`timeout`) and was ended")
            if held > megabytes:
                _kill(processes)
                raise _EndedError(
                    f"it held {held:.0f} MB, more than its {megabytes:g} MB (`memory`), "
                    "and was ended"
                )

    @property
    def _pid(self) -> int:
        pid = self._process.pid
        assert pid is not None  # it was started
        return pid

    def is_running(self) -> bool:
        """Tell whether this process can do a step."""
        return self._process.exitcode is None

    def has_grown(self) -> bool:
        """Tell whether later steps left much more in the memory of this process than the first."""
        try:
            held: int = psutil.Process(self._pid).memory_info().rss
        except psutil.Error:  # it has ended meanwhile, which the next step will tell
            return False
        if self._bytes_after_first_step is None:
            self._bytes_after_first_step = held
        return held - self._bytes_after_first_step > _MOST_GROWTH

    def kill(self) -> None:
        """End this process at once."""
        self._process.kill()

    def close(self) -> None:
        """End this process, which is idle."""
        self._connection.close()


def _start(process: ForkServerProcess) -> None:
    """Start a worker, which leaves Ctrl-C and the script of the main process alone."""
    resource_tracker.ensure_running()  # its start would lift the mask of the worker's
    main = sys.modules["__main__"]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        # a worker imports the main module: a script without `if __name__ == "__main__"` would run
        # once more in each of them
        sys.modules["__main__"] = ModuleType("__main__")
        process.start()
    finally:
        sys.modules["__main__"] = main
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- all processes


class Workers:
    """Processes that are started when they are needed, and kept."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._all: list[_Worker] = []
        self._lock = threading.Lock()
        self._stopped = False

    def do(
        self,
        what: object,
        step: Callable[[], T],
        log: str | None = None,
        limits: Limits = NO_LIMITS,
        attempts: int = 1,
    ) -> T:
        """Do a step in a process and wait for what it returns; raise `StepError` if it fails.

        A step whose process died is done again, as long as there are attempts left.
        """
        worker = None
        try:
            worker = self._take(limits)
            outcome: Any = worker.do(step, log, limits)
        except BaseException as error:
            if worker is not None:
                self._remove(worker)
            if self._stopped:
                raise KeyboardInterrupt from None
            if isinstance(error, _DiedError) and attempts > 1:
                return self.do(what, step, log, limits, attempts - 1)
            if not isinstance(error, _DiedError | _EndedError):
                raise
            reason = str(error)
            if log:
                with Path(log).open("a", encoding="utf-8") as file:
                    file.write(f"{reason}\n")
            raise StepError(what, reason, log) from None
        if worker.has_grown():
            self._remove(worker)
        else:
            self._idle.append(worker)
        value: T = result(what, outcome, log)
        return value

    def _take(self, limits: Limits) -> _Worker:
        """Take an idle process, or start one."""
        _, megabytes = limits
        with self._lock:
            worker = self._idle_worker()
            if worker is not None and megabytes is not None:
                # what earlier steps left in the memory of a process is not held against a limit
                self._remove(worker)
                worker = None
            if worker is None:
                worker = _Worker()
                self._all.append(worker)
        if self._stopped:
            self._remove(worker)
            raise KeyboardInterrupt
        return worker

    def _idle_worker(self) -> _Worker | None:
        """Return a process that is idle, if there is one."""
        while self._idle:
            worker = self._idle.pop()
            if worker.is_running():
                return worker
            self._remove(worker)
        return None

    def _remove(self, worker: _Worker) -> None:
        """End a process that gets no further step."""
        self._all.remove(worker)
        worker.kill()
        worker.close()

    def stop(self) -> None:
        """End everything at once, also from a signal's handler: waits for nothing."""
        self._stopped = True
        for worker in list(self._all):
            worker.kill()

    def close(self) -> None:
        """End the processes that are idle."""
        while self._idle:
            worker = self._idle.pop()
            self._all.remove(worker)
            worker.close()


def result(what: object, outcome: T | UserError, log: str | None = None) -> T:
    """Return what a step returned, or raise how it failed; a step without a name as it is."""
    if not isinstance(outcome, UserError):
        return outcome
    if what is None:
        raise outcome
    raise StepError(what, str(outcome), log)


def _with_children(pid: int) -> list[psutil.Process]:
    """List a worker's process and all that it started, children first."""
    processes = []
    with suppress(psutil.Error):  # of what ends meanwhile
        parent = psutil.Process(pid)
        processes += parent.children(recursive=True)
        processes.append(parent)
    return processes


def _megabytes_held(processes: list[psutil.Process]) -> float:
    held = 0.0
    for process in processes:
        with suppress(psutil.Error):
            held += process.memory_info().rss / _MEGABYTE
    return held


def _kill(processes: list[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.kill()


def _how_it_ended(exit_code: int | None) -> str:
    """Say how a worker's process ended, from its exit code."""
    if exit_code is None:
        return "the worker process ended without a word"
    if exit_code >= 0:
        return f"the worker process ended with exit code {exit_code}"
    name = signal.Signals(-exit_code).name
    hint = ""
    if name == "SIGKILL":
        hint = " (often: out of memory)"
    return f"the worker process was killed by signal {-exit_code}, {name}{hint}"

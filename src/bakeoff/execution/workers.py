"""Warm processes for the steps: importing scikit-learn costs a second, so each does it once.

Each is a pool of loky with one process: one that dies takes no other step with it, and one that
exceeds a limit of time or memory can be ended.
"""

from __future__ import annotations

import math
import os
import re
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import psutil
from loky import ProcessPoolExecutor
from loky.backend import get_context, resource_tracker
from loky.process_executor import BrokenProcessPool

from bakeoff.errors import UserError
from bakeoff.files import why_not_written
from bakeoff.usercode import output_into

# loky gives a worker that grew by 300 MB a new process: nothing that a user could act on
warnings.filterwarnings("ignore", "A worker was restarted", UserWarning)

T = TypeVar("T")
Limits = tuple[float | None, float | None]
"""The seconds that a step may take, and the MB that its process and its children may hold."""
NO_LIMITS: Limits = (None, None)
_POLL = 0.1
"""Seconds between two looks at the memory of a step with a limit."""
_MEGABYTE = 2**20
_IN_WORKER: list[bool] = []
"""Not empty in a worker."""


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


# --- in the process that hands out steps


class Workers:
    """Processes that are started when they are needed, and kept."""

    def __init__(self) -> None:
        self._idle: list[ProcessPoolExecutor] = []
        self._all: list[ProcessPoolExecutor] = []
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
        _, megabytes = limits
        # what earlier steps left in the memory of a process is not held against a limit
        if self._idle and megabytes is None:
            process = self._idle.pop()
        else:
            process = self._new()
        try:
            if self._stopped:
                raise KeyboardInterrupt
            outcome: Any = _supervised(process, process.submit(work, step, log), limits)
        except BaseException as error:
            self._all.remove(process)
            if self._stopped:
                raise KeyboardInterrupt from None
            process.shutdown(wait=False, kill_workers=True)
            if not isinstance(error, BrokenProcessPool | _EndedError):
                raise
            reason = str(error)
            if isinstance(error, BrokenProcessPool):
                if attempts > 1:
                    return self.do(what, step, log, limits, attempts - 1)
                reason = _how_it_died(str(error))
            if log:
                with Path(log).open("a", encoding="utf-8") as file:
                    file.write(f"{reason}\n")
            raise StepError(what, reason, log) from None
        self._idle.append(process)
        value: T = result(what, outcome, log)
        return value

    def _new(self) -> ProcessPoolExecutor:
        """Start a process; Ctrl-C is for the main process, also while an interpreter starts."""
        resource_tracker.ensure_running()  # its start would lift the mask of the worker's
        process = ProcessPoolExecutor(1, context=get_context("loky"), initializer=_begin)
        self._all.append(process)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            started = process.submit(os.getpid)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        started.result()
        return process

    def stop(self) -> None:
        """End everything at once, also from a signal's handler: waits for nothing."""
        self._stopped = True
        for process in list(self._all):
            for pid in _pids(process):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """End the processes that are idle, which would take a second to unload their imports."""
        while self._idle:
            process = self._idle.pop()
            self._all.remove(process)
            process.shutdown(wait=False, kill_workers=True)


def result(what: object, outcome: T | UserError, log: str | None = None) -> T:
    """Return what a step returned, or raise how it failed; a step without a name as it is."""
    if not isinstance(outcome, UserError):
        return outcome
    if what is None:
        raise outcome
    raise StepError(what, str(outcome), log)


def _pids(process: ProcessPoolExecutor) -> list[int]:
    # loky has no other way to ask which process it is
    return list(process._processes or ())


def _supervised(process: ProcessPoolExecutor, future: Future[T], limits: Limits) -> T:
    """Wait for a step; end its process, and what that started, when it exceeds a limit."""
    if limits == NO_LIMITS:
        return future.result()
    seconds, megabytes = (limit or math.inf for limit in limits)
    end = time.monotonic() + seconds
    while True:
        left = end - time.monotonic()
        try:
            return future.result(timeout=max(0, min(left, _POLL)))
        except TimeoutError:
            processes = _with_children(process)
        held = _megabytes_held(processes)
        if time.monotonic() >= end:
            _kill(processes)
            raise _EndedError(f"it took more than {seconds:g} s (`timeout`) and was ended")
        if held > megabytes:
            _kill(processes)
            raise _EndedError(
                f"it held {held:.0f} MB, more than its {megabytes:g} MB (`memory`), and was ended"
            )


def _with_children(process: ProcessPoolExecutor) -> list[psutil.Process]:
    """List a worker's process and all that it started, children first."""
    processes = []
    for pid in _pids(process):
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


def _how_it_died(text: str) -> str:
    """Say how a worker's process ended, from what loky says of its exit code."""
    signalled = re.search(r"(SIG[A-Z]+)\(-(\d+)\)", text)
    if signalled is not None:
        name = signalled[1]
        hint = " (often: out of memory)" if name == "SIGKILL" else ""
        return f"the worker process was killed by signal {signalled[2]}, {name}{hint}"
    exited = re.search(r"EXIT\((\d+)\)", text)
    if exited is not None:
        return f"the worker process ended with exit code {exited[1]}"
    return "the worker process ended without a word"


# --- in a worker


def _begin() -> None:
    """Begin the life of a worker."""
    _IN_WORKER.append(True)
    # Arrow's own allocator keeps what it frees: a table's worth in each worker
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # Ctrl-C reaches the whole process group; the main process decides what ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = os.getppid()

    def end_with_parent() -> None:  # which may have been killed
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


def work(step: Callable[[], T], log: str | None) -> T | UserError:
    """Do a step in this process, and send what it prints to its log."""
    try:
        if log is None:
            return _outcome(step)
        Path(log).parent.mkdir(parents=True, exist_ok=True)
        with Path(log).open("wb") as file, output_into(file.fileno(), 1, 2):
            return _outcome(step)
    except OSError as error:  # of the log
        problem = why_not_written(log or "", error)
        if problem is None:
            raise
        return problem


def _outcome(step: Callable[[], T]) -> T | UserError:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            return step()
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return error
    except BaseException as error:  # code of others may call sys.exit()
        # Ctrl-C of the user's reaches no worker, but the process of a cluster's job
        if isinstance(error, KeyboardInterrupt) and not _IN_WORKER:
            raise
        traceback.print_exc()
        # one line, which sentences go on from; the log has the text as it is
        words = f"{type(error).__name__}: {error}".split()
        return UserError(" ".join(words).rstrip(" .:"))

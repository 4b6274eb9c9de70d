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
_POLL = 0.1  # seconds between two looks at the memory of a step with a limit
_IN_WORKER: list[bool] = []


class StepError(UserError):
    """A step failed, for a reason, and left a log."""

    def __init__(self, what: object, reason: str, log: str | None = None):
        self.what, self.reason = what, reason
        super().__init__(f"{what} failed: {reason}" + (f"\n  log: {log}" if log else ""))


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
        # what earlier steps left in the memory of a process is not held against a limit
        process = self._idle.pop() if self._idle and limits[1] is None else self._new()
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
            died = isinstance(error, BrokenProcessPool)
            if died and attempts > 1:
                return self.do(what, step, log, limits, attempts - 1)
            reason = _how_it_died(str(error)) if died else str(error)
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


class _EndedError(Exception):
    """A step exceeded a limit and was ended."""


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
        try:
            return future.result(timeout=max(0, min(end - time.monotonic(), _POLL)))
        except TimeoutError:
            family, held = [], 0.0
        for pid in _pids(process):
            with suppress(psutil.Error):  # of what ends meanwhile
                parent = psutil.Process(pid)
                family += [*parent.children(recursive=True), parent]
        for member in family:
            with suppress(psutil.Error):
                held += member.memory_info().rss / 2**20
        late = time.monotonic() >= end
        if late or held > megabytes:
            for member in family:
                with suppress(psutil.Error):
                    member.kill()
            raise _EndedError(
                f"it took more than {seconds:g} s (`timeout`) and was ended"
                if late
                else f"it held {held:.0f} MB, more than its {megabytes:g} MB (`memory`), and was "
                "ended"
            )


def _how_it_died(text: str) -> str:
    if match := re.search(r"(SIG[A-Z]+)\(-(\d+)\)", text):
        hint = " (often: out of memory)" if match[1] == "SIGKILL" else ""
        return f"the worker process was killed by signal {match[2]}, {match[1]}{hint}"
    if match := re.search(r"EXIT\((\d+)\)", text):
        return f"the worker process ended with exit code {match[1]}"
    return "the worker process ended without a word"


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


def result(what: object, outcome: T | UserError, log: str | None = None) -> T:
    """Return what a step returned, or raise how it failed; a step without a name as it is."""
    if isinstance(outcome, UserError):
        raise outcome if what is None else StepError(what, str(outcome), log)
    return outcome


def work(step: Callable[[], T], log: str | None) -> T | UserError:
    """Do a step in this process, and send what it prints to its log."""
    try:
        if log is None:
            return _outcome(step)
        Path(log).parent.mkdir(parents=True, exist_ok=True)
        with Path(log).open("wb") as file, output_into(file.fileno(), 1, 2):
            return _outcome(step)
    except OSError as error:  # of the log
        if (problem := why_not_written(log or "", error)) is None:
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
        return UserError(" ".join(f"{type(error).__name__}: {error}".split()).rstrip(" .:"))

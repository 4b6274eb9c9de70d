"""The worker process: runs tasks, returns their outcome, and redirects their output to logs."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

from bakeoff.errors import UserError
from bakeoff.files import why_not_written

T = TypeVar("T")
_LARGE = 400 * 2**10  # KiB at the most that a worker held: more than all imports take


class Failure:
    """A task failed: its error's type and text, in a line."""

    def __init__(self, message: str) -> None:
        self.message = message


def start(parent: int) -> None:
    """Begin the life of a worker."""
    # Arrow's own allocator keeps what it frees: a table's worth in each worker
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # Ctrl-C reaches the whole process group; the main process decides what ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this worker when its parent process has died."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def work(task: Callable[[], T], log: str | None, in_worker: bool) -> T | UserError | Failure:
    """Do a task, and send what it prints to the log."""
    try:
        with _output_to(log), warnings.catch_warnings():
            warnings.simplefilter("default")
            outcome = _outcome(task, in_worker)
        _give_back_memory()
        return outcome
    except OSError as error:  # of the log
        problem = why_not_written(log or "", error)
        if problem is None:
            raise
        return problem


def _give_back_memory() -> None:
    """Return the memory of large tables to the system; a worker that stays large is replaced."""
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if held > _LARGE and (arrow := sys.modules.get("pyarrow")):
        arrow.default_memory_pool().release_unused()  # and so does the allocator that NumPy uses


def work_in_turn(
    tasks: Sequence[tuple[Callable[[], T], str]], seconds: float
) -> list[T | UserError | Failure]:
    """Do tasks as `work` does; opening a log for each would take longer than many a fit."""
    end, outcomes = time.monotonic() + seconds, []
    with tempfile.TemporaryFile(buffering=0) as printed, _output_into(printed.fileno()):
        for task, log in tasks:
            with warnings.catch_warnings():
                warnings.simplefilter("default")
                outcome = _outcome(task, in_worker=True)
            sys.stdout.flush()
            sys.stderr.flush()
            outcomes.append(_move_to_log(printed, log) or outcome)
            if time.monotonic() >= end:
                break
    return outcomes


def _move_to_log(printed: IO[bytes], log: str) -> UserError | None:
    """Move what a task printed to its log; return why that cannot be."""
    try:
        if os.fstat(printed.fileno()).st_size:
            printed.seek(0)
            Path(log).parent.mkdir(parents=True, exist_ok=True)
            Path(log).write_bytes(printed.read())
            printed.seek(0)
            printed.truncate()
        else:
            Path(log).unlink(missing_ok=True)  # that of an earlier attempt
    except OSError as error:
        problem = why_not_written(log, error)
        if problem is None:
            raise
        return problem
    return None


def _outcome(task: Callable[[], T], in_worker: bool) -> T | UserError | Failure:
    try:
        return task()
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return error
    except BaseException as error:  # code of others may call sys.exit()
        # no Ctrl-C of the user's reaches a worker
        if isinstance(error, KeyboardInterrupt) and not in_worker:
            raise
        traceback.print_exc()
        # one line, which sentences go on from; the log has the text as it is
        message = " ".join(f"{type(error).__name__}: {error}".split())
        return Failure(message.rstrip(" .:"))


@contextmanager
def _output_to(log: str | None) -> Iterator[None]:
    """Send what Python and compiled code print to the log."""
    if log is None:
        yield
        return
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    with Path(log).open("wb") as file, _output_into(file.fileno()):
        yield


@contextmanager
def _output_into(handle: int) -> Iterator[None]:
    """Send what Python and compiled code print to an open file."""
    sys.stdout.flush()
    sys.stderr.flush()
    saved = os.dup(1), os.dup(2)
    try:
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(saved[0], 1)
        os.dup2(saved[1], 2)
        for descriptor in saved:
            os.close(descriptor)

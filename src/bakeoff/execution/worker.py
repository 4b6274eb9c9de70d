"""A worker: a process that does one step after another, as they are sent to it."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from bakeoff.errors import UserError
from bakeoff.files import why_not_written
from bakeoff.usercode import output_into

T = TypeVar("T")

_SECONDS_BETWEEN_LOOKS = 1.0
_IN_WORKER: list[bool] = []
"""Not empty in a worker."""


def serve(connection: Connection, folder: str, environment: dict[str, str]) -> NoReturn:
    """Do the steps that arrive and send back what they return, until the main process is gone."""
    _IN_WORKER.append(True)
    # Ctrl-C reaches the whole process group; the main process decides what ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    return_freed_memory()
    # code of users starts processes as it would elsewhere
    multiprocessing.set_start_method(None, force=True)
    multiprocessing.current_process().daemon = False
    parent = os.getppid()

    def end_with_parent() -> None:  # which may have been killed
        while os.getppid() == parent:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            connection.send_bytes(_answer(connection.recv_bytes()))
    os._exit(0)  # unloading all imports would take a second


def return_freed_memory() -> None:
    """Let Arrow, before it is imported, use the allocator of the system.

    Its own keeps what it frees: a table's worth in each worker.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


def _answer(message: bytes) -> bytes:
    """Do a step that was sent, and return its outcome as it is sent back."""

    def step_and_log() -> Any:
        return pickle.loads(message)

    sent = _outcome(step_and_log)
    if isinstance(sent, UserError):  # of a module that cannot be imported here
        return pickle.dumps(sent)
    return pickle.dumps(work(*sent))


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

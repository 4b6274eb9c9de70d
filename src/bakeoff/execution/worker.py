"""A worker, which is a process that does one step after another, and the origin of all workers.

Importing scikit-learn takes two seconds. The origin does it once for a run, and each worker is a
fork of it. The origin computes nothing, so that no fork meets the threads of a library.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import signal
import socket
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

NUMBER_OF_BYTES = 8
"""Size of a request to the origin, and of its reply: one integer each."""
NEW_WORKER = 0
"""The request for a new worker. A pid asks for its exit code, and a negative pid for its end."""
STILL_RUNNING = 1 << 32
"""The reply for a worker that has not ended; the reply for any other is its exit code."""

_PRELOADED = ("bakeoff.preflight", "bakeoff.fit.run_fit")
"""What nearly all steps import; matplotlib is for one of them."""
if sys.platform == "darwin":
    # importing NumPy computes something there, and then Apple's libraries fail in a fork
    _PRELOADED = ()
_SECONDS_BETWEEN_LOOKS = 1.0
_IN_WORKER: list[bool] = []
"""Not empty in a worker."""


# --- the origin of the workers


def be_origin(descriptor: int) -> NoReturn:
    """Fork a worker for each request from the main process, until that is gone."""
    # Ctrl-C reaches the whole process group; the main process decides what ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    # Arrow's own allocator keeps what it frees: a table's worth in each worker
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    for module in _PRELOADED:
        with suppress(ImportError):  # the step that needs it tells
            importlib.import_module(module)
    gc.freeze()  # a collection in a worker would copy the pages of all these modules
    channel = socket.socket(fileno=descriptor)
    forks = _Forks()
    while True:
        try:
            request, descriptors, _, _ = socket.recv_fds(channel, NUMBER_OF_BYTES, 1)
        except OSError:
            request = b""
        if not request:
            forks.end()
        number = int.from_bytes(request, "big", signed=True)
        if number == NEW_WORKER:
            reply = forks.new(channel, descriptors[0])
        elif number > 0:
            reply = forks.exit_code(number)
        else:
            reply = forks.kill(-number)
        with suppress(OSError):
            channel.send(reply.to_bytes(NUMBER_OF_BYTES, "big", signed=True))


class _Forks:
    """The workers of an origin, by their pids."""

    def __init__(self) -> None:
        self._running: set[int] = set()
        self._killed: set[int] = set()

    def new(self, channel: socket.socket, descriptor: int) -> int:
        """Start a worker, which takes its steps from a connection, and return its pid."""
        for pid in list(self._killed):
            if _exit_code(pid) != STILL_RUNNING:
                self._killed.remove(pid)
        origin = os.getpid()
        pid = os.fork()
        if pid == 0:
            channel.close()
            _be_worker(Connection(descriptor), origin)
        os.close(descriptor)
        self._running.add(pid)
        return pid

    def exit_code(self, pid: int) -> int:
        """Return the exit code of a worker, or that it is running."""
        code = _exit_code(pid)
        if code != STILL_RUNNING:
            self._running.remove(pid)
        return code

    def kill(self, pid: int) -> int:
        """End a worker, unless it has ended: its pid may then be that of another process."""
        if pid in self._running:
            os.kill(pid, signal.SIGKILL)
            self._running.remove(pid)
            self._killed.add(pid)
        return pid

    def end(self) -> NoReturn:
        """End all workers and this process."""
        for pid in self._running:
            os.kill(pid, signal.SIGKILL)
        for pid in self._running | self._killed:
            os.waitpid(pid, 0)
        os._exit(0)


def _exit_code(pid: int) -> int:
    """Return the exit code of a worker, -9 if signal 9 ended it, or that it is running."""
    ended, status = os.waitpid(pid, os.WNOHANG)
    if ended == 0:
        return STILL_RUNNING
    return os.waitstatus_to_exitcode(status)


# --- a worker


def _be_worker(connection: Connection, origin: int) -> NoReturn:
    """Do the steps that arrive and send back what they return, until the main process is gone."""
    _IN_WORKER.append(True)

    def end_with_origin() -> None:  # which may have been killed
        while os.getppid() == origin:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        os._exit(1)

    threading.Thread(target=end_with_origin, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            connection.send_bytes(_answer(connection.recv_bytes()))
    os._exit(0)


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

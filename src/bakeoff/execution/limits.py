"""Time and memory limits of tasks; a task that exceeds them is killed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from typing import NamedTuple, TypeVar

import psutil

# how often the memory of a task with a limit is looked at, in seconds
_POLL = 0.1

T = TypeVar("T")


class Limits(NamedTuple):
    """How long a task may take, and how much memory its process and its children may hold."""

    seconds: float | None = None
    megabytes: float | None = None


NO_LIMITS = Limits()


class Exceeded(Exception):
    """A task was killed because it exceeded a limit."""


class UsedUpMemory(Exceeded):
    """A task was killed because it exceeded its memory limit."""


def supervised(future: Future[T], processes: Callable[[], list[int]], limits: Limits) -> T:
    """Wait for a task; end its worker, and what that started, when it exceeds a limit."""
    start = time.monotonic()
    while True:
        left = (limits.seconds or math.inf) - (time.monotonic() - start)
        wait = min(left, _POLL if limits.megabytes else math.inf)
        try:
            return future.result(timeout=max(wait, 0) if math.isfinite(wait) else None)
        except TimeoutError:
            pass
        if time.monotonic() - start >= (limits.seconds or math.inf):
            _end(processes())
            raise Exceeded(f"it took more than {limits.seconds:g} s (`timeout`) and was ended")
        held = _memory(processes()) if limits.megabytes else 0.0
        if held > (limits.megabytes or math.inf):
            _end(processes())
            raise UsedUpMemory(
                f"it held {held:.0f} MB, more than its {limits.megabytes:g} MB (`memory`), and was "
                "ended"
            )


def _memory(pids: list[int]) -> float:
    """Return the MB that processes and their children hold."""
    held = 0
    for process in _families(pids):
        with suppress(psutil.Error):
            held += process.memory_info().rss
    return held / 2**20


def _end(pids: list[int]) -> None:
    for process in _families(pids):
        with suppress(psutil.Error):
            process.kill()


def _families(pids: list[int]) -> Iterator[psutil.Process]:
    for pid in pids:
        with suppress(psutil.Error):
            parent = psutil.Process(pid)
            yield from (*parent.children(recursive=True), parent)

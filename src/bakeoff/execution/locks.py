"""Record which run holds the locks of a folder, because Snakemake's locks do not."""

from __future__ import annotations

import atexit
import os
import platform
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from bakeoff.files import CACHE, is_whole, read_json, write_json

_SHARED_MEMORY = Path("/dev/shm")
_CLOCK = 1.0  # seconds by which two readings of a process's start may differ


class Holder(NamedTuple):
    """A run that holds locks.

    Attributes
    ----------
    host : str
        The machine it was started on.
    pid : int
        Its process.
    began : float
        When that process was started, in seconds since 1970: a later one may have the same number.
    locks : list of str
        Its lock files.
    """

    host: str
    pid: int
    began: float
    locks: list[str]

    @property
    def here(self) -> bool:
        """Whether it was started on this machine."""
        return self.host == platform.node()

    @property
    def gone(self) -> bool:
        """Whether its process has ended, which only its own machine can tell."""
        if not self.here:
            return False
        try:
            return abs(psutil.Process(self.pid).create_time() - self.began) > _CLOCK
        except psutil.NoSuchProcess:
            return True

    def __str__(self) -> str:
        """Say who it is."""
        since = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.began))
        return f"process {self.pid}{'' if self.here else f' on {self.host}'}, started {since}"


def note_holder(locks: Collection[str]) -> None:
    """Write down that this process holds locks, until it ends.

    What runs that were killed left in shared memory is removed, and their notes.
    """
    for note in _notes(Path()):
        if (found := _holder(note)) and found.gone and not _held(found, note, Path()):
            _forget(found, note)
    process = psutil.Process()
    holder = Holder(platform.node(), process.pid, process.create_time(), [*locks])
    write_json(_note(process.pid), holder._asdict())
    atexit.register(drop_note)


def drop_note() -> None:
    """Remove the note of this process."""
    _note(os.getpid()).unlink(missing_ok=True)


def holders(folder: Path) -> Iterator[Holder]:
    """List the runs whose locks are still there."""
    for note in _notes(folder):
        if (found := _holder(note)) and (held := _held(found, note, folder)):
            yield found._replace(locks=held)


def release(folder: Path) -> Iterator[Holder]:
    """Remove the locks of runs of this machine whose process is gone, and name these runs."""
    for holder in list(holders(folder)):
        if holder.gone:
            for lock in holder.locks:
                (folder / lock).unlink(missing_ok=True)
            _forget(holder, folder / _note(holder.pid))
            yield holder


def release_killed(folder: Path) -> None:
    """Remove what `release` does, with a line on `sys.stderr` for each run."""
    for holder in release(folder):
        sys.stderr.write(f"removed the lock of a run that was killed ({holder})\n")


def _notes(folder: Path) -> list[Path]:
    return sorted((folder / CACHE).glob("run-*.json"))


def _holder(note: Path) -> Holder | None:
    return Holder(**read_json(note)) if is_whole(note) else None


def _held(holder: Holder, note: Path, folder: Path) -> list[str]:
    """List the locks that are still its own: one that came after the note is another run's."""
    written = note.stat().st_mtime
    return [name for name in holder.locks if _before(folder / name, written)]


def _forget(holder: Holder, note: Path) -> None:
    """Remove the note of a run that was killed, and the semaphores of its workers."""
    if not psutil.pid_exists(holder.pid):  # another process may have its number by now
        for left in _SHARED_MEMORY.glob(f"sem.loky-{holder.pid}-*"):
            with suppress(OSError):  # of another user
                left.unlink()
    note.unlink(missing_ok=True)


def _before(lock: Path, moment: float) -> bool:
    return lock.is_file() and lock.stat().st_mtime <= moment


def _note(pid: int) -> Path:
    return CACHE / f"run-{platform.node()}-{pid}.json"

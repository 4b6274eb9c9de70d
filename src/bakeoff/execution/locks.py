"""Who holds the lock of a folder: runs leave a note, for Snakemake's locks do not say."""

from __future__ import annotations

import atexit
import os
import platform
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import psutil

from bakeoff.files import CACHE, is_whole, read_json, write_json

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
    """Write down that this process holds locks, until it ends."""
    own = psutil.Process()
    holder = Holder(platform.node(), own.pid, own.create_time(), [*locks])
    write_json(_note(own.pid), holder._asdict())
    atexit.register(drop_note)


def drop_note() -> None:
    """Remove the note of this process."""
    _note(os.getpid()).unlink(missing_ok=True)


def holders(folder: Path) -> Iterator[Holder]:
    """List the runs whose locks are still there."""
    for note in sorted((folder / CACHE).glob("run-*.json")):
        if is_whole(note):
            found = Holder(**read_json(note))
            written = note.stat().st_mtime
            # a lock of the same name that came after the note is another run's
            held = [name for name in found.locks if _before(folder / name, written)]
            if held:
                yield found._replace(locks=held)


def release(folder: Path) -> Iterator[Holder]:
    """Remove the locks of runs of this machine whose process is gone, and name these runs."""
    for holder in list(holders(folder)):
        if holder.gone:
            for lock in holder.locks:
                (folder / lock).unlink(missing_ok=True)
            (folder / _note(holder.pid)).unlink(missing_ok=True)
            yield holder


def release_killed(folder: Path) -> None:
    """Remove what `release` does, with a line on `sys.stderr` for each run."""
    for holder in release(folder):
        sys.stderr.write(f"removed the lock of a run that was killed ({holder})\n")


def who_locked(folder: Path) -> str:
    """Say who holds the lock that a run met, and what to do."""
    found = list(holders(folder))
    living = [holder for holder in found if not holder.gone]
    if living:
        return f"another run holds these results ({living[0]}); wait for it, or end it"
    if found:
        return (
            f"a run that was killed ({found[0]}) left these results locked: `bakeoff run` removes "
            "such a lock, and so does `snakemake --unlock`"
        )
    return (
        "another run holds these results, or one that was killed left them locked: once none "
        "runs, `snakemake --unlock` removes the lock"
    )


def _before(lock: Path, moment: float) -> bool:
    return lock.is_file() and lock.stat().st_mtime <= moment


def _note(pid: int) -> Path:
    return CACHE / f"run-{platform.node()}-{pid}.json"

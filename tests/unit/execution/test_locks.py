"""Who holds a lock: runs leave a note, and only what a dead run left is removed."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from bakeoff.execution import locks
from bakeoff.execution.locks import drop_note, holders, note_holder, release
from bakeoff.files import read_json, write_json

LOCK = ".snakemake/locks/0.output.lock"


@pytest.fixture(autouse=True)
def _locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(locks.atexit, "register", lambda _: None)
    Path(LOCK).parent.mkdir(parents=True)
    Path(LOCK).write_text("results/a.csv\n")


def dead() -> int:
    """Return the number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def note(**changes: object) -> None:
    """Leave the note of a run, changed."""
    note_holder([LOCK])
    (own,) = Path(".snakemake/bakeoff").glob("run-*.json")
    write_json(own, read_json(own) | changes)


def test_lock_of_a_living_run_stays() -> None:
    note()
    assert list(release(Path())) == []
    assert Path(LOCK).exists()
    drop_note()
    assert list(holders(Path())) == []


def test_lock_of_a_killed_run_is_removed() -> None:
    gone = dead()
    note(pid=gone)
    (holder,) = release(Path())
    assert holder.pid == gone
    assert not Path(LOCK).exists()


def test_another_process_of_the_same_number_is_another_run() -> None:
    note(began=psutil.Process().create_time() - 60)
    assert [holder.gone for holder in holders(Path())] == [True]


def test_run_of_another_machine_is_left_alone() -> None:
    note(pid=dead(), host="elsewhere")
    assert list(release(Path())) == []
    assert platform.node() != "elsewhere"


def test_lock_that_came_after_a_note_is_not_that_runs() -> None:
    note(pid=dead())
    (own,) = Path(".snakemake/bakeoff").glob("run-*.json")
    later = own.stat().st_mtime + 5
    os.utime(LOCK, (later, later))
    assert list(release(Path())) == []


@pytest.mark.parametrize("unlocked", [True, False])
def test_semaphores_of_a_killed_run_are_removed_and_no_others(
    monkeypatch: pytest.MonkeyPatch, unlocked: bool
) -> None:
    gone, other = dead(), dead()
    memory = Path("shm")
    memory.mkdir()
    monkeypatch.setattr(locks, "_SHARED_MEMORY", memory)
    mine, kept = memory / f"sem.loky-{gone}-a", memory / f"sem.loky-{other}-a"
    living = memory / f"sem.loky-{os.getpid()}-a"
    for path in (mine, kept, living):
        path.touch()
    note(pid=gone)
    if unlocked:  # by Snakemake, which knows no notes
        Path(LOCK).unlink()
        note_holder([])
    else:
        list(release(Path()))
    assert sorted(memory.iterdir()) == sorted([kept, living])

"""A worker that dies takes only its own task along."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from bakeoff.execution.worker import work
from bakeoff.execution.workers import NO_LIMITS, StepError, Workers, result
from tests.conftest import until


@pytest.fixture
def pool():
    made = Workers()
    yield made
    made.close()


def call(pool, task, log=None, limits=NO_LIMITS):
    """Do a step called "it", in this process without workers."""
    name = str(log) if log else None
    return pool.do("it", task, name, limits) if pool else result("it", work(task, name), name)


def waiting(begun, end):
    """Return a task that says that it has begun, and lasts until a file is there."""
    code = f"import pathlib, time; pathlib.Path({str(begun)!r}).touch()\n"
    return partial(exec, f"{code}while not pathlib.Path({str(end)!r}).exists(): time.sleep(0.02)")


KILL = partial(signal.raise_signal, signal.SIGKILL)


@pytest.mark.parametrize(
    ("ended", "limits", "why"),
    [
        (lambda never: KILL, NO_LIMITS, "the worker process was killed by signal 9, SIGKILL"),
        (
            lambda never: waiting(never.with_name("other"), never),
            (0.5, None),
            "it took more than 0.5 s (`timeout`) and was ended",
        ),
    ],
)
def test_task_that_is_ended_spares_the_others(pool, tmp_path, ended, limits, why):
    log, begun, end = tmp_path / "log", tmp_path / "begun", tmp_path / "end"
    with ThreadPoolExecutor(2) as threads:
        innocent = threads.submit(call, pool, waiting(begun, end))
        until(begun.exists)
        with pytest.raises(StepError) as told:
            call(pool, ended(tmp_path / "never"), log, limits)
        end.touch()
        assert innocent.result() is None
    assert str(told.value).startswith(f"it failed: {why}")
    assert why in log.read_text()
    assert call(pool, partial(int, "3"), limits=(60, 4000)) == 3
    assert call(pool, os.getpid) == call(pool, os.getpid) != os.getpid(), "workers are kept"


def test_step_whose_process_died_once_is_done_again(pool, tmp_path):
    code = f"import os, pathlib; p = pathlib.Path({str(tmp_path / 'died')!r})\nif not p.exists():"
    once = partial(exec, f"{code} p.touch(); os._exit(7)")
    assert pool.do("it", once, attempts=2) is None
    (tmp_path / "died").unlink()
    for task, attempts in ((once, {}), (partial(os._exit, 7), {"attempts": 2})):
        with pytest.raises(StepError, match=r"ended with exit code 7"):
            pool.do("it", task, **attempts)


def test_stop_ends_calls_at_once(pool, tmp_path):
    begun, never = [tmp_path / "1", tmp_path / "2"], tmp_path / "never"
    with ThreadPoolExecutor(2) as threads:
        calls = [threads.submit(call, pool, waiting(path, never)) for path in begun]
        for path in begun:
            until(path.exists)
        pool.stop()
        for future in calls:
            with pytest.raises(KeyboardInterrupt):
                future.result()
    with pytest.raises(KeyboardInterrupt):
        call(pool, os.getpid)


def test_code_that_leaves_python_fails_its_own_task_alone(pool):
    interrupt = partial(signal.default_int_handler, 2, None)
    for where, task, why in (
        (pool, partial(sys.exit, 3), "SystemExit: 3"),
        (pool, interrupt, "KeyboardInterrupt"),
        (None, partial(sys.exit, 3), "SystemExit: 3"),
    ):
        with pytest.raises(StepError, match=why):
            call(where, task)
    assert call(pool, os.getpid) != os.getpid()
    with pytest.raises(KeyboardInterrupt):  # here it is the user's
        call(None, interrupt)


@pytest.mark.parametrize("in_worker", [True, False])
def test_log_that_cannot_be_written_is_told_without_frames(pool, tmp_path, in_worker):
    (tmp_path / "logs").write_text("")
    with pytest.raises(StepError, match=r"^it failed: .*log cannot be written: "):
        call(pool if in_worker else None, os.getpid, str(tmp_path / "logs/log"))


HOLD = "held = bytearray(400 * 2**20); import time; time.sleep(60)"
CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLD!r}])"


@pytest.mark.parametrize("code", [HOLD, CHILD])
def test_task_that_holds_too_much_is_ended_with_its_children(pool, code):
    with pytest.raises(StepError, match=r"it held \d+ MB, more than its 300 MB \(`memory`\)"):
        call(pool, partial(exec, code), limits=(None, 300))


def test_memory_left_by_others_is_not_held_against_a_task(pool):
    worker = call(pool, os.getpid)
    call(pool, partial(exec, "import builtins; builtins.left = bytearray(400 * 2**20)"))
    assert call(pool, os.getpid, limits=(None, 300)) != worker
    assert len({call(pool, os.getpid, limits=(None, 300)) for _ in range(3)}) == 3
    assert len(pool._all) == 1, "one at a time needs one process"


def test_workers_are_forks_of_one_process_that_imported_what_steps_need(pool, tmp_path):
    begun, end = tmp_path / "begun", tmp_path / "end"
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(call, pool, waiting(begun, end))
        until(begun.exists)
        origin = call(pool, os.getppid)
        assert call(pool, partial(eval, "'sklearn' in __import__('sys').modules"))
        end.touch()
        first.result()
    assert [call(pool, os.getppid) for _ in range(2)] == [origin] * 2
    os.kill(origin, signal.SIGKILL)
    until(lambda: not any(worker.is_running() for worker in pool._idle))
    assert call(pool, os.getppid) != origin


def test_death_is_noticed_while_a_process_that_the_step_forked_goes_on(pool):
    code = "import os, time\nif os.fork() == 0:\n    time.sleep(20)\nos._exit(7)"
    with pytest.raises(StepError, match="ended with exit code 7"):
        call(pool, partial(exec, code))


def test_step_of_a_module_that_a_worker_cannot_import_is_told(pool, monkeypatch):
    module = ModuleType("nowhere")
    module.step = type("Step", (), {"__module__": "nowhere", "__call__": lambda self: None})
    module.step.__qualname__ = "step"
    monkeypatch.setitem(sys.modules, "nowhere", module)
    with pytest.raises(StepError, match="No module named 'nowhere'"):
        call(pool, module.step())


def test_workers_end_with_their_parent():
    script = (
        "import os, sys; from bakeoff.execution.workers import Workers\n"
        "p = Workers(); print(p.do('it', os.getpid), flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == -9

    def ended():
        try:
            state = Path(f"/proc/{int(done.stdout)}/stat").read_text().rpartition(")")[2]
        except OSError:
            return True
        return state.split()[0] == "Z"

    until(ended)


def test_a_log_has_what_compiled_code_prints_and_gives_the_streams_back(capfd, tmp_path):
    def task():
        os.write(1, b"one\n")
        os.write(2, b"two\n")

    log = tmp_path / "log"
    call(None, task, str(log))
    os.write(1, b"out\n")
    os.write(2, b"err\n")
    assert log.read_text() == "one\ntwo\n"
    assert capfd.readouterr() == ("out\n", "err\n")


def test_workers_have_the_folder_and_the_variables_of_now(pool, tmp_path, monkeypatch):
    call(pool, os.getcwd)  # the process that they are forks of runs by now
    pool.close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BAKEOFF_TEST", "now")
    assert call(pool, os.getcwd) == str(tmp_path)
    assert call(pool, partial(os.getenv, "BAKEOFF_TEST")) == "now"


def test_a_script_without_a_guard_runs_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os\n"
        "from bakeoff.execution.workers import Workers\n"
        "print('begun', flush=True)\n"
        "pool = Workers()\n"
        "print(pool.do('it', os.getpid) != os.getpid())\n"
    )
    done = subprocess.run(
        [sys.executable, script], check=False, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("begun\nTrue\n", "")


def test_a_step_may_start_processes(pool):
    code = "import multiprocessing as m\nwith m.Pool(1) as p:\n    assert p.map(abs, [-1]) == [1]"
    call(pool, partial(exec, code))

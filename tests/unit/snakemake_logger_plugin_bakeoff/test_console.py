"""The console is calm: progress, errors without places, Snakemake's own words when asked for."""

from __future__ import annotations

import errno
import io
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from bakeoff.execution import snakemake_hooks
from snakemake_logger_plugin_bakeoff import LogHandler, Pace
from tests.conftest import ROOT


class Terminal(io.StringIO):
    """A stream that says whether it is a terminal."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch) -> Any:
    def make(terminal: bool = False, **settings: Any) -> tuple[Any, Terminal]:
        stream = Terminal(terminal)
        monkeypatch.setattr("sys.stderr", stream)
        defaults: dict[str, Any] = {
            "printshellcmds": False,
            "nocolor": True,
            "quiet": set(),
            "debug_dag": False,
            "verbose": False,
            "show_failed_logs": False,
            "stdout": False,
            "dryrun": False,
        }
        handler = LogHandler(SimpleNamespace(**defaults | settings), None)

        def log(message: Any = None, level: int = logging.INFO, **fields: Any) -> None:
            record = logging.LogRecord("snakemake", level, "", 0, message, None, None)
            record.__dict__.update(fields)
            handler.emit(record)

        return log, stream

    return make


def run(log: Any, fits: int = 3) -> None:
    log("Job stats: a table", event=LogEvent.RUN_INFO, stats={"fit_fold": fits, "all": 1})
    for i in range(fits):
        log(event=LogEvent.JOB_INFO, jobid=i, rule_name="fit_fold", rule_msg=None)
        log("Finished jobid", event=LogEvent.JOB_FINISHED, job_id=i)
        log(event=LogEvent.PROGRESS, done=i + 1, total=fits + 1)
    log(event=LogEvent.PROGRESS, done=fits + 1, total=fits + 1)


def test_plain_run_ends_in_one_line(console: Any) -> None:
    log, stream = console()
    run(log)
    assert stream.getvalue() == "done: 3 fits and 1 other steps in 0:00\n"


def test_plain_run_tells_now_and_then(console: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10_000, 3))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    log, stream = console()
    run(log, fits=6)
    assert "fits 2 of 6, about " in stream.getvalue()
    assert stream.getvalue().count("\n") < 7
    assert "\r" not in stream.getvalue()


def test_terminal_gets_a_bar_with_the_time_left(
    console: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    log, stream = console(terminal=True)
    run(log)
    assert "\r\033[K━" in stream.getvalue()
    assert "fits 1 of 3, about" in stream.getvalue()
    assert stream.getvalue().rpartition("\r\033[K")[2].startswith("done: 3 fits")


def test_error_loses_its_places_but_not_its_text(console: Any) -> None:
    log, stream = console()
    text = (
        'RuleException:\nUserError in file "/a/fit.smk", line 13:\nthe fit failed: boom\n'
        '  log: x.log\n  File "/a/fit.smk", line 13, in __rule_fit'
    )
    log(text, logging.ERROR, event=LogEvent.ERROR, exception="RuleException")
    assert stream.getvalue() == "the fit failed: boom\n  log: x.log\n"


def test_defect_keeps_its_traceback(console: Any) -> None:
    log, stream = console()
    text = 'KeyError in file "/a/fit.smk", line 13:\n\'x\'\n  File "/a/fit.smk", line 13, in run'
    log(text, logging.ERROR, event=LogEvent.ERROR, exception="KeyError")
    assert stream.getvalue() == text + "\n"


def test_chatter_is_left_out_and_warnings_are_kept(console: Any) -> None:
    log, stream = console()
    for chatter in ("Building DAG of jobs...", "Select jobs to execute...", "Provided cores: 2"):
        log(chatter)
    log("Nothing to be done (all requested files are present and up to date).")
    log("watch out", logging.WARNING)
    assert stream.getvalue().splitlines() == [
        "Nothing to be done (all requested files are present and up to date).",
        "watch out",
    ]


def test_dry_run_lists_what_would_run_once(console: Any) -> None:
    log, stream = console(dryrun=True)
    log("Building DAG of jobs...")
    for _ in range(2):
        log("Job stats: …", event=LogEvent.RUN_INFO, msg="Job stats: …", stats={"fit_fold": 10})
    above = "    (check individual jobs above for details)\n"
    log(f"Reasons:\n{above}    code has changed:\n        all")
    log("This was a dry-run (flag -n).")
    assert stream.getvalue().splitlines() == [
        "Job stats: …",
        "Reasons:",
        "    code has changed:",
        "        all",
        "This was a dry-run (flag -n).",
    ]


def test_verbose_brings_snakemakes_own_messages_back(console: Any) -> None:
    log, stream = console(verbose=True)
    log("Building DAG of jobs...")
    assert "Building DAG" in stream.getvalue()


class Clock:
    """A clock that a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("time.monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def go(pace: Pace, clock: Clock, count: int, fits: bool, seconds: float, cores: int = 2) -> None:
    """Do some jobs, as many at a time as there are cores."""
    for _ in range(count // cores):
        for job in range(cores):
            pace.begin(job, fits)
        clock.now += seconds
        for job in range(cores):
            pace.end(job)


def test_time_left_is_what_is_left(clock: Clock) -> None:
    pace = Pace(fits=100, others=4004)
    assert pace.left(clock.now) is None
    go(pace, clock, 4, fits=False, seconds=0.02)
    assert pace.left(clock.now) is None, "nobody knows how long a fit takes"
    go(pace, clock, 50, fits=True, seconds=10)
    assert pace.left(clock.now) == pytest.approx(25 * 10 + 2000 * 0.02, rel=0.01)
    go(pace, clock, 50, fits=True, seconds=10)
    assert pace.left(clock.now) is None, "the other steps are yet to show their pace"
    go(pace, clock, 100, fits=False, seconds=0.02)
    assert pace.left(clock.now) == pytest.approx(1950 * 0.02)
    go(pace, clock, 3900, fits=False, seconds=0.02)
    assert pace.left(clock.now) == 0


def test_time_left_of_a_run_without_fits(clock: Clock) -> None:
    pace = Pace(fits=0, others=100)
    go(pace, clock, 50, fits=False, seconds=3)
    assert pace.left(clock.now) == pytest.approx(75)


def test_interrupted_run_says_how_to_go_on(console: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "WorkflowError:\nAt least one job did not complete successfully."
    for signals, told in (([], text), ([2], "interrupted; what is finished is kept")):
        monkeypatch.setattr(snakemake_hooks, "INTERRUPTED", signals)
        log, stream = console()
        log(text, logging.ERROR, event=LogEvent.ERROR, exception="WorkflowError")
        assert told.splitlines()[-1] in stream.getvalue()


@pytest.mark.parametrize("option", ["--configfile", "--configfiles", "--configfile="])
def test_unreadable_experiment_is_told_with_its_line(
    console: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, option: str
) -> None:
    file, fine = tmp_path / "broken.yaml", ROOT / "config/config.yaml"
    file.write_text("models: {a: [\n")
    given = [f"{option}{file}"] if option.endswith("=") else [option, str(fine), str(file)]
    log, stream = console()
    for argv, told in (
        ([*given, "-n"], True),
        (["--cores", "2", str(file)], False),
        ([str(file)], False),
    ):
        monkeypatch.setattr("sys.argv", ["snakemake", *argv])
        for text in ("Config file is not valid JSON or YAML.", "in load_configfile"):
            log(text, logging.ERROR, event=LogEvent.ERROR, exception="WorkflowError")
            assert (f"{file}:2:1: not valid YAML" in stream.getvalue()) is told
            stream.truncate(0)
        log("something else", logging.ERROR, event=LogEvent.ERROR, exception="WorkflowError")
        assert stream.getvalue().strip("\0") == "something else\n"
        stream.truncate(0)


def test_snakemake_is_told_that_it_need_not_format_or_draw(console: Any) -> None:
    log, _ = console()
    handler = log.__closure__[0].cell_contents
    assert (handler.writes_to_stream, handler.has_filter, handler.has_formatter) == (True,) * 3
    assert (handler.writes_to_file, handler.needs_rulegraph) == (False, False)


def test_time_is_told_in_hours_and_batches_are_counted_as_such(console: Any, clock: Clock) -> None:
    log, stream = console()
    log("Job stats: a table", event=LogEvent.RUN_INFO, stats={"fit_batch": 4, "all": 1})
    log(event=LogEvent.JOB_INFO, jobid=1, rule_name="fit_batch", rule_msg=None)
    clock.now = 3661.0
    log("Finished jobid", event=LogEvent.JOB_FINISHED, job_id=1)
    log(event=LogEvent.PROGRESS, done=1, total=5)
    log(event=LogEvent.PROGRESS, done=5, total=5)
    first, last = stream.getvalue().splitlines()
    assert first.startswith("batches of fits 1 of 4")
    assert last == "done: 4 batches of fits and 1 other steps in 1:01:01"


def test_full_disk_is_told_without_frames(console: Any) -> None:
    log, stream = console()
    text = (
        'Traceback (most recent call last):\n  File "persistence.py", line 12, in _record\n'
        "OSError: [Errno 28] No space left on device: '.snakemake/metadata/x'"
    )
    log(text, logging.ERROR, event=LogEvent.ERROR, exception="OSError")
    (told,) = stream.getvalue().splitlines()
    assert told.startswith("OSError: [Errno 28] No space left on device: '.snakemake/metadata/x'; ")
    assert "make room and run again" in told


def test_log_on_a_full_disk_prints_no_frames(
    console: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class FullDisk(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    record = logging.LogRecord("snakemake", logging.INFO, "", 0, "a line", None, None)
    log = logging.StreamHandler(FullDisk())
    monkeypatch.setattr(logging, "raiseExceptions", True)
    log.emit(record)
    assert "Traceback" in capsys.readouterr().err
    _, stream = console()
    log.emit(record)
    assert stream.getvalue() == ""

"""Snakemake's console, calm: one line of progress, errors as they are, no list of every job.

In a terminal a bar shows fits done, fits in all and the time left; elsewhere a plain line says so
now and then. ``--verbose`` and ``--printshellcmds`` bring Snakemake's own messages back, and the
complete log under .snakemake/log always has them.
"""

from __future__ import annotations

import logging
import re
import sys
import time
from collections.abc import Iterator
from logging import INFO, WARNING, LogRecord
from pathlib import Path
from typing import Any, TextIO

from snakemake.logging import DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

# with a prefix where the rules are a module of another workflow
_FIT = re.compile(r"(^|_)fit_(fold|holdout|seed|batch)")
_BAR = 30
_REDRAW = 0.1  # seconds between two states of the bar
_PLAIN = 15.0  # seconds between two plain lines
_ENOUGH = 5  # steps after the last fit that tell how fast the others go
# of Snakemake's messages without an event, those that a user waits for
_WANTED = re.compile(
    r"Nothing to be done|dry-run|Unlocking|^Deleting|Would remove|^Report created|Creating report"
    r"|Reasons:|Cancelling|Will exit|Congratulations"
)
# in a dry run's reasons: the list of jobs that it points to is left out
_ABOVE = "    (check individual jobs above for details)\n"
_FULL = re.compile(r".*(No space left on device|Disk quota exceeded).*")
# around a task's own message Snakemake puts where in which file it was raised
_RAISED_AT = re.compile(r'^(\w*Exception:|\w*Error in file ".*", line \d+:|  File ".*", line .*)$')


class Pace:
    """How fast a run goes, and how long its rest may take.

    Fits and other steps are told apart: a step of milliseconds says nothing about fits of minutes,
    nor they about it.

    Parameters
    ----------
    fits, others : int
        How many of each there are to do.
    """

    def __init__(self, fits: int, others: int) -> None:
        self.fits, self.others = fits, others
        self.fits_done = self.others_done = 0
        self._running: dict[int, tuple[bool, float]] = {}
        self._seconds = {True: 0.0, False: 0.0}
        self._start = time.monotonic()
        # of the last fit: when it ended, and how many other steps were done by then
        self._fitted = self._start, 0

    def begin(self, job: int, fits: bool) -> None:
        """Note that a job begins, and whether it fits."""
        self._running[job] = fits, time.monotonic()

    def end(self, job: int) -> None:
        """Note that a job has ended."""
        now = time.monotonic()
        fits, began = self._running.pop(job, (False, now))
        self._seconds[fits] += now - began
        if fits:
            self.fits_done += 1
            self._fitted = now, self.others_done
        else:
            self.others_done += 1

    def left(self, now: float) -> float | None:
        """Return the seconds that the rest may take; None as long as nobody can know."""
        fits, others = self.fits - self.fits_done, self.others - self.others_done
        if not fits:
            since, before = self._fitted
            done = self.others_done - before
            return (now - since) / done * others if done >= _ENOUGH else None
        if not self.fits_done:
            return None
        work = fits * self._seconds[True] / self.fits_done
        if self.others_done:
            work += others * self._seconds[False] / self.others_done
        at_a_time = sum(self._seconds.values()) / (now - self._start)
        return work / at_a_time if at_a_time else None


class LogHandler(LogHandlerBase):
    """The handler that Snakemake makes for ``--logger bakeoff``."""

    def __post_init__(self) -> None:
        """Start with nothing counted."""
        # a full disk that takes no line of Snakemake's log is told by the steps, without frames
        logging.raiseExceptions = False
        settings = self.common_settings
        self.stream: TextIO = sys.stdout if settings.stdout else sys.stderr
        self.in_terminal = self.stream.isatty()
        self.talkative = settings.verbose or settings.printshellcmds or settings.debug_dag
        self.plain = DefaultFormatter(settings.quiet, settings.show_failed_logs)
        self.pace = Pace(0, 0)
        self.unit = "fits"
        self.start = self.last = 0.0
        self.drawn = False

    @property
    def writes_to_stream(self) -> bool:
        """It takes the place of Snakemake's own console output."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """The complete log stays Snakemake's."""
        return False

    @property
    def has_filter(self) -> bool:
        """What is shown is decided here."""
        return True

    @property
    def has_formatter(self) -> bool:
        """How it is shown, too."""
        return True

    @property
    def needs_rulegraph(self) -> bool:
        """The rule graph is not drawn here."""
        return False

    def emit(self, record: LogRecord) -> None:
        """Show one message, or count it."""
        try:
            if self.talkative:
                self._say(self.plain.format(record))
            else:
                self._handle(record, getattr(record, "event", None))
        except Exception:
            self.handleError(record)

    def _handle(self, record: LogRecord, event: LogEvent | None) -> None:
        fields: dict[str, Any] = record.__dict__
        if event == LogEvent.RUN_INFO:
            self._begin(fields)
        elif event == LogEvent.JOB_INFO:
            self.pace.begin(fields["jobid"], bool(_FIT.search(fields["rule_name"])))
        elif event == LogEvent.JOB_FINISHED:
            self.pace.end(fields["job_id"])
        elif event == LogEvent.PROGRESS:
            self._progress(fields["done"], fields["total"])
        elif event in (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR):
            if self.common_settings.show_failed_logs:
                self._say(self.plain.format(record))
        elif event == LogEvent.ERROR:
            text = record.getMessage()
            known = _interruption, _no_room, _locked, _what_is_wrong_with_the_file
            wrong = next(filter(None, (say(text) for say in known)), "")
            self._say(wrong or _without_places(text))
        elif event is None and self._wanted(record):
            self._say(record.getMessage().replace(_ABOVE, ""))

    def _wanted(self, record: LogRecord) -> bool:
        return record.levelno >= WARNING or (
            record.levelno >= INFO and bool(_WANTED.search(record.getMessage()))
        )

    def _begin(self, fields: dict[str, Any]) -> None:
        """Note how much there is to do; a dry run lists it."""
        if self.common_settings.dryrun:
            # Snakemake sends it before and after its list of jobs, which is left out here
            if not self.start:
                self._say(str(fields["msg"]))
            self.start = time.monotonic()
            return
        counts = fields.get("stats", {})
        fits = sum(n for rule, n in counts.items() if _FIT.search(rule))
        self.pace = Pace(fits, counts.get("total", sum(counts.values())) - fits)
        batched = any(rule.endswith("fit_batch") for rule in counts)
        self.unit = "batches of fits" if batched else "fits"
        self.start = self.last = time.monotonic()

    def _progress(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done == total:
            count = self.pace.fits
            fits = f"{count} {self.unit} and " if count else ""
            self._say(f"done: {fits}{total - count} other steps in {_clock(now - self.start)}")
        elif now - self.last >= (_REDRAW if self.in_terminal else _PLAIN):
            self.last = now
            if self.in_terminal:
                self._draw(done, total)
            else:
                self._say(self._state(done, total))

    def _draw(self, done: int, total: int) -> None:
        filled = round(_BAR * done / total)
        bar = "━" * filled + "╌" * (_BAR - filled)
        self.stream.write(f"\r\033[K{bar} {self._state(done, total)}")
        self.stream.flush()
        self.drawn = True

    def _state(self, done: int, total: int) -> str:
        """Tell what is done and how long the rest may take."""
        what = "steps"
        if self.pace.fits_done < self.pace.fits:
            done, total, what = self.pace.fits_done, self.pace.fits, self.unit
        left = self.pace.left(time.monotonic())
        return f"{what} {done} of {total}" + (f", about {_clock(left)} left" if left else "")

    def _say(self, text: str) -> None:
        if not text.strip() or text == "None":
            return
        clear = "\r\033[K" if self.drawn else ""
        self.drawn = False
        self.stream.write(f"{clear}{text.rstrip()}\n")
        self.stream.flush()


def _without_places(text: str) -> str:
    """Leave out where in the workflow's own files an error was raised.

    A defect of the workflow keeps its traceback: its text is none of ours.
    """
    if "  log: " not in text and "WorkflowError" not in text:
        return text
    return "\n".join(line for line in text.splitlines() if not _RAISED_AT.match(line))


def _interruption(text: str) -> str:
    """Say how to go on where a run ended because the user, or a scheduler, ended it."""
    hooks = sys.modules.get("bakeoff.execution.snakemake_hooks")
    if "did not complete successfully" not in text or not getattr(hooks, "INTERRUPTED", None):
        return ""
    return "interrupted; what is finished is kept, and the same command goes on from there"


def _no_room(text: str) -> str:
    """Say it in a line where Snakemake itself finds no room for its records of jobs."""
    if "  log: " in text or not (found := _FULL.search(text)):
        return ""
    return f"{found[0].strip()}; make room and run again, what is finished is kept"


def _locked(text: str) -> str:
    """Say who holds the lock that a run met."""
    if "Directory cannot be locked" not in text:
        return ""
    from bakeoff.execution.locks import who_locked

    return who_locked(Path())


def _what_is_wrong_with_the_file(text: str) -> str:
    """Say it with file, line and column where Snakemake could not read an experiment."""
    if "Config file" not in text and "load_configfile" not in text:
        return ""
    from bakeoff.errors import UserError
    from bakeoff.spec import read_experiment

    # Snakemake's own message does not name the file
    for path in _configfiles(sys.argv[1:]):
        try:
            read_experiment(path)
        except UserError as error:
            return f"\n{error}"
    return ""


def _configfiles(arguments: list[str]) -> Iterator[str]:
    """Find the values of --configfile on a command line."""
    wanted = False
    for argument in arguments:
        option, equals, value = argument.partition("=")
        if argument.startswith("-"):
            wanted = option in ("--configfile", "--configfiles")
            if wanted and equals:
                yield value
        elif wanted:
            yield argument


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

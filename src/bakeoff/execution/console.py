"""One line of progress on Snakemake's console in place of a paragraph for each job."""

from __future__ import annotations

import logging
import re
import time
from typing import Any

from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

# what is told of each job and of the start of a run; a dry run and --printshellcmds show it all
_EACH = {LogEvent.JOB_INFO, LogEvent.JOB_STARTED, LogEvent.JOB_FINISHED, LogEvent.GROUP_INFO}
_EACH |= {LogEvent.RESOURCES_INFO, LogEvent.RUN_INFO, LogEvent.SHELLCMD, LogEvent.PROGRESS}
_OF_EACH = ("Select jobs to execute", "Using shell: ", "Assuming ", "Building DAG")
# around the message of a step Snakemake puts where in which file of ours it was raised
_RAISED_AT = re.compile(r'^(\w*Exception:|\w*Error in .*file ".*", line \d+:|  File ".*)$')
_SECONDS = {True: 0.1, False: 15.0}  # between two states of the line in a terminal, and elsewhere


def show_progress(settings: Any) -> None:
    """Make Snakemake's console show progress in one line, unless other options were chosen."""
    if settings.dryrun or settings.verbose or settings.printshellcmds or settings.debug_dag:
        return
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler" and not handler.filters[1:]:
            handler.addFilter(_Progress(handler))


class _Progress(logging.Filter):
    def __init__(self, handler: Any) -> None:
        super().__init__()
        self._stream = handler.stream
        self._terminal = self._stream.isatty()
        self._begun = self._last = time.monotonic()
        self._drawn = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether to show a message as it is; draw the progress that it may tell."""
        event, text = getattr(record, "event", None), str(record.msg)
        if event == LogEvent.PROGRESS:
            self._draw(record.__dict__["done"], record.__dict__["total"])
        # the exception that follows says why a job of this process failed, and where its log is
        told_below = event == LogEvent.JOB_ERROR and not record.__dict__.get("aux")
        if event in _EACH or text.startswith(_OF_EACH) or told_below:
            return False
        if event == LogEvent.ERROR and ("  log: " in text or "WorkflowError" in text):
            record.msg = "\n".join(t for t in text.splitlines() if not _RAISED_AT.match(t))
        if self._drawn:
            self._stream.write("\r\033[K")
            self._drawn = False
        return True

    def _draw(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done < total and now - self._last < _SECONDS[self._terminal]:
            return
        self._last, share = now, done / total
        left = _clock((now - self._begun) * (1 / share - 1))
        told = f"{done} of {total} steps, about {left} left"
        if done == total:
            told = f"{total} steps in {_clock(now - self._begun)}"
        if self._terminal:
            filled = round(30 * share)
            told = f"\r\033[K{'━' * filled}{'╌' * (30 - filled)} {told}"
        self._drawn = self._terminal and done < total
        self._stream.write(told if self._drawn else f"{told}\n")
        self._stream.flush()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"

"""Snakemake's console: a line of progress in place of each job, and nothing else left out."""

import io
import logging
from types import SimpleNamespace

import pytest
from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from bakeoff.execution import snakemake_ways as console

ERROR = """RuleException:
UserError in file "/w/rules/fit.smk", line 37:
the fit of model a failed: no luck
  log: a.log
  File "/w/rules/fit.smk", line 37, in __rule_fit"""


class Stream(io.StringIO):
    terminal = False

    def isatty(self):
        return self.terminal


def handler(monkeypatch, **chosen):
    """Return the handler of a run, as Snakemake makes it."""
    made = logging.StreamHandler(Stream())
    made.name = "DefaultStreamHandler"
    made.addFilter(lambda _: True)
    monkeypatch.setattr(logger, "handlers", [made])
    settings = dict.fromkeys(("dryrun", "verbose", "printshellcmds", "debug_dag"), False)
    console.show_progress(SimpleNamespace(**settings | chosen))
    return made


def tell(made, text, **fields):
    record = logging.LogRecord("snakemake", logging.INFO, "", 1, text, (), None)
    record.__dict__.update(fields)
    made.handle(record)


def test_jobs_are_counted_and_all_else_is_shown(monkeypatch):
    made = handler(monkeypatch)
    tell(made, "Select jobs to execute...")
    tell(made, "rule fit", event=LogEvent.JOB_INFO)
    tell(made, None, event=LogEvent.PROGRESS, done=1, total=2)
    tell(made, "who knows what this is")
    tell(made, None, event=LogEvent.PROGRESS, done=2, total=2)
    assert made.stream.getvalue() == "who knows what this is\n2 steps in 0:00:00\n"


def test_a_terminal_has_one_line_that_goes(monkeypatch):
    monkeypatch.setattr(Stream, "terminal", True)
    monkeypatch.setattr(console, "_SECONDS", {True: 0.0})
    made = handler(monkeypatch)
    tell(made, None, event=LogEvent.PROGRESS, done=1, total=2)
    tell(made, "stop")
    drawn, told = made.stream.getvalue().split("\r\033[K")[1:]
    assert drawn.endswith("1 of 2 steps, about 0:00:00 left")
    assert told == "stop\n"


def test_a_failed_step_is_told_once_without_places(monkeypatch):
    made = handler(monkeypatch)
    tell(made, "Error in rule fit", event=LogEvent.JOB_ERROR, aux={})
    tell(made, "Error in rule fit on a cluster", event=LogEvent.JOB_ERROR, aux={"job": 7})
    tell(made, ERROR, event=LogEvent.ERROR)
    assert made.stream.getvalue().splitlines() == [
        "Error in rule fit on a cluster",
        "the fit of model a failed: no luck",
        "  log: a.log",
    ]


@pytest.mark.parametrize("option", ["dryrun", "printshellcmds", "verbose"])
def test_jobs_are_listed_where_they_are_asked_for(monkeypatch, option):
    made = handler(monkeypatch, **{option: True})
    tell(made, "rule fit", event=LogEvent.JOB_INFO)
    assert made.stream.getvalue() == "rule fit\n"

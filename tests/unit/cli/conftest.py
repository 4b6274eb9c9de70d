"""The command line in this process, for the tests of its commands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from bakeoff.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def bakeoff(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a runner of the command, in this process: exit code, output, errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def compare(bakeoff: Run) -> Run:
    """Return a runner of `bakeoff compare`."""
    return partial(bakeoff, "compare")

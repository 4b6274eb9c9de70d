"""Fixtures that several rooms share."""

import json
from functools import partial

import pytest

from bakeoff.cli import main
from tests.conftest import hold


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    """Work in an empty folder, which is returned."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def bakeoff(capsys):
    def run(*arguments):
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def refused(bakeoff):
    """Hold a command to its message about a mistake, and to printing nothing else.

    What is said of an option begins the message; " … " stands for what is between parts of it.
    """

    def run(*arguments, said, code=2):
        found, out, err = bakeoff(*arguments)
        assert (found, out) == (code, "")
        assert "Traceback" not in err
        told = err if "\n" in said else " ".join(err.split())
        hold(told, said)
        assert not said.startswith("--") or told.startswith(said.partition(" … ")[0])

    return run


@pytest.fixture
def says(bakeoff):
    """Hold a command line to its exit code and to what it says; " … " is between parts of it."""

    def run(line, said, code=0):
        found, out, err = bakeoff(*line.split())
        assert found == code, err
        hold(" ".join((out or err).split()), said)

    return run


@pytest.fixture
def answered(bakeoff):
    """Return what a command answers with `--json`, without a note beside it."""

    def run(*arguments):
        code, out, err = bakeoff(*arguments, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


@pytest.fixture
def compare(bakeoff):
    return partial(bakeoff, "compare")

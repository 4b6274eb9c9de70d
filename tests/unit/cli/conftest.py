"""The command line in this process, for the tests of its commands."""

from functools import partial

import pytest

from bakeoff.cli import main


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
    """Hold a command to one message about a mistake, and to printing nothing else."""

    def run(*arguments, said, code=2):
        found, out, err = bakeoff(*arguments)
        assert (found, out) == (code, "")
        assert said in err
        assert "Traceback" not in err

    return run


@pytest.fixture
def compare(bakeoff):
    return partial(bakeoff, "compare")

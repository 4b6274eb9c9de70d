"""Tests that share one costly fixture or the one Slurm stay in one process under pytest-xdist."""

import sys

from tests.conftest import called

TOGETHER = """
import os
import pathlib
import pytest

@pytest.mark.xdist_group("together")
@pytest.mark.parametrize("number", range(6))
def test_where(number):
    pathlib.Path(f"{number}.ran").write_text(os.environ["PYTEST_XDIST_WORKER"])
"""


def test_marked_tests_stay_in_one_process(tmp_path):
    (tmp_path / "test_together.py").write_text(TOGETHER)
    command = [sys.executable, "-m", "pytest", "--numprocesses", "2", "--dist", "loadgroup"]
    called(*command, "--rootdir", ".", "-p", "no:cacheprovider", cwd=tmp_path)
    workers = [file.read_text() for file in tmp_path.glob("*.ran")]
    assert len(workers) == 6
    assert len(set(workers)) == 1

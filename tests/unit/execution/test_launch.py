"""The command line that starts the workflow from any folder."""

import sys
from pathlib import Path

import pytest

from bakeoff.errors import UserError
from bakeoff.execution import launch
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def _file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("study.yaml").touch()


def test_installed_workflow_comes_before(monkeypatch, tmp_path):
    (tmp_path / "workflow").mkdir()
    monkeypatch.setattr(launch, "_PACKAGE", tmp_path)
    assert launch.workflow_folder() == tmp_path / "workflow"


def test_config_file_stands_last_so_that_targets_are_targets():
    line = launch.command("study.yaml", ["results/a/scores.csv", "-n"])
    assert line[:3] == [sys.executable, "-m", "bakeoff.execution.launch"]
    assert line[-4:] == ["results/a/scores.csv", "-n", "--configfile", "study.yaml"]


def test_profile_is_a_folder_or_one_of_the_package():
    own = launch.command("study.yaml", profiles=["slurm"])
    assert own[own.index("--profile") + 1] == str(ROOT / "profiles/slurm")
    Path("slurm").mkdir()
    here = launch.command("study.yaml", profiles=["slurm", "mine"])
    assert here[here.index("--profile") + 1 : here.index("--configfile")] == ["slurm", "mine"]


def test_missing_file_is_told():
    with pytest.raises(UserError, match=r"nothing\.yaml is not there; bakeoff init"):
        launch.command("nothing.yaml")


def test_what_it_says_goes_where_messages_go(monkeypatch, capsys):
    code = "import sys; print('one'); sys.stdout.flush(); print('two', file=sys.stderr)"
    monkeypatch.setattr(launch, "command", lambda *_: [sys.executable, "-c", code])
    assert launch.launch("study.yaml") == 0
    assert capsys.readouterr() == ("", "one\ntwo\n")


def test_interrupt_ends_the_run_first(monkeypatch, tmp_path):
    code = (
        "import sys, time, pathlib\n"
        "try:\n    print('started', flush=True); time.sleep(60)\n"
        "except KeyboardInterrupt:\n    pathlib.Path('ended').touch()"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launch, "command", lambda *_: [sys.executable, "-c", code])

    class Interrupted:
        def write(self, text):
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stderr", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        launch.launch("study.yaml")
    assert Path("ended").exists()

"""The command line that starts the workflow from any folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bakeoff.errors import UserError
from bakeoff.execution import launch
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def _file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("study.yaml").touch()


def test_installed_workflow_comes_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "workflow").mkdir()
    monkeypatch.setattr(launch, "_PACKAGE", tmp_path)
    assert launch.workflow_folder() == tmp_path / "workflow"


def test_config_file_stands_last_so_that_targets_are_targets() -> None:
    line = launch.command("study.yaml", ["results/a/scores.csv", "-n"])
    assert line[:3] == [sys.executable, "-m", "bakeoff.execution.launch"]
    assert line[-4:] == ["results/a/scores.csv", "-n", "--configfile", "study.yaml"]


def test_profile_is_a_folder_or_one_of_the_package() -> None:
    own = launch.command("study.yaml", profiles=["slurm"])
    assert own[own.index("--profile") + 1] == str(ROOT / "profiles/slurm")
    Path("slurm").mkdir()
    here = launch.command("study.yaml", profiles=["slurm", "mine"])
    assert here[here.index("--profile") + 1 : here.index("--configfile")] == ["slurm", "mine"]


def test_missing_file_is_told() -> None:
    with pytest.raises(UserError, match=r"nothing\.yaml is not there; bakeoff init"):
        launch.command("nothing.yaml")


def test_what_it_says_goes_where_messages_go(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "import sys; print('one'); sys.stdout.flush(); print('two', file=sys.stderr)"
    monkeypatch.setattr(launch, "command", lambda *_: [sys.executable, "-c", code])
    assert launch.launch("study.yaml") == 0
    assert capsys.readouterr() == ("", "one\ntwo\n")


def test_interrupt_ends_the_run_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    code = (
        "import sys, time, pathlib\n"
        "try:\n    print('started', flush=True); time.sleep(60)\n"
        "except KeyboardInterrupt:\n    pathlib.Path('ended').touch()"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launch, "command", lambda *_: [sys.executable, "-c", code])

    class Interrupted:
        def write(self, text: str) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stderr", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        launch.launch("study.yaml")
    assert Path("ended").exists()

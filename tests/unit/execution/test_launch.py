"""The start of a run, what is checked before it, and what is printed at its end."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from snakemake.cli import get_argument_parser

from bakeoff import __version__
from bakeoff.errors import UserError
from bakeoff.execution import launch
from bakeoff.execution.run import Run, check_release, typed
from bakeoff.paths import Paths
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def _file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("study.yaml").touch()


def test_installed_workflow_comes_before(monkeypatch, tmp_path):
    (tmp_path / "workflow").mkdir()
    monkeypatch.setattr(launch, "_PACKAGE", tmp_path)
    assert launch.workflow_folder() == tmp_path / "workflow"


def test_profile_is_a_folder_or_one_of_the_package_and_the_config_file_stands_last():
    start = [sys.executable, "-m", "bakeoff.execution.launch", "--snakefile", f"{ROOT}/Snakefile"]
    target, last = ["results/a/scores.csv", "-n"], ["--configfile", "study.yaml"]
    packaged = launch.command("study.yaml", target, profiles=["slurm"])
    assert packaged == [*start, "--profile", f"{ROOT}/profiles/slurm", *target, *last]
    Path("slurm").mkdir()
    here = launch.command("study.yaml", profiles=["slurm", "mine"], cores=2)
    assert here == [*start, "--profile", "slurm", "mine", "--cores", "2", *last]
    with pytest.raises(UserError, match=r"nothing\.yaml is not there; bakeoff init"):
        launch.command("nothing.yaml")


def test_what_it_says_goes_where_messages_go(capsys):
    code = "import sys; print('one'); sys.stdout.flush(); print('two', file=sys.stderr)"
    assert launch.launch([sys.executable, "-c", code]) == 0
    assert capsys.readouterr() == ("", "one\ntwo\n")


def test_interrupt_ends_the_run_first(monkeypatch):
    code = (
        "import time, pathlib\ntry:\n    print('started', flush=True); time.sleep(60)\n"
        "except KeyboardInterrupt:\n    pathlib.Path('ended').touch()"
    )

    class Interrupted:
        def write(self, text):
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stderr", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        launch.launch([sys.executable, "-c", code])
    assert Path("ended").exists()


def test_the_verdict_is_broken_into_lines(tmp_path, monkeypatch):
    def answer(folder, *outputs):
        return Run.answer(SimpleNamespace(paths=Paths(str(folder))), outputs)

    made = str(tmp_path / "verdict.txt")
    assert not answer(tmp_path, made)
    sentences = ("Cannot tell.", "many words " * 30, "This may be chance.")
    (tmp_path / "verdict.txt").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    (tmp_path / "report.html").touch()
    for columns, widest in (("60", 60), ("300", 100)):
        monkeypatch.setenv("COLUMNS", columns)
        *told, _, page = answer(tmp_path, made).splitlines()
        assert max(map(len, told)) <= widest
        assert " ".join(" ".join(told).split()) == " ".join(" ".join(sentences).split())
        assert page == f"Report: {tmp_path}/report.html"
    (line,) = answer(tmp_path, str(tmp_path / "scores.csv")).splitlines()
    assert line.startswith(f"{tmp_path}/report.html was no part of this run and may be out of date")


def test_only_what_an_edit_touches_is_checked_again(tiny, monkeypatch):
    asked = []
    call = "bakeoff.execution.run.Run._call"
    monkeypatch.setattr(call, lambda _, step, *args: asked.append(step.__name__) or step(*args))

    def check():
        asked.clear()
        tests = Run(tiny, [], main=True, remote=False).tests
        return [test.name for test in tests], list(asked)

    assert check() == (["cv5x2_f", "mcnemar", "cochran_q"], ["check"])
    tiny["label"] = tiny["models"]["tree"]["label"] = "called otherwise"
    assert check()[1] == []
    tiny["tests"]["run"] = ["delong"]  # iris has three classes
    with pytest.raises(UserError, match="for two classes, iris has 3"):
        check()
    del tiny["tests"], tiny["models"]["tree"]["params"]
    assert check()[1] == ["check"]


def test_data_that_were_replaced_are_checked_again_whatever_their_date(tiny):
    file = Path("data.csv")
    rows = "".join(f"{i % 7},{'no' if i % 2 else 'ja'}\n" for i in range(60))
    tiny["datasets"] = {"iris": {"source": "file", "path": "data.csv", "target": "y"}}
    tiny["datasets"]["iris"]["classes"] = ["ja", "no"]

    def check(text):
        file.write_text(f"x,y\n{text}")
        os.utime(file, (1e9, 1e9))
        return Run(tiny, [], main=True, remote=False)

    assert check(rows).tests
    with pytest.raises(UserError, match="unknown class 'ja'"):
        check(rows.replace("ja", "si"))


def test_one_file_is_one_experiment(tiny):
    with pytest.raises(UserError, match=r"--configfile: found 2 files \(a.yaml, b.yaml\)"):
        Run(tiny, ["a.yaml", "b.yaml"], main=True, remote=False)


def test_numbers_of_the_command_line_are_numbers_wherever_they_stand():
    given = {"tests": {"alpha": "0.01", "run": ["a", "2"]}, "n": 3}
    assert typed(given) == {"tests": {"alpha": 0.01, "run": ["a", 2]}, "n": 3}


def test_rules_of_another_release_are_refused():
    told = rf"rules are of bakeoff 0\.0\.9, the package .* is {__version__}: pip install bakeoff=="
    with pytest.raises(UserError, match=told):
        check_release("0.0.9")
    text = (ROOT / "workflow/Snakefile").read_text(encoding="utf-8")
    assert f'RELEASE = "{__version__}"' in text


def test_the_main_process_imports_nothing_heavy():
    """What seconds go into at the start of every run."""
    heavy = {"numpy", "pandas", "scipy", "sklearn", "matplotlib", "jinja2", "bakeoff.stats"}
    code = "import bakeoff.execution.run, sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert heavy & set(run.stdout.split()) == set()


def test_what_a_profile_sets_is_an_option_of_snakemake():
    actions = get_argument_parser()._actions
    options = {option for action in actions for option in action.option_strings}
    for file in (ROOT / "profiles").glob("*/config.v8+.yaml"):
        keys = yaml.safe_load(file.read_text(encoding="utf-8"))
        others = {key for key in keys if f"--{key}" not in options}
        assert all(key.startswith("slurm-") for key in others), file
        assert "config" not in keys, f"it would win over the YAML in {file}"

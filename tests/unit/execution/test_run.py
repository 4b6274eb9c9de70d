"""What the Snakefile prints at the end."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bakeoff import __version__
from bakeoff.errors import UserError
from bakeoff.execution import digests
from bakeoff.execution.run import Run, check_release, typed
from bakeoff.paths import Paths
from tests.conftest import ROOT


def answer(folder, *outputs):
    run = SimpleNamespace(paths=Paths(str(folder)))
    return Run.answer(run, outputs)


def test_the_verdict_is_broken_into_lines(tmp_path, monkeypatch):
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


def test_only_what_an_edit_touches_is_checked_again(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = []
    monkeypatch.setattr(
        Run, "_call", lambda _, step, *args: asked.append(step.__name__) or step(*args)
    )

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


def test_data_that_were_replaced_are_checked_again_whatever_their_date(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, rows = (
        Path("data.csv"),
        "".join(f"{i % 7},{'no' if i % 2 else 'ja'}\n" for i in range(60)),
    )
    tiny["datasets"] = {"iris": {"source": "file", "path": "data.csv", "target": "y"}}
    tiny["datasets"]["iris"]["classes"] = ["ja", "no"]

    def check(text):
        file.write_text(f"x,y\n{text}")
        os.utime(file, (1e9, 1e9))
        digests._content.cache_clear()
        return Run(tiny, [], main=True, remote=False)

    assert check(rows).tests
    with pytest.raises(UserError, match="unknown class 'ja'"):
        check(rows.replace("ja", "si"))


def test_one_file_is_one_experiment(tiny):
    with pytest.raises(UserError, match=r"--configfile: found 2 files \(a.yaml, b.yaml\)"):
        Run(tiny, ["a.yaml", "b.yaml"], main=True, remote=False)


def test_numbers_of_the_command_line_are_numbers_wherever_they_stand():
    given = {"tests": {"alpha": "0.01", "run": ["a", "2"]}, "holdout": {"test_size": "0.4", "n": 3}}
    assert typed(given) == {
        "tests": {"alpha": 0.01, "run": ["a", 2]},
        "holdout": {"test_size": 0.4, "n": 3},
    }


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

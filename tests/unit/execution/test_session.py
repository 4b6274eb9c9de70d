"""What the Snakefile prints at the end."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bakeoff.errors import UserError
from bakeoff.execution import fingerprints
from bakeoff.execution.session import Session
from bakeoff.paths import Paths


def answer(folder: Path, *outputs: str) -> str:
    session: Any = SimpleNamespace(needs=SimpleNamespace(paths=Paths(str(folder))))
    return Session.answer(cast(Session, session), outputs)


def test_the_verdict_is_broken_into_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_only_what_an_edit_touches_is_checked_again(
    tiny: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Session, "_warm_up", lambda self: None)
    asked: list[str] = []
    monkeypatch.setattr(
        Session, "_call", lambda self, task: asked.append(task.func.__name__) or task()
    )

    def check() -> tuple[list[str], list[str]]:
        asked.clear()
        tests = Session(tiny, [], 1).tests
        return [test.name for test in tests], list(asked)

    assert check() == (["cv5x2_f", "mcnemar", "cochran_q"], ["check"])
    tiny["label"] = tiny["models"]["tree"]["label"] = "called otherwise"
    assert check()[1] == []
    tiny["tests"]["run"] = ["cv5x2_t"]
    assert check() == (["cv5x2_t"], ["plan_tests"])
    tiny["tests"]["run"] = ["delong"]  # iris has three classes
    with pytest.raises(UserError, match="for two classes, iris has 3"):
        check()
    del tiny["tests"], tiny["models"]["tree"]["params"]
    assert check()[1] == ["check"]


def test_data_that_were_replaced_are_checked_again_whatever_their_date(
    tiny: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Session, "_warm_up", lambda self: None)
    file, rows = (
        Path("data.csv"),
        "".join(f"{i % 7},{'no' if i % 2 else 'ja'}\n" for i in range(60)),
    )
    tiny["datasets"] = {"iris": {"source": "file", "path": "data.csv", "target": "y"}}
    tiny["datasets"]["iris"]["classes"] = ["ja", "no"]

    def check(text: str) -> Session:
        file.write_text(f"x,y\n{text}")
        os.utime(file, (1e9, 1e9))
        fingerprints._content.cache_clear()
        return Session(tiny, [], 1)

    assert check(rows).tests
    with pytest.raises(UserError, match="unknown class 'ja'"):
        check(rows.replace("ja", "si"))


HEAVY = {"numpy", "pandas", "scipy", "sklearn", "matplotlib", "jinja2", "bakeoff.stats"}


@pytest.mark.parametrize(
    ("what", "without"),
    [
        ("import bakeoff.execution.session", HEAVY),
        (
            "from bakeoff.execution import planning; planning.prepare_fits()",
            {"matplotlib", "jinja2", "bakeoff.stats", "bakeoff.report", "bakeoff.preflight"},
        ),
        (
            "from bakeoff.execution import planning; planning.prepare_report()",
            {"sklearn", "bakeoff.fit.train", "bakeoff.preflight"},
        ),
    ],
    ids=["main process", "worker that fits", "worker that reports"],
)
def test_no_process_imports_what_its_next_task_does_not_need(what: str, without: set[str]) -> None:
    """What seconds go into at the start of every run."""
    code = f"{what}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert without & set(run.stdout.split()) == set()

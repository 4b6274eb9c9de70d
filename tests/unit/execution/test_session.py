"""What the Snakefile prints at the end."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bakeoff.execution.session import Session
from bakeoff.paths import Paths


def answer(folder: Path) -> str:
    session: Any = SimpleNamespace(needs=SimpleNamespace(paths=Paths(str(folder))))
    return Session.answer(cast(Session, session))


def test_the_verdict_is_broken_into_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not answer(tmp_path)
    sentences = ("Cannot tell.", "many words " * 30, "This may be chance.")
    (tmp_path / "verdict.txt").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    (tmp_path / "report.html").touch()
    for columns, widest in (("60", 60), ("300", 100)):
        monkeypatch.setenv("COLUMNS", columns)
        *told, _, page = answer(tmp_path).splitlines()
        assert max(map(len, told)) <= widest
        assert " ".join(" ".join(told).split()) == " ".join(" ".join(sentences).split())
        assert page == f"Report: {tmp_path}/report.html"

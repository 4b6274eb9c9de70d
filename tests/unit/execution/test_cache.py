"""What was found once is not looked for again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bakeoff.execution.cache import cached


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def found(state: str, answer: Any, *, in_main: bool = True) -> tuple[Any, int]:
    """Return what is found, and how often it was looked for."""
    asked: list[str] = []

    def find() -> Any:
        asked.append(state)
        return answer

    return cached("study", "tests", lambda: [state], find, in_main=in_main), len(asked)


def test_a_state_is_looked_into_once() -> None:
    assert found("one", ["a"]) == (["a"], 1)
    assert found("one", ["b"]) == (["a"], 0)
    assert found("two", ["b"]) == (["b"], 1)
    assert found("one", ["c"]) == (["a"], 0)


def test_jobs_take_what_the_main_process_found_last() -> None:
    assert found("one", ["a"], in_main=False) == (["a"], 1)
    found("two", ["b"])
    assert found("three", ["c"], in_main=False) == (["b"], 0)

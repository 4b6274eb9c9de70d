"""Every command of the gallery gives the numbers of its page."""

from __future__ import annotations

import json
import runpy
import shlex
from typing import Any

import pytest

from bakeoff.__main__ import main
from tests.conftest import ROOT

HERE = ROOT / "docs/gallery"
PAGES: list[dict[str, Any]] = json.loads((HERE / "gallery.json").read_text(encoding="utf-8"))


def at(found: Any, path: str) -> Any:
    """Return what stands at a path of keys and places: comparisons/0/pvalue."""
    for key in path.split("/"):
        found = found[int(key) if isinstance(found, list) else key]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page["id"])
def test_the_command_gives_the_numbers_of_the_page(page, monkeypatch, capsys):
    monkeypatch.chdir(HERE)
    program, *arguments = shlex.split(page["command"])
    if program == "python":
        runpy.run_path(arguments[0], run_name="__main__")
    else:
        assert program == "bakeoff"
        assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for number in page["numbers"]:
        value = at(found, number["at"])
        assert value == pytest.approx(number["value"], rel=0, abs=number["tolerance"]), number[
            "what"
        ]


def test_every_comparison_names_its_source_and_what_was_read_of_it():
    assert all(page["source"] and page["seen"] for page in PAGES)


def test_files_are_small_and_named_with_their_source():
    files = list(HERE.glob("*.csv"))
    assert sum(file.stat().st_size for file in files) < 200_000
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    assert all(f"`{file.name}`" in readme for file in files)

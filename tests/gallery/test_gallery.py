"""Every command of the gallery gives the numbers of its page."""

import json
import runpy
import shlex

import pytest

from bakeoff.__main__ import main
from tests.conftest import ROOT

HERE = ROOT / "docs/gallery"
PAGES = json.loads((HERE / "gallery.json").read_text(encoding="utf-8"))


def at(found, path):
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
        expected = pytest.approx(number["value"], rel=0, abs=number["tolerance"])
        assert at(found, number["at"]) == expected, number["what"]


def test_every_comparison_names_its_source_and_what_was_read_of_it():
    assert all(page["source"] and page["seen"] for page in PAGES)


def test_files_are_small_and_named_with_their_source():
    files = list(HERE.glob("*.csv"))
    assert sum(file.stat().st_size for file in files) < 200_000
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    assert all(f"`{file.name}`" in readme for file in files)

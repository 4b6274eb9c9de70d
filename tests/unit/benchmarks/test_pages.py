"""What benchmarks write into pages of the documentation is what their figures say."""

import importlib
import re
from pathlib import Path

import pytest

from benchmarks.pages import STUDIES, renewed

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", STUDIES)
def test_page_is_made_from_the_figures(name):
    study = importlib.import_module(f"benchmarks.{name}")
    assert study.PAGE.read_text(encoding="utf-8") == study.page(), "run: make generate"


def test_make_generate_writes_every_part_that_a_study_writes():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    generate = makefile.split("\ngenerate:")[1].split("\n\n")[0]
    writers = {
        file.relative_to(ROOT / "benchmarks").parts[0].removesuffix(".py")
        for file in (ROOT / "benchmarks").rglob("*.py")
        if "\nPAGE" in file.read_text(encoding="utf-8")
    }
    assert set(STUDIES) < writers
    commands = re.findall(r"-m benchmarks\.(\w+)", generate)
    of_commands = "".join(
        path.read_text(encoding="utf-8")
        for name in commands
        for path in (ROOT / "benchmarks").glob(f"{name}*")
        if path.is_file()
    )
    assert {
        name
        for name in writers - set(STUDIES) - set(commands)
        if not re.search(rf"import {name}\b|\.{name} import", of_commands)
    } == set()
    assert "pages" in commands


def test_text_between_the_marks_is_replaced_and_nothing_else(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- t: begin -->\nold\n<!-- t: end -->\nb\n")
    page.write_text(renewed(page, "t", "new"))
    assert page.read_text() == "a\n<!-- t: begin -->\n\nnew\n\n<!-- t: end -->\nb\n"
    assert renewed(page, "t", "new\n") == page.read_text()
    with pytest.raises(ValueError, match=r"page.md needs <!-- u: begin --> and <!-- u: end -->"):
        renewed(page, "u", "new")

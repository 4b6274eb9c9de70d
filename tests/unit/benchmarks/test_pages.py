"""What benchmarks write into pages of the documentation is what their figures say."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from benchmarks import harness
from benchmarks.__main__ import STUDIES

HERE = Path(harness.__file__).parent


@pytest.mark.parametrize("name", STUDIES)
def test_pages_are_made_from_the_figures(name: str) -> None:
    pages = importlib.import_module(f"benchmarks.{name}").PAGES
    texts = {page: parts for page, parts in pages.items() if not page.endswith(".svg")}
    for file, text in harness.made(texts):
        assert file.read_text(encoding="utf-8") == text, f"{file.name}: run make generate"


def test_every_page_of_a_study_is_written() -> None:
    modules = {
        ".".join(file.relative_to(HERE).with_suffix("").parts)
        for file in HERE.rglob("*.py")
        if "\nPAGES = " in file.read_text(encoding="utf-8")
    }
    assert modules == set(STUDIES)


def test_text_between_the_marks_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- t: begin -->\nold\n<!-- t: end -->\nb\n")
    page.write_text(harness.renewed(page, {"t": "new"}))
    assert page.read_text() == "a\n<!-- t: begin -->\n\nnew\n\n<!-- t: end -->\nb\n"
    assert harness.renewed(page, {"t": "new\n"}) == page.read_text()
    with pytest.raises(ValueError, match=r"page.md needs <!-- u: begin --> and <!-- u: end -->"):
        harness.renewed(page, {"u": "new"})
